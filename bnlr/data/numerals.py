"""Which texts are numbers, which are numbers with marks, and which stand where a number is missing.

The rules are those of the files that bnlr reads: codes such as 007 are names, not numbers.
"""

import re
from math import isfinite

_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_CODE = re.compile(r"0\d+", re.ASCII)
_UNIT = r"[ \u00a0]?[%$€£¥]?[ \u00a0]?"
_MARKED = re.compile(
    rf"{_UNIT}[+\-−]?{_UNIT}(?!0\d)\d{{1,3}}(?:[.,' \u00a0]?\d{{3}})*(?:[.,]\d*)?{_UNIT}", re.ASCII
)
_BOUND = re.compile("[<>≤≥~≈=]+ ?")
_HOLE = re.compile(
    r"|[-–—_.*?/]+|#.*|[+-]?(?:inf|infinity|∞)|[(<\[]?(?:na|nan|n[./]a\.?|n\.d\.?|nd|null|nil|none"
    r"|no data|missing|unknown|undefined|empty|blank)[)>\]]?",
    re.IGNORECASE,
)


def number(text: str, decimal_commas: bool = False) -> float | None:
    """Return the finite number that a text is, without blanks around it; None if it is none."""
    if decimal_commas and "." not in text:
        text = text.replace(",", ".", 1)
    value = float(text) if _NUMBER.fullmatch(text) else float("nan")
    return value if isfinite(value) else None


def is_code(text: str) -> bool:
    """Whether a text is digits after a zero, so that it cannot be meant as a number."""
    return _CODE.fullmatch(text) is not None


def is_marked(text: str) -> bool:
    """Whether a text is a number but for a unit, or marks between digits: 12%, $5, 1.234,5."""
    return _MARKED.fullmatch(text) is not None


def is_blemish(text: str) -> bool:
    """Whether a text stands for a cell in a column of numbers: n/a, #DIV/0!, <0.01, 1,5."""
    if _HOLE.fullmatch(text) or is_marked(text):
        return True
    bare = _BOUND.sub("", text, count=1)
    return bare != text and (number(bare) is not None or is_marked(bare))

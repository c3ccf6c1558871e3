"""Which texts are numbers, plain or with marks, and which stand where a number is missing.

The rules are those of the files that bnlr reads: codes such as 007 are names, not numbers.
"""

import re
from collections.abc import Iterable, Mapping
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


def begins_a_word(text: str) -> bool:
    """Whether a text begins with a letter, as no number does: neither plain nor with marks."""
    return text[:1].isalpha()


def is_code(text: str) -> bool:
    """Whether a text is digits after a zero, so that it cannot be meant as a number."""
    return _CODE.fullmatch(text) is not None


def is_marked(text: str) -> bool:
    """Whether a text is a number but for a unit, or marks between digits: 12%, $5, 1.234,5."""
    return _MARKED.fullmatch(text) is not None


def is_blemish(text: str) -> bool:
    """Whether a text stands for a cell in a column of numbers: n/a, #DIV/0!, <0.01, 1,5."""
    if _HOLE.fullmatch(text):
        return True
    if begins_a_word(text):
        return False
    if is_marked(text):
        return True
    bare = _BOUND.sub("", text, count=1)
    return bare != text and (number(bare) is not None or is_marked(bare))


# Numbers with marks: a unit before or behind them, digits in groups, a decimal comma

_UNITS = "%‰$€£¥₹₽₩₺₪₫₴₦₱฿¢°"
_CODES = "EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|MXN|ZAR|TRY|°C|°F"
_GROUP_BLANKS = "' \u00a0\u202f\u2007\u2009\u2019"
_BLANKS = " \u00a0\u202f\u2007\u2009"
_MINUS = "−–-"
_WITH_UNIT = re.compile(
    rf"(?P<sign>[+{_MINUS}]?)[{_BLANKS}]?(?P<before>[{_UNITS}]?)[{_BLANKS}]?"
    rf"(?P<inner>[+{_MINUS}]?)"
    rf"(?P<digits>[\d.,{_GROUP_BLANKS}]*\d[.,]?)(?P<power>(?:[eE][+-]?\d+)?)"
    rf"[{_BLANKS}]?(?P<behind>(?:{_CODES}|[{_UNITS}])?)",
    re.ASCII,
)
_LONGEST_MARKED = 60


def _grouped(group: str, point: str) -> re.Pattern[str]:
    """Return the pattern of digits in groups of three, or in one, and a fraction."""
    whole = rf"(?:[1-9]\d{{0,2}}(?:{group}\d{{3}})(?:{group}\d{{3}})*|0|[1-9]\d*)"
    return re.compile(rf"(?:{whole}(?:{point}\d*)?|{point}\d+)", re.ASCII)


# By the decimal mark: groups are set apart by the other one, or by blanks or apostrophes.
_GROUPED = {
    ".": (_grouped(",", r"\."), _grouped(f"(?:[{_GROUP_BLANKS}])", r"\.")),
    ",": (_grouped(r"\.", ","), _grouped(f"(?:[{_GROUP_BLANKS}])", ",")),
}


def column_numbers(
    texts: Iterable[str], decimal: str | None = None, likely: str = "."
) -> dict[str, float] | None:
    """Return the numbers that a column's texts are, None if not all are or two readings are left.

    Plain numbers are read as they stand. Else all have the same unit, or none, and one reading of
    points and commas: what stands in one cell decides for all. 1,004 beside 1,004.04 is a thousand
    and four, beside 0,5 hardly more than one; 1,004 alone could be either.

    Parameters
    ----------
    texts
        Without blanks around them.
    decimal
        The decimal mark if it is known, "." or ",".
    likely
        That of the file, where a column does not tell: in ``,`` files 1,004 is hardly more than 1.
    """
    distinct = list(texts)
    commas = decimal == "," or (decimal is None and likely == ",")
    plain: dict[str, float] = {}
    for text in distinct:
        value = None if decimal == "," and "." in text else number(text, commas)
        if value is None:
            break
        plain[text] = value
    else:
        return plain
    parts: dict[str, tuple[str, str, str]] = {}
    for text in distinct:
        part = _with_unit(text)
        if part is None:
            return None
        parts[text] = part
    if len({unit for unit, _, _ in parts.values()}) != 1:
        return None
    marks = (".", ",") if decimal is None else (decimal,)
    readings = [r for mark in marks if (r := _read_all(parts, mark)) is not None]
    if len(readings) == 2 and readings[0] != readings[1]:
        return readings[1] if likely == "," else None
    return readings[0] if readings else None


def looks_marked(text: str) -> bool:
    """Whether a text is a number with a unit, groups or a decimal comma, by some reading."""
    part = _with_unit(text)
    return part is not None and any(_value(part, mark) is not None for mark in _GROUPED)


def _with_unit(text: str) -> tuple[str, str, str] | None:
    """Return unit, digits with their marks, and sign and power, None if a text is no number."""
    match = _WITH_UNIT.fullmatch(text) if len(text) <= _LONGEST_MARKED else None
    if match is None or (match["sign"] and match["inner"]) or (match["before"] and match["behind"]):
        return None
    sign = "-" if (match["sign"] or match["inner"] or "+") in _MINUS else ""
    return match["before"] or match["behind"], match["digits"], f"{sign}{match['power']}"


def _read_all(parts: Mapping[str, tuple[str, str, str]], mark: str) -> dict[str, float] | None:
    values: dict[str, float] = {}
    for text, part in parts.items():
        value = _value(part, mark)
        if value is None:
            return None
        values[text] = value
    return values


def _value(part: tuple[str, str, str], mark: str) -> float | None:
    _, digits, rest = part
    if not any(pattern.fullmatch(digits) for pattern in _GROUPED[mark]):
        return None
    sign, power = ("-", rest[1:]) if rest.startswith("-") else ("", rest)
    bare = digits.translate(_DROPPED[mark]).replace(mark, ".")
    value = float(f"{sign}{bare}{power}")
    return value if isfinite(value) else None


_DROPPED = {
    mark: str.maketrans(dict.fromkeys(f"{_GROUP_BLANKS}{other}")) for mark, other in (".,", ",.")
}

"""Names as pictures show them: on one line or two, not too wide, and never as mathematics."""

import re
import warnings
from collections.abc import Sequence
from functools import lru_cache

_ELLIPSIS = "…"
_EQUALS = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"
_LONGEST = 26
_WIDEST = 1.9
_LABEL_SIZE = 8.5


def shortened(name: object, longest: int = _LONGEST, widest: float = _WIDEST) -> str:
    """Return a name on one line.

    Parameters
    ----------
    name
    longest
        The most characters.
    widest
        The most inches, at the size of labels; capitals may need it before the characters do.
    """
    line = " ".join(str(name).split())
    cut = line if len(line) <= longest else line[: longest - 1] + _ELLIPSIS
    while len(cut) > 2 and width_of(cut) > widest:
        cut = cut.removesuffix(_ELLIPSIS)[:-1] + _ELLIPSIS
    return cut.replace("$", r"\$")


def wrapped(name: object, columns: int, lines: int) -> str:
    """Return a name on a few lines of about as many characters each, cut where it needs more."""
    text = " ".join(str(name).split()).replace(" = ", _EQUALS)
    has_room = all(len(word) <= columns for word in text.split(" "))
    rows = _filled(re.split(r"(?<= )" if has_room else r"(?<=[ _./-])", text), columns)
    if len(rows) > lines:
        rows = [*rows[: lines - 1], "".join(rows[lines - 1 :])]
    return "\n".join(shortened(row, columns + 1, 0.09 * columns) for row in rows)


def _filled(pieces: Sequence[str], columns: int) -> list[str]:
    rows = [""]
    for piece in pieces:
        if rows[-1] and len((rows[-1] + piece).rstrip()) > columns:
            rows.append(piece)
        else:
            rows[-1] += piece
    return rows


def width_of(text: str, size: float = _LABEL_SIZE) -> float:
    """Return how many inches wide the widest line of a text is."""
    return max((_width(line) for line in text.split("\n")), default=0.0) * size / _LABEL_SIZE


@lru_cache(maxsize=4096)
def _width(line: str) -> float:
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415  an extra
    from matplotlib.textpath import text_to_path  # noqa: PLC0415

    with warnings.catch_warnings():
        # What no font has is told when it is drawn.
        warnings.simplefilter("ignore", UserWarning)
        width, _, _ = text_to_path.get_text_width_height_descent(
            line, FontProperties(size=_LABEL_SIZE), ismath=False
        )
    return float(width) / 72

"""Dates of ARFF files: their format is Java's, and they are read as numbers.

A date becomes its seconds since 1970, of UTC where it names no zone, so that it can be cut into
intervals as any number.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime

DEFAULT = "yyyy-MM-dd'T'HH:mm:ss"
_PIECE = re.compile(
    r"'(?P<quoted>(?:[^']|'')*+)'|(?P<letters>([A-Za-z])\3*)|(?P<other>.)", re.DOTALL
)
# Java's letter, and how many of them from which on: Python's directive.
_DIRECTIVES = {
    "y": {1: "%Y", 2: "%y", 3: "%Y"},
    "u": {3: "%Y"},
    "M": {1: "%m", 3: "%b", 4: "%B"},
    "d": {1: "%d"},
    "D": {1: "%j"},
    "E": {1: "%a", 4: "%A"},
    "a": {1: "%p"},
    "H": {1: "%H"},
    "h": {1: "%I"},
    "m": {1: "%M"},
    "s": {1: "%S"},
    "S": {1: "%f"},
    "Z": {1: "%z"},
    "X": {1: "%z"},
}


def date_reader(java: str) -> Callable[[str], float | None] | None:
    """Return the function from a date to its seconds since 1970, None for what is no such date.

    None in its place if the format has a letter that is not known.
    """
    directives = [_directive(piece) for piece in _PIECE.finditer(java)]
    if not all(directives):
        return None
    form = "".join(map(str, directives))

    def read(text: str) -> float | None:
        try:
            date = datetime.strptime(text, form)
        except ValueError:
            return None
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()

    return read


def _directive(piece: "re.Match[str]") -> str | None:
    """Return what Python calls a piece of a format, None if nothing."""
    if (quoted := piece["quoted"]) is not None:
        return (quoted.replace("''", "'") or "'").replace("%", "%%")
    if (letters := piece["letters"]) is None:
        return piece["other"].replace("%", "%%")
    by_length = _DIRECTIVES.get(letters[0], {})
    known = [n for n in by_length if n <= len(letters)]
    return by_length[max(known)] if known else None

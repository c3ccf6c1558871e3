"""Encodings of text files: by name, and by the mark that a file begins with."""

import codecs

from bnlr.arguments import check_kind
from bnlr.errors import BnlrError
from bnlr.words import guess, quoted

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # begins as UTF-16's
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_COMMON = ("utf-8", "utf-16", "latin-1", "cp1252", "cp1250", "cp1251", "iso8859-15", "shift_jis")


def encoding_of(head: bytes, asked: str | None, error: type[BnlrError]) -> str | None:
    """Return the encoding of a text that begins in ``head``; None if nothing tells, i.e. UTF-8.

    A byte order mark tells, and is no part of the text, unless another encoding is asked for.

    Raises
    ------
    error
        There is no such encoding.
    """
    marked = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if asked is None:
        return marked
    # utf-8 begins utf-8-sig; utf-16-le is a name of its own, whose text has no mark
    known = _checked(asked, error)
    return marked if marked is not None and marked.removesuffix("-sig") == known else asked


def _checked(name: str, error: type[BnlrError]) -> str:
    """Return the name of an encoding's codec."""
    check_kind("encoding", name, str, "its name, such as 'latin-1', or None")
    try:
        "".encode(name)
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        raise error(
            f"there is no encoding {quoted(name)}{guess(name, _COMMON)}; common ones are "
            f"{', '.join(_COMMON[:4])}"
        ) from None

"""Data files as text: plain or gzipped, from standard input or a pipe, in any encoding."""

import codecs
import gzip
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from bnlr.arguments import check_kind
from bnlr.errors import DataError
from bnlr.words import guess, quoted

STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"
_SAMPLE = 2**16
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # begins as UTF-16's
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_COMMON = ("utf-8", "utf-16", "latin-1", "cp1252", "cp1250", "cp1251", "iso8859-15", "shift_jis")


@contextmanager
def open_text(path: Path, encoding: str | None = None) -> Iterator[IO[str]]:
    """Open a data file as text that can be read again from its start.

    Parameters
    ----------
    path
        ``-`` is standard input. What ends in ``.gz`` or begins as gzip does is unpacked.
    encoding
        None: what a byte order mark says, else UTF-8.

    Raises
    ------
    DataError
        No such encoding, or a binary file.
    """
    with _seekable(path) as raw:
        is_gzip = path.suffix.lower() == ".gz" or _head(raw, 2) == _GZIP
        unpacked = cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if is_gzip else raw
        name = _encoding(unpacked, path, encoding)
        text = io.TextIOWrapper(unpacked, encoding=name, newline="")
        try:
            yield text
        finally:
            text.detach()


def bytes_read(file: IO[str]) -> tuple[int, int]:
    """How many bytes of a file of `open_text` were read, packed as it is, and how many it has."""
    unpacked = cast("IO[bytes]", cast("io.TextIOWrapper", file).buffer)
    raw: IO[bytes] = getattr(unpacked, "fileobj", unpacked)
    here = raw.tell()
    n_bytes = raw.seek(0, io.SEEK_END)
    raw.seek(here)
    return here, n_bytes


@contextmanager
def _seekable(path: Path) -> Iterator[IO[bytes]]:
    if str(path) == STANDARD_INPUT:
        yield io.BytesIO(sys.stdin.buffer.read())
        return
    with path.open("rb") as file:
        yield file if file.seekable() else io.BytesIO(file.read())


def _head(file: IO[bytes], n: int) -> bytes:
    head = file.read(n)
    file.seek(0)
    return head


def _encoding(file: IO[bytes], path: Path, asked: str | None) -> str:
    head = _head(file, _SAMPLE)
    name = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if asked is not None:
        # A byte order mark is no part of the first column's name.
        return name if name is not None and _is(asked, "utf-8") else _checked(asked)
    if head.startswith(b"PAR1"):
        raise DataError(
            f"{path}: Parquet, but not by its name; give a file whose name ends in .parquet"
        )
    if name is None and b"\0" in head:
        raise DataError(
            f"{path}: a binary file, not text; data are read from delimited text, ARFF and Parquet "
            "(.parquet): save it as one of these"
        )
    return name or "utf-8"


def _is(name: str, other: str) -> bool:
    return codecs.lookup(_checked(name)).name == other


def _checked(name: str) -> str:
    check_kind("encoding", name, str, "its name, such as 'latin-1', or None")
    try:
        "".encode(name)
    except (LookupError, ValueError):
        raise DataError(
            f"there is no encoding {quoted(name)}{guess(name, _COMMON)}; common ones are "
            f"{', '.join(_COMMON[:4])}"
        ) from None
    return name

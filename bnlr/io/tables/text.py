"""Data files as text: plain or packed, from standard input or a pipe, in any encoding."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from bnlr.errors import DataError
from bnlr.io.encodings import encoding_of
from bnlr.io.files import opened, standard_input
from bnlr.io.packing import LEAST_TABLE, packed_file, unpacked
from bnlr.io.tables.foreign import READ

STANDARD_INPUT = "-"
_SAMPLE = 2**16
_BLOCK = 2**20


@contextmanager
def open_text(path: Path, encoding: str | None = None) -> Iterator[IO[str]]:
    """Open a data file as text that can be read again from its start.

    Parameters
    ----------
    path
        ``-`` is standard input. What `unpacked` knows is unpacked.
    encoding
        None: what a byte order mark says, else UTF-8.

    Raises
    ------
    DataError
        No such encoding, or a binary file.
    OSError
        It cannot be read or unpacked.
    """
    with _seekable(path) as raw:
        content = unpacked(raw, LEAST_TABLE)
        _check_size(content, raw)
        name = _encoding(content, path, encoding)
        text = io.TextIOWrapper(content, encoding=name, newline="")
        try:
            yield text
        finally:
            text.detach()


def bytes_read(file: IO[str]) -> tuple[int, int]:
    """How many bytes of a file of `open_text` were read, packed as it is, and how many it has."""
    raw = packed_file(cast("IO[bytes]", cast("io.TextIOWrapper", file).buffer))
    here = raw.tell()
    n_bytes = raw.seek(0, io.SEEK_END)
    raw.seek(here)
    return here, n_bytes


@contextmanager
def _seekable(path: Path) -> Iterator[IO[bytes]]:
    if str(path) == STANDARD_INPUT:
        yield io.BytesIO(standard_input().read())
        return
    with opened(path) as file:
        yield file if file.seekable() else io.BytesIO(file.read())


def _check_size(content: IO[bytes], raw: IO[bytes]) -> None:
    """Unpack a file to its end, or as far as is allowed: the table of its rows takes far more."""
    if content is not raw:
        while content.read(_BLOCK):
            pass
        content.seek(0)


def _head(file: IO[bytes], n: int) -> bytes:
    head = file.read(n)
    file.seek(0)
    return head


def _encoding(file: IO[bytes], path: Path, asked: str | None) -> str:
    head = _head(file, _SAMPLE)
    name = encoding_of(head, asked, DataError)
    if asked is not None:
        return name or "utf-8"
    if head.startswith(b"PAR1"):
        raise DataError(
            f"{path}: Parquet, but not by its name; give a file whose name ends in .parquet"
        )
    if name is None and b"\0" in head:
        raise DataError(
            f"{path}: a binary file, not text, and its name is not that of a format that is one; "
            f"or text in UTF-16 without a mark: name its encoding, utf-16-le or utf-16-be. What is "
            f"read: {READ}"
        )
    return name or "utf-8"

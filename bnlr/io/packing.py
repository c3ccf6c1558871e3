"""Files packed by gzip, bzip2, xz or zip, told by their content, and how far they may unpack."""

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, cast

from bnlr.io.limits import limit_of

SUFFIXES = (".gz", ".bz2", ".xz", ".zip")
LIMIT = "BNLR_MAX_UNPACKED_MIB"
"""The environment's word for the limit of a packed file's content, in MiB."""

LEAST_TABLE = 2**21
"""Bytes to which a packed table may unpack, however small it is: rows take longer than bytes."""

_LEAST = 2**26
_TIMES = 128  # text packs to a fifth or a thirtieth, a bomb to a thousandth
_BLOCK = 2**18
_FOLDERS_OF_ITS_OWN = "__MACOSX/"


def unpacked(raw: IO[bytes], least: int = _LEAST, times: int = _TIMES) -> IO[bytes]:
    """Return a seekable file's content from its start: unpacked if it is packed, else itself.

    Parameters
    ----------
    raw
    least
        Bytes to which anything may unpack.
    times
        How many times its own bytes it may unpack to.

    Raises
    ------
    OSError
        Now or while it is read: damaged, locked by a password, a zip of several files, or more than
        ``least`` and ``times`` the packed size, unless ``BNLR_MAX_UNPACKED_MIB`` in the environment
        allows more.
    """
    head = raw.read(6)
    n_packed = raw.seek(0, io.SEEK_END)
    raw.seek(0)
    opener = next((each for mark, each in _OPENERS.items() if head.startswith(mark)), None)
    if opener is None:
        return raw
    content = cast("IO[bytes]", _said(opener, raw))
    return io.BufferedReader(_Bounded(content, raw, _limit(n_packed, least, times)), _BLOCK)


def packed_file(file: IO[bytes]) -> IO[bytes]:
    """Return the file beneath one of `unpacked`, itself if it is not packed."""
    content = getattr(file, "raw", None)
    return content.packed if isinstance(content, _Bounded) else file


def inner_name(path: Path) -> str:
    """Return the name that tells a file's format: without what tells its packing.

    A zip whose name tells no other format has its member's.
    """
    if path.suffix.lower() not in SUFFIXES:
        return path.name
    is_named_alike = path.suffix.lower() == ".zip" and not path.with_suffix("").suffix
    if is_named_alike and not path.is_fifo():  # which can be read once
        try:
            with path.open("rb") as raw, zipfile.ZipFile(raw) as archive:
                return Path(_member(archive).filename).name
        except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
            return path.stem  # reading it will say what is wrong
    return path.stem


def refuse_bomb(raw: IO[bytes]) -> None:
    """Refuse a zip whose members unpack to more than a packed table may, as an Excel file may be.

    Raises
    ------
    OSError
        With the limit.
    """
    n_packed = raw.seek(0, io.SEEK_END)
    raw.seek(0)
    limit = _limit(n_packed, LEAST_TABLE, _TIMES)
    if sum(member.file_size for member in zipfile.ZipFile(raw).infolist()) > limit:
        raise _too_large(limit)
    raw.seek(0)


def _too_large(limit: int) -> OSError:
    return OSError(
        f"it unpacks to more than {limit >> 20:,} MiB; set {LIMIT} in the environment to allow "
        "more, or unpack it yourself"
    )


class _Bounded(io.RawIOBase):
    """A packed file's content, up to a limit, with failures in words."""

    def __init__(self, content: IO[bytes], packed: IO[bytes], limit: int) -> None:
        self._content, self.packed, self._limit = content, packed, limit

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = _said(self._content.read, len(buffer))
        buffer[: len(block)] = block
        if self._content.tell() > self._limit:
            raise _too_large(self._limit)
        return len(block)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._content.seek(offset, whence)

    def tell(self) -> int:
        return self._content.tell()


def _limit(n_packed: int, least: int, times: int) -> int:
    return limit_of(LIMIT, max(least, times * n_packed), unit=2**20).most


def _said(act: Callable[[Any], Any], argument: object) -> Any:
    """Call; what the packings' own errors say becomes an OSError."""
    try:
        return act(argument)
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError) as error:
        raise OSError(f"a damaged or unknown packing ({error}); pack it anew") from error


def _zipped(raw: IO[bytes]) -> IO[bytes]:
    archive = zipfile.ZipFile(raw)
    return archive.open(_member(archive))


def _member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir() and not member.filename.startswith(_FOLDERS_OF_ITS_OWN)
    ]
    if any(member.filename == "[Content_Types].xml" for member in members):
        raise OSError("an Office file by another name; let the name end as Excel's do, in .xlsx")
    if len(members) != 1:
        raise OSError(f"a zip of {len(members):,} files; unpack it and name the one to read")
    if members[0].flag_bits & 1:
        raise OSError("a zip that is locked by a password; unpack it first")
    return members[0]


def _gzipped(raw: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))


_OPENERS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": _gzipped,
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
    b"PK\x03\x04": _zipped,
    b"PK\x05\x06": _zipped,  # an empty one
}

"""Bytes in and out: bounded reads, and writes that leave either the old file or the new one."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from bnlr.errors import ModelFileError, ParameterError

PathLike = str | os.PathLike[str]
MAX_BYTES = 2**28

# A further format of networks is one file in `bnlr.io.networks` and one line here.
NETWORK_FORMATS = {
    ".bif": "bif",
    ".net": "hugin",
    ".xmlbif": "xmlbif",
    ".bifxml": "xmlbif",  # pyAgrum's
    ".xml": "xmlbif",
}
"""The file in `bnlr.io.networks` by extension."""

_BLOCK = 2**20
_REMEDIES = {
    **dict.fromkeys((".dne", ".xdsl", ".dsl", ".uai"), "use .xmlbif, .bif or .net (Hugin)"),
    **dict.fromkeys((".arff", ".parquet"), "it holds data, not a network"),
    **dict.fromkeys((".dot", ".gv"), "write one arc a line, 'parent -> child'"),
    **dict.fromkeys((".pkl", ".pickle", ".joblib"), "reading it could run code, so it never is"),
}


def checked_path(path: PathLike) -> Path:
    """Return ``path`` as a Path.

    Raises
    ------
    ParameterError
        It is neither text nor a path.
    """
    try:
        return Path(path)
    except TypeError as error:
        raise ParameterError(f"a path must be text or a pathlib.Path, got {path!r:.60}") from error


def is_foreign(path: Path) -> bool:
    """Return whether the extension is one of a foreign format that is read and written."""
    return path.suffix.lower() in NETWORK_FORMATS


def refuse_other_formats(path: Path) -> None:
    """Raise ModelFileError for the extension of a format that holds no model bnlr could read."""
    remedy = _REMEDIES.get(path.suffix.lower())
    if remedy is not None:
        raise ModelFileError(
            f"{path}: the format {path.suffix} is not supported for networks; {remedy}"
        )


def read_bytes(path: Path) -> bytes:
    """Return a file's bytes.

    Raises
    ------
    ModelFileError
        The file cannot be opened or is larger than 256 MiB.
    """
    try:
        with path.open("rb") as file:
            raw = b"".join(_blocks(file))
    except (OSError, ValueError) as error:
        raise ModelFileError(f"cannot read {path}: {reason(error)}") from error
    if len(raw) > MAX_BYTES:
        raise ModelFileError(f"{path}: larger than {MAX_BYTES >> 20} MiB, which no model file is")
    return raw


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield a file's bytes until more than are allowed; one large read would reserve them all."""
    left = MAX_BYTES + 1
    while left > 0 and (block := file.read(min(left, _BLOCK))):
        left -= len(block)
        yield block


def read_text(path: Path) -> str:
    """Return a file's text, UTF-8.

    Raises
    ------
    ModelFileError
        The file cannot be opened, is larger than 256 MiB, or is not UTF-8.
    """
    return decoded(read_bytes(path), str(path))


def decoded(raw: bytes, source: str) -> str:
    """Return UTF-8 as text.

    Raises
    ------
    ModelFileError
        It is not UTF-8, with the line.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ModelFileError(
            f"{source}:{line}: not UTF-8 text (byte {error.start:,}); convert it to UTF-8"
        ) from error


def write_text(path: Path, text: str) -> None:
    """Replace the file at ``path`` in one step; a crash leaves the old one whole.

    Raises
    ------
    ModelFileError
        The file cannot be written, is no regular file, or would be larger than 256 MiB.
    """
    raw = text.encode("utf-8")
    if len(raw) > MAX_BYTES:
        raise ModelFileError(
            f"the model needs {len(raw) >> 20:,} MiB, more than the {MAX_BYTES >> 20} that are "
            "read back; merge states or remove arcs"
        )
    try:
        with replacing(path.resolve()) as file:
            file.write(raw)
    except (OSError, ValueError) as error:
        raise ModelFileError(f"cannot write {path}: {reason(error)}") from error


def reason(error: BaseException) -> str:
    """Return the operating system's words for a failure, without its number."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of ``path`` when all is written, and of none if that fails.

    Raises
    ------
    OSError
        It cannot be written, or ``path`` is no regular file.
    """
    if path.exists() and not path.is_file():
        raise OSError("not a regular file")
    waiting = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.tmp")
    try:
        with waiting.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        waiting.replace(path)
    finally:
        waiting.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name durable where folders can be opened, i.e. on POSIX."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

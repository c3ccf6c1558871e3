"""Bytes in and out: bounded reads, and writes that leave either the old file or the new one."""

import io
import os
import re
import secrets
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO

from bnlr.errors import ModelFileError, ParameterError, TooLargeError
from bnlr.io.encodings import encoding_of
from bnlr.io.packing import SUFFIXES, inner_name, unpacked
from bnlr.locks import hold, take_abandoned

PathLike = str | os.PathLike[str]
MAX_BYTES = 2**28

# A further format of networks is one file in `bnlr.io.networks` and one line here.
NETWORK_FORMATS = {
    ".bif": "bif",
    ".net": "hugin",
    ".xmlbif": "xmlbif",
    ".bifxml": "xmlbif",  # pyAgrum's
    ".xml": "xmlbif",
    ".xdsl": "xdsl",
    ".uai": "uai",
}
"""The file in `bnlr.io.networks` by extension."""

THROUGH_PYAGRUM = (".dsl", ".o3prm")
"""Extensions of formats that pyAgrum reads for bnlr."""

_BLOCK = 2**20
# A network's words take many times their bytes; published ones pack to a thirtieth at most.
_LEAST_UNPACKED = 2**22
_TIMES_UNPACKED = 50
_PATIENCE = 5.0  # seconds for a program that is to write into a named pipe
_NAME_THE_ENCODING = (
    "convert it to UTF-8, or name its encoding, such as latin-1: encoding= (--encoding of bnlr "
    "check and bnlr convert)"
)
_WAITING = ".bnlr-tmp"
_ABANDONED = re.compile(rf"\..*\.[0-9a-f]{{8}}{re.escape(_WAITING)}", re.DOTALL)
_REMEDIES = {
    **dict.fromkeys(
        (".dne", ".dnet", ".neta", ".dsc", ".erg"), "open it in GeNIe and save it as .xdsl there"
    ),
    **dict.fromkeys(
        (".xbn", ".hkb", ".pgmx", ".elv", ".sbn", ".xbl", ".cmpx", ".ast", ".bayes", ".ubf"),
        "save it as .bif, .xmlbif, .net (Hugin) or .xdsl in the program that wrote it",
    ),
    ".oobn": "its classes of networks are for Hugin to unfold: save the unfolded network as .net",
    **dict.fromkeys((".rds", ".rda", ".rdata"), "write it in R with bnlearn::write.bif"),
    **dict.fromkeys((".arff", ".parquet"), "it holds data, not a network"),
    **dict.fromkeys((".dot", ".gv"), "write one arc a line, 'parent -> child'"),
    **dict.fromkeys(
        (".pkl", ".pickle", ".joblib", ".jgum", ".bgum"),
        "reading it could run code, so it never is",
    ),
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


def extension(path: Path) -> str:
    """Return the extension that tells a file's format, in lower case: a packed file's is inside."""
    return Path(inner_name(path)).suffix.lower()


def is_foreign(path: Path) -> bool:
    """Return whether the extension is one of a foreign format that is read."""
    return extension(path) in (*NETWORK_FORMATS, *THROUGH_PYAGRUM)


def remedy_for(end: str) -> str:
    """Return what to do about a format that is not read, by its extension; empty if unknown."""
    return _REMEDIES.get(end, "")


def refuse_other_formats(path: Path) -> None:
    """Raise ModelFileError for the extension of a format that holds no model bnlr could read."""
    remedy = remedy_for(extension(path))
    if remedy:
        raise ModelFileError(
            f"{path}: the format {extension(path)} is not supported for networks; {remedy}"
        )


def refuse_unknown(path: Path) -> None:
    """Raise ModelFileError for an extension that tells no format."""
    if extension(path) != ".json":
        known = ", ".join((".json", *NETWORK_FORMATS, *THROUGH_PYAGRUM))
        found = f"the extension {extension(path)} is of no" if extension(path) else "no"
        raise ModelFileError(
            f"{path}: {found} format of networks or models; known are {known}, packed "
            f"({', '.join(SUFFIXES)}) or not: rename the file after its format"
        )


@contextmanager
def memory_guarded(source: object) -> Iterator[None]:
    """Raise TooLargeError where memory ends while a file is read."""
    try:
        yield
    except MemoryError as error:
        if isinstance(error, TooLargeError):
            raise
        raise TooLargeError(f"{source}: reading it takes more memory than there is") from error


def read_bytes(path: Path) -> bytes:
    """Return a file's bytes, unpacked as `unpacked` does.

    Raises
    ------
    ModelFileError
        The file cannot be opened or unpacked, or is larger than 256 MiB.
    """
    try:
        with opened(path) as file:
            return _content(file if file.seekable() else io.BytesIO(_bounded(file)))
    except (OSError, ValueError) as error:
        raise ModelFileError(f"cannot read {path}: {reason(error)}") from error


def opened(path: Path) -> IO[bytes]:
    """Open a file for reading.

    Raises
    ------
    OSError
        It cannot be read, or is a named pipe which no program opened for writing in five seconds:
        opening it would wait for ever.
    """
    if not path.is_fifo() or sys.platform == "win32":
        return path.open("rb")
    with ThreadPoolExecutor(1) as thread:
        opening = thread.submit(path.open, "rb")
        try:
            return opening.result(_PATIENCE)
        except BaseException as error:
            # A writer of our own lets the thread go on.
            with suppress(OSError):
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            opening.result().close()
            if isinstance(error, TimeoutError):
                raise OSError(
                    "a named pipe into which no program writes; start the one that does, or give "
                    "a file"
                ) from None
            raise


def standard_input() -> IO[bytes]:
    """Return the bytes that come in.

    Raises
    ------
    OSError
        It is closed.
    """
    if sys.stdin is None:
        raise OSError("standard input is closed")
    return sys.stdin.buffer


def bytes_of_input(source: str) -> bytes:
    """Return what comes in, as `read_bytes` does; errors as there."""
    try:
        return _content(io.BytesIO(_bounded(standard_input())))
    except (OSError, ValueError) as error:
        raise ModelFileError(f"cannot read {source}: {reason(error)}") from error


def _content(file: IO[bytes]) -> bytes:
    return _bounded(unpacked(file, _LEAST_UNPACKED, _TIMES_UNPACKED))


def _bounded(file: IO[bytes]) -> bytes:
    """Return a file's bytes unless they are too many; one large read would reserve them all."""
    left, blocks = MAX_BYTES, []
    while block := file.read(_BLOCK):
        left -= len(block)
        if left < 0:
            raise OSError(f"larger than {MAX_BYTES >> 20} MiB, which no model file is")
        blocks.append(block)
    return b"".join(blocks)


def read_text(path: Path, encoding: str | None = None) -> str:
    """Return a file's text.

    Raises
    ------
    ModelFileError
        As `read_bytes` and `decoded`.
    """
    return decoded(read_bytes(path), str(path), encoding)


def decoded(
    raw: bytes, source: str, encoding: str | None = None, remedy: str = _NAME_THE_ENCODING
) -> str:
    """Return bytes as text.

    Parameters
    ----------
    raw
    source
        What errors call the file.
    encoding
        None: what a byte order mark says, else UTF-8.
    remedy
        What errors advise.

    Raises
    ------
    ModelFileError
        It is not in that encoding, with the line, or there is no such encoding.
    """
    found = encoding_of(raw[:4], encoding, ModelFileError)
    if found is None and b"\0" in raw[:2]:
        raise ModelFileError(
            f"{source}: no text, or text in UTF-16 without a mark: name its encoding, utf-16-le or "
            "utf-16-be"
        )
    name = (found or "utf-8").removesuffix("-sig")
    try:
        return raw.decode(name)
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = raw.count(b"\n", 0, start) + 1
        raise ModelFileError(
            f"{source}:{line}: not {name.upper()} text (byte {start:,}); {remedy}"
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

    What a process that was killed meanwhile has left in the folder is removed: its lock is gone.

    Raises
    ------
    OSError
        It cannot be written, or ``path`` is no regular file.
    """
    if path.exists() and not path.is_file():
        raise OSError("not a regular file")
    _remove_abandoned(path.parent)
    waiting, file = _locked_file(path)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if sys.platform != "win32":  # where no open file can be renamed
                waiting.replace(path)
        if sys.platform == "win32":
            waiting.replace(path)
    finally:
        waiting.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _locked_file(path: Path) -> tuple[Path, BinaryIO]:
    """Create a file beside ``path`` that is known to be in use."""
    while True:
        waiting = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}{_WAITING}")
        file = waiting.open("xb")
        if _is_ours(file):
            return waiting, file
        file.close()  # another process took it for abandoned before it was locked


def _is_ours(file: BinaryIO) -> bool:
    """Lock a file, and return whether its name is still there."""
    return not hold(file) or os.fstat(file.fileno()).st_nlink > 0


def _remove_abandoned(folder: Path) -> None:
    """Remove files of `replacing` that no process holds."""
    with suppress(OSError), os.scandir(folder) as entries:
        for name in [entry.name for entry in entries if _ABANDONED.fullmatch(entry.name)]:
            with suppress(OSError):
                _remove_unlocked(folder / name)


def _remove_unlocked(path: Path) -> None:
    if sys.platform == "win32":
        path.unlink()  # fails where a process has it open
        return
    with path.open("rb") as file:
        take_abandoned(file)  # fails where a process holds it
        path.unlink()


def _sync_folder(folder: Path) -> None:
    """Make the new name durable where folders can be opened, i.e. on POSIX."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

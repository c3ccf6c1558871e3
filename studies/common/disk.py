"""Everything a study does to the disk, in three operations that a test can make fail.

`Disk` is the operating system. Tests pass an object of the same methods that ends the process
before, amid or after any of them, or raises in place of the n-th.
"""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from studies.common.errors import WriteError

_WAITING = ".study-tmp"


class Disk:
    """Writes, syncs and renames. ``name`` says which file is meant: tests choose by it."""

    def write(self, handle: int, raw: bytes, name: str) -> None:
        """Write all bytes to an open file; on failure a part may have been written."""
        del name
        view = memoryview(raw)
        while view:
            view = view[os.write(handle, view) :]

    def sync(self, handle: int, name: str) -> None:
        """Return when the bytes written so far will survive a loss of power."""
        del name
        os.fsync(handle)

    def replace(self, source: Path, target: Path, name: str) -> None:
        """Give ``source`` the name ``target`` in one step."""
        del name
        source.replace(target)


def replace_file(disk: Disk, path: Path, raw: bytes) -> None:
    """Write a file so that at every moment the old one or the new one is there, whole.

    Raises
    ------
    WriteError
        The operating system refused; the old file is untouched.
    """
    waiting = path.with_name(f".{path.name[:80]}.{secrets.token_hex(4)}{_WAITING}")
    with explained(path):
        try:
            handle = os.open(waiting, _CREATE, 0o666)
            try:
                disk.write(handle, raw, path.name)
                disk.sync(handle, path.name)
            finally:
                os.close(handle)
            disk.replace(waiting, path, path.name)
        finally:
            waiting.unlink(missing_ok=True)
        sync_folder(disk, path.parent)


def sync_folder(disk: Disk, folder: Path) -> None:
    """Make new names in a folder durable, where folders can be opened: on POSIX."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            disk.sync(handle, "folder")
        finally:
            os.close(handle)


def clean(folder: Path) -> None:
    """Remove the half-written files of a process that died."""
    for left in folder.glob(f".*{_WAITING}"):
        left.unlink(missing_ok=True)


def is_ours(path: Path) -> bool:
    """Whether a file is a half-written one of these studies."""
    return path.name.startswith(".") and path.name.endswith(_WAITING)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn failures of the operating system into one sentence with the remedy.

    Raises
    ------
    WriteError
        In place of any OSError.
    """
    try:
        yield
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        remedy = "free some space" if full else "check the disk and the permissions"
        raise WriteError(
            f"cannot write {path}: {error.strerror or error}; {remedy}, then go on with --resume "
            "(every task recorded so far is kept)"
        ) from error


_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

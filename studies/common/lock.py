"""One runner a folder: a lock of the operating system, which ends with the process that holds it.

So a killed runner leaves a file but no lock, and nothing has to be judged stale.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from studies.common.disk import explained
from studies.common.errors import InUseError

LOCK_NAME = ".lock"
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> None:
        # A byte far behind the text: a locked byte could not be read by the one who is refused.
        os.lseek(handle, 2**30, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)

else:
    import fcntl

    def _try_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder for this process.

    Raises
    ------
    InUseError
        Another process holds it; the message names that process.
    WriteError
        The lock file cannot be made.
    """
    path = folder / LOCK_NAME
    with explained(path):
        handle = _acquired(path)
    try:
        yield
    finally:
        # Windows does not remove an open file; there it stays, which harms nobody.
        with contextlib.suppress(OSError):
            path.unlink()
        os.close(handle)


def _acquired(path: Path) -> int:
    while True:
        handle = os.open(path, _FLAGS, 0o666)
        try:
            _try_lock(handle)
            if _still_named(handle, path):
                os.ftruncate(handle, 0)
                os.write(handle, f"{os.getpid()}\n".encode())
                return handle
        except (BlockingIOError, PermissionError) as error:
            pid = _owner(handle)
            os.close(handle)
            raise _in_use(path.parent, pid) from error
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # its last holder removed it between our opening and our locking


def _still_named(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _owner(handle: int) -> int | None:
    text = os.read(handle, 32).decode("ascii", "replace").strip()
    return int(text) if text.isdigit() else None


def _in_use(folder: Path, pid: int | None) -> InUseError:
    owner = "another process" if pid is None else f"process {pid}"
    return InUseError(
        f"{folder} is in use: {owner} works in it; wait for it, stop it, or give another --out", pid
    )

"""Locks of files in use, which go with the process that holds them, also where it is killed."""

import sys
from typing import IO, Any

if sys.platform != "win32":
    import fcntl


def hold(file: IO[Any]) -> bool:
    """Lock a file until it is closed.

    False where nothing can be locked: on Windows, whose open files cannot be removed, and in some
    network's folders, where nothing will be taken for abandoned.
    """
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError:
        return False
    return True


def take_abandoned(file: IO[Any]) -> None:
    """Lock a file that no process holds, until it is closed.

    Raises
    ------
    OSError
        A process holds it, or nothing can be locked there.
    """
    if sys.platform == "win32":
        raise OSError("no locks on Windows")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

"""Where code tables live: in memory, or in a file that the system pages in as needed.

A file appears under its name only when it is complete: until then all is in a directory beside it,
which is removed whatever happens. A process that is killed cannot remove it, but loses the lock of
a file in it: the next build in the same folder finds it without one and removes it.
"""

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import DTypeLike

from bnlr._typing import CodeArray
from bnlr.errors import ParameterError, TooLargeError
from bnlr.locks import hold, take_abandoned
from bnlr.words import quoted, quoted_path

_LOCK = "bnlr.lock"  # no other program's directory holds a file of this name


class Memory:
    """Tables in memory."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def allocate(self, shape: tuple[int, int], dtype: DTypeLike) -> CodeArray:
        """Return a column-major table of undefined content.

        Raises
        ------
        TooLargeError
            It does not fit.
        """
        try:
            return np.empty(shape, dtype, order="F")
        except (MemoryError, ValueError, OverflowError) as error:
            raise TooLargeError(
                f"a table of {shape[0]} rows and {shape[1]} columns does not fit in memory; keep "
                "the codes in a file with store=, or read fewer columns"
            ) from error

    def discard(self, table: CodeArray) -> None:
        """Let go of a table from `allocate`."""

    def publish(self, table: CodeArray) -> CodeArray:
        """Return a table from `allocate` as what is kept."""
        return table


class MappedFile:
    """Tables in files; the one published stays, under the path given.

    Parameters
    ----------
    path : str or path
        The file to make. Plain codes, column after column; nothing may be there yet.

    Raises
    ------
    ParameterError
        No path, something is there already, or its directory does not exist.
    """

    def __init__(self, path: object) -> None:
        if not isinstance(path, str | os.PathLike) or not str(path):
            raise ParameterError(f"store must be the path of a file to make, not {quoted(path)}")
        self._path = Path(os.path.abspath(path))  # noqa: PTH100  resolve() would follow links
        _check_free(self._path)
        self._n_tables = 0

    def __enter__(self) -> Self:
        try:
            made = tempfile.mkdtemp(prefix=f".{self._path.name}-", dir=self._path.parent)
            self._directory = Path(made)
            self._lock = _locked(self._directory / _LOCK)
        except OSError as error:
            raise self._failure(error) from error
        _remove_abandoned(self._path.parent)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._lock is not None and sys.platform == "win32":  # where no open file can go
            self._lock.close()
        shutil.rmtree(self._directory, ignore_errors=True)
        if self._lock is not None:
            self._lock.close()

    def allocate(self, shape: tuple[int, int], dtype: DTypeLike) -> CodeArray:
        """Return a column-major table in a file of its own; raises as `publish`."""
        self._n_tables += 1
        path = self._directory / str(self._n_tables)
        n_bytes = shape[0] * shape[1] * np.dtype(dtype).itemsize
        if n_bytes == 0:
            path.touch()
            return np.empty(shape, dtype, order="F")
        try:
            _reserve(path, n_bytes)
            return np.memmap(path, dtype, mode="r+", shape=shape, order="F")
        except (OSError, OverflowError, ValueError) as error:
            raise self._failure(error, n_bytes) from error

    def discard(self, table: CodeArray) -> None:
        """Let go of a table from `allocate`."""
        if isinstance(table, np.memmap):
            _path_of(table).unlink(missing_ok=True)

    def publish(self, table: CodeArray) -> CodeArray:
        """Return a table from `allocate` as a read-only view of the file that stays.

        Raises
        ------
        TooLargeError
            The file system has no room.
        ParameterError
            The file cannot be written for another reason.
        """
        try:
            _check_free(self._path)
            if not isinstance(table, np.memmap):
                self._path.touch()
                return table
            table.flush()
            _path_of(table).replace(self._path)
            kept = np.memmap(self._path, table.dtype, mode="r", shape=table.shape, order="F")
        except OSError as error:
            raise self._failure(error) from error
        return np.asarray(kept)

    def _failure(self, error: Exception, n_bytes: int = 0) -> ParameterError | TooLargeError:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        if n_bytes:
            return TooLargeError(
                f"no room for {n_bytes} bytes beside {quoted_path(self._path)}: {reason}; choose "
                "another place with store="
            )
        return ParameterError(f"store {quoted_path(self._path)} cannot be written: {reason}")


def _locked(path: Path) -> BinaryIO | None:
    """Make a file that is locked as long as it is open, None where a folder has no locks."""
    file = path.with_suffix(".new").open("xb")  # under its name it is locked from the beginning
    if hold(file):
        with suppress(OSError):
            Path(file.name).replace(path)
            return file
    file.close()
    return None


def _remove_abandoned(folder: Path) -> None:
    """Remove the directories of builds whose process is gone, which the lock tells."""
    for lock in folder.glob(f".*/{_LOCK}"):
        with suppress(OSError), lock.open("rb") as file:
            take_abandoned(file)  # fails where a process holds it
            shutil.rmtree(lock.parent, ignore_errors=True)


def _check_free(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise ParameterError(
            f"store {quoted_path(path)} exists already, and another data set may rest on it; "
            "delete it first or choose another name"
        )
    if not path.parent.is_dir():
        raise ParameterError(f"store: there is no directory {quoted_path(path.parent)}; make it")


def _reserve(path: Path, n_bytes: int) -> None:
    """Make a file of this size; a write to a hole that the disk cannot fill would kill us."""
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, n_bytes)
        else:
            file.truncate(n_bytes)


def _path_of(table: "np.memmap[Any, Any]") -> Path:
    return Path(str(table.filename))

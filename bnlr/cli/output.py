"""Files that the commands write: never the input, and the old one or the new one, whole."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from bnlr.errors import ParameterError
from bnlr.io import files


def refuse_same_file(target: str, *sources: str) -> None:
    """Refuse to write over a file that is read.

    Raises
    ------
    ParameterError
        With the file's name.
    """
    for source in sources:
        if _is_same(Path(target), Path(source)):
            raise ParameterError(f"{target} is the input; give the output another name")


def check_folder(target: str) -> None:
    """Refuse a path that cannot be written, before the work is done.

    Raises
    ------
    ParameterError
        A folder, or one in a folder that does not exist or may not be written.
    """
    path = Path(target)
    if path.is_dir():
        raise ParameterError(f"cannot write {target}: it is a folder; give a file's name")
    if not path.parent.is_dir():
        raise ParameterError(f"cannot write {target}: there is no folder {path.parent}")
    if not path.exists() and not os.access(path.parent, os.W_OK):
        raise ParameterError(f"cannot write {target}: the folder {path.parent} is read-only")


@contextmanager
def replacing(target: str) -> Iterator[TextIO]:
    """Open a text file that takes the place of ``target`` when all is written, else of none.

    Raises
    ------
    ParameterError
        It cannot be written.
    """
    path = Path(target).resolve()
    try:
        if path.exists() and not path.is_file():  # a device or a pipe
            with path.open("w", encoding="utf-8", newline="") as file:
                yield file
            return
        with files.replacing(path) as raw:
            text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
            yield text
            text.flush()
            text.detach()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ParameterError(f"cannot write {target}: {files.reason(error)}") from error


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False

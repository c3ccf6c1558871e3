"""The output folder: made, held, and never filled over what someone else put there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from studies.common.disk import Disk, clean, explained, is_ours, sync_folder
from studies.common.errors import FolderError
from studies.common.journal import JOURNAL_NAME
from studies.common.lock import LOCK_NAME, locked


@contextmanager
def held(folder: Path, resume: bool, disk: Disk) -> Iterator[Path]:
    """Make the folder if need be, and keep other runners out while in here.

    Yields
    ------
    Path
        That of its journal, which exists only if ``resume`` is true and there was one.

    Raises
    ------
    FolderError
        It holds a journal and ``resume`` is false, or other files but no journal, or is no folder
        that can be made.
    InUseError
        Another runner has it.
    WriteError
        It cannot be written to.
    """
    _make(folder, disk)
    with locked(folder):
        clean(folder)
        journal = folder / JOURNAL_NAME
        if journal.exists():
            _refuse_unless(resume, folder)
        else:
            _refuse_foreign(folder)
        yield journal


def _make(folder: Path, disk: Disk) -> None:
    if folder.is_dir():
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise FolderError(f"{folder} is a file; give a folder as --out") from error
    except OSError as error:
        raise FolderError(f"cannot make the folder {folder}: {error.strerror or error}") from error
    with explained(folder):
        sync_folder(disk, folder.parent)


def _refuse_unless(resume: bool, folder: Path) -> None:
    if not resume:
        raise FolderError(
            f"{folder} holds the journal of an earlier run; add --resume to go on with it (what is "
            "done is kept), or give another --out"
        )


def _refuse_foreign(folder: Path) -> None:
    names = sorted(path.name for path in folder.iterdir() if not is_ours(path))
    others = [name for name in names if name != LOCK_NAME]
    if others:
        some = ", ".join(others[:3]) + (", …" if len(others) > 3 else "")
        raise FolderError(
            f"{folder} holds other files ({some}) and no journal of a study; give a new or empty "
            "folder as --out"
        )

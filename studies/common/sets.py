"""Which data sets a study of several runs on: the option, the rows of a task, fingerprints."""

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Generic, TypeVar

from studies.common.errors import StudyError
from studies.common.sources import AbsentError

if TYPE_CHECKING:
    import pandas as pd

_Set = TypeVar("_Set")


def add_sets(parser: argparse.ArgumentParser, known: Iterable[str]) -> None:
    """Add ``--sets``, some of the names ``known``; ``args.sets`` is a tuple, None if not given."""
    names = tuple(known)

    def chosen(text: str) -> tuple[str, ...]:
        wanted = tuple(dict.fromkeys(name for name in text.split(",") if name))
        for name in wanted:
            if name not in names:
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(names)}")
        return wanted

    parser.add_argument(
        "--sets",
        type=chosen,
        metavar="NAMES",
        help=f"some of the data sets, with commas between them: {', '.join(names)}",
    )


def add_no_download(parser: argparse.ArgumentParser) -> None:
    """Add ``--no-download``."""
    words = "ask no server for data that are not here"
    parser.add_argument("--no-download", action="store_true", help=words)


@dataclass(frozen=True)
class Loaded(Generic[_Set]):
    """The sets found, {name: data set}; ``left_out`` holds {name: reason} of the others."""

    sets: Mapping[str, _Set]
    left_out: Mapping[str, str]

    @classmethod
    def of(cls, names: Iterable[str], read: Callable[[str], _Set]) -> "Loaded[_Set]":
        """Read each set; one that no place has is left out."""
        sets: dict[str, _Set] = {}
        left_out: dict[str, str] = {}
        for name in names:
            try:
                sets[name] = read(name)
            except AbsentError as reasons:
                left_out[name] = str(reasons)
        return cls(sets, left_out)

    def require_some(self) -> None:
        """Refuse to study nothing.

        Raises
        ------
        StudyError
            None of the data sets is there; the reasons follow.
        """
        if not self.sets:
            raise StudyError(f"no data set was found ({self.reasons})")

    @property
    def reasons(self) -> str:
        """Why sets were left out, in words."""
        return "; ".join(f"{name}: {why}" for name, why in self.left_out.items())


@cache  # once a process: the tasks of one set follow each other
def find(name: str, load: Callable[[list[str]], Loaded[_Set]]) -> _Set:
    """Load the data set of a task, as every worker does.

    Raises
    ------
    StudyError
        It was there when the study began and is no longer.
    """
    loaded = load([name])
    if name not in loaded.sets:
        raise StudyError(f"{name} is no longer there: {loaded.left_out[name]}")
    return loaded.sets[name]


def fingerprint(frame: "pd.DataFrame") -> str:
    """SHA-256 of a frame's cells and names."""
    text: str = frame.to_csv(index=False)
    return sha256(text.encode()).hexdigest()

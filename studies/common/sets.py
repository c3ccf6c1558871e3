"""Which data sets a study of several runs on: the option, the rows of a task, fingerprints."""

import argparse
from collections.abc import Collection, Iterable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from studies.common.errors import StudyError

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


def require_some(found: Collection[object], left_out: Mapping[str, str]) -> None:
    """Refuse to study nothing.

    Raises
    ------
    StudyError
        None of the data sets is there; the reasons follow.
    """
    if not found:
        reasons = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise StudyError(f"no data set was found ({reasons})")


def still_there(name: str, sets: Mapping[str, _Set], left_out: Mapping[str, str]) -> _Set:
    """Return the data set of a task.

    Raises
    ------
    StudyError
        It was there when the study began and is no longer.
    """
    if name not in sets:
        raise StudyError(f"{name} is no longer there: {left_out[name]}")
    return sets[name]


def fingerprint(frame: "pd.DataFrame") -> str:
    """SHA-256 of a frame's cells and names."""
    text: str = frame.to_csv(index=False)
    return sha256(text.encode()).hexdigest()

"""Where the raw data sets are found: a folder, OpenML, what is built in."""

import http.client
import socket
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

import bnlr

BESIDE_CHECKOUT = Path(__file__).resolve().parents[3] / "shared" / "data"
CLASS = "class"

_WAIT_SECONDS = 20.0


@dataclass(frozen=True)
class Source:
    """A data set's names in the places where it may be found.

    Attributes
    ----------
    file : str
        A CSV file: a header, the class in a column "class", missing cells empty or "?".
    openml : str
        Its name at OpenML, version 1.
    is_numeric : bool
        Whether the attributes are numbers.
    builtin : str or None
        Its name for ``bnlr.load_dataset``.
    """

    file: str
    openml: str
    is_numeric: bool = False
    builtin: str | None = None


@dataclass(frozen=True)
class RawSet:
    """A raw data set, the class in the column "class", and words on where it comes from."""

    frame: pd.DataFrame
    origin: str


class AbsentError(Exception):
    """No place has the set; the text says why, a reason a place."""


Reader = Callable[[Source], RawSet]


def readers(data_dir: Path | None = None, *, download: bool = True) -> list[Reader]:
    """Return the places to look in, in this order: a folder, OpenML, what is built in.

    Parameters
    ----------
    data_dir : Path, optional
        The folder; ``../shared/data`` beside the checkout, which need not exist, if not given.
    download : bool
        Whether OpenML may be asked.

    Raises
    ------
    bnlr.ParameterError
        ``data_dir`` is no folder.
    """
    if data_dir is not None and not data_dir.is_dir():
        raise bnlr.ParameterError(
            f"data_dir {str(data_dir)!r} is no folder; give one that holds the CSV files"
        )
    folder = BESIDE_CHECKOUT if data_dir is None else data_dir
    online: list[Reader] = [OpenML()] if download else []
    return [lambda source: read_file(source, folder), *online, built_in]


def find(source: Source, places: Iterable[Reader]) -> RawSet:
    """Return the set from the first place that has it.

    Raises
    ------
    AbsentError
        None has.
    bnlr.DataError
        A file that is there cannot be used.
    """
    reasons = []
    for read in places:
        try:
            return read(source)
        except AbsentError as reason:
            reasons.append(str(reason))
    raise AbsentError("; ".join(reasons))


def read_file(source: Source, folder: Path) -> RawSet:
    """Read a CSV file; errors as `find`."""
    path = folder / source.file
    if not path.is_file():
        raise AbsentError(f"no file {source.file} in the data folder (see --data-dir)")
    try:
        frame = pd.read_csv(path, keep_default_na=False, na_values=["", "?"], dtype=str)
        if source.is_numeric:
            numbers = frame.columns.drop(CLASS, errors="ignore")
            frame[numbers] = frame[numbers].apply(pd.to_numeric)
    except (OSError, ValueError) as error:
        raise bnlr.DataError(f"{source.file} cannot be read as a table: {error}") from error
    if CLASS not in frame.columns:
        raise bnlr.DataError(f"{source.file} has no column {CLASS!r}; name the class's column so")
    return RawSet(frame, f"read from {source.file}")


class OpenML:
    """Fetches sets from OpenML; once it could not be reached, it is not asked again."""

    def __init__(self) -> None:
        self._trouble = ""

    def __call__(self, source: Source) -> RawSet:
        """Fetch a set.

        Raises
        ------
        AbsentError
            No connection, or no such set.
        """
        if self._trouble:
            raise AbsentError(self._trouble)
        try:
            return RawSet(_fetch(source.openml), f"fetched from OpenML, {source.openml} version 1")
        except (OSError, http.client.HTTPException) as error:
            self._trouble = f"OpenML cannot be reached ({error})"
            raise AbsentError(self._trouble) from error
        except ValueError as error:
            raise AbsentError(f"OpenML does not give {source.openml} ({error})") from error


def _fetch(name: str) -> pd.DataFrame:
    from sklearn.datasets import fetch_openml  # noqa: PLC0415  needed only without files

    with _patience(_WAIT_SECONDS), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `left_out` tells what failed
        found = fetch_openml(name, version=1, as_frame=True, n_retries=1, delay=0.5)
    frame: pd.DataFrame = found.data.assign(**{CLASS: found.target.astype(object)})
    return frame


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    """Give up on a silent server, for which scikit-learn would wait forever."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


def built_in(source: Source) -> RawSet:
    """Load what bnlr has itself.

    Raises
    ------
    AbsentError
        It is not built in.
    """
    if source.builtin is None:
        raise AbsentError("it is not built in")
    return RawSet(bnlr.load_dataset(source.builtin), "made by bnlr.load_dataset")

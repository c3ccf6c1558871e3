"""Reading the data sets: types from the folder's manifest, at most 3,000 rows, no rare classes."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.model_selection import train_test_split

import bnlr
from studies.common.sets import Loaded
from studies.common.sources import BESIDE_CHECKOUT, CLASS, AbsentError, Source, built_in
from studies.defaults.sets import SETS

MANIFEST = "MANIFEST.json"
MOST_ROWS = 3000
N_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Rows:
    """A set as every learner gets it.

    Attributes
    ----------
    attributes : DataFrame
        Numbers as numbers and all else as text, NaN where missing.
    classes : Series of str
    n_all : int
        Rows before the cut.
    dropped : dict of str to int
        Classes of too few rows for the folds, which are left out, and how many rows they have.
    origin : str
        Words on where the rows come from.
    """

    attributes: pd.DataFrame
    classes: "pd.Series[str]"
    n_all: int
    dropped: Mapping[str, int]
    origin: str

    @property
    def n_numeric(self) -> int:
        """Columns of numbers."""
        return self.attributes.select_dtypes("number").shape[1]

    @property
    def missing_share(self) -> float:
        """Share of attribute cells that are missing."""
        return float(self.attributes.isna().to_numpy().mean())


def load(
    names: Iterable[str], data_dir: Path | None = None, *, only_builtin: bool = False
) -> Loaded[Rows]:
    """Read data sets; one that is not there is left out.

    Raises
    ------
    bnlr.DataError
        A file that is there cannot be used.
    """
    folder = BESIDE_CHECKOUT if data_dir is None else data_dir
    manifest = {} if only_builtin else _manifest(folder)

    def read(name: str) -> Rows:
        return _from_file(folder, manifest[name]) if name in manifest else _made(name)

    return Loaded.of(names, read)


def _manifest(folder: Path) -> dict[str, Any]:
    """What the folder says of its sets; nothing if it says nothing."""
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))["datasets"]
    except (OSError, ValueError, KeyError) as error:
        raise bnlr.DataError(f"{MANIFEST} of the data folder cannot be read: {error}") from error
    return found


def _from_file(folder: Path, facts: Mapping[str, Any]) -> Rows:
    path = folder / str(facts["file"])
    if not path.is_file():
        raise AbsentError(f"no file {path.name} in the data folder (see --data-dir)")
    try:
        frame = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=str)
        frame = frame.drop(columns=facts["id_like"])
        frame[facts["numeric"]] = frame[facts["numeric"]].apply(pd.to_numeric)
    except (OSError, ValueError, KeyError) as error:
        raise bnlr.DataError(f"{path.name} cannot be read as its manifest says: {error}") from error
    return prepared(frame, f"read from {path.name}")


def _made(name: str) -> Rows:
    found = built_in(Source("", "", builtin=SETS[name].builtin))
    frame = found.frame  # its whole numbers are labels
    labels = frame.columns[[not pd.api.types.is_float_dtype(kind) for kind in frame.dtypes]]
    return prepared(frame.astype(dict.fromkeys(labels, "str")), found.origin)


def prepared(frame: pd.DataFrame, origin: str) -> Rows:
    """Leave out classes of fewer rows than folds, and cut the rest in proportion to its classes.

    Every class is then in every training part, and also in every part of an inner
    cross-validation of three folds.
    """
    n_all, before = len(frame), frame[CLASS].value_counts()
    frame = _without_rare(frame)
    if len(frame) > MOST_ROWS:
        frame, _ = train_test_split(
            frame, train_size=MOST_ROWS, stratify=frame[CLASS], random_state=0
        )
        frame = _without_rare(frame.sort_index())
    left = set(frame[CLASS])
    dropped = {str(label): int(n) for label, n in before.items() if label not in left}
    frame = frame.reset_index(drop=True)
    return Rows(frame.drop(columns=CLASS), frame[CLASS].astype(str), n_all, dropped, origin)


def _without_rare(frame: pd.DataFrame) -> pd.DataFrame:
    kept = frame[CLASS].map(frame[CLASS].value_counts()) >= N_FOLDS
    return frame[kept]

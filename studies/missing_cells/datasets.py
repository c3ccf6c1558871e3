"""The five data sets, all of labels, their folds, and the holes of the test rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

import bnlr
from studies.common import Task
from studies.common.sets import Loaded
from studies.common.sources import CLASS, RawSet, Source, find, readers

SOURCES = {
    "kr-vs-kp": Source("kr-vs-kp.csv", "kr-vs-kp"),
    "vote": Source("vote.csv", "vote"),
    "tic-tac-toe": Source("tic-tac-toe.csv", "tic-tac-toe", builtin="tic-tac-toe"),
    "splice": Source("splice.csv", "splice"),
    "soybean": Source("soybean.csv", "soybean"),
}
N_FOLDS = 5

_NAMES_OF_ROWS = ("Instance_name", "instance_name")
"""A column of OpenML's splice that numbers the rows."""


@dataclass(frozen=True)
class CategoricalFold:
    """Training and test rows, both categorical with the states of the whole set."""

    train: pd.DataFrame
    test: pd.DataFrame

    @property
    def shares_missing(self) -> dict[str, float]:
        """Share of cells that each attribute lacks in the training rows as they are."""
        missing = self.train.drop(columns=CLASS).isna().mean()
        return {str(name): float(share) for name, share in missing.items()}


def load(
    names: Iterable[str], data_dir: Path | None = None, *, download: bool = True
) -> Loaded[RawSet]:
    """Find data sets; one that no place has is left out.

    Raises
    ------
    bnlr.ParameterError
        ``data_dir`` is no folder.
    bnlr.DataError
        A file that is there cannot be used.
    """
    places = readers(data_dir, download=download)

    def read(name: str) -> RawSet:
        found = find(SOURCES[name], places)
        return RawSet(_categorical(found.frame), found.origin)

    return Loaded.of(names, read)


def fold(frame: pd.DataFrame, number: int) -> CategoricalFold:
    """Return one of the five stratified folds; the same for every learner."""
    splits = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    train, test = list(splits.split(frame, frame[CLASS]))[number]
    return CategoricalFold(frame.iloc[train], frame.iloc[test])


def with_holes(test: pd.DataFrame, rate: float, which: Task) -> pd.DataFrame:
    """Remove each attribute's cell with probability ``rate``, completely at random.

    Cells that are missing already stay so. The holes depend on ``which`` alone, and those of a
    rate are among those of every larger one.
    """
    draws = np.random.default_rng(which.seed).random((len(test), test.shape[1] - 1))
    attributes = test.columns.drop(CLASS)
    return test.assign(**test[attributes].mask(draws < rate))


def filled(train: pd.DataFrame) -> pd.DataFrame:
    """Put each attribute's most frequent state into its holes; the first of several."""
    frequent = train.drop(columns=CLASS).mode().iloc[0]
    return train.fillna(frequent.to_dict())


def facts(frame: pd.DataFrame) -> tuple[int, int, int, float]:
    """Rows, attributes, classes, and the share of cells that are missing as it is."""
    attributes = frame.drop(columns=CLASS)
    share = float(attributes.isna().to_numpy().mean())
    return len(frame), attributes.shape[1], frame[CLASS].nunique(), share


def _categorical(frame: pd.DataFrame) -> pd.DataFrame:
    """Fix every column's states, so that no fold meets a state that it has not seen."""
    kept = frame.drop(columns=[name for name in _NAMES_OF_ROWS if name in frame.columns])
    columns = {str(name): _states(kept[name]) for name in kept.columns}
    ready = pd.DataFrame(columns)
    if ready[CLASS].isna().any():
        raise bnlr.DataError(f"column {CLASS!r} has missing cells; leave those rows out")
    return ready


def _states(column: "pd.Series[str]") -> "pd.Series[str]":
    labels = column.astype(object).where(column.notna(), None)
    known = sorted({str(label) for label in labels if label is not None})
    texts = [None if label is None else str(label) for label in labels]
    return pd.Series(pd.Categorical(texts, categories=known), index=column.index)

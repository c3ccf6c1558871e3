"""The 25 data sets of table I: where they are found, how they are read, and their folds.

Numeric attributes are cut by the MDL rule of Fayyad & Irani, on the training rows of each fold
alone. Every attribute of labels has the labels of the whole set as its states, so that no test row
has one that training has not heard of.
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

import bnlr
from studies.common import Task
from studies.common.sets import Loaded
from studies.common.sources import CLASS, RawSet, Source, find, readers
from studies.greiner import paper
from studies.greiner.cuts import DearCuts

N_FOLDS = 5
HOLE_RATE = 0.25
"""Share of the cells that section 5.1.3 removes, in training and in test rows."""

SOURCES = {
    "australian": Source("australian.csv", "Australian"),
    "breast": Source("breast-w.csv", "breast-w"),
    "chess": Source("kr-vs-kp.csv", "kr-vs-kp"),
    "cleve": Source("cleve.csv", "cleve"),
    "corral": Source("corral.csv", "corral", builtin="corral"),
    "crx": Source("crx.csv", "credit-approval"),
    "diabetes": Source("pima.csv", "diabetes"),
    "flare": Source("flare.csv", "solar-flare"),
    "german": Source("german.csv", "credit-g"),
    "glass": Source("glass.csv", "glass"),
    "glass2": Source("glass2.csv", "glass2"),
    "heart": Source("heart-statlog.csv", "heart-statlog"),
    "hepatitis": Source("hepatitis.csv", "hepatitis"),
    "iris": Source("iris.csv", "iris", builtin="iris"),
    "letter": Source("letter.csv", "letter"),
    "lymphography": Source("lymphography.csv", "lymph"),
    "mofn-3-7-10": Source("mofn-3-7-10.csv", "mofn-3-7-10"),
    "pima": Source("pima.csv", "diabetes"),
    "satimage": Source("satimage.csv", "satimage"),
    "segment": Source("segment.csv", "segment"),
    "shuttle-small": Source("shuttle-small.csv", "shuttle-small"),
    "soybean-large": Source("soybean.csv", "soybean"),
    "vehicle": Source("vehicle.csv", "vehicle"),
    "vote": Source("vote.csv", "vote"),
    "waveform-21": Source("waveform-21.csv", "waveform-21"),
}
"""In the order of table I."""

_ALL: tuple[str, ...] = ("*",)
_NUMBERED_LABELS = {
    "australian": ("A1", "A4", "A5", "A6", "A8", "A9", "A11", "A12"),
    "corral": _ALL,
    "flare": _ALL,
    "heart": (
        "sex",
        "chest",
        "fasting_blood_sugar",
        "resting_electrocardiographic_results",
        "exercise_induced_angina",
        "thal",
    ),
    "mofn-3-7-10": _ALL,
}
"""Attributes whose numbers are names; every other column of numbers is numeric."""

_LABELS_ALONE = ("chess", "soybean-large", "vote")
"""Sets without a number; the files tell (a test compares them)."""

_HOLES_ARE_VALUES = ("vote",)
"""Table I counts all 435 rows of vote, of which 203 have holes; elsewhere it has the whole rows."""

_SHUFFLED = ("segment",)
"""Given rows are in no random order."""

_MOST_VARIED, _MOST_VARIED_ROWS = 15, 5000
VARIED = tuple(
    name
    for name, facts in paper.TABLE_1.items()
    if facts.n_attributes <= _MOST_VARIED and facts.n_train <= _MOST_VARIED_ROWS
)
"""Sets on which variants of TPDA are tried: without its penalty, larger graphs do not end."""

FIRST = 0
"""The partition of the figures and of the tables' own accuracies."""


@dataclass(frozen=True)
class DiscreteFold:
    """Training and test rows, discretized; ``train_whole`` and ``test_whole`` have no holes."""

    train: bnlr.Dataset
    test: bnlr.Dataset
    train_whole: bnlr.Dataset
    test_whole: bnlr.Dataset


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
        return RawSet(_prepared(name, found.frame), found.origin)

    return Loaded.of(names, read)


def n_folds(name: str) -> int:
    """Return 5, or 1 where table I has a test set."""
    return N_FOLDS if _test_set(name) is None else 1


def is_dealt(name: str) -> bool:
    """Whether rows are dealt at random, so that another partition gives other ones."""
    return _test_set(name) is None or name in _SHUFFLED


def _test_set(name: str) -> paper.SetFacts | None:
    """Table I's numbers of training and test rows, None for a set that is dealt into folds."""
    printed = paper.TABLE_1.get(name)
    return printed if printed is not None and printed.n_test is not None else None


def splits(
    name: str, frame: pd.DataFrame, partition: int = FIRST
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Training and test rows: five stratified folds, or table I's numbers of rows in order.

    Another ``partition`` deals the rows anew, where they are dealt at all (`is_dealt`).
    """
    printed = _test_set(name)
    # pima and diabetes are dealt differently
    which = Task(data=name) if partition == FIRST else Task(data=name, partition=partition)
    if printed is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # classes of fewer than five rows
            folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=which.seed % 2**32)
            return list(folds.split(frame, frame[CLASS]))
    order = np.arange(len(frame))
    if name in _SHUFFLED:
        order = np.random.default_rng(which.seed).permutation(len(frame))
    return [(order[: printed.n_train], order[printed.n_train :])]


def fold(
    name: str,
    frame: pd.DataFrame,
    number: int,
    hole_rate: float = 0.0,
    partition: int = FIRST,
    cost: float = 1.0,
) -> DiscreteFold:
    """Return one of the folds, the same for every learner.

    Parameters
    ----------
    name, frame
    number
        From 0 to `n_folds` − 1.
    hole_rate
        Each attribute's cell is removed with this probability, completely at random. The holes
        depend on ``name`` alone: a row has the same ones in every fold, and those of a rate are
        among those of every larger one.
    partition
        As `splits`.
    cost
        What a cut must gain, times the MDL rule's cost of telling it.
    """
    train, test = splits(name, frame, partition)[number]
    attributes = frame.drop(columns=CLASS)
    cut: pd.DataFrame = (
        DearCuts(cost).fit(attributes.iloc[train], frame[CLASS].iloc[train]).transform(attributes)
    )
    whole = bnlr.Dataset.from_frame(cut.assign(**{CLASS: frame[CLASS]}), CLASS)
    data = with_holes(whole, hole_rate, Task(data=name).seed)
    return DiscreteFold(data.take(train), data.take(test), whole.take(train), whole.take(test))


def with_holes(data: bnlr.Dataset, rate: float, seed: int) -> bnlr.Dataset:
    """Remove each attribute's cell with probability ``rate``; the class stays."""
    if rate == 0.0:
        return data
    codes = np.array(data.codes)
    holes = np.random.default_rng(seed).random(codes.shape) < rate
    holes[:, data.nodes.index(data.class_name)] = False
    codes[holes] = -1
    return bnlr.Dataset.from_codes(codes, data.states, data.class_name)


def is_numeric(name: str) -> bool:
    """Whether some attribute of the set is a number, and cut."""
    return _NUMBERED_LABELS.get(name) != _ALL and name not in _LABELS_ALONE


def facts(name: str, frame: pd.DataFrame) -> paper.SetFacts:
    """Describe a set as table I does."""
    printed = paper.TABLE_1[name]
    n_rows, n_classes = len(frame), frame[CLASS].nunique()
    if printed.n_test is None:
        return paper.SetFacts(frame.shape[1] - 1, n_classes, n_rows)
    n_train = min(printed.n_train, n_rows)
    return paper.SetFacts(frame.shape[1] - 1, n_classes, n_train, n_rows - n_train)


def differences(sets: Mapping[str, RawSet]) -> list[str]:
    """Return a sentence for each number of table I that is another here."""
    words = {
        "n_attributes": "attributes",
        "n_classes": "classes that occur",
        "n_train": "training rows",
        "n_test": "test rows",
    }
    sentences = []
    for name, found in sets.items():
        ours, printed = facts(name, found.frame), paper.TABLE_1[name]
        sentences += [
            f"{name}: {getattr(ours, field)} {what} here, {getattr(printed, field)} in table I."
            for field, what in words.items()
            if getattr(ours, field) != getattr(printed, field)
        ]
    return sentences


def _prepared(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers as numbers, labels as categoricals of the whole set's labels."""
    rows = frame if name in _HOLES_ARE_VALUES else frame.dropna().reset_index(drop=True)
    if rows[CLASS].isna().any():
        raise bnlr.DataError(f"{name}: column {CLASS!r} has missing cells; leave those rows out")
    names = _NUMBERED_LABELS.get(name, ())
    columns = {}
    for column in rows.columns:
        is_label = column == CLASS or column in names or names == _ALL
        numbers = None if is_label else _numbers(rows[column])
        columns[str(column)] = _labels(rows[column]) if numbers is None else numbers
    return pd.DataFrame(columns)


def _numbers(column: "pd.Series[str]") -> "pd.Series[float] | None":
    """Return a column all of whose cells are numbers as such, None for any other."""
    try:
        numbers: pd.Series[float] = pd.to_numeric(column.astype(object)).astype(float)
    except (TypeError, ValueError):
        return None
    return None if numbers.isna().any() else numbers


def _labels(column: "pd.Series[str]") -> "pd.Series[str]":
    texts = [str(cell) for cell in column.astype(object).where(column.notna(), "?")]
    return pd.Series(pd.Categorical(texts, categories=sorted(set(texts))), index=column.index)

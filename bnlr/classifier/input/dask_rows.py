"""X and y of Dask: some rows to choose by, brought here, and all of them to learn from, left there.

A sample of rows says which columns are numbers, where these are cut, and what "auto" and "cv" stand
for. Labels, classes, structure and parameters come from all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnlr.arguments import seed
from bnlr.classifier.input.features import read_features
from bnlr.classifier.input.rows import TrainingRows, read_rows
from bnlr.classifier.input.target import as_categorical, name_of, read_classes
from bnlr.data.dataset import Dataset, is_dask, with_dask
from bnlr.data.discretize.discretizer import Discretizer
from bnlr.errors import DataError
from bnlr.words import quoted

SAMPLE_ROWS = 100_000

BY_SUMS = ("naive-bayes", "tan", "fan", "kdb", "hgc")
"""Structure learners that ask for sums over rows; the others look at the sample's alone."""

_SECONDS = 3600.0
_CLASS, _WEIGHT = "bnlr class", "bnlr weight"


@dataclass(frozen=True)
class DaskRows(TrainingRows):
    """A sample of the rows, and the partitions that hold all."""

    partitions: Any = field(kw_only=True)

    def encoded(self, columns: Sequence[str], discretizer: Discretizer | None) -> Dataset:
        """All rows, of the columns named, their numbers cut; they stay where they are."""
        prepare = partial(
            _coded_columns,
            own=tuple(self.features.frame.columns),
            columns=tuple(columns),
            discretizer=discretizer,
            classes=self.classes,
            class_name=self.class_name,
        )
        weights = None if self.weights is None else _WEIGHT
        room = with_dask("bnlr.cluster.read")
        data: Dataset = room.read_partitions(
            self.partitions.prepared(prepare), self.class_name, weights=weights
        )
        return data


def check_dask_frame(table: Any) -> None:
    """Refuse one of Dask's columns where X should stand.

    Raises
    ------
    DataError
        It is not a frame.
    """
    if table.ndim != 2:
        raise DataError(
            f"X is the Dask column {quoted(table.name)}, not a frame; give X.to_frame(), or a "
            "list of columns: frame[[...]]"
        )


def read_dask_rows(X: Any, y: Any, sample_weight: Any, random_state: Any) -> DaskRows:  # noqa: N803
    """Read what `BNClassifier.fit` is given; two trips, errors as there."""
    check_dask_frame(X)
    for name, column in {"y": y, "sample_weight": sample_weight}.items():
        is_column = is_dask(column) and column.ndim == 1
        if not (is_column or (column is None and name != "y")):
            raise DataError(
                f"X is of Dask, {name} is a {type(column).__name__}; take a column from the same "
                'Dask frame as X: X = frame.drop(columns="class"), y = frame["class"]'
            )
    own = {_CLASS: y} if sample_weight is None else {_CLASS: y, _WEIGHT: sample_weight}
    try:
        frame = X.assign(**own)
    except ValueError as error:
        raise DataError(
            f"the partitions of X and y cannot be told to hold the same rows ({error}); take both "
            "from one Dask frame"
        ) from error
    frames = with_dask("bnlr.cluster.partitions").Partitions.of(frame, _SECONDS)
    frames = frames.prepared(_counting)
    found = frames.ask(_census)
    sizes = [n for n, _ in found]
    some = frames.sample(_drawn(found, seed(random_state)), sizes)
    columns = [name for name in some.columns if name not in own]
    target = some[_CLASS].rename(name_of(y))
    weights = None if sample_weight is None else some[_WEIGHT]
    rows = read_rows(some[columns], target, weights)
    own_fields = {one.name: getattr(rows, one.name) for one in fields(TrainingRows)}
    return DaskRows(**own_fields, partitions=frames)


def _drawn(found: Sequence[tuple[int, dict[Any, int]]], random_state: int | None) -> Any:
    """Numbers of rows drawn at random, and of the first row of each class, ascending."""
    sizes = np.array([n for n, _ in found])
    n_rows = int(sizes.sum())
    first: dict[Any, int] = {}
    for start, (_, places) in zip(np.cumsum(sizes) - sizes, found, strict=True):
        for label, place in places.items():
            first.setdefault(label, int(start) + place)
    if not n_rows:
        raise DataError("the Dask frame has no rows that count")
    rng = np.random.default_rng(0 if random_state is None else random_state)
    drawn = rng.choice(n_rows, min(SAMPLE_ROWS, n_rows), replace=False, shuffle=False)
    return np.union1d(drawn, list(first.values())).astype(np.intp)


# What is done on the workers


def _counting(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows that count."""
    return frame[frame[_WEIGHT] != 0] if _WEIGHT in frame.columns else frame


def _census(frame: pd.DataFrame, number: int) -> tuple[int, dict[Any, int]]:  # noqa: ARG001
    """Number of rows, and the first of each class."""
    if not len(frame):
        return 0, {}
    labels = read_classes(frame[_CLASS], len(frame))
    kinds, first = np.unique(labels, return_index=True)
    return len(frame), dict(zip(kinds.tolist(), first.tolist(), strict=True))


def _coded_columns(
    frame: pd.DataFrame,
    *,
    own: tuple[str, ...],
    columns: tuple[str, ...],
    discretizer: Discretizer | None,
    classes: NDArray[Any],
    class_name: str,
) -> pd.DataFrame:
    """Labels as they are, numbers as the intervals that they are in, the class last."""
    frame = _counting(frame)
    kept = frame.iloc[:, : len(own)].set_axis(list(own), axis=1)[list(columns)]
    if len(frame):
        kept = read_features(kept).frame
    if discretizer is not None and len(frame):
        numbers = list(discretizer.feature_names_in_)
        kept = kept.assign(**dict(discretizer.transform(kept[numbers]).items()))
    labels = read_classes(frame[_CLASS], len(frame)) if len(frame) else classes[:0]
    codes = np.searchsorted(classes, labels)
    kept = kept.assign(**{class_name: as_categorical(classes, codes)})
    return kept if _WEIGHT not in frame.columns else kept.assign(**{_WEIGHT: frame[_WEIGHT]})

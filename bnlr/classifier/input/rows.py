"""X, y and weights, read once: the rows to learn from."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnlr._typing import FloatArray, IntArray
from bnlr.classifier.input.class_weight import with_class_weight
from bnlr.classifier.input.features import Features, read_features
from bnlr.classifier.input.target import as_categorical, name_of, number_classes, read_classes
from bnlr.classifier.parameters import ClassWeight
from bnlr.data.weights import check_weights
from bnlr.errors import DataError, ParameterError


@dataclass(frozen=True)
class TrainingRows:
    """The rows that count, which are all where there are no weights.

    ``features`` are those of all rows, ``places`` where the rows that count are among them, None if
    all do. ``classes`` are the distinct ones in y's type, ``codes`` each row's place among them.
    ``target`` is what y is called, None where that can be no node's name.
    """

    features: Features
    classes: NDArray[Any]
    codes: IntArray
    target: str | None
    places: IntArray | None = None
    weights: FloatArray | None = None

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The columns of the rows that count."""
        whole = self.features.frame
        return whole if self.places is None else whole.iloc[self.places]

    @property
    def class_column(self) -> pd.Categorical:
        """The class of each row as a column."""
        return as_categorical(self.classes, self.codes)

    @property
    def class_name(self) -> str:
        """What y is called, else "class", with underscores where X has a column of that name."""
        columns = self.features.frame.columns
        if self.target is not None and self.target not in columns:
            return self.target
        name = "class"
        while name in columns:
            name += "_"
        return name


def read_rows(
    X: Any,  # noqa: N803  scikit-learn's name
    y: Any,
    sample_weight: Any,
    class_weight: ClassWeight = None,
) -> TrainingRows:
    """Read what `BNClassifier.fit` is given; errors as there."""
    features = read_features(X)
    refuse_other_order(features.index, y, "y")
    refuse_other_order(features.index, sample_weight, "sample_weight")
    n_rows = len(features.frame)
    labels = read_classes(y, n_rows)
    weights = None if sample_weight is None else check_weights(sample_weight, n_rows)
    weights = with_class_weight(class_weight, labels, weights)
    if weights is None:
        return TrainingRows(features, *number_classes(labels), name_of(y))
    places = np.flatnonzero(weights > 0)
    numbered = number_classes(labels[places])
    return TrainingRows(features, *numbered, name_of(y), places, weights[places])


def refuse_other_order(rows: pd.Index | None, other: Any, what: str) -> None:
    """Refuse y or weights whose index holds the labels of X's in another order: misaligned rows.

    Raises
    ------
    DataError, ParameterError
        Where both are pandas' own; other labels, as after a ``reset_index``, go by position.
    """
    if rows is None or not isinstance(other, pd.Series | pd.DataFrame):
        return
    its = other.index
    if len(rows) != len(its) or rows.equals(its) or not rows.isin(its).all():
        return
    if its.isin(rows).all():
        raise (DataError if what == "y" else ParameterError)(
            f"the index of {what} holds the labels of X's in another order; align them with "
            f"{what}.loc[X.index], or pass {what}.to_numpy() if the rows are in step as they are"
        )

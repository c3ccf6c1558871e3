"""Training rows as codes and numbers: the frame is read here, and cut later in several ways."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from bnlr._typing import CodeArray, FloatArray, IntArray, State
from bnlr.classifier.input.discretizers import cut_points
from bnlr.data.dataset import Dataset
from bnlr.data.discretize.discretizer import Discretizer
from bnlr.data.intervals import interval_labels
from bnlr.data.narrow import smallest_dtype
from bnlr.errors import BnlrWarning
from bnlr.warn import warn
from bnlr.words import listed

# Whole numbers with more values than this are measurements, with fewer they are labels.
MAX_INTEGER_STATES = 10


@dataclass(frozen=True)
class UncutRows:
    """Columns as codes where they are labels, as floats where they are to be cut.

    ``labels`` has the class among its nodes; ``numbers`` maps columns to floats, NaN missing;
    ``columns`` are all but the class, in their order. The states of ``categorical`` ones are in an
    order of their own.
    """

    labels: Dataset
    numbers: Mapping[str, FloatArray]
    columns: tuple[str, ...]
    categorical: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        numeric: list[str],
        classes: pd.Categorical,
        class_name: str,
        weights: FloatArray | None,
    ) -> "UncutRows":
        """Read a frame, of which the columns ``numeric`` are to be cut."""
        plain = frame.drop(columns=numeric).assign(**{class_name: classes})
        labels = Dataset._from_frame(plain, class_name, weights=weights)
        numbers = {
            name: frame[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in numeric
        }
        categorical = frame.select_dtypes("category").columns
        return cls(labels, numbers, tuple(frame.columns), frozenset(categorical))

    @classmethod
    def chosen(
        cls,
        frame: pd.DataFrame,
        attributes: list[str] | None,
        classes: pd.Categorical,
        class_name: str,
        weights: FloatArray | None,
        *,
        cuts: bool,
    ) -> "UncutRows":
        """Read the ``attributes`` of a frame, None for all that are not empty.

        Numbers are to be cut if it ``cuts``, else they are labels.
        """
        kept = without_empty(frame) if attributes is None else frame[attributes]
        numeric = continuous_columns(kept) if cuts else []
        return cls.of(kept, numeric, classes, class_name, weights)

    @property
    def class_codes(self) -> CodeArray:
        """The class of each row."""
        return self.labels.class_codes

    @property
    def weights(self) -> FloatArray:
        """How many rows each row stands for."""
        return self.labels.weights

    def take(self, rows: IntArray) -> "UncutRows":
        """Some of the rows."""
        numbers = {name: values[rows] for name, values in self.numbers.items()}
        return UncutRows(self.labels.take(rows), numbers, self.columns, self.categorical)

    @property
    def has_holes(self) -> bool:
        """Whether any cell is missing."""
        return not self.labels.is_complete or any(
            bool(np.isnan(values).any()) for values in self.numbers.values()
        )

    def cut_points(
        self,
        discretizer: Discretizer,
        rows: IntArray | slice = slice(None),
        weights: FloatArray | None = None,
    ) -> dict[str, FloatArray]:
        """Fit a discretizer to rows, and return where it cuts each column of numbers."""
        if not self.numbers:
            return {}
        numbers = pd.DataFrame({name: values[rows] for name, values in self.numbers.items()})
        discretizer.fit(numbers, self.class_codes[rows], sample_weight=weights)
        return cut_points(discretizer)

    def cut(self, points: Mapping[str, FloatArray]) -> Dataset:
        """The rows with their numbers cut at ``points``; cells that are missing stay so."""
        if not self.numbers:
            return self.labels
        known = self.labels.states
        states: dict[str, tuple[State, ...]] = {
            name: tuple(interval_labels(points[name])) if name in points else known[name]
            for name in self.columns
        }
        states[self.labels.class_name] = known[self.labels.class_name]
        width = smallest_dtype([len(labels) for labels in states.values()])
        codes = np.empty((len(self.class_codes), len(states)), width, order="F")
        for place, name in enumerate(states):
            codes[:, place] = (
                _intervals(self.numbers[name], points[name])
                if name in points
                else self.labels.column(name)
            )
        order = {**self.labels.order, **{name: len(states[name]) for name in points}}
        return replace(self.labels, codes=codes, states=states, order=order)


def _intervals(values: FloatArray, points: FloatArray) -> IntArray:
    return np.where(np.isnan(values), -1, np.searchsorted(points, values))


def without_empty(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out columns in which every cell is missing, with one warning; categoricals stay."""
    empty = [name for name, column in frame.items() if _is_empty(column)]
    if not empty:
        return frame
    what = "column" if len(empty) == 1 else "columns"
    warn(
        f"{what} {listed(empty)}: every cell is missing in the rows that count; left out",
        BnlrWarning,
    )
    return frame.drop(columns=empty)


def _is_empty(column: "pd.Series[Any]") -> bool:
    kind = column.dtype
    can_be = not isinstance(kind, np.dtype) or kind.kind not in "biu"  # as these have no holes
    return can_be and not isinstance(kind, pd.CategoricalDtype) and bool(column.isna().all())


def continuous_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns to be cut: floats, and integers with more than 10 values.

    Whole numbers in a float column with missing cells are integers: the holes made them floats.
    """
    return [str(name) for name, column in frame.items() if _is_continuous(column)]


def _is_continuous(column: "pd.Series[Any]") -> bool:
    kind = column.dtype
    if pd.api.types.is_bool_dtype(kind) or isinstance(kind, pd.CategoricalDtype):
        return False
    if pd.api.types.is_integer_dtype(kind) or _are_integers_with_holes(column):
        return column.nunique() > MAX_INTEGER_STATES
    return pd.api.types.is_float_dtype(kind)


def _are_integers_with_holes(column: "pd.Series[Any]") -> bool:
    if not pd.api.types.is_float_dtype(column.dtype) or not column.isna().any():
        return False
    seen = column.dropna().to_numpy(np.float64)
    return seen.size > 0 and bool((seen == np.round(seen)).all())

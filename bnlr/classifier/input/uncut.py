"""Training rows as codes and numbers: the frame is read here, and cut later in several ways."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bnlr._typing import CodeArray, FloatArray, IntArray, State
from bnlr.classifier.input.cutting import cut_points
from bnlr.data.dataset import Dataset
from bnlr.data.discretizer import Discretizer, interval_labels
from bnlr.data.narrow import smallest_dtype


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
        return Dataset(codes, states, self.labels.class_name, self.labels.row_weights)


def _intervals(values: FloatArray, points: FloatArray) -> IntArray:
    return np.where(np.isnan(values), -1, np.searchsorted(points, values))

"""Training rows whose numbers are cut later: once in each fold, and in several ways.

A missing cell is a state of its own here, so that every candidate can be judged on complete rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bnlr._typing import CodeArray, FloatArray, IntArray, State
from bnlr.data.dataset import Dataset
from bnlr.data.discretizer import Discretizer, interval_labels
from bnlr.data.holes import without_holes
from bnlr.data.narrow import smallest_dtype


@dataclass(frozen=True)
class CodedRows:
    """Columns as codes where they are labels, as floats where they are to be cut.

    ``labels`` has the class among its nodes; ``numbers`` maps columns to floats, NaN missing.
    """

    labels: Dataset
    numbers: Mapping[str, FloatArray]
    columns: tuple[str, ...]

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        numeric: list[str],
        classes: pd.Categorical,
        class_name: str,
        weights: FloatArray | None,
    ) -> "CodedRows":
        """Read a frame, of which the columns ``numeric`` are to be cut."""
        plain = frame.drop(columns=numeric).assign(**{class_name: classes})
        labels = Dataset._from_frame(plain, class_name, weights=weights)
        numbers = {
            name: frame[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in numeric
        }
        return cls(labels, numbers, tuple(frame.columns))

    @property
    def class_codes(self) -> CodeArray:
        """The class of each row."""
        return self.labels.class_codes

    @property
    def weights(self) -> FloatArray:
        """How many rows each row stands for."""
        return self.labels.weights

    def take(self, rows: IntArray) -> "CodedRows":
        """Some of the rows."""
        numbers = {name: values[rows] for name, values in self.numbers.items()}
        return CodedRows(self.labels.take(rows), numbers, self.columns)

    @property
    def has_holes(self) -> bool:
        """Whether any cell is missing."""
        return not self.labels.is_complete or any(
            bool(np.isnan(values).any()) for values in self.numbers.values()
        )

    def cut(self, discretizer: Discretizer, rows: IntArray, weights: FloatArray) -> Dataset:
        """All rows with their numbers cut as ``rows``, of these ``weights``, say."""
        class_name = self.labels.class_name
        codes: list[CodeArray] = []
        states: dict[str, tuple[State, ...]] = {}
        points = self._cut_points(discretizer, rows, weights)
        for name in self.columns:
            if name in points:
                values, cuts = self.numbers[name], points[name]
                own = np.where(np.isnan(values), -1, np.searchsorted(cuts, values))
                known: tuple[State, ...] = tuple(interval_labels(cuts))
            else:
                own, known = self.labels.column(name), self.labels.states[name]
            filled, states[name] = without_holes(own, known)
            codes.append(filled)
        states[class_name] = self.labels.states[class_name]
        width = smallest_dtype([len(labels) for labels in states.values()])
        table = np.empty((len(self.class_codes), len(states)), width, order="F")
        for place, column in enumerate([*codes, self.class_codes]):
            table[:, place] = column
        return Dataset(table, states, class_name)

    def _cut_points(
        self, discretizer: Discretizer, rows: IntArray, weights: FloatArray
    ) -> dict[str, FloatArray]:
        if not self.numbers:
            return {}
        matrix = np.column_stack([values[rows] for values in self.numbers.values()])
        discretizer.fit(matrix, self.class_codes[rows], sample_weight=weights)
        points = [np.empty(0) if cuts is None else cuts for cuts in discretizer.cut_points_]
        return dict(zip(self.numbers, points, strict=True))

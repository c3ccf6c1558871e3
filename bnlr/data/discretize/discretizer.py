"""What discretizers share: reading columns, putting values into intervals, naming these."""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bnlr._typing import FloatArray, IntArray
from bnlr.data.frames.few import are_few_floats
from bnlr.data.frames.foreign import as_pandas
from bnlr.data.intervals import interval_labels
from bnlr.data.weights import check_weights
from bnlr.errors import BnlrError, CellTypeError, DataError
from bnlr.words import quoted

Columns = list[FloatArray | None]
_MOST_BITS = 1023  # of a whole number that surely is a float


class Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Cuts numeric columns at points that subclasses find; attributes as of `MDLDiscretizer`."""

    def _fitted(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Self:  # noqa: N803
        """Find the cut points; arguments and errors are those of ``fit``."""
        self._check_parameters()
        X = as_pandas(X)  # noqa: N806  scikit-learn's name
        with _typed_errors(self):
            columns = self._read(X, reset=True)
            classes = self._classes(y, X)
            weights = None if sample_weight is None else check_weights(sample_weight, len(classes))
        self.cut_points_ = [
            None if column is None else self._cuts(column, classes, weights) for column in columns
        ]
        return self

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse parameters outside their domain."""

    @abstractmethod
    def _classes(self, y: Any, table: Any) -> IntArray:
        """Return the class of each row as a code."""

    @abstractmethod
    def _cuts(
        self, values: FloatArray, classes: IntArray, weights: FloatArray | None
    ) -> FloatArray:
        """Return the cut points of a column, some of whose values may be NaN."""

    def transform(self, X: Any) -> Any:  # noqa: N803  scikit-learn's name
        """Put every value into its interval.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            The columns of `fit`.

        Returns
        -------
        DataFrame or float array of shape (n_rows, n_columns)
            Intervals as categories for a frame, as numbers otherwise.

        Raises
        ------
        DataError
            Other columns than in `fit`, or a numeric one that no longer is.
        """
        check_is_fitted(self)
        X = as_pandas(X)  # noqa: N806  scikit-learn's name
        with _typed_errors(self):
            columns = self._read(X, reset=False)
        if isinstance(X, pd.DataFrame):
            return self._transform_frame(X, columns)
        cut = [
            column if cuts is None else np.where(np.isnan(column), np.nan, bins(column, cuts))
            for column, cuts in zip(
                cast("list[FloatArray]", columns), self.cut_points_, strict=True
            )
        ]
        return np.column_stack(cut)

    def _transform_frame(self, frame: pd.DataFrame, columns: Columns) -> pd.DataFrame:
        result = frame.copy(deep=False)
        for place, (column, cuts) in enumerate(zip(columns, self.cut_points_, strict=True)):
            if cuts is None:
                continue
            if column is None:
                raise no_longer_numeric(frame.columns[place], frame.iloc[:, place])
            labels = pd.Index(interval_labels(cuts))
            codes = bins(column, cuts)
            result.isetitem(place, pd.Categorical.from_codes(codes, labels, ordered=True))
        return result

    def _read(self, table: Any, reset: bool) -> Columns:
        if not isinstance(table, pd.DataFrame):
            checked = validate_data(
                self, table, dtype=np.float64, ensure_all_finite="allow-nan", reset=reset
            )
            return list(checked.T)
        validate_data(self, table, skip_check_array=True, reset=reset)
        if 0 in table.shape:
            raise DataError(
                f"the frame has the shape {table.shape}; give at least one row and one column"
            )
        return numeric_columns(table)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def numeric_columns(frame: pd.DataFrame) -> Columns:
    """Return each column as floats, None if it is not numeric.

    Raises
    ------
    DataError
        Complex or infinite numbers.
    """
    if are_few_floats(frame) and not np.isinf(frame.to_numpy()).any():
        return list(frame.to_numpy().T)
    return [_numbers(name, column) for name, column in frame.items()]


def no_longer_numeric(name: object, column: "pd.Series[Any]") -> DataError:
    """Return the error of a column that was cut, with the cell that is no number."""
    return DataError(
        f"column {quoted(name)} was numeric in fit and {_text_in(column)} now; convert it with "
        "pandas.to_numeric, which makes such cells missing with errors='coerce'"
    )


def _text_in(column: "pd.Series[Any]") -> str:
    """Say which cell makes a column no numbers, or of which type it is."""
    cells = column.astype(object)
    # pandas makes floats of whole numbers, and raises where one is too large.
    is_huge = cells.map(lambda cell: isinstance(cell, int) and cell.bit_length() > _MOST_BITS)
    is_strange = pd.to_numeric(cells.mask(is_huge), errors="coerce").isna() & cells.notna()
    if not is_strange.any():
        return f"is {column.dtype}"
    row = int(is_strange.to_numpy().argmax())
    return f"holds {quoted(cells.iloc[row])} in row {row}"


def bins(column: FloatArray, cuts: FloatArray) -> IntArray:
    """Return each value's interval, -1 for a missing one."""
    return np.where(np.isnan(column), -1, np.searchsorted(cuts, column))


def _numbers(name: object, column: "pd.Series[Any]") -> FloatArray | None:
    """Return a numeric column as floats, None if it is none; objects all missing are numbers."""
    kind = column.dtype
    if pd.api.types.is_object_dtype(kind) and column.isna().all():
        return np.full(len(column), np.nan)
    if not pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind):
        return None
    if pd.api.types.is_complex_dtype(kind):
        raise DataError(f"column {quoted(name)} is complex; give its parts as columns")
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        raise DataError(
            f"column {quoted(name)} holds {numbers[infinite[0]]} in row {infinite[0]}; "
            "replace infinities by a missing cell or a finite value"
        )
    return numbers


@contextmanager
def _typed_errors(estimator: BaseEstimator) -> Iterator[None]:
    """Turn scikit-learn's refusals into `DataError`, and leave the estimator as it was."""
    before = dict(vars(estimator))
    try:
        yield
    except (TypeError, ValueError) as error:
        vars(estimator).clear()
        vars(estimator).update(before)
        if isinstance(error, BnlrError):
            raise
        kind = DataError if isinstance(error, ValueError) else CellTypeError
        raise kind(str(error)) from error

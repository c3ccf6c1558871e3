"""The scikit-learn face of the MDL discretization in `mdl`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from bnlr._typing import FloatArray, IntArray
from bnlr.data.foreign import as_pandas
from bnlr.data.labels import shown
from bnlr.data.mdl import mdl_cut_points
from bnlr.data.quantiles import check_n_bins, refined_cut_points
from bnlr.data.weights import check_weights
from bnlr.errors import BnlrError, CellTypeError, DataError

Columns = list[FloatArray | None]


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Cut numeric columns where that tells the class, by the MDL rule of Fayyad & Irani (1993).

    A data frame becomes a pandas data frame, polars' and other libraries' too: each numeric column
    an ordered categorical of intervals such as ``'(2.45, 4.75]'``, all other columns (text,
    booleans, categoricals, objects) unchanged. Any other input becomes a float array of interval
    numbers from 0. Missing cells stay missing. An interval includes its upper end; the outer ones
    are open to infinity, so that every value has one. A column that tells nothing about the class
    becomes the one interval ``'(-inf, inf)'``.

    Parameters
    ----------
    n_bins : int or None
        If given, an interval with more than 1 / n_bins of the rows is cut further, at quantiles:
        into the fewest parts of equal weight that have no more than that. A column that tells
        nothing alone may tell something beside others.

    Attributes
    ----------
    cut_points_ : list
        For each column its cut points, a float array, increasing; None for an unchanged column.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Column names, if the input had them.

    References
    ----------
    U. Fayyad and K. Irani, "Multi-interval discretization of continuous-valued attributes for
    classification learning", IJCAI 1993.
    """

    def __init__(self, n_bins: int | None = None) -> None:
        self.n_bins = n_bins

    def fit(
        self,
        X: Any,  # noqa: N803  scikit-learn's name
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Find each numeric column's cut points.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            Missing cells are NaN, None or NA.
        y : array-like of shape (n_rows,)
            Class labels, any number of classes.
        sample_weight : array-like of shape (n_rows,), optional
            A weight of 2 counts as two rows.

        Returns
        -------
        MDLDiscretizer
            Itself.

        Raises
        ------
        DataError
            Infinite or complex values, no rows or columns, classes that are missing, continuous
            or not one a row.
        ParameterError
            Unusable weights, or ``n_bins`` is no whole number from 1 on.
        """
        self._check_n_bins()
        X = as_pandas(X)  # noqa: N806  scikit-learn's name
        with _typed_errors(self):
            columns = self._read(X, reset=True)
            classes = self._classes(y, X)
            weights = None if sample_weight is None else check_weights(sample_weight, len(classes))
        self.cut_points_ = [
            None if column is None else self._cuts(column, classes, weights) for column in columns
        ]
        return self

    def _classes(self, y: Any, table: Any) -> IntArray:
        """Return the class of each row as a code."""
        return _class_codes(y, table)

    def _check_n_bins(self) -> None:
        if self.n_bins is not None:
            check_n_bins(self.n_bins)

    def _cuts(
        self, values: FloatArray, classes: IntArray, weights: FloatArray | None
    ) -> FloatArray:
        cuts = mdl_cut_points(values, classes, weights)
        if self.n_bins is None:
            return cuts
        return refined_cut_points(values, cuts, self.n_bins, weights)

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
        bins = [
            column if cuts is None else np.where(np.isnan(column), np.nan, _bins(column, cuts))
            for column, cuts in zip(
                cast("list[FloatArray]", columns), self.cut_points_, strict=True
            )
        ]
        return np.column_stack(bins)

    def _transform_frame(self, frame: pd.DataFrame, columns: Columns) -> pd.DataFrame:
        result = frame.copy(deep=False)
        for place, (column, cuts) in enumerate(zip(columns, self.cut_points_, strict=True)):
            if cuts is None:
                continue
            if column is None:
                raise DataError(
                    f"column {shown(frame.columns[place])} was numeric in fit and is "
                    f"{frame.dtypes.iloc[place]} now; convert it with pandas.to_numeric"
                )
            labels = pd.Index(interval_labels(cuts))
            bins = _bins(column, cuts)
            result.isetitem(place, pd.Categorical.from_codes(bins, labels, ordered=True))
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
        return [_numbers(name, column) for name, column in table.items()]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        return tags


def _bins(column: FloatArray, cuts: FloatArray) -> IntArray:
    """Return each value's interval, -1 for a missing one."""
    return np.where(np.isnan(column), -1, np.searchsorted(cuts, column))


def interval_labels(cuts: FloatArray) -> list[str]:
    """Return readable names of the intervals between cut points, ``'(-inf, inf)'`` for none.

    Digits are dropped only where that leaves the cut point the same number.
    """
    ends = ["-inf", *(_shortest(float(cut)) for cut in cuts), "inf"]
    closings = ["]"] * len(cuts) + [")"]
    return [
        f"({low}, {high}{closing}"
        for low, high, closing in zip(ends[:-1], ends[1:], closings, strict=True)
    ]


def _shortest(cut: float) -> str:
    text = f"{cut:.12g}"
    return text if float(text) == cut else repr(cut)


def _numbers(name: object, column: "pd.Series[Any]") -> FloatArray | None:
    """Return a numeric column as floats, None if it is none; objects all missing are numbers."""
    kind = column.dtype
    if pd.api.types.is_object_dtype(kind) and column.isna().all():
        return np.full(len(column), np.nan)
    if not pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind):
        return None
    if pd.api.types.is_complex_dtype(kind):
        raise DataError(f"column {shown(name)} is complex; give its parts as columns")
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        raise DataError(
            f"column {shown(name)} holds {numbers[infinite[0]]} in row {infinite[0]}; "
            "replace infinities by a missing cell or a finite value"
        )
    return numbers


def _class_codes(y: Any, table: Any) -> IntArray:
    if y is None:
        raise DataError("MDLDiscretizer requires y to be passed, but the target y is None")
    labels = column_or_1d(y, warn=True)
    check_consistent_length(table, labels)
    codes: IntArray = pd.factorize(labels)[0]
    holes = np.flatnonzero(codes < 0)
    if holes.size:
        raise DataError(f"y is missing (NaN) in row {holes[0]}; drop rows without a class")
    check_classification_targets(labels)
    return codes


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

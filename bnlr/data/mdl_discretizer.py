"""The scikit-learn face of the MDL discretization in `mdl`."""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from bnlr._typing import FloatArray, IntArray
from bnlr.data.discretize.discretizer import Discretizer
from bnlr.data.discretize.mdl import mdl_cut_points
from bnlr.data.discretize.quantiles import check_n_bins, refined_cut_points
from bnlr.errors import DataError


class MDLDiscretizer(Discretizer):
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
        return self._fitted(X, y, sample_weight)

    def _check_parameters(self) -> None:
        if self.n_bins is not None:
            check_n_bins(self.n_bins)

    def _classes(self, y: Any, table: Any) -> IntArray:
        if y is None:
            raise DataError("MDLDiscretizer requires y to be passed, but the target y is None")
        labels = column_or_1d(y, warn=True)
        check_consistent_length(table, labels)
        codes: IntArray = pd.factorize(labels)[0]
        holes = np.flatnonzero(codes < 0)
        if holes.size:
            raise DataError(f"y is missing (NaN) in row {holes[0]}; drop rows without a class")
        if labels.dtype.kind not in "biu":  # these are classes, and there may be one for each row
            check_classification_targets(labels)
        return codes

    def _cuts(
        self, values: FloatArray, classes: IntArray, weights: FloatArray | None
    ) -> FloatArray:
        cuts = mdl_cut_points(values, classes, weights)
        if self.n_bins is None:
            return cuts
        return refined_cut_points(values, cuts, self.n_bins, weights)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

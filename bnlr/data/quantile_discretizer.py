"""The scikit-learn face of the quantiles in `quantiles`."""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bnlr._typing import FloatArray, IntArray
from bnlr.data.discretize.discretizer import Discretizer
from bnlr.data.discretize.quantiles import check_n_bins, quantile_cut_points


class QuantileDiscretizer(Discretizer):
    """Cut numeric columns into intervals of about equal weight, whatever the classes.

    What goes in and comes out is as for `MDLDiscretizer`. Equal values are never parted, so that a
    column may have fewer intervals.

    Parameters
    ----------
    n_bins : int
        The most intervals of a column.

    Attributes
    ----------
    cut_points_, n_features_in_, feature_names_in_
        As for `MDLDiscretizer`.
    """

    def __init__(self, n_bins: int = 5) -> None:
        self.n_bins: int = n_bins

    def fit(
        self,
        X: Any,  # noqa: N803  scikit-learn's name
        y: Any = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Find each numeric column's cut points; ``y`` is ignored.

        ``sample_weight``, one number a row, counts rows as if repeated.

        Raises
        ------
        DataError
            As `MDLDiscretizer.fit`, for X.
        ParameterError
            Unusable weights, or ``n_bins`` is no whole number from 1 to 1,000,000.
        """
        return self._fitted(X, y, sample_weight)

    def _check_parameters(self) -> None:
        check_n_bins(self.n_bins)

    def _classes(self, y: Any, table: Any) -> IntArray:  # noqa: ARG002  nothing is asked of the class
        rows = table if isinstance(table, pd.DataFrame) else np.asarray(table)
        return np.zeros(len(rows), dtype=np.intp)

    def _cuts(
        self,
        values: FloatArray,
        classes: IntArray,  # noqa: ARG002  nothing is asked of the class
        weights: FloatArray | None,
    ) -> FloatArray:
        return quantile_cut_points(values, self.n_bins, weights)

"""Cut points at quantiles: intervals of about equal weight, whatever the classes."""

import numpy as np

from bnlr._typing import FloatArray
from bnlr.arguments import whole
from bnlr.errors import ParameterError
from bnlr.words import quoted

_MOST_BINS = 1_000_000
_SLACK = 1e-9


def quantile_cut_points(
    values: FloatArray, n_bins: int, weights: FloatArray | None = None
) -> FloatArray:
    """Return cut points that part the values into at most ``n_bins`` intervals of equal weight.

    Each cut is where the weight up to it is nearest to k / n_bins of all, the lower one of two;
    equal values are never parted, so that there may be fewer intervals.

    Parameters
    ----------
    values : float array of shape (n_rows,)
        NaN is missing; such rows are left out. No infinities.
    n_bins : int
        1 or larger.
    weights : float array of shape (n_rows,), optional
        A weight of 2 counts as two rows.

    Returns
    -------
    float array
        Midpoints between neighbouring values; an interval includes its upper end.
    """
    distinct, shares = _distinct(values, weights)
    return _cuts(distinct, shares, n_bins)


def refined_cut_points(
    values: FloatArray, cuts: FloatArray, n_bins: int, weights: FloatArray | None = None
) -> FloatArray:
    """Return ``cuts`` and, in intervals with more than 1 / ``n_bins`` of the weight, quantiles.

    An interval is parted into the fewest parts of equal weight that have no more than that share.
    """
    distinct, shares = _distinct(values, weights)
    total = shares.sum()
    parts = np.split(np.arange(len(distinct)), np.searchsorted(distinct, cuts, side="right"))
    more = [
        _cuts(distinct[part], shares[part], _n_parts(shares[part].sum(), total, n_bins))
        for part in parts
    ]
    return np.unique(np.concatenate([cuts, *more]))


def check_n_bins(n_bins: object) -> int:
    """Return a number of intervals.

    Raises
    ------
    ParameterError
        No whole number from 1 to 1,000,000.
    """
    n = whole("n_bins", n_bins, 1)
    if n > _MOST_BINS:
        raise ParameterError(f"n_bins is {quoted(n_bins)}; it must be {_MOST_BINS:,} or smaller")
    return n


def _n_parts(weight: float, total: float, n_bins: int) -> int:
    return int(np.ceil(weight * n_bins / total - _SLACK)) if weight > 0 else 1


def _distinct(values: FloatArray, weights: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Values that occur, increasing, and the weight of each."""
    counts = np.ones(len(values)) if weights is None else weights
    used = ~np.isnan(values) & (counts > 0)
    distinct, places = np.unique(values[used], return_inverse=True)
    totals = np.bincount(places, counts[used], minlength=len(distinct))
    return distinct, totals.astype(np.float64)


def _cuts(distinct: FloatArray, shares: FloatArray, n_bins: int) -> FloatArray:
    if len(distinct) < 2 or n_bins < 2:
        return np.empty(0)
    below = np.cumsum(shares)[:-1]
    wanted = (below[-1] + shares[-1]) * np.arange(1, n_bins) / n_bins
    right = np.clip(np.searchsorted(below, wanted), 0, len(below) - 1)
    left = np.maximum(right - 1, 0)
    slack = _SLACK * below[-1]
    is_left = wanted - below[left] <= below[right] - wanted + slack
    places = np.unique(np.where(is_left, left, right))
    return np.array([midpoint(distinct[k], distinct[k + 1]) for k in places])


def midpoint(low: float, high: float) -> float:
    """Return the middle, free of rounding noise where 12 digits suffice, within [low, high)."""
    middle = 0.5 * low + 0.5 * high
    for cut in (float(f"{middle:.12g}"), float(middle)):
        if low <= cut < high:
            return cut
    return float(low)

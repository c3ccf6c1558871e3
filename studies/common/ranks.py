"""Comparing learners over many data sets: mean ranks, and tests that look at the sets' order alone.

J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine
Learning Research 7, 2006: Friedman's test whether all learners are equal, Iman and Davenport's less
cautious form of it, and Nemenyi's critical difference of two mean ranks; Wilcoxon's signed-rank
test and the sign test for a single pair.
"""

from dataclasses import dataclass
from math import inf, isfinite, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from studies.common.errors import StudyError
from studies.common.statistics import LEVEL, WinsTiesLosses

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Friedman:
    """Whether learners differ at all: mean ranks, 1 the best, and two p-values of equality.

    ``chi2`` has k − 1 degrees of freedom; ``p_f`` is Iman and Davenport's, from the F distribution.
    """

    mean_ranks: tuple[float, ...]
    chi2: float
    p: float
    p_f: float


def friedman(losses: ArrayLike) -> Friedman:
    """Friedman's test with ties at their mean rank (Demšar 2006, section 3.2.2).

    Parameters
    ----------
    losses : (n_sets, n_learners)
        The smaller the better; at least 2 sets and 3 learners, finite.

    Raises
    ------
    StudyError
        Fewer sets or learners, or a loss that is not finite.
    """
    values = np.asarray(losses, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] < 2 or values.shape[1] < 3:
        raise StudyError(
            f"losses has the shape {values.shape}; the test needs at least 2 sets and 3 learners"
        )
    if not np.isfinite(values).all():
        raise StudyError("losses holds a value that is not finite; leave that set out")
    n, k = values.shape
    mean_ranks = tuple(float(rank) for rank in stats.rankdata(values, axis=1).mean(axis=0))
    if len(set(mean_ranks)) == 1:
        return Friedman(mean_ranks, 0.0, 1.0, 1.0)
    found = stats.friedmanchisquare(*values.T)
    chi2 = float(found.statistic)
    rest = n * (k - 1) - chi2
    ratio = (n - 1) * chi2 / rest if rest > 0 else inf
    p_f = float(stats.f.sf(ratio, k - 1, (k - 1) * (n - 1)))
    return Friedman(mean_ranks, chi2, float(found.pvalue), p_f)


def critical_difference(n_learners: int, n_sets: int, level: float = LEVEL) -> float:
    """By how much two mean ranks must differ to be told apart (Nemenyi's test, Demšar 3.2.2).

    Parameters
    ----------
    n_learners, n_sets
        At least 2 and 1.
    level
        Significance level, of all pairs together.

    Raises
    ------
    StudyError
        Fewer learners or sets, or a level outside (0, 1).
    """
    if n_learners < 2 or n_sets < 1 or not 0 < level < 1:
        raise StudyError(
            f"{n_learners} learners on {n_sets} sets at the level {level} have no critical "
            "difference; it takes 2 learners, a set, and a level between 0 and 1"
        )
    quantile = float(stats.studentized_range.isf(level, n_learners, inf))
    return quantile / sqrt(2) * sqrt(n_learners * (n_learners + 1) / (6 * n_sets))


def wilcoxon(differences: ArrayLike) -> float:
    """Two-sided p of Wilcoxon's signed-rank test that the differences are symmetric about 0.

    Differences of 0 count half to either side; 1.0 if all are 0.

    Raises
    ------
    StudyError
        No difference, or one that is not finite.
    """
    values = _row(differences)
    if not values.any():
        return 1.0
    return float(stats.wilcoxon(values, zero_method="zsplit").pvalue)


def signs(differences: ArrayLike) -> WinsTiesLosses:
    """Count differences above, at and below 0; errors as `wilcoxon`."""
    values = _row(differences)
    above, below = int((values > 0).sum()), int((values < 0).sum())
    return WinsTiesLosses(above, len(values) - above - below, below)


def sign_test(counts: WinsTiesLosses) -> float:
    """Two-sided p of the sign test, ties left out; 1.0 if there is nothing else."""
    n = counts.wins + counts.losses
    return float(stats.binomtest(counts.wins, n).pvalue) if n else 1.0


def geometric_mean(ratios: ArrayLike) -> float:
    """Return the geometric mean of positive ratios.

    Raises
    ------
    StudyError
        No ratio, or one that is not positive and finite.
    """
    values = _row(ratios)
    if (values <= 0).any():
        raise StudyError("a geometric mean needs ratios above 0; give losses a floor first")
    return float(stats.gmean(values))


def _row(values: ArrayLike) -> Array:
    row = np.asarray(values, dtype=np.float64)
    if row.ndim != 1 or not len(row) or not all(isfinite(value) for value in row):
        raise StudyError(f"expected a row of finite numbers, got the shape {row.shape}")
    return row

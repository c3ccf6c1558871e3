"""Student's t-tests on paired results, and how often one learner wins.

T. G. Dietterich, Neural Computation 10, 1998: the paired t-test over resampled splits of one data
set takes the splits as independent and so finds too many differences. C. Nadeau and Y. Bengio,
"Inference for the generalization error", Machine Learning 52, 2003: the corrected test adds the
share of rows that training sets have in common to the variance.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from studies.common.errors import StudyError

Array = NDArray[np.float64]

LEVEL = 0.05
"""The significance level of the papers."""

LEAST_SAMPLES = 10
"""Means over fewer random samples bear no statement out, and contradict none."""

Statement = dict[str, Any]
"""``statement``, ``holds`` (None: no verdict), and ``figures`` that bear it out or do not.

One that was tried in several partitions also has its ``verdict`` in a word.
"""


def judged(said: Iterable[Statement], is_enough: bool) -> list[Statement]:
    """Return the statements, without a verdict (None) where there is too little to judge from."""
    return [line if is_enough else {**line, "holds": None} for line in said]


def of_all(is_every: bool, n: int) -> bool | None:
    """Whether something is so of all: one of ``n`` samples that is not contradicts, few bear out.

    None where none contradicts and fewer were tried than say something.
    """
    return None if is_every and n < LEAST_SAMPLES else is_every


def of_some(is_any: bool, n: int) -> bool | None:
    """Whether something is so of some: one of ``n`` samples that is shows it, few deny nothing."""
    return None if not is_any and n < LEAST_SAMPLES else is_any


@dataclass(frozen=True)
class TTest:
    """A t-test that the mean of ``n`` paired differences is 0.

    ``mean`` is that of the differences, ``t`` has ``n`` − 1 degrees of freedom, ``p`` lies in
    [0, 1]. Differences that are all equal have t = ±inf and p = 0 (or 1, for a one-sided test of
    the other direction), and if all are 0, t = nan and p = 1.
    """

    mean: float
    t: float
    p: float
    n: int

    def is_significant(self, level: float = LEVEL) -> bool:
        """Whether p is smaller than ``level``."""
        return self.p < level


def paired_t(differences: ArrayLike) -> TTest:
    """Two-sided paired t-test that the mean difference is 0.

    Parameters
    ----------
    differences : (n,)
        One learner's results minus the other's, pair by pair; at least 2, finite.

    Raises
    ------
    StudyError
        Fewer than 2 differences, or one that is not finite.
    """
    values = _checked(differences)
    return _test(values, 1 / len(values), one_sided=False)


def one_sided_paired_t(differences: ArrayLike) -> TTest:
    """One-sided paired t-test that the mean difference is 0, against its being larger.

    Parameters
    ----------
    differences : (n,)
        By how much the learner that is claimed to be better is better, a data set each; at least
        2, finite.

    Raises
    ------
    StudyError
        Fewer than 2 differences, or one that is not finite.
    """
    values = _checked(differences)
    return _test(values, 1 / len(values), one_sided=True)


def corrected_resampled_t(differences: ArrayLike, test_ratio: float) -> TTest:
    """Two-sided corrected resampled t-test (Nadeau & Bengio 2003, section 3).

    The variance of the mean is that of the differences times 1/n + n_test/n_train rather than
    times 1/n.

    Parameters
    ----------
    differences : (n,)
        One learner's results minus the other's on the n splits; at least 2, finite.
    test_ratio
        Test rows per training row, n_test/n_train: 1/9 in 10-fold cross-validation.

    Raises
    ------
    StudyError
        Fewer than 2 differences, one that is not finite, or a ``test_ratio`` that is not positive.
    """
    if not 0 < test_ratio < inf:
        raise StudyError(
            f"test_ratio is {test_ratio}; it must be test rows per training row, e.g. 1/9"
        )
    values = _checked(differences)
    return _test(values, 1 / len(values) + test_ratio, one_sided=False)


@dataclass(frozen=True)
class WinsTiesLosses:
    """On how many data sets a learner wins, ties and loses against another."""

    wins: int
    ties: int
    losses: int

    def __str__(self) -> str:
        return f"{self.wins}/{self.ties}/{self.losses}"


def win_tie_loss(tests: Iterable[TTest], level: float = LEVEL) -> WinsTiesLosses:
    """Count the data sets on which the mean difference is significantly above and below 0.

    Parameters
    ----------
    tests
        One two-sided test a data set, of the learner's results minus the other's.
    level
        Significance level.
    """
    signs: Sequence[int] = [outcome(test, level) for test in tests]
    return WinsTiesLosses(signs.count(1), signs.count(0), signs.count(-1))


def outcome(test: TTest, level: float = LEVEL) -> int:
    """Return 1 for a win, 0 for a tie, −1 for a loss."""
    if not test.is_significant(level):
        return 0
    return 1 if test.mean > 0 else -1


def _test(values: Array, share: float, *, one_sided: bool) -> TTest:
    """The test whose mean has the variance ``share`` × that of the differences."""
    n, mean = len(values), float(values.mean())
    # Equal values can have a standard deviation of rounding errors, which is no evidence.
    deviation = 0.0 if np.ptp(values) == 0 else float(values.std(ddof=1))
    if deviation == 0:
        return _without_spread(float(values[0]), n, one_sided=one_sided)
    t = mean / (deviation * sqrt(share))
    tail: Any = stats.t.sf(t if one_sided else abs(t), n - 1)
    return TTest(mean, t, float(tail) if one_sided else min(1.0, 2 * float(tail)), n)


def _without_spread(value: float, n: int, *, one_sided: bool) -> TTest:
    if value == 0:
        return TTest(0.0, nan, 1.0, n)
    p = 1.0 if one_sided and value < 0 else 0.0
    return TTest(value, inf if value > 0 else -inf, p, n)


def _checked(differences: ArrayLike) -> Array:
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise StudyError(
            f"differences has the shape {values.shape}; a t-test needs a row of at least 2"
        )
    if not np.isfinite(values).all():
        raise StudyError("differences holds a value that is not finite; leave that pair out")
    return values

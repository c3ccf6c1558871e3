"""The t-tests against SciPy and against values worked out by hand."""

import math

import numpy as np
import pytest
from scipy import stats

from studies.common import StudyError
from studies.common.statistics import (
    corrected_resampled_t,
    one_sided_paired_t,
    outcome,
    paired_t,
    win_tie_loss,
)


@pytest.fixture(params=range(5))
def differences(request):
    rng = np.random.default_rng(request.param)
    return rng.normal(0.3, 1.0, size=10 + request.param)


def test_paired_t_is_scipys(differences):
    first, second = differences + 7.0, np.full(len(differences), 7.0)
    theirs = stats.ttest_rel(first, second)
    ours = paired_t(first - second)
    assert ours.t == pytest.approx(theirs.statistic, rel=1e-9)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert ours.n == len(differences)


def test_one_sided_paired_t_is_scipys(differences):
    for values in (differences, -differences):
        theirs = stats.ttest_1samp(values, 0.0, alternative="greater")
        assert one_sided_paired_t(values).p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert one_sided_paired_t(differences).p + one_sided_paired_t(-differences).p == pytest.approx(
        1.0
    )


def test_corrected_t_by_hand():
    # Mean 2, variance 4/3 of n = 4; folds of 1 to 3: variance of the mean 4/3 · (1/4 + 1/3).
    test = corrected_resampled_t([1.0, 3.0, 1.0, 3.0], 1 / 3)
    t = 2.0 / math.sqrt(4 / 3 * (1 / 4 + 1 / 3))
    assert test.t == pytest.approx(t)
    # Three degrees of freedom: the distribution function in closed form.
    angle = math.atan(t / math.sqrt(3))
    assert test.p == pytest.approx(1 - 2 / math.pi * (angle + math.sin(angle) * math.cos(angle)))


def test_the_correction_widens_by_the_share_of_test_rows(differences):
    n = len(differences)
    plain, corrected = paired_t(differences), corrected_resampled_t(differences, 1 / 9)
    assert corrected.t == pytest.approx(plain.t / math.sqrt(1 + n / 9))
    assert corrected.p > plain.p


def test_a_hundred_folds_can_differ_by_one_test_and_not_by_the_other():
    differences = np.random.default_rng(0).normal(0.5, 1.5, size=100)
    assert paired_t(differences).is_significant()
    assert not corrected_resampled_t(differences, 1 / 9).is_significant()


@pytest.mark.parametrize("test", [paired_t, lambda d: corrected_resampled_t(d, 1 / 9)])
def test_without_spread(test):
    same = test([0.0] * 10)
    assert (same.p, outcome(same)) == (1.0, 0)
    assert math.isnan(same.t)
    for value, sign in ((0.1, 1), (-0.1, -1)):  # 0.1 has rounding errors in its mean
        steady = test([value] * 10)
        assert (steady.p, outcome(steady)) == (0.0, sign)
        assert steady.t == sign * math.inf


def test_one_sided_without_spread():
    assert one_sided_paired_t([0.1] * 3).p == 0.0
    assert one_sided_paired_t([-0.1] * 3).p == 1.0
    assert one_sided_paired_t([0.0] * 3).p == 1.0


def test_wins_ties_and_losses():
    tests = [
        paired_t(np.array(values))
        for values in ([1.0, 1.1, 0.9], [-2.0, -2.1, -1.9], [1.0, -1.0, 0.1], [0.0, 0.0, 0.0])
    ]
    counts = win_tie_loss(tests)
    assert (counts.wins, counts.ties, counts.losses) == (1, 2, 1)
    assert str(counts) == "1/2/1"
    assert str(win_tie_loss(tests, level=1e-9)) == "0/4/0"


@pytest.mark.parametrize("bad", [[1.0], [], [[1.0, 2.0]], [1.0, math.nan], [1.0, math.inf]])
def test_differences_that_cannot_be_tested(bad):
    for test in (paired_t, one_sided_paired_t):
        with pytest.raises(StudyError, match="differences"):
            test(bad)


@pytest.mark.parametrize("ratio", [0.0, -1.0, math.nan, math.inf])
def test_a_ratio_that_cannot_be(ratio):
    with pytest.raises(StudyError, match="test_ratio"):
        corrected_resampled_t([1.0, 2.0], ratio)

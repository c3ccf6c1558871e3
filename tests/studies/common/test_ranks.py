"""Tests over many data sets against literal formulas, enumeration and Demšar's tables."""

import itertools
import math

import numpy as np
import pytest

from studies.common import StudyError
from studies.common.ranks import (
    critical_difference,
    friedman,
    geometric_mean,
    sign_test,
    signs,
    wilcoxon,
)
from studies.common.statistics import WinsTiesLosses


@pytest.mark.parametrize("seed", range(3))
def test_friedman_by_the_formula(seed):
    n, k = 14, 4
    losses = np.random.default_rng(seed).normal(size=(n, k))
    ranks = [[1 + sum(other < own for other in row) for own in row] for row in losses.tolist()]
    means = [sum(row[j] for row in ranks) / n for j in range(k)]
    chi2 = 12 * n / (k * (k + 1)) * (sum(r**2 for r in means) - k * (k + 1) ** 2 / 4)
    found = friedman(losses)
    assert found.mean_ranks == pytest.approx(means)
    assert found.chi2 == pytest.approx(chi2)
    # Three degrees of freedom: the distribution function in closed form.
    half = chi2 / 2
    tail = math.erfc(math.sqrt(half)) + 2 * math.sqrt(half / math.pi) * math.exp(-half)
    assert found.p == pytest.approx(tail)


def test_iman_davenport_of_three_learners_in_closed_form():
    # F with 2 and 2(n − 1) degrees of freedom has the tail (1 + f/(n − 1))^−(n − 1).
    losses = np.random.default_rng(5).normal([0.0, 0.5, 1.0], size=(8, 3))
    found = friedman(losses)
    f = 7 * found.chi2 / (8 * 2 - found.chi2)
    assert found.p_f == pytest.approx((1 + f / 7) ** -7)


def test_ties_share_their_rank():
    found = friedman([[1, 1, 2], [1, 1, 2]])
    assert found.mean_ranks == (1.5, 1.5, 3.0)


def test_all_alike_and_all_in_one_order():
    assert friedman(np.ones((5, 3))).p == 1.0
    ordered = friedman(np.tile([1.0, 2.0, 3.0], (5, 1)))
    assert ordered.chi2 == pytest.approx(10.0)
    assert ordered.p_f == 0.0


@pytest.mark.parametrize(
    ("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (8, 3.031), (10, 3.164)]
)
def test_critical_values_are_demsars(k, q):
    assert critical_difference(k, 1) / math.sqrt(k * (k + 1) / 6) == pytest.approx(q, abs=1e-3)


def test_critical_difference_of_demsars_example():
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)


def test_wilcoxon_by_enumeration():
    values = [0.3, -0.1, 0.7, 1.1, -0.4, 0.9, 0.2]
    ranks = [1 + sum(abs(other) < abs(own) for other in values) for own in values]
    seen = sum(r for r, v in zip(ranks, values, strict=True) if v > 0)
    sums = [
        sum(r for r, up in zip(ranks, ups, strict=True) if up)
        for ups in itertools.product((0, 1), repeat=len(values))
    ]
    upper = sum(s >= seen for s in sums) / len(sums)
    assert wilcoxon(values) == pytest.approx(min(1.0, 2 * upper))
    assert wilcoxon([-v for v in values]) == pytest.approx(wilcoxon(values))


def test_wilcoxon_without_any_difference():
    assert wilcoxon([0.0, 0.0]) == 1.0


def test_signs_and_their_test():
    counts = signs([1.0, -2.0, 0.0, 3.0, 4.0, 5.0, 6.0])
    assert counts == WinsTiesLosses(5, 1, 1)
    # One of six or fewer, or as extreme on the other side: 2 · (1 + 6) / 2⁶.
    assert sign_test(counts) == pytest.approx(14 / 64)
    assert sign_test(WinsTiesLosses(0, 4, 0)) == 1.0


def test_geometric_mean():
    assert geometric_mean([0.5, 2.0, 8.0]) == pytest.approx(2.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: friedman([[1, 2, 3]]),
        lambda: friedman([[1, 2], [2, 1]]),
        lambda: friedman([[1, 2, math.nan], [1, 2, 3]]),
        lambda: critical_difference(1, 9),
        lambda: critical_difference(3, 0),
        lambda: critical_difference(3, 9, 1.5),
        lambda: wilcoxon([]),
        lambda: wilcoxon([math.inf]),
        lambda: geometric_mean([1.0, 0.0]),
    ],
)
def test_refused(call):
    with pytest.raises(StudyError):
        call()

"""Cuts that cost more than the MDL rule has, against the rule written out in counts."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from studies.greiner.cuts import DearCuts


def column(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 200))
    codes = rng.integers(0, 3, n)
    return np.round(rng.normal(codes, 0.7), int(rng.integers(0, 3))), codes


def cut_points(values, codes, cost):
    found = DearCuts(cost).fit(pd.DataFrame({"x": values}), codes)
    return found.cut_points_[0]


def bits(counts):
    """N·Ent of class counts."""
    counts = counts[counts > 0]
    return float(counts @ np.log2(counts.sum() / counts))


def literal(values, codes, cost):
    """Cut where the least entropy is left, as long as that gains ``cost`` times the rule's."""
    best, n = None, len(values)
    for cut in (np.unique(values)[:-1] + np.unique(values)[1:]) / 2:
        parts = [np.bincount(codes[side], minlength=3) for side in (values <= cut, values > cut)]
        left = sum(map(bits, parts))
        if best is None or left < best[0] - 1e-9:
            best = left, cut, parts
    if best is None:
        return []
    left, cut, parts = best
    whole = np.bincount(codes, minlength=3)
    k = [np.count_nonzero(counts) for counts in (whole, *parts)]
    entropies = [bits(counts) / counts.sum() for counts in (whole, *parts)]
    told = np.log2(n - 1) + np.log2(3.0 ** k[0] - 2)
    told -= k[0] * entropies[0] - k[1] * entropies[1] - k[2] * entropies[2]
    if bits(whole) - left <= cost * told:
        return []
    below = values <= cut
    halves = [literal(values[side], codes[side], cost) for side in (below, ~below)]
    return [*halves[0], cut, *halves[1]]


@pytest.mark.parametrize("cost", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("seed", range(30))
def test_cuts_are_those_of_the_rule_written_out(seed, cost):
    values, codes = column(seed)
    np.testing.assert_allclose(cut_points(values, codes, cost), literal(values, codes, cost))


@pytest.mark.parametrize("seed", range(30))
def test_dearer_cuts_are_among_cheaper_ones(seed):
    values, codes = column(seed)
    kept = [set(cut_points(values, codes, cost)) for cost in (1.0, 2.0, 4.0, 1e6)]
    rule = bnlr.MDLDiscretizer().fit(pd.DataFrame({"x": values}), codes)
    assert kept[0] == set(rule.cut_points_[0])
    assert kept[0] >= kept[1] >= kept[2] >= kept[3] == set()

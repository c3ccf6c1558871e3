"""Cuts that cost more than the MDL rule has."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from studies.greiner.cuts import DearCuts, cut_points


def column(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 200))
    codes = rng.integers(0, 3, n)
    return np.round(rng.normal(codes, 0.7), int(rng.integers(0, 3))), codes


@pytest.mark.parametrize("seed", range(30))
def test_at_the_rules_own_cost_the_cuts_are_bnlrs(seed):
    values, codes = column(seed)
    rule = bnlr.MDLDiscretizer().fit(pd.DataFrame({"x": values}), codes)
    np.testing.assert_allclose(cut_points(values, codes), rule.cut_points_[0])


@pytest.mark.parametrize("seed", range(30))
def test_dearer_cuts_are_among_cheaper_ones(seed):
    values, codes = column(seed)
    kept = [set(cut_points(values, codes, cost)) for cost in (1.0, 2.0, 4.0, 1e6)]
    assert kept[0] >= kept[1] >= kept[2] >= kept[3] == set()


def test_values_of_other_rows_fall_into_the_intervals_and_labels_stay():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 10.0, 11.0, 12.0] * 5, "y": list("aabbcc") * 5})
    classes = pd.Series([0, 0, 0, 1, 1, 1] * 5)
    cuts = DearCuts(1.0).fit(frame, classes)
    new = cuts.transform(pd.DataFrame({"x": [-9.0, 6.0, 6.5, 99.0], "y": list("abca")}))
    assert list(new["x"]) == [0, 0, 1, 1]
    assert list(new["y"]) == list("abca")

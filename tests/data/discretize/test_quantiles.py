"""Quantile cut points against pandas and against counting."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.data.discretize.mdl import mdl_cut_points
from bnlr.data.discretize.quantiles import quantile_cut_points, refined_cut_points
from bnlr.data.quantile_discretizer import QuantileDiscretizer

VALUES = st.lists(st.integers(-20, 20), min_size=1, max_size=60).map(
    lambda values: np.array(values, dtype=np.float64)
)


@pytest.mark.parametrize("n_bins", [1, 2, 3, 4, 6, 12])
def test_distinct_values_are_parted_as_pandas_parts_them(n_bins):
    values = np.random.default_rng(0).permutation(np.arange(12.0) ** 2)
    expected = pd.qcut(values, n_bins, labels=False)
    cuts = quantile_cut_points(values, n_bins)
    np.testing.assert_array_equal(np.searchsorted(cuts, values), expected)


@given(VALUES, st.integers(1, 8))
def test_each_cut_is_the_nearest_to_its_share(values, n_bins):
    distinct = np.unique(values)
    below = [np.mean(values <= value) for value in distinct[:-1]]
    expected = set()
    for k in range(1, n_bins) if below else ():
        gaps = [round(abs(share - k / n_bins), 9) for share in below]
        place = gaps.index(min(gaps))
        expected.add((distinct[place] + distinct[place + 1]) / 2)
    assert list(quantile_cut_points(values, n_bins)) == sorted(expected)


@given(VALUES, st.lists(st.integers(0, 3), min_size=60, max_size=60), st.integers(1, 6))
def test_weights_are_repeated_rows(values, weights, n_bins):
    weights = np.array(weights[: len(values)], dtype=np.float64)
    repeated = np.repeat(values, weights.astype(int))
    np.testing.assert_array_equal(
        quantile_cut_points(values, n_bins, weights), quantile_cut_points(repeated, n_bins)
    )
    cuts = np.array([-3.5, 4.5])
    np.testing.assert_array_equal(
        refined_cut_points(values, cuts, n_bins, weights),
        refined_cut_points(repeated, cuts, n_bins),
    )


@given(VALUES, st.integers(1, 6))
def test_refining_keeps_the_cuts_and_parts_what_is_large(values, n_bins):
    cuts = np.array([-3.5, 4.5])
    refined = refined_cut_points(values, cuts, n_bins)
    assert set(cuts) <= set(refined)
    places = np.searchsorted(cuts, values)
    fine = np.searchsorted(refined, values)
    for place in range(3):
        own = places == place
        if own.sum() * n_bins <= len(values):
            assert len(set(fine[own])) <= 1
        elif len(set(values[own])) > 1:
            assert len(set(fine[own])) > 1


@pytest.mark.parametrize("low", [1.0, 0.1, 1e300, -1.0, np.nextafter(0.0, -1.0), 0.0])
def test_neighbours_among_floats_are_parted(low):
    """Their middle may round to the upper one, which would then lie below the cut."""
    values = np.array(
        [low, np.nextafter(low, np.inf), np.nextafter(np.nextafter(low, 9e307), 9e307)]
    )
    for pair in (values[:2], values[1:]):
        (cut,) = quantile_cut_points(pair, 2)
        assert pair[0] <= cut < pair[1]


def test_missing_values_are_left_out():
    values = np.array([np.nan, 1.0, 2.0, np.nan, 3.0, 4.0])
    np.testing.assert_array_equal(quantile_cut_points(values, 2), [2.5])
    assert quantile_cut_points(np.array([np.nan]), 3).size == 0
    assert quantile_cut_points(np.array([5.0, 5.0]), 3).size == 0


def test_the_discretizers_cut_where_the_functions_say():
    X, y = np.random.default_rng(1).normal(size=(90, 2)), np.arange(90) % 2
    X[:, 0] += 3 * y
    quantiles = QuantileDiscretizer(n_bins=4).fit(X)
    finer = bnlr.MDLDiscretizer(n_bins=4).fit(X, y)
    for place in range(2):
        cuts = mdl_cut_points(X[:, place], y)
        np.testing.assert_array_equal(
            quantiles.cut_points_[place], quantile_cut_points(X[:, place], 4)
        )
        np.testing.assert_array_equal(
            finer.cut_points_[place], refined_cut_points(X[:, place], cuts, 4)
        )
    assert np.bincount(quantiles.transform(X)[:, 1].astype(int)).tolist() == [22, 23, 22, 23]


@pytest.mark.parametrize("n_bins", [0, -1, 2.0, True, "5"])
def test_other_numbers_of_intervals_are_refused(n_bins):
    X, y = np.arange(10.0)[:, None], np.arange(10) % 2
    for discretizer in (QuantileDiscretizer(n_bins), bnlr.MDLDiscretizer(n_bins)):
        with pytest.raises(bnlr.ParameterError, match=r"n_bins is .* whole number, 1 or larger"):
            discretizer.fit(X, y)


@pytest.mark.parametrize("n_bins", [10**6 + 1, 10**13, 2**63, 10**30])
def test_more_intervals_than_can_be_counted_are_refused(n_bins):
    with pytest.raises(bnlr.ParameterError, match=r"n_bins is \d+; .* 1,000,000 or smaller"):
        bnlr.QuantileDiscretizer(n_bins).fit(np.arange(9.0)[:, None])
    assert len(bnlr.QuantileDiscretizer(10**6).fit(np.arange(9.0)[:, None]).cut_points_[0]) == 8

"""Folds dealt by what rows hold: they share out the weight, and nothing's order matters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnlr.data.folds import fold_rows, state_hashes


@settings(deadline=None)
@given(st.lists(st.floats(0.01, 6.0), min_size=1, max_size=30), st.integers(2, 6))
def test_folds_share_out_the_weight(weights, n_folds):
    weights = np.array(weights)
    order = np.random.default_rng(0).permutation(len(weights))
    held = np.zeros(len(weights))
    for rows, own in fold_rows(order, weights, n_folds):
        assert (own > 0).all()
        held[rows] += own
    np.testing.assert_allclose(held, weights, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_folds", [2, 3, 5])
def test_rows_of_weight_1_are_dealt_in_turn(n_folds):
    order = np.random.default_rng(1).permutation(17)
    folds = [rows for rows, _ in fold_rows(order, np.ones(17), n_folds)]
    for fold, rows in enumerate(folds):
        assert sorted(order[fold::n_folds]) == rows.tolist()


def test_a_row_of_weight_7_is_seven_rows():
    weights = dict(zip(*next(iter(fold_rows(np.array([0]), np.array([7.0]), 5))), strict=True))
    assert weights == {0: 2.0}
    own = [held.sum() for _, held in fold_rows(np.array([0]), np.array([7.0]), 5)]
    assert own == [2.0, 2.0, 1.0, 1.0, 1.0]


def test_fewer_rows_than_folds_leave_folds_out():
    assert len(list(fold_rows(np.arange(2), np.ones(2), 5))) == 2
    few, many = (list(fold_rows(np.arange(3), np.array([1.0, 0.5, 2.0]), n)) for n in (4, 10**12))
    for one, other in zip(few, many, strict=True):
        np.testing.assert_array_equal(one, other)


def test_hashes_are_names_alone_and_differ():
    hashes = state_hashes("a", ["x", "y", 1, "1", True, None], 45)
    assert len(set(hashes)) == 6
    assert (hashes < 2**45).all()
    assert state_hashes("a", ["y"], 45)[0] == hashes[1]
    assert state_hashes("b", ["y"], 45)[0] != hashes[1]


def test_half_a_surrogate_pair_may_name_a_node_and_a_state():
    first, second = state_hashes("\ud800", ("\ud801", "a"), 20)
    assert first != second

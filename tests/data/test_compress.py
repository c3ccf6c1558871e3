"""Merged rows against a dictionary of rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.data import compress
from bnlr.data.compress import merge_rows


def literal_groups(columns, weights):
    """First row and summed weight of every distinct row, sorted by their values."""
    groups = {}
    for row, cells in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        first, weight = groups.get(cells, (row, 0.0))
        groups[cells] = first, weight + (1.0 if weights is None else weights[row])
    return zip(*(groups[cells] for cells in sorted(groups)), strict=True)


def check(columns, weights=None):
    first, summed = literal_groups(columns, weights)
    merged = merge_rows(columns, weights)
    n_rows = len(columns[0])
    if n_rows > compress._SMALL and 2 * len(first) > n_rows:
        assert merged is None
        return
    assert merged.first.tolist() == list(first)
    np.testing.assert_allclose(merged.weights, summed, rtol=1e-13)


@st.composite
def tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_columns = draw(st.integers(1, 60)), draw(st.integers(1, 6))
    dtype = draw(st.sampled_from([np.int8, np.int16, np.uint16, np.int64]))
    low = 0 if dtype is np.uint16 else -1
    columns = [rng.integers(low, draw(st.integers(0, 3)) + 1, n_rows) for _ in range(n_columns)]
    weights = rng.random(n_rows) if draw(st.booleans()) else None
    return [column.astype(dtype) for column in columns], weights


@given(tables())
def test_groups_are_those_of_a_dictionary(table):
    check(*table)


@pytest.mark.parametrize("spread", [1, 10**3, 2**30, 2**60])
def test_wide_ranges_stay_exact(spread):
    rng = np.random.default_rng(0)
    check([rng.integers(-1, 2, 300) * spread for _ in range(5)])
    check([rng.integers(0, 2, 300) * spread + k for k in range(7)], rng.random(300))


def test_rows_that_only_a_wrapped_key_would_confuse():
    """Three columns of range 2^32: a 64-bit key without ranking would merge the first two rows."""
    high = 2**32
    columns = [
        np.array([0, 1, high - 1, 0, 1, high - 1, 0, 1]),
        np.array([0, 0, high - 1, 0, 0, high - 1, 0, 0]),
        np.array([0, 0, high - 1, 0, 0, high - 1, 0, 0]),
    ]
    merged = merge_rows(columns, None)
    assert merged.first.tolist() == [0, 1, 2]
    assert merged.weights.tolist() == [3, 3, 2]


def test_does_not_pay():
    assert merge_rows([np.empty(0, dtype=np.int8)], None) is None
    distinct = np.arange(2 * compress._SMALL)
    assert merge_rows([distinct], None) is None


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_few_rows_does_not_matter(table, random):
    columns, _ = table
    order = np.array(random.sample(range(len(columns[0])), len(columns[0])))
    one, other = merge_rows(columns, None), merge_rows([c[order] for c in columns], None)
    assert one.weights.tolist() == other.weights.tolist()
    for column in columns:
        assert np.array_equal(column[one.first], column[order][other.first])


@pytest.mark.parametrize("n_distinct", [2, 64, 4000, 9000])
def test_large_tables_with_repeats_are_found_by_the_sample(n_distinct):
    rng = np.random.default_rng(n_distinct)
    codes = rng.integers(0, n_distinct, 20_000)
    check([(codes % 100).astype(np.int16), (codes // 100).astype(np.int16)], rng.random(20_000))


def test_one_row_that_is_half_of_all_pays_not():
    """The sample sees many equal pairs, all of one row; the others are distinct."""
    codes = np.arange(10_000)
    codes[:4_000] = 0
    assert compress._looks_worthwhile([codes], len(codes))
    check([codes])


def test_large_tables_without_repeats_cost_a_sample_only(monkeypatch):
    monkeypatch.setattr(compress, "_groups", pytest.fail)
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 3, 50_000).astype(np.int8) for _ in range(30)]
    assert merge_rows(columns, None) is None


@pytest.mark.slow
def test_a_sorted_truth_table_repeated_is_found():
    """Evenly spaced sample rows would see one value of most of these bits."""
    bits = np.arange(2**14)[:, None] >> np.arange(14) & 1
    check(list(np.tile(bits, (2, 1)).T.astype(np.int8)))

"""Filling and cutting: by hand, and nothing comes from the test rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.common.sources import CLASS
from studies.su.datasets import Raw
from studies.su.preprocess import N_BINS, split


def make(numbers, codes, classes, labels=("u", "v", "w")):
    numbers, codes = np.asarray(numbers, dtype=float), np.asarray(codes, dtype=np.int64)
    return Raw(
        numbers=numbers,
        codes=codes,
        classes=np.asarray(classes, dtype=np.int64),
        numeric=tuple(f"n{k}" for k in range(numbers.shape[1])),
        nominal={f"a{k}": labels for k in range(codes.shape[1])},
        class_labels=("p", "q"),
        origin="made here",
    )


def test_bins_span_the_training_range_and_clip():
    column = [0.0, 1.0, 9.99, 10.0, 5.0, -3.0, 99.0, 0.999]
    found = make(np.transpose([column]), np.empty((8, 0)), [0, 1] * 4)
    parts = split(found, np.arange(5), np.arange(5, 8))
    assert parts.train.column("n0").tolist() == [0, 1, 9, 9, 5]
    assert parts.test.column("n0").tolist() == [0, 9, 0]
    assert parts.train.cards == {"n0": N_BINS, CLASS: 2}
    assert parts.train.class_codes.tolist() == [0, 1, 0, 1, 0]


def test_holes_get_the_training_mean_and_the_most_frequent_label():
    numbers = np.transpose([[0.0, 10.0, 2.0, np.nan, np.nan, 1000.0]])
    codes = np.transpose([[2, 1, 1, -1, -1, 0]])
    parts = split(make(numbers, codes, [0, 1] * 3), np.arange(4), np.arange(4, 6))
    assert parts.train.column("n0").tolist() == [0, 9, 2, 4]  # the mean of 0, 10 and 2 is 4
    assert parts.test.column("n0").tolist() == [4, 9]
    assert parts.train.column("a0").tolist() == [2, 1, 1, 1]
    assert parts.test.column("a0").tolist() == [1, 0]


def test_ties_take_the_first_label():
    codes = np.transpose([[2, 1, 2, 1, -1]])
    parts = split(make(np.empty((5, 0)), codes, [0, 1, 0, 1, 0]), np.arange(4), np.array([4]))
    assert parts.test.column("a0").tolist() == [1]


def test_constant_and_empty_columns_have_one_bin_and_do_not_matter():
    numbers = np.transpose([[3.0, 3.0, 3.0, 8.0], [np.nan, np.nan, np.nan, 1.0]])
    codes = np.transpose([[-1, -1, -1, 2]])
    parts = split(make(numbers, codes, [0, 1, 0, 1]), np.arange(3), np.array([3]))
    assert parts.train.cards == {"n0": 1, "n1": 1, "a0": 3, CLASS: 2}
    assert parts.test.column("n0").tolist() == parts.test.column("n1").tolist() == [0]
    assert parts.train.column("a0").tolist() == [0, 0, 0]
    assert parts.test.is_complete


@given(st.integers(0, 2**32 - 1), st.integers(5, 40))
def test_nothing_leaks_from_the_test_rows(seed, n):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, 3))
    numbers[rng.random((n, 3)) < 0.2] = np.nan
    codes = rng.integers(-1, 3, size=(n, 2))
    classes = rng.integers(0, 2, size=n)
    train, test = np.arange(n - 3), np.arange(n - 3, n)
    before = split(make(numbers, codes, classes), train, test)
    other_numbers, other_codes = numbers.copy(), codes.copy()
    other_numbers[test] = rng.normal(scale=100.0, size=(3, 3))
    other_codes[test] = rng.integers(-1, 3, size=(3, 2))
    after = split(make(other_numbers, other_codes, 1 - classes), train, test)
    columns = [name for name in before.train.nodes if name != CLASS]
    for name in columns:
        assert before.train.column(name).tolist() == after.train.column(name).tolist()
    assert before.train.cards == after.train.cards
    # A test row is coded as if it were alone.
    for k, row in enumerate(test):
        alone = split(make(numbers, codes, classes), train, np.array([row]))
        assert alone.test.codes.tolist() == [before.test.codes[k].tolist()]


@pytest.mark.parametrize("seed", range(3))
def test_bins_are_equally_wide(seed):
    rng = np.random.default_rng(seed)
    column = rng.exponential(size=60)
    parts = split(
        make(column[:, None], np.empty((60, 0)), [0, 1] * 30), np.arange(50), np.arange(50, 60)
    )
    low, high = column[:50].min(), column[:50].max()
    expected = np.floor((column - low) / (high - low) * N_BINS).clip(0, N_BINS - 1)
    assert parts.train.column("n0").tolist() == expected[:50].tolist()
    assert parts.test.column("n0").tolist() == expected[50:].tolist()

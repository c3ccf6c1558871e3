"""Cut points against a literal recursion over rows, scikit-learn's iris and hand-made columns."""

from itertools import pairwise
from math import log2
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from bnlr.data.discretize.mdl import mdl_cut_points
from tests.width import in_full

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
IRIS_CUTS = [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]


def entropy(labels):
    n = len(labels)
    return -sum(labels.count(c) / n * log2(labels.count(c) / n) for c in set(labels))


def literal_cuts(rows):
    """Fayyad & Irani (1993), sections 3 and 4, on sorted (value, class) pairs."""
    values = sorted({value for value, _ in rows})
    labels = [label for _, label in rows]
    if len(values) < 2 or len(rows) < 2:
        return []
    classes_at = {v: {label for value, label in rows if value == v} for v in values}
    cuts = [
        (low, high) for low, high in pairwise(values) if len(classes_at[low] | classes_at[high]) > 1
    ]
    if not cuts:
        return []

    def remaining(cut):
        left = [label for value, label in rows if value <= cut[0]]
        right = [label for value, label in rows if value > cut[0]]
        return (len(left) * entropy(left) + len(right) * entropy(right)) / len(rows)

    least = min(map(remaining, cuts))
    best = next(cut for cut in cuts if remaining(cut) <= least + 1e-9)
    left = [row for row in rows if row[0] <= best[0]]
    right = [row for row in rows if row[0] > best[0]]
    parts = [[label for _, label in part] for part in (left, right)]
    k, k1, k2 = (len(set(part)) for part in (labels, *parts))
    gain = entropy(labels) - remaining(best)
    delta = log2(3**k - 2) - (k * entropy(labels) - k1 * entropy(parts[0]) - k2 * entropy(parts[1]))
    if gain <= (log2(len(rows) - 1) + delta) / len(rows):
        return []
    return [*literal_cuts(left), (best[0] + best[1]) / 2, *literal_cuts(right)]


@st.composite
def columns(draw):
    """Values that follow the class more or less, with ties and holes, and whole weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_classes = draw(st.integers(1, 80)), draw(st.integers(1, 6))
    classes = rng.integers(0, n_classes, n_rows)
    noise = draw(st.sampled_from([0.0, 1.0, 3.0]))
    values = np.round(
        2 * (classes * 7 % 5) + noise * rng.normal(size=n_rows), draw(st.integers(0, 2))
    )
    values[rng.random(n_rows) < 0.1] = np.nan
    weights = rng.integers(0, 4, n_rows).astype(float) if draw(st.booleans()) else np.ones(n_rows)
    return values, classes, weights


@given(columns())
@example((np.array([1.0, 2.0]), np.array([0, 1]), np.ones(2)))
@example((np.array([1.0, 2.0, 3.0] * 9), np.array([0, 1, 0] * 9), np.ones(27)))
def test_cuts_are_those_of_the_literal_recursion(column):
    values, classes, weights = column
    rows = [
        (value, int(label))
        for value, label, weight in zip(values, classes, weights, strict=True)
        for _ in range(int(weight))
        if not np.isnan(value)
    ]
    np.testing.assert_allclose(
        mdl_cut_points(values, classes, weights), literal_cuts(sorted(rows)), atol=1e-9
    )


@given(columns(), st.integers(0, 2**32 - 1))
def test_neither_the_order_of_rows_nor_the_names_of_classes_matter(column, seed):
    values, classes, weights = column
    rng = np.random.default_rng(seed)
    order, names = rng.permutation(len(values)), rng.permutation(10)
    cuts = mdl_cut_points(values, classes, weights)
    assert (
        mdl_cut_points(values[order], names[classes[order]], weights[order]).tolist()
        == cuts.tolist()
    )


def test_iris():
    table, classes = load_iris(return_X_y=True)
    assert [mdl_cut_points(column, classes).tolist() for column in table.T] == IRIS_CUTS


@pytest.mark.parametrize("name", ["glass", *in_full("vehicle"), "pima"])
def test_raw_sets_as_the_literal_recursion(name):
    path = SHARED / f"{name}.csv"
    if not path.exists():
        pytest.skip("the raw sets do not stand beside the checkout")
    frame = pd.read_csv(path)
    classes = pd.factorize(frame.iloc[:, -1])[0]
    for column in frame.columns[:3]:
        rows = sorted(zip(frame[column].astype(float), classes.tolist(), strict=True))
        np.testing.assert_allclose(
            mdl_cut_points(frame[column].to_numpy(float), classes), literal_cuts(rows), rtol=1e-9
        )


@pytest.mark.slow
def test_a_thousand_classes_do_not_overflow():
    classes = np.repeat(np.arange(1000), 20)
    cuts = mdl_cut_points(classes.astype(float), classes)
    assert 1 < len(cuts) <= 999
    assert set(cuts % 1) == {0.5}


def test_noise_and_constants_are_not_cut():
    rng = np.random.default_rng(0)
    assert mdl_cut_points(rng.normal(size=2000), rng.integers(0, 3, 2000)).size == 0
    assert mdl_cut_points(np.ones(50), rng.integers(0, 2, 50)).size == 0
    assert mdl_cut_points(np.arange(50.0), np.zeros(50, dtype=int)).size == 0
    assert mdl_cut_points(np.full(5, np.nan), np.arange(5)).size == 0
    assert mdl_cut_points(np.empty(0), np.empty(0, dtype=int)).size == 0
    assert mdl_cut_points(np.arange(2.0), np.arange(2), np.array([0.4, 0.4])).size == 0


def test_a_cut_between_neighbouring_doubles_parts_them():
    for low in (1.0, -1.0, 5e-324, 1e308):
        high = np.nextafter(low, np.inf)
        values = np.repeat([low, high], 20)
        (cut,) = mdl_cut_points(values, np.repeat([0, 1], 20))
        assert low <= cut < high


def test_values_at_the_ends_of_the_range_do_not_overflow():
    (cut,) = mdl_cut_points(np.repeat([-1.7e308, 1.7e308], 20), np.repeat([0, 1], 20))
    assert cut == 0

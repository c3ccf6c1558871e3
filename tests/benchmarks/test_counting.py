"""The unit C counts what NumPy counts."""

import numpy as np
import pytest

from benchmarks import counting
from benchmarks.workloads import dataset, sample


def literal(data):
    """Counts by one histogram an attribute."""
    own = data.column(data.class_name).astype(int)
    parts = []
    for node in data.nodes:
        if node != data.class_name:
            shape = (data.cards[data.class_name], data.cards[node])
            edges = [np.arange(n + 1) - 0.5 for n in shape]
            table, *_ = np.histogram2d(own, data.column(node).astype(int), bins=edges)
            parts.append(table.ravel())
    return np.concatenate(parts)


@pytest.mark.parametrize("n_rows", [1, 3, 4, 8191, 8192, 8195, 20_001])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_counts_are_those_of_histograms(n_rows, n_classes):
    codes, cards, _ = sample(n_rows, 5, 1, seed=n_rows, n_classes=n_classes)
    data = dataset(codes, cards)
    counts = counting.count(data)
    np.testing.assert_array_equal(counts, literal(data))
    assert counts.sum() == 5 * n_rows


def test_the_plain_loop_counts_the_same():
    codes, cards, _ = sample(9000, 4, 2, seed=0)
    arguments = counting.arguments(dataset(codes, cards))
    np.testing.assert_array_equal(
        counting.count_plainly(*arguments), counting.count_columns(*arguments)
    )


def test_the_class_may_stand_last():
    import bnlr

    codes, cards, _ = sample(500, 3, 1, seed=1)
    first = dataset(codes, cards)
    states = {n: first.states[n] for n in (*first.nodes[1:], first.nodes[0])}
    table = np.column_stack([first.column(n) for n in states])
    last = bnlr.Dataset.from_codes(table, states, first.class_name)
    np.testing.assert_array_equal(counting.count(last), literal(first))


def test_columns_are_not_copied():
    codes, cards, _ = sample(100, 3, 1, seed=1)
    columns, classes, *_ = counting.arguments(dataset(codes, cards))
    assert np.shares_memory(columns, codes)
    assert np.shares_memory(classes, codes)

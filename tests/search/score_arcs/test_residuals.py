"""Residuals of the optimum that `bnlr.fit` finds, from rows whose order shows nowhere."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.search.score_arcs import residuals
from bnlr.search.score_arcs.residuals import N_FOLDS, PENALTY, Rows
from tests.strategies import problems


def data_of(seed, n_rows=300, n_classes=3, share_missing=0.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    columns = [y, (y + rng.integers(0, 2, n_rows)) % 3, rng.integers(0, 2, n_rows)]
    codes = np.column_stack([*columns, (columns[1] + columns[2]) % 2])
    codes[:, 1:][rng.random((n_rows, 3)) < share_missing] = -1
    states = {"c": tuple(range(n_classes)), "b": (0, 1, 2), "d": (0, 1), "a": (0, 1)}
    return bnlr.Dataset.from_codes(codes, states, "c")


def same(one, other):
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        for field in fields(residuals.Residuals)
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("arcs", [(), (("a", "b"), ("a", "d"), ("b", "d"))])
def test_are_those_of_the_penalised_optimum(n_classes, arcs):
    data = data_of(0, n_classes=n_classes)
    rows = Rows.of(data)
    structure = bnlr.Structure.naive_bayes(["a", "b", "d"], "c").with_arcs(arcs)
    result = bnlr.fit(structure, data, penalty=PENALTY, penalty_center="scaled")
    p = result.network.predict_proba(rows.data)
    r = rows.residuals(arcs)
    weights = r.values[:, n_classes : 2 * n_classes].sum(axis=1)
    own, expected, curvature = np.split(r.values / weights[:, None], 3, axis=1)
    np.testing.assert_allclose(expected, p[rows.dealt], atol=2e-3)
    np.testing.assert_allclose(curvature, expected * (1 - expected), atol=1e-12)
    hot = rows.data.class_codes[rows.dealt, None] == np.arange(n_classes)
    np.testing.assert_allclose(own, hot - expected, atol=1e-12)
    assert weights.sum() == pytest.approx(data.n_rows)


def test_every_row_is_dealt_out_by_weight():
    rows = Rows.of(data_of(1))
    held = np.zeros((rows.data.n_rows, N_FOLDS))
    held[rows.dealt, rows.folds] += rows.weights
    assert (held.sum(axis=1) == rows.data.weights).all()
    assert np.ptp(held.sum(axis=0)) <= 1
    assert rows.data.n_rows < 300  # equal ones are merged


@pytest.mark.parametrize("missing", [False, True])
def test_neither_order_nor_repetition_shows_in_any_bit(missing):
    @given(problems(n_rows=(2, 30), missing=missing), st.integers(0, 2**32))
    def check(problem, seed):
        _, data = problem
        rng = np.random.default_rng(seed)
        counts = rng.integers(1, 4, data.n_rows).astype(float)
        weighted = bnlr.Dataset(data.codes, data.states, data.class_name, counts)
        repeated = rng.permutation(np.repeat(np.arange(data.n_rows), counts.astype(int)))
        places = rng.permutation(len(data.nodes))
        turned = bnlr.Dataset(
            np.asfortranarray(data.codes[repeated][:, places]),
            {data.nodes[place]: data.states[data.nodes[place]] for place in places},
            data.class_name,
            None,
        )
        assert same(Rows.of(weighted).residuals(), Rows.of(turned).residuals())

    check()


def test_a_missing_cell_is_a_state_behind_the_others():
    data = data_of(2, share_missing=0.2)
    rows = Rows.of(data)
    assert rows.names == ["a", "b", "d"]
    assert rows.n_states.tolist() == [2, 3, 2]
    assert rows.residuals().cards.tolist() == [3, 4, 3, N_FOLDS]
    holes = data.missing_counts
    weights = rows.data.weights
    for name, n in zip(rows.names, rows.n_states, strict=True):
        assert weights[rows.data.column(name) == n].sum() == holes[name]


@pytest.mark.parametrize("weight", [None, 3.0, 0.25])
def test_of_many_rows_a_part_is_asked(monkeypatch, weight):
    monkeypatch.setattr(residuals, "MOST_ROWS", 40)
    data = data_of(4)
    weights = None if weight is None else np.full(data.n_rows, weight)
    data = bnlr.Dataset(data.codes, data.states, "c", weights)
    rows = Rows.of(data)
    total = max(float(data.weights.sum()), data.n_rows)  # weights below 1 are shares
    n_parts = -(-total // 40)
    assert rows.weights.sum() == pytest.approx(total / n_parts, rel=0.1)
    turned = Rows.of(data.take(np.random.default_rng(0).permutation(data.n_rows)))
    assert same(rows.residuals(), turned.residuals())
    shares = np.bincount(rows.data.class_codes, rows.data.weights) / rows.data.weights.sum()
    np.testing.assert_allclose(shares, np.bincount(data.class_codes) / data.n_rows, atol=0.05)


@pytest.mark.parametrize("total", [1.0, 150.0])
def test_weights_below_one_are_shares_of_the_rows(total):
    """AdaBoost's weights sum to 1."""
    data = data_of(5)
    shares = np.random.default_rng(0).integers(1, 4, data.n_rows).astype(float)
    shares *= total / shares.sum()
    rows = Rows.of(bnlr.Dataset(data.codes, data.states, "c", shares))
    assert rows.weights.sum() == pytest.approx(data.n_rows)
    whole = Rows.of(bnlr.Dataset(data.codes, data.states, "c", shares * data.n_rows / total))
    np.testing.assert_allclose(rows.residuals().values, whole.residuals().values, atol=1e-6)

"""Gains against a loop over rows, on the probabilities of scikit-learn's logistic regression."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

from bnlr.search import batches
from bnlr.search.score_arcs import gains
from bnlr.search.score_arcs.gains import beyond_chance, least_gain, pair_gains, table_gains
from bnlr.search.score_arcs.residuals import N_FOLDS, PENALTY, Residuals


def fitted(seed, n_classes, *, n_rows=60, is_holed=False):
    """Rows of three attributes, a fold and a weight each, and P(class | attributes)."""
    rng = np.random.default_rng(seed)
    cards = rng.integers(1, 4, 3)
    attributes = np.column_stack([rng.integers(0, card, n_rows) for card in cards])
    classes = rng.permutation(np.arange(n_rows) % n_classes)
    classes[attributes[:, 0] == attributes[:, 1]] //= 2
    classes[:2] = 0, n_classes - 1  # two at least
    p = np.zeros((n_rows, n_classes))
    model = LogisticRegression().fit(OneHotEncoder().fit_transform(attributes), classes)
    p[:, model.classes_] = model.predict_proba(OneHotEncoder().fit_transform(attributes))
    weights = rng.integers(1, 4, n_rows) / 2.0
    holes = (rng.random(attributes.shape) < 0.3) & is_holed
    codes = np.where(holes, cards, attributes)
    return codes, cards, rng.integers(0, N_FOLDS, n_rows), classes, p, weights


def residuals_of(codes, cards, folds, classes, p, weights):
    is_own = classes[:, None] == np.arange(p.shape[1])
    values = np.concatenate([is_own - p, p, p * (1 - p)], axis=1) * weights[:, None]
    laid = np.ascontiguousarray(np.column_stack([codes, folds]).T)
    return Residuals(laid, np.array([*(cards + 1), N_FOLDS]), cards, values, p.shape[1])


def literal_gain(codes, cards, folds, classes, p, weights, table):
    """One fold, one cell and one class at a time."""
    rows = [i for i in range(len(codes)) if all(codes[i, a] < cards[a] for a in table)]
    total = 0.0
    for cell in {tuple(codes[i, table]) for i in rows}:
        own = [i for i in rows if tuple(codes[i, table]) == cell]
        for c in range(p.shape[1]):
            share = sum(weights[i] * p[i, c] for i in own) / sum(weights[i] for i in own)
            for fold in range(N_FOLDS):
                g, h, other_g, other_h = 0.0, 0.0, 0.0, 0.0
                for i in own:
                    residual = weights[i] * ((classes[i] == c) - p[i, c])
                    curvature = weights[i] * p[i, c] * (1 - p[i, c])
                    if folds[i] == fold:
                        g, h = g + residual, h + curvature
                    else:
                        other_g, other_h = other_g + residual, other_h + curvature
                step = other_g / (other_h + PENALTY)
                total += (1 - share) * (step * g - 0.5 * step**2 * h)
    return total


@pytest.mark.slow
@given(st.integers(0, 2**32), st.integers(2, 4), st.booleans())
def test_is_the_sum_over_folds_cells_and_classes(seed, n_classes, is_holed):
    known = fitted(seed, n_classes, is_holed=is_holed)
    found = pair_gains(residuals_of(*known))
    assert (found == found.T).all()
    assert not found.diagonal().any()
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert found[one, other] == pytest.approx(literal_gain(*known, [one, other]), abs=1e-6)
    triple = table_gains(residuals_of(*known), np.array([[2, 0, 1]]))
    assert triple[0] == pytest.approx(literal_gain(*known, [2, 0, 1]), abs=1e-6)


@pytest.mark.parametrize("most", [1, 100, 1000])
def test_large_tables_and_batches_change_nothing(monkeypatch, most):
    residuals = residuals_of(*fitted(3, 3, is_holed=True))
    whole = pair_gains(residuals)
    assert whole.any()
    monkeypatch.setattr(gains, "BATCH_CELLS", most)
    monkeypatch.setattr(batches, "BATCH_CELLS", most)
    np.testing.assert_allclose(pair_gains(residuals), whole, atol=2e-6)


def test_threads_change_no_bit():
    residuals = residuals_of(*fitted(5, 3, n_rows=30_000))
    assert (pair_gains(residuals, 1) == pair_gains(residuals, 3)).all()


def test_what_is_beyond_chance():
    """Half the logarithm of the number of pairs is taken off."""
    found = np.array([[0.0, 3.0, 0.2], [3.0, 0.0, 0.6], [0.2, 0.6, 0.0]])
    least = 0.5 * math.log(3)
    assert least_gain(3) == least
    assert least_gain(0) == 0
    expected = np.maximum(found - least, 0.0)
    assert (beyond_chance(found) == expected).all()
    assert np.count_nonzero(expected) == 4

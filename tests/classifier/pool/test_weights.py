"""Weights of a pool: the optimum of a concave function over weights from 0 on."""

import numpy as np
import pytest
from scipy.optimize import minimize

from bnlr.classifier.pool import weights as pool
from bnlr.classifier.pool.weights import pool_loss, pool_weights
from tests.width import in_full


def opinions(n_members, n_classes, n_rows=300, seed=0, noise=1.5):
    """Noisy and partly wrong log-probabilities of rows, their classes and weights."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n_rows, n_classes))
    classes = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    logs = []
    for _ in range(n_members):
        seen = scores * rng.choice([-0.3, 0.5, 1.0, 2.0]) + noise * rng.normal(size=scores.shape)
        logs.append((seen - np.logaddexp.reduce(seen, axis=1, keepdims=True)).astype(np.float32))
    return logs, classes, rng.choice([0.5, 1.0, 3.0], n_rows)


def literal(w, logs, classes, weights):
    """The penalised loss a row and its gradient, row by row."""
    loss, gradient, off = 0.0, np.zeros(len(w)), w - 1 / len(w)
    for row, (label, v) in enumerate(zip(classes, weights, strict=True)):
        table = np.array([one[row] for one in logs], dtype=float)
        scores = w @ table
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        loss -= v * np.log(shares[label])
        gradient -= v * (table[:, label] - table @ shares)
    unit = min(1.0, weights.mean())
    total = weights.sum()
    return (loss + unit * off @ off / 2) / total, (gradient + unit * off) / total


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n_members", "n_classes"), [(1, 2), (2, 2), (4, 3), (6, 2), (12, 5)])
def test_the_gradient_vanishes_where_it_may(n_members, n_classes, seed):
    given = opinions(n_members, n_classes, seed=seed)
    w = pool_weights(*given)
    _, gradient = literal(w, *given)
    assert (w >= 0).all()
    assert np.abs(gradient[w > 0]).max(initial=0.0) < 1e-9
    assert gradient[w == 0].min(initial=0.0) > -1e-9


def test_wrong_members_get_no_weight():
    p = np.where(np.arange(400) % 5 > 0, 0.6, 0.4)  # 0.8 would be right
    right = np.log(np.column_stack([p, 1 - p]))
    w = pool_weights([right, right[:, ::-1]], np.repeat(0, 400), np.ones(400))
    assert w[0] > 1.0
    assert w[1] == 0.0


@pytest.mark.parametrize(("n_members", "n_classes"), [(3, 2), *in_full((6, 4))])
def test_another_solver_finds_the_same(n_members, n_classes):
    given = opinions(n_members, n_classes, seed=5)
    start, bounds = np.full(n_members, 1 / n_members), [(0, None)] * n_members
    for method, options in (
        ("L-BFGS-B", {"ftol": 1e-15, "gtol": 1e-9}), ("SLSQP", {"ftol": 1e-15}),
    ):  # fmt: skip
        other = minimize(literal, start, given, method, jac=True, bounds=bounds, options=options)
        np.testing.assert_allclose(pool_weights(*given), other.x, atol=2e-5)
        loss = literal(pool_weights(*given), *given)[0]
        assert loss <= other.fun + 1e-14


def test_one_calibrated_member_keeps_its_weight():
    rng = np.random.default_rng(1)
    p = rng.beta(2, 2, 20_000)
    classes = (rng.random(20_000) < p).astype(int)
    logs = np.log(np.column_stack([1 - p, p]))
    assert pool_weights([logs], classes, np.ones(20_000))[0] == pytest.approx(1.0, abs=0.05)
    sharper = 2 * logs - np.logaddexp.reduce(2 * logs, axis=1, keepdims=True)
    assert pool_weights([sharper], classes, np.ones(20_000))[0] == pytest.approx(0.5, abs=0.025)


def test_weights_stay_finite_where_every_row_is_predicted_right():
    p = np.full(500, 0.9)
    logs = np.log(np.column_stack([p, 1 - p]))
    w = pool_weights([logs, logs], np.zeros(500, dtype=int), np.ones(500))
    np.testing.assert_allclose(w, w[::-1])
    assert 1.0 < w.sum() < 20.0


def test_equal_members_share():
    (one,), classes, weights = opinions(1, 3)
    w = pool_weights([one, one, one], classes, weights)
    np.testing.assert_allclose(w, w[0], rtol=1e-6)
    assert w.sum() == pytest.approx(pool_weights([one], classes, weights)[0], rel=0.02)


def test_a_row_of_weight_two_is_two_rows():
    logs, classes, _ = opinions(3, 3)
    weights = 1.0 + (np.arange(len(classes)) % 2)
    rows = np.repeat(np.arange(len(classes)), weights.astype(int))
    twice = pool_weights([one[rows] for one in logs], classes[rows], np.ones(len(rows)))
    np.testing.assert_allclose(pool_weights(logs, classes, weights), twice, rtol=1e-7)


def test_chunks_of_rows_change_nothing(monkeypatch):
    given = opinions(4, 3)
    whole = pool_weights(*given)
    monkeypatch.setattr(pool, "_AT_A_TIME", 100)
    np.testing.assert_allclose(pool_weights(*given), whole, rtol=1e-8)


def test_the_loss_is_that_of_the_pool():
    logs, classes, weights = opinions(2, 3)
    w = np.array([0.4, 1.1])
    scores = 0.4 * logs[0].astype(float) + 1.1 * logs[1].astype(float)
    own = scores[np.arange(len(classes)), classes] - np.logaddexp.reduce(scores, axis=1)
    expected = -(weights @ own) / weights.sum()
    assert pool_loss(w, logs, classes, weights) == pytest.approx(expected, rel=1e-12)

"""Truncated Newton: few products, honest stops, robust starts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.flops import Costs
from bnlr.optimize.base import Status, minimise
from bnlr.optimize.trace import CountingObjective

from .problems import Logistic, Smooth, categorical, naive_bayes_start, quadratic


def spent(objective, start, **options):
    counted = CountingObjective(objective, Costs(1, 1, 1))
    return minimise(counted, start, **options), counted.counts


def reference_minimum(objective):
    """A dense Newton method on the pseudo-inverse, with halving: slow and plain."""
    x, n = np.zeros(objective.size), objective.size
    for _ in range(60):
        value, gradient = objective.value_and_gradient(x)
        matrix = np.array([objective.hessian(x)(e) for e in np.eye(n)])
        d = -np.linalg.pinv(matrix, rcond=1e-12, hermitian=True) @ gradient
        s = 1.0
        while objective.value(x + s * d) > value and s > 1e-12:
            s /= 2
        if objective.value(x + s * d) >= value:
            break
        x = x + s * d
    return value


@pytest.mark.slow
@given(st.integers(0, 10**6), st.sampled_from([2, 3, 5]), st.booleans())
def test_random_problems_meet_dense_newton(seed, n_classes, precondition):
    z, y = categorical(150, [3, 2, 4], n_classes, seed)
    objective = Logistic(z, y, n_classes, precondition)
    result = minimise(objective, naive_bayes_start(objective))
    assert result.status is Status.CONVERGED
    best = reference_minimum(objective)
    assert result.value - best <= 2e-9 * max(1, best)


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("seed", range(6))
def test_the_promised_gap_holds_without_a_finite_minimum(seed, tol):
    """Small cells: some weights run away while the others converge (quasi-separation)."""
    z, y = categorical(120, [4, 5, 4, 3], 3, seed, sharpness=3.0)
    objective = Logistic(z, y, 3)
    result = minimise(objective, naive_bayes_start(objective), tol=tol)
    assert result.status is Status.CONVERGED
    best = minimise(objective, naive_bayes_start(objective), tol=1e-13, max_iter=200).value
    assert result.value - best <= 2 * tol * max(1, best)
    assert np.abs(result.x).max() < 1e4


def test_one_system_solves_a_quadratic_in_n_products():
    objective, minimiser = quadratic(10, condition=1e3)
    result, counts = spent(objective, np.zeros(10), tol=1e-12)
    assert result.status is Status.CONVERGED
    assert counts.hvp <= 5 * 10
    np.testing.assert_allclose(result.x, minimiser, atol=1e-7)


@pytest.mark.parametrize("copies", [1, 10, 100])
def test_overconfident_starts_cost_about_the_same(copies):
    """A hundredfold evidence gives scores of ±700, where every row is saturated."""
    objective = Logistic(*categorical(400, [3, 4, 3, 2, 5], 3, seed=9), 3)
    start = naive_bayes_start(objective, copies)
    if copies == 100:
        assert np.abs(objective.scores(start)).max() > 500
    result, counts = spent(objective, start)
    assert result.status is Status.CONVERGED
    assert result.n_iter <= 10
    assert counts.hvp <= 80
    assert result.value == pytest.approx(
        minimise(objective, np.zeros(objective.size)).value, rel=1e-9
    )


@pytest.mark.parametrize("size", [30, 300])
@pytest.mark.parametrize("precondition", [True, False])
def test_random_saturated_starts(size, precondition):
    objective = Logistic(*categorical(300, [3, 4, 3], 3, seed=10), 3, precondition)
    start = size * np.random.default_rng(0).normal(size=objective.size)
    result = minimise(objective, start)
    best = minimise(objective, np.zeros(objective.size)).value
    assert result.status is Status.CONVERGED
    assert result.value == pytest.approx(best, rel=1e-8)
    assert result.n_iter <= 20


@pytest.mark.parametrize("warm", [1e-1, 1e-2, 1e-3, 1e-5])
def test_warm_starts_are_not_believed_too_soon(warm):
    z, y = categorical(120, [4, 5, 4, 3], 3, seed=0, sharpness=3.0)
    objective = Logistic(z, y, 3)
    first = minimise(objective, naive_bayes_start(objective), tol=warm)
    again = minimise(objective, first.x, tol=1e-8)
    best = minimise(objective, naive_bayes_start(objective), tol=1e-13, max_iter=200).value
    assert again.value - best <= 3e-8 * max(1, best)


def test_decrement_is_the_gap_before_the_last_step():
    objective, values = Logistic(*categorical(2000, [3, 4], 3, seed=11, sharpness=0.5), 3), []
    result = minimise(
        objective, np.zeros(objective.size), on_iteration=lambda s: values.append(s.value)
    )
    best = reference_minimum(objective)
    assert result.decrement <= 1e-9 * result.value
    assert values[-2] - best == pytest.approx(result.decrement, rel=0.1, abs=1e-11 * best)


def test_no_further_progress_is_said_as_such():
    objective = Logistic(*categorical(300, [3, 4], 3, seed=12), 3)
    result = minimise(objective, np.zeros(objective.size), tol=0.0)
    assert result.status is Status.PRECISION
    assert result.converged
    assert result.value == pytest.approx(reference_minimum(objective), rel=1e-13)


def test_a_value_that_no_longer_moves():
    """Slopes still promise something, but the value stands still: rounding at work."""
    noise = Smooth(lambda _: 1.0, lambda x: 1e-9 * np.cos(1e9 * x), lambda _: np.eye(1))
    noise.along = lambda *_: lambda _: (1.0, 0.0)
    result = minimise(noise, np.array([0.3]), tol=0.0)
    assert result.status is Status.PRECISION
    assert result.n_iter <= 5


def test_runaway():
    """exp(−x) flattens out and converges; −x falls for ever and is given up."""
    flattening = Smooth(
        lambda x: np.exp(-x).sum(), lambda x: -np.exp(-x), lambda x: np.diag(np.exp(-x))
    )
    result = minimise(flattening, np.zeros(1))
    assert result.status is Status.CONVERGED
    assert 18 < result.x[0] < 100
    assert result.n_iter <= 10
    falling = Smooth(lambda x: -x.sum(), lambda _: -np.ones(1), lambda _: np.zeros((1, 1)))
    result = minimise(falling, np.zeros(1), max_iter=2)
    assert result.status is Status.UNBOUNDED
    assert np.isfinite(result.x).all()


@pytest.mark.parametrize("beside", [1e-3, 1e-7])
def test_negative_curvature_is_left(beside):
    """Three double wells round (5, 5, 5), started just beside where all of them curve down.

    The gradient there is small enough to pass for a minimum's.
    """
    weights = np.array([1.0, 3.0, 10.0])
    wells = Smooth(
        lambda x: weights @ ((x - 5) ** 2 - 1) ** 2,
        lambda x: 4 * weights * (x - 5) * ((x - 5) ** 2 - 1),
        lambda x: np.diag(weights * (12 * (x - 5) ** 2 - 4)),
    )
    result = minimise(wells, 5 + beside * np.array([1.0, -2.0, 0.5]))
    assert result.status is Status.CONVERGED
    np.testing.assert_allclose(np.abs(result.x - 5), 1, atol=1e-5)


def test_walls_of_infinity_are_backed_away_from():
    barrier = Smooth(
        lambda x: (
            np.where(x < 2, x - np.log(np.maximum(2 - x, 1e-300)), np.inf).sum() - 3 * x.sum()
        ),
        lambda x: np.where(x < 2, 1 + 1 / (2 - x), np.nan) - 3,
        lambda x: np.diag(1 / (2 - x) ** 2),
    )
    result = minimise(barrier, np.array([-50.0]))
    assert result.status is Status.CONVERGED
    assert result.x[0] == pytest.approx(1.5, abs=1e-6)


@pytest.mark.parametrize("options", [{"memory": 0}, {"memory": 1}, {"max_products": 1}])
def test_options_change_the_way_but_not_the_end(options):
    objective = Logistic(*categorical(300, [3, 4, 2], 3, seed=13), 3)
    start = np.zeros(objective.size)
    best = minimise(objective, start, tol=1e-12).value
    result = minimise(objective, start, max_iter=300, **options)
    assert result.value == pytest.approx(best, rel=1e-8)


@pytest.mark.slow
def test_remembered_steps_save_products():
    objective = Logistic(*categorical(300, [4, 5, 4, 3, 3], 3, seed=14, sharpness=3.0), 3)
    start = naive_bayes_start(objective)
    _, without = spent(objective, start, memory=0)
    _, remembered = spent(objective, start, memory=10)
    assert remembered.hvp < 0.7 * without.hvp


@pytest.mark.slow
def test_a_function_that_can_hardly_fall_is_near_its_minimum():
    """Rows told apart: what a tiny gradient leaves is dear to rule out, F itself tells it."""
    n_products = dict.fromkeys((0.0, -np.inf), 0)
    for seed in range(4):
        z, y = categorical(200, [4] * 20, 10, seed)
        for floor in n_products:
            objective = Logistic(z * np.geomspace(1.0, 1e-3, z.shape[1]), y, 10, precondition=False)
            objective.floor = floor
            result, counts = spent(objective, np.zeros(objective.size), tol=1e-9)
            assert result.status is Status.CONVERGED
            assert max(result.value, result.decrement) <= 1e-9
            n_products[floor] += counts.hvp
    assert n_products[0.0] < n_products[-np.inf]

"""Every solver, through the one door."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from bnlr.errors import ParameterError, TooLargeError
from bnlr.optimize.base import SOLVERS, Status, dot, minimise
from tests.width import in_full

from .problems import (
    BEALE,
    HIMMELBLAU,
    ROSENBROCK,
    Logistic,
    Smooth,
    categorical,
    naive_bayes_start,
    quadratic,
)

every_solver = pytest.mark.parametrize("solver", list(SOLVERS))


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@every_solver
def test_quadratic(solver):
    objective, minimiser = quadratic(12, condition=100)
    result = minimise(objective, np.ones(12), solver=solver, tol=1e-12)
    assert result.converged
    np.testing.assert_allclose(result.x, minimiser, atol=1e-5)
    assert result.value == pytest.approx(objective.value(minimiser), rel=1e-8)


@every_solver
@pytest.mark.parametrize(
    ("objective", "start", "minima"),
    [
        (ROSENBROCK, [-1.2, 1.0], [[1, 1]]),
        (BEALE, [1.0, 1.0], [[3, 0.5]]),
        (
            HIMMELBLAU,
            [0.0, 0.0],
            [[3, 2], [-2.805118, 3.131313], [-3.779310, -3.283186], [3.584428, -1.848127]],
        ),
    ],
    ids=["rosenbrock", "beale", "himmelblau"],
)
def test_classical_functions(solver, objective, start, minima):
    result = minimise(objective, np.array(start), solver=solver, tol=1e-12)
    assert result.converged
    assert result.value < 1e-8
    assert np.abs(np.array(minima) - result.x).max(axis=1).min() < 1e-3


@pytest.mark.slow
def test_every_solver_meets_scikit_learn():
    z, y = categorical(400, [3, 2, 4, 3], n_classes=3, seed=1)
    objective = Logistic(z, y, 3)
    peer = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10000, solver="newton-cholesky")
    keep = [0, 2, 3, 5, 7, 8, 9, 11, 12]  # full rank, so that Cholesky works
    peer.fit(z[:, keep[1:]], y)
    expected = -np.log(peer.predict_proba(z[:, keep[1:]])[np.arange(len(y)), y]).sum()
    for solver in SOLVERS:
        result = minimise(objective, naive_bayes_start(objective), solver=solver)
        assert result.converged, solver
        assert result.value == pytest.approx(expected, rel=1e-8), solver


@every_solver
def test_columns_given_twice(solver):
    z, y = categorical(300, [3, 3], n_classes=2, seed=2)
    once, twice = Logistic(z, y, 2), Logistic(np.hstack([z, z]), y, 2)
    expected = minimise(once, np.zeros(once.size), tol=1e-12).value
    result = minimise(twice, np.zeros(twice.size), solver=solver)
    assert result.value == pytest.approx(expected, rel=1e-8)
    assert np.abs(result.x).max() < 10


@pytest.mark.parametrize("solver", ["newton", "l-bfgs"])
@pytest.mark.parametrize("tol", [1e-6, 1e-9])
def test_separable_data_end_near_zero_with_finite_weights(solver, tol):
    z, _ = categorical(100, [3, 3, 3], n_classes=2, seed=3)
    y = (z[:, 1] + z[:, 4] > 0).astype(int)
    objective = Logistic(z, y, 2)
    result = minimise(objective, np.zeros(objective.size), solver=solver, tol=tol)
    assert result.status is Status.CONVERGED
    assert 0 <= result.value <= tol
    assert np.abs(result.x).max() < 1000


@every_solver
def test_callback_sees_every_iteration_and_can_stop(solver):
    objective, seen = Logistic(*categorical(200, [3, 4], 3, seed=4), 3), []

    def stop_at_two(state):
        value, gradient = objective.value_and_gradient(state.x)
        assert state.value == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(state.gradient, gradient, atol=1e-10)
        seen.append(state)
        return state.iteration == 2

    start = np.zeros(objective.size)
    result = minimise(objective, start, solver=solver, on_iteration=stop_at_two)
    assert [state.iteration for state in seen] == [0, 1, 2]
    assert result.status is Status.CALLBACK
    assert not result.converged
    assert result.n_iter == 2
    assert result.value == seen[-1].value < seen[0].value
    np.testing.assert_array_equal(seen[0].x, start)
    np.testing.assert_array_equal(result.x, seen[-1].x)


@every_solver
def test_callback_can_stop_at_the_start(solver):
    result = minimise(ROSENBROCK, [0.0, 0.0], solver=solver, on_iteration=lambda _: True)
    assert (result.status, result.n_iter) == (Status.CALLBACK, 0)


@every_solver
@pytest.mark.parametrize("max_iter", [0, 1, 3])
def test_iteration_limit(solver, max_iter):
    result = minimise(ROSENBROCK, np.array([-1.2, 1.0]), solver=solver, max_iter=max_iter)
    assert result.status is Status.ITERATION_LIMIT
    assert result.n_iter == max_iter
    assert "max_iter" in result.status.value


@every_solver
def test_function_not_finite_at_the_start(solver):
    hole = Smooth(lambda _: np.nan, lambda x: x, lambda _: np.eye(2))
    result = minimise(hole, np.zeros(2), solver=solver)
    assert result.status is Status.NOT_FINITE
    assert result.n_iter == 0


@every_solver
def test_no_parameters(solver):
    empty = Smooth(lambda _: 3.5, lambda x: x, lambda _: np.zeros((0, 0)))
    result = minimise(empty, np.zeros(0), solver=solver)
    assert (result.status, result.value, result.n_iter) == (Status.CONVERGED, 3.5, 0)


@every_solver
def test_start_is_left_alone(solver):
    start = np.array([-1.2, 1.0])
    minimise(ROSENBROCK, start, solver=solver)
    np.testing.assert_array_equal(start, [-1.2, 1.0])
    result = minimise(ROSENBROCK, start, solver=solver, max_iter=0)
    assert not np.shares_memory(result.x, start)


@every_solver
def test_a_minimum_needs_no_step(solver):
    result = minimise(ROSENBROCK, np.array([1.0, 1.0]), solver=solver)
    assert result.converged
    assert result.value == 0


@every_solver
def test_same_input_same_bits(solver):
    objective = Logistic(*categorical(150, [3, 4], 3, seed=5), 3)
    first, second = (minimise(objective, np.ones(objective.size), solver=solver) for _ in "ab")
    assert first.x.tobytes() == second.x.tobytes()


def test_scipy_keeps_its_own_rule():
    objective = Logistic(*categorical(150, [3, 4], 3, seed=6), 3)
    loose = minimise(objective, np.zeros(objective.size), solver="scipy-bfgs", gtol=1.0)
    assert loose.status is Status.CONVERGED
    assert 1e-3 < np.abs(loose.gradient).max() <= 1.0
    assert loose.decrement is None


@pytest.mark.parametrize("solver", [*in_full("scipy-cg"), "scipy-bfgs"])
def test_precision_loss_is_no_failure(solver):
    objective = Logistic(*categorical(2000, [3, 4], 3, seed=6, sharpness=0.5), 3)
    result = minimise(objective, np.zeros(objective.size), solver=solver, gtol=0.0)
    assert result.status is Status.PRECISION
    assert result.converged
    best = minimise(objective, np.zeros(objective.size), tol=1e-13)
    assert result.value == pytest.approx(best.value, rel=1e-10)


@pytest.mark.slow
def test_l_bfgs_estimates_its_gap_and_says_so():
    objective = Logistic(*categorical(500, [5, 4, 3, 4], 3, seed=7, sharpness=3.0), 3)
    start = np.zeros(objective.size)
    best = minimise(objective, start, tol=1e-13).value
    for tol in (1e-3, 1e-6, 1e-9):
        result = minimise(objective, start, solver="l-bfgs", tol=tol)
        assert result.status is Status.CONVERGED
        assert result.value - best <= 1.01 * tol * result.value
        assert result.value - best <= 2 * result.decrement + 1e-11 * best
        assert "estimated" in result.detail


@pytest.mark.slow
def test_l_bfgs_scaled():
    """Where one column is a hundredfold, scaling is what lets L-BFGS arrive at all."""
    z, y = categorical(600, [12, 10, 3], 4, seed=8, sharpness=2.0)
    z[:, 0] *= 100
    objective, start = Logistic(z, y, 4), np.zeros(4 * z.shape[1])
    scale = np.sqrt(objective.inverse) / np.repeat([100.0] + [1] * 25, 4)
    plain = minimise(objective, start, solver="l-bfgs", max_iter=200)
    scaled = minimise(objective, start, solver="l-bfgs", max_iter=200, scale=scale)
    assert plain.status is Status.ITERATION_LIMIT
    assert scaled.status is Status.CONVERGED
    assert scaled.value == pytest.approx(minimise(objective, start).value, rel=2e-9)


def test_l_bfgs_without_positive_curvature_keeps_scipys_rule():
    """The Hessian given here says that there is no minimum anywhere."""
    objective, minimiser = quadratic(30, condition=1e4)
    objective.hessian = lambda _: lambda v: -v
    result = minimise(objective, np.zeros(30), solver="l-bfgs")
    assert result.status is Status.CONVERGED
    assert "not estimated" in result.detail
    assert result.value == pytest.approx(objective.value(minimiser), rel=1e-8)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"solver": "newten"}, ["'newten'", "newton", "l-bfgs", "did you mean 'newton'?"]),
        ({"solver": 3}, ["3", "scipy-cg"]),
        ({"solver": "newton", "gtol": 1e-3}, ["'newton'", "'gtol'", "memory"]),
        ({"tol": -1.0}, ["tol", "-1.0"]),
        ({"tol": float("nan")}, ["tol", "nan"]),
        ({"tol": "1e-9"}, ["tol", "'1e-9'"]),
        ({"max_iter": 2.5}, ["max_iter", "2.5"]),
        ({"max_iter": -1}, ["max_iter", "-1"]),
        ({"solver": "newton", "memory": -1}, ["memory", "-1"]),
        ({"solver": "newton", "max_products": 0}, ["max_products", "0"]),
        ({"solver": "l-bfgs", "memory": 0}, ["memory", "0"]),
        ({"solver": "l-bfgs", "scale": np.array([1.0, 0.0])}, ["scale", "2 positive"]),
        ({"solver": "l-bfgs", "scale": np.ones(3)}, ["scale", "2 positive"]),
        ({"solver": "scipy-cg", "gtol": -1.0}, ["gtol", "-1.0"]),
    ],
)
def test_bad_options(given, words):
    with pytest.raises(ParameterError) as caught:
        minimise(ROSENBROCK, np.zeros(2), **given)
    assert all(word in str(caught.value) for word in words), caught.value


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ([0.0, np.nan], ["x0[1]", "nan"]),
        ([np.inf, 0.0], ["x0[0]", "inf"]),
        ([[0.0, 1.0]], ["(1, 2)"]),
        (["a", "b"], ["numbers"]),
    ],
)
def test_bad_starts(start, words):
    with pytest.raises(ParameterError) as caught:
        minimise(ROSENBROCK, start)
    assert all(word in str(caught.value) for word in words), caught.value


def test_bfgs_refuses_what_would_not_fit():
    calls = []
    flat = Smooth(lambda _: calls.append(1) or 0.0, lambda x: x, lambda _: None)
    with pytest.raises(TooLargeError, match="l-bfgs"):
        minimise(flat, np.zeros(20_000), solver="scipy-bfgs")
    assert not calls


@pytest.mark.parametrize("n", [1, 100, 8192, 8193, 50_000])
def test_dot(n):
    a, b = np.random.default_rng(n).normal(size=(2, n))
    assert dot(a, b) == pytest.approx(float(np.sum(a * b)), rel=1e-10, abs=1e-10)

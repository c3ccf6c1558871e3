"""Newton's method for dear products: where it ends, what it spends, what it believes."""

import numpy as np
import pytest
from scipy.special import expit

from bnlr.errors import ParameterError
from bnlr.optimize.base import Lasting, Status, minimise
from bnlr.optimize.quasi_newton import quasi_newton
from tests.optimize.problems import BEALE, HIMMELBLAU, ROSENBROCK, Smooth, quadratic
from tests.width import in_full


def run(objective, x0, **options):
    return minimise(objective, np.asarray(x0, dtype=float), solver=quasi_newton, **options)


@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4])
def test_quadratics(condition):
    objective, best = quadratic(30, condition)
    result = run(objective, np.zeros(30), tol=1e-7)
    assert result.status is Status.CONVERGED
    gap = result.value - objective.value(best)
    assert gap <= 1e-7 * max(1.0, abs(result.value))


@pytest.mark.parametrize("n", [1, 5, 40])
def test_an_exact_preconditioner_leaves_one_step_and_a_look(n):
    objective, best = quadratic(n, 1e6)
    matrix = np.array([objective.hessian(best)(e) for e in np.eye(n)])
    objective.preconditioner = lambda _: Lasting(lambda r: np.linalg.solve(matrix, r))
    result = run(objective, best + 1.0, tol=1e-7)
    assert result.converged
    assert result.n_iter <= 2
    np.testing.assert_allclose(result.x, best, atol=1e-5)


@pytest.mark.parametrize(
    ("objective", "start", "lowest"),
    [(ROSENBROCK, (-1.2, 1), 0), (BEALE, (1, 1), 0), (HIMMELBLAU, (0.1, 0.2), 0)],
)
def test_valleys(objective, start, lowest):
    result = run(objective, start)
    assert result.status is Status.CONVERGED
    assert result.value <= lowest + 2e-7
    assert "Newton decrement" in result.detail


def saddle(depth=1.0):
    """½x² − ½y² + y⁴/(4·depth): two minima, and a saddle that gradients of y = 0 lead to."""
    return Smooth(
        lambda v: v[0] ** 2 / 2 - v[1] ** 2 / 2 + v[1] ** 4 / (4 * depth),
        lambda v: [v[0], -v[1] + v[1] ** 3 / depth],
        lambda v: [[1, 0], [0, -1 + 3 * v[1] ** 2 / depth]],
    )


def test_a_saddle_is_no_minimum():
    result = run(saddle(), (3.0, 1e-9))
    assert result.converged
    assert result.value == pytest.approx(-0.25, abs=1e-6)


def test_no_coordinate_goes_far_in_one_step():
    seen = []
    objective = Smooth(
        lambda x: np.exp(-x[0]) + x[1] ** 2,
        lambda x: [-np.exp(-x[0]), 2 * x[1]],
        lambda x: [[np.exp(-x[0]), 0], [0, 2]],
    )
    objective.preconditioner = lambda _: Lasting(lambda r: 1e3 * r)
    run(objective, (0.0, 1.0), on_iteration=lambda state: seen.append(state.x), max_iter=20)
    assert np.abs(np.diff(seen, axis=0)).max() <= 5.0 + 1e-9
    assert np.isfinite(seen).all()


@pytest.mark.parametrize("scale", [30.0, 300.0, 3000.0])
def test_a_start_that_is_overconfident_is_taken_back(scale):
    """Logistic losses so far on the wrong side that their curvature is 0."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((50, 5)) * np.where(rng.random(50) < 0.8, 1, -1)[:, None]
    rows[:, 0] = np.abs(rows[:, 0]) * np.where(rng.random(50) < 0.2, -1, 1)
    objective = Smooth(
        lambda x: np.logaddexp(0, -rows @ x).sum() + 0.05 * x @ x,
        lambda x: -rows.T @ expit(-rows @ x) + 0.1 * x,
        lambda x: (rows.T * expit(rows @ x) * expit(-rows @ x)) @ rows + 0.1 * np.eye(5),
    )
    lowest = run(objective, np.zeros(5)).value
    result = run(objective, scale * np.array([-1.0, 1, -1, 1, -1]))
    assert result.converged
    assert result.value == pytest.approx(lowest, rel=2e-6)
    assert result.n_iter <= 12


@pytest.mark.parametrize("finest", [0.0, 1e-3])
def test_it_asks_for_no_finer_gap_where_hardly_anything_is_gained(finest):
    """F runs away, always within 2e-7 of its infimum."""

    def slope(x):
        return -2e-8 * np.exp(-0.1 * x)

    objective = Smooth(
        lambda x: 1.0 + 2e-7 * np.exp(-0.1 * x[0]), slope, lambda x: [[2e-9 * np.exp(-0.1 * x[0])]]
    )
    result = run(objective, [0.0], tol=1e-30, finest=finest)
    assert result.converged
    assert result.n_iter <= 1 if finest else 3 < result.n_iter <= 25


def test_limits_and_callbacks_end_it():
    objective, _ = quadratic(20, 1e4)
    start = np.zeros(20)
    assert run(objective, start, max_iter=2).status is Status.ITERATION_LIMIT
    stopped = run(objective, start, on_iteration=lambda state: state.iteration >= 1)
    assert (stopped.status, stopped.n_iter) == (Status.CALLBACK, 1)
    lost = Smooth(lambda _: np.nan, lambda x: x, lambda _: np.eye(2))
    assert run(lost, np.ones(2)).status is Status.NOT_FINITE


@pytest.mark.parametrize("options", [{"memory": -1}, {"max_products": 0}, {"radius": 1}])
def test_other_options_are_refused(options):
    with pytest.raises(ParameterError):
        run(quadratic(3, 2.0)[0], np.zeros(3), **options)


@pytest.mark.parametrize("max_products", [*in_full(1), 2, 5])
@pytest.mark.parametrize("condition", [1e2, 1e4])
def test_systems_that_are_cut_off_do_not_converge_far_from_the_minimum(max_products, condition):
    """What a system that may hardly be solved has not seen may be most of the gap."""
    objective, best = quadratic(30, condition)
    objective.preconditioner = lambda _: Lasting(lambda r: r / condition)  # which hides the rest
    least = objective.value(best)
    for seed in range(2):
        start = best + np.random.default_rng(seed).normal(size=30)
        result = run(objective, start, tol=1e-5, max_products=max_products, max_iter=500)
        if result.converged:
            assert result.value - least <= 1e-5 * max(1.0, abs(result.value))

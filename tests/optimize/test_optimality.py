"""A verdict on a point is about F − min F: of functions whose minimum is known."""

from dataclasses import replace

import numpy as np
import pytest

from bnlr.optimize.base import Result, Status, minimise
from bnlr.optimize.optimality import NEAR, confirmed, enough, estimated_gap, proven
from tests.optimize.problems import ROSENBROCK, Logistic, Smooth, categorical, quadratic
from tests.width import in_full


def at(objective, x, status=Status.CONVERGED):
    value, gradient = objective.value_and_gradient(x)
    return Result(x, value, gradient, status, 3, None, "By its rule.")


def identity(r):
    return r


@pytest.mark.parametrize("preconditioner", [None, identity], ids=["hessian", "differences"])
@pytest.mark.parametrize("seed", range(20))
def test_a_quadratics_gap_is_found(seed, preconditioner):
    rng = np.random.default_rng(seed)
    objective, minimiser = quadratic(int(rng.integers(2, 15)), condition=30, seed=seed)
    x = minimiser + 10.0 ** rng.uniform(-7, 0) * rng.standard_normal(minimiser.size)
    gap = objective.value(x) - objective.value(minimiser)
    value, gradient = objective.value_and_gradient(x)
    found = estimated_gap(objective, x, value, gradient, 0.0, preconditioner)
    if gap <= enough(value, 0.0):
        assert found == pytest.approx(gap, rel=1e-3, abs=1e-13)
    else:
        assert enough(value, 0.0) < found <= 1.001 * gap


@pytest.mark.parametrize("status", [Status.CONVERGED, Status.PRECISION])
@pytest.mark.parametrize("seed", [*range(4), *in_full(*range(4, 10))])
def test_converged_is_near(seed, status):
    """At every point of a road to the minimum; near is a ten-millionth of the value, or tol."""
    objective, road = Logistic(*categorical(200, [3, 4], 3, seed=seed), 3), []
    minimise(
        objective,
        np.zeros(objective.size),
        solver="cg",
        on_iteration=lambda state: road.append(state.x),
    )
    best = minimise(objective, road[-1], tol=1e-13).value
    verdicts = [confirmed(objective, at(objective, x, status), 0.0) for x in road]
    for verdict in verdicts:
        gap = verdict.value - best
        assert verdict.converged == (verdict.status is status)
        assert verdict.converged or verdict.status is Status.SHORT
        if not 0.4 < gap / enough(best, 0.0) < 2.5:  # twice, where parameters run away
            assert verdict.converged == (gap <= enough(best, 0.0))
    assert verdicts[-1].converged
    assert not verdicts[0].converged
    for x in road:
        gap = objective.value(x) - best
        if not 0.4 < gap / 1e-3 / best < 2.5:
            assert confirmed(objective, at(objective, x), 1e-3).converged == (gap <= 1e-3 * best)


def test_who_has_estimated_is_believed_and_who_was_stopped_is_left_alone():
    point = replace(at(ROSENBROCK, np.zeros(2)), decrement=1e-9)
    assert confirmed(ROSENBROCK, point, 0.0) is point
    for status in (Status.CALLBACK, Status.ITERATION_LIMIT, Status.UNBOUNDED, Status.NOT_FINITE):
        stopped = at(ROSENBROCK, np.zeros(2), status)
        assert confirmed(ROSENBROCK, stopped, 0.0) is stopped


@pytest.mark.parametrize("preconditioner", [None, identity], ids=["hessian", "differences"])
@pytest.mark.parametrize("shift", [1e-6, 1e-9])
def test_a_ridge_is_no_minimum(shift, preconditioner):
    """x⁴/4 − x²/2 + y²/2: at (0, 0) the gradient vanishes and the curvature is negative."""
    ridge = Smooth(
        lambda x: x[0] ** 4 / 4 - x[0] ** 2 / 2 + x[1] ** 2 / 2,
        lambda x: [x[0] ** 3 - x[0], x[1]],
        lambda x: [[3 * x[0] ** 2 - 1, 0], [0, 1]],
    )
    x = np.array([shift, 0.0])
    value, gradient = ridge.value_and_gradient(x)
    found = estimated_gap(ridge, x, value, gradient, 0.0, preconditioner)
    assert found == pytest.approx(0.25, rel=1e-3)


@pytest.mark.parametrize("preconditioner", [None, identity], ids=["hessian", "differences"])
def test_a_ridge_between_walls_falls_by_nothing(preconditioner):
    """As of a likelihood whose next step along the ridge makes what rows show impossible."""
    ridge = Smooth(
        lambda x: -(x[0] ** 2) / 2 if abs(x[0]) < 0.1 else np.inf,
        lambda x: [-x[0]],
        lambda _: [[-1.0]],
    )
    value, gradient = ridge.value_and_gradient(np.array([1e-9]))
    found = estimated_gap(ridge, np.array([1e-9]), value, gradient, 0.0, preconditioner)
    assert 0.0 <= found < 1e-15


@pytest.mark.parametrize("distance", [2.0, 10.0, 20.0, 40.0])
def test_where_parameters_run_away_the_gap_is_that_to_the_limit(distance):
    falling = Smooth(
        lambda x: np.exp(-x[0]) + x[1] ** 2,
        lambda x: [-np.exp(-x[0]), 2 * x[1]],
        lambda x: np.diag([np.exp(-x[0]), 2.0]),
    )
    verdict = confirmed(falling, at(falling, np.array([distance, 0.0])), 0.0)
    assert verdict.converged == (0.5 * np.exp(-distance) <= NEAR)


def test_coordinates_at_their_bound_do_not_count():
    slope = Smooth(lambda x: x[0] + x[1] ** 2, lambda x: [1.0, 2 * x[1]], None)
    x = np.array([0.0, 1e-5])
    value, gradient = slope.value_and_gradient(x)
    free = np.array([False, True])
    found = estimated_gap(slope, x, value, gradient, 0.0, identity, free)
    assert found == pytest.approx(1e-10, rel=1e-3)


def test_a_proof_confirms_what_an_estimate_does_not():
    short = replace(at(ROSENBROCK, np.zeros(2)), status=Status.SHORT)
    assert proven(short, -50.0, -50.0 - 1e-7, 0.0).converged
    for bound in (None, -49.9, float("nan")):
        assert proven(short, bound, -50.0, 0.0) is short


@pytest.mark.parametrize(
    ("far", "seen", "status"),
    [
        (1e-9, 1e-9, Status.CONVERGED),  # the last iteration allowed was the last one needed
        (1.0, 1e-9, Status.ITERATION_LIMIT),  # only a part of the gap was seen
        (1e-9, None, Status.ITERATION_LIMIT),  # who has not looked says nothing
    ],
)
def test_an_iteration_limit_near_the_minimum_is_none(far, seen, status):
    function, minimum = quadratic(6, 10.0)
    x = minimum + far
    value, gradient = function.value_and_gradient(x)
    stopped = Result(x, value, gradient, Status.ITERATION_LIMIT, 5, seen, "")
    assert confirmed(function, stopped, 1e-9).status is status


def test_a_gap_that_proves_larger_than_was_seen_is_what_is_told():
    function, minimum = quadratic(6, 10.0)
    x = minimum + 1.0
    value, gradient = function.value_and_gradient(x)
    told = confirmed(
        function, Result(x, value, gradient, Status.ITERATION_LIMIT, 5, 1e-9, "Seen."), 1e-9
    )
    gap = value - function.value_and_gradient(minimum)[0]
    allowed = enough(value, 1e-9)
    assert told.decrement is not None
    assert allowed < told.decrement <= gap * (1 + 1e-9)
    assert told.detail == (
        f"Seen. Looked at again, the gap is estimated at {told.decrement:.1e} or more, "
        f"{allowed:.1e} being near enough."
    )

"""Brackets and Brent's method, against SciPy's; CG with exact line searches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from bnlr.optimize.base import minimise
from bnlr.optimize.brent import Bracket, Point, bracket, brent, vertex
from bnlr.optimize.descent import Ray

from .problems import Logistic, Smooth, categorical, quadratic
from .test_nash import SPACES, conditional, run


def ray_of(f, slope):
    return Ray(Smooth(lambda x: f(x[0]), None, None), np.zeros(1), np.ones(1), f(0.0), slope)


LINES = {
    "quartic": (lambda s: (s - 0.7) ** 4 + s**2, -4 * 0.7**3, 0.0),
    "exponential": (lambda s: np.exp(s) - 5 * s, -4.0, np.log(5)),
    "cosh": (lambda s: np.cosh(s - 3), np.sinh(-3), 3.0),
    "far": (lambda s: (s / 1000 - 1) ** 2, -0.002, 1000.0),
    "near": (lambda s: (1000 * s - 1) ** 2, -2000.0, 0.001),
}


@pytest.mark.parametrize("name", list(LINES))
@pytest.mark.parametrize("first", [1e-4, 0.3, 1.0, 40.0])
def test_a_bracket_holds_a_minimum(name, first):
    f, slope, _ = LINES[name]
    low, middle, high = bracket(ray_of(f, slope), first)
    assert low.s < middle.s < high.s
    assert middle.value <= min(low.value, high.value)
    assert all(point.value == pytest.approx(f(point.s)) for point in (low, middle, high))


@pytest.mark.parametrize("name", list(LINES))
@pytest.mark.parametrize("precision", [1e-2, 2e-4, 1e-7])
def test_brent_meets_scipy(name, precision):
    f, slope, _ = LINES[name]
    calls = []
    found = brent(lambda s: calls.append(s) or f(s), bracket(ray_of(f, slope), 1.0), precision)
    expected = optimize.minimize_scalar(f, bracket=(0, 1), tol=1e-9).x
    assert found.s == pytest.approx(expected, rel=3 * precision)
    assert found.value == f(found.s) == min(f(s) for s in [found.s, *calls])
    assert len(calls) < 40


@given(
    st.floats(-3, 3), st.floats(0.01, 2), st.floats(0.01, 2), st.floats(-5, 5), st.floats(0.1, 9)
)
def test_vertex_of_a_parabola(low, left, right, where, bend):
    points = [Point(s, bend * (s - where) ** 2 + 1) for s in (low, low + left, low + left + right)]
    assert vertex(*points) == pytest.approx(where, abs=1e-5)


def test_no_vertex():
    assert vertex(Point(0, 0), Point(1, 1), Point(2, 2)) is None
    assert vertex(Point(0, 1), Point(1, 0), Point(2, np.inf)) is None
    assert vertex(Point(0, np.inf), Point(1, 0), Point(2, np.inf)) is None


def test_not_finite_beyond_a_wall():
    def f(s):
        return (s - 0.2) ** 2 if s < 0.25 else np.nan

    around = bracket(ray_of(f, -0.4), 1.0)
    assert around.high.value == np.inf or around.high.s < 0.25
    assert brent(ray_of(f, -0.4), around, 1e-5).s == pytest.approx(0.2, abs=1e-4)


def test_no_bracket_where_nothing_is_lower():
    assert bracket(ray_of(abs, -1.0), 1.0) is None


def test_falling_without_end_is_cut_off():
    low, middle, high = bracket(ray_of(lambda s: -s, -1.0), 1.0)
    assert low.s < middle.s < high.s
    flat = bracket(ray_of(lambda s: np.exp(-s), -1.0), 1.0)
    assert np.isfinite(flat.high.s)
    assert brent(lambda s: np.exp(-s), flat, 1e-3).value < 1e-300


def test_brent_keeps_the_best_of_a_plateau():
    assert brent(lambda _: 1.0, Bracket(Point(0, 1), Point(1, 1), Point(2, 1)), 1e-3).value == 1


@given(st.integers(1, 10), st.integers(0, 10**6))
def test_a_quadratic_takes_n_steps(n, seed):
    objective, minimiser = quadratic(n, condition=10, seed=seed)
    result = minimise(objective, np.ones(n), solver="cg-brent", precision=1e-7, max_iter=n)
    np.testing.assert_allclose(result.x, minimiser, atol=1e-4)
    lowest = objective.value(minimiser)
    assert result.value - lowest <= 1e-8 * (objective.value(np.ones(n)) - lowest) + 1e-12


def by_scipy(objective, x, n_steps):
    """Polak–Ribière with SciPy's scalar minimiser along each direction."""
    points, old = [], None
    for _ in range(n_steps):
        g = objective.value_and_gradient(x)[1]
        d = -g if old is None else -g + (g @ (g - old[0])) / (old[0] @ old[0]) * old[1]
        step = optimize.minimize_scalar(
            lambda s, x=x, d=d: objective.value(x + s * d), bracket=(0, 1e-3), tol=1e-10
        )
        x, old = x + step.x * d, (g, d)
        points.append(x)
    return points


@pytest.mark.parametrize("space", list(SPACES))
def test_cg_brent_takes_scipys_road_on_the_cll(space):
    objective, x0 = conditional(space, seed=2)
    states, _, _ = run("cg-brent", objective, x0, max_iter=6, precision=1e-8)
    for state, point in zip(states[1:], by_scipy(objective, x0, 6), strict=True):
        np.testing.assert_allclose(state.x, point, atol=1e-4)


def test_the_last_step_saves_evaluations():
    objective = Logistic(*categorical(400, [3, 4, 3], 3, seed=9), 3)
    _, rows, _ = run("cg-brent", objective, np.zeros(objective.size), max_iter=12)
    assert rows[1].n_cll > np.median([row.n_cll for row in rows[2:]])

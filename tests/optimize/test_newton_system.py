"""Conjugate gradients on the Newton system, and the secant preconditioner."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.optimize.decrement import newton_decrement
from bnlr.optimize.newton_system import NewtonSystem
from bnlr.optimize.secant import SecantPairs

from .problems import Logistic, Smooth, categorical, quadratic


def random_system(seed, n=8, rank=None):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(rank or n, n))
    matrix = root.T @ root
    diagonal = rng.uniform(0.5, 2, size=n)
    return matrix, matrix @ rng.normal(size=n), diagonal


@given(st.integers(0, 10**6), st.sampled_from([None, 5]))
def test_solves_regular_and_consistent_singular_systems(seed, rank):
    matrix, gradient, diagonal = random_system(seed, rank=rank)
    system = NewtonSystem(gradient, lambda v: matrix @ v, lambda r: diagonal * r)
    while not system.ended and system.residual > 1e-9 * system.gradient_length:
        system.step()
        p = system.p
        model = -gradient @ p - p @ matrix @ p / 2
        assert system.decrease == pytest.approx(model, rel=1e-6)
        assert system.length**2 == pytest.approx(p @ (p / diagonal), rel=1e-3)
        assert system.n_products < 60
    expected = gradient @ np.linalg.pinv(matrix, hermitian=True) @ gradient / 2
    assert system.decrease == pytest.approx(expected, rel=1e-6)


def test_n_steps_also_where_the_preconditioner_hands_back_its_argument():
    objective, minimiser = quadratic(6, condition=50)
    _, gradient = objective.value_and_gradient(np.zeros(6))
    system = NewtonSystem(gradient, objective.hessian(None), lambda r: r)
    while not system.ended and system.n_products < 6:
        system.step()
    np.testing.assert_allclose(system.p, minimiser, atol=1e-8)


@given(st.integers(0, 10**6), st.floats(0.01, 10))
def test_stays_inside_its_region(seed, share):
    matrix, gradient, diagonal = random_system(seed)
    system = NewtonSystem(gradient, lambda v: matrix @ v, lambda r: diagonal * r)
    radius = share * system.gradient_length / 10
    while not system.ended and system.n_products < 40:
        system.step(radius)
    length = np.sqrt(system.p @ (system.p / diagonal))
    assert length <= radius * (1 + 1e-9)
    if system.ended == "boundary":
        assert length == pytest.approx(radius, rel=1e-9)
    model = -gradient @ system.p - system.p @ matrix @ system.p / 2
    assert system.decrease == pytest.approx(model, rel=1e-6)


def test_negative_curvature_goes_to_the_boundary():
    matrix = np.diag([1.0, -1.0])
    system = NewtonSystem(np.array([0.1, 1.0]), lambda v: matrix @ v, lambda r: r)
    system.step(radius=3.0)
    assert system.ended == "negative"
    assert np.linalg.norm(system.p) == pytest.approx(3)
    assert system.p @ [0.1, 1.0] < 0


def test_no_curvature_at_all():
    system = NewtonSystem(np.array([3.0, 4.0]), lambda v: 0 * v, lambda r: r)
    system.step(radius=10.0)
    assert system.ended == "flat"
    np.testing.assert_allclose(system.p, [-6, -8])
    assert system.decrease == pytest.approx(50)


def test_zero_gradient_is_solved():
    system = NewtonSystem(np.zeros(3), lambda v: v, lambda r: r)
    assert (system.ended, system.residual, system.decrease) == ("exact", 0, 0)


def test_a_gradient_too_small_to_square_is_solved():
    system = NewtonSystem(np.full(3, 1e-200), lambda v: v, lambda r: r)
    assert (system.ended, system.decrease) == ("exact", 0)


def test_a_preconditioner_that_is_not_positive_is_noticed():
    system = NewtonSystem(np.ones(2), lambda v: v, lambda r: -r)
    assert system.ended == "indefinite"


def literal_inverse_bfgs(base, steps, changes):
    """N&W equation 6.17, matrix by matrix."""
    inverse = base
    for s, y in zip(steps, changes, strict=True):
        rho = 1 / (s @ y)
        left = np.eye(len(s)) - rho * np.outer(s, y)
        inverse = left @ inverse @ left.T + rho * np.outer(s, s)
    return inverse


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_secant_pairs_equal_the_dense_update(seed, count):
    matrix, _, diagonal = random_system(seed, n=6)
    steps = np.random.default_rng(seed).normal(size=(count, 6))
    pairs = SecantPairs(memory=4)
    for step in steps:
        pairs.add(step, matrix @ step)
    apply = pairs.improve(lambda r: diagonal * r)
    kept = steps[-4:]
    expected = literal_inverse_bfgs(np.diag(diagonal), kept, kept @ matrix)
    np.testing.assert_allclose(
        np.array([apply(e) for e in np.eye(6)]),
        expected,
        rtol=1e-6,
        atol=1e-6 * np.abs(expected).max(),
    )
    np.testing.assert_allclose(apply(matrix @ steps[-1]), steps[-1], rtol=1e-6, atol=1e-6)


def test_secant_pairs_leave_out_what_does_not_curve():
    pairs, base = SecantPairs(memory=3), lambda r: r
    pairs.add(np.ones(2), -np.ones(2))
    pairs.add(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    pairs.add(np.zeros(2), np.zeros(2))
    assert not pairs
    assert pairs.improve(base) is base
    pairs.add(np.ones(2), np.ones(2))
    assert pairs
    pairs.forget()
    assert not pairs


def test_newton_decrement():
    objective, minimiser = quadratic(7, condition=30)
    x = minimiser + 1e-4
    value, gradient = objective.value_and_gradient(x)
    gap = value - objective.value(minimiser)
    assert newton_decrement(objective, x, value, gradient, 1.5 * gap) == pytest.approx(
        gap, rel=1e-6
    )
    assert newton_decrement(objective, x, value, gradient, gap / 100) > gap / 100


def test_newton_decrement_of_a_saddle_is_not_given():
    saddle = Smooth(
        lambda x: x[0] ** 2 - x[1] ** 2, lambda x: 2 * x * [1, -1], lambda _: np.diag([2, -2])
    )
    x = np.array([0.0, 1e-3])
    assert newton_decrement(saddle, x, *saddle.value_and_gradient(x), 1e-7) is None


def test_literal_derivatives_of_the_test_problem():
    """The tests' own logistic regression against differences."""
    objective = Logistic(*categorical(50, [3, 2], 3, seed=1), 3)
    x, d = np.random.default_rng(0).normal(size=(2, objective.size))
    h = 1e-6
    up, down = (objective.value_and_gradient(x + s * h * d) for s in (1, -1))
    value, gradient = objective.value_and_gradient(x)
    assert (up[0] - down[0]) / (2 * h) == pytest.approx(gradient @ d, rel=1e-6)
    np.testing.assert_allclose((up[1] - down[1]) / (2 * h), objective.hessian(x)(d), atol=1e-6)
    assert objective.along(x, d)(0.0) == pytest.approx((value, gradient @ d))

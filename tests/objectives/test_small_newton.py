"""The compiled walk of small problems: the points, counts and verdicts of Newton's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import solve_triangular
from scipy.optimize import minimize as scipy_minimize

import bnlr
from bnlr.design.pack import family_cells
from bnlr.design.tables import Design, kernels
from bnlr.objectives import conditional
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.small_newton import SmallNewton, is_small
from bnlr.optimize.base import Status, minimise
from bnlr.optimize.trace import CountingObjective, Trace
from bnlr.spaces.free import Free
from tests.strategies import problems, seeds, structures

from .test_precondition import chained

compiled = pytest.mark.skipif(not kernels().IS_COMPILED, reason="needs the compiled kernels")


class Plain(ConditionalObjective):
    """Answers as its parent does, but has no walk of its own."""


def objectives(structure, data, strength, centre_seed=None):
    """The objective with its own walk, and the same without; parameters are the tables."""
    space = Free(structure, {node: data.states[node] for node in structure.nodes})
    shape = (space.layout.n_cells, space.layout.n_classes - 1)
    centre = np.zeros(shape)
    if centre_seed is not None:
        centre = np.random.default_rng(centre_seed).standard_normal(shape)
    penalty = Penalty(space.layout, strength, centre) if strength else None
    parts = (Design.of(space.layout, data), space, penalty)
    return ConditionalObjective(*parts), Plain(*parts)


def run(objective, start, **options):
    counting = CountingObjective(objective)
    trace = Trace(counting)
    return minimise(counting, start, on_iteration=trace, **options), counting.counts, trace.rows


@compiled
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("strength", [0.0, 0.3])
@pytest.mark.parametrize("size", [0.0, 1.0, 40.0])
def test_walks_step_by_step_as_newton_does(n_classes, strength, size):
    """Also from starts of confident scores, which are shrunk first."""
    structure, data = chained(400, n_classes, seed=n_classes)
    own, plain = objectives(structure, data, strength, centre_seed=1)
    start = size * np.random.default_rng(3).standard_normal(own.space.size)
    assert isinstance(own.newton_walk(start, 1e-6, 9, 5), SmallNewton)
    ours, counts, rows = run(own, start, tol=1e-6)
    theirs, expected, twins = run(plain, start, tol=1e-6)
    assert (ours.status, ours.n_iter, counts) == (theirs.status, theirs.n_iter, expected)
    assert ours.detail == theirs.detail
    assert ours.decrement == pytest.approx(theirs.decrement, rel=1e-3)
    np.testing.assert_allclose([row.value for row in rows], [row.value for row in twins], rtol=1e-9)
    spent = [(row.n_cll, row.n_grad, row.n_hvp) for row in rows]
    assert spent == [(row.n_cll, row.n_grad, row.n_hvp) for row in twins]
    for at in (ours.value, plain.value(ours.x)):
        assert at == pytest.approx(theirs.value, rel=1e-9)
    np.testing.assert_allclose(ours.gradient, plain.value_and_gradient(ours.x)[1], atol=1e-8)


@compiled
@given(problems(structures(max_nodes=6), n_rows=(2, 60)), st.sampled_from([0.1, 2.0]), seeds)
def test_meets_the_minimum_that_scipy_finds(problem, strength, seed):
    own, plain = objectives(*problem, strength, seed)
    start = np.random.default_rng(seed).standard_normal(own.space.size)
    result = minimise(own, start, tol=1e-10)
    assert result.status in {Status.CONVERGED, Status.PRECISION}
    best = scipy_minimize(plain.value_and_gradient, start, jac=True, method="BFGS").fun
    assert result.value <= best + 1e-9 * max(1.0, abs(best))
    assert result.value == pytest.approx(plain.value(result.x), rel=1e-12, abs=1e-12)


@compiled
@given(problems(structures(max_nodes=6), n_rows=(2, 60)), seeds)
def test_comes_as_near_as_newton_where_no_minimum_is_finite(problem, seed):
    own, plain = objectives(*problem, 0.0)
    start = np.random.default_rng(seed).standard_normal(own.space.size)
    ours, theirs = (minimise(objective, start, tol=1e-6) for objective in (own, plain))
    scale = max(1.0, abs(theirs.value))
    assert abs(ours.value - theirs.value) <= 3e-6 * scale
    assert np.isfinite(ours.x).all()


@compiled
@pytest.mark.parametrize(
    "options",
    [{"max_iter": 0}, {"max_iter": 2}, {"max_products": 1}, {"memory": 0}, {"memory": 1}],
)
def test_options_mean_the_same(options):
    structure, data = chained(200, 3, seed=8)
    own, plain = objectives(structure, data, 0.01)
    start = np.zeros(own.space.size)
    ours, counts, _ = run(own, start, tol=1e-8, **options)
    theirs, expected, _ = run(plain, start, tol=1e-8, **options)
    assert (ours.status, ours.n_iter, counts) == (theirs.status, theirs.n_iter, expected)
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-6)


@compiled
def test_states_shown_are_the_callers_to_keep():
    structure, data = chained(200, 3, seed=9)
    own, _ = objectives(structure, data, 0.1)
    seen = []
    minimise(own, np.zeros(own.space.size), on_iteration=seen.append)
    for state in seen:
        value, gradient = own.value_and_gradient(state.x)
        assert value == pytest.approx(state.value, rel=1e-12)
        np.testing.assert_allclose(gradient, state.gradient, atol=1e-9)


@compiled
def test_a_start_that_is_not_finite_in_value_is_said_so():
    structure, data = chained(50, 2, seed=1)
    own, _ = objectives(structure, data, 1.0)
    with np.errstate(all="ignore"):
        result = minimise(own, np.full(own.space.size, 1e200))
    assert result.status is Status.NOT_FINITE


def test_only_small_problems_and_free_tables_are_walked(monkeypatch):
    structure, data = chained(100, 2, seed=2)
    own, plain = objectives(structure, data, 1.0)
    assert plain.newton_walk(np.zeros(own.space.size), 1e-6, 9, 5) is None
    monkeypatch.setattr("bnlr.objectives.small_newton.SMALL", 10)
    assert not is_small(own.design)
    assert own.newton_walk(np.zeros(own.space.size), 1e-6, 9, 5) is None
    other = bnlr.LogLinear(structure, data.states)
    assert ConditionalObjective(own.design, other).newton_walk(np.zeros(3), 1e-6, 9, 5) is None
    assert conditional.is_small is is_small


@compiled
@pytest.mark.parametrize("n", [1, 3, 4, 7, 40])
@pytest.mark.parametrize("width", [1, 2, 5])
def test_triangular_solves(n, width):
    from bnlr.objectives.small_kernels import solve

    rng = np.random.default_rng(n)
    upper = np.triu(rng.standard_normal((n, n))) + 3 * n * np.eye(n)
    b = rng.standard_normal((n, width))
    expected = solve_triangular(upper, solve_triangular(upper, b, trans=1))
    solve(upper + np.tril(rng.standard_normal((n, n)), -1), b)
    np.testing.assert_allclose(b, expected, rtol=1e-9, atol=1e-12)


def drawn(seed):
    """Few rows of a few small attributes, the class a coin or a function of one of them."""
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(8, 200)), int(rng.integers(2, 6))
    cards = rng.integers(2, 5, int(rng.integers(1, 5)))
    codes = np.column_stack([rng.integers(0, card, n) for card in cards])
    labels = rng.integers(0, n_classes, n) if seed % 3 else codes[:, 0] % n_classes
    states = {f"x{i}": tuple(range(card)) for i, card in enumerate(cards)}
    states["class"] = tuple(range(n_classes))
    data = bnlr.Dataset.from_codes(np.column_stack([codes, labels]), states, "class")
    return bnlr.learn_structure(data, "tan"), data


@pytest.mark.parametrize("tol", [0.0, 1e-16, 1e-15, 1e-13])
@pytest.mark.parametrize("walk", [0, 1])
def test_ends_however_fine_the_tolerance(tol, walk):
    """Steps that rounding refuses are refused once; the walk neither hangs nor runs away."""
    for seed in range(62, 86):
        structure, data = drawn(seed)
        objective = objectives(structure, data, 1.0 if seed % 2 else 0.0)[walk]
        if seed % 3 == 0 and not objective.penalty:
            continue
        start = np.zeros(objective.space.size)
        result = minimise(objective, start, tol=tol, max_iter=200)
        usual = minimise(objective, start, tol=1e-11)
        assert result.converged, (seed, result.status, result.detail)
        assert result.value == pytest.approx(usual.value, rel=1e-10, abs=1e-10)


@compiled
def test_a_refused_step_is_not_tried_again():
    """Advanced by hand: ``walk_on`` would end a walk that only restarts by itself."""
    frame = bnlr.load_dataset("tic-tac-toe")
    data = bnlr.Dataset.from_frame(frame, class_name="class")
    attributes = [name for name in frame if name != "class"]
    own, plain = objectives(bnlr.Structure.naive_bayes(attributes, "class"), data, 0.0)
    start = np.zeros(own.space.size)
    walk = own.newton_walk(start, 0.0, 100, 10)
    status, n_calls = walk.trouble(), 0
    while status is None and n_calls < 100:
        status, n_calls = walk.advance(), n_calls + 1
    assert status in {Status.CONVERGED, Status.PRECISION}
    best = scipy_minimize(plain.value_and_gradient, start, jac=True, method="BFGS").fun
    assert walk.result(status).value <= best + 1e-9 * abs(best)


@pytest.mark.parametrize("tol", [1e-14, 1e-15, 1e-16, 0.0])
@pytest.mark.parametrize("walk", [0, 1])
def test_rounding_does_not_carry_the_point_along_flat_directions(tol, walk):
    """Monks-2 has a finite optimum, and the tables many directions without curvature."""
    frame = bnlr.load_dataset("monks-2")
    data = bnlr.Dataset.from_frame(frame, class_name=frame.columns[-1])
    objective = objectives(bnlr.learn_structure(data, "tan"), data, 0.0)[walk]
    start = np.zeros(objective.space.size)
    usual = minimise(objective, start, tol=1e-12)
    result = minimise(objective, start, tol=tol)
    assert result.converged
    assert result.value == pytest.approx(usual.value, rel=1e-13)
    np.testing.assert_allclose(result.x, usual.x, atol=1e-2)


@compiled
@pytest.mark.parametrize("n_classes", [2, 4])
def test_what_is_factored_is_the_curvature_of_a_class_summed_over_the_rows(n_classes):
    from bnlr.objectives.small_kernels import curvature_matrix

    structure, data = chained(300, n_classes, seed=4)
    own, _ = objectives(structure, data, 0.0)
    design, layout = Design.of(own.space.layout, data, merge=False), own.space.layout
    local = design.linearise(
        np.random.default_rng(5).standard_normal((layout.n_cells, n_classes - 1))
    )
    packing = design.packing
    rows = (packing.ends, packing.cells, packing.offsets)
    rows += (design.codes, design.classes, design.row_weights)
    penalty = 0.3
    found = curvature_matrix(rows, local.probabilities, layout.n_cells, penalty, 0.0, 0.0)
    p = np.column_stack([1 - local.probabilities.sum(axis=1), local.probabilities])
    literal = np.zeros((layout.n_cells, layout.n_cells))
    curvatures = data.weights * (p * (1 - p)).sum(axis=1) / (n_classes - 1)
    for cells, curvature in zip(family_cells(layout, data), curvatures, strict=True):
        literal[np.ix_(cells, cells)] += curvature
    literal[np.diag_indices_from(literal)] += penalty
    literal *= 0.5 if n_classes == 2 else 1.0
    np.testing.assert_allclose(found, np.triu(literal), rtol=1e-12, atol=1e-12)

"""The compiled walk of small problems: the points, counts and verdicts of Newton's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize as scipy_minimize

import bnlr
from bnlr import native
from bnlr.design.pack import family_cells
from bnlr.design.packed_rows import Design
from bnlr.learn.runs.solver import find_minimum
from bnlr.objectives import small_newton
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.roughness import Roughness
from bnlr.objectives.small_newton import SmallNewton, is_small
from bnlr.objectives.smooth_penalty import SmoothPenalty
from bnlr.optimize.base import Status
from bnlr.optimize.trace import CountingObjective, Trace
from bnlr.spaces.l_model import Free
from tests.kernels import kernels_of
from tests.strategies import problems, seeds, structures
from tests.width import in_full

from .test_precondition import chained

compiled = pytest.mark.skipif(native.kernels() is None, reason="needs the compiled kernels")


@pytest.fixture(params=native.INSTRUCTION_SETS, scope="module")
def code(request):
    """The kernels of each instruction set that can run here."""
    return kernels_of(request.param, "newton")


class Plain(ConditionalObjective):
    """Answers as its parent does, but is walked over in Python."""


def objectives(structure, data, strength, centre_seed=None, *, is_smooth=False):
    """The objective for the compiled walk and for Python's; parameters are the tables."""
    space = Free(structure, {node: data.states[node] for node in structure.nodes})
    shape = (space.layout.n_cells, space.layout.n_classes - 1)
    centre = np.zeros(shape)
    if centre_seed is not None:
        centre = np.random.default_rng(centre_seed).standard_normal(shape)
    penalty = Penalty(space.layout, strength, centre) if strength else None
    if penalty is not None and is_smooth:
        cards = zip(space.layout.attributes, space.layout.attribute_cards, strict=True)
        rough = Roughness(space.layout, dict(cards))
        penalty = SmoothPenalty(space.layout, strength, centre, None, roughness=rough)
    parts = (Design.of(space.layout, data), space, penalty)
    return ConditionalObjective(*parts), Plain(*parts)


def run(objective, start, **options):
    counting = CountingObjective(objective)
    trace = Trace(counting)
    return find_minimum(counting, start, on_iteration=trace, **options), counting.counts, trace.rows


@compiled
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("strength", [0.0, 0.3])
@pytest.mark.parametrize("size", [0.0, 1.0, 40.0])
@pytest.mark.parametrize("is_smooth", [False, True])
def test_walks_step_by_step_as_newton_does(n_classes, strength, size, is_smooth):
    """Also from starts of confident scores, which are shrunk first."""
    structure, data = chained(400, n_classes, seed=n_classes)
    own, plain = objectives(structure, data, strength, centre_seed=1, is_smooth=is_smooth)
    start = size * np.random.default_rng(3).standard_normal(own.space.size)
    assert is_small(own)
    assert not is_small(plain)
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
@given(
    problems(structures(max_nodes=6), n_rows=(2, 60)),
    st.sampled_from([0.1, 2.0]),
    seeds,
    st.booleans(),
)
def test_meets_the_minimum_that_scipy_finds(problem, strength, seed, is_smooth):
    own, plain = objectives(*problem, strength, seed, is_smooth=is_smooth)
    start = np.random.default_rng(seed).standard_normal(own.space.size)
    result = find_minimum(own, start, tol=1e-10)
    assert result.status in {Status.CONVERGED, Status.PRECISION}
    best = scipy_minimize(plain.value_and_gradient, start, jac=True, method="BFGS").fun
    assert result.value <= best + 1e-9 * max(1.0, abs(best))
    assert result.value == pytest.approx(plain.value(result.x), rel=1e-12, abs=1e-12)


@compiled
@given(problems(structures(max_nodes=6), n_rows=(2, 60)), seeds)
def test_comes_as_near_as_newton_where_no_minimum_is_finite(problem, seed):
    own, plain = objectives(*problem, 0.0)
    start = np.random.default_rng(seed).standard_normal(own.space.size)
    ours, theirs = (find_minimum(objective, start, tol=1e-6) for objective in (own, plain))
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
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("strength", [0.0, 0.1])
@pytest.mark.parametrize("options", [{"max_iter": 3}, {"tol": 1e-9}, {"tol": 0.0}])
def test_many_iterations_at_a_go_end_where_single_ones_do(n_classes, strength, options):
    """To the bit; without a penalty few rows of many cells are separated."""
    structure, data = chained(60, n_classes, seed=6)
    own, _ = objectives(structure, data, strength)
    start = 3.0 * np.random.default_rng(2).standard_normal(own.space.size)
    seen, counts, rows = run(own, start, **options)
    counting = CountingObjective(own)
    unseen = find_minimum(counting, start, **options)
    assert len(rows) == seen.n_iter + 1 > 3
    assert counting.counts == counts
    for name in ("x", "gradient"):
        assert getattr(unseen, name).tobytes() == getattr(seen, name).tobytes()
    for name in ("value", "status", "n_iter", "decrement", "detail"):
        assert getattr(unseen, name) == getattr(seen, name)


@compiled
def test_states_shown_are_the_callers_to_keep():
    structure, data = chained(200, 3, seed=9)
    own, _ = objectives(structure, data, 0.1)
    seen = []
    find_minimum(own, np.zeros(own.space.size), on_iteration=seen.append)
    for state in seen:
        value, gradient = own.value_and_gradient(state.x)
        assert value == pytest.approx(state.value, rel=1e-12)
        np.testing.assert_allclose(gradient, state.gradient, atol=1e-9)


@compiled
def test_a_start_that_is_not_finite_in_value_is_said_so():
    structure, data = chained(50, 2, seed=1)
    own, _ = objectives(structure, data, 1.0)
    with np.errstate(all="ignore"):
        result = find_minimum(own, np.full(own.space.size, 1e200))
    assert result.status is Status.NOT_FINITE


@compiled
def test_only_small_problems_and_free_tables_are_walked(monkeypatch):
    structure, data = chained(100, 2, seed=2)
    own, plain = objectives(structure, data, 1.0)
    assert is_small(own)
    assert is_small(CountingObjective(own))
    assert not is_small(plain)
    other = bnlr.LogLinear(structure, data.states)
    assert not is_small(ConditionalObjective(own.design, other))
    monkeypatch.setattr("bnlr.objectives.small_newton.kernels", lambda: None)
    assert not is_small(own)
    monkeypatch.undo()
    monkeypatch.setattr("bnlr.objectives.small_newton.SMALL", 10)
    assert not is_small(own)


@compiled
@pytest.mark.parametrize(
    ("options", "said"),
    [({"memory": -1}, "memory"), ({"max_products": 0}, "max_products"), ({"momory": 1}, "newton")],
)
def test_refuses_what_newton_refuses(options, said):
    own, plain = objectives(*chained(50, 2, seed=2), 1.0)
    messages = []
    for objective in (own, plain):
        with pytest.raises(bnlr.ParameterError, match=said) as caught:
            find_minimum(objective, np.zeros(own.space.size), **options)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("n", [1, 3, 8, 9, 40, 64])
def test_systems_are_solved_by_the_factor(code, n):
    rng = np.random.default_rng(n)
    half, b = rng.standard_normal((n, n + 2)), rng.standard_normal(n)
    matrix, x = half @ half.T + np.eye(n), b.copy()
    assert code.solve(np.triu(matrix), x)
    np.testing.assert_allclose(x, np.linalg.solve(matrix, b), rtol=1e-9, atol=1e-12)


def test_a_matrix_that_is_not_positive_has_no_factor(code):
    for matrix in (np.diag([1.0, 0.0]), np.diag([1.0, -1.0]), np.full((2, 2), np.nan)):
        b = np.array([1.0, 2.0])
        assert not code.solve(matrix, b)
        assert b.tolist() == [1.0, 2.0]


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


@pytest.mark.parametrize("tol", [*in_full(0.0, 1e-16, 1e-15), 1e-13])
@pytest.mark.parametrize("walk", [0, 1])
def test_ends_however_fine_the_tolerance(tol, walk):
    """Steps that rounding refuses are refused once; the walk neither hangs nor runs away."""
    for seed in range(62, 86):
        structure, data = drawn(seed)
        objective = objectives(structure, data, 1.0 if seed % 2 else 0.0)[walk]
        if seed % 3 == 0 and not objective.penalty:
            continue
        start = np.zeros(objective.space.size)
        result = find_minimum(objective, start, tol=tol, max_iter=200)
        usual = find_minimum(objective, start, tol=1e-11)
        assert result.converged, (seed, result.status, result.detail)
        assert result.value == pytest.approx(usual.value, rel=1e-10, abs=1e-10)


@pytest.mark.slow
@compiled
def test_a_refused_step_is_not_tried_again():
    """Advanced by hand: ``walk_on`` would end a walk that only restarts by itself."""
    frame = bnlr.load_dataset("tic-tac-toe")
    data = bnlr.Dataset.from_frame(frame, class_name="class")
    attributes = [name for name in frame if name != "class"]
    own, plain = objectives(bnlr.Structure.naive_bayes(attributes, "class"), data, 0.0)
    start = np.zeros(own.space.size)
    walk = SmallNewton(own.design, own.penalty, start, 0.0, 100, 10)
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
    usual = find_minimum(objective, start, tol=1e-12)
    result = find_minimum(objective, start, tol=tol)
    assert result.converged
    assert result.value == pytest.approx(usual.value, rel=1e-13)
    np.testing.assert_allclose(result.x, usual.x, atol=1e-2)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_what_is_factored_is_the_curvature_of_a_class_summed_over_the_rows(code, n_classes):
    structure, data = chained(300, n_classes, seed=4)
    own, _ = objectives(structure, data, 0.0)
    design, layout = Design.of(own.space.layout, data, merge=False), own.space.layout
    local = design.linearise(
        np.random.default_rng(5).standard_normal((layout.n_cells, n_classes - 1))
    )
    penalty, found = 0.3, np.zeros((layout.n_cells, layout.n_cells))
    arrays = small_newton.packed(design)
    code.curvature_matrix(*arrays, penalty, local.probabilities, 0.0, 0.0, found)
    p = np.column_stack([1 - local.probabilities.sum(axis=1), local.probabilities])
    literal = np.zeros((layout.n_cells, layout.n_cells))
    curvatures = data.weights * (p * (1 - p)).sum(axis=1) / (n_classes - 1)
    for cells, curvature in zip(family_cells(layout, data), curvatures, strict=True):
        literal[np.ix_(cells, cells)] += curvature
    literal[np.diag_indices_from(literal)] += penalty
    literal *= 0.5 if n_classes == 2 else 1.0
    np.testing.assert_allclose(found, np.triu(literal), rtol=1e-12, atol=1e-12)


# What is handed over


ROUGH = ("rough_ends", "rough_cells", "rough_values")


def begun(code, own, tol=1e-9, memory=10, **changed):
    """What a walk over the objective tells at its start and after each iteration."""
    design, penalty = own.design, own.penalty
    first = design.layout.families[0].rows
    names = ("ends", "cells", "offsets", "codes", "classes", "weights", "drawn")
    arrays = dict(zip(names, small_newton.packed(design), strict=True))
    arrays["penalty"] = (penalty.strength, penalty.modulus, first.start, first.stop)
    arrays["centre"] = np.ascontiguousarray(penalty.centre)
    arrays |= dict(zip(ROUGH, small_newton._roughness(penalty), strict=True))
    arrays["x"] = np.ones((design.layout.n_cells, design.layout.n_classes - 1))
    arrays |= changed
    walk, told = code.begin(**arrays, rules=small_newton.Rules(), tol=tol, limit=100, memory=memory)
    seen = [told]
    for _ in range(30):
        outcome, told = code.advance(walk, 0)
        seen.append(told)
        if outcome:
            break
    return [*seen, *(part.tolist() for part in code.point(walk))]


@compiled
@pytest.mark.parametrize("n_classes", [2, 3, 9])
@pytest.mark.parametrize("is_smooth", [False, True])
def test_all_instruction_sets_give_the_same_bits(n_classes, is_smooth):
    rows = chained(300, n_classes, seed=4)
    own, _ = objectives(*rows, 0.01, centre_seed=1, is_smooth=is_smooth)
    found = [
        repr(begun(native.compiled(name).newton, own))
        for name in native.INSTRUCTION_SETS
        if name in native.available()
    ]
    assert len(set(found)) == 1


def test_names_of_what_is_told(code):
    assert small_newton.Told._fields == code.TOLD
    assert code.OUTCOMES == ("go on", "converged", "lost")


@compiled
def test_arrays_that_do_not_fit_are_refused():
    code = native.kernels().newton
    own, _ = objectives(*chained(60, 3, seed=4), 1.0, is_smooth=True)
    arrays = small_newton.packed(own.design)
    ends, cells, offsets, codes, classes, weights, drawn = arrays
    rough_ends, rough_cells, rough_values = small_newton._roughness(own.penalty)
    weights = np.ones(len(classes))
    n_cells = own.design.layout.n_cells
    wrong = {
        "ends": [ends[:-1], ends[::-1].copy(), ends.astype(np.int32)],
        "cells": [cells[:-1], cells + n_cells, cells - n_cells],
        "offsets": [offsets[:-1], offsets + 1, offsets[::-1].copy()],
        "codes": [codes[:, :-1].copy(), codes.T, codes.astype(np.uint32)],
        "classes": [classes[:-1], classes.astype(float), classes.astype(np.uint64)],
        "weights": [weights[:-1], weights.astype(np.float32), np.ones(2 * len(weights))[::2]],
        "drawn": [drawn + len(classes), drawn - 1],
        "centre": [np.zeros((n_cells, 1)), np.zeros((2, n_cells)).T],
        "penalty": [(1.0, 1.0, 0, n_cells + 1), (1.0, 1.0, -1, 2), (1.0, 1.0, 2, 2)],
        "rough_ends": [rough_ends[:-1], rough_ends[::-1].copy(), rough_ends.astype(np.int32)],
        "rough_cells": [rough_cells[:-1], rough_cells + n_cells, rough_cells - n_cells],
        "rough_values": [rough_values[:-1], rough_values.astype(np.float32)],
        "x": [np.zeros(n_cells), np.zeros((n_cells - 1, 2)), np.zeros((n_cells, 2), np.float32)],
        "memory": [-1, 2**40],
    }
    for name, cases in wrong.items():
        for case in cases:
            with pytest.raises((TypeError, ValueError)):
                begun(code, own, **{name: case})
    with pytest.raises((TypeError, ValueError)):
        code.advance(object())

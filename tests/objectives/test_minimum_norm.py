"""The least tables that say the same of P(class | attributes), against linear algebra on all x."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import helmert

import bnlr
from bnlr.design.families import TableLayout
from bnlr.design.pack import absolute, relative
from bnlr.design.packed_rows import Design
from bnlr.objectives import interaction_twins
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.minimum_norm import least_tables
from bnlr.objectives.penalty import CPTPenalty, Penalty, pseudo_rows
from bnlr.objectives.roughness import Roughness
from bnlr.objectives.smooth_penalty import SmoothPenalty
from bnlr.spaces.joint import JointSoftmax, JointTheta
from bnlr.spaces.softmax import Softmax
from tests.kernels import all_kernels, compiled
from tests.objectives.test_incomplete import holed, objective_of
from tests.strategies import generators, problems, structures
from tests.width import examples


def scores_of(layout):
    """The matrix of T ↦ Σ_k T_k[cell_k(x)], one row for every configuration x."""
    shape = dict(zip(layout.attributes, layout.attribute_cards, strict=True))
    n_rows = int(np.prod(list(shape.values())))
    codes = np.indices(tuple(shape.values())).reshape(len(shape), n_rows)
    grid = dict(zip(shape, codes, strict=True))
    matrix = np.zeros((n_rows, layout.n_cells))
    for family in layout.families:
        code = np.zeros(n_rows, dtype=int)
        for axis, card in zip(family.scope, family.shape, strict=True):
            code = code * card + grid[axis]
        matrix[np.arange(n_rows), family.offset + code] += 1.0
    return matrix


def without_prior(layout):
    """The projection that takes the mean of the class's own table away."""
    own, matrix = layout.families[0].rows, np.eye(layout.n_cells)
    matrix[own, own] -= 1.0 / (own.stop - own.start)
    return matrix


@examples(30)
@given(problems(structures(max_nodes=5), n_rows=4), generators())
def test_least_of_all_tables_that_say_the_same(problem, rng):
    structure, data = problem
    layout = TableLayout.of(structure, data.cards)
    tables = rng.standard_normal((layout.n_cells, layout.n_classes - 1))
    scores, squares = scores_of(layout), without_prior(layout)
    _, lengths, right = np.linalg.svd(scores)
    silent = right[int((lengths > 1e-9).sum()) :].T
    # min over v of ‖squares · (tables + silent · v)‖²
    best = np.linalg.lstsq(squares @ silent, -squares @ tables, rcond=None)[0]
    expected = squares @ (tables + silent @ best)
    projection = least_tables(layout)
    np.testing.assert_allclose(projection.of(tables), expected, atol=1e-9)
    again = projection.with_prior(tables)
    np.testing.assert_allclose(scores @ again, scores @ tables, atol=1e-9)
    np.testing.assert_allclose(squares @ again, expected, atol=1e-9)
    step = np.eye(layout.n_classes - 1) - 1.0 / layout.n_classes
    penalty = CPTPenalty.of(Penalty(layout, 3.0, np.zeros_like(tables)))
    value = 1.5 * np.einsum("ic,cd,id->", expected, step, expected)
    assert abs(penalty.value(tables) - value) < 1e-9 * max(1.0, value)


def penalty_of(layout, counts, sizes, rng):
    centre = rng.standard_normal((layout.n_cells, layout.n_classes - 1))
    pseudo = pseudo_rows(counts, sizes, 50.0, 0.7)
    rough = Roughness(layout, dict(zip(layout.attributes, layout.attribute_cards, strict=True)))
    smooth = SmoothPenalty(layout, 0.7, centre, None, roughness=rough)
    return CPTPenalty.of(smooth if rng.random() < 0.5 else Penalty(layout, 0.7, centre), pseudo)


@examples(30)
@given(problems(structures(max_nodes=5)), generators())
def test_derivatives_in_beta_agree_with_differences(problem, rng):
    structure, data = problem
    space = Softmax(structure, data.states)
    layout = space.layout
    counts = rng.uniform(0.0, 9.0, (layout.n_cells, layout.n_classes))
    penalty = penalty_of(layout, counts, np.full_like(counts, 7.0), rng)
    objective = ConditionalObjective(Design.of(layout, data), space, penalty)
    x, v, h = rng.standard_normal(space.size), rng.standard_normal(space.size), 1e-5
    scale = max(1.0, float(data.weights.sum()), counts.sum()) * max(1.0, float(v @ v))
    value, gradient = objective.value_and_gradient(x)
    above, below = objective.value_and_gradient(x + h * v), objective.value_and_gradient(x - h * v)
    assert abs(value - objective.value(x)) < 1e-11 * max(1.0, abs(value))
    assert abs((above[0] - below[0]) / (2 * h) - gradient @ v) < 1e-7 * scale
    change = (above[1] - below[1]) / (2 * h)
    np.testing.assert_allclose(objective.hessian(x)(v), change, rtol=0, atol=1e-7 * scale)
    assert (objective.diagonal(x) > 0).all()
    assert np.isfinite(objective.preconditioner(x)(v)).all()


@examples(30)
@given(holed(), st.sampled_from([JointSoftmax, JointTheta]), generators())
def test_derivatives_with_holes_agree_with_differences(problem, chart, rng):
    structure, data, network = problem
    layout = TableLayout.of(structure, data.cards)
    counts = rng.uniform(0.0, 9.0, chart(structure, data.states).size)
    penalty = penalty_of(layout, counts, np.full_like(counts, 7.0), rng)
    objective = objective_of(structure, data, "cll", chart, penalty)
    x = objective.space.from_network(network)
    value, gradient = objective.value_and_gradient(x)
    logs = objective.space.log_theta(x)
    plain = objective_of(structure, data, "cll", chart).value(x)
    least = penalty.value(relative(logs[objective.space.class_cells]))
    assert abs(value - (plain + least - penalty.counts @ logs)) < 1e-9 * max(1.0, abs(value))
    d, h = rng.standard_normal(x.size) * (x if chart is JointTheta else 1.0), 1e-5
    slope = (objective.value(x + h * d) - objective.value(x - h * d)) / (2 * h)
    scale = max(1.0, abs(value), float(np.abs(gradient * d).sum()))
    assert abs(slope - gradient @ d) < 1e-7 * scale


@given(problems(structures(max_nodes=5), n_rows=4), st.integers(1, 9), generators())
def test_coefficients_are_those_of_an_orthonormal_basis_on_every_instruction_set(
    problem, width, rng
):
    """Tables whose families' axes are turned by Helmert's matrix, to the same bits everywhere."""
    structure, data = problem
    layout = TableLayout.of(structure, data.cards)
    tables, scopes = rng.standard_normal((layout.n_cells, width)), layout.scopes
    expected = np.empty_like(tables)
    for family in layout.families:
        part = tables[family.rows].reshape(*family.shape, width)
        for axis, card in enumerate(family.shape):
            basis = helmert(card, full=True)
            part = np.moveaxis(np.tensordot(basis, part, axes=(1, axis)), 0, axis)
        # The sign of all but the constant is the other one in SciPy.
        expected[family.rows] = part.reshape(-1, width)
    found = {}
    for name, code in all_kernels("interactions", interaction_twins).items():
        found[name] = tables.copy()
        code.turn(found[name], scopes.cards, scopes.ends, scopes.offsets, forth=True)
        np.testing.assert_allclose(np.abs(found[name]), np.abs(expected), atol=1e-12)
        back = found[name].copy()
        code.turn(back, scopes.cards, scopes.ends, scopes.offsets, forth=False)
        np.testing.assert_allclose(back, tables, atol=1e-12)
    for each in found.values():
        np.testing.assert_array_equal(each, found["twins"])


@compiled
def test_the_kernel_refuses_families_that_reach_beyond_the_values():
    code = all_kernels("interactions")["baseline"]
    values, ends, offsets = np.zeros((6, 1)), np.array([0, 2]), np.array([0, 6])
    for cards, starts in (([2, 4], offsets), ([2, 0], offsets), ([2, 3], np.array([1, 7]))):
        with pytest.raises(ValueError, match=r"values|cells"):
            code.turn(values, np.array(cards), ends, starts, forth=True)
    with pytest.raises(ValueError, match="ends"):
        code.turn(values, np.array([2, 3]), np.array([0, 3]), offsets, forth=True)


def test_interactions_of_more_axes_than_one_number_holds_are_told_apart():
    """40 attributes of 4 states, each below the one before."""
    names = [f"x{j:02}" for j in range(40)]
    arcs = [*(("c", name) for name in names), *pairwise(names)]
    structure = bnlr.Structure(arcs, class_name="c")
    layout = TableLayout.of(structure, {"c": 2, **dict.fromkeys(names, 4)})
    found = least_tables(layout)
    # Each of the 39 tables but the last hands the functions of its attribute to the next one.
    assert found.share.shape == (39 * 3, len(found.shared))
    assert len(found.shared) == 2 * 39 * 3
    assert found.trades().shape[1] == 39 * 3 + 40


@examples(30)
@given(problems(structures(max_nodes=5), n_rows=4), generators())
def test_visible_is_what_the_scores_of_all_configurations_tell(problem, rng):
    structure, data = problem
    layout = TableLayout.of(structure, data.cards)
    tables = rng.standard_normal((layout.n_cells, layout.n_classes - 1))
    scores = scores_of(layout)
    expected = np.linalg.lstsq(scores, scores @ tables, rcond=None)[0]
    np.testing.assert_allclose(least_tables(layout).visible(tables), expected, atol=1e-9)


@given(problems(structures(max_nodes=5), n_rows=4), st.integers(1, 5), generators())
def test_what_families_share_is_split_alike_on_every_instruction_set(problem, width, rng):
    """By dense projections; every class's inverse as `absolute` and `relative` mean it."""
    structure, data = problem
    layout = TableLayout.of(structure, data.cards)
    least = least_tables(layout)
    share = least.share.toarray()
    parts, values = rng.standard_normal((2, layout.n_cells, width))
    damping, inverse = rng.uniform(0.1, 1.0, len(share)), float(rng.choice([0.0, 2.5]))
    expected, old = values.copy(), parts[least.shared]
    traded = old - share.T @ (share @ old)
    expected[least.shared] = share.T @ (damping[:, None] * (share @ values[least.shared]))
    expected[least.shared] += inverse * (traded + traded.sum(axis=1, keepdims=True))
    inverses = rng.uniform(0.1, 2.0, (layout.n_cells, width + 1))
    scaled = relative(inverses * absolute(values))
    ends = least.share.indptr.astype(np.intp)
    for code in all_kernels("interactions", interaction_twins).values():
        found, multiplied = values.copy(), values.copy()
        code.share(parts, found, least.shared, ends, least.share.data, damping, inverse)
        np.testing.assert_allclose(found, expected, atol=1e-12)
        code.scale(multiplied, inverses)
        np.testing.assert_allclose(multiplied, scaled, atol=1e-12)


@compiled
def test_the_kernels_refuse_arrays_of_other_shapes():
    code = all_kernels("interactions")["baseline"]
    parts, cells, ends = np.zeros((4, 2)), np.array([0, 3]), np.array([0, 2])
    weights, damping = np.ones(2), np.ones(1)
    for wrong in (
        (np.zeros((4, 3)), cells, ends, weights, damping),
        (parts, np.array([0, 4]), ends, weights, damping),
        (parts, cells, np.array([0, 1]), weights, damping),
        (parts, cells, ends, np.ones(3), damping),
        (parts, cells, ends, weights, np.ones(2)),
    ):
        with pytest.raises(ValueError, match=r"parts|cells|ends|weights"):
            code.share(wrong[0], np.zeros((4, 2)), *wrong[1:], 0.0)
    with pytest.raises(ValueError, match="inverses"):
        code.scale(np.zeros((4, 2)), np.ones((4, 2)))

"""The smooth penalty against its literal formula, and the preconditioner that knows it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design
from bnlr.objectives import precondition
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.precondition import inverse_curvature
from bnlr.objectives.roughness import NEIGHBOURS, Roughness
from bnlr.objectives.smooth_penalty import SmoothPenalty
from bnlr.optimize.base import minimise
from bnlr.optimize.trace import CountingObjective
from bnlr.spaces.l_model import Free
from bnlr.spaces.loglinear import LogLinear
from tests.objectives.test_precondition import (
    assert_symmetric_and_positive,
    chained,
    indicators,
    linearised,
)
from tests.strategies import generators, problems, structures
from tests.width import examples


def literal(layout, differences, ordered, strength):
    """½ · strength · Σ_c t'Rt by sums of squares, t without class averages and class prior."""
    whole = np.pad(differences, ((0, 0), (1, 0)))
    whole = whole - whole.mean(axis=1, keepdims=True)
    total = 0.0
    for place, family in enumerate(layout.families):
        table = whole[family.rows].reshape(*family.shape, -1)
        if place == 0:
            table = table - table.reshape(-1, layout.n_classes).mean(axis=0)
        level = 1.0
        for axis, node in enumerate(family.scope):
            n = ordered.get(node, 0)
            if n < 3:
                continue
            level /= n
            cells = np.moveaxis(table, axis, 0)
            total += NEIGHBOURS * (np.diff(cells[:n], axis=0) ** 2).sum() + (cells[n:] ** 2).sum()
        total += level * (table**2).sum()
    return 0.5 * strength * total


def some_order(rng, layout):
    """About half of the attributes, all their states in order or all but the last."""
    cards = dict(zip(layout.attributes, layout.attribute_cards, strict=True))
    return {a: n - int(rng.random() < 0.3) for a, n in cards.items() if rng.random() < 0.6}


@examples(60)
@given(problems(structures(max_nodes=5), n_rows=4), generators(), st.sampled_from([0.3, 1.0, 7.0]))
def test_value_gradient_and_curvature(problem, rng, strength):
    structure, data = problem
    layout = TableLayout.of(structure, data.cards)
    ordered = some_order(rng, layout)
    shape = layout.n_cells, layout.n_classes - 1
    tables, centre, step = (rng.standard_normal(shape) for _ in range(3))
    penalty = SmoothPenalty(layout, strength, centre, None, roughness=Roughness(layout, ordered))

    def value(at):
        return literal(layout, at - centre, ordered, strength)

    found, gradient = penalty.value_and_gradient(tables)
    np.testing.assert_allclose(found, value(tables), rtol=1e-10)
    change = (value(tables + 1e-4 * step) - value(tables - 1e-4 * step)) / 2e-4
    np.testing.assert_allclose((gradient * step).sum(), change, rtol=1e-7, atol=1e-7)
    base, slope, curve = penalty.along(tables, step)
    for s in (-1.5, 0.4, 3.0):
        expected = value(tables + s * step)
        np.testing.assert_allclose(base + s * slope + 0.5 * s * s * curve, expected, rtol=1e-8)
    other = rng.standard_normal(shape)
    one, two = (penalty.product(step) * other).sum(), (penalty.product(other) * step).sum()
    np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-10)
    moved = tables.copy()
    moved[layout.families[0].rows] += rng.standard_normal(layout.n_classes - 1)
    np.testing.assert_allclose(penalty.value(moved), found, rtol=1e-10)


@examples(20)
@given(problems(structures(max_nodes=5), n_rows=4), generators())
def test_without_an_order_it_is_the_plain_penalty(problem, rng):
    structure, data = problem
    layout = TableLayout.of(structure, data.cards)
    few = dict.fromkeys(layout.attributes, 2)
    for ordered in ({}, few):
        tables, centre = rng.standard_normal((2, layout.n_cells, layout.n_classes - 1))
        smooth = SmoothPenalty(layout, 2.0, centre, None, roughness=Roughness(layout, ordered))
        plain = Penalty(layout, 2.0, centre)
        np.testing.assert_allclose(smooth.value(tables), plain.value(tables), rtol=1e-12)
        np.testing.assert_allclose(smooth.product(tables), plain.product(tables), rtol=1e-12)


# The preconditioner


def rough(space, strength=1.0):
    layout = space.layout
    ordered = dict(zip(layout.attributes, layout.attribute_cards, strict=True))
    return strength * Roughness(layout, ordered).matrix


@pytest.fixture(params=[False, True])
def is_by_family(request, monkeypatch):
    """Whether products are so dear that neighbours are solved with."""
    monkeypatch.setattr(precondition, "_FEW_LOOKUPS", 0 if request.param else 10**9)
    return request.param


@pytest.mark.parametrize("n_rows", [20, 60, 500])
@pytest.mark.parametrize("kind", [Free, LogLinear])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_it_is_symmetric_and_positive(kind, n_classes, n_rows, is_by_family):
    structure, data = chained(n_rows, n_classes, 2, card=4, unseen=(1,))
    space = kind(structure, data.states)
    local = linearised(structure, data, space, 2)
    inverse = inverse_curvature(local, None if kind is Free else space.basis, rough(space))
    assert_symmetric_and_positive(inverse, space.size, 2)
    is_cheap = n_rows < space.layout.n_cells
    assert isinstance(inverse, precondition.ByFamily) == (is_cheap and is_by_family)


@pytest.mark.parametrize("kind", [Free, LogLinear])
def test_for_two_classes_it_is_the_inverse_of_the_dense_hessian(kind):
    structure, data = chained(300, 2, 4, card=4)
    space = kind(structure, data.states)
    local, matrix = linearised(structure, data, space, 4), rough(space, 2.0)
    p = local.probabilities[:, 0]
    z = indicators(local.design, data) @ space.basis.toarray()
    curvature = space.basis.T @ matrix @ space.basis
    hessian = (z.T * (data.weights * p * (1 - p))) @ z + 0.5 * curvature.toarray()
    inverse = inverse_curvature(local, None if kind is Free else space.basis, matrix)
    found = np.column_stack([inverse(e) for e in np.eye(space.size)])
    ratios = np.linalg.eigvals(found @ hessian).real
    assert 0.95 < ratios.min() <= ratios.max() < 1.001


def test_by_family_it_is_the_inverse_of_the_blocks_of_the_dense_hessian(monkeypatch):
    monkeypatch.setattr(precondition, "_FEW_LOOKUPS", 0)
    structure, data = chained(25, 3, 5, card=4)
    space = Free(structure, data.states)
    local, matrix = linearised(structure, data, space, 5), rough(space, 2.0)
    inverse = inverse_curvature(local, None, matrix)
    diagonal = precondition.lifted(1.5 * local.hessian_diagonal())
    blocks = [np.linalg.inv(np.diag(own) + matrix.toarray()) for own in diagonal.T]
    r = np.random.default_rng(1).standard_normal((space.layout.n_cells, 2))
    full = np.column_stack([-r.sum(axis=1), r])
    solved = np.column_stack([b @ own for b, own in zip(blocks, full.T, strict=True)])
    expected = solved[:, 1:] - solved[:, :1]
    np.testing.assert_allclose(inverse(r.ravel()).reshape(r.shape), expected, rtol=1e-9, atol=1e-12)


def smooth_objective(n_rows, n_classes, arcs, strength, kind=ConditionalObjective):
    """Naive Bayes of many states, or a chain of arcs, from the origin."""
    size = {"n_attributes": 5, "card": 10} if arcs else {"n_attributes": 12, "card": 20}
    structure, data = chained(n_rows, n_classes, 7, **size)
    if not arcs:
        names = [node for node in structure.nodes if node != "c"]
        structure = bnlr.Structure.naive_bayes(names, class_name="c")
    space = Free(structure, data.states)
    centre = np.zeros((space.layout.n_cells, n_classes - 1))
    roughness = Roughness(space.layout, data.ordered)
    penalty = SmoothPenalty(space.layout, strength, centre, None, roughness=roughness)
    return kind(Design.of(space.layout, data), space, penalty)


def n_products(objective):
    counting = CountingObjective(objective)
    start = np.zeros(objective.space.size)
    assert minimise(counting, start, solver="newton", tol=1e-8).converged
    return counting.counts.hvp


class Flat(ConditionalObjective):
    """A multiple of the identity stands for R in its preconditioner."""

    def preconditioner(self, x, *, is_hard=False):  # noqa: ARG002
        mean = float(self.penalty.curvature.diagonal().mean())
        return inverse_curvature(self.at(x), None, mean)


@pytest.mark.parametrize("arcs", [False, True])
@pytest.mark.parametrize("n_classes", [2, 6])
def test_few_products_are_needed(n_classes, arcs):
    spent = n_products(smooth_objective(1_500, n_classes, arcs, 3.0))
    assert spent < 60
    assert n_products(smooth_objective(1_500, n_classes, arcs, 3.0, Flat)) > 1.4 * spent


@pytest.mark.parametrize("arcs", [False, True])
def test_neighbours_spare_products_where_a_factor_is_too_dear(arcs, monkeypatch):
    spent = {}
    for least in (0, 10**9):
        monkeypatch.setattr(precondition, "_FEW_LOOKUPS", least)
        spent[least] = n_products(smooth_objective(200, 3, arcs, 300.0))
    assert spent[0] < 0.6 * spent[10**9]

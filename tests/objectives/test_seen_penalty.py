"""The penalty of CPTs in the cells that are seen, against that of all cells."""

import numpy as np
import pytest
from hypothesis import given

from bnlr.design import seen as cut
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design
from bnlr.design.seen import seen_cells
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.minimum_norm import least_tables
from bnlr.objectives.penalty import CPTPenalty, Penalty
from bnlr.objectives.seen_penalty import SeenLeast, SeenPenalty, seen_least
from bnlr.spaces.softmax import Softmax
from tests.strategies import generators, problems, structures
from tests.width import examples


@pytest.fixture(autouse=True)
def _always(monkeypatch):
    for name, value in {"_WIDE": 0, "_WIDE_FAMILY": 0, "_SHARE": 0}.items():
        monkeypatch.setattr(cut, name, value)


def cut_down(problem):
    structure, data = problem
    layout = TableLayout.of(structure, data.cards)
    return layout, seen_cells(layout, data, whole_columns=True)


@examples(60)
@given(problems(structures(max_nodes=6), n_rows=5), generators())
def test_the_projection_is_that_of_tables_0_elsewhere(problem, rng):
    layout, seen = cut_down(problem)
    if seen is None:
        return
    moved = np.zeros((layout.n_cells, layout.n_classes - 1))
    moved[seen.cells] = rng.standard_normal((len(seen.cells), layout.n_classes - 1))
    expected = least_tables(layout).of(moved)[seen.cells]
    np.testing.assert_allclose(SeenLeast(seen).of(moved[seen.cells]), expected, atol=1e-12)


@examples(40)
@given(problems(structures(max_nodes=6), n_rows=5), generators())
def test_value_and_gradient_are_those_of_uniform_columns_elsewhere(problem, rng):
    structure, data = problem
    layout, seen = cut_down(problem)
    if seen is None:
        return
    shape = layout.n_cells, layout.n_classes
    counts, centre = rng.random(shape), np.zeros((shape[0], shape[1] - 1))
    centre[seen.cells] = rng.standard_normal((len(seen.cells), shape[1] - 1))
    unseen = np.ones(layout.n_cells, dtype=bool)
    unseen[seen.cells] = False
    counts[unseen] = 0.3
    big, small = Softmax(structure, data.states), Softmax(seen.structure, seen.data.states)
    tables = rng.standard_normal(shape)
    tables[unseen] = 0.0
    whole = ConditionalObjective(
        Design.of(layout, data), big, CPTPenalty.of(Penalty(layout, 0.6, centre), counts)
    )
    on_tables = Penalty(seen.layout, 0.6, centre[seen.cells])
    penalty = SeenPenalty(
        on_tables.layout,
        0.6,
        on_tables.centre,
        counts=counts[seen.cells],
        on_tables=on_tables,
        seen=SeenLeast(seen),
    )
    direction = centre[seen.cells]
    product = penalty._free_averages(penalty.of_each_class() @ direction)
    np.testing.assert_allclose(product, penalty.product(direction), atol=1e-12)
    part = ConditionalObjective(Design.of(seen.layout, seen.data), small, penalty)
    value, gradient = whole.value_and_gradient(big._from_stacked(tables))
    found, slope = part.value_and_gradient(small._from_stacked(tables[seen.cells]))
    left_out = -float((counts * big.to_tables(big._from_stacked(tables)))[unseen].sum())
    assert found + left_out == pytest.approx(value, rel=1e-10, abs=1e-9)
    expected = np.zeros(shape)
    expected[seen.cells] = small._stacked(slope)
    np.testing.assert_allclose(gradient, big._from_stacked(expected), atol=1e-9)


def test_families_that_share_more_than_they_have_are_left_alone(monkeypatch):
    from tests.learn.runs.test_seen import wide_problem

    structure, data = wide_problem(0)
    layout = TableLayout.of(structure, data.cards)
    seen = seen_cells(layout, data, whole_columns=True)
    assert seen_least(seen) is not None
    monkeypatch.setattr("bnlr.objectives.seen_penalty._MOST_FAMILIES", 2)
    assert seen_least(seen) is None

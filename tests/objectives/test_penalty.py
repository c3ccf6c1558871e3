"""The penalty against its literal formula: values, derivatives, and what it leaves free."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnlr.design.families import TableLayout
from bnlr.design.pack import absolute, relative
from bnlr.objectives.penalty import CPTPenalty, Penalty
from bnlr.structure.dag import Structure
from tests.oracles import centre as literal
from tests.oracles.model import Model
from tests.strategies import generators, problems, structures
from tests.width import examples


def spread(layout, tables):
    return layout.unstack(np.pad(tables, ((0, 0), (1, 0))))


@given(problems(structures(max_nodes=5), n_rows=4), generators(), st.booleans())
def test_the_hessian_of_each_class_makes_the_whole(problem, rng, in_cpts):
    structure, data = problem
    layout = TableLayout.of(structure, data.cards)
    step = rng.standard_normal((layout.n_cells, layout.n_classes))
    penalty = Penalty(layout, 0.7, relative(step))
    penalty = CPTPenalty.of(penalty) if in_cpts else penalty
    moved = step - step.mean(axis=1, keepdims=True)
    found = penalty.of_each_class() @ moved
    np.testing.assert_allclose(found, absolute(penalty.product(relative(step))), atol=1e-10)


@examples(50)
@given(problems(structures(max_nodes=5), n_rows=4), generators(), st.sampled_from([0.3, 1.0, 7.0]))
def test_value_gradient_and_curvature(problem, rng, strength):
    structure, data = problem
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})
    layout = TableLayout.of(structure, data.cards)
    shape = layout.n_cells, layout.n_classes - 1
    tables, centre, step = (rng.standard_normal(shape) for _ in range(3))
    penalty = Penalty(layout, strength, centre)

    def value(at):
        return literal.penalty(model, spread(layout, at), spread(layout, centre), strength)

    found, gradient = penalty.value_and_gradient(tables)
    np.testing.assert_allclose(found, value(tables), rtol=1e-10)
    np.testing.assert_allclose(penalty.value(tables), found, rtol=1e-12)
    change = (value(tables + 1e-4 * step) - value(tables - 1e-4 * step)) / 2e-4
    np.testing.assert_allclose((gradient * step).sum(), change, rtol=1e-7, atol=1e-7)
    base, slope, curve = penalty.along(tables, step)
    for s in (-1.5, 0.4, 3.0):
        expected = value(tables + s * step)
        np.testing.assert_allclose(base + s * slope + 0.5 * s * s * curve, expected, rtol=1e-8)


@examples(20)
@given(problems(structures(max_nodes=4), n_rows=4), generators())
def test_the_class_prior_and_the_centre_cost_nothing(problem, rng):
    structure, data = problem
    layout = TableLayout.of(structure, data.cards)
    centre = rng.standard_normal((layout.n_cells, layout.n_classes - 1))
    moved = centre.copy()
    moved[layout.families[0].rows] += rng.standard_normal(layout.n_classes - 1)
    assert abs(Penalty(layout, 2.0, centre).value(moved)) < 1e-13


@examples(30)
@given(generators(), st.floats(8, 30), st.integers(2, 5))
def test_no_penalty_is_less_than_nothing(rng, digits, n_classes):
    """However far tables are along what costs nothing, where sums have lost what costs."""
    structure = Structure([("a", "c"), ("b", "c"), ("c", "d")], "c")
    layout = TableLayout.of(structure, {"c": n_classes, "a": 3, "b": 4, "d": 3})
    tables = rng.standard_normal((layout.n_cells, n_classes - 1))
    tables[layout.families[0].rows] += 10.0**digits * rng.standard_normal(n_classes - 1)
    plain = Penalty(layout, 2.0, np.zeros_like(tables))
    for penalty in (plain, CPTPenalty.of(plain)):
        assert penalty.value(tables) >= 0

"""The preconditioner in β is the inverse Hessian, but for curvature that is negative or faint."""

import numpy as np
import pytest
from hypothesis import given, settings

import bnlr
from bnlr.design.pack import absolute, relative
from bnlr.design.packed_rows import Design
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import CPTPenalty, Penalty
from bnlr.objectives.softmax_curvature import FEW, inverse_in_softmax
from bnlr.spaces.softmax import Softmax
from tests.strategies import generators, problems, structures

RIDGE = FEW / 2


def penalty_of(layout, rng):
    centre = relative(rng.standard_normal((layout.n_cells, layout.n_classes)))
    on_tables = Penalty(layout, 0.7, centre)
    counts = rng.uniform(0.0, 2.0, (layout.n_cells, layout.n_classes))
    return CPTPenalty.of(on_tables, counts)


def in_log_theta(objective, x):
    """Gradient in log θ, flat, as β is."""
    space, penalty = objective.space, objective.penalty
    tables = space.differences(x)
    slope = -objective.at(x).gradient
    slope = slope + penalty.value_and_gradient(tables)[1]
    return space._from_stacked(absolute(slope) - penalty.pseudo_counts)


@settings(deadline=None)
@given(problems(structures(4), n_rows=(1, 30)), generators())
def test_it_is_the_hessian_with_no_column_counted_less_than_a_share_of_its_rows(problem, rng):
    structure, data = problem
    space = Softmax(structure, data.states)
    design = Design.of(space.layout, data, 1)
    objective = ConditionalObjective(design, space, penalty_of(space.layout, rng))
    x = rng.standard_normal(space.size)
    theta, n = np.exp(space._from_stacked(space.to_tables(x))), space.size
    hessian = np.array([objective.hessian(x)(e) for e in np.eye(n)])
    inverse = np.array([objective.preconditioner(x)(e) for e in np.eye(n)])
    told = -np.add.reduceat(in_log_theta(objective, x), space._starts)
    spread = space._from_stacked(objective.at(x).hessian_diagonal())
    least = FEW * np.add.reduceat(spread, space._starts)
    kept = np.maximum(told, least) - told
    for k, more in enumerate(kept):
        own = theta * (space._column == k)
        hessian += more * (np.diag(own) - np.outer(own, own))
    expected = hessian + RIDGE * np.eye(n)
    np.testing.assert_allclose(inverse @ expected, np.eye(n), atol=1e-7)


def test_where_rounding_leaves_no_factor_the_diagonal_stands_in():
    inverse = inverse_in_softmax(
        np.array([[1.0, 2.0], [2.0, 1.0]]), np.zeros(2), np.zeros(1), np.array([0])
    )
    np.testing.assert_allclose(inverse(np.ones(2)), 1.0 / (1.0 + RIDGE))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_sample_of_rows_stands_for_all(n_classes):
    """Of rows that are all alike any sample tells the whole."""
    structure = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b")], class_name="c")
    states = {"c": tuple(range(n_classes)), "a": (0, 1), "b": (0, 1, 2)}
    codes = np.tile([[1, 1, 2]], (50, 1))
    space = Softmax(structure, states)
    data = bnlr.Dataset.from_codes(codes, states, "c", weights=np.full(50, 0.3))
    design = Design.of(space.layout, data, 1, merge=False)
    x = np.random.default_rng(n_classes).standard_normal(space.size)
    local = design.linearise(space.differences(x))
    np.testing.assert_allclose(local.joint_curvature(7), local.joint_curvature(), rtol=1e-12)

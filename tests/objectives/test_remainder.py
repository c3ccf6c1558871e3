"""What a residual can be worth: never less than by the whole Hessian, and of use."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.design.packed_rows import Design
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.roughness import Roughness
from bnlr.objectives.smooth_penalty import SmoothPenalty
from bnlr.optimize.base import minimise
from bnlr.optimize.trace import CountingObjective
from bnlr.spaces.l_model import Free
from bnlr.spaces.loglinear import LogLinear
from tests.objectives.test_precondition import chained
from tests.strategies import seeds

CARD = 4
ARCS = {
    "naive Bayes": [("c", "a"), ("c", "b"), ("c", "d")],
    "tree": [("c", "a"), ("c", "b"), ("c", "d"), ("a", "b"), ("b", "d")],
    "parents": [("a", "c"), ("b", "c"), ("a", "b"), ("c", "d")],
    "no children": [("a", "c"), ("b", "c")],
    "the class alone": [],
}


def penalised(rng, kind, n_classes, strength, is_smooth, spread=2.0):
    """A random objective whose rows may lack states and classes."""
    structure = bnlr.Structure(ARCS[kind], class_name="c", nodes=["c"])
    n_rows = int(rng.integers(2, 60))
    cards = {node: n_classes if node == "c" else CARD for node in structure.nodes}
    codes = np.column_stack([rng.integers(0, cards[node], n_rows) for node in structure.nodes])
    states = {node: tuple(range(card)) for node, card in cards.items()}
    weights = 10 ** rng.uniform(-spread, spread, n_rows)
    data = bnlr.Dataset.from_codes(codes, states, "c", weights=weights)
    space = Free(structure, states)
    centre = rng.normal(size=(space.layout.n_cells, n_classes - 1))
    penalty = Penalty(space.layout, strength, centre)
    if is_smooth:
        rough = Roughness(space.layout, {"a": CARD, "d": CARD - 1})
        penalty = SmoothPenalty(space.layout, strength, centre, None, roughness=rough)
    return ConditionalObjective(Design.of(space.layout, data), space, penalty)


@given(
    seeds,
    st.sampled_from(sorted(ARCS)),
    st.integers(2, 5),
    st.floats(-3, 3),
    st.booleans(),
    st.sampled_from([0.1, 1.0, 10.0]),
)
def test_is_never_less_than_the_hessian_says(seed, kind, n_classes, power, is_smooth, scale):
    rng = np.random.default_rng(seed)
    objective = penalised(rng, kind, n_classes, 10.0**power, is_smooth)
    x = scale * rng.normal(size=objective.space.size)
    product = objective.hessian(x)
    hessian = np.column_stack([product(unit) for unit in np.eye(x.size)])
    for residual in (rng.normal(size=x.size), hessian @ rng.normal(size=x.size)):
        worth = 0.5 * residual @ np.linalg.lstsq(hessian, residual, rcond=1e-15)[0]
        assert objective.remainder(x, residual) >= worth * (1 - 1e-6)


@pytest.mark.parametrize("kind", ["naive Bayes", "tree"])
def test_is_exact_along_cells_of_no_row(kind):
    """Where the penalty alone counts."""
    structure = bnlr.Structure(ARCS[kind], class_name="c")
    states = dict.fromkeys(structure.nodes, (0, 1, 2))
    data = bnlr.Dataset.from_codes(np.array([[0, 0, 0, 0], [1, 1, 1, 1]]), states, "c")
    space = Free(structure, states)
    penalty = Penalty(space.layout, 0.5, np.zeros((space.layout.n_cells, 2)))
    objective = ConditionalObjective(Design.of(space.layout, data), space, penalty)
    residual = np.zeros((space.layout.n_cells, 2))
    residual[-1] = 3.0, -3.0  # what one class gains the other loses: no class average
    assert objective.remainder(np.zeros(space.size), residual.ravel()) == pytest.approx(
        0.5 * (3.0**2 + 3.0**2) / 0.5
    )


@pytest.mark.parametrize("space", [Free, LogLinear])
def test_nothing_is_known_without_a_penalty_or_of_other_coordinates(space):
    structure, data = chained(50, 3, seed=0)
    own = space(structure, data.states)
    design = Design.of(own.layout, data)
    centre = np.zeros((own.layout.n_cells, 2))
    penalty = None if space is Free else Penalty(own.layout, 1.0, centre)
    zeros = np.zeros(own.size)
    assert ConditionalObjective(design, own, penalty).remainder(zeros, zeros) == np.inf


class Unbounded(ConditionalObjective):
    """An objective that does not know."""

    def remainder(self, x, residual):  # noqa: ARG002
        return np.inf


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("strength", [0.1, 10.0])
def test_spares_products_and_comes_as_near(n_classes, strength):
    """Beyond the sizes of the compiled walk, and within: a derived class is not walked by it."""
    structure, data = chained(20_000, n_classes, seed=1, n_attributes=8, card=5)
    space = Free(structure, data.states)
    centre = np.zeros((space.layout.n_cells, n_classes - 1))
    design = Design.of(space.layout, data)
    penalty = Penalty(space.layout, strength, centre)
    found = {}
    for kind in (ConditionalObjective, Unbounded):
        counting = CountingObjective(kind(design, space, penalty))
        result = minimise(counting, np.zeros(space.size), solver="newton", tol=1e-6)
        assert result.converged
        found[kind] = result.value, counting.counts.hvp
    (value, spent), (other, more) = found[ConditionalObjective], found[Unbounded]
    assert value == pytest.approx(other, rel=1e-6)
    assert spent < more


@given(seeds, st.sampled_from(["naive Bayes", "tree"]), st.integers(2, 4), st.floats(-1, 1.5))
def test_probabilities_are_those_of_steps_that_are_solved_to_the_end(seed, kind, n_classes, power):
    rng = np.random.default_rng(seed)
    own = penalised(rng, kind, n_classes, 10.0**power, is_smooth=False, spread=0.0)
    found = []
    for objective in (own, Unbounded(own.design, own.space, own.penalty)):
        result = minimise(objective, np.zeros(own.space.size), solver="newton", tol=1e-9)
        assert result.converged
        found.append(own.at(result.x).probabilities)
    np.testing.assert_allclose(*found, rtol=0, atol=1e-7)

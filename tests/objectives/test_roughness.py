"""Roughness, and the smoothest tables that say the same, against linear algebra on all x."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given

import bnlr
from bnlr.design.families import TableLayout
from bnlr.objectives.minimum_norm import least_tables
from bnlr.objectives.penalty import CPTPenalty
from bnlr.objectives.roughness import Roughness
from bnlr.objectives.smooth_penalty import SmoothPenalty
from tests.objectives.test_minimum_norm import scores_of, without_prior
from tests.objectives.test_smooth_penalty import some_order
from tests.strategies import generators, problems, structures
from tests.width import examples


@examples(30)
@given(structures(max_nodes=6), generators())
def test_the_roughness_is_symmetric_and_positive(structure, rng):
    cards = {node: int(rng.integers(1, 5)) for node in structure.nodes}
    cards[structure.class_name] = 2
    layout = TableLayout.of(structure, cards)
    matrix = Roughness(layout, some_order(rng, layout)).matrix.toarray()
    np.testing.assert_array_equal(matrix, matrix.T)
    own = layout.families[0]
    inner = matrix[own.n_cells :, own.n_cells :] if not own.scope else matrix
    assert np.linalg.eigvalsh(inner).min(initial=1.0) > 0
    assert own.scope or (matrix[0] == 0).all()


@examples(40)
@given(problems(structures(max_nodes=5), n_rows=4), generators())
def test_smoothest_of_all_tables_that_say_the_same(problem, rng):
    structure, data = problem
    layout = TableLayout.of(structure, data.cards)
    tables = rng.standard_normal((layout.n_cells, layout.n_classes - 1))
    cards = dict(zip(layout.attributes, layout.attribute_cards, strict=True))
    ordered = {a: int(rng.integers(n + 1)) for a, n in cards.items() if rng.random() < 0.8}
    rough = Roughness(layout, ordered)
    scores = scores_of(layout)
    lengths, vectors = np.linalg.eigh(rough.matrix.toarray())
    squares = np.sqrt(np.maximum(lengths, 0.0))[:, None] * vectors.T @ without_prior(layout)
    _, lengths, right = np.linalg.svd(scores)
    silent = right[int((lengths > 1e-9).sum()) :].T
    best = np.linalg.lstsq(squares @ silent, -squares @ tables, rcond=None)[0]
    expected = without_prior(layout) @ (tables + silent @ best)
    smooth = SmoothPenalty(layout, 3.0, np.zeros_like(tables), None, roughness=rough)
    np.testing.assert_allclose(smooth.least(tables), expected, atol=1e-8)
    penalty = CPTPenalty.of(smooth)
    assert abs(penalty.value(tables) - smooth.value(expected)) < 1e-9 * max(
        1.0, penalty.value(tables)
    )
    other = rng.standard_normal(tables.shape)
    one, two = (penalty.product(tables) * other).sum(), (penalty.product(other) * tables).sum()
    np.testing.assert_allclose(one, two, atol=1e-8)


@pytest.mark.slow
def test_smoothest_tables_of_many_cells_take_memory_of_few():
    """Every attribute below the class and the four before it: 16,000 cells, 3,000 trades."""
    rng = np.random.default_rng(5)
    names = [f"x{j}" for j in range(9)]
    arcs = [("c", name) for name in names]
    arcs += [(a, b) for j, b in enumerate(names) for a in names[max(j - 4, 0) : j]]
    cards = {"c": 3} | {name: 4 + j % 3 for j, name in enumerate(names)}
    layout = TableLayout.of(bnlr.Structure(arcs, class_name="c"), cards)
    ordered = {name: cards[name] - int(rng.integers(3)) for name in names[1:]}
    rough = Roughness(layout, ordered)
    tables, others = rng.standard_normal((2, layout.n_cells, 2))
    least, own = least_tables(layout), layout.families[0].rows
    tracemalloc.start()
    found = rough.least(tables)
    assert tracemalloc.get_traced_memory()[1] < 60 * 8 * layout.n_cells
    tracemalloc.stop()
    for some in (tables, others):
        some[own] = 0.0
    # What is seen of both is the same, but for the prior, and no trade is left that costs less.
    changed = least.of(tables - found)
    np.testing.assert_allclose(changed, 0.0, atol=1e-10)
    trade = others - least.with_prior(others)
    trade[own] = 0.0
    np.testing.assert_allclose(trade.T @ (rough.matrix @ found), 0.0, atol=1e-8)

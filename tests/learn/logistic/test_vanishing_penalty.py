"""The path of vanishing penalties: the same end as without foresight, in far fewer iterations."""

import numpy as np
import pytest

from bnlr import Dataset, Structure
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design
from bnlr.learn.frequencies import frequency_network
from bnlr.learn.logistic import vanishing_penalty as path


def separated(seed):
    """Packed rows of noise that a tree of many cells tells apart, and frequency estimates."""
    rng = np.random.default_rng(seed)
    n_attributes, card, n_classes = int(rng.integers(8, 16)), int(rng.integers(3, 7)), 2 + seed % 2
    names = [f"a{k}" for k in range(n_attributes)]
    n_rows = n_attributes * card
    codes = rng.integers(0, card, (n_rows, n_attributes))
    states = {"class": tuple(range(n_classes)), **{name: tuple(range(card)) for name in names}}
    columns = np.column_stack([rng.integers(0, n_classes, n_rows), codes])
    data = Dataset.from_codes(columns, states, "class")
    arcs = [("class", name) for name in names]
    arcs += [(names[rng.integers(k)], names[k]) for k in range(1, n_attributes)]
    structure = Structure(arcs, "class")
    design = Design.of(TableLayout.of(structure, data.cards), data)
    return design, frequency_network(structure, data)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_foreseen_is_the_same_end_sooner(seed, monkeypatch):
    design, start = separated(seed)
    end = path.vanishing_penalty(design, start, -1e-9)
    assert end is not None
    monkeypatch.setattr(path, "_APPROACH", ())
    monkeypatch.setattr(path, "_foreseen", lambda end, *_: end.tables.ravel())
    slow = path.vanishing_penalty(design, start, -1e-9)
    assert end.strength == slow.strength
    assert end.n_iter < 0.75 * slow.n_iter
    np.testing.assert_allclose(end.tables, slow.tables, atol=1e-3)
    assert design.cll(end.tables) == pytest.approx(design.cll(slow.tables), rel=1e-4)


def test_a_strong_penalty_is_not_the_end():
    design, start = separated(0)
    end = path.vanishing_penalty(design, start, -np.inf)
    assert end.strength == path._VANISHING[0]


@pytest.mark.parametrize("seed", range(4))
def test_where_products_are_dear_the_end_is_near_in_fewer_iterations(seed, monkeypatch):
    design, start = separated(seed)
    fine = path.vanishing_penalty(design, start, -1e-9)
    monkeypatch.setattr(path, "_DEAR", 0)
    rough = path.vanishing_penalty(design, start, -1e-9)
    assert rough.n_iter < 0.8 * fine.n_iter
    assert design.cll(rough.tables) > -1e-6
    log_odds = design.scores(fine.tables)
    np.testing.assert_allclose(design.scores(rough.tables), log_odds, atol=0.2 * log_odds.max())

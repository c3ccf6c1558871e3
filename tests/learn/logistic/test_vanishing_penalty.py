"""The path of vanishing penalties: the same end as without foresight, in far fewer iterations."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import entropy

import bnlr
from bnlr import Dataset, Structure
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design
from bnlr.learn.frequencies import frequency_network
from bnlr.learn.logistic import global_optimum
from bnlr.learn.logistic import vanishing_penalty as path
from bnlr.learn.proof.log_odds import largest_log_odds
from bnlr.objectives import conditional
from bnlr.optimize.trace import CountingObjective


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


def counted(monkeypatch, design, start, enough=-1e-9):
    """The end of the path, and the products that led to it."""
    n_products, solve = 0, path._minimum

    def counting(objective, *rest):
        nonlocal n_products
        is_counted = isinstance(objective, CountingObjective)
        own = objective if is_counted else CountingObjective(objective)
        result = solve(own, *rest)
        n_products += own.counts.hvp
        return result

    with monkeypatch.context() as patch:
        patch.setattr(path, "_minimum", counting)
        return path.vanishing_penalty(design, start, enough), n_products


@pytest.mark.parametrize("seed", range(4))
def test_where_products_are_slow_the_end_is_near_with_fewer(seed, monkeypatch):
    design, start = separated(seed)
    fine, many = counted(monkeypatch, design, start)
    monkeypatch.setattr(path, "_SLOW", 0)
    rough, few = counted(monkeypatch, design, start)
    assert few < 0.8 * many
    assert rough.strength == fine.strength
    assert not rough.is_cut_off
    assert design.cll(rough.tables) == pytest.approx(design.cll(fine.tables), rel=0.3)
    log_odds = design.scores(fine.tables)
    np.testing.assert_allclose(design.scores(rough.tables), log_odds, atol=0.2 * log_odds.max())


@pytest.mark.parametrize("seed", range(6))
def test_rows_are_told_apart_by_moderate_tables_in_few_iterations(seed):
    design, start = separated(seed)
    end = path.told_apart(design, start, -1e-9)
    assert -1e-9 <= design.cll(end.tables) < -1e-11  # no longer than need be
    scores = np.pad(design.scores(end.tables), ((0, 0), (1, 0)))
    np.testing.assert_array_equal(scores.argmax(axis=1), design.classes)
    assert largest_log_odds(end.tables) <= 2 * largest_log_odds(
        path.vanishing_penalty(design, start, -1e-9).tables
    )
    assert end.n_iter < 0.5 * path.vanishing_penalty(design, start, -1e-9).n_iter


def overlapping(seed):
    """Each configuration twice, or a third time, with classes by chance, which it leaves open."""
    design, start = separated(seed)
    twins = np.resize(np.arange(design.n_rows // 2), design.n_rows)
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 2, design.n_rows).astype(design.classes.dtype)
    return replace(
        design, codes=np.ascontiguousarray(design.codes[:, twins]), classes=classes
    ), start


@pytest.mark.parametrize("seed", range(4))
def test_a_slow_path_comes_as_near_a_supremum_below_0(seed, monkeypatch):
    design, start = overlapping(seed)
    which = np.arange(design.n_rows) % (design.n_rows // 2)
    counts = np.zeros((design.n_rows // 2, 2))
    np.add.at(counts, (which, design.classes), 1)
    supremum = -sum(n.sum() * entropy(n) for n in counts)
    monkeypatch.setattr(path, "_SLOW", 0)
    end = path.vanishing_penalty(design, start, supremum - 1e-9)
    assert supremum - 1e-6 * abs(supremum) < design.cll(end.tables) <= supremum + 1e-9


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_a_slow_path_ends_where_its_products_do(seed, monkeypatch):
    design, start = separated(seed)
    monkeypatch.setattr(path, "_SLOW", 0)
    whole, many = counted(monkeypatch, design, start)
    monkeypatch.setattr(path, "_MOST_LOOKUPS", 0)
    monkeypatch.setattr(path, "_LEAST_PRODUCTS", most := many // 3)
    end, few = counted(monkeypatch, design, start)
    assert end.is_cut_off
    assert most <= few < most + 2 * path._FEWER_PRODUCTS
    assert whole.strength < end.strength <= path._VANISHING[0]
    assert design.cll(end.tables) < design.cll(whole.tables)
    monkeypatch.setattr(path, "_LEAST_PRODUCTS", 1)
    assert path.vanishing_penalty(design, start, -1e-9) is None  # nothing moderate is near


def test_rows_that_overlap_are_given_up_after_two_optima(monkeypatch):
    design, start = overlapping(0)
    strengths = []
    solve = path._minimum
    monkeypatch.setattr(
        path,
        "_minimum",
        lambda objective, *given: (
            strengths.append(objective.penalty.strength) or solve(objective, *given)
        ),
    )
    assert path.told_apart(design, start, -1e-9) is None
    assert len(strengths) <= 4


def distinct(rng):
    """Forty configurations of six attributes of three states."""
    return np.stack(np.unravel_index(rng.choice(3**6, 40, replace=False), (3,) * 6), axis=1)


def fitted(codes, classes, monkeypatch, largest=5e7):
    """Fit without penalty, of products that are dear beyond so many lookups."""
    monkeypatch.setattr(path, "_DEAR", largest)
    monkeypatch.setattr(conditional, "SMALL", 0)
    names = [f"a{k}" for k in range(codes.shape[1])]
    states = {**dict.fromkeys(names, (0, 1, 2)), "class": tuple(range(6))}
    data = Dataset.from_codes(np.column_stack([codes, classes]), states, "class")
    arcs = [("class", name) for name in names] + list(pairwise(names))
    with pytest.warns(bnlr.SeparationWarning):
        return bnlr.fit(Structure(arcs, "class"), data)


@pytest.mark.parametrize("seed", range(4))
def test_a_fit_of_dear_products_goes_where_all_rows_are_told_apart(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    codes, classes = distinct(rng), rng.integers(0, 6, 40)
    long, short = (fitted(codes, classes, monkeypatch, most) for most in (5e7, 0))
    assert "lengthened" not in long.message
    assert "lengthened" in short.message
    assert short.converged
    assert (short.separation.verdict, short.upper_bound) == ("complete", 0.0)
    assert short.cll >= -1e-9
    assert short.start_cll == pytest.approx(long.start_cll, rel=1e-12)
    assert short.separation.cells == long.separation.cells


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_differ_in_the_class_alone_spare_the_attempt(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    codes, classes = distinct(rng), rng.integers(0, 6, 40)
    codes[1::2], classes[:2] = codes[::2], (0, 1)
    monkeypatch.setattr(global_optimum, "told_apart", None)  # not to be called
    result = fitted(codes, classes, monkeypatch, 0)
    assert result.separation.verdict == "quasi"
    # What such rows leave of the CLL is found as closely as elsewhere.
    assert result.converged
    assert result.gap <= 1e-6 * abs(result.cll)

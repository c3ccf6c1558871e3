"""Fits of folds side by side: what is given up could not have won; what is shared is the same."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bnlr.learn.runs.solver import NewtonSteps
from bnlr.search.cll import fold_fits, held_out
from bnlr.search.cll.chordal import Chordal
from bnlr.search.cll.complete_rows import CompleteRows
from bnlr.search.cll.greedy import cll_search
from bnlr.search.cll.held_out import HeldOut
from tests.search.cll.test_screening import dataset

_CHAIN = Chordal.of(4, range(4), [(0, 1), (1, 2)])


def searched(data, monkeypatch, far):
    """A search, and how many iterations its fits took."""
    advance, n_steps = NewtonSteps.advance, 0

    def counted(steps):
        nonlocal n_steps
        n_steps += 1
        advance(steps)

    with monkeypatch.context() as patch:
        patch.setattr(NewtonSteps, "advance", counted)
        patch.setattr(fold_fits, "_FAR", far)
        return cll_search(data, n_threads=1), n_steps


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_what_is_given_up_early_would_not_have_won(seed, monkeypatch):
    data = dataset(n_classes=2 + seed % 3, n_rows=300, seed=seed, cards=(2, 3, 4, 2, 3))
    quick, n_quick = searched(data, monkeypatch, fold_fits._FAR)
    whole, n_whole = searched(data, monkeypatch, 1e9)
    assert quick.structure == whole.structure
    assert quick.score == whole.score
    assert list(quick.steps["arc"]) == list(whole.steps["arc"])
    assert n_quick <= n_whole


@pytest.mark.slow
def test_many_iterations_are_spared_where_fits_take_many(monkeypatch):
    data = dataset(n_classes=6, n_rows=600, cards=(6, 5, 7, 6, 5))
    n_quick, n_whole = (searched(data, monkeypatch, far)[1] for far in (fold_fits._FAR, 1e9))
    assert n_quick < 0.8 * n_whole, (n_quick, n_whole)


def test_fits_walked_together_end_at_their_maxima():
    rows = CompleteRows.of(dataset(n_classes=3), 1)
    criterion = HeldOut(rows, 5, 5, 1.0)
    near = criterion.first(Chordal.of(4, range(4), []), 0)
    found = criterion.neighbour(_CHAIN, 0, near, np.inf, -1e9)
    assert_allclose(found.score, criterion.first(_CHAIN, 0).score, atol=0.25)
    assert_allclose(sum(found.fold_clls), found.score)


def test_a_neighbour_starts_as_far_from_its_centre_as_the_model_is_from_its_own():
    rows = CompleteRows.of(dataset(n_classes=3), 1)
    criterion = HeldOut(rows, 5, 5, 1.0)
    model = criterion.first(_CHAIN, 0)
    folds = criterion._prepared(_CHAIN, 0)
    folds.begin(1e-5, model)
    expected = folds.centres[0] + model.shifts[0]
    assert_allclose(folds.fits[0].tables, expected, atol=1e-12)


def test_the_maximum_of_all_rows_is_that_of_every_penalty():
    rows = CompleteRows.of(dataset(), 1)
    settled = HeldOut(rows, 5, 5, 10.0)
    before = settled.settled(settled.first(_CHAIN, 0), None)
    other = HeldOut(rows, 5, 5, 1.0)
    again = other.first(_CHAIN, 0)
    n_fits = other.n_fits
    known = other.settled(again, before)
    assert (known.cll, known.is_settled, other.n_fits) == (before.cll, True, n_fits)
    assert_array_equal(known.peak, before.peak)
    assert_allclose(other.settled(again, None).cll, before.cll, atol=2e-3)


def test_no_addition_is_confirmed_by_more_than_all_rows_have_to_lose():
    """Where the maximum is all but 0, the likelihood ratio needs no fit."""
    rows = CompleteRows.of(dataset(), 1)
    criterion = HeldOut(rows, 5, 5, 1.0)
    before = replace(criterion.first(Chordal.of(4, range(4), []), 4), cll=-3.0, is_settled=True)
    after = criterion.first(_CHAIN, 9)
    noisy = replace(after, score=before.score + 1.01, df=before.df + 2)
    n_fits = criterion.n_fits
    assert criterion.believed(before, noisy, 100) is None
    assert criterion.n_fits == n_fits
    criterion.believed(replace(before, cll=-300.0), noisy, 100)
    assert criterion.n_fits == n_fits + 1


def test_the_penalty_of_a_graph_is_chosen_once(monkeypatch):
    rows = CompleteRows.of(dataset(), 1)
    asked = []
    best = held_out.best_penalty

    def counted(structure, *args, **options):
        asked.append(structure)
        return best(structure, *args, **options)

    monkeypatch.setattr(held_out, "best_penalty", counted)
    criterion = HeldOut(rows, 5, 5, None).strong(_CHAIN)
    assert criterion.tuned(_CHAIN).penalty == criterion.tuned(_CHAIN).penalty
    assert len(asked) == 1

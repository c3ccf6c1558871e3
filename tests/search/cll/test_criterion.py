"""Fits of a search: starts carried over, maxima and held-out scores against other solvers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import bnlr
from bnlr.design.pack import family_cells
from bnlr.search.cll.chordal import Chordal
from bnlr.search.cll.complete_rows import CompleteRows
from bnlr.search.cll.criterion import RIDGE
from bnlr.search.cll.held_out import HeldOut
from bnlr.search.cll.information_criteria import Information
from bnlr.search.cll.moves import Limits, additions, compounds, deletions
from bnlr.search.cll.warm_start import warm_start
from tests.search.cll.test_screening import dataset
from tests.width import in_full


def rows_of(**options):
    return CompleteRows.of(dataset(**options), 1)


def scores(rows, layout, tables):
    """Literally: the sum of each row's table entries."""
    cells = family_cells(layout, rows.data)
    return np.array([tables[row].sum(axis=0) for row in cells])


def penalised(rows, layout, weights, strength, centre, flat):
    """−CLL + ½·strength·‖T − centre‖², every family centred over classes, written out."""
    n_classes = rows.n_classes
    tables = flat.reshape(-1, n_classes - 1)
    eta = np.concatenate([np.zeros((len(weights), 1)), scores(rows, layout, tables)], axis=1)
    logs = eta - np.logaddexp.reduce(eta, axis=1, keepdims=True)
    moved = np.concatenate([np.zeros((len(tables), 1)), tables - centre], axis=1)[1:]
    moved = moved - moved.mean(axis=1, keepdims=True)
    own = logs[np.arange(len(weights)), rows.classes]
    return -weights @ own + 0.5 * strength * (moved**2).sum()


def test_additions_start_at_the_very_scores_of_the_present_model():
    rows = rows_of(n_classes=3, cards=(2, 3, 2, 2, 3))
    graph = Chordal.of(5, range(4), [(0, 1), (1, 2)])
    rng, old = np.random.default_rng(0), rows.layout(graph)
    tables = rng.normal(size=(old.n_cells, 2))
    limits = Limits(4, 10**6, rows.cards, 3)
    moves = [*additions(graph, limits), *compounds(graph, limits)]
    assert len(moves) > 10
    for move in moves:
        new = rows.layout(move.graph)
        assert_allclose(
            scores(rows, new, warm_start(old, tables, new)), scores(rows, old, tables), atol=1e-12
        )


def test_deletions_start_at_the_very_scores_if_the_lost_terms_are_none():
    """Tables of the smaller model, put into the larger one and taken back."""
    rows = rows_of(cards=(2, 3, 2, 2))
    graph = Chordal.of(4, range(4), [(0, 1), (1, 2), (0, 2)])
    rng, old = np.random.default_rng(0), rows.layout(graph)
    for move in deletions(graph):
        new = rows.layout(move.graph)
        tables = rng.normal(size=(new.n_cells, 1))
        wide = warm_start(new, tables, old)
        back = scores(rows, new, warm_start(old, wide, new))
        assert_allclose(back, scores(rows, new, tables), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, *in_full(3)])
def test_the_maximum_is_scipys(n_classes):
    rows = rows_of(n_classes=n_classes, n_rows=120, cards=(2, 3))
    graph = Chordal.of(2, range(2), [(0, 1)])
    model = Information.named(rows, "bic").first(graph, 7)
    layout, size = model.layout, model.tables.size
    zero = np.zeros_like(model.tables)
    best = minimize(
        lambda x: penalised(rows, layout, rows.weights, RIDGE, zero, x), np.zeros(size), tol=1e-10
    )
    found = penalised(rows, layout, rows.weights, RIDGE, zero, model.tables.ravel())
    assert_allclose(found, best.fun, atol=1e-4)
    assert_allclose(model.score, model.cll - 3.5 * np.log(120), rtol=1e-12)
    assert_allclose(Information.named(rows, "aic").first(graph, 7).score, model.cll - 7, rtol=1e-12)


@pytest.mark.slow
def test_rows_left_out_are_scored_by_fits_of_the_others():
    rows = rows_of(n_rows=60, cards=(2, 2), n_classes=2)
    graph = Chordal.of(2, range(2), [(0, 1)])
    criterion = HeldOut(rows, 3, 3, 2.0)
    model = criterion.first(graph, 4)
    prepared = criterion._prepared(graph, 4)
    covered, total = np.zeros(rows.data.n_rows), 0.0
    for k, (at, weights) in enumerate(criterion._parts):
        rest = rows.weights.copy()
        rest[at] -= weights
        covered[at] += weights
        best = minimize(
            lambda x, w=rest, c=prepared.centres[k]: penalised(rows, model.layout, w, 2.0, c, x),
            prepared.centres[k].ravel(),
            tol=1e-10,
        )
        eta = scores(rows, model.layout, best.x.reshape(-1, 1))[:, 0]
        own = np.where(rows.classes == 1, eta, 0.0) - np.logaddexp(eta, 0.0)
        total += weights @ own[at]
    assert_allclose(covered, rows.weights)
    assert_allclose(model.score, total, atol=1e-3)


def test_one_fold_alone_is_the_validation_part():
    rows = rows_of()
    graph = Chordal.of(4, range(4), [])
    folds = HeldOut(rows, 4, 4, 1.0).first(graph, 0).fold_clls
    part = HeldOut(rows, 4, 1, 1.0).first(graph, 0)
    assert_allclose(part.fold_clls[0], folds[0], rtol=0.05)  # its scale is that of one fold
    assert part.score == part.fold_clls[0]


def test_a_neighbour_without_hope_is_abandoned():
    rows = rows_of()
    graph = Chordal.of(4, range(4), [(0, 1), (1, 2), (2, 3)])
    criterion = HeldOut(rows, 5, 5, 1.0)
    model = criterion.first(graph, 0)
    worse = Chordal.of(4, [3], [])
    assert criterion.neighbour(worse, 0, model, 1.0) is None
    same = criterion.neighbour(graph, 0, criterion.first(worse, 0), 1e6)
    assert_allclose(same.score, model.score, rtol=1e-4)


def test_a_neighbour_that_cannot_reach_the_best_so_far_is_abandoned():
    rows = rows_of()
    far, near = Chordal.of(4, [3], []), Chordal.of(4, range(4), [(0, 1), (1, 2), (2, 3)])
    criterion = HeldOut(rows, 5, 5, 1.0)
    before, after = criterion.first(far, 0), criterion.first(near, 0)
    change = after.score - before.score
    assert change > 2
    found = criterion.neighbour(near, 0, before, np.inf, change - 0.5)
    assert_allclose(found.score, after.score, atol=0.25)  # five folds, each to a gap of 0.05
    assert criterion.neighbour(near, 0, before, 0.0, change + 0.5) is None


def test_a_decision_takes_a_rougher_maximum_than_the_record():
    rows = rows_of()
    graph = Chordal.of(4, range(4), [(0, 1)])
    criterion = HeldOut(rows, 5, 5, 1.0)
    before = criterion.settled(criterion.first(Chordal.of(4, [3], []), 4), None)
    after = criterion.first(graph, 30)
    exact = Information.named(rows, "aic").first(graph, 30).cll
    rough = criterion._peaked(after, before, 0.05, abs(before.cll))
    assert not rough.is_settled
    assert exact - 0.1 < rough.cll < exact + 1e-3
    for model in (criterion.settled(after, before), criterion.settled(rough, before)):
        assert model.is_settled
        assert_allclose(model.cll, exact, atol=1e-3)


def test_folds_do_not_depend_on_the_order_of_rows_columns_or_states():
    data = dataset(n_rows=300)
    frame = data.to_frame().astype(str)
    shuffled = frame.sample(frac=1, random_state=0)[["y", "c", "a", "d", "b"]]
    states = {node: tuple(map(str, reversed(data.states[node]))) for node in shuffled}
    graph = Chordal.of(4, range(4), [(0, 1)])
    sets = [
        bnlr.Dataset.from_frame(frame, "y"),
        bnlr.Dataset.from_frame(shuffled, "y", states=states),
    ]
    found = [HeldOut(CompleteRows.of(one, 1), 5, 5, 1.0).first(graph, 0).fold_clls for one in sets]
    assert_allclose(found[0], found[1], rtol=1e-5)

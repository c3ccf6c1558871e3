"""Score statistics against statsmodels and literal formulas; ranks against numpy's."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

import bnlr
from bnlr.search.cll import information_criteria
from bnlr.search.cll.chordal import Chordal
from bnlr.search.cll.complete_rows import CompleteRows
from bnlr.search.cll.efficient_scores import Efficient, predictors, sharpened
from bnlr.search.cll.information_criteria import Information
from bnlr.search.cll.moves import ADD_ARC, Interaction, Limits, additions, compounds, deletions
from bnlr.search.cll.screening import CellSums, Screen, added_rank, row_values
from bnlr.search.cll.wald import clique_scores, losses
from bnlr.structure.bits import mask_of, members


def dataset(n_classes=2, n_rows=400, seed=0, cards=(2, 3, 2, 2), weighted=False):
    """Attributes a, b, … that depend on the class and on one another."""
    rng = np.random.default_rng(seed)
    own = rng.integers(0, n_classes, n_rows)
    columns = []
    for k, card in enumerate(cards):
        above = columns[-1] if columns else own
        odds = rng.normal(size=(n_classes, cards[k - 1] if columns else n_classes, card))
        p = np.exp(odds)[own, above]
        p /= p.sum(axis=1, keepdims=True)
        columns.append((p.cumsum(axis=1) < rng.random((n_rows, 1))).sum(axis=1))
    states = {name: tuple(range(card)) for name, card in zip("abcdefg", cards, strict=False)}
    weights = rng.integers(1, 4, n_rows).astype(float) if weighted else None
    codes = np.column_stack([*columns, own])
    return bnlr.Dataset.from_codes(codes, {**states, "y": tuple(range(n_classes))}, "y", weights)


def setting(pairs=((0, 1),), **options):
    rows = CompleteRows.of(dataset(**options), 1)
    graph = Chordal.of(len(rows.names), range(len(rows.names)), pairs)
    model = Information.named(rows, "bic").first(graph, 0)
    return rows, graph, model, Limits(3, 10**6, rows.cards, rows.n_classes)


def all_moves(graph, limits):
    return [*additions(graph, limits), *compounds(graph, limits)]


def indicators(rows, vertices):
    """Dense 0/1 columns of the joint states that occur."""
    cells = product(*(range(rows.cards[i]) for i in vertices))
    columns = [
        np.all([rows.codes[i] == s for i, s in zip(vertices, cell, strict=True)], axis=0)
        for cell in cells
    ]
    return np.array([column for column in columns if column.any()], dtype=float).T


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_efficient_statistics_equal_statsmodels(weighted, monkeypatch):
    sm = pytest.importorskip("statsmodels.api")
    monkeypatch.setattr(information_criteria, "RIDGE", 1e-8)
    rows, graph, model, limits = setting(weighted=weighted)
    moves = [m for m in additions(graph, limits) if m.kind == ADD_ARC]
    found = Efficient.of(rows, graph, model.probabilities).statistics(moves)
    # A row a unit of weight, as statsmodels has not checked its score test with weights.
    times = np.repeat(np.arange(rows.data.n_rows), rows.weights.astype(int))
    fitted = sm.GLM(
        rows.classes[times], predictors(rows, graph)[times], family=sm.families.Binomial()
    ).fit(tol=1e-12)
    assert_allclose(model.cll, fitted.llf, rtol=1e-6)
    for move, statistic in zip(moves, found, strict=True):
        ends = {move.terms[0].u, move.terms[0].v}
        joint = [
            np.all([rows.codes[i] == s for i, s in cell], axis=0)
            for cell in product(
                *([(i, s) for s in range(i in ends, rows.cards[i])] for i in members(move.clique))
            )
        ]
        new = np.array([z for z in joint if z.any()], dtype=float).T[times]
        expected = fitted.score_test(exog_extra=new).statistic.item()
        assert_allclose(statistic, expected, rtol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_efficient_statistics_equal_raos_formula(n_classes):
    """uᵀ(C − BᵀA⁻¹B)⁻u of the stacked predictors, by dense matrices of all rows and classes."""
    rows, graph, model, limits = setting(n_classes=n_classes, n_rows=250)
    moves = all_moves(graph, limits)
    found = Efficient.of(rows, graph, model.probabilities).statistics(moves)
    z, k = predictors(rows, graph), n_classes - 1
    for move, statistic in zip(moves, found, strict=True):
        new = indicators(rows, members(move.clique))
        both = np.concatenate([z, new], axis=1)
        information = np.zeros((both.shape[1] * k,) * 2)
        score = np.zeros(both.shape[1] * k)
        for row, own, p, w in zip(
            both, rows.classes, model.probabilities, rows.weights, strict=True
        ):
            information += w * np.kron(np.diag(p) - np.outer(p, p), np.outer(row, row))
            score += w * np.kron((own == np.arange(1, n_classes)) - p, row)
        old = np.tile(np.arange(both.shape[1]) < z.shape[1], k)
        a, b = information[np.ix_(old, old)], information[np.ix_(old, ~old)]
        solved = np.linalg.solve(a, b)
        u = score[~old] - solved.T @ score[old]
        v = information[np.ix_(~old, ~old)] - b.T @ solved
        assert_allclose(statistic, u @ np.linalg.pinv(v, rcond=1e-9) @ u, rtol=1e-5)


def test_efficient_statistics_are_not_computed_where_they_would_be_large():
    rows, graph, model, _ = setting(cards=(4,) * 6, pairs=[(0, 1), (1, 2), (0, 2)], n_classes=4)
    assert Efficient.of(rows, graph, model.probabilities) is None


@pytest.mark.parametrize("n_classes", [2, 4])
def test_sums_over_cells_equal_a_loop(n_classes):
    rows, _, model, _ = setting(n_classes=n_classes, weighted=True)
    values = row_values(rows, model.probabilities)
    for i, own in enumerate(rows.classes):
        p = np.concatenate([[1 - model.probabilities[i].sum()], model.probabilities[i]])
        hot = np.arange(n_classes) == own
        expected = np.concatenate([hot - p, p, p * (1 - p), [-np.log(p[own])]])
        assert_allclose(values[i], rows.weights[i] * expected, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_screened_statistics_equal_a_loop(n_classes):
    rows, graph, model, limits = setting(n_classes=n_classes)
    moves = all_moves(graph, limits)
    screened = Screen(rows).additions(moves, model.probabilities)
    values = row_values(rows, model.probabilities)
    for k, move in enumerate(moves):
        statistic = 0.0
        for column in indicators(rows, members(move.clique)).T.astype(bool):
            residual, expected, spread = np.split(values[column, :-1].sum(axis=0), 3)
            share = expected / expected.sum()
            statistic += (residual**2 * (1 - share) / spread).sum()
        assert_allclose(screened.statistic[k], statistic, rtol=1e-9)


def test_with_two_classes_a_pair_of_attributes_is_the_whole_model():
    """Then the cells' statistic is Rao's own, there being nothing else to project out."""
    rows, graph, model, limits = setting(cards=(2, 3), pairs=[])
    moves = list(additions(graph, limits))
    cells = Screen(rows).additions(moves, model.probabilities)
    exact = Efficient.of(rows, graph, model.probabilities).statistics(moves)
    assert_allclose(cells.statistic, exact, rtol=1e-3)


def test_where_probabilities_are_all_alike_the_gain_is_half_the_g_statistic():
    """At the model without attributes: 2·gain is the likelihood ratio of a contingency table."""
    from scipy.stats import chi2_contingency

    rows = CompleteRows.of(dataset(n_classes=3), 1)
    graph = Chordal.of(4, [], [])
    model = Information.named(rows, "bic").first(graph, 2)
    moves = list(additions(graph, Limits(3, 10**6, rows.cards, 3)))
    screened = Screen(rows).additions(moves, model.probabilities)
    for k, move in enumerate(moves):
        vertex = move.terms[0].u
        table = np.zeros((rows.cards[vertex], 3))
        np.add.at(table, (rows.codes[vertex], rows.classes), rows.weights)
        expected = chi2_contingency(table, correction=False, lambda_="log-likelihood")
        assert_allclose(2 * screened.gain[k], expected.statistic, rtol=1e-3)
        assert screened.df[k] == expected.dof
        pearson = chi2_contingency(table, correction=False).statistic
        assert_allclose(screened.statistic[k], pearson, rtol=1e-3)


def test_a_cell_gains_at_most_what_it_has_to_lose():
    cells = CellSums(
        residual=np.array([[-0.999, 0.999]]),
        expected=np.array([[9.999, 0.001]]),
        spread=np.array([[0.0001, 0.0001]]),
        loss=np.array([6.9]),
    )
    assert cells.statistics() > 900
    assert_allclose(cells.gains(), 6.9)


def test_sharpened_gains_follow_the_exact_statistics():
    rows, graph, model, limits = setting()
    moves = all_moves(graph, limits)
    plain = Screen(rows).additions(moves, model.probabilities)
    sharp = sharpened(rows, graph, model.probabilities, plain)
    exact = Efficient.of(rows, graph, model.probabilities).statistics(moves)
    assert_allclose(sharp.statistic, exact)
    assert_allclose(sharp.gain / plain.gain, np.maximum(exact / plain.statistic, 1))


@pytest.mark.parametrize("seed", range(40))
def test_degrees_of_freedom_are_the_rank_on_the_cells_that_occur(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 4, rng.integers(2, 5)))
    seen = rng.random(shape) < rng.choice([0.3, 0.6, 1.0])
    n = len(shape)
    u, v = sorted(rng.choice(n, 2, replace=False).tolist())
    inside = [i for i in range(n) if i not in {u, v} and rng.random() < 0.7]
    cells = np.argwhere(seen)

    def functions(vertices):
        codes = cells[:, list(vertices)] if len(cells) else np.zeros((0, len(vertices)))
        values = np.unique(codes, axis=0)
        return (codes[:, None] == values).all(axis=2).astype(float)

    def rank(*scopes):
        columns = np.concatenate([functions(s) for s in scopes], axis=1)
        return np.linalg.matrix_rank(columns) if columns.size else 0

    edge = rank((*inside, u, v)) - rank((*inside, u), (*inside, v))
    vertices = list(range(n))
    assert added_rank(seen, vertices, Interaction(u, v, mask_of(inside))) == edge
    vertex = rank((*inside, u)) - rank(inside)
    assert added_rank(seen, vertices, Interaction(u, None, mask_of(inside))) == vertex


def test_losses_are_weighted_distances_from_the_margins():
    """Two classes: min over functions of (S, u) and (S, v) of Σ D·(T − f − g)², halved."""
    rows, graph, model, _ = setting(pairs=[(0, 1), (1, 2), (0, 2)])
    moves = list(deletions(graph))
    screened = losses(Screen(rows), rows, model, moves)
    p = model.probabilities[:, 0]
    curvature = rows.weights * p * (1 - p)
    for k, move in enumerate(moves):
        term, vertices = move.terms[0], members(move.clique)
        hot = np.array(
            [
                np.all([rows.codes[i] == s for i, s in zip(vertices, cell, strict=True)], axis=0)
                for cell in product(*(range(rows.cards[i]) for i in vertices))
            ]
        )
        weight = np.sqrt(hot @ curvature)
        scores = clique_scores(rows, model, move.clique)[:, 0]
        # The scores of the rows, by their own families.
        gone = [term.u] if term.v is None else [term.u, term.v]
        cells = list(product(*(range(rows.cards[i]) for i in vertices)))
        design = []
        for vertex in gone:
            kept = [c for c, i in enumerate(vertices) if i != vertex]
            keys = [tuple(cell[c] for c in kept) for cell in cells]
            design += [[float(key == other) for key in keys] for other in sorted(set(keys))]
        x = np.array(design).T * weight[:, None]
        fitted = np.linalg.lstsq(x, scores * weight, rcond=None)[0]
        loss = 0.5 * ((scores * weight - x @ fitted) ** 2).sum()
        assert_allclose(screened.gain[k], -loss, rtol=1e-6, atol=1e-9)
        assert_allclose(screened.statistic[k], 2 * loss, rtol=1e-6, atol=1e-9)


def test_predicted_gains_and_losses_are_near_the_true_ones():
    rows, graph, model, limits = setting(n_rows=4000, pairs=[(0, 1), (1, 2)])
    criterion, screen = Information.named(rows, "bic"), Screen(rows)
    moves = [m for m in additions(graph, limits) if m.kind == ADD_ARC]
    screened = sharpened(
        rows, graph, model.probabilities, screen.additions(moves, model.probabilities)
    )
    for k, move in enumerate(moves):
        gain = criterion.neighbour(move.graph, 0, model, np.inf).cll - model.cll
        assert_allclose(screened.gain[k], gain, rtol=0.1, atol=0.5)
    gone = [m for m in deletions(graph) if len(members(m.clique)) > 1]
    lost = losses(screen, rows, model, gone)
    for k, move in enumerate(gone):
        loss = model.cll - criterion.neighbour(move.graph, 0, model, np.inf).cll
        assert_allclose(-lost.gain[k], loss, rtol=0.5, atol=0.5)
        assert lost.df[k] < 0

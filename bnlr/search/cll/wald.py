"""What taking terms away would lose: the Wald statistic within one clique.

The scores of a clique's cells, T (the sum of the tables that lie within), are compared with the
nearest that its margins can give, in the metric of the curvature: half the squared distance is the
loss of the CLL to second order, all parameters outside of the clique held.
"""

from collections.abc import Sequence

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.cells import cell_sums
from bnlr.search.cll.complete_rows import CompleteRows
from bnlr.search.cll.criterion import Model
from bnlr.search.cll.moves import Interaction, Move
from bnlr.search.cll.screening import CellSums, Screen, Screening, ratio, row_values
from bnlr.structure.bits import members


def losses(screen: Screen, rows: CompleteRows, model: Model, moves: Sequence[Move]) -> Screening:
    """Screen deletions; gains and degrees of freedom are negative."""
    n = len(moves)
    statistic, df = np.zeros(n), np.zeros(n, dtype=np.intp)
    if moves:
        values = row_values(rows, model.probabilities)
        families = rows.families([move.clique for move in moves])
        sums = cell_sums(rows.codes, families, values, rows.n_threads)
        for k, move in enumerate(moves):
            own = sums[families.starts[k] : families.starts[k + 1]]
            cells = CellSums.of(own, rows.n_classes)
            statistic[k] = _statistic(rows, model, move.terms[0], cells)
            df[k] = -screen.degrees_of_freedom(move.terms[0])
    return Screening(list(moves), statistic, -0.5 * statistic, df)


def _statistic(rows: CompleteRows, model: Model, term: Interaction, cells: CellSums) -> float:
    """Squared distance of the scores from the nearest of the margins.

    For more than two classes the nearest is found for each class by itself, in the metric of
    p(1 − p): a little too far.
    """
    share = ratio(cells.expected, cells.weight[:, None])
    rest = np.zeros_like(share)
    rest[:, 1:] = clique_scores(rows, model, term.clique)
    for c in range(1, rows.n_classes):
        rest[:, c] = _beyond_margins(rows, term, rest[:, c], cells.spread[:, c])
    rest -= (share * rest).sum(axis=1, keepdims=True)
    # The curvature in class c alone: E_c, less what the spread of p within the cell takes.
    return float((ratio(cells.spread, 1.0 - share) * rest**2).sum())


def clique_scores(rows: CompleteRows, model: Model, clique: int) -> FloatArray:
    """Sum of the tables within the clique, for its cells, (n_cells, n_classes − 1)."""
    vertices = members(clique)
    names = [rows.names[i] for i in vertices]
    shape = tuple(rows.cards[i] for i in vertices)
    width = model.tables.shape[1]
    scores = np.zeros((*shape, width))
    for family in model.layout.families[1:]:
        if not set(family.scope) <= set(names):
            continue
        table = model.tables[family.rows].reshape(*family.shape, width)
        order = sorted(range(len(family.scope)), key=lambda k: names.index(family.scope[k]))
        moved = table.transpose(*order, len(family.scope))
        wide = [shape[k] if names[k] in family.scope else 1 for k in range(len(names))]
        scores += moved.reshape(*wide, width)
    return scores.reshape(-1, width)


def _beyond_margins(
    rows: CompleteRows, term: Interaction, scores: FloatArray, weights: FloatArray
) -> FloatArray:
    """Scores of a clique's cells less their weighted regression on what is left of the clique.

    That is a function of the separator for a vertex; for an edge (u, v) a sum of one of u and one
    of v for each state of the separator, whose normal equations are solved all at once.
    """
    vertices = members(term.clique)
    shape = [rows.cards[i] for i in vertices]
    gone = [vertices.index(i) for i in (term.u, term.v) if i is not None]
    last = [-2, -1][-len(gone) :]
    t, w = (
        np.moveaxis(x.reshape(shape), gone, last).reshape(-1, *(shape[k] for k in gone))
        for x in (scores, weights)
    )
    if term.v is None:
        rest = t - ratio((w * t).sum(axis=1), w.sum(axis=1))[:, None]
    else:
        n = t.shape[1]
        sides = np.concatenate([w.sum(axis=2), w.sum(axis=1)], axis=1)
        normal = sides[:, :, None] * np.eye(sides.shape[1])
        normal[:, :n, n:], normal[:, n:, :n] = w, w.transpose(0, 2, 1)
        right = np.concatenate([(w * t).sum(axis=2), (w * t).sum(axis=1)], axis=1)
        parts = (np.linalg.pinv(normal, hermitian=True) @ right[:, :, None])[:, :, 0]
        rest = t - parts[:, :n, None] - parts[:, None, n:]
    kept = [shape[k] for k in range(len(shape)) if k not in gone]
    moved = np.moveaxis(rest.reshape(*kept, *rest.shape[1:]), last, gone)
    return moved.reshape(scores.shape)

"""Screening: what all moves would gain or lose, from one pass of sums over cells.

With r = 1[y = c] − p_c the residuals of the rows at the present optimum, a move that makes the
clique Q brings in terms of which only r summed over the cells of Q tells. As the sums over smaller
cliques are 0 there, the score statistic of Rao (1948), with all parameters outside of Q held, is

    Σ_cells rᵀ M⁻ r,   M = Σ_rows in the cell (diag p − p pᵀ),

in which the margins of Q that are in the model already are projected out. For two classes M is the
number D = Σ p(1 − p); for more, rᵀ M⁻ r is taken as Σ_c r_c² (1 − E_c/n)/D_c, with E_c = Σ p_c and
n rows in the cell: exact where p is the same in all of them.

The quadratic overshoots where a few rows are far off. Twice the gain is predicted as
G² · (statistic / X²), at most what the cell has to lose, with G² = 2 Σ O log(O/E) and Pearson's
X² = Σ (O − E)²/E; the factor allows for p that differ within the cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bnlr._typing import BoolArray, FloatArray, IntArray
from bnlr.design.cells import cell_sums
from bnlr.search.batches import in_batches
from bnlr.search.cll.chordal import Chordal
from bnlr.search.cll.complete_rows import CompleteRows
from bnlr.search.cll.moves import Interaction, Move
from bnlr.structure.bits import members

_TINY = 1e-300


@dataclass(frozen=True)
class CellSums:
    """Sums over cells: ``residual``, ``expected``, ``spread`` (cells, n_classes), ``loss``.

    The sums of r_c, p_c and p_c(1 − p_c), and of −log p of the rows' classes, weighted.
    """

    residual: FloatArray
    expected: FloatArray
    spread: FloatArray
    loss: FloatArray

    @classmethod
    def of(cls, sums: FloatArray, n_classes: int) -> "CellSums":
        """Split the columns of ``row_values``."""
        k = n_classes
        return cls(sums[:, :k], sums[:, k : 2 * k], sums[:, 2 * k : 3 * k], sums[:, 3 * k])

    @cached_property
    def weight(self) -> FloatArray:
        """Rows in each cell, by weight."""
        total: FloatArray = self.expected.sum(axis=1)
        return total

    def statistics(self) -> FloatArray:
        """Each cell's share of the score statistic."""
        return self._statistics

    @cached_property
    def _statistics(self) -> FloatArray:
        others = 1.0 - ratio(self.expected, self.weight[:, None])
        shares: FloatArray = ratio(self.residual**2 * others, self.spread).sum(axis=1)
        return shares

    def gains(self) -> FloatArray:
        """Each cell's predicted gain of the CLL."""
        observed = np.maximum(self.expected + self.residual, 0.0)
        times = np.maximum(ratio(observed, self.expected), _TINY)
        likelihood = (observed * np.log(times)).sum(axis=1)
        pearson = ratio(self.residual**2, self.expected).sum(axis=1)
        factor = np.maximum(ratio(self.statistics(), pearson), 1.0)
        gains: FloatArray = np.minimum(np.maximum(likelihood, 0.0) * factor, self.loss)
        return gains


def row_values(rows: CompleteRows, probabilities: FloatArray) -> FloatArray:
    """Columns r, p, p(1 − p), each by class, and −log p of the row's class; weighted.

    ``probabilities`` are those of the classes but the first, (n_rows, n_classes − 1).
    """
    first = np.maximum(1.0 - probabilities.sum(axis=1, keepdims=True), 0.0)
    p = np.concatenate([first, probabilities], axis=1)
    own = np.arange(len(p)), rows.classes.astype(np.intp)
    residual = -p
    # Not 1 − p, whose rounding would be all that is left of it near separation.
    others = p.copy()
    others[own] = 0.0
    residual[own] = others.sum(axis=1)
    loss = -np.log(np.maximum(p[own], _TINY))
    values = np.concatenate([residual, p, p * (1.0 - p), loss[:, None]], axis=1)
    return values * rows.weights[:, None]


@dataclass(frozen=True)
class Screening:
    """Of each move: score ``statistic``, predicted ``gain`` of the CLL, degrees of freedom."""

    moves: list[Move]
    statistic: FloatArray
    gain: FloatArray
    df: IntArray


class Screen:
    """Screens moves, and remembers degrees of freedom, which depend on the rows alone."""

    def __init__(self, rows: CompleteRows) -> None:
        self._rows = rows
        self._df: dict[Interaction, int] = {}

    def additions(
        self, moves: Sequence[Move], probabilities: FloatArray, worth: float = -np.inf
    ) -> Screening:
        """Screen additions at the fit with ``probabilities``.

        Degrees of freedom are those of all cells, occurring or not, for gains below ``worth``.
        """
        values = row_values(self._rows, probabilities)
        families = self._rows.families([move.clique for move in moves])
        statistic, gain = np.zeros(len(moves)), np.zeros(len(moves))
        df = np.zeros(len(moves), dtype=np.intp)
        width = values.shape[1]
        expected = np.zeros(width)
        expected[self._rows.n_classes : 2 * self._rows.n_classes] = 1.0
        for batch in in_batches(families.n_cells * width):
            which = np.zeros(len(moves), dtype=np.bool_)
            which[batch] = True
            chosen = families.chosen(which)
            sums = cell_sums(self._rows.codes, chosen, values, self._rows.n_threads)
            # Most cells of three attributes or more hold no row.
            seen = sums @ expected > 0
            cells = CellSums.of(sums[seen], self._rows.n_classes)
            starts: IntArray = (np.cumsum(seen) - seen)[chosen.starts[:-1]]
            statistic[batch] = np.add.reduceat(cells.statistics(), starts)
            gain[batch] = np.add.reduceat(cells.gains(), starts)
            for k, place in enumerate(range(batch.start, batch.stop)):
                own = seen[chosen.starts[k] : chosen.starts[k + 1]]
                own = own if gain[place] >= worth else np.ones(len(own), dtype=np.bool_)
                df[place] = self._degrees(moves[place], own, is_kept=gain[place] >= worth)
        return Screening(list(moves), statistic, gain, df)

    def parameters(self, graph: Chordal) -> int:
        """Parameters of a model: the intercept, and each vertex given the neighbours before it."""
        terms = [Interaction(vertex, None, above) for vertex, above in graph.families]
        total = sum(self.degrees_of_freedom(term) for term in terms)
        return total + self._rows.n_classes - 1

    def degrees_of_freedom(self, term: Interaction) -> int:
        """Parameters that a term brings in, n_classes − 1 a function of the cells that occur."""
        if term not in self._df:
            seen = cell_sums(
                self._rows.codes, self._rows.families([term.clique]), self._rows.weights[:, None], 1
            )
            self._df[term] = self._rank(term, seen[:, 0] > 0, term.clique)
        return self._df[term]

    def _degrees(self, move: Move, seen: BoolArray, *, is_kept: bool) -> int:
        total = 0
        for term in move.terms:
            df = self._df.get(term)
            if df is None:
                df = self._rank(term, seen, move.clique)
                if is_kept:
                    self._df[term] = df
            total += df
        return total

    def _rank(self, term: Interaction, seen: BoolArray, clique: int) -> int:
        shape = [self._rows.cards[i] for i in members(clique)]
        rank = added_rank(seen.reshape(shape), members(clique), term)
        return rank * (self._rows.n_classes - 1)


def added_rank(seen: BoolArray, vertices: list[int], term: Interaction) -> int:
    """Dimension that a term adds to the functions on the cells that occur.

    ``seen`` has an axis for each of ``vertices``, which hold the term's clique. For an edge (u, v)
    given S it is n(S, u, v) − n(S, u) − n(S, v) + the number of components into which the states of
    u and v that occur together fall given S; n counts the cells that occur.
    """
    own = members(term.clique)
    outside = tuple(k for k, i in enumerate(vertices) if i not in own)
    cells: BoolArray = np.logical_or.reduce(seen, axis=outside)
    if term.v is None:
        u = own.index(term.u)
        table = np.moveaxis(cells, u, -1).reshape(-1, cells.shape[u])
        return int(table.sum() - table.any(axis=1).sum())
    u, v = own.index(term.u), own.index(term.v)
    tables = np.moveaxis(cells, (u, v), (-2, -1)).reshape(-1, cells.shape[u], cells.shape[v])
    if tables.all():
        return len(tables) * (tables.shape[1] - 1) * (tables.shape[2] - 1)
    n_rows, n_columns = int(tables.any(axis=2).sum()), int(tables.any(axis=1).sum())
    return int(tables.sum()) - n_rows - n_columns + _n_components(tables)


def _n_components(tables: BoolArray) -> int:
    """Connected components of the bipartite graphs of states that occur together.

    Each row of a table takes the least number of a row that it shares a column with.
    """
    none = tables.shape[1]
    own = np.arange(none)
    fresh, label = np.where(tables.any(axis=2), own, none), None
    while label is None or (fresh != label).any():
        label = fresh
        columns = np.where(tables, label[:, :, None], none).min(axis=1)
        fresh = np.where(tables, columns[:, None, :], none).min(axis=2)
    return int((label == own).sum())


def ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Quotient, 0 where nothing is below."""
    shape = np.broadcast_shapes(above.shape, below.shape)
    result: FloatArray = np.divide(above, below, out=np.zeros(shape), where=below > 0)
    return result

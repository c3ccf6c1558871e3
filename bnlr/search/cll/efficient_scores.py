"""Score statistics with all parameters of the present model projected out.

With Z the present model's predictors, C the indicators of a clique's cells and W the curvature of
−CLL in the scores, the efficient information of the clique's cells is

    V = CᵀWC − CᵀWZ (ZᵀWZ)⁻¹ ZᵀWC,

and Rao's statistic uᵀ V⁻ u with u the residuals summed over the cells, less what the present
parameters, were they a little off their optimum, would still take of them. Functions of the cells
that are in the model already have no information left, and the pseudo-inverse leaves them out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from bnlr._typing import FloatArray
from bnlr.design.cells import cell_sums
from bnlr.search.cll.chordal import Chordal
from bnlr.search.cll.complete_rows import CompleteRows
from bnlr.search.cll.moves import Move
from bnlr.search.cll.screening import Screening
from bnlr.structure.bits import members

# Predictors, all classes, squared over the classes; and numbers in the matrix of predictors.
_MOST_COLUMNS, _MOST_NUMBERS = 512, 2**23
_MOST_MOVES = 64
_JITTER, _NO_INFORMATION = 1e-12, 1e-9


@dataclass(frozen=True)
class Efficient:
    """The present model: predictors Z, curvature by classes (n_rows, k, k), and ZᵀWZ factored.

    ``shift`` is (ZᵀWZ)⁻¹ times the scores of the present parameters.
    """

    rows: CompleteRows
    predictors: FloatArray
    curvature: FloatArray
    residuals: FloatArray
    factor: tuple[FloatArray, bool]
    shift: FloatArray

    @classmethod
    def of(
        cls, rows: CompleteRows, graph: Chordal, probabilities: FloatArray
    ) -> "Efficient | None":
        """Collect it at a fit; None where the matrices would be large."""
        k = rows.n_classes - 1
        n_columns = 1 + sum(_n_columns(rows, vertex, above) for vertex, above in graph.families)
        if (
            n_columns * k * k > _MOST_COLUMNS
            or n_columns * k * k * rows.data.n_rows > _MOST_NUMBERS
        ):
            return None
        z = predictors(rows, graph)
        curvature = -probabilities[:, :, None] * probabilities[:, None, :]
        own = np.arange(k)
        curvature[:, own, own] += probabilities
        curvature *= rows.weights[:, None, None]
        hot = rows.classes[:, None] == np.arange(1, k + 1)
        residuals = (hot - probabilities) * rows.weights[:, None]
        h = np.block([[z.T @ (curvature[:, a, b, None] * z) for b in own] for a in own])
        h[np.diag_indices(len(h))] += _JITTER * max(float(np.trace(h)), 1.0)
        factor = cho_factor(h)
        shift = cho_solve(factor, (z.T @ residuals).T.ravel())
        return cls(rows, z, curvature, residuals, factor, shift)

    def statistics(self, moves: Sequence[Move]) -> FloatArray:
        """Score statistic of each addition's terms."""
        n, k = self.curvature.shape[:2]
        p = self.predictors.shape[1]
        own = self.curvature.reshape(n, k * k)
        values = [self.residuals, own, (own[:, :, None] * self.predictors[:, None]).reshape(n, -1)]
        families = self.rows.families([move.clique for move in moves])
        sums = cell_sums(
            self.rows.codes, families, np.concatenate(values, axis=1), self.rows.n_threads
        )
        found = np.empty(len(moves))
        for i in range(len(moves)):
            cells = sums[families.starts[i] : families.starts[i + 1]]
            cells = cells[cells[:, k:].any(axis=1)]
            m = len(cells)
            u = cells[:, :k].T.ravel()
            d = np.zeros((k, m, k, m))
            d[:, np.arange(m), :, np.arange(m)] = cells[:, k : k + k * k].reshape(m, k, k)
            # (classes of the cells, cells, classes of the parameters, predictors)
            b = (
                cells[:, k + k * k :]
                .reshape(m, k, k, p)
                .transpose(1, 0, 2, 3)
                .reshape(k * m, k * p)
            )
            information = d.reshape(k * m, k * m) - b @ cho_solve(self.factor, b.T)
            found[i] = _quadratic(information, u - b @ self.shift)
        return found


def sharpened(
    rows: CompleteRows, graph: Chordal, probabilities: FloatArray, found: Screening
) -> Screening:
    """Put exact statistics to the most promising moves, where the matrices are small.

    The predicted gains grow as their statistics do.
    """
    known = Efficient.of(rows, graph, probabilities) if found.moves else None
    if known is None:
        return found
    statistic, gain = found.statistic.copy(), found.gain.copy()
    best = np.sort(np.argsort(-gain, kind="stable")[:_MOST_MOVES])
    exact = known.statistics([found.moves[k] for k in best])
    gain[best] *= np.divide(
        exact, statistic[best], out=np.ones(len(best)), where=exact > statistic[best]
    )
    statistic[best] = exact
    return replace(found, statistic=statistic, gain=gain)


def predictors(rows: CompleteRows, graph: Chordal) -> FloatArray:
    """Full-rank predictors of a chordal model on the cells that occur, (n_rows, n_columns).

    The intercept and, for each family, the cells that occur but the first of each configuration
    of the parents.
    """
    columns = [np.ones((rows.data.n_rows, 1))]
    for vertex, above in graph.families:
        code = np.zeros(rows.data.n_rows, dtype=np.intp)
        for i in members(above):
            code = code * rows.cards[i] + rows.codes[i]
        cells = np.unique(code * rows.cards[vertex] + rows.codes[vertex], return_inverse=True)
        first = np.unique(cells[0] // rows.cards[vertex], return_index=True)[1]
        kept = np.delete(np.arange(len(cells[0])), first)
        columns.append((cells[1][:, None] == kept).astype(np.float64))
    return np.concatenate(columns, axis=1)


def _n_columns(rows: CompleteRows, vertex: int, above: int) -> int:
    size = rows.cards[vertex] - 1
    for i in members(above):
        size *= rows.cards[i]
    return size


def _quadratic(information: FloatArray, u: FloatArray) -> float:
    values, vectors = eigh(information)
    kept = values > _NO_INFORMATION * max(float(values.max(initial=0.0)), 1e-300)
    return float(((u @ vectors[:, kept]) ** 2 / values[kept]).sum())

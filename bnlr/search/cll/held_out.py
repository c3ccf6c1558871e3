"""The CLL of rows left out of penalised fits, and which gains of it are to be believed."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from scipy.special import chdtrc, ndtri

from bnlr._typing import FloatArray, IntArray
from bnlr.data.folds import fold_rows, state_hashes
from bnlr.learn.shrinkage.strength import STRENGTHS, best_penalty
from bnlr.search.cll.chordal import Chordal, structure_of
from bnlr.search.cll.complete_rows import CompleteRows
from bnlr.search.cll.criterion import RIDGE, Model, maximum
from bnlr.search.cll.fold_fits import FoldFits, Part
from bnlr.search.cll.warm_start import warm_start

_FOLD_TOL = 1e-5
_LEAST_CHANGE = 1.0
# Gaps to a maximum, small parts of the least change: of a candidate, and of what is recorded.
_GAP, _SETTLED_GAP = 0.05, 1e-3
# Levels of the tests of additions, by the rows left out and by the likelihood ratio.
_LEVEL, _RATIO_LEVEL = 0.05, 0.001
_NO_LOSS = 0.05
# Strength of the penalty, at least, of the first climb.
_FIRST = 10.0
# Under stronger ones the tables are the frequency estimates', and tell nothing of an arc.
_STRENGTHS = tuple(strength for strength in STRENGTHS if strength <= 30.0)
# Sums of so many bits a column are exact for thousands of columns.
_HASH_BITS = 40


class HeldOut:
    """CLL of rows left out of penalised fits: of each fold in turn, or of one part alone.

    ``penalty`` is its strength; None chooses those that suit the graphs that are climbed from.
    """

    is_at_maximum = False

    def __init__(
        self, rows: CompleteRows, n_folds: int, n_held: int, penalty: float | None
    ) -> None:
        self.rows = rows
        self.penalty = _FIRST if penalty is None else penalty
        self._is_tuned = penalty is None
        self._n_fits = _Count()
        self._strengths: dict[Chordal, float] = {}
        self._parts = list(islice(_folds(rows, n_folds), n_held))
        self._left_out = np.zeros(rows.data.n_rows)
        for at, weights in self._parts:
            self._left_out[at] += weights

    @property
    def n_fits(self) -> int:
        """Models fitted, under whatever penalty."""
        return self._n_fits.n

    def strong(self, graph: Chordal) -> "HeldOut":
        """Under a penalty to begin with.

        It is stronger than what predicts best: estimates that vary less tell good arcs from
        chance, where weak ones owe as much to single rows as to the arc.
        """
        return self._under(max(_FIRST, self._best(graph))) if self._is_tuned else self

    def tuned(self, graph: Chordal) -> "HeldOut":
        """Under the penalty that predicts rows left out best in a graph."""
        return self._under(self._best(graph)) if self._is_tuned else self

    def _best(self, graph: Chordal) -> float:
        if graph not in self._strengths:
            rows = self.rows
            structure = structure_of(graph, rows.names, rows.data.class_name, rows.names)
            found = best_penalty(
                structure, rows.data, "scaled", n_threads=rows.n_threads, strengths=_STRENGTHS
            )
            self._strengths[graph] = found.strength
        return self._strengths[graph]

    def _under(self, penalty: float) -> "HeldOut":
        other = copy(self)
        other.penalty = penalty
        return other

    def first(self, graph: Chordal, df: int) -> Model:
        """Fit from the penalty's centre, one fold after another."""
        model = self._prepared(graph, df)
        for _ in self._parts:
            model.begin(_FOLD_TOL)
            while not model.is_done:
                model.advance()
        return model.finished()

    def neighbour(
        self, graph: Chordal, df: int, near: Model, hoped: float, least: float = 0.0
    ) -> Model | None:
        """Fit from where the folds of ``near`` have ended, all of them an iteration at a time."""
        least = max(least, _LEAST_CHANGE)
        model = self._prepared(graph, df)
        n, tol = len(self._parts), max(_GAP / max(1.0, abs(near.score)), _FOLD_TOL)
        for k in range(n):
            model.begin(tol, near)
            while not np.isfinite(model.room):
                model.fits[k].advance()
            change = model.cll - sum(near.fold_clls[: k + 1])
            if change + model.room + hoped * (n - k - 1) / n <= least:
                return None
        while not model.is_done:
            model.advance()
            if model.cll + model.room - near.score <= least:
                return None
        return model.finished()

    def settled(self, model: Model, near: Model | None) -> Model:
        """Add the maximum on all rows; what is known of the same graph is that of any penalty."""
        if model.is_settled:
            return model
        if near is not None and near.is_settled and near.graph == model.graph:
            return replace(model, cll=near.cll, peak=near.peak, is_settled=True)
        rough = self._peaked(model, near, _SETTLED_GAP) if model.peak is None else model
        if model.peak is not None or abs(rough.cll) > 1.0:
            rough = self._peaked(rough, near, _SETTLED_GAP, abs(rough.cll))
        return replace(rough, is_settled=True)

    def price(self, df: int) -> float:
        """A parameter costs about 1/2 in the rows fitted and 1/2 in those left out."""
        return float(df)

    def gain(self, before: Model, after: Model) -> float:
        """Change of the CLL of the rows left out."""
        return after.score - before.score

    def believed(self, before: Model, after: Model, n_candidates: int) -> Model | None:
        """Believe an addition that one of two tests confirms, and a deletion that neither does.

        The likelihood ratio on all rows, at the level 0.001, and the gain of the rows left out in
        units of what their own gains make it vary, at 0.05; both corrected for the number of moves.
        """
        change, df = after.score - before.score, after.df - before.df
        if change <= _LEAST_CHANGE:
            return None
        is_sure = change > -ndtri(_LEVEL / n_candidates) * self._noise(before, after)
        if is_sure and df > 0:
            return after
        if df < 0 and not is_sure:
            return None
        # What all rows could gain, were they certain after it.
        most = -2.0 * before.cll
        if df > 0 and not float(chdtrc(df, most)) * n_candidates < _RATIO_LEVEL:
            return None
        peaked = self._peaked(after, before, _GAP, abs(before.cll))
        statistic = max(2.0 * (peaked.cll - before.cll) * np.sign(df), 0.0)
        p = float(chdtrc(abs(df), statistic))
        is_confirmed = p > _NO_LOSS if df < 0 else p * n_candidates < _RATIO_LEVEL
        return peaked if is_confirmed else None

    def surpasses(self, one: Model, other: Model) -> bool:
        """Whether the gain is significant by the rows' own gains, at 0.05 for two comparisons."""
        change = one.score - other.score
        return change > max(_LEAST_CHANGE, -ndtri(_LEVEL / 2) * self._noise(other, one))

    def _noise(self, before: Model, after: Model) -> float:
        """Standard deviation of a sum of the rows' gains of their logarithmic scores."""
        own = self.rows.classes.astype(np.intp)
        gains = _logs(after.probabilities, own) - _logs(before.probabilities, own)
        return max(float(np.sqrt(self._left_out @ gains**2)), 1e-300)

    def _peaked(self, model: Model, near: Model | None, gap: float, size: float = 1.0) -> Model:
        """Add the maximum on all rows, of about some size, to a gap, from what is known of it."""
        self._n_fits.n += model.peak is None
        if model.peak is not None:
            start = model.peak
        elif near is None or near.peak is None:
            start = model.tables
        else:
            start = warm_start(near.layout, near.peak, model.layout)
        design, centre = self.rows.design(model.layout), np.zeros_like(start)
        local, peak = maximum(design, start, RIDGE, centre, gap / max(1.0, size))
        return replace(model, cll=local.cll, peak=peak)

    def _prepared(self, graph: Chordal, df: int) -> FoldFits:
        self._n_fits.n += 1
        return FoldFits.of(self.rows, graph, df, self._parts, self.penalty)


@dataclass
class _Count:
    n: int = 0


def _logs(probabilities: FloatArray, own: IntArray) -> FloatArray:
    """Logarithm of the probability of each row's own class."""
    first = np.maximum(1.0 - probabilities.sum(axis=1, keepdims=True), 0.0)
    p = np.concatenate([first, probabilities], axis=1)
    logs: FloatArray = np.log(np.maximum(p[np.arange(len(p)), own], 1e-300))
    return logs


def _folds(rows: CompleteRows, n_folds: int) -> Iterator[Part]:
    """Yield each fold's rows and their weights in it; dealt by the names of states, by class."""
    data = rows.data
    hashes = np.zeros(data.n_rows)
    for name in rows.names:
        hashes += state_hashes(name, data.states[name], _HASH_BITS)[data.column(name)]
    own = state_hashes(data.class_name, data.states[data.class_name], _HASH_BITS)
    order = np.lexsort((hashes, own[rows.classes]))
    return fold_rows(order, rows.weights, n_folds)

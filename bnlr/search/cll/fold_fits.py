"""Penalised fits without each fold, side by side, and the CLLs of the rows that they leave out.

A move that does not raise the score is known by a few iterations: all folds are walked together, an
iteration at a time, and given up as soon as what they have come to, and may still come to, is not
enough. Fits that are walked to their ends are what they would be one after another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bnlr._typing import FloatArray, IntArray
from bnlr.design.families import TableLayout
from bnlr.design.pack import relative
from bnlr.design.packed_rows import Design
from bnlr.learn.runs.solver import NewtonSteps
from bnlr.learn.shrinkage.centre import best_scale, smoothed
from bnlr.objectives.precondition import inverse_curvature
from bnlr.optimize.base import Preconditioner
from bnlr.search.cll.chordal import Chordal
from bnlr.search.cll.complete_rows import CompleteRows
from bnlr.search.cll.criterion import PSEUDOCOUNT, Model, newton_steps
from bnlr.search.cll.warm_start import warm_start

# How far, in lengths of its last step, the CLL of rows left out may still go; one that is much
# shorter than the step before may be so by chance.
_FAR, _SHORTER = 2.0, 0.25

Part = tuple[IntArray, FloatArray]
"""Rows of a fold, and the weights they have in it."""


@dataclass
class _Fit:
    """One fold's: ``walk`` on the other rows, ``cll`` that of the ``held`` at its point.

    ``room`` is how much that may still change, which two iterations tell.
    """

    held: Design
    walk: NewtonSteps
    cll: float = field(init=False)
    room: float = field(init=False, default=np.inf)
    _step: float = field(init=False, default=np.inf)

    def __post_init__(self) -> None:
        self.cll = self.held.cll(self.tables)

    @property
    def tables(self) -> FloatArray:
        """Where the walk stands."""
        return self.walk.x.reshape(self.held.layout.n_cells, -1)

    def advance(self) -> None:
        """Make an iteration unless the last has been made."""
        if self.walk.is_done:
            return
        self.walk.advance()
        cll, last = self.held.cll(self.tables), self._step
        self.cll, self._step = cll, abs(cll - self.cll)
        self.room = 0.0 if self.walk.is_done else _FAR * max(self._step, _SHORTER * last)


@dataclass
class FoldFits:
    """A model in the making: rows packed once for all folds, the centres of their penalties."""

    graph: Chordal
    df: int
    design: Design
    parts: Sequence[Part]
    strength: float
    held: list[Design]
    centres: list[FloatArray]
    fits: list[_Fit] = field(default_factory=list)
    _inverse: Preconditioner | None = None

    @classmethod
    def of(
        cls, rows: CompleteRows, graph: Chordal, df: int, parts: Sequence[Part], strength: float
    ) -> "FoldFits":
        """Pack the rows, and scale the frequency estimates without each fold as `bnlr.fit` does.

        By the one number that predicts best the rows that they have not counted.
        """
        layout = rows.layout(graph)
        design = rows.design(layout)
        held = [_chosen(design, *part) for part in parts]
        whole = design.counts()
        estimates = [
            smoothed(layout, np.maximum(whole - part.counts(), 0.0), PSEUDOCOUNT) for part in held
        ]
        lines = [
            part.along(relative(tables.prior), relative(tables.evidence))
            for part, tables in zip(held, estimates, strict=True)
        ]
        scale = best_scale(lines)
        centres = [relative(tables.at(scale)) for tables in estimates]
        return cls(graph, df, design, parts, strength, held, centres)

    @property
    def layout(self) -> TableLayout:
        """Where the tables stand."""
        return self.design.layout

    @property
    def cll(self) -> float:
        """Of the rows left out by the folds begun so far."""
        return sum(fit.cll for fit in self.fits)

    @property
    def room(self) -> float:
        """How much that may still change."""
        return sum(fit.room for fit in self.fits)

    @property
    def is_done(self) -> bool:
        """Whether the fits begun are at their ends."""
        return all(fit.walk.is_done for fit in self.fits)

    def begin(self, tol: float, near: Model | None = None) -> None:
        """Begin the next fold: at the centre, or as far from it as a neighbour has ended."""
        k = len(self.fits)
        start, rest = self.centres[k], _rest(self.design, self.parts[k])
        if near is not None:
            start = start + warm_start(near.layout, near.shifts[k], self.layout)

        def shared() -> Preconditioner:
            # Folds differ by few rows, and a factor takes longer than many products.
            if self._inverse is None:
                self._inverse = inverse_curvature(rest.linearise(start), penalty=self.strength)
            return self._inverse

        inverse = None if near is None else shared
        walk = newton_steps(rest, start, self.strength, self.centres[k], tol, inverse)
        self.fits.append(_Fit(self.held[k], walk))

    def advance(self) -> None:
        """Make an iteration in each fold begun."""
        for fit in self.fits:
            fit.advance()

    def finished(self) -> Model:
        """Put the folds together: probabilities of each row as it was left out, if it was."""
        tables = [fit.tables for fit in self.fits]
        sums = np.zeros((self.design.n_rows, self.layout.n_classes - 1))
        left_out = np.zeros((self.design.n_rows, 1))
        for (at, weights), fit in zip(self.parts, self.fits, strict=True):
            sums[at] += weights[:, None] * fit.held.linearise(fit.tables).probabilities
            left_out[at, 0] += weights
        mean = np.add.reduce(tables) / len(tables)
        probabilities = self.design.linearise(mean).probabilities
        np.divide(sums, left_out, out=probabilities, where=left_out > 0)
        return Model(
            self.graph,
            self.layout,
            mean,
            probabilities,
            cll=np.nan,
            df=self.df,
            score=self.cll,
            shifts=tuple(one - centre for one, centre in zip(tables, self.centres, strict=True)),
            fold_clls=tuple(fit.cll for fit in self.fits),
        )


def _rest(design: Design, part: Part) -> Design:
    weights = design.weights.copy()
    weights[part[0]] -= part[1]
    at = np.flatnonzero(weights > 1e-12)
    return _chosen(design, at, weights[at])


def _chosen(design: Design, at: IntArray, weights: FloatArray) -> Design:
    codes = np.ascontiguousarray(design.codes[:, at])
    return replace(design, codes=codes, classes=design.classes[at], row_weights=weights)

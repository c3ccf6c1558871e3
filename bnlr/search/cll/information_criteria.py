"""BIC and AIC of models that maximise the CLL."""

from dataclasses import replace
from math import log

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design
from bnlr.search.cll.chordal import Chordal
from bnlr.search.cll.complete_rows import CompleteRows
from bnlr.search.cll.criterion import RIDGE, Model, frequency_start, maximum
from bnlr.search.cll.warm_start import warm_start

_TOL, _LOOSEST = 1e-7, 1e-4
# Candidates are fitted to this part of the largest gain that is thought possible.
_PART = 1e-3
_INEXACT = 0.1


class Information:
    """CLL less a price for each parameter: ½ ln N is BIC's, 1 AIC's."""

    is_at_maximum = True
    penalty: float | None = None

    def __init__(self, rows: CompleteRows, each: float) -> None:
        self.rows, self.each, self.n_fits = rows, each, 0

    @classmethod
    def named(cls, rows: CompleteRows, name: str) -> "Information":
        """Return the criterion "bic" or "aic"; N is the sum of the weights."""
        return cls(rows, 1.0 if name == "aic" else 0.5 * log(max(rows.total_weight, 1.0)))

    def strong(self, graph: Chordal) -> "Information":  # noqa: ARG002
        """The same: the price alone decides."""
        return self

    tuned = strong

    def first(self, graph: Chordal, df: int) -> Model:
        """Fit from the frequency estimates."""
        layout = self.rows.layout(graph)
        design = self.rows.design(layout)
        return self._fitted(graph, df, layout, design, frequency_start(layout, design))

    def neighbour(
        self,
        graph: Chordal,
        df: int,
        near: Model,
        hoped: float,
        least: float = 0.0,  # noqa: ARG002
    ) -> Model | None:
        """Fit from the tables of ``near``, to a small part of what is hoped for."""
        layout = self.rows.layout(graph)
        start = warm_start(near.layout, near.tables, layout)
        tol = min(max(_PART * hoped / max(1.0, abs(near.cll)), _TOL), _LOOSEST)
        return self._fitted(graph, df, layout, self.rows.design(layout), start, tol)

    def settled(self, model: Model, near: Model | None) -> Model:  # noqa: ARG002
        """Go on to the very maximum."""
        if model.is_settled:
            return model
        design = self.rows.design(model.layout)
        exact = self._fitted(model.graph, model.df, model.layout, design, model.tables)
        return replace(exact, peak=exact.tables, is_settled=True)

    def price(self, df: int) -> float:
        """The criterion's own."""
        return self.each * df

    def gain(self, before: Model, after: Model) -> float:
        """Change of the maximum on all rows."""
        return after.cll - before.cll

    def believed(
        self,
        before: Model,  # noqa: ARG002
        after: Model,
        n_candidates: int,  # noqa: ARG002
    ) -> Model | None:
        """Any: the price is paid already."""
        return after

    def surpasses(self, one: Model, other: Model) -> bool:
        """By its score, and by more than fits are exact to."""
        return one.score > other.score + _INEXACT

    def _fitted(
        self,
        graph: Chordal,
        df: int,
        layout: TableLayout,
        design: Design,
        start: FloatArray,
        tol: float = _TOL,
    ) -> Model:
        self.n_fits += 1
        local, tables = maximum(design, start, RIDGE, np.zeros_like(start), tol)
        score = local.cll - self.each * df
        return Model(graph, layout, tables, local.probabilities, local.cll, df, score)

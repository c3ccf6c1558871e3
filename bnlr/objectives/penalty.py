"""The L2 penalty on family tables, in the only coordinates that P(class | attributes) sees."""

from dataclasses import dataclass

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.families import TableLayout


@dataclass(frozen=True)
class Penalty:
    """½ · strength · ‖Π(T − centre)‖², summed over family tables and classes.

    Π removes what must stay unpenalised: the class average of each cell, which changes no
    P(class | attributes), and the class prior, i.e. the mean over its cells of the class's own
    table. For three or more classes and no class parents this is the L2 penalty of multinomial
    logistic regression on the families' indicators; for two classes half of the binary one,
    since T = (−w/2, w/2).
    """

    layout: TableLayout
    strength: float
    centre: FloatArray

    def value(self, tables: FloatArray) -> float:
        """Penalty of ``tables``."""
        return 0.5 * self.strength * float(np.square(self._project(tables - self.centre)).sum())

    def gradient(self, tables: FloatArray) -> FloatArray:
        """Give the derivative in the tables, (n_cells, n_classes)."""
        return self.strength * self._project(tables - self.centre)

    def product(self, direction: FloatArray) -> FloatArray:
        """Hessian times ``direction``: strength · Π direction."""
        return self.strength * self._project(direction)

    def _project(self, tables: FloatArray) -> FloatArray:
        own = self.layout.families[0].rows
        averages = np.add.reduce(tables, axis=1, keepdims=True) * (1.0 / tables.shape[1])
        projected: FloatArray = tables - averages
        projected[own] -= np.add.reduce(projected[own]) * (1.0 / (own.stop - own.start))
        return projected

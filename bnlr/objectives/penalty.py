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
    since T = (−w/2, w/2). Tables, the centre and derivatives are differences from the first
    class, (n_cells, n_classes − 1). ``scale`` is what the frequency estimates were multiplied by
    to be the centre; None if the centre is not theirs.
    """

    layout: TableLayout
    strength: float
    centre: FloatArray
    scale: float | None = None

    def value(self, tables: FloatArray) -> float:
        """Penalty of ``tables``."""
        return self.value_and_gradient(tables)[0]

    def value_and_gradient(self, tables: FloatArray) -> tuple[float, FloatArray]:
        """Penalty of ``tables`` and its derivative."""
        moved = tables - self.centre
        gradient = self.product(moved)
        return 0.5 * _inner(gradient, moved), gradient

    def along(self, tables: FloatArray, step: FloatArray) -> tuple[float, float, float]:
        """Value, slope and curvature of s ↦ penalty of tables + s·step at s = 0."""
        value, gradient = self.value_and_gradient(tables)
        return value, _inner(gradient, step), _inner(self.product(step), step)

    def product(self, direction: FloatArray) -> FloatArray:
        """Hessian times ``direction``."""
        own = self.layout.families[0].rows
        product = self.strength * direction
        product[own] -= np.add.reduce(product[own]) * (1.0 / (own.stop - own.start))
        if direction.shape[1] == 1:
            product *= 0.5
        else:
            averages = np.add.reduce(product, axis=1, keepdims=True)
            product -= averages * (1.0 / self.layout.n_classes)
        return product


def _inner(a: FloatArray, b: FloatArray) -> float:
    return float(np.einsum("ic,ic->", a, b))

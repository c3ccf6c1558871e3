"""The smooth penalty: an ordered attribute's cells are shrunk to their neighbours.

A number that was cut into intervals, or an attribute of ordered states, is expected to speak for a
class much as it does a step further. The penalty on the differences of neighbouring cells is that
of P-splines of degree 0 with first differences (Eilers & Marx 1996), which for ordinal predictors
is Gertheiss & Tutz's (2009). Towards zero, of a family's table t (one class):

    t'Rt = κ Σ_axes Σ_neighbours (t[.., j + 1, ..] − t[.., j, ..])² + Σ_beside t² + ρ Σ t²

Sums run over the ordered axes and along them over the ordered states, for every configuration of
the other axes; ``beside`` are the cells of an ordered axis's states beyond the ordered ones, as of
"missing". ρ is 1 divided by the product of the ordered axes' numbers of ordered states: a level
that all cells of the ordered axes share costs as much as one cell of an attribute without an order.
With no ordered axis R is the identity, and the penalty the plain one.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from bnlr._typing import FloatArray
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.roughness import Roughness


@dataclass(frozen=True)
class SmoothPenalty(Penalty):
    """½ · strength · Σ_classes (Π(T − centre))' R (Π(T − centre)), R that of `Roughness`.

    Π is that of `Penalty`: class averages and the class prior stay unpenalised.
    """

    roughness: Roughness = field(kw_only=True)

    @property
    def matrix(self) -> csr_array:
        """R."""
        return self.roughness.matrix

    @property
    def curvature(self) -> csr_array:
        """strength · R."""
        return self.strength * self.matrix

    @property
    def modulus(self) -> float:
        """strength · ρ: differences of neighbours cost a level nothing."""
        own = self.layout.families[0]
        levels = np.asarray(self.matrix.sum(axis=1)).ravel()
        return self.strength * float(levels[0 if own.scope else own.rows.stop :].min(initial=1.0))

    def _of_columns(self, direction: FloatArray) -> FloatArray:
        moved = direction.copy()
        self._free_prior(moved)
        product = self.strength * np.asarray(self.matrix @ moved)
        self._free_prior(product)
        return product

    def least(self, tables: FloatArray) -> FloatArray:
        """The tables with the P(class | attributes) of ``tables`` that cost least, centre 0."""
        return self.roughness.least(tables)

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

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import prod

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import block_diag, csr_array, diags_array, eye_array, kron

from bnlr._typing import FloatArray
from bnlr.design.families import Family, TableLayout
from bnlr.errors import TooLargeError
from bnlr.objectives.minimum_norm import least_tables
from bnlr.objectives.penalty import Penalty

NEIGHBOURS = 4.0
"""κ: what a squared difference of neighbouring cells costs beside the square of a free cell."""

_MOST_NUMBERS = 2**25
_FEWEST = 3  # of fewer states each is the other's neighbour, and order tells nothing


@dataclass(frozen=True)
class SmoothPenalty(Penalty):
    """½ · strength · Σ_classes (Π(T − centre))' R (Π(T − centre)), R the `roughness` of the tables.

    Π is that of `Penalty`: class averages and the class prior stay unpenalised.
    """

    matrix: csr_array = field(default_factory=lambda: csr_array((0, 0)))

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
        """The tables with the P(class | attributes) of ``tables`` that cost least, centre 0.

        Raises
        ------
        TooLargeError
            What families can hand to one another would not fit in memory.
        """
        moved: FloatArray = tables.copy()
        if least_tables(self.layout).n_directions:
            gauge, rough, factor = self._gauge
            moved -= gauge @ cho_solve(factor, rough.T @ tables)
        self._free_prior(moved)
        return moved

    @cached_property
    def _gauge(self) -> tuple[FloatArray, FloatArray, tuple[FloatArray, bool]]:
        """N, what changes no P(class | attributes); R'·N without the prior; the factor of N'R'N."""
        least = least_tables(self.layout)
        if self.layout.n_cells * least.n_directions > _MOST_NUMBERS:
            raise TooLargeError(
                f"a smooth penalty on CPTs whose {self.layout.n_cells:,} table cells can say the "
                f"same in {least.n_directions:,} dimensions would not fit in memory; give "
                "nonperfect='embed' or missing='state', or penalty_center='zero'"
            )
        gauge = least.gauge()
        moved = gauge.copy()
        self._free_prior(moved)
        rough = np.asarray(self.matrix @ moved)
        self._free_prior(rough)
        return gauge, rough, cho_factor(gauge.T @ rough)


def roughness(layout: TableLayout, ordered: Mapping[str, int]) -> csr_array:
    """R of the stacked tables, (n_cells, n_cells), symmetric and block-diagonal by family.

    ``ordered`` maps attributes to the number of their states, the first ones, that are in order.
    The block of a class without parents, which only holds the prior, is 0.
    """
    own, *children = layout.families
    first = _block(*_axes(own, ordered)) if own.scope else csr_array((1, 1))
    blocks = [first, *(_block(*_axes(family, ordered)) for family in children)]
    return csr_array(block_diag(blocks, format="csr"))


def _axes(family: Family, ordered: Mapping[str, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers of states of a family's axes, and how many of each are ordered, 0 for too few."""
    counts = (ordered.get(attribute, 0) for attribute in family.scope)
    return family.shape, tuple(n if n >= _FEWEST else 0 for n in counts)


@lru_cache(maxsize=256)
def _block(shape: tuple[int, ...], n_ordered: tuple[int, ...]) -> csr_array:
    """R of one family."""
    n_cells = prod(shape)
    level = 1.0 / prod(n for n in n_ordered if n)
    block = csr_array(level * eye_array(n_cells, format="csr"))
    for axis, (card, n) in enumerate(zip(shape, n_ordered, strict=True)):
        if n:
            before, after = prod(shape[:axis]), prod(shape[axis + 1 :])
            along = kron(kron(eye_array(before), _path(card, n)), eye_array(after))
            block = csr_array(block + along)
    return block


def _path(card: int, n: int) -> csr_array:
    """κ times the Laplacian of the path along the first ``n`` states; 1 for each state beyond."""
    states = eye_array(card, format="csr")
    steps = states[1:n] - states[: n - 1]
    beside = diags_array((np.arange(card) >= n).astype(np.float64))
    return csr_array(NEIGHBOURS * (steps.T @ steps) + beside)

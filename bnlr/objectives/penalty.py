"""The L2 penalty on family tables, in the only coordinates that P(class | attributes) sees."""

from dataclasses import dataclass, field
from math import inf

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.families import TableLayout
from bnlr.design.pack import row_sums
from bnlr.objectives.minimum_norm import least_tables
from bnlr.objectives.precondition import Curvature

MOST = 0.01
_TENFOLD, _ENOUGH = 10.0, 0.3
_ROUNDING = 1e-9


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

    @property
    def pseudo_counts(self) -> FloatArray | None:
        """What multiplies log θ in a likelihood to be added; none of a penalty on tables."""
        return None

    def value(self, tables: FloatArray) -> float:
        """Penalty of ``tables``."""
        return self.value_and_gradient(tables)[0]

    def value_and_gradient(self, tables: FloatArray) -> tuple[float, FloatArray]:
        """Penalty of ``tables`` and its derivative."""
        moved = tables - self.centre
        gradient = self.product(moved)
        return as_square(0.5 * _inner(gradient, moved)), gradient

    def along(self, tables: FloatArray, step: FloatArray) -> tuple[float, float, float]:
        """Value, slope and curvature of s ↦ penalty of tables + s·step at s = 0."""
        value, gradient = self.value_and_gradient(tables)
        return value, _inner(gradient, step), _inner(self.product(step), step)

    def product(self, direction: FloatArray) -> FloatArray:
        """Hessian times ``direction``."""
        return self._free_averages(self._of_columns(direction))

    def of_each_class(self) -> FloatArray:
        """The Hessian in one class's full table, (n_cells, n_cells), before averages are freed."""
        return self._of_columns(np.eye(self.layout.n_cells))

    def _of_columns(self, direction: FloatArray) -> FloatArray:
        """What a direction costs, column by column."""
        product = self.strength * direction
        self._free_prior(product)
        return product

    def least(self, tables: FloatArray) -> FloatArray:
        """The tables with the P(class | attributes) of ``tables`` that cost least, centre 0.

        The class prior, which costs nothing, is left out. Linear.
        """
        return least_tables(self.layout).of(tables)

    @property
    def curvature(self) -> Curvature:
        """The Hessian of each class's full tables, without what Π removes."""
        return self.strength

    @property
    def modulus(self) -> float:
        """What the Hessian is at least along tables of which Π removes nothing."""
        return self.strength

    def _free_prior(self, product: FloatArray) -> None:
        """Take the mean of the class's own table out of ``product``, in place."""
        own = self.layout.families[0].rows
        product[own] -= np.add.reduce(product[own]) * (1.0 / (own.stop - own.start))

    def _free_averages(self, product: FloatArray) -> FloatArray:
        """``product`` of the full tables' Hessian without the class averages, in place."""
        if product.shape[1] == 1:
            product *= 0.5
        else:
            product -= (row_sums(product) * (1.0 / self.layout.n_classes))[:, None]
        return product


@dataclass(frozen=True)
class CPTPenalty(Penalty):
    """The penalty where the coordinates are CPTs: that of the least tables that say the same.

    CPTs sum to 1, so that tables log θ can neither hand a function to another family nor choose
    their class averages freely; penalised as they stand they are driven apart, entries sink to 0,
    and there are several optima. Penalised by the least that the penalty ``on_tables`` comes to
    over all tables with the CPTs' P(class | attributes), the CPTs of a perfect structure have every
    stationary point in the one optimum of free tables: the least tables are linear in log θ, and by
    Theorem 3 of Wettig et al. (2003) every change of them, small ones too, is one of the CPTs.

    Elsewhere, where the structure is not perfect or cells are missing, ``counts`` keep the optimum
    from CPTs of 0: −Σ counts · log θ is added, the likelihood of so many rows (`pseudo_rows`).
    On a perfect structure and complete rows that adds no optima either: relaxed to columns that
    sum to 1 or less the problem is convex, and counts of one joint distribution leave no slack.

    ``counts`` are arranged as the objective's log θ, tables or flat; None for none.
    """

    on_tables: Penalty = field(kw_only=True)
    counts: FloatArray | None = None

    @classmethod
    def of(cls, penalty: Penalty, counts: FloatArray | None = None) -> "CPTPenalty":
        """The penalty of CPTs that is one on tables, of the least of them."""
        how = penalty.layout, penalty.strength, penalty.centre, penalty.scale
        return cls(*how, counts, on_tables=penalty)

    @property
    def curvature(self) -> Curvature:
        """That of the penalty on tables."""
        return self.on_tables.curvature

    @property
    def pseudo_counts(self) -> FloatArray | None:
        """``counts``."""
        return self.counts

    def _of_columns(self, direction: FloatArray) -> FloatArray:
        return self.on_tables._of_columns(self.on_tables.least(direction))


def pseudo_rows(
    counts: FloatArray, sizes: FloatArray, n_rows: float, strength: float
) -> FloatArray:
    """Family counts of ``strength`` rows, distributed as the ``counts`` of ``n_rows`` rows.

    Of ten times as many up to 0.3, as fewer would let entries sink to 1e-15; of at most a hundredth
    of the rows, so that the likelihood of the attributes stays a small part of what is fitted. One
    row with all states equally probable is among the counts, lest a cell has none. ``sizes`` are
    the numbers of cells of each entry's CPT.
    """
    n_pseudo = min(max(strength, min(_TENFOLD * strength, _ENOUGH)), MOST * n_rows)
    return n_pseudo / (n_rows + 1.0) * (counts + 1.0 / sizes)


def as_square(value: float) -> float:
    """``value`` of a penalty, 0 at least; infinite where rounding has made it less than nothing.

    Far along directions that cost nothing the numbers that tell a cost have lost their digits.
    """
    if value >= 0:
        return value
    return 0.0 if value > -_ROUNDING else inf


def _inner(a: FloatArray, b: FloatArray) -> float:
    return float(np.einsum("ic,ic->", a, b))

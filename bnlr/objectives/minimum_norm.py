"""The least tables that say the same of P(class | attributes).

Families that share attributes can hand functions of those to one another: Σ_k T_k[cell_k(x), c]
stays. In an orthonormal basis of each axis whose first vector is constant, a table is a sum of
interactions, one for each set of axes with another vector than the first. An interaction can stand
in any family that has its axes, and those of several families that have the same add up, each
divided by the root of the number of cells that it is spread over.
"""

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csc_array, csr_array

from bnlr._typing import FloatArray, IntArray
from bnlr.design.families import TableLayout
from bnlr.machine import backend

if TYPE_CHECKING:
    from bnlr.machine import signatures

_MOST = 2**62


class LeastTables:
    """Projection of stacked tables, (n_cells, width), on the least that say the same.

    Least in the sum of squares, less what the mean of the class's own table holds, which is the
    class prior. See `least_tables`.

    Attributes
    ----------
    shared : the coefficients that stand for an interaction which several families have
    share : rows of length 1 over ``shared``, one for each of those interactions
    constants : the first coefficient of each family, the class's own first
    handed : what 1 of the other families' constants is in the class's own, (n_families − 1, 1)
    """

    def __init__(self, layout: TableLayout) -> None:
        self._own = layout.families[0].rows
        self._scopes = layout.scopes
        self._sizes = np.diff(layout.scopes.offsets)
        self.constants = layout.scopes.offsets[:-1]
        self.handed = np.sqrt(self._sizes[0] / self._sizes[1:])[:, None]
        self.shared, self.share = _shared(layout)
        self._ends = self.share.indptr.astype(np.intp)
        self._whole = np.ones(self.share.shape[0])

    def of(self, tables: FloatArray) -> FloatArray:
        """The projection; the class prior is left out. Linear, symmetric, (n_cells, width)."""
        parts = self.turned(tables, forth=True)
        self.share_out(parts, parts, self._whole, 0.0)
        parts[self.constants] = 0.0
        return self.turned(parts, forth=False, in_place=True)

    def with_prior(self, tables: FloatArray) -> FloatArray:
        """Tables with the P(class | attributes) of ``tables``, their prior in the class's own."""
        least = self.of(tables)
        means = np.add.reduceat(tables, self.constants) / self._sizes[:, None]
        least[self._own] += means.sum(axis=0)
        return least

    def visible(self, tables: FloatArray) -> FloatArray:
        """The projection on what is orthogonal to `trades`. Linear, symmetric, (n_cells, width)."""
        parts, roots = self.turned(tables, forth=True), self._sizes[:, None] ** -0.5
        self.share_out(parts, parts, self._whole, 0.0)
        told = roots.T @ parts[self.constants] / (roots * roots).sum()
        parts[self.constants] = roots * told
        return self.turned(parts, forth=False, in_place=True)

    def trades(self) -> csc_array:
        """What changes no P(class | attributes), in coefficients, linearly independent.

        What each family that has an interaction hands to the next one that has it, and the
        constants that all families but the class's own hand to the class prior, which are told in
        those families alone.
        """
        share, constants = self.share, self.constants[1:]
        is_last = np.zeros(share.nnz, dtype=bool)
        is_last[share.indptr[1:] - 1] = True
        giving = np.flatnonzero(~is_last)
        cells = self.shared[share.indices]
        n = len(giving)
        trades = np.arange(n)
        ones = np.ones(len(constants))
        entries = np.concatenate([share.data[giving + 1], -share.data[giving], ones])
        rows = np.concatenate([cells[giving], cells[giving + 1], constants])
        columns = np.concatenate([trades, trades, n + np.arange(len(constants))])
        shape = self._scopes.offsets[-1], n + len(constants)
        return csc_array((entries, (rows, columns)), shape=shape)

    def turned(self, tables: FloatArray, *, forth: bool, in_place: bool = False) -> FloatArray:
        """Coefficients in the basis from tables, or back."""
        turned = tables if in_place else np.array(tables, order="C")
        scopes = self._scopes
        _kernels().turn(turned, scopes.cards, scopes.ends, scopes.offsets, forth)
        return turned

    def share_out(
        self, parts: FloatArray, values: FloatArray, damping: FloatArray, inverse: float
    ) -> None:
        """Give each family its part, times ``damping``, of what it shares of ``values``, in place.

        ``inverse`` times what families trade of ``parts`` is added, see `absolute`.
        """
        how = self.shared, self._ends, self.share.data, damping, inverse
        _kernels().share(parts, values, *how)

    @staticmethod
    def scale(values: FloatArray, inverses: FloatArray) -> None:
        """Multiply differences from the first class by ``inverses`` of all classes, in place."""
        _kernels().scale(values, inverses)


@lru_cache(maxsize=8)  # the folds of a fit share one layout
def least_tables(layout: TableLayout) -> LeastTables:
    """The projection for the tables of ``layout``."""
    return LeastTables(layout)


def _shared(layout: TableLayout) -> tuple[IntArray, csr_array]:
    """Coefficients whose interaction several families have, and the weights with which they add up.

    The class prior, and the constants that are handed to it, are left out.
    """
    keys, spread = _interactions(layout)
    order = np.lexsort(keys)
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (keys[:, order[1:]] != keys[:, order[:-1]]).any(axis=0)
    starts = np.flatnonzero(is_new)
    sizes = np.diff(np.append(starts, len(order)))
    is_constant = (keys[:, order] == 0).all(axis=0)
    kept = np.repeat(sizes > 1, sizes) & ~is_constant
    cells = order[kept]
    lengths = sizes[(sizes > 1) & ~is_constant[starts]]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    squares = 1.0 / spread[cells]
    totals = np.add.reduceat(squares, ends[:-1]) if len(lengths) else np.empty(0)
    weights = np.sqrt(squares / np.repeat(totals, lengths))
    shape = len(lengths), len(cells)
    return cells, csr_array((weights, np.arange(len(cells)), ends), shape=shape)


def _interactions(layout: TableLayout) -> tuple[IntArray, FloatArray]:
    """What tells the interaction of each coefficient, and the cells that it is spread over.

    The places of a basis vector along the axes, those of the constant 0, are the digits of as many
    numbers as hold them, (n_numbers, n_cells).
    """
    scopes = layout.scopes
    numbers, steps, step = 1, {}, 1
    for axis, card in sorted({*zip(scopes.axes.tolist(), scopes.cards.tolist(), strict=True)}):
        if step > _MOST // card:
            numbers, step = numbers + 1, 1
        steps[axis] = numbers - 1, step
        step *= card
    keys, spread = np.zeros((numbers, layout.n_cells), dtype=np.int64), np.ones(layout.n_cells)
    for family, axes in zip(layout.families, _axes_of(layout), strict=True):
        own, before = family.rows, 1
        for axis, card in zip(axes, family.shape, strict=True):
            number, step = steps[axis]
            fibres = before, card, family.n_cells // (before * card)
            keys[number, own].reshape(fibres)[:] += step * np.arange(card)[:, None]
            spread[own].reshape(fibres)[:, 0] *= card
            before *= card
    return keys, spread


def _axes_of(layout: TableLayout) -> list[list[int]]:
    axes, ends = layout.scopes.axes.tolist(), layout.scopes.ends.tolist()
    return [axes[start:stop] for start, stop in pairwise(ends)]


def _kernels() -> "signatures.Interactions":
    found: signatures.Interactions = backend("interactions", "objectives.interaction_twins")
    return found

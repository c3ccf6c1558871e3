"""The roughness of tables, and the smoothest that say the same of P(class | attributes).

Along an ordered axis the cosines of each state are to differences of neighbours what Helmert's
basis is to squares: the roughness is diagonal in them, and one that is constant still stands for
the same function in every family (`bnlr.objectives.minimum_norm`). States beyond the ordered ones,
as "missing", leave one pair of vectors that it couples. So what families trade is found by a
sparse factor, of as many numbers as there are interactions that they share.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from math import prod, sqrt

import numpy as np
from scipy.fft import dct
from scipy.sparse import block_diag, csc_array, csr_array, diags_array, eye_array, kron

from bnlr._typing import FloatArray
from bnlr.design.families import Family, TableLayout
from bnlr.objectives.minimum_norm import least_tables
from bnlr.objectives.precondition import factor_of

NEIGHBOURS = 4.0
"""κ: what a squared difference of neighbouring cells costs beside the square of a free cell."""

_FEWEST = 3  # of fewer states each is the other's neighbour, and order tells nothing
_ROUNDING = 1e-12

_Axes = tuple[tuple[int, int], ...]
"""The number of states of a family's axes, and how many are ordered, 0 for too few."""


@dataclass(frozen=True)
class Roughness:
    """R of the stacked tables of ``layout``, see `bnlr.objectives.smooth_penalty`.

    ``ordered`` maps attributes to the number of their states, the first ones, that are in order.
    """

    layout: TableLayout
    ordered: Mapping[str, int]

    @cached_property
    def matrix(self) -> csr_array:
        """R, (n_cells, n_cells), symmetric and block-diagonal by family.

        The block of a class without parents, which only holds the prior, is 0.
        """
        own, *children = self.layout.families
        first = _block(self._axes(own)) if own.scope else csr_array((1, 1))
        blocks = [first, *(_block(self._axes(family)) for family in children)]
        return csr_array(block_diag(blocks, format="csr"))

    def least(self, tables: FloatArray) -> FloatArray:
        """The tables with the P(class | attributes) of ``tables`` that cost least, t'Rt each class.

        The class prior, which costs nothing, is left out. Linear.
        """
        return self._smoothest.of(tables)

    @cached_property
    def _smoothest(self) -> "_Smoothest":
        return _Smoothest(self.layout, [self._axes(family) for family in self.layout.families])

    def _axes(self, family: Family) -> _Axes:
        counts = (self.ordered.get(attribute, 0) for attribute in family.scope)
        ordered = (n if n >= _FEWEST else 0 for n in counts)
        return tuple(zip(family.shape, ordered, strict=True))


class _Smoothest:
    """Least t'Rt over what families can trade, in coefficients: N·(N'RN)⁻¹·N'R is taken away.

    N are the trades, R is without the class prior.
    """

    def __init__(self, layout: TableLayout, axes: list[_Axes]) -> None:
        self._alike = list(_alike(layout, axes))
        self._prior = layout.families[0].offset
        self._trades = least_tables(layout).trades()
        if self._trades.shape[1]:
            is_penalised = np.ones(layout.n_cells)
            is_penalised[self._prior] = 0.0
            blocks = block_diag([_block(each, in_basis=True) for each in axes], format="csr")
            rough = diags_array(is_penalised) @ blocks @ diags_array(is_penalised)
            self._pull = csr_array(self._trades.T @ rough)
            self._factor = factor_of(csc_array(self._pull @ self._trades))

    def of(self, tables: FloatArray) -> FloatArray:
        parts = self._turned(tables, forth=True)
        if self._trades.shape[1]:
            parts -= self._trades @ self._factor.solve(self._pull @ parts)
        parts[self._prior] = 0.0
        return self._turned(parts, forth=False)

    def _turned(self, tables: FloatArray, *, forth: bool) -> FloatArray:
        """Coefficients from tables, or back: axis by axis, the first one becoming the last."""
        turned, width = np.empty_like(tables), tables.shape[1]
        for rows, n_families, bases in self._alike:
            part = tables[rows].reshape(n_families, -1).T
            for basis in bases:
                part = part.reshape(len(basis), -1).T @ (basis.T if forth else basis)
            turned[rows] = part.reshape(width, -1).T
        return turned


def _alike(layout: TableLayout, axes: list[_Axes]) -> Iterator[tuple[slice, int, list[FloatArray]]]:
    """Yield the cells, the number and the bases of neighbouring families of the same axes."""
    for own, some in groupby(zip(layout.families, axes, strict=True), key=lambda each: each[1]):
        families = [family for family, _ in some]
        cells = slice(families[0].rows.start, families[-1].rows.stop)
        yield cells, len(families), [_basis(*axis) for axis in own]


@lru_cache(maxsize=256)
def _block(axes: _Axes, *, in_basis: bool = False) -> csr_array:
    """R of one family."""
    shape = [card for card, _ in axes]
    level = 1.0 / prod(n for _, n in axes if n)
    block = csr_array(level * eye_array(prod(shape), format="csr"))
    for axis, (card, n) in enumerate(axes):
        if n:
            path = _path_in_basis(card, n) if in_basis else _path(card, n)
            before, after = prod(shape[:axis]), prod(shape[axis + 1 :])
            along = kron(kron(eye_array(before), path), eye_array(after))
            block = csr_array(block + along)
    return block


def _path(card: int, n: int) -> csr_array:
    """κ times the Laplacian of the path along the first ``n`` states; 1 for each state beyond."""
    states = eye_array(card, format="csr")
    steps = states[1:n] - states[: n - 1]
    beside = diags_array((np.arange(card) >= n).astype(np.float64))
    return csr_array(NEIGHBOURS * (steps.T @ steps) + beside)


def _path_in_basis(card: int, n: int) -> csr_array:
    basis = _basis(card, n)
    matrix = basis @ _path(card, n).toarray() @ basis.T
    return csr_array(np.where(np.abs(matrix) > _ROUNDING, matrix, 0.0))


@lru_cache(maxsize=256)
def _basis(card: int, n: int) -> FloatArray:
    """Orthonormal rows, the first constant, in which the roughness is as sparse as can be.

    Cosines of the states in order and of those beyond, and what tells the two apart.
    """
    if n in (0, card):
        return _cosines(card)
    basis = np.zeros((card, card))
    basis[0] = sqrt(1.0 / card)
    basis[1] = sqrt(n / (card * (card - n)))
    basis[1, :n] -= sqrt(card / (n * (card - n)))
    basis[2 : n + 1, :n] = _cosines(n)[1:]
    basis[n + 1 :, n:] = _cosines(card - n)[1:]
    return basis


def _cosines(n: int) -> FloatArray:
    cosines: FloatArray = dct(np.eye(n), norm="ortho", axis=0)
    return cosines

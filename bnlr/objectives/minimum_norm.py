"""The least tables that say the same of P(class | attributes).

Families that share attributes can hand functions of those to one another: Σ_k T_k[cell_k(x), c]
stays. In an orthonormal basis of each axis whose first vector is constant, a table is a sum of
interactions, one for each set of axes with another vector than the first. An interaction can stand
in any family that has its axes, and those of several families that have the same add up, each
divided by the root of the number of cells that it is spread over.
"""

from collections import Counter
from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from bnlr._typing import FloatArray, IntArray
from bnlr.design.families import Family, TableLayout

_Vector = tuple[tuple[str, int], ...]


class _Batch(NamedTuple):
    """Families of one shape: their ``rows`` of the stacked tables, (n_families, n_cells)."""

    shape: tuple[int, ...]
    rows: IntArray


class LeastTables:
    """Projection of stacked tables, (n_cells, width), on the least that say the same.

    Least in the sum of squares, less what the mean of the class's own table holds, which is the
    class prior. See `least_tables`.
    """

    def __init__(self, layout: TableLayout) -> None:
        self._own = layout.families[0].rows
        self._batches = _batches(layout)
        self._sizes = np.array([family.n_cells for family in layout.families])
        self._offsets = layout.scopes.offsets[:-1]
        self._share = _share(layout)
        self._back = self._share.T  # a view that SciPy checks anew each time

    def of(self, tables: FloatArray) -> FloatArray:
        """The projection; the class prior is left out. Linear, symmetric, (n_cells, width)."""
        parts = self._turned(tables, forth=True)
        return self._turned(np.asarray(self._back @ (self._share @ parts)), forth=False)

    def with_prior(self, tables: FloatArray) -> FloatArray:
        """Tables with the P(class | attributes) of ``tables``, their prior in the class's own."""
        least = self.of(tables)
        means = np.add.reduceat(tables, self._offsets) / self._sizes[:, None]
        least[self._own] += means.sum(axis=0)
        return least

    def gauge(self) -> FloatArray:
        """What changes no P(class | attributes), (n_cells, n_directions), linearly independent.

        What families that share attributes hand to one another, and the constants that all
        families but the class's own hand to the class prior.
        """
        sizes = np.diff(self._share.indptr)
        first = np.repeat(self._share.indptr[:-1], sizes)
        place = np.arange(self._share.nnz)
        others = np.flatnonzero(place > first)
        constants = self._offsets[1:]  # the first coefficient of a family is its constant
        n = len(others)
        directions = np.zeros((self._share.shape[1], n + len(constants)))
        cells, weights = self._share.indices, self._share.data
        directions[cells[first[others]], np.arange(n)] = weights[others]
        directions[cells[others], np.arange(n)] = -weights[first[others]]
        directions[constants, n + np.arange(len(constants))] = 1.0
        return self._turned(directions, forth=False)

    @property
    def n_directions(self) -> int:
        """How many directions `gauge` has."""
        return self._share.nnz - self._share.shape[0] + len(self._offsets) - 1

    def _turned(self, tables: FloatArray, *, forth: bool) -> FloatArray:
        """Coefficients in the basis from tables, or back."""
        width, turned = tables.shape[1], np.empty_like(tables)
        for shape, rows in self._batches:
            part, before, after = tables[rows], len(rows), rows.shape[1] * width
            for card in shape:
                after //= card
                basis = _basis(card) if forth else _basis(card).T
                part = basis @ part.reshape(before, card, after)
                before *= card
            turned[rows] = part.reshape(*rows.shape, width)
        return turned


@lru_cache(maxsize=8)  # the folds of a fit share one layout
def least_tables(layout: TableLayout) -> LeastTables:
    """The projection for the tables of ``layout``."""
    return LeastTables(layout)


@lru_cache(maxsize=64)
def _basis(card: int) -> FloatArray:
    """Orthonormal rows, the first constant (Helmert's)."""
    rows = np.tril(np.ones((card, card)), -1) - np.diag(np.arange(card))
    rows[0] = 1.0
    basis: FloatArray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return basis


def _batches(layout: TableLayout) -> list[_Batch]:
    alike: dict[tuple[int, ...], list[Family]] = {}
    for family in layout.families:
        alike.setdefault(family.shape, []).append(family)
    return [
        _Batch(shape, np.array([family.offset for family in some])[:, None] + np.arange(cells))
        for shape, some in alike.items()
        for cells in [some[0].n_cells]
    ]


def _share(layout: TableLayout) -> csr_array:
    """Rows of length 1 over the coefficients that add up; none for the class prior."""
    seen = Counter(axis for family in layout.families for axis in family.scope)
    alone: list[IntArray] = []
    groups: dict[_Vector, list[tuple[int, float]]] = {}
    for family in layout.families:
        vectors = np.indices(family.shape).reshape(len(family.shape), family.n_cells)
        own = np.array([seen[axis] == 1 for axis in family.scope], dtype=bool)
        is_alone = (vectors[own] > 0).any(axis=0)
        alone.append(family.offset + np.flatnonzero(is_alone))
        for cell in np.flatnonzero(~is_alone).tolist():
            key, spread = _interaction(family, vectors[:, cell].tolist())
            groups.setdefault(key, []).append((family.offset + cell, spread**-0.5))
    groups.pop((), None)
    singles, shared = np.concatenate(alone), [zip(*g, strict=True) for g in groups.values()]
    lengths = np.array([1] * len(singles) + [len(group) for group in groups.values()], dtype=int)
    places, weights = [singles], [np.ones(len(singles))]
    for cells, roots in shared:
        places.append(np.array(cells, dtype=np.intp))
        weights.append(np.array(roots) / np.linalg.norm(roots))
    ends = np.concatenate([[0], np.cumsum(lengths)])
    shape = len(lengths), layout.n_cells
    return csr_array((np.concatenate(weights), np.concatenate(places), ends), shape=shape)


def _interaction(family: Family, vector: list[int]) -> tuple[_Vector, int]:
    """The axes of a basis vector that are not constant, by name, and the cells of the others."""
    axes = list(zip(family.scope, family.shape, vector, strict=True))
    key = tuple(sorted((axis, at) for axis, _, at in axes if at))
    return key, prod(card for _, card, at in axes if not at)

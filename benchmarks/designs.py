"""The peers' side of a problem: design matrices from codes, and weights back to family tables.

A design is a row of blocks. Each block is a categorical over one or two attributes; a column per
cell, or no column for the cells that hold a reference state. Roos indicators take one block a
family (overparametrised, for the penalty that bnlr has); the log-linear design has full rank: one
block an attribute and one an arc, most frequent states as references so that it is as sparse as
can be. Both are built straight from codes, for structures in which each attribute has at most one
attribute parent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

import bnlr

_BLOCK = 2**16
_ABSENT = -1

Floats = NDArray[np.float64]
Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Block:
    """Columns of one categorical: ``places`` (one axis an attribute) holds them, −1 for none."""

    scope: tuple[str, ...]
    places: NDArray[np.int32]

    def columns(self, codes: Columns) -> NDArray[np.int32]:
        """Column of the design that is 1 in each row, −1 where none is; absolute numbers."""
        cells = codes[self.scope[0]]
        if len(self.scope) == 2:
            cells = cells * np.intp(self.places.shape[1]) + codes[self.scope[1]]
        return self.places.ravel().take(cells)


@dataclass(frozen=True)
class DesignPlan:
    """The blocks of a design over ``n_columns`` columns, without a column for the intercept."""

    blocks: tuple[Block, ...]
    families: tuple[tuple[str, ...], ...]
    n_columns: int

    @classmethod
    def of(cls, structure: bnlr.Structure, data: bnlr.Dataset, *, loglinear: bool) -> "DesignPlan":
        """Plan the design of ``structure``; log-linear, or Roos indicators."""
        families = families_of(structure)
        scopes = [f[-1:] for f in families] + [f for f in families if len(f) == 2]
        scopes = scopes if loglinear else list(families)
        blocks, n = [], 0
        for scope in scopes:
            places = np.full([data.cards[node] for node in scope], _ABSENT, np.int32)
            free = _without_references(data, scope) if loglinear else np.ones(places.shape, bool)
            places[free] = np.arange(n, n + free.sum())
            n += int(free.sum())
            blocks.append(Block(scope, places))
        return cls(tuple(blocks), families, n)

    @cached_property
    def is_full(self) -> bool:
        """Whether every row has a column in every block."""
        return all((block.places >= 0).all() for block in self.blocks)

    def sparse(self, codes: Columns) -> csr_matrix:
        """Design in CSR, float64 with 32-bit indices."""
        n_rows = len(next(iter(codes.values())))
        parts, per_row = [], np.empty(n_rows, np.int32)
        for start in range(0, n_rows, _BLOCK):
            rows = slice(start, start + _BLOCK)
            places = self._places({node: column[rows] for node, column in codes.items()})
            present = places >= 0
            per_row[rows] = places.shape[1] if self.is_full else present.sum(axis=1)
            parts.append(places.ravel() if self.is_full else places[present])
        indices = np.concatenate(parts)
        starts = np.concatenate([[0], np.cumsum(per_row)])
        wide = np.int32 if len(indices) < 2**31 else np.int64
        rows = (np.ones(len(indices)), indices, starts.astype(wide))
        return csr_matrix(rows, shape=(n_rows, self.n_columns))

    def dense(self, codes: Columns) -> Floats:
        """Design as an array, rows contiguous."""
        n_rows = len(next(iter(codes.values())))
        matrix = np.zeros((n_rows, self.n_columns))
        for block in self.blocks:
            places = block.columns(codes)
            rows = np.flatnonzero(places >= 0)
            matrix[rows, places[rows]] = 1.0
        return matrix

    def categoricals(self, codes: Columns) -> list[tuple[NDArray[np.int32], int]]:
        """Each block's categories, 0 for no column, and how many columns it has."""
        categories = []
        for block in self.blocks:
            n_columns = int((block.places >= 0).sum())
            first = int(block.places.max()) - n_columns + 1
            places = block.columns(codes)
            categories.append((np.maximum(places - (first - 1), 0).astype(np.int32), n_columns))
        return categories

    def tables(self, weights: Floats, intercepts: Floats) -> dict[tuple[str, ...], Floats]:
        """Family tables, cells × classes, of ``weights`` (n_columns, n_classes); () the prior."""
        padded = np.vstack([weights, np.zeros(weights.shape[1])])
        tables = {(): intercepts[None]}
        for family in self.families:
            inside = [b for b in self.blocks if b.scope in (family, family[-1:])]
            sums = sum(padded[b.places] for b in inside)
            shape = next((b.places.shape for b in inside if b.scope == family), None)
            tables[family] = np.broadcast_to(sums, (*(shape or ()), weights.shape[1]))
        return tables

    def _places(self, codes: Columns) -> NDArray[np.int32]:
        return np.stack([block.columns(codes) for block in self.blocks], axis=1)


def families_of(structure: bnlr.Structure) -> tuple[tuple[str, ...], ...]:
    """(parent, attribute) or (attribute,) for every child of the class, in the structure's order.

    Raises
    ------
    ValueError
        An attribute has two attribute parents, or the class has a parent.
    """
    own = structure.class_name
    families = [
        (*(p for p in structure.parents(node) if p != own), node)
        for node in structure.children(own)
    ]
    if structure.parents(own) or any(len(family) > 2 for family in families):
        raise ValueError("the benchmarks' designs are for naive Bayes and trees only")
    return tuple(families)


def codes_of(data: bnlr.Dataset) -> Columns:
    """Columns of codes of a data set, no copies."""
    return {node: data.column(node) for node in data.nodes}


def codes_of_frame(frame: Any) -> Columns:
    """Columns of codes of a frame of categoricals, no copies."""
    return {str(name): frame[name].cat.codes.to_numpy() for name in frame.columns}


def one_hot(plan: DesignPlan, codes: Columns) -> csr_array:
    """Roos indicators by scikit-learn's OneHotEncoder, the usual way to the same matrix."""
    from sklearn.preprocessing import OneHotEncoder  # noqa: PLC0415  a peer

    places = plan._places(codes)
    ranges = [np.sort(block.places.ravel()) for block in plan.blocks]
    return OneHotEncoder(categories=ranges).fit_transform(places)


def _without_references(data: bnlr.Dataset, scope: Sequence[str]) -> NDArray[np.bool_]:
    """Cells in which no attribute has its most frequent state."""
    axes = []
    for node in scope:
        is_free = np.ones(data.cards[node], bool)
        is_free[data.states[node].index(data.most_frequent[node])] = False
        axes.append(is_free)
    return axes[0] if len(axes) == 1 else np.logical_and.outer(*axes)

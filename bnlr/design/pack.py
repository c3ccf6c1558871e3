"""Several families merged into one group table, so that a row is a handful of short codes.

Families are put together while their joint configurations stay few: a group table over the
union of their scopes is the sum of the families' tables, and a row looks up one cell a group
instead of one a family. Filling the group tables costs nothing that grows with the rows.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from math import prod

import numpy as np
from scipy.sparse import csr_array

from bnlr._typing import CodeArray, FloatArray, IntArray
from bnlr.data.dataset import Dataset
from bnlr.design.families import Family, TableLayout
from bnlr.machine import backend, in_row_chunks

# A few thousand numbers a group keep all group tables in the second-level cache.
_GROUP_CELLS, _GROUP_ENTRIES = 4096, 8192
_SMALL_GROUP = 16


@dataclass(frozen=True)
class Group:
    """Families that share one table; ``scope`` indexes it, C order, ``shape`` its states."""

    families: tuple[Family, ...]
    scope: tuple[str, ...]
    shape: tuple[int, ...]

    @property
    def n_cells(self) -> int:
        """Rows of the group's table."""
        return prod(self.shape)


@dataclass(frozen=True)
class Packing:
    """Group tables of a layout, stacked like the family tables.

    Group cell j is the sum of the family cells ``cells[ends[j]:ends[j + 1]]``, rows of the family
    tables; ``offsets`` (n_groups + 1,) are each group's first row, and the end.
    """

    groups: tuple[Group, ...]
    ends: IntArray
    cells: IntArray
    offsets: IntArray
    n_family_cells: int

    @property
    def n_cells(self) -> int:
        """Rows of all group tables."""
        return len(self.ends) - 1

    def expand(self, tables: FloatArray) -> FloatArray:
        """Group tables (n_group_cells, width) from family tables (n_cells, width)."""
        grouped = np.empty((self.n_cells, tables.shape[1]))
        backend("design", "kernels", "twins").expand(self.ends, self.cells, tables, grouped)
        return grouped

    def collapse(self, grouped: FloatArray) -> FloatArray:
        """Sums of the group cells that hold a family cell: the transpose of ``expand``."""
        tables = np.zeros((self.n_family_cells, grouped.shape[1]))
        backend("design", "kernels", "twins").collapse(self.ends, self.cells, grouped, tables)
        return tables

    @property
    def matrix(self) -> csr_array:
        """``expand`` as a 0/1 matrix (n_group_cells, n_cells)."""
        shape = (self.n_cells, self.n_family_cells)
        return csr_array((np.ones(len(self.cells)), self.cells, self.ends), shape=shape)


def pack(layout: TableLayout, n_rows: int) -> Packing:
    """Choose the groups for ``n_rows`` rows and derive the maps between the two kinds of table."""
    groups = _group(layout, _largest_group(layout, n_rows))
    offsets = _ends(group.n_cells for group in groups)
    n_members = np.array([len(group.families) for group in groups], dtype=np.intp)
    ends = np.zeros(offsets[-1] + 1, dtype=np.intp)
    np.cumsum(np.repeat(n_members, np.diff(offsets)), out=ends[1:])
    cells = np.empty(ends[-1], dtype=np.intp)
    cards = np.array([card for group in groups for card in group.shape], dtype=np.intp)
    axes = _ends(len(group.shape) for group in groups)
    first = np.array([f.offset for group in groups for f in group.families], dtype=np.intp)
    steps = [_strides(group, family) for group in groups for family in group.families]
    strides = np.array([stride for family in steps for stride in family], dtype=np.intp)
    members = backend("design", "kernels", "twins").members
    members(cards, axes, first, _ends(n_members), strides, offsets, cells)
    return Packing(groups, ends, cells, offsets, layout.n_cells)


def encode(packing: Packing, data: Dataset, n_threads: int = 1) -> CodeArray:
    """Group codes, (n_groups, n_rows), in as few bytes as the largest group needs."""
    largest = max(group.n_cells for group in packing.groups)
    codes = np.empty(
        (len(packing.groups), data.n_rows), np.uint16 if largest <= 2**16 else np.uint32
    )
    scope = [a for group in packing.groups for a in group.scope]
    places = np.array([data.nodes.index(attribute) for attribute in scope], dtype=np.intp)
    cards = np.array([data.cards[attribute] for attribute in scope], dtype=np.uint64)
    ends = _ends(len(group.scope) for group in packing.groups)
    # Without missing cells the signed codes are their own unsigned ones.
    columns = data.codes.T.view(np.dtype(f"u{data.codes.dtype.itemsize}"))
    kernels = backend("design", "kernels", "twins")
    done = in_row_chunks(
        lambda start, stop: kernels.encode(columns, places, cards, ends, start, stop, codes),
        data.n_rows,
        n_threads,
    )
    deque(done, maxlen=0)
    return codes


def _largest_group(layout: TableLayout, n_rows: int) -> int:
    """Bound a group table: one larger than the rows would cost more than it saves."""
    width = max(layout.n_classes - 1, 1)
    return max(_SMALL_GROUP, min(_GROUP_CELLS, _GROUP_ENTRIES // width, n_rows // 4))


def _group(layout: TableLayout, largest: int) -> tuple[Group, ...]:
    """Best fit: each family joins the group that grows least, while it stays small enough."""
    groups: list[tuple[list[Family], dict[str, int]]] = []
    sizes: list[int] = []
    for family in layout.families:
        pairs = tuple(zip(family.scope, family.shape, strict=True))
        best, least = len(groups), largest + 1
        for place, (_, scope) in enumerate(groups):
            growth = prod([card for attribute, card in pairs if attribute not in scope])
            if growth < least and sizes[place] * growth <= largest:
                best, least = place, growth
        if best == len(groups):
            groups.append(([], {}))
            sizes.append(0)
        groups[best][0].append(family)
        groups[best][1].update(pairs)
        sizes[best] = prod(groups[best][1].values())
    return tuple(Group(tuple(m), tuple(s), tuple(s.values())) for m, s in groups)


def _strides(group: Group, family: Family) -> list[int]:
    """How far a step along each axis of the group moves in the family's table; 0 outside it."""
    steps = dict.fromkeys(group.scope, 0)
    stride = 1
    for attribute, card in zip(reversed(family.scope), reversed(family.shape), strict=True):
        steps[attribute] = stride
        stride *= card
    return list(steps.values())


def _ends(lengths: Iterable[int]) -> IntArray:
    """Where each of several runs of ``lengths`` starts, and the end of the last."""
    return np.array([0, *accumulate(lengths)], dtype=np.intp)


def family_cells(layout: TableLayout, data: Dataset) -> np.ndarray:
    """Stacked row of every family for every data row, (n_rows, n_families): unpacked codes."""
    cells = np.empty((data.n_rows, len(layout.families)), dtype=np.int64)
    for k, family in enumerate(layout.families):
        code = np.zeros(data.n_rows, dtype=np.int64)
        for attribute, card in zip(family.scope, family.shape, strict=True):
            code = code * card + data.column(attribute)
        cells[:, k] = family.offset + code
    return cells


def relative(tables: FloatArray) -> FloatArray:
    """Tables less their first column, (n_cells, n_classes − 1): all that P(c | x) needs."""
    return np.ascontiguousarray(tables[:, 1:] - tables[:, :1])


def absolute(gradient: FloatArray) -> FloatArray:
    """Derivative in the full tables, whose rows sum to 0, from that in the relative tables."""
    return np.concatenate([-gradient.sum(axis=1, keepdims=True), gradient], axis=1)

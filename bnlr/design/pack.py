"""Several families merged into one group table, so that a row is a handful of short codes.

Families are put together while their joint configurations stay few: a group table over the
union of their scopes is the sum of the families' tables, and a row looks up one cell a group
instead of one a family. Filling the group tables costs nothing that grows with the rows.
"""

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from bnlr._typing import CodeArray, FloatArray, IntArray
from bnlr.data.dataset import Dataset
from bnlr.data.narrow import smallest_unsigned
from bnlr.design.families import Family, TableLayout
from bnlr.machine import backend, in_row_chunks

if TYPE_CHECKING:
    from bnlr.machine import signatures

# A few thousand numbers a group keep all group tables in the second-level cache.
_GROUP_CELLS, _GROUP_ENTRIES = 4096, 8192
_SMALL_GROUP = 16
_FEW_COLUMNS = 8


def kernels() -> "signatures.Packed":
    """Compiled kernels, or their NumPy twins."""
    found: signatures.Packed = backend("packed", "design.twins")
    return found


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


class Joined(NamedTuple):
    """Which families share a group: those of group g are ``order[families[g]:families[g + 1]]``.

    ``joint[joint_ends[g]:joint_ends[g + 1]]`` are its axes, as places in the layout's
    ``scopes.axes``.
    """

    order: IntArray
    families: IntArray
    joint: IntArray
    joint_ends: IntArray


@dataclass(frozen=True)
class Packing:
    """Group tables of a layout, stacked like the family tables.

    Group cell j is the sum of the family cells ``cells[ends[j]:ends[j + 1]]``, rows of the family
    tables; ``offsets`` (n_groups + 1,) are each group's first row, and the end.
    """

    layout: TableLayout
    joined: Joined
    ends: IntArray
    cells: IntArray
    offsets: IntArray

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The groups by name."""
        order, families, joint, joint_ends = (part.tolist() for part in self.joined)
        axes, cards, nodes = self.layout.scopes.axes, self.layout.scopes.cards, self._nodes
        return tuple(
            Group(
                tuple(self.layout.families[k] for k in order[first:last]),
                tuple(nodes[axes[place]] for place in joint[start:stop]),
                tuple(int(cards[place]) for place in joint[start:stop]),
            )
            for (first, last), (start, stop) in zip(
                pairwise(families), pairwise(joint_ends), strict=True
            )
        )

    @property
    def _nodes(self) -> tuple[str, ...]:
        return self.layout.structure.nodes

    @property
    def n_cells(self) -> int:
        """Rows of all group tables."""
        return len(self.ends) - 1

    def expand(self, tables: FloatArray) -> FloatArray:
        """Group tables (n_group_cells, width) from family tables (n_cells, width)."""
        grouped = np.empty((self.n_cells, tables.shape[1]))
        kernels().expand(self.ends, self.cells, tables, grouped)
        return grouped

    def collapse(self, grouped: FloatArray) -> FloatArray:
        """Sums of the group cells that hold a family cell: the transpose of ``expand``."""
        tables = np.zeros((self.layout.n_cells, grouped.shape[1]))
        kernels().collapse(self.ends, self.cells, grouped, tables)
        return tables

    @property
    def matrix(self) -> csr_array:
        """``expand`` as a 0/1 matrix (n_group_cells, n_cells)."""
        shape = (self.n_cells, self.layout.n_cells)
        return csr_array((np.ones(len(self.cells)), self.cells, self.ends), shape=shape)


def pack(layout: TableLayout, n_rows: int) -> Packing:
    """Choose the groups for ``n_rows`` rows and derive the maps between the two kinds of table."""
    key = Packing, _largest_group(layout, n_rows)
    found: Packing | None = layout.remembered.get(key)
    if found is None:
        found = _packed(layout, key[1])
        layout.remember(key, found, len(found.cells))
    return found


def _packed(layout: TableLayout, largest: int) -> Packing:
    code, scopes = kernels(), layout.scopes
    families = (scopes.axes, scopes.cards, scopes.ends)
    joined = Joined(*code.join(*families, largest))
    starts, stops = joined.joint_ends[:-1], joined.joint_ends[1:]
    shapes = np.append(scopes.cards[joined.joint], 1)  # where the last group may have no axes
    sizes = np.multiply.reduceat(shapes, starts, dtype=np.intp)
    sizes[starts == stops] = 1
    offsets = _from_zero(sizes)
    ends = _from_zero(np.repeat(np.diff(joined.families), sizes))
    cells = np.empty(ends[-1], dtype=np.intp)
    code.members(*families, scopes.offsets, (*joined,), offsets, cells)
    return Packing(layout, joined, ends, cells, offsets)


def encode(packing: Packing, data: Dataset, n_threads: int = 1) -> CodeArray:
    """Group codes, (n_groups, n_rows), in two bytes, or four where the largest group needs them."""
    scopes, joined = packing.layout.scopes, packing.joined
    # A group's code is below its number of cells, at every step of its making too.
    narrow = smallest_unsigned(int(np.diff(packing.offsets).max()))
    shape = len(joined.families) - 1, data.n_rows
    codes = np.empty(shape, np.result_type(np.uint16, narrow))  # two types, two compilations
    column = {node: place for place, node in enumerate(data.nodes)}
    columns_of = np.array([column.get(node, -1) for node in packing._nodes], dtype=np.intp)
    places = columns_of[scopes.axes[joined.joint]]
    cards, ends = scopes.cards[joined.joint].astype(np.uint64), joined.joint_ends
    # Without missing cells the signed codes are their own unsigned ones.
    columns = data.codes.T.view(np.dtype(f"u{data.codes.dtype.itemsize}"))
    code = kernels()
    done = in_row_chunks(
        lambda start, stop: code.encode(columns, places, cards, ends, start, stop, codes),
        data.n_rows,
        n_threads,
    )
    deque(done, maxlen=0)
    return codes


def _largest_group(layout: TableLayout, n_rows: int) -> int:
    """Bound a group table: one larger than the rows would cost more than it saves."""
    width = max(layout.n_classes - 1, 1)
    return max(_SMALL_GROUP, min(_GROUP_CELLS, _GROUP_ENTRIES // width, n_rows // 4))


def _from_zero(lengths: IntArray) -> IntArray:
    """Where each of several runs of ``lengths`` starts, and the end of the last."""
    ends = np.zeros(len(lengths) + 1, dtype=np.intp)
    np.cumsum(lengths, out=ends[1:])
    return ends


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
    return np.concatenate([-row_sums(gradient)[:, None], gradient], axis=1)


def row_sums(values: FloatArray) -> FloatArray:
    """Sum of each row of ``values`` (n, width), (n,)."""
    if not 0 < values.shape[1] <= _FEW_COLUMNS:
        return np.asarray(values.sum(axis=1))
    total = values[:, 0].copy()  # NumPy sums short rows ten times slower
    for column in values.T[1:]:
        total += column
    return total

"""The penalty of CPTs where most cells are never seen, at the cost of those that are.

What no row shows stays at uniform columns, equal in all classes, as the penalty's centre is there:
its moved tables are 0, in which the penalty's gradient vanishes. The least tables that say the same
(`bnlr.objectives.minimum_norm`) differ from 0 there all the same, as what families hand to each
other does; of that only the part in the seen cells is needed. What a family shares are functions of
fewer attributes: sums of its table over the others.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from bnlr._typing import FloatArray, IntArray
from bnlr.design.seen import SeenCells
from bnlr.objectives.penalty import CPTPenalty

_MOST_FAMILIES = 500


@dataclass(frozen=True)
class SeenPenalty(CPTPenalty):
    """`CPTPenalty` of tables that are at the centre wherever ``seen`` has no cell."""

    seen: "SeenLeast" = field(kw_only=True)

    def _of_columns(self, direction: FloatArray) -> FloatArray:
        # both 0 in the cells that are left out
        return self.on_tables._of_columns(self.seen.of(direction))


class _Block(NamedTuple):
    """Sums of a family's table over all axes but some, of ``shape``, ``offset`` the first."""

    axes: tuple[str, ...]
    shape: tuple[int, ...]
    offset: int
    spread: int  # cells of the family that are summed up in each

    @property
    def places(self) -> IntArray:
        return self.offset + np.arange(prod(self.shape))


class SeenLeast:
    """`LeastTables` of tables that are 0 but in some cells, and in those cells."""

    def __init__(self, seen: SeenCells) -> None:
        self._offsets = seen.layout.scopes.offsets[:-1]
        self._sizes = np.array([family.n_cells for family in seen.whole.families])
        self._blocks, self._sums = _sums(seen)
        self._back = csr_array(self._sums.T)
        self._share = _share(self._blocks, self._sums.shape[0])

    def of(self, tables: FloatArray) -> FloatArray:
        """The projection, in the cells; linear, symmetric."""
        sums = self._sums @ tables
        handed = np.asarray(sums - self._share.T @ (self._share @ sums))
        for block in self._blocks:
            own = handed[block.offset : block.offset + prod(block.shape)].reshape(*block.shape, -1)
            for axis in range(len(block.shape)):
                own -= own.mean(axis=axis, keepdims=True)
        means = np.add.reduceat(tables, self._offsets) / self._sizes[:, None]
        lengths = np.diff(np.append(self._offsets, len(tables)))
        least: FloatArray = tables - self._back @ handed - np.repeat(means, lengths, axis=0)
        return least


def seen_least(seen: SeenCells) -> SeenLeast | None:
    """The projection, None where the families share so much that whole tables cost less."""
    families = seen.whole.families
    if len(families) > _MOST_FAMILIES:
        return None
    sizes = [seen.layout.families[k].n_cells for k in range(len(families))]
    shared = _shared(families_axes(seen))
    cards = {a: n for f in families for a, n in zip(f.scope, f.shape, strict=True)}
    work = sum(
        size + prod(cards[axis] for axis in axes)
        for size, some in zip(sizes, shared, strict=True)
        for axes in some
    )
    return SeenLeast(seen) if work <= seen.whole.n_cells else None


def families_axes(seen: SeenCells) -> list[tuple[str, ...]]:
    """Axes of more than one state of each whole family."""
    return [
        tuple(a for a, n in zip(f.scope, f.shape, strict=True) if n > 1)
        for f in seen.whole.families
    ]


def _shared(scopes: list[tuple[str, ...]]) -> list[list[tuple[str, ...]]]:
    """Sets of axes, sorted, of each family that another has too; not the empty one."""
    return [
        sorted(
            {
                axes
                for j, other in enumerate(scopes)
                if j != k
                for axes in _subsets(sorted({*scope} & {*other}))
            }
        )
        for k, scope in enumerate(scopes)
    ]


def _subsets(axes: Iterable[str]) -> Iterator[tuple[str, ...]]:
    axes = tuple(axes)
    for size in range(1, len(axes) + 1):
        yield from combinations(axes, size)


def _sums(seen: SeenCells) -> tuple[list[_Block], csr_array]:
    """What families share, and the sums over root spread that give it, of the seen cells."""
    blocks: list[_Block] = []
    rows, columns, values = [], [], []
    offset = 0
    for k, shared in enumerate(_shared(families_axes(seen))):
        whole = seen.whole.families[k]
        places = np.unravel_index(seen.configurations(k), whole.shape) if whole.shape else ()
        at = dict(zip(whole.scope, places, strict=True))
        cards = dict(zip(whole.scope, whole.shape, strict=True))
        own = np.arange(len(seen.configurations(k))) + seen.layout.families[k].offset
        for axes in shared:
            shape = tuple(cards[axis] for axis in axes)
            block = _Block(axes, shape, offset, whole.n_cells // prod(shape))
            blocks.append(block)
            rows.append(offset + np.ravel_multi_index(tuple(at[a] for a in axes), shape))
            columns.append(own)
            values.append(np.full(len(own), block.spread**-0.5))
            offset += prod(shape)
    entries = [np.concatenate(part) if part else np.empty(0) for part in (values, rows, columns)]
    shape = offset, seen.layout.n_cells
    return blocks, csr_array((entries[0], (entries[1].astype(int), entries[2].astype(int))), shape)


def _share(blocks: list[_Block], n: int) -> csr_array:
    """Rows of length 1 over the sums that add up."""
    alike: dict[tuple[str, ...], list[_Block]] = {}
    for block in blocks:
        alike.setdefault(block.axes, []).append(block)
    rows, columns, weights = [], [], []
    n_rows = 0
    for some in alike.values():
        roots = np.array([block.spread**-0.5 for block in some])
        size = prod(some[0].shape)
        for block, weight in zip(some, roots / np.linalg.norm(roots), strict=True):
            rows.append(n_rows + np.arange(size))
            columns.append(block.places)
            weights.append(np.full(size, weight))
        n_rows += size
    entries = [np.concatenate(part) if part else np.empty(0) for part in (weights, rows, columns)]
    return csr_array((entries[0], (entries[1].astype(int), entries[2].astype(int))), (n_rows, n))

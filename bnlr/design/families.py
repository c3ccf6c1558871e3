"""The L-model's family tables: which cells there are, and where each CPT entry stands.

The class posterior of a complete row needs the class's own family and its children's only
(Wettig et al. 2003, equation 3). Each gives a table T_k with one row per configuration of
its scope φ(k) (the family without the class) and one column per class state, so that

    log P(c, x) + const(x) = Σ_k T_k[cell_k(x), c].

All tables are stacked into one array ``tables`` of shape (n_cells, n_classes), class states
contiguous. A CPT and its table hold the same numbers; only the class axis moves last.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import accumulate
from math import prod
from typing import Any, NamedTuple

import numpy as np

from bnlr._typing import Cards, FloatArray, IntArray
from bnlr.errors import ParameterError, TooLargeError
from bnlr.machine import refuse_many_axes
from bnlr.structure.dag import Structure

MAX_TABLE_BYTES = 2**30
_FLOAT_BYTES = 8
_SMALL, _MOST_REMEMBERED = 2**16, 16
_LARGE = 2**9  # cells of an average family, where those of all together take longer


@dataclass(frozen=True)
class Family:
    """One family of the L-model.

    ``scope`` are the attributes that index its rows: the parents without the class in CPT
    order, then the node itself; for the class's own family its parents. ``shape`` are their
    numbers of states, ``offset`` the first row in the stacked tables, ``class_axis`` the
    class's place among the axes of the node's CPT.
    """

    node: str
    scope: tuple[str, ...]
    shape: tuple[int, ...]
    offset: int
    class_axis: int
    n_classes: int

    def __reduce__(self) -> tuple[object, ...]:
        # not what has been computed since: equal families give equal bytes
        return Family, tuple(getattr(self, field.name) for field in fields(self))

    @cached_property
    def n_cells(self) -> int:
        """Number of configurations of the scope."""
        return prod(self.shape)

    @property
    def class_stride(self) -> int:
        """How far a step of the class's state moves in the CPT."""
        return prod(self.shape[self.class_axis :])

    @property
    def rows(self) -> slice:
        """The family's rows in the stacked tables."""
        return slice(self.offset, self.offset + self.n_cells)

    def table_of(self, cpt: FloatArray) -> FloatArray:
        """Rows of the stacked tables, (n_cells, n_classes), from an array with CPT axes."""
        return cpt.transpose(self._class_last).reshape(self.n_cells, self.n_classes)

    def cpt_of(self, table: FloatArray) -> FloatArray:
        """Array with CPT axes from the family's rows, (n_cells, n_classes)."""
        return table.reshape(*self.shape, self.n_classes).transpose(self._class_in_place)

    @cached_property
    def _class_last(self) -> tuple[int, ...]:
        axes = range(len(self.shape) + 1)
        return (*(axis for axis in axes if axis != self.class_axis), self.class_axis)

    @cached_property
    def _class_in_place(self) -> tuple[int, ...]:
        return tuple(self._class_last.index(axis) for axis in range(len(self.shape) + 1))


class Scopes(NamedTuple):
    """Families as arrays: the scope of family k is ``axes[ends[k]:ends[k + 1]]``.

    ``axes`` are places in the structure's nodes, ``cards`` their numbers of states; the rows of
    family k are ``offsets[k]:offsets[k + 1]``, C order.
    """

    axes: IntArray
    cards: IntArray
    ends: IntArray
    offsets: IntArray


@dataclass(frozen=True)
class TableLayout:
    """Where every family's table stands: the class's first, then its children's in node order."""

    structure: Structure
    families: tuple[Family, ...]
    n_classes: int

    @classmethod
    def of(cls, structure: Structure, cards: Cards) -> "TableLayout":
        """Lay out the tables of ``structure``.

        Raises
        ------
        ParameterError
            A node of the class's families has no number of states.
        TooLargeError
            The tables would not fit in memory; nothing has been allocated.
        """
        known = tuple([int(cards.get(node) or 0) for node in structure.nodes])
        if 0 in known:
            used = _used(structure)
            known = tuple(_card(cards, node) if node in used else 0 for node in structure.nodes)
        return _laid_out(structure, known)

    def __reduce__(self) -> tuple[object, ...]:
        return TableLayout, (self.structure, self.families, self.n_classes)

    @cached_property
    def n_cells(self) -> int:
        """Rows of the stacked tables."""
        last = self.families[-1]
        return last.offset + last.n_cells

    @cached_property
    def scopes(self) -> "Scopes":
        """The families as arrays."""
        place = {node: at for at, node in enumerate(self.structure.nodes)}
        axes = [place[axis] for family in self.families for axis in family.scope]
        cards = [card for family in self.families for card in family.shape]
        ends = [0, *accumulate([len(family.shape) for family in self.families])]
        offsets = [*[family.offset for family in self.families], self.n_cells]
        return Scopes(*(np.array(part, dtype=np.intp) for part in (axes, cards, ends, offsets)))

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that the tables look at, in node order."""
        scope = {attribute for family in self.families for attribute in family.scope}
        return tuple(node for node in self.structure.nodes if node in scope)

    @cached_property
    def attribute_cards(self) -> tuple[int, ...]:
        """Their numbers of states."""
        cards: dict[str, int] = {}
        for family in self.families:
            cards.update(zip(family.scope, family.shape, strict=True))
        return tuple(cards[attribute] for attribute in self.attributes)

    def stack(self, cpts: Mapping[str, FloatArray]) -> FloatArray:
        """Stacked tables, (n_cells, n_classes), from arrays with CPT axes."""
        return np.concatenate([family.table_of(cpts[family.node]) for family in self.families])

    def places(self, starts: Mapping[str, int]) -> IntArray:
        """Where each entry of the stacked tables, (n_cells, n_classes), stands in flat CPTs.

        The CPT of a node stands there in C order from ``starts[node]`` on.
        """
        first_cells = tuple([starts[family.node] for family in self.families])
        found: IntArray | None = self.remembered.get(first_cells)
        if found is None:
            found = self._places(first_cells)
            self.remember(first_cells, found, found.size)
        return found

    def _places(self, starts: tuple[int, ...]) -> IntArray:
        if self.n_cells > _LARGE * len(self.families):
            return self._places_by_family(starts)
        offsets = self.scopes.offsets
        sizes = np.diff(offsets)
        inner = np.repeat([family.class_stride for family in self.families], sizes)
        first = np.repeat(starts, sizes)
        cell = np.arange(self.n_cells) - np.repeat(offsets[:-1], sizes)
        # A step in an axis before the class's passes by all classes.
        first += cell + cell // inner * inner * (self.n_classes - 1)
        places: IntArray = first[:, None] + inner[:, None] * np.arange(self.n_classes)
        places.flags.writeable = False
        return places

    def _places_by_family(self, starts: tuple[int, ...]) -> IntArray:
        """`_places` without a division a cell; a few calls a family."""
        places = np.empty((self.n_cells, self.n_classes), dtype=np.intp)
        for family, start in zip(self.families, starts, strict=True):
            flat = np.arange(start, start + family.n_cells * self.n_classes)
            inner = family.class_stride
            own = places[family.rows].reshape(-1, inner, self.n_classes)
            own[:] = flat.reshape(-1, self.n_classes, inner).swapaxes(1, 2)
        places.flags.writeable = False
        return places

    @cached_property
    def remembered(self) -> dict[object, Any]:
        """What else has been worked out of the layout alone, small enough to be kept with it."""
        return {}

    def remember(self, key: object, value: object, size: int) -> None:
        """Keep a value of ``size`` numbers if that costs nothing."""
        if size <= _SMALL and len(self.remembered) < _MOST_REMEMBERED:
            self.remembered[key] = value

    def unstack(self, tables: FloatArray) -> dict[str, FloatArray]:
        """Arrays with CPT axes, one per family, from stacked tables."""
        return {family.node: family.cpt_of(tables[family.rows]) for family in self.families}


@lru_cache(maxsize=8)
def _used(structure: Structure) -> frozenset[str]:
    """The class, its parents and children, and their other parents."""
    return frozenset({structure.class_name, *structure.markov_blanket()})


@lru_cache(maxsize=8)  # packing, spaces and penalty of a fit share one layout
def _laid_out(structure: Structure, sizes: tuple[int, ...]) -> TableLayout:
    class_name = structure.class_name
    cards = dict(zip(structure.nodes, sizes, strict=True))
    nodes, n_classes = (class_name, *structure.children(class_name)), cards[class_name]
    families: list[Family] = []
    offset = 0
    for node in nodes:
        axes = (*structure.parents(node), node)
        class_axis = axes.index(class_name)
        scope = axes[:class_axis] + axes[class_axis + 1 :]
        refuse_many_axes(f"node {node!r}", len(axes))
        shape = tuple([cards[axis] for axis in scope])
        n_cells = prod(shape)
        refuse_too_large(node, axes, n_cells * n_classes)
        families.append(Family(node, scope, shape, offset, class_axis, n_classes))
        offset += n_cells
    refuse_too_large("all families together", nodes, offset * n_classes)
    return TableLayout(structure, tuple(families), n_classes)


def _card(cards: Cards, node: str) -> int:
    if node not in cards:
        raise ParameterError(f"node {node!r} of the structure has no states; give its states")
    return int(cards[node])


def refuse_too_large(what: str, axes: tuple[str, ...], n_entries: int) -> None:
    """Raise TooLargeError, with cells and bytes, for a table of more than MAX_TABLE_BYTES."""
    n_bytes = n_entries * _FLOAT_BYTES
    if n_bytes > MAX_TABLE_BYTES:
        raise TooLargeError(
            f"the table of {what} over ({', '.join(axes)}) has {n_entries:,} cells, "
            f"{n_bytes / 2**30:,.1f} GiB; at most {MAX_TABLE_BYTES / 2**30:.0f} GiB is allowed. "
            "Remove arcs, or merge states"
        )

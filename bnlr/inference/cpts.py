"""All CPTs of a network in one flat array: the only form in which inference knows a network.

Nodes are places 0 … n − 1, in the structure's node order. The CPT of node i stands in
``theta[offsets[i]:offsets[i + 1]]``, C order, one axis a parent (in order), then the node's own. A
column d|f is one row of that table: ``cards[i]`` neighbouring numbers that sum to 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bnlr._typing import FloatArray, IntArray
from bnlr.errors import ParameterError, TooLargeError
from bnlr.machine import refuse_many_axes

if TYPE_CHECKING:
    from bnlr.structure.dag import Structure

_MOST_CELLS = 2**31


@dataclass(frozen=True, eq=False)
class FlatCPTs:
    """Where the CPT of every node stands in one flat array.

    Attributes
    ----------
    names : tuple of str
        The nodes; their positions are the places.
    cards : IntArray of shape (n,)
        Number of states of each node.
    parents : tuple of tuple of int
        Places of each node's parents, in the order of its CPT's axes.
    offsets : IntArray of shape (n + 1,)
        First cell of each CPT, and the number of all cells.
    """

    names: tuple[str, ...]
    cards: IntArray
    parents: tuple[tuple[int, ...], ...]
    offsets: IntArray

    @classmethod
    def of(cls, structure: "Structure", cards: Mapping[str, int]) -> "FlatCPTs":
        """Lay out the CPTs of `structure` for nodes with these numbers of states.

        Raises
        ------
        ParameterError
            A node without a number of states, or one below 1.
        TooLargeError
            CPTs of more than 2³¹ cells together; the message names the largest. A node of more
            parents than an array has axes.
        """
        names = structure.nodes
        counts = [_checked_card(node, cards) for node in names]
        parents = tuple(
            tuple(structure.index(parent) for parent in structure.parents(node)) for node in names
        )
        sizes = [prod((counts[i], *(counts[p] for p in above))) for i, above in enumerate(parents)]
        if sum(sizes) > _MOST_CELLS:
            worst = max(range(len(names)), key=sizes.__getitem__)
            raise TooLargeError(
                f"the CPT of {names[worst]!r} has {sizes[worst]:,} cells, more than fit; give "
                f"{names[worst]!r} fewer parents or its parents fewer states"
            )
        for name, above in zip(names, parents, strict=True):
            refuse_many_axes(f"node {name!r}", len(above) + 1)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(names, np.array(counts, dtype=np.int64), parents, offsets)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.names)

    @property
    def n_cells(self) -> int:
        """Number of cells of all CPTs: the length of ``theta``."""
        return int(self.offsets[-1])

    def shape(self, node: int) -> tuple[int, ...]:
        """Return the shape of the CPT of the node at place `node`."""
        return tuple(int(self.cards[member]) for member in (*self.parents[node], node))

    @cached_property
    def column_lengths(self) -> IntArray:
        """Number of cells of each column d|f, over all nodes; shape (n_columns,)."""
        sizes = np.diff(self.offsets)
        return np.repeat(self.cards, sizes // self.cards)

    @cached_property
    def column_starts(self) -> IntArray:
        """First cell of each column d|f, over all nodes; shape (n_columns,)."""
        starts: IntArray = np.cumsum(self.column_lengths) - self.column_lengths
        return starts

    def column_sums(self, values: FloatArray) -> FloatArray:
        """Return, for each cell, the sum of `values` over the cell's column; shape (n_cells,)."""
        sums = np.add.reduceat(np.asarray(values, dtype=np.float64), self.column_starts)
        spread: FloatArray = np.repeat(sums, self.column_lengths)
        return spread

    def flatten(self, tables: Mapping[str, ArrayLike]) -> FloatArray:
        """Return the tables, one a node in CPT shape, as one flat array.

        Raises
        ------
        ParameterError
            A node without a table, or a table of another shape.
        """
        theta = np.empty(self.n_cells)
        for place, node in enumerate(self.names):
            if node not in tables:
                raise ParameterError(f"there is no CPT of {node!r}; give one for every node")
            table = np.asarray(tables[node], dtype=np.float64)
            if table.shape != self.shape(place):
                raise ParameterError(
                    f"the CPT of {node!r} has shape {table.shape}; it must have "
                    f"{self.shape(place)}: one axis a parent, in order, then the node's own"
                )
            theta[self.offsets[place] : self.offsets[place + 1]] = table.ravel()
        return theta

    def unflatten(self, theta: FloatArray) -> dict[str, FloatArray]:
        """Return one table a node, in CPT shape; they are views of `theta`."""
        return {
            node: theta[self.offsets[place] : self.offsets[place + 1]].reshape(self.shape(place))
            for place, node in enumerate(self.names)
        }


def _checked_card(node: str, cards: Mapping[str, int]) -> int:
    card = cards.get(node)
    if card is None or card < 1:
        raise ParameterError(
            f"the number of states of {node!r} is {card!r}; it must be 1 or larger"
        )
    return int(card)

"""Arcs that embed a network in a larger one that satisfies Condition 1.

**Fill.** Take a topological order and visit its nodes from the last to the first. Where a node
is a child of the class, join its parents pairwise; where it is the class, stop: the nodes before
it need not be joined. All arcs point along the order, so no cycle arises, and every child of the
class ends with its other parents among those of its last parent: Condition 1.

**No arc is idle.** Suppose that a proper subset B of the fill A did as well. All graphs between
share the order. Take the latest node v whose parents differ under A and B, and an arc u → v of
A that B lacks. It is there because a later node j has u as a parent and v as its last parent.
Later nodes have the same parents under A and B, so v is the only possible witness of j under B
too, and u must be a parent of v. So A is inclusion-minimal, whatever the order.

**The order** is found on the way, as in sparse elimination: of the nodes all of whose children
were visited, take the one with the fewest parents (one that is no child of the class needs no
fill and goes first). Few parents mean small tables. Ties are broken by node order, the last node
first, the class after the others; but a class tied at two or more neighbours goes at once, as
that ends the game with fewer arcs.
"""

import numpy as np

from bnlr._typing import Arc, IntArray
from bnlr.structure.bits import members, neighbour_masks
from bnlr.structure.condition1 import satisfies_condition_1
from bnlr.structure.dag import Structure

_NEVER = np.iinfo(np.intp).max


def embedding_masks(structure: Structure) -> list[int]:
    """Return the parents that the embedding adds to each node, as bit masks."""
    if satisfies_condition_1(structure):
        return [0] * len(structure.nodes)
    return _Elimination(structure).added_parents()


def embedding(structure: Structure) -> tuple[Arc, ...]:
    """Return arcs that, added to `structure`, make Condition 1 hold without a cycle.

    No proper subset of them does. They are sorted by child, then parent, in node order; there
    are none if Condition 1 holds already.
    """
    nodes = structure.nodes
    return tuple(
        (nodes[parent], nodes[child])
        for child, mask in enumerate(embedding_masks(structure))
        for parent in members(mask)
    )


class _Elimination:
    """The undirected graph of the nodes not visited yet, and how many neighbours each has."""

    def __init__(self, structure: Structure) -> None:
        self._original = structure.parent_masks
        self._target = structure.index(structure.class_name)
        self._joined = neighbour_masks(self._original)
        self._left = (1 << len(self._joined)) - 1
        self._n_children = self._count_children()
        self._degree: IntArray = np.array([m.bit_count() for m in self._joined], dtype=np.intp)

    def added_parents(self) -> list[int]:
        added = [0] * len(self._joined)
        node = -1
        while node != self._target:
            node = self._next()
            parents = self._remove(node)
            added[node] = parents & ~self._original[node]
        return added

    def _next(self) -> int:
        """Return the node to visit: no children left, and fewest neighbours."""
        raise NotImplementedError

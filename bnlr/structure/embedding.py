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
from bnlr.structure.bits import members, neighbour_masks, refuse_long_list
from bnlr.structure.condition1 import satisfies_condition_1
from bnlr.structure.dag import Structure

_NEVER = np.iinfo(np.intp).max


def embedding(structure: Structure) -> tuple[Arc, ...]:
    """Return arcs that, added to `structure`, make Condition 1 hold without a cycle.

    No proper subset of them does. They are sorted by child, then parent, in node order; there
    are none if Condition 1 holds already.

    Raises
    ------
    TooLargeError
        If there are more than ten million.
    """
    if satisfies_condition_1(structure):
        return ()
    added = _Elimination(structure).added_parents()
    refuse_long_list("the embedding", "arcs", sum(mask.bit_count() for mask in added))
    nodes = structure.nodes
    return tuple(
        (nodes[parent], nodes[child])
        for child, mask in enumerate(added)
        for parent in members(mask)
    )


class _Elimination:
    """The undirected graph of the nodes not visited yet.

    ``joined`` holds each node's neighbours with the node itself, ``near`` whether it is a
    neighbour of the class, ``clique`` the nodes last married, and ``cost`` the number of
    neighbours of a node that may be visited.
    """

    def __init__(self, structure: Structure) -> None:
        self.original = structure.parent_masks
        self.target = structure.index(structure.class_name)
        joined = neighbour_masks(self.original)
        self.joined = [mask | 1 << node for node, mask in enumerate(joined)]
        self.left = (1 << len(joined)) - 1
        self.degree = np.array([mask.bit_count() for mask in joined], dtype=np.intp)
        n_parents = np.array([mask.bit_count() for mask in self.original], dtype=np.intp)
        self.n_children = self.degree - n_parents
        self.clique = 0
        self.near = np.zeros(len(joined), dtype=np.bool_)
        self.near[members(joined[self.target])] = True
        self.cost = np.full(len(joined), _NEVER)
        self._price(np.arange(len(joined)))

    def added_parents(self) -> list[int]:
        added = [0] * len(self.joined)
        node = None
        while node != self.target:
            node = self._cheapest()
            added[node] = self._visit(node) & ~self.original[node]
        return added

    def _cheapest(self) -> int:
        node = self.cost.size - 1 - int(self.cost[::-1].argmin())
        if self.n_children[self.target]:
            return node
        least, at_target = self.cost[node], self.degree[self.target]
        return self.target if at_target < least or at_target == least >= 2 else node

    def _visit(self, node: int) -> int:
        """Take `node` out and return its parents: the neighbours that are left."""
        self.left &= ~(1 << node)
        parents = self.joined[node] & self.left
        places = np.array(members(parents), dtype=np.intp)
        self.degree[places] -= 1
        self.n_children[members(self.original[node])] -= 1
        if self.near[node]:
            self._marry(parents, places)
        self.cost[node] = _NEVER
        self._price(places)
        return parents

    def _marry(self, parents: int, places: IntArray) -> None:
        if not parents & ~self.clique:
            return
        self.clique = parents
        for place in places.tolist():
            before = self.joined[place]
            after = before | parents
            if after != before:
                self.joined[place] = after
                self.degree[place] += (after & ~before).bit_count()
        self.near[places] = True

    def _price(self, places: IntArray) -> None:
        free = places[(self.n_children[places] == 0) & (places != self.target)]
        self.cost[free] = np.where(self.near[free], self.degree[free], 0)

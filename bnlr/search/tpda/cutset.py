"""Sets of nodes that separate two nodes of an undirected graph, sought among their neighbours.

Both searches begin with a set that blocks every path in the graph and drop nodes from it, as a
common descendant in the set makes dependent what is not (Cheng, Bell & Liu 1997, procedures
try_to_separate_A and B). Graphs are sequences of integers: bit j of ``near[i]`` tells whether the
nodes i and j are joined.

A set for which the rows are too few is cut down before: the nodes that depend least on both ends
go first.
"""

from collections.abc import Sequence

from bnlr.search.tpda.dependence import Dependence
from bnlr.structure.bits import members


def separate_by_neighbours(tests: Dependence, near: Sequence[int], x: int, y: int) -> int | None:
    """Find a set among the neighbours of x, or among those of y, on paths between the two.

    Of the sets that lack one node, the one that leaves the least dependence is taken on, as long
    as there is no more of it than before. The smaller of the two neighbourhoods is tried first.

    Returns
    -------
    The set as an integer, or None if none was found.
    """
    sides = (near[own] & reached(near, 1 << end, ~(1 << own)) for own, end in ((x, y), (y, x)))
    for side in sorted(sides, key=int.bit_count):
        cut = _drop_best(tests, x, y, _supported(tests, x, y, side))
        if cut is not None:
            return cut
    return None


def separate_by_two_steps(tests: Dependence, near: Sequence[int], x: int, y: int) -> int | None:
    """Find a set among the neighbours of x or y and those beyond them, on paths between the two.

    All nodes go at once of which each alone would not have raised the dependence.

    Returns
    -------
    The set as an integer, or None if none was found.
    """
    inside = on_paths(near, x, y)
    sides = []
    for end in (x, y):
        first = near[end] & inside
        sides.append((first | _neighbours(near, first)) & inside)
    return _drop_idle(tests, x, y, _supported(tests, x, y, min(sides, key=int.bit_count)))


def reached(near: Sequence[int], start: int, inside: int = -1) -> int:
    """Return the nodes to which paths lead from the set ``start``, within the set ``inside``."""
    seen = frontier = start & inside
    while frontier:
        frontier = _neighbours(near, frontier) & inside & ~seen
        seen |= frontier
    return seen


def on_paths(near: Sequence[int], x: int, y: int) -> int:
    """Return the nodes on simple paths between x and y, the two left out."""
    ends = 1 << x | 1 << y
    found = reached(near, ends)
    for node in members(found):
        # What this one node cuts off from both ends lies on no path that is simple.
        bit = 1 << node
        found &= reached(near, ends & ~bit, ~bit) | bit
    return found & ~ends


def _neighbours(near: Sequence[int], nodes: int) -> int:
    joined = 0
    for node in members(nodes):
        joined |= near[node]
    return joined


def _drop_best(tests: Dependence, x: int, y: int, cut: int) -> int | None:
    left = tests.excess(x, y, cut)
    while left > 0 and cut.bit_count() > 1:
        smaller = _without_one(cut)
        values = tests.excesses([(x, y, given) for given in smaller])
        least = min(values)
        if least > 0 and least > left:
            return None
        cut, left = smaller[values.index(least)], least
    return cut if left <= 0 else None


def _drop_idle(tests: Dependence, x: int, y: int, cut: int) -> int | None:
    while cut:
        left = tests.excess(x, y, cut)
        if left <= 0:
            return cut
        if cut.bit_count() == 1:
            return None
        smaller = _without_one(cut)
        values = tests.excesses([(x, y, given) for given in smaller])
        kept = cut
        for given, value in zip(smaller, values, strict=True):
            if value <= 0:
                return given
            if value <= left:
                kept &= given
        if kept == cut:
            return None
        cut = kept
    return None


def _without_one(cut: int) -> list[int]:
    return [cut & ~(1 << node) for node in members(cut)]


def _supported(tests: Dependence, x: int, y: int, cut: int) -> int:
    """Drop the nodes that depend least on both ends until there are rows enough, or one is left."""
    if tests.is_supported(x, y, cut):
        return cut

    def strength(node: int) -> tuple[float, int]:
        return min(tests.excess(node, x), tests.excess(node, y)), node

    for node in sorted(members(cut), key=strength)[:-1]:
        cut &= ~(1 << node)
        if tests.is_supported(x, y, cut):
            break
    return cut

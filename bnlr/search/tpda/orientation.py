"""From an undirected graph with cut-sets to a directed acyclic one.

First the colliders: of x − w − y with x and y not joined, w is a common child if x and y depend on
each other given their cut-set with w, though not given the cut-set. Then Meek's rules (1995), which
add no further collider. Then, one by one, what the data leave open.
"""

from collections.abc import Iterable, Sequence

from bnlr.structure.bits import members

Pair = tuple[int, int]


class PartialGraph:
    """A graph whose edges are directed one by one, never into a cycle.

    Nodes are places; ``near[i]``, ``above[i]`` and ``below[i]`` are integers whose bit j tells
    whether j is a neighbour, parent or child of i.
    """

    def __init__(self, near: Sequence[int]) -> None:
        self.near = list(near)
        self.above = [0] * len(near)
        self.below = [0] * len(near)

    def is_open(self, x: int, y: int) -> bool:
        """Whether the edge between x and y has no direction yet."""
        return bool((self.near[x] & ~self.above[x] & ~self.below[x]) >> y & 1)

    def open_edges(self) -> list[Pair]:
        """All edges without direction, (smaller place, larger place), sorted."""
        return [
            (x, y)
            for x, near in enumerate(self.near)
            for y in members(near & ~self.above[x] & ~self.below[x])
            if x < y
        ]

    def reaches(self, x: int, y: int) -> bool:
        """Whether a directed path leads from x to y."""
        seen = frontier = 1 << x
        while frontier and not seen >> y & 1:
            grown = 0
            for node in members(frontier):
                grown |= self.below[node]
            frontier = grown & ~seen
            seen |= frontier
        return bool(seen >> y & 1)

    def direct(self, x: int, y: int) -> None:
        """Make x a parent of y, or y of x where that would close a cycle."""
        if self.reaches(y, x):
            x, y = y, x
        self.below[x] |= 1 << y
        self.above[y] |= 1 << x


def add_colliders(graph: PartialGraph, triples: Iterable[tuple[int, int, int]]) -> None:
    """Make w a common child of x and y for each (x, w, y), unless earlier ones forbid it."""
    for x, w, y in triples:
        if all(
            graph.above[w] >> p & 1 or (graph.is_open(p, w) and not graph.reaches(w, p))
            for p in (x, y)
        ):
            graph.direct(x, w)
            graph.direct(y, w)


def propagate(graph: PartialGraph) -> None:
    """Direct every edge of which one direction would make a new collider or a cycle (Meek 1995)."""
    changed = True
    while changed:
        changed = False
        for edge in graph.open_edges():
            for x, y in (edge, edge[::-1]):
                if graph.is_open(x, y) and _must_point(graph, x, y):
                    graph.direct(x, y)
                    changed = True


def _must_point(graph: PartialGraph, x: int, y: int) -> bool:
    """Whether one of Meek's four rules directs x − y from x to y."""
    near, above, below = graph.near, graph.above, graph.below
    line = near[x] & ~above[x] & ~below[x]
    apart = ~near[y] & ~(1 << y)
    chain = above[x] & apart
    circuit = below[x] & above[y]
    two_ways = any(line & above[y] & ~near[k] & ~(1 << k) for k in members(line & above[y]))
    behind = any(below[k] & above[y] & near[x] for k in members(line & apart))
    return bool(chain or circuit or two_ways or behind)


def complete(graph: PartialGraph, root: int) -> None:
    """Direct what is left: edges nearest to ``root`` first, away from it, ties in node order."""
    distance = _distances(graph.near, root)
    while edges := graph.open_edges():
        x, y = min(edges, key=lambda edge: (sorted(distance[node] for node in edge), edge))
        graph.direct(*((x, y) if distance[x] <= distance[y] else (y, x)))
        propagate(graph)


def _distances(near: Sequence[int], root: int) -> list[int]:
    """Fewest edges between ``root`` and each node; the number of nodes where none lead there."""
    distance = [len(near)] * len(near)
    level, seen, n = 1 << root, 0, 0
    while level:
        seen |= level
        grown = 0
        for node in members(level):
            distance[node] = n
            grown |= near[node]
        level, n = grown & ~seen, n + 1
    return distance

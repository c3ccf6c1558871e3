"""What hill climbing knows of its present graph: reachability, and the scores one move away.

Arcs and paths are square arrays over the nodes, ``[p, c]`` standing for p → c.
"""

from dataclasses import dataclass

import numpy as np

from bnlr._typing import BoolArray, FloatArray, IntArray
from bnlr.search.score import FamilyScores


@dataclass
class Graph:
    """Arcs of a directed acyclic graph, and which nodes a path of one arc or more leads to."""

    arcs: BoolArray
    reach: BoolArray

    @classmethod
    def of(cls, arcs: BoolArray) -> "Graph":
        """Find the paths of acyclic ``arcs``, which is kept and changed."""
        return cls(arcs, _paths(arcs))

    def add(self, parent: int, child: int) -> None:
        """Add an arc; the caller knows that it closes no cycle."""
        self.arcs[parent, child] = True
        above, below = self.reach[:, parent].copy(), self.reach[child].copy()
        above[parent] = below[child] = True
        self.reach |= above[:, None] & below

    def remove(self, parent: int, child: int) -> None:
        """Take an arc away."""
        self.arcs[parent, child] = False
        self.reach = _paths(self.arcs)

    def parents(self, child: int) -> tuple[int, ...]:
        """Return a node's parents, ascending."""
        return tuple(np.flatnonzero(self.arcs[:, child]).tolist())

    def addable(self) -> BoolArray:
        """Pairs without an arc between them where p → c closes no cycle."""
        free: BoolArray = ~(self.arcs | self.arcs.T | self.reach.T)
        np.fill_diagonal(free, False)
        return free

    def reversible(self) -> tuple[IntArray, IntArray]:
        """Parents and children of the arcs beside which no other path leads to the child."""
        parents, children = np.nonzero(self.arcs)
        # The arc itself is no detour: no node reaches itself.
        is_alone = ~(self.arcs[parents] & self.reach.T[children]).any(axis=1)
        return parents[is_alone], children[is_alone]


def _paths(arcs: BoolArray) -> BoolArray:
    """Close ``arcs`` under concatenation (Warshall 1962)."""
    reach = arcs.copy()
    for inner in np.flatnonzero(arcs.any(axis=0) & arcs.any(axis=1)):
        reach |= reach[:, inner, None] & reach[inner]
    return reach


class Toggles:
    """Scores of every node's family with one parent more or less than in the present graph.

    ``values[p, c]`` is the score of c's family without its parent p, or with p as one more parent;
    −inf where that would be more than ``max_parents``, or p → c is not ``allowed``.
    ``values[c, c]`` is that of the family as it is. Columns of families met before are not computed
    again.
    """

    values: FloatArray

    def __init__(
        self, scores: FamilyScores, graph: Graph, max_parents: int, allowed: BoolArray
    ) -> None:
        n = len(graph.arcs)
        self._allowed = allowed
        self._scores, self._graph, self._max_parents = scores, graph, max_parents
        self._known: dict[tuple[int, tuple[int, ...]], FloatArray] = {}
        self.values = np.full((n, n), -np.inf)
        self.refresh(range(n))

    def refresh(self, children: "range | list[int]") -> None:
        """Follow a change of these nodes' parents, in one counting pass."""
        families = [(child, self._graph.parents(child)) for child in children]
        self._learn([family for family in families if family not in self._known])
        for family in families:
            self.values[:, family[0]] = self._known[family]

    def _learn(self, families: list[tuple[int, tuple[int, ...]]]) -> None:
        if not families:
            return
        laid = [self._around(child, parents) for child, parents in families]
        axes = np.concatenate([own for own, _, _ in laid])
        lengths = np.concatenate([own for _, own, _ in laid])
        found = self._scores.scores_at(axes, lengths)
        start = 0
        for family, (_, own, places) in zip(families, laid, strict=True):
            self._known[family] = np.full(len(self.values), -np.inf)
            self._known[family][places] = found[start : start + len(own)]
            start += len(own)

    def _around(self, child: int, parents: tuple[int, ...]) -> tuple[IntArray, IntArray, IntArray]:
        """Axes and lengths of a family and its neighbours, and the places of their scores."""
        n_parents = len(parents)
        fewer = [(*parents[:i], *parents[i + 1 :], child) for i in range(n_parents)]
        is_other = self._allowed[:, child] & (n_parents < self._max_parents)
        is_other[[*parents, child]] = False
        others = np.flatnonzero(is_other)
        more = np.empty((len(others), n_parents + 2), dtype=np.intp)
        more[:, :n_parents], more[:, -2], more[:, -1] = parents, others, child
        more[:, :-1].sort(axis=1)
        own = np.array([*parents, child, *(place for axes in fewer for place in axes)], np.intp)
        lengths = np.repeat([n_parents + 1, n_parents, n_parents + 2], [1, n_parents, len(others)])
        places = np.array([child, *parents, *others], dtype=np.intp)
        return np.concatenate([own, more.ravel()]), lengths, places

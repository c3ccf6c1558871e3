"""TPDA, three-phase dependency analysis: a graph from tests of conditional independence.

The algorithm behind PowerConstructor (Cheng, Bell & Liu 1997; Cheng, Greiner, Kelly, Bell & Liu
2002), with which Greiner et al. (2005, section 5.2) learn their general belief nets. It differs
from the papers where few rows would mislead it, each time unless an option says otherwise:

- Dependent is what exceeds BIC's penalty by a threshold, not the threshold alone: the plug-in
  information of independent nodes grows with the number of cells.
- Sets for which the rows are too few are cut down before a test, see `bnlr.search.tpda.cutset`.
- w becomes a common child of x and y if it makes them dependent when added to their cut-set, not
  by its absence from the cut-set alone: the ends of a weak chain are separated without its middle.
"""

from collections.abc import Callable, Collection, Sequence

import numpy as np

from bnlr.arguments import amount, one_of
from bnlr.data.dataset import Dataset
from bnlr.search.naive import attributes_of
from bnlr.search.parents import possible_parents
from bnlr.search.tpda.cutset import reached, separate_by_neighbours, separate_by_two_steps
from bnlr.search.tpda.dependence import ROWS_PER_DF, Dependence
from bnlr.search.tpda.orientation import PartialGraph, add_colliders, complete, propagate
from bnlr.structure.bits import members
from bnlr.structure.dag import Structure

PENALTIES, COLLIDERS = ("bic", "none"), ("opened", "absent")
Pair = tuple[int, int]
Separate = Callable[[Dependence, Sequence[int], int, int], int | None]


def tpda(
    data: Dataset,
    *,
    threshold: float = 0.005,
    penalty: str = "bic",
    rows_per_df: float = ROWS_PER_DF,
    colliders: str = "opened",
) -> Structure:
    """Return the structure that three-phase dependency analysis finds; the class is a node as any.

    Nodes that depend on each other only once a third is known, as in exclusive or, are not joined.
    Edges whose direction the tests leave open point away from the class. The class may end up
    without a neighbour: then P(class | attributes) is P(class).

    Parameters
    ----------
    data : Dataset
        Rows without a class are left out; each test leaves out those that lack a cell of it.
    threshold : float
        Two nodes are independent given a set if their conditional mutual information, in nats, is
        not larger than this plus BIC's penalty df · ln N / 2N. With 0 no link is too weak if there
        are rows enough; 0.005 leaves out links that hardly matter for prediction.
    penalty : {"bic", "none"}
        "none" leaves the threshold alone to decide, as in the papers.
    rows_per_df : float
        Sets are cut down until a test has so many rows for each degree of freedom; with 0 they
        never are, as in the papers.
    colliders : {"opened", "absent"}
        A node w beside x and y, which are not joined, becomes their child if they depend on each
        other once it is added to the set that separates them, or, as in the papers, if it is
        merely absent from that set.

    Returns
    -------
    Structure
        The class first, then the attributes in column order, identifiers without any arc
        (`bnlr.search.parents`). The arcs depend on the order neither of the columns nor of the
        rows.

    Raises
    ------
    ParameterError
        ``threshold`` or ``rows_per_df`` is not a finite number of 0 or more; another text than
        those named.
    DataError
        No rows, or fewer than two classes among them.
    """
    least = amount("threshold", threshold, " (0 or more nats)")
    penalty = one_of("penalty", penalty, PENALTIES)
    colliders = one_of("colliders", colliders, COLLIDERS)
    rows = amount("rows_per_df", rows_per_df, " (0 or more rows)")
    data.check_learnable()
    if data.class_name in data.missing_counts:
        data = data.take(data.class_codes >= 0)
    joined = {data.class_name, *possible_parents(data)}
    tests = Dependence(data, least, penalty=penalty == "bic", rows_per_df=rows)
    return _structure(Skeleton(tests, joined), data, is_opened=colliders == "opened")


class Skeleton:
    """The undirected graph of the first three phases, nodes in the order of ``tests.nodes``.

    Attributes
    ----------
    tests : Dependence
    joined
        The nodes that may have neighbours; all if not given.
    near : list of int
        For each node its neighbours, as an integer whose bit j stands for node j.
    cuts : dict
        ``{(x, y): set}`` for every pair x < y that is not joined: the set, as an integer, given
        which no dependence was found.
    """

    def __init__(self, tests: Dependence, joined: Collection[str] | None = None) -> None:
        self.tests = tests
        self._is_joined = [joined is None or node in joined for node in tests.nodes]
        self.near = [0] * len(tests.nodes)
        self.cuts: dict[Pair, int] = {}
        dependent = self._dependent_pairs()
        self._thicken(self._draft(dependent))
        for separate in (separate_by_neighbours, separate_by_two_steps):
            self._thin(dependent[::-1], separate)

    def _dependent_pairs(self) -> list[Pair]:
        """Pairs by decreasing dependence; the cut-set of all others is empty."""
        first, second = (part.tolist() for part in np.triu_indices(len(self.near), k=1))
        every = list(zip(first, second, strict=True))
        pairs = [(x, y) for x, y in every if self._is_joined[x] and self._is_joined[y]]
        self.cuts.update(dict.fromkeys(every, 0))
        values = self.tests.excesses([(x, y, 0) for x, y in pairs])
        # Ties stay in the order of the nodes' names.
        ordered = sorted(zip(values, pairs, strict=True), key=lambda item: -item[0])
        dependent = [pair for value, pair in ordered if value > 0]
        for pair in dependent:
            del self.cuts[pair]
        return dependent

    def _draft(self, pairs: list[Pair]) -> list[Pair]:
        """Join pairs between which there is no path yet; return the others."""
        left = []
        for x, y in pairs:
            if self._has_path(x, y):
                left.append((x, y))
            else:
                self._join(x, y)
        return left

    def _thicken(self, pairs: list[Pair]) -> None:
        """Join pairs that no set separates."""
        for x, y in pairs:
            cut = separate_by_neighbours(self.tests, self.near, x, y)
            if cut is None:
                self._join(x, y)
            else:
                self.cuts[x, y] = cut

    def _thin(self, pairs: list[Pair], separate: Separate) -> None:
        """Part pairs that another path joins and a set separates, the weakest link first."""
        for x, y in pairs:
            if not self.near[x] >> y & 1:
                continue
            self._part(x, y)
            cut = separate(self.tests, self.near, x, y) if self._has_path(x, y) else None
            if cut is None:
                self._join(x, y)
            else:
                self.cuts[x, y] = cut

    def _has_path(self, x: int, y: int) -> bool:
        return bool(reached(self.near, 1 << x) >> y & 1)

    def _join(self, x: int, y: int) -> None:
        self.near[x] |= 1 << y
        self.near[y] |= 1 << x

    def _part(self, x: int, y: int) -> None:
        self.near[x] &= ~(1 << y)
        self.near[y] &= ~(1 << x)


def _structure(skeleton: Skeleton, data: Dataset, *, is_opened: bool = True) -> Structure:
    """Direct the edges; arcs by child, parents with the class first and then in column order."""
    graph = PartialGraph(skeleton.near)
    add_colliders(graph, _colliders(skeleton, is_opened=is_opened))
    propagate(graph)
    complete(graph, skeleton.tests.nodes.index(data.class_name))
    nodes = (data.class_name, *attributes_of(data))
    places = [skeleton.tests.nodes.index(node) for node in nodes]
    arcs = [
        (parent, child)
        for child, of_child in zip(nodes, places, strict=True)
        for parent, of_parent in zip(nodes, places, strict=True)
        if graph.above[of_child] >> of_parent & 1
    ]
    return Structure(arcs, data.class_name, nodes)


def _colliders(skeleton: Skeleton, *, is_opened: bool) -> list[tuple[int, int, int]]:
    """Triples (x, w, y) of x − w − y, w outside their cut-set, the most dependent given it first.

    ``is_opened``: only those that w makes dependent.
    """
    near = skeleton.near
    triples = [
        (x, w, y)
        for (x, y), cut in sorted(skeleton.cuts.items())
        for w in members(near[x] & near[y] & ~cut)
    ]
    values = skeleton.tests.excesses([(x, y, skeleton.cuts[x, y] | 1 << w) for x, w, y in triples])
    opened = sorted(zip(values, triples, strict=True), key=lambda item: -item[0])
    return [triple for value, triple in opened if value > 0 or not is_opened]

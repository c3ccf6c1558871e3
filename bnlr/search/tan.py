"""Tree-augmented naive Bayes: the best tree over the attributes, beside the class.

Among all trees, the one of the largest total I(X_i; X_j | class) maximises the likelihood
(Friedman, Geiger & Goldszmidt 1997, Theorem 2, after Chow & Liu 1968).
"""

from collections.abc import Iterable

import numpy as np

from bnlr._typing import Arc, FloatArray, IntArray
from bnlr.arguments import check_kind
from bnlr.data.dataset import Dataset
from bnlr.errors import ParameterError
from bnlr.search.independence import conditional_mutual_information
from bnlr.search.naive import attributes_of, augmented
from bnlr.search.parents import among_possible_parents, possible_parents
from bnlr.structure.dag import Structure

# Symmetric data have exact ties, which rounding errors of the logarithms must not decide.
DECIMALS = 12

Pair = tuple[int, int]


def tan(data: Dataset, *, root: str | None = None) -> Structure:
    """Return the TAN structure of the largest likelihood.

    The tree spans all attributes but identifiers, whose only parent is the class; see
    `bnlr.search.parents`.

    With missing cells the information of a pair is that of the rows which show both attributes
    (Greiner et al. 2005, section 5.1.3). Equal pairs are taken in the order of their names, so the
    order of the columns does not matter.

    Raises
    ------
    ParameterError
        ``root`` is no attribute.
    DataError
        As `conditional_mutual_information`.
    """
    start = place_of(root, data)
    names, information = named_information(data)
    return augmented(data, tree_arcs(names, spanning_pairs(information), start))


def place_of(root: str | None, data: Dataset) -> int:
    """Return the place of ``root`` in a tree over attributes by name, 0 if it is in none.

    Raises
    ------
    ParameterError
        ``root`` is no attribute.
    """
    if root is None:
        return 0
    check_kind("root", root, str, "the name of an attribute")
    names = sorted(attributes_of(data))
    if root not in names:
        shown = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
        raise ParameterError(f"root {root!r} is no attribute; choose one of {shown or 'none'}")
    joined = sorted(possible_parents(data))
    return joined.index(root) if root in joined else 0


def named_information(data: Dataset) -> tuple[list[str], FloatArray]:
    """Return possible parents by their names, and I(X_i; X_j | class) in that order."""
    data = among_possible_parents(data)
    attributes = attributes_of(data)
    order = sorted(range(len(attributes)), key=attributes.__getitem__)
    information = conditional_mutual_information(data)
    if order != sorted(order):
        information = information[np.ix_(order, order)]
    return [attributes[place] for place in order], information


def tree_arcs(names: list[str], pairs: Iterable[Pair], root: int) -> list[Arc]:
    """Return the arcs of the tree or forest of ``pairs``, pointing away from its roots."""
    above = directed(len(names), pairs, root)
    return [(names[p], names[i]) for i, p in enumerate(above) if p >= 0]


def spanning_tree(weights: FloatArray, root: int) -> IntArray:
    """Return each node's parent in a maximum weighted spanning tree, -1 for the root.

    Parameters
    ----------
    weights : (n, n), symmetric
        Equal weights, to 12 decimals, are taken in the order of their pairs (0, 1), (0, 2), …
    root
        The node from which all arcs point away.
    """
    return directed(len(weights), spanning_pairs(weights), root)


def spanning_pairs(weights: FloatArray) -> list[Pair]:
    """Return the pairs of a maximum weighted spanning tree, the heaviest first.

    By the algorithm of Jarník and Prim (1957), which needs no list of all pairs. Equal pairs are
    taken in order, so that there is one tree only.
    """
    n = len(weights)
    if not n:
        return []
    nearest = np.zeros(n, dtype=np.intp)
    # What has joined is as near as can be in the first, so that it stays so, and last in the other.
    heaviest = np.round(weights[0], DECIMALS)
    waiting = heaviest.copy()
    heaviest[0], waiting[0] = np.inf, -np.inf
    joined: list[tuple[float, Pair]] = []
    for _ in range(n - 1):
        node = int(waiting.argmax())
        tied = (waiting == waiting[node]).nonzero()[0]
        if len(tied) > 1:
            node = int(tied[_numbers(nearest[tied], tied, n).argmin()])
        parent = int(nearest[node])
        pair = (parent, node) if parent < node else (node, parent)
        joined.append((-float(waiting[node]), pair))
        heaviest[node], waiting[node] = np.inf, -np.inf
        further = np.round(weights[node], DECIMALS)
        is_nearer = further > heaviest
        equal = (further == heaviest).nonzero()[0]
        if len(equal):
            is_earlier = _numbers(node, equal, n) < _numbers(nearest[equal], equal, n)
            is_nearer[equal[is_earlier]] = True
        changed = is_nearer.nonzero()[0]
        nearest[changed] = node
        heaviest[changed] = waiting[changed] = further[changed]
    return [pair for _, pair in sorted(joined)]


def _numbers(one: IntArray | int, other: IntArray, n: int) -> IntArray:
    """Places of pairs, in any order within, among all pairs (i, j)."""
    numbers: IntArray = np.minimum(one, other) * n + np.maximum(one, other)
    return numbers


def directed(n: int, pairs: Iterable[Pair], root: int) -> IntArray:
    """Return each node's parent in a forest, -1 for the roots.

    ``root`` is that of its own tree; each other tree's is its first node.
    """
    near: list[list[int]] = [[] for _ in range(n)]
    for i, j in pairs:
        near[i].append(j)
        near[j].append(i)
    above = np.full(n, -1, dtype=np.intp)
    seen = np.zeros(n, dtype=np.bool_)
    for start in (root, *range(n)) if n else ():
        reached = [] if seen[start] else [start]
        for node in reached:
            seen[node] = True
            further = [other for other in near[node] if not seen[other]]
            above[further] = node
            reached += further
    return above

"""Tree-augmented naive Bayes: the best tree over the attributes, beside the class.

Among all trees, the one of the largest total I(X_i; X_j | class) maximises the likelihood
(Friedman, Geiger & Goldszmidt 1997, Theorem 2, after Chow & Liu 1968).
"""

from collections.abc import Iterable

import numpy as np

from bnlr._typing import FloatArray, IntArray
from bnlr.data.dataset import Dataset
from bnlr.errors import ParameterError
from bnlr.search.independence import conditional_mutual_information
from bnlr.search.naive import attributes_of
from bnlr.structure.dag import Structure

# Symmetric data have exact ties, which rounding errors of the logarithms must not decide.
_DECIMALS = 12


def tan(data: Dataset, *, root: str | None = None) -> Structure:
    """Return the TAN structure of the largest likelihood; the tree spans all attributes.

    With missing cells the information of a pair is that of the rows which show both attributes
    (Greiner et al. 2005, section 5.1.3).

    Raises
    ------
    ParameterError
        ``root`` is no attribute.
    DataError
        As `conditional_mutual_information`.
    """
    attributes = attributes_of(data)
    start = _place_of(root, attributes)
    above = spanning_tree(conditional_mutual_information(data), start)
    arcs = [(attributes[p], attributes[i]) for i, p in enumerate(above) if p >= 0]
    own = data.class_name
    return Structure([*((own, node) for node in attributes), *arcs], own, (own, *attributes))


def _place_of(root: str | None, attributes: list[str]) -> int:
    if root is None:
        return 0
    if root not in attributes:
        shown = ", ".join(map(repr, attributes[:8])) + (", …" if len(attributes) > 8 else "")
        raise ParameterError(f"root {root!r} is no attribute; choose one of {shown or 'none'}")
    return attributes.index(root)


def spanning_tree(weights: FloatArray, root: int) -> IntArray:
    """Return each node's parent in a maximum weighted spanning tree, -1 for the root.

    Parameters
    ----------
    weights : (n, n), symmetric
        Equal weights, to 12 decimals, are taken in the order of their pairs (0, 1), (0, 2), …
    root
        The node from which all arcs point away.
    """
    n = len(weights)
    first, second = np.triu_indices(n, k=1)
    order = np.argsort(-np.round(weights[first, second], _DECIMALS), kind="stable")
    above = np.full(n, -1, dtype=np.intp)
    near = _kruskal(n, zip(first[order].tolist(), second[order].tolist(), strict=True))
    reached = [root] if n else []
    for node in reached:
        for other in near[node]:
            if other != above[node]:
                above[other] = node
                reached.append(other)
    return above


def _kruskal(n: int, pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return each node's neighbours in the tree of the first pairs that join two trees."""
    near: list[list[int]] = [[] for _ in range(n)]
    tree_of = list(range(n))
    members = [[node] for node in range(n)]
    n_missing = n - 1
    for i, j in pairs:
        if tree_of[i] == tree_of[j]:
            continue
        near[i].append(j)
        near[j].append(i)
        small, large = sorted((tree_of[i], tree_of[j]), key=lambda tree: len(members[tree]))
        for node in members[small]:
            tree_of[node] = large
        members[large] += members[small]
        n_missing -= 1
        if not n_missing:
            break
    return near

"""Tree-augmented naive Bayes: the best tree over the attributes, beside the class.

Among all trees, the one of the largest total I(X_i; X_j | class) maximises the likelihood
(Friedman, Geiger & Goldszmidt 1997, Theorem 2, after Chow & Liu 1968).
"""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

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

    Raises
    ------
    ParameterError
        ``root`` is no attribute.
    MissingCellsError, DataError
        As `conditional_mutual_information`.
    """
    attributes = attributes_of(data)
    start = _place_of(root, attributes)
    above = spanning_tree(conditional_mutual_information(data), start)
    arcs = [(attributes[p], attributes[i]) for i, p in enumerate(above) if p >= 0]
    return Structure.naive_bayes(attributes, data.class_name).with_arcs(arcs)


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
    # SciPy's graph routines before 1.17.1 take 32-bit indices only.
    first, second = (axis.astype(np.int32) for axis in np.triu_indices(n, k=1))
    order = np.argsort(-np.round(weights[first, second], _DECIMALS), kind="stable")
    # Ranks are distinct, so the tree is unique, and positive, so csgraph drops no pair.
    ranks = np.arange(1, len(order) + 1)
    graph = coo_array((ranks, (first[order], second[order])), shape=(n, n)).tocsr()
    if n < 2:
        return np.full(n, -1, dtype=np.intp)
    tree = minimum_spanning_tree(graph)
    _, above = breadth_first_order(tree, root, directed=False)
    return np.where(above < 0, -1, above).astype(np.intp)

"""k-dependence Bayesian classifiers: each attribute has the class and up to k attributes above it.

Sahami (1996), "Learning limited dependence Bayesian classifiers". The attributes are placed in the
order of I(X; class); each takes as parents the class and, of the attributes placed before it, the k
of the largest I(X_i; X_j | class).
"""

import numpy as np

from bnlr._typing import Arc, FloatArray
from bnlr.arguments import number, whole
from bnlr.data.dataset import Dataset
from bnlr.search.independence import class_information
from bnlr.search.naive import attributes_of, augmented
from bnlr.search.parents import among_possible_parents
from bnlr.search.tan import DECIMALS, named_information
from bnlr.structure.dag import Structure


def kdb(data: Dataset, *, k: int = 2, threshold: float | None = None) -> Structure:
    """Return the structure of a k-dependence Bayesian classifier.

    Equal values, to 12 decimals, are taken in the order of the attributes' names. With missing
    cells, each value is that of the rows that show what it is about. Identifiers have the class
    alone as a parent (`bnlr.search.parents`). Two parents of an attribute need not be joined: from
    k = 2 on the structure may be not perfect, so that `fit` finds a local optimum (ELR); k = 0 is
    naive Bayes, and k = 1 perfect.

    Parameters
    ----------
    data : Dataset
    k
        The most attributes among an attribute's parents, beside the class.
    threshold
        Only attributes with I(X_i; X_j | class) above it, in nats, become parents (Sahami's θ); if
        not given the k best are taken, whatever they tell.

    Raises
    ------
    ParameterError
        ``k`` is no whole number from 0 on, or ``threshold`` no number.
    DataError
        As `conditional_mutual_information`.
    """
    most = whole("k", k, 0)
    least = -np.inf if threshold is None else number("threshold", threshold, " of nats, or None")
    names, between = named_information(data)
    joined = among_possible_parents(data)
    order = np.argsort(-_by_name(joined, class_information(joined)), kind="stable").tolist()
    return augmented(data, _arcs(names, order, np.round(between, DECIMALS), most, least))


def _by_name(data: Dataset, information: FloatArray) -> FloatArray:
    """Put values of the attributes, in column order, in the order of their names; rounded."""
    order = np.argsort(np.array(attributes_of(data), dtype=object), kind="stable")
    return np.round(information[order], DECIMALS)


def _arcs(
    names: list[str], order: list[int], between: FloatArray, k: int, least: float
) -> list[Arc]:
    arcs: list[Arc] = []
    for rank, node in enumerate(order):
        placed = np.sort(np.array(order[:rank], dtype=np.intp))
        best = placed[np.argsort(-between[node, placed], kind="stable")][:k]
        arcs += [(names[p], names[node]) for p in best if between[node, p] > least]
    return arcs

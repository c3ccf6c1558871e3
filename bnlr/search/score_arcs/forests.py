"""Forests and trees over the attributes that join what tells the class together.

Conditional mutual information, by which TAN and FAN are drawn, is large between near-duplicates,
which tell the class nothing new. Here an arc weighs what its table gains on the residuals of naive
Bayes (`pair_gains`). Pernkopf & Bilmes (2005), "Discriminative versus generative parameter and
structure learning of Bayesian network classifiers", choose TAN's arcs for the class by its CLL or
its error, and by the explaining-away residual I(X_i; X_j | class) − I(X_i; X_j).
"""

import numpy as np

from bnlr._typing import FloatArray
from bnlr.data.dataset import Dataset
from bnlr.search.naive import augmented
from bnlr.search.parents import possible_parents
from bnlr.search.score_arcs.gains import beyond_chance, pair_gains
from bnlr.search.score_arcs.residuals import Rows
from bnlr.search.tan import named_information, place_of, spanning_pairs, tree_arcs
from bnlr.structure.dag import Structure


def score_fan(data: Dataset, *, root: str | None = None) -> Structure:
    """Return naive Bayes with the forest of the arcs that gain most.

    Of those alone that gain more than the best of all pairs may by chance (`least_gain`). Each
    tree's arcs point away from ``root``, or from its first attribute by name. Each pair is judged
    by the rows that show the class and both attributes, naive Bayes having a state more for missing
    cells. Of more than 30,000 rows, by weight, a part is asked that is no larger, drawn by a hash
    of what the rows hold; weights of less than 1 on average count as if they averaged 1. Equal
    pairs are taken in the order of their names. Identifiers have the class alone as a parent
    (`bnlr.search.parents`).

    Raises
    ------
    ParameterError
        ``root`` is no attribute.
    DataError
        No rows, or fewer than two classes among them.
    """
    start = place_of(root, data)
    names = sorted(possible_parents(data))
    worth = _worth(data, names)
    kept = [pair for pair in spanning_pairs(worth) if worth[pair] > 0]
    return augmented(data, tree_arcs(names, kept, start))


def score_tan(data: Dataset, *, root: str | None = None) -> Structure:
    """Return naive Bayes with the arcs of `score_fan`, and others that make one tree of its trees.

    These are the arcs of the largest I(X_i; X_j | class), as in TAN: which of the pairs that gain
    nothing loses least is mostly chance. Rows and errors are those of `score_fan`.
    """
    start = place_of(root, data)
    names, information = named_information(data)
    worth = _worth(data, names)
    first = 1.0 + information.max(initial=0.0)
    pairs = spanning_pairs(np.where(worth > 0, first + worth, information))
    return augmented(data, tree_arcs(names, pairs, start))


def _worth(data: Dataset, names: list[str]) -> FloatArray:
    """What the pairs of ``names`` gain beyond `least_gain`, 0 where that is nothing."""
    rows = Rows.of(data)
    gains = pair_gains(rows.residuals())
    # In a part of the rows more columns may be identifiers.
    places = [names.index(name) for name in rows.names]
    worth = np.zeros((len(names), len(names)))
    worth[np.ix_(places, places)] = beyond_chance(gains)
    return worth

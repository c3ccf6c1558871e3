"""k-dependence structures whose arcs are chosen for the class, one parent a round.

The attributes are placed by what the arcs to them gain on naive Bayes. Each round fits the
structure so far, and each attribute takes, of those placed before it that are joined to all of its
parents, the one with which its family's table gains most on what that fit leaves over. So parents
are joined to each other, and the structure is perfect, which Sahami's is not from k = 2 on.
"""

from itertools import groupby
from math import prod

import numpy as np

from bnlr._typing import Arc, FloatArray
from bnlr.arguments import whole
from bnlr.data.dataset import Dataset
from bnlr.search.naive import augmented
from bnlr.search.score_arcs.gains import (
    DECIMALS,
    beyond_chance,
    least_gain,
    pair_gains,
    table_gains,
)
from bnlr.search.score_arcs.residuals import Residuals, Rows
from bnlr.structure.dag import Structure

Parents = list[list[int]]


def score_kdb(data: Dataset, *, k: int = 2) -> Structure:
    """Return a structure of up to k attributes above each, which gain more than they may by chance.

    It is perfect. A family of more configurations than there are rows gets no further parent. Which
    rows are asked, and what becomes of missing cells, is as in `score_fan`; ties go by name.

    Parameters
    ----------
    data : Dataset
    k
        The most attributes among an attribute's parents, beside the class; 0 is naive Bayes.

    Raises
    ------
    ParameterError
        ``k`` is no whole number from 0 on.
    DataError
        No rows, or fewer than two classes among them.
    """
    most = whole("k", k, 0)
    rows = Rows.of(data)
    gains = pair_gains(rows.residuals())
    order = _order(gains)
    above = _first_parents(gains, order) if most else []
    for _ in range(most - 1):
        if not _add_parents(rows, order, above):
            break
    return augmented(data, _arcs(rows.names, above))


def _order(gains: FloatArray) -> list[int]:
    """Put those first whose arcs gain most together."""
    together = np.round(beyond_chance(gains).sum(axis=1), DECIMALS)
    order: list[int] = np.argsort(-together, kind="stable").tolist()
    return order


def _first_parents(gains: FloatArray, order: list[int]) -> Parents:
    worth = beyond_chance(gains)
    above: Parents = [[] for _ in order]
    for rank, node in enumerate(order):
        best = max(sorted(order[:rank]), key=lambda place: worth[node, place], default=node)
        above[node] += [best] if worth[node, best] > 0 else []
    return above


def _add_parents(rows: Rows, order: list[int], above: Parents) -> bool:
    """Give each attribute the further parent that gains most; tell whether any gains enough."""
    residuals = rows.residuals(_arcs(rows.names, above))
    tables = _possible(residuals, order, above)
    least = least_gain(len(tables))
    best: dict[int, tuple[float, int]] = {}
    for _, alike in groupby(sorted(tables, key=len), key=len):
        own = np.array(list(alike))
        for gain, (*_, node, parent) in zip(table_gains(residuals, own), own.tolist(), strict=True):
            if gain > best.get(node, (least, -1))[0]:
                best[node] = gain, parent
    for node, (_, parent) in best.items():
        above[node].append(parent)
    return bool(best)


def _possible(residuals: Residuals, order: list[int], above: Parents) -> list[list[int]]:
    """Tables of each attribute's parents, itself and one more of those that may be."""
    cards, most = residuals.cards.tolist(), residuals.codes.shape[1]
    tables = [
        [*above[node], node, parent]
        for rank, node in enumerate(order)
        for parent in sorted(order[:rank])
        if parent not in above[node]
        and all(parent in above[other] or other in above[parent] for other in above[node])
    ]
    return [table for table in tables if prod(cards[axis] for axis in table) <= most]


def _arcs(names: list[str], above: Parents) -> list[Arc]:
    return [(names[p], names[node]) for node, parents in enumerate(above) for p in parents]

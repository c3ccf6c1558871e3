"""The forest that a network is given its target, and the order in which its tables are laid out.

A table has the class innermost, so that the numbers of all classes neighbour, then the parent's
state, then the own state: what an observed node says about a missing parent is one run of numbers.
"""

from typing import NamedTuple

import numpy as np

from bnlr._typing import IntArray
from bnlr.inference.cpts import FlatCPTs

# A table that does not depend on the class is laid out for each of its states all the same.
_MOST_LAID = 2**27


class Tree(NamedTuple):
    """The forest of all nodes given the target, children before parents.

    Nodes are numbered in that order here; n, after the last one, stands for "no parent".

    Attributes
    ----------
    parents : IntArray of shape (n + 1,)
        Each node's parent; n for a root and for n itself.
    cards : IntArray of shape (n + 1,)
        Numbers of states; 1 for the target and for n.
    starts : IntArray of shape (n + 1,)
        First cell of each node's table, (own state, or "any" after the last one; parent's state).
    states, messages : IntArray of shape (n + 2,), (n + 1,)
        Places of each node's own states, and of its parent's.
    """

    parents: IntArray
    cards: IntArray
    starts: IntArray
    states: IntArray
    messages: IntArray


def forest(flat: FlatCPTs, target: int) -> tuple[Tree, IntArray, IntArray] | None:
    """Return the forest given `target`, the nodes in its order, and each laid cell's cells.

    These have shape (n_laid, K): for each cell and class the cell of theta, or ``flat.n_cells``
    for the number 1 of "any". None where a node has more than one parent besides the target, or
    the target more than one, or where the tables would be too large.
    """
    others = [[p for p in above if p != target] for above in flat.parents]
    if any(len(above) > 1 for above in others):
        return None
    n = flat.n_nodes
    order = _children_first([above[0] if above else n for above in others])
    places = np.argsort(order)
    parents = np.array([places[others[v][0]] if others[v] else n for v in order] + [n])
    cards = np.append(np.where(order == target, 1, flat.cards[order]), 1)
    n_laid = (cards[:-1] + 1) * cards[parents[:-1]]
    if n_laid.sum() * flat.cards[target] > _MOST_LAID:
        return None
    states, messages = _from_zero(cards), _from_zero(cards[parents[:-1]])
    tree = Tree(
        parents.astype(np.intp), cards.astype(np.intp), _from_zero(n_laid), states, messages
    )
    return tree, order, np.concatenate([_laid_cells(flat, target, v) for v in order])


def _laid_cells(flat: FlatCPTs, target: int, v: int) -> IntArray:
    """Return node v's cells of theta as (own states and "any" × parent's states, classes)."""
    cells = np.arange(flat.offsets[v], flat.offsets[v + 1], dtype=np.intp).reshape(flat.shape(v))
    n_classes = int(flat.cards[target])
    family = (*flat.parents[v], v)
    if target in family:
        cells = np.moveaxis(cells, family.index(target), -1)
    else:
        cells = np.repeat(cells[..., None], n_classes, axis=-1)
    cells = cells[None] if v == target else np.moveaxis(cells, -2, 0)
    any_state = np.full_like(cells[:1], flat.n_cells)
    return np.concatenate([cells, any_state]).reshape(-1, n_classes)


def _children_first(parents: list[int]) -> IntArray:
    """Return the nodes, each before its parent; n, the number of nodes, is that of a root."""
    children: list[list[int]] = [[] for _ in (*parents, None)]
    for v, above in enumerate(parents):
        children[above].append(v)
    order = list(children[-1])
    for v in order:
        order.extend(children[v])
    return np.array(order[::-1], dtype=np.intp)


def _from_zero(lengths: IntArray) -> IntArray:
    places: IntArray = np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)
    return places

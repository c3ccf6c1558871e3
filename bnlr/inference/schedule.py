"""A plan as arrays: what the kernels follow, row by row."""

from collections.abc import Collection, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from bnlr._typing import BoolArray, IntArray
from bnlr.inference.cpts import FlatCPTs

_Lists = Sequence[Sequence[int]]


class Schedule(NamedTuple):
    """A plan as arrays, which the kernels follow.

    Sources of numbers are the CPTs, 0 … n − 1, and the messages of the cliques, n … n + C − 1; all
    stand in one array ``work``, CPTs first. Arrays named ``first_…`` have one entry more: the end.

    Attributes
    ----------
    cards : IntArray of shape (n,)
    sources : IntArray of shape (n + C,)
        First cell of each source in ``work``.
    first_member, members, steps : IntArray
        The nodes of each source's table and its strides along them.
    pruned : BoolArray of shape (n,)
        Nodes left out as barren.
    upwards : IntArray of shape (n,)
        Nodes with children before parents.
    first_child, children : IntArray
        The children of each node.
    first_axis, axes : IntArray
        Nodes of each clique: first the separator's, whose last is the fastest, then the others.
    separators : IntArray of shape (C,)
        Number of axes of each clique that belong to its separator; the root's is the target.
    first_factor, factors : IntArray
        Sources that are multiplied in each clique.
    first_stride, strides : IntArray
        Strides of each factor, then of the clique's own message, along the clique's axes.
    sizes : IntArray of shape (4,)
        Cells of ``work``, of all cliques, of the largest clique; most axes of a clique.
    """

    cards: IntArray
    sources: IntArray
    first_member: IntArray
    members: IntArray
    steps: IntArray
    pruned: BoolArray
    upwards: IntArray
    first_child: IntArray
    children: IntArray
    first_axis: IntArray
    axes: IntArray
    separators: IntArray
    first_factor: IntArray
    factors: IntArray
    first_stride: IntArray
    strides: IntArray
    sizes: IntArray


def schedule_of(
    flat: FlatCPTs, pruned: Collection[int], axes: _Lists, separators: _Lists, factors: _Lists
) -> Schedule:
    """Lay out cliques with these axes, the first of which are the `separators`.

    `factors` are the sources multiplied in each; `pruned` nodes have no part in any.
    """
    cards = flat.cards.tolist()
    tables = [*((*above, node) for node, above in enumerate(flat.parents)), *separators]
    steps = [_strides([cards[node] for node in table]) for table in tables]
    messages = [prod(cards[node] for node in own) for own in separators]
    ends = flat.n_cells + np.cumsum([0, *messages])
    cliques = [prod(cards[node] for node in own) for own in axes]
    children = _children(flat.parents)
    strides = _strides_in_cliques(tables, steps, axes, factors)
    return Schedule(
        cards=_ints(cards),
        sources=np.concatenate([flat.offsets[:-1], ends[:-1]]).astype(np.int64),
        first_member=_firsts(tables),
        members=_joined(tables),
        steps=_joined(steps),
        pruned=np.isin(np.arange(flat.n_nodes), list(pruned)),
        upwards=_ints(_upwards(flat.parents, children)),
        first_child=_firsts(children),
        children=_joined(children),
        first_axis=_firsts(axes),
        axes=_joined(axes),
        separators=_ints([len(own) for own in separators]),
        first_factor=_firsts(factors),
        factors=_joined(factors),
        first_stride=_firsts(strides),
        strides=_joined(strides),
        sizes=_ints([int(ends[-1]), sum(cliques), max(cliques), max(map(len, axes))]),
    )


def _strides_in_cliques(
    tables: _Lists, steps: _Lists, axes: _Lists, factors: _Lists
) -> list[list[int]]:
    """Return the strides of each clique's factors and message along its axes, a list each."""
    n, rows = len(tables) - len(axes), []
    for clique, (own, sources) in enumerate(zip(axes, factors, strict=True)):
        for source in (*sources, n + clique):
            step = dict(zip(tables[source], steps[source], strict=True))
            rows.append([step.get(node, 0) for node in own])
    return rows


def _children(parents: _Lists) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parents]
    for node, above in enumerate(parents):
        for parent in above:
            children[parent].append(node)
    return children


def _upwards(parents: _Lists, children: _Lists) -> list[int]:
    """Return the nodes with children before their parents."""
    waiting = [len(below) for below in children]
    order = [node for node, count in enumerate(waiting) if not count]
    for node in order:
        for parent in parents[node]:
            waiting[parent] -= 1
            if not waiting[parent]:
                order.append(parent)
    return order


def _strides(shape: Sequence[int]) -> list[int]:
    return [prod(shape[k + 1 :]) for k in range(len(shape))]


def _ints(values: Sequence[int]) -> IntArray:
    return np.array(values, dtype=np.int64)


def _firsts(lists: _Lists) -> IntArray:
    return np.concatenate([[0], np.cumsum([len(items) for items in lists])]).astype(np.int64)


def _joined(lists: _Lists) -> IntArray:
    return _ints([item for items in lists for item in items])

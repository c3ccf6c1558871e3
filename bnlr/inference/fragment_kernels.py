# mypy: ignore-errors
"""Compiled collection of, and message passing in, fragments. Imported by ``fragments`` alone.

Conventions as in ``tree_kernels``. A fragment is a list of ``nodes`` (children before parents) with
their codes ``owns``, −1 for missing, and the code ``outer`` of the last node's parent; all missing
ones of its nodes hang together, the others are the observed children of these. ``starts`` are the
fragments' first entries, ``slots`` an open-addressing hash table of their numbers, −1 for free.
"""

import numpy as np
from numba import njit

from bnlr.inference.tree_kernels import _class_weights, _down, _scratch, _up

_PRIME = np.uint64(1099511628211)


@njit(cache=True, nogil=True)
def collect(rows, labels, weights, tree, found, sizes, complete):
    """Add the rows' fragments to ``found``, or their weight where one is known.

    ``found`` are the arrays (classes, outers, weights, starts, nodes, owns, slots), ``sizes`` the
    numbers of fragments and of entries in use. Families that a row observes in full go into
    ``complete`` (n_laid, K). Return how many rows were taken, fewer than all where room ran out.
    """
    n = len(tree.parents) - 1
    heads, links = np.empty(n, np.int64), np.empty(n, np.int64)
    firsts, lasts = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(len(rows)):
        if not _has_room(found, sizes, n):
            return i
        row, label, weight = rows[i], labels[i], weights[i]
        _cut(row, label, weight, tree, heads, complete)
        firsts[:] = -1
        for v in range(n):
            head = heads[v]
            if head < 0:
                continue
            if firsts[head] < 0:
                firsts[head] = v
            else:
                links[lasts[head]] = v
            lasts[head] = v
            if v == head:
                outer = row[tree.parents[v]]
                _keep(row, label, outer, weight, firsts[head], head, links, found, sizes)
    return len(rows)


@njit(cache=True, nogil=True)
def _has_room(found, sizes, n):
    classes, _, _, _, nodes, _, slots = found
    most = sizes[0] + n
    return most < len(classes) and sizes[1] + n <= len(nodes) and 2 * most < len(slots)


@njit(cache=True, nogil=True)
def _cut(row, label, weight, tree, heads, complete):
    """Fill each node's ``heads``, the topmost node of its fragment, −1 for none."""
    for v in range(len(tree.parents) - 2, -1, -1):
        above = tree.parents[v]
        if row[above] < 0:
            heads[v] = heads[above]
        elif row[v] < 0:
            heads[v] = v
        else:
            heads[v] = -1
            cell = tree.starts[v] + row[v] * tree.cards[above] + row[above]
            complete[cell, label] += weight


@njit(cache=True, nogil=True)
def _keep(row, label, outer, weight, first, head, links, found, sizes):
    """Find the fragment that begins with the node ``first`` and ends with ``head``, or add it."""
    classes, outers, sums, starts, nodes, owns, slots = found
    start = stop = sizes[1]
    key = _mixed(_mixed(np.uint64(14695981039346656037), label), outer)
    v = first
    while True:
        nodes[stop], owns[stop] = v, max(row[v], -1)
        key = _mixed(_mixed(key, v), owns[stop])
        stop += 1
        if v == head:
            break
        v = links[v]
    slot = np.int64((key ^ (key >> np.uint64(29))) & np.uint64(len(slots) - 1))
    while slots[slot] >= 0:
        known = slots[slot]
        same = classes[known] == label and outers[known] == outer
        if same and _alike(nodes, owns, starts[known], starts[known + 1], start, stop):
            sums[known] += weight
            return
        slot = (slot + 1) & (len(slots) - 1)
    new = sizes[0]
    slots[slot], classes[new], outers[new], sums[new] = new, label, outer, weight
    starts[new + 1] = stop
    sizes[0], sizes[1] = new + 1, stop


@njit(cache=True, nogil=True)
def _mixed(key, value):
    return (key ^ np.uint64(value + 1)) * _PRIME


@njit(cache=True, nogil=True)
def _alike(nodes, owns, a, a_stop, b, b_stop):
    if a_stop - a != b_stop - b:
        return False
    for k in range(a_stop - a):
        if nodes[a + k] != nodes[b + k] or owns[a + k] != owns[b + k]:
            return False
    return True


@njit(cache=True, nogil=True)
def rehash(found, n):
    """Fill the empty ``slots`` with the first ``n`` fragments."""
    classes, outers, _, starts, nodes, owns, slots = found
    for i in range(n):
        key = _mixed(_mixed(np.uint64(14695981039346656037), classes[i]), outers[i])
        for k in range(starts[i], starts[i + 1]):
            key = _mixed(_mixed(key, nodes[k]), owns[k])
        slot = np.int64((key ^ (key >> np.uint64(29))) & np.uint64(len(slots) - 1))
        while slots[slot] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = i


@njit(cache=True, nogil=True, error_model="numpy")
def count_fragments(chosen, outers, weights, starts, nodes, owns, tree, tables, logs, counts, sums):
    """Add what the ``chosen`` fragments of one class expect to ``counts`` (n_laid,).

    Fill their natural log-probabilities into ``sums``. ``tables`` and ``logs`` (n_laid,) are those
    of that class. Return whether nothing may have been lost to underflow.
    """
    classes = (0,)
    live, state, message = _scratch(tree, 1)
    total, share = np.empty(1), np.empty(1)
    row = np.zeros(len(tree.parents), dtype=owns.dtype)
    for j in range(len(chosen)):
        i = chosen[j]
        visited = nodes[starts[i] : starts[i + 1]]
        for k in range(starts[i], starts[i + 1]):
            row[nodes[k]] = owns[k]
        row[tree.parents[visited[-1]]] = outers[i]
        if not _up(row, visited, tree, classes, tables, logs, live, state, message, total):
            return False
        sums[j] = total[0]
        if _class_weights(total, -1, weights[i], share):
            _down(row, visited[::-1], tree, classes, tables, live, state, message, share, counts)
    return True

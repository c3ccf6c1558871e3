"""Compiled message passing in a forest given the class. Imported by ``trees`` alone.

Conventions: ``rows`` (n_rows, n_nodes + 1) int32 codes, any negative one missing, the last column
0; ``tree`` as `tree_layout.Tree`; ``classes`` of length k, a tuple where that length shall be known
to the compiler; ``tables`` and their natural logarithms ``logs`` (n_laid, k), one column a class,
the cells of a node in the order own state, parent's state, and after its last own state one more
that stands for "any", of probability 1; ``totals`` (n_rows, k) natural log P(c, row).
Each missing node with evidence below has a vector over own states × classes, the probability of
that evidence up to a factor a class, which goes into the totals. A node that is missing with
nothing below sends nothing up, P(any | parent) being 1. On the way down it counts in the cells of
"any"; `share_any` gives them to the states once all rows are done, since they enter linearly.

Numbers that are neither 0 nor at least ``_LEAST`` might be lost to underflow when multiplied: a row
in which one turns up is marked ``unsafe`` and left to the twins, which work with logarithms.
"""

import numpy as np
from numba import njit

_LEAST = 1e-140


@njit(cache=True, nogil=True, error_model="numpy")
def total_rows(rows, tree, classes, tables, logs, totals, unsafe):
    """Fill ``totals`` and ``unsafe`` (n_rows,)."""
    live, state, message = _scratch(tree, tables.shape[1])
    cells, log_cells = tables.ravel(), logs.ravel()
    every = range(len(tree.parents) - 1)
    for i in range(len(rows)):
        unsafe[i] = not _up(
            rows[i], every, tree, classes, cells, log_cells, live, state, message, totals[i]
        )


@njit(cache=True, nogil=True, error_model="numpy")
def count_rows(rows, labels, weights, tree, classes, tables, logs, counts, totals, unsafe):
    """Fill ``totals`` and ``unsafe``, and add to ``counts`` what the safe rows expect.

    A row adds its weight times P(c, d, f | row) to cell (d, f) of class c; with a label y ≥ 0 it
    adds weight · [P(c, d, f | y, row) − P(c, d, f | row)].
    """
    n_classes = tables.shape[1]
    live, state, message = _scratch(tree, n_classes)
    cells, log_cells, sums = tables.ravel(), logs.ravel(), counts.ravel()
    share = np.empty(n_classes)
    every = range(len(tree.parents) - 1)
    backwards = range(len(tree.parents) - 2, -1, -1)
    for i in range(len(rows)):
        row, total = rows[i], totals[i]
        safe = _up(row, every, tree, classes, cells, log_cells, live, state, message, total)
        unsafe[i] = not safe
        if safe and _class_weights(total, labels[i], weights[i], share):
            _down(row, backwards, tree, classes, cells, live, state, message, share, sums)


@njit(cache=True, nogil=True, error_model="numpy")
def normalise(totals, posterior, log_evidence):
    """Fill P(c | row), zeros where the row is impossible, and the natural log P(row)."""
    for i in range(len(totals)):
        top = totals[i].max()
        mass = 0.0
        for c in range(totals.shape[1]):
            posterior[i, c] = 0.0 if top == -np.inf else np.exp(totals[i, c] - top)
            mass += posterior[i, c]
        for c in range(totals.shape[1]):
            posterior[i, c] /= max(mass, 1.0)
        log_evidence[i] = top + np.log(max(mass, 1.0))


@njit(cache=True, nogil=True)
def share_any(tree, tables, counts):
    """Give the counts of "any" to the node's states, and what its children have of it to theirs."""
    n_classes = tables.shape[1]
    mass = np.zeros((tree.states[-1], n_classes))
    for v in range(len(tree.parents) - 2, -1, -1):
        above, card = tree.parents[v], tree.cards[v]
        width = tree.cards[above]
        waiting = counts[tree.starts[v] + card * width : tree.starts[v + 1]]
        waiting += mass[tree.states[above] : tree.states[above] + width]
        for s in range(card):
            for p in range(width):
                cell = tree.starts[v] + s * width + p
                for c in range(n_classes):
                    part = tables[cell, c] * waiting[p, c]
                    counts[cell, c] += part
                    mass[tree.states[v] + s, c] += part


@njit(cache=True, nogil=True)
def _scratch(tree, n_classes):
    live = np.zeros(len(tree.cards), dtype=np.bool_)
    state = np.empty(tree.states[-1] * n_classes)
    message = np.empty(tree.messages[-1] * n_classes)
    return live, state, message


@njit(cache=True, nogil=True, error_model="numpy")
def _up(row, visited, tree, classes, tables, logs, live, state, message, total):
    """Fill ``total``, log P(c, row); return whether nothing may have been lost.

    ``visited`` are the nodes asked, children before parents; ``live`` tells which missing nodes
    have evidence below.
    """
    k = len(classes)
    for c in range(k):
        total[c] = 0.0
    live[:] = False
    for v in visited:
        above, own = tree.parents[v], row[v]
        outer, width = row[above], tree.cards[above] * k
        block = tree.starts[v] * k
        if own >= 0 and outer >= 0:
            cell = block + own * width + outer * k
            for c in range(k):
                total[c] += logs[cell + c]
        elif own >= 0:
            first = tree.states[above] * k
            if not _receive(tables, block + own * width, width, state, first, live[above], total):
                return False
            live[above] = True
        elif live[v]:
            first, out = tree.states[v] * k, tree.messages[v] * k
            cell, length = (block + outer * k, k) if outer >= 0 else (block, width)
            card = tree.cards[v]
            if not _sum_out(tables, cell, width, state, first, card, classes, message, out, length):
                return False
            if outer >= 0:
                for c in range(k):
                    total[c] += np.log(message[out + c])
            else:
                first = tree.states[above] * k
                if not _receive(message, out, width, state, first, live[above], total):
                    return False
                live[above] = True
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def _sum_out(tables, cell, width, state, first, card, classes, message, out, length):
    """message[j] = Σ_s table[s, j]·state[s, j mod k]; return whether none is wrongly small."""
    k, small = len(classes), False
    for p in range(0, length, k):
        for c in range(k):
            mass = 0.0
            for s in range(card):
                mass += tables[cell + s * width + p + c] * state[first + s * k + c]
            message[out + p + c] = mass
            small |= mass < _LEAST
    return not small or _are_zeros(
        tables, cell, width, state, first, card, classes, message, out, length
    )


@njit(cache=True, nogil=True)
def _are_zeros(tables, cell, width, state, first, card, classes, message, out, length):
    """Whether the small sums have no positive term."""
    k = len(classes)
    for j in range(length):
        for s in range(card):
            positive = tables[cell + s * width + j] > 0.0 and state[first + s * k + j % k] > 0.0
            if positive and message[out + j] < _LEAST:
                return False
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def _receive(factor, at, width, state, first, live, total):
    """Multiply a node's vector by a factor, or set it; return whether nothing may be lost."""
    small = False
    if live:
        for j in range(width):
            product = state[first + j] * factor[at + j]
            # Exact zeros are frequent, and no reason to look closer.
            small |= (product < _LEAST) & (state[first + j] > 0.0) & (factor[at + j] > 0.0)
            state[first + j] = product
    else:
        for j in range(width):
            small |= (factor[at + j] < _LEAST) & (factor[at + j] > 0.0)
            state[first + j] = factor[at + j]
    return not small or _rescale(factor, at, width, state, first, total)


@njit(cache=True, nogil=True, error_model="numpy")
def _rescale(factor, at, width, state, first, total):
    """Bring each class's largest number to 1; return whether the others stay large enough."""
    k = len(total)
    for j in range(width):
        if 0.0 < factor[at + j] < _LEAST:
            return False
    for c in range(k):
        top = 0.0
        for j in range(c, width, k):
            top = max(top, state[first + j])
        if top == 0.0:
            continue
        total[c] += np.log(top)
        for j in range(c, width, k):
            state[first + j] /= top
            if 0.0 < state[first + j] < _LEAST:
                return False
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def _class_weights(total, label, weight, share):
    """Fill each class's weight in the counts; return whether there is anything to count."""
    top = total.max()
    if top == -np.inf or weight == 0.0 or (label >= 0 and total[label] == -np.inf):
        return False
    mass = 0.0
    for c in range(len(total)):
        share[c] = np.exp(total[c] - top)
        mass += share[c]
    others = 0.0
    for c in range(len(total)):
        share[c] *= weight / mass
        if label >= 0 and c != label:
            others += share[c]
            share[c] = -share[c]
    if label >= 0:
        share[label] = others
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def _down(row, visited, tree, classes, tables, live, state, message, share, counts):
    """Add the class weights ``share`` times P(d, f | c, row) to the counts.

    Node by node as ``visited`` says, parents first, ``state`` turns into the class weights times
    P(state | c, row).
    """
    k = len(classes)
    for v in visited:
        above, own = tree.parents[v], row[v]
        outer, width = row[above], tree.cards[above] * k
        block, first, out = tree.starts[v] * k, tree.states[v] * k, tree.messages[v] * k
        if own < 0 and live[v]:
            if outer >= 0:
                cell, length = block + outer * k, k
                _divide(share, 0, message, out, k)
            else:
                cell, length = block, width
                _divide(state, tree.states[above] * k, message, out, width)
            card = tree.cards[v]
            _split(tables, cell, width, state, first, card, classes, message, out, length, counts)
            continue
        cell = block + (own if own >= 0 else tree.cards[v]) * width
        if outer >= 0:
            for c in range(k):
                counts[cell + outer * k + c] += share[c]
        elif live[above]:
            belief = tree.states[above] * k
            for j in range(width):
                counts[cell + j] += state[belief + j]


@njit(cache=True, nogil=True, error_model="numpy")
def _divide(belief, first, message, out, length):
    """message = belief / message, 0 where that is 0 / 0."""
    for j in range(length):
        mass = message[out + j]
        message[out + j] = belief[first + j] / mass if mass > 0.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _split(tables, cell, width, state, first, card, classes, ratio, out, length, counts):
    """Count P(own, parent) for each own state, and leave their sum over the parent in state."""
    k = len(classes)
    for s in range(card):
        at = cell + s * width
        for c in range(k):
            evidence, mass = state[first + s * k + c], 0.0
            for j in range(c, length, k):
                part = ratio[out + j] * (tables[at + j] * evidence)
                counts[at + j] += part
                mass += part
            state[first + s * k + c] = mass

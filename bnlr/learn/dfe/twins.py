"""NumPy twins of ``kernels.cpp``: the same functions, the same numbers up to rounding.

Conventions. A row looks at one cell of every family of the L-model: ``cells`` (n_rows, 1 +
n_children), the class's own family first, are rows of ``counts`` (n_cells, n_classes). Children
of the same other parents and number of states form a group and share their totals: ``columns``
(n_rows, n_groups) are rows of ``totals`` and of their ``inverses`` (n_columns, n_classes), so that
P(x_k | parents, c) = ``counts[cell, c] * inverses[column of k's members, c]``. A column that no row
has reached holds probabilities in ``counts``, 1 in ``inverses``, and 0 in ``totals``.

Families without the class cancel in P(class | row) unless their factor is 0: one of a cell that no
row has reached (``is_seen``), in a column that a row has (``has_seen``). Their cells and columns
are ``outside`` and ``above`` (n_rows, n_families).
"""

import numpy as np

from bnlr._typing import BoolArray, CodeArray, FloatArray, IntArray

_LEAST_EXACT = 1e-200
_LEAST_LOSS, _LEAST_RAISE = 1e-40, 1e-250


def place(
    codes: CodeArray,
    axes: IntArray,
    ends: IntArray,
    cards: IntArray,
    cell_starts: IntArray,
    members: IntArray,
    column_starts: IntArray,
    cells: IntArray,
    columns: IntArray,
) -> None:
    """Fill ``cells`` and ``columns`` for rows of ``codes`` (n_nodes, n_rows).

    Family f looks at the nodes ``axes[ends[f]:ends[f + 1]]`` with ``cards`` states, its own last.
    """
    firsts = {f: g for g, f in enumerate(members[:-1])}
    for f in range(len(ends) - 1):
        config = np.zeros(codes.shape[1], dtype=np.int64)
        for k in range(ends[f], ends[f + 1]):
            if f in firsts and k == ends[f + 1] - 1:
                columns[:, firsts[f]] = column_starts[firsts[f]] + config
            config = config * cards[k] + codes[axes[k]]
        cells[:, f] = cell_starts[f] + config


def learn(
    cells: IntArray,
    columns: IntArray,
    members: IntArray,
    cell_starts: IntArray,
    column_starts: IntArray,
    cards: IntArray,
    rows: IntArray,
    classes: IntArray,
    weights: FloatArray,
    losses: FloatArray,
    shares: FloatArray,
    is_new: BoolArray,
    counts: FloatArray,
    totals: FloatArray,
    inverses: FloatArray,
    outside: IntArray,
    above: IntArray,
    is_seen: BoolArray,
    has_seen: BoolArray,
) -> None:
    """Raise the counts by weight · loss, row by row; fill ``losses`` and ``shares``.

    Row i of ``cells`` and ``columns`` is row ``rows[i]`` of the arrays from ``classes`` to
    ``shares``, which is P(own class | row), and -1 where a plain product cannot tell.
    ``is_new`` tells which rows of ``counts`` of the class's own family no row has reached.
    """
    sizes = np.diff(members)
    for i, row in enumerate(rows):
        own = classes[row]
        loss, shares[row] = _loss_and_share(
            counts[cells[i]], inverses[np.repeat(columns[i], sizes)], own
        )
        if (has_seen[above[i]] & ~is_seen[outside[i]]).any():
            loss = 1.0 - 1.0 / counts.shape[1]
        losses[row] = loss
        raised = weights[row] * loss
        if raised < _LEAST_RAISE:
            continue
        if is_new[cells[i, 0]]:
            is_new[cells[i, 0]] = False
            counts[cells[i, 0]] = 0.0
        for g in np.flatnonzero(totals[columns[i], own] == 0.0).tolist():
            _clear(members, cell_starts, cards, g, columns[i, g] - column_starts[g], own, counts)
        totals[columns[i], own] += raised
        inverses[columns[i], own] = 1.0 / totals[columns[i], own]
        counts[cells[i], own] += raised
        is_seen[outside[i]] = has_seen[above[i]] = True


def _products(counts: FloatArray, inverses: FloatArray) -> FloatArray:
    products: FloatArray = counts[0] * (counts[1:] * inverses).prod(axis=0)
    return products


def _loss_and_share(counts: FloatArray, inverses: FloatArray, own: int) -> tuple[float, float]:
    """1 - P(own class), of one row's ``counts`` (n_families, n_classes), and P(own class)."""
    products = _products(counts, inverses)
    share = products[own] / products.sum() if products[own] >= _LEAST_EXACT else -1.0
    if products.sum() < _LEAST_EXACT:
        products = _scaled(counts, inverses)
    others = products[:own].sum() + products[own + 1 :].sum()
    loss = float(others / (others + products[own]))
    return (loss if loss >= _LEAST_LOSS else 0.0), share


def _scaled(counts: FloatArray, inverses: FloatArray) -> FloatArray:
    """Products divided by the largest; all 1 where all are 0."""
    with np.errstate(divide="ignore"):
        logs = np.log(counts[0]) + np.log(counts[1:] * inverses).sum(axis=0)
    largest = logs.max()
    if np.isneginf(largest):
        return np.ones_like(logs)
    products: FloatArray = np.exp(logs - largest)
    return products


def _clear(
    members: IntArray,
    cell_starts: IntArray,
    cards: IntArray,
    g: int,
    config: int,
    own: int,
    counts: FloatArray,
) -> None:
    for k in range(members[g], members[g + 1]):
        first = cell_starts[k] + config * cards[k]
        counts[first : first + cards[k], own] = 0.0

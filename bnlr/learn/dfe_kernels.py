"""Compiled passes of discriminative frequency estimates. Imported by ``dfe`` alone.

Conventions. A row looks at one cell of every family of the L-model: ``cells`` (n_rows, 1 +
n_children), the class's own family first, are rows of ``counts`` (n_cells, n_classes). Children
of the same other parents and number of states form a group and share their totals: ``columns``
(n_rows, n_groups) are rows of ``totals`` and of their ``inverses`` (n_columns, n_classes), so that
P(x_k | parents, c) = ``counts[cell, c] * inverses[column of k's members, c]``. A column that no row
has reached holds probabilities in ``counts``, 1 in ``inverses``, and 0 in ``totals``.

Families without the class cancel in P(class | row) unless their factor is 0: one of a cell that no
row has reached (``is_seen``), in a column that a row has (``has_seen``). Their cells and columns
are ``outside`` and ``above`` (n_rows, n_families).

Every function has a twin in ``dfe_twins`` that gives the same numbers up to rounding.
"""

import math

import numpy as np
from numba import njit

# Products below this may have lost digits, or all of them, to underflow.
_LEAST_EXACT = 1e-200
# A loss, or a raise, below these is none: 1 - P would round to 0 long before.
_LEAST_LOSS, _LEAST_RAISE = 1e-40, 1e-250
_FEW_CLASSES = 8  # so few go one after the other, more side by side
_BLOCK = 64


@njit(cache=True, nogil=True, error_model="numpy")
def place(codes, axes, ends, cards, cell_starts, members, column_starts, cells, columns):
    """Fill ``cells`` and ``columns`` for rows of ``codes`` (n_nodes, n_rows).

    Family f looks at the nodes ``axes[ends[f]:ends[f + 1]]`` with ``cards`` states, its own last.
    """
    config = np.empty(_BLOCK, dtype=np.int64)
    for first in range(0, codes.shape[1], _BLOCK):
        n, g = min(_BLOCK, codes.shape[1] - first), 0
        for f in range(len(ends) - 1):
            config[:n] = 0
            for k in range(ends[f], ends[f + 1]):
                if f == members[g] and k == ends[f + 1] - 1:
                    for i in range(n):
                        columns[first + i, g] = column_starts[g] + config[i]
                    g += 1
                column, card = codes[axes[k]], cards[k]
                for i in range(n):
                    config[i] = config[i] * card + column[first + i]
            for i in range(n):
                cells[first + i, f] = cell_starts[f] + config[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _scaled_product(cells, columns, members, counts, inverses, i, c):
    """Mantissa and exponent of 2 of the product of row i's factors for class c."""
    mantissa, exponent = math.frexp(counts[cells[i, 0], c])
    for g in range(columns.shape[1]):
        inverse = inverses[columns[i, g], c]
        for k in range(members[g], members[g + 1]):
            mantissa, shift = math.frexp(mantissa * (counts[cells[i, k], c] * inverse))
            exponent += shift
    return mantissa, exponent


@njit(cache=True, nogil=True, error_model="numpy")
def _scaled_loss(cells, columns, members, counts, inverses, i, own):
    """Return the loss of row i where plain products would leave the range of floats."""
    n_classes = counts.shape[1]
    mantissas, exponents = np.empty(n_classes), np.empty(n_classes, dtype=np.int64)
    largest = np.int64(-(2**62))
    for c in range(n_classes):
        mantissas[c], exponents[c] = _scaled_product(
            cells, columns, members, counts, inverses, i, c
        )
        if mantissas[c] > 0.0:
            largest = max(largest, exponents[c])
    total = others = 0.0
    for c in range(n_classes):
        if mantissas[c] > 0.0:
            product = math.ldexp(mantissas[c], max(exponents[c] - largest, -1100))
            total += product
            others += product if c != own else 0.0
    return others / total if total > 0.0 else 1.0 - 1.0 / n_classes


@njit(cache=True, nogil=True, error_model="numpy")
def _clear(members, cell_starts, cards, g, config, own, counts):
    """Set to 0 the cells of a configuration and a class, in all children of group g."""
    for k in range(members[g], members[g + 1]):
        first = cell_starts[k] + config * cards[k]
        for cell in range(first, first + cards[k]):
            counts[cell, own] = 0.0


# One function, for a call costs more than a row: its arrays are counted references.
@njit(cache=True, nogil=True, error_model="numpy")
def learn(  # noqa: PLR0912
    cells,
    columns,
    members,
    cell_starts,
    column_starts,
    cards,
    rows,
    classes,
    weights,
    losses,
    shares,
    is_new,
    counts,
    totals,
    inverses,
    outside,
    above,
    is_seen,
    has_seen,
):
    """Raise the counts by weight · loss, row by row; fill ``losses`` and ``shares``.

    Row i of ``cells`` and ``columns`` is row ``rows[i]`` of the arrays from ``classes`` to
    ``shares``, which is P(own class | row), and -1 where a plain product cannot tell.
    ``is_new`` tells which rows of ``counts`` of the class's own family no row has reached.
    """
    n_classes, n_groups = counts.shape[1], columns.shape[1]
    products = np.empty(n_classes)
    for i in range(len(cells)):
        own = classes[rows[i]]
        if n_classes <= _FEW_CLASSES:
            for c in range(n_classes):
                product = counts[cells[i, 0], c]
                for g in range(n_groups):
                    inverse = inverses[columns[i, g], c]
                    for k in range(members[g], members[g + 1]):
                        product *= counts[cells[i, k], c] * inverse
                products[c] = product
        else:
            for c in range(n_classes):
                products[c] = counts[cells[i, 0], c]
            for g in range(n_groups):
                column = columns[i, g]
                for k in range(members[g], members[g + 1]):
                    cell = cells[i, k]
                    for c in range(n_classes):
                        products[c] *= counts[cell, c] * inverses[column, c]
        # The other classes are added up, so that a small loss keeps its digits.
        others = 0.0
        for c in range(n_classes):
            if c != own:
                others += products[c]
        total = others + products[own]
        if total >= _LEAST_EXACT:
            loss = others / total
        else:
            loss = _scaled_loss(cells, columns, members, counts, inverses, i, own)
        if loss < _LEAST_LOSS:
            loss = 0.0
        for f in range(outside.shape[1]):
            if has_seen[above[i, f]] and not is_seen[outside[i, f]]:
                loss = 1.0 - 1.0 / n_classes  # the product is 0 for every class
        losses[rows[i]] = loss
        shares[rows[i]] = products[own] / total if products[own] >= _LEAST_EXACT else -1.0
        raised = weights[rows[i]] * loss
        if raised < _LEAST_RAISE:
            continue
        if is_new[cells[i, 0]]:
            is_new[cells[i, 0]] = False
            for c in range(n_classes):
                counts[cells[i, 0], c] = 0.0
        for g in range(n_groups):
            column = columns[i, g]
            if totals[column, own] == 0.0:
                _clear(members, cell_starts, cards, g, column - column_starts[g], own, counts)
            totals[column, own] += raised
            inverses[column, own] = 1.0 / totals[column, own]
        for k in range(cells.shape[1]):
            counts[cells[i, k], own] += raised
        for f in range(outside.shape[1]):
            is_seen[outside[i, f]] = has_seen[above[i, f]] = True

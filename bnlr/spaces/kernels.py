"""Compiled way from tables back to CPTs: arrays in, arrays changed. Imported by ``backmap`` alone.

Conventions: ``tables`` stacked, (n_cells, n_classes), float64, changed in place; ``scopes`` are a
``Scopes`` with the class's own family first. Every function has a twin in ``twins`` that gives the
same numbers but for rounding.
"""

# mypy: ignore-errors
from math import exp, inf, log

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def in_gauge(tables, like, least):
    """Give every row of ``tables`` the average of the logarithms of that of ``like``; 0 if none.

    ``like`` has the shape of ``tables``, or no rows; less than ``least`` counts as that.
    """
    n_classes = tables.shape[1]
    for cell in range(len(tables)):
        mean, wanted = 0.0, 0.0
        for c in range(n_classes):
            mean += tables[cell, c]
        if len(like):
            for c in range(n_classes):
                wanted += log(max(like[cell, c], least))
        for c in range(n_classes):
            tables[cell, c] = (tables[cell, c] - mean / n_classes) + wanted / n_classes


@njit(cache=True, nogil=True, error_model="numpy")
def normalise(tables, scopes, children, witnesses):
    """Turn tables into log-CPTs, child by child.

    What makes a column of ``children[k]`` sum to one is added to each cell of its witness, family
    ``witnesses[k]``, that is consistent with the column.
    """
    for k in range(len(children)):
        child, witness = children[k], witnesses[k]
        mass = _columns_to_one(tables, scopes, child)
        _move(mass, scopes, child, witness, tables)
    for cell in range(scopes.offsets[1]):
        total = _log_sum(tables[cell])
        for c in range(tables.shape[1]):
            tables[cell, c] -= total


@njit(cache=True, nogil=True, error_model="numpy")
def _columns_to_one(tables, scopes, child):
    """Make the child's columns sum to one; what was subtracted, (n_columns, n_classes)."""
    card = scopes.cards[scopes.ends[child + 1] - 1]
    first, n_classes = scopes.offsets[child], tables.shape[1]
    mass = np.empty(((scopes.offsets[child + 1] - first) // card, n_classes))
    for f in range(len(mass)):
        cells = tables[first + f * card : first + (f + 1) * card]
        for c in range(n_classes):
            mass[f, c] = _log_sum(cells[:, c])
            for s in range(card):
                cells[s, c] -= mass[f, c]
    return mass


@njit(cache=True, nogil=True, error_model="numpy")
def _log_sum(values):
    top, total = -inf, 0.0
    for value in values:
        top = max(top, value)
    for value in values:
        total += exp(value - top)
    return top + log(total)


@njit(cache=True, nogil=True)
def _move(mass, scopes, child, witness, tables):
    """Add each column's mass to the witness's cells that are consistent with it."""
    axes, ends, cards = scopes.axes, scopes.ends, scopes.cards
    start, stop = ends[witness], ends[witness + 1]
    strides, digits = np.zeros(stop - start, np.intp), np.zeros(stop - start, np.intp)
    stride = 1
    for k in range(ends[child + 1] - 2, ends[child] - 1, -1):
        for axis in range(start, stop):
            if axes[axis] == axes[k]:
                strides[axis - start] = stride
        stride *= cards[k]
    column = 0
    for cell in range(scopes.offsets[witness], scopes.offsets[witness + 1]):
        for c in range(mass.shape[1]):
            tables[cell, c] += mass[column, c]
        for axis in range(stop - start - 1, -1, -1):
            digits[axis] += 1
            column += strides[axis]
            if digits[axis] < cards[start + axis]:
                break
            column -= strides[axis] * digits[axis]
            digits[axis] = 0


@njit(cache=True, nogil=True, error_model="numpy")
def exponentiate(logs, scopes):
    """Turn log-CPTs into CPTs whose columns sum to one, which rounding alone keeps them from."""
    n_classes = logs.shape[1]
    for cell in range(len(logs)):
        for c in range(n_classes):
            logs[cell, c] = exp(logs[cell, c])
    for cell in range(scopes.offsets[1]):
        _to_one(logs[cell])
    for family in range(1, len(scopes.offsets) - 1):
        card = scopes.cards[scopes.ends[family + 1] - 1]
        for first in range(scopes.offsets[family], scopes.offsets[family + 1], card):
            for c in range(n_classes):
                _to_one(logs[first : first + card, c])


@njit(cache=True, nogil=True, error_model="numpy")
def _to_one(column):
    total = 0.0
    for value in column:
        total += value
    for s in range(len(column)):
        column[s] /= total

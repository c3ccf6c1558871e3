"""Compiled loops over packed codes: arrays in, arrays out. Imported by ``tables`` alone.

Conventions: ``table`` (n_group_cells, k) with k = n_classes − 1 relative scores (any width for
``gather``), ``offsets`` (n_groups,) first row of each group, ``codes`` (n_groups, n_rows),
``classes`` (n_rows,), ``weights`` (n_rows,), rows ``start:stop`` only. Every function has a twin
in ``twins`` that gives the same numbers.
"""

import numpy as np
from numba import njit

_BLOCK = 512


@njit(cache=True, nogil=True, inline="always")
def _add_cells(table, offsets, codes, start, stop, out):  # type: ignore[no-untyped-def]
    width = table.shape[1]
    for g in range(codes.shape[0]):
        offset = offsets[g]
        for i in range(start, stop):
            cell = offset + codes[g, i]
            for c in range(width):
                out[i - start, c] += table[cell, c]


@njit(cache=True, nogil=True, inline="always")
def _add_rows(values, offsets, codes, start, stop, out):  # type: ignore[no-untyped-def]
    width = out.shape[1]
    for g in range(codes.shape[0]):
        offset = offsets[g]
        for i in range(start, stop):
            cell = offset + codes[g, i]
            for c in range(width):
                out[cell, c] += values[i - start, c]


@njit(cache=True, nogil=True)
def gather(table, offsets, codes, start, stop, scores):  # type: ignore[no-untyped-def]
    """Fill ``scores`` (stop − start, width) with the sums of each row's table entries."""
    scores[:] = 0.0
    _add_cells(table, offsets, codes, start, stop, scores)


@njit(cache=True, nogil=True)
def scatter(values, offsets, codes, start, stop, table):  # type: ignore[no-untyped-def]
    """Add each row of ``values`` (stop − start, width) to its cells of ``table``."""
    _add_rows(values, offsets, codes, start, stop, table)


@njit(cache=True, nogil=True)
def linearise(table, offsets, codes, classes, weights, start, stop, probabilities, gradient):  # type: ignore[no-untyped-def]
    """Return the rows' CLL; fill P(c | x) of classes 1.. and add to the CLL's gradient."""
    width = table.shape[1]
    residual = np.empty((_BLOCK, width))
    scores = np.empty((_BLOCK, width))
    total = 0.0
    for first in range(start, stop, _BLOCK):
        last = min(first + _BLOCK, stop)
        scores[:] = 0.0
        _add_cells(table, offsets, codes, first, last, scores)
        for i in range(first, last):
            b = i - first
            top = 0.0
            for c in range(width):
                top = max(top, scores[b, c])
            mass = np.exp(-top)
            for c in range(width):
                residual[b, c] = np.exp(scores[b, c] - top)
                mass += residual[b, c]
            chosen = classes[i]
            score = scores[b, chosen - 1] if chosen > 0 else 0.0
            total += weights[i] * (score - top - np.log(mass))
            others = np.exp(-top)
            for c in range(width):
                p = residual[b, c] / mass
                probabilities[i, c] = p
                if c != chosen - 1:
                    others += residual[b, c]
                residual[b, c] = -weights[i] * p
            if chosen > 0:
                # Not 1 − p, whose rounding is all that is left of it near separation.
                residual[b, chosen - 1] = weights[i] * others / mass
        _add_rows(residual, offsets, codes, first, last, gradient)
    return total


@njit(cache=True, nogil=True)
def curvature(table, offsets, codes, probabilities, weights, start, stop, product):  # type: ignore[no-untyped-def]
    """Add to ``product`` the Hessian of −CLL times the direction ``table``."""
    width = table.shape[1]
    scores = np.empty((_BLOCK, width))
    for first in range(start, stop, _BLOCK):
        last = min(first + _BLOCK, stop)
        scores[:] = 0.0
        _add_cells(table, offsets, codes, first, last, scores)
        for i in range(first, last):
            b = i - first
            mean = 0.0
            for c in range(width):
                mean += probabilities[i, c] * scores[b, c]
            for c in range(width):
                scores[b, c] = weights[i] * probabilities[i, c] * (scores[b, c] - mean)
        _add_rows(scores, offsets, codes, first, last, product)


@njit(cache=True, nogil=True)
def line(scores, steps, classes, weights, s, start, stop):  # type: ignore[no-untyped-def]
    """CLL of the rows at ``scores + s·steps``, and its derivative in ``s``."""
    width = scores.shape[1]
    eta = np.empty(width)
    total = 0.0
    slope = 0.0
    for i in range(start, stop):
        top = 0.0
        for c in range(width):
            eta[c] = scores[i, c] + s * steps[i, c]
            top = max(top, eta[c])
        mass = np.exp(-top)
        mean = 0.0
        for c in range(width):
            e = np.exp(eta[c] - top)
            mass += e
            mean += e * steps[i, c]
        chosen = classes[i]
        value = -top - np.log(mass)
        change = -mean / mass
        if chosen > 0:
            value += eta[chosen - 1]
            change += steps[i, chosen - 1]
        total += weights[i] * value
        slope += weights[i] * change
    return total, slope

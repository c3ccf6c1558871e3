"""Compiled pieces of Newton's method on packed rows where the parameters are the tables.

Imported by ``newton_kernels`` and ``small_newton`` alone. Shapes: n cells, k = n_classes − 1;
parameters, directions and gradients (n, k). ``rows`` is (ends, cells, offsets, codes, classes,
weights) of a ``Design``, ``penalty`` is (strength, first, last): the class's own cells are
``first:last``.
"""

from math import sqrt

import numpy as np
from numba import njit

from bnlr.design.kernels import collapse, curvature, expand, gather, line, linearise, spread

_SUMS = {"reassoc", "contract"}
_AT_ONCE = 4


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def inner(a, b):
    """Sum of products of two (n, k)."""
    one, other, total = a.reshape(a.size), b.reshape(b.size), 0.0
    for i in range(len(one)):
        total += one[i] * other[i]
    return total


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def add(factor, step, to):
    """Add ``factor·step`` to ``to``."""
    one, other = step.reshape(step.size), to.reshape(to.size)
    for i in range(len(one)):
        other[i] += factor * one[i]


@njit(cache=True, nogil=True)
def put(step, to):
    """Fill ``to`` with ``step``; a slice would compile for seconds, to word an error."""
    one, other = step.reshape(step.size), to.reshape(to.size)
    for i in range(len(one)):
        other[i] = one[i]


@njit(cache=True, nogil=True)
def clear(to):
    """Fill ``to`` with 0."""
    other = to.reshape(to.size)
    for i in range(len(other)):
        other[i] = 0.0


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def largest(x):
    """Largest absolute number of ``x``, NaN and infinity if there are any."""
    top, total = 0.0, 0.0
    for value in x.flat:
        top = max(top, abs(value))
        total += value - value
    return top + total


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def solve(upper, b):
    """Overwrite ``b`` (n, width) with x, UᵀU·x = b, for an upper triangular ``upper`` (n, n)."""
    n, width = b.shape
    if width == 1:
        _solve_one(upper, b.reshape(n))
        return
    for i in range(n):
        row = upper[i]
        for c in range(width):
            b[i, c] /= row[i]
        for j in range(i + 1, n):
            for c in range(width):
                b[j, c] -= row[j] * b[i, c]
    for i in range(n - 1, -1, -1):
        row = upper[i]
        for j in range(i + 1, n):
            for c in range(width):
                b[i, c] -= row[j] * b[j, c]
        for c in range(width):
            b[i, c] /= row[i]


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def _solve_one(u, b):
    """Four rows a turn: alone, a row is too short for its loop to be worth starting."""
    n = len(b)
    whole = n - n % _AT_ONCE
    for i in range(0, whole, _AT_ONCE):
        _four(u, b, i)
        b0, b1, b2, b3, rest = b[i], b[i + 1], b[i + 2], b[i + 3], b[i + _AT_ONCE :]
        u0, u1 = u[i, i + _AT_ONCE :], u[i + 1, i + _AT_ONCE :]
        u2, u3 = u[i + 2, i + _AT_ONCE :], u[i + 3, i + _AT_ONCE :]
        for j in range(n - i - _AT_ONCE):
            rest[j] -= u0[j] * b0 + u1[j] * b1 + (u2[j] * b2 + u3[j] * b3)
    _triangle(u, b, whole, n)
    _triangle_back(u, b, whole, n)
    for i in range(whole - _AT_ONCE, -1, -_AT_ONCE):
        t0, t1, t2, t3, rest = 0.0, 0.0, 0.0, 0.0, b[i + _AT_ONCE :]
        u0, u1 = u[i, i + _AT_ONCE :], u[i + 1, i + _AT_ONCE :]
        u2, u3 = u[i + 2, i + _AT_ONCE :], u[i + 3, i + _AT_ONCE :]
        for j in range(n - i - _AT_ONCE):
            t0 += u0[j] * rest[j]
            t1 += u1[j] * rest[j]
            t2 += u2[j] * rest[j]
            t3 += u3[j] * rest[j]
        b[i] -= t0
        b[i + 1] -= t1
        b[i + 2] -= t2
        b[i + 3] -= t3
        _four_back(u, b, i)


@njit(inline="always")
def _four(u, b, i):
    """Solve with the transpose of four rows' own square of ``u``.

    The divisions wait for nothing, and so take place while the rows before are still at work.
    """
    r0, r1, r2, r3 = (
        1.0 / u[i, i],
        1.0 / u[i + 1, i + 1],
        1.0 / u[i + 2, i + 2],
        1.0 / u[i + 3, i + 3],
    )
    b0 = b[i] * r0
    b1 = (b[i + 1] - u[i, i + 1] * b0) * r1
    b2 = (b[i + 2] - u[i, i + 2] * b0 - u[i + 1, i + 2] * b1) * r2
    b3 = (b[i + 3] - u[i, i + 3] * b0 - u[i + 1, i + 3] * b1 - u[i + 2, i + 3] * b2) * r3
    b[i], b[i + 1], b[i + 2], b[i + 3] = b0, b1, b2, b3


@njit(inline="always")
def _four_back(u, b, i):
    """Solve with four rows' own square of ``u``."""
    r0, r1, r2, r3 = (
        1.0 / u[i, i],
        1.0 / u[i + 1, i + 1],
        1.0 / u[i + 2, i + 2],
        1.0 / u[i + 3, i + 3],
    )
    b3 = b[i + 3] * r3
    b2 = (b[i + 2] - u[i + 2, i + 3] * b3) * r2
    b1 = (b[i + 1] - u[i + 1, i + 3] * b3 - u[i + 1, i + 2] * b2) * r1
    b0 = (b[i] - u[i, i + 3] * b3 - u[i, i + 2] * b2 - u[i, i + 1] * b1) * r0
    b[i], b[i + 1], b[i + 2], b[i + 3] = b0, b1, b2, b3


@njit(cache=True, nogil=True, error_model="numpy")
def _triangle(u, b, first, last):
    """Solve with the transpose of the square ``first:last`` of ``u``."""
    for i in range(first, last):
        b[i] /= u[i, i]
        for j in range(i + 1, last):
            b[j] -= u[i, j] * b[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _triangle_back(u, b, first, last):
    """Solve with the square ``first:last`` of ``u``."""
    for i in range(last - 1, first - 1, -1):
        for j in range(i + 1, last):
            b[i] -= u[i, j] * b[j]
        b[i] /= u[i, i]


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def precondition(upper, r, out):
    """Fill ``out`` with what ``Factored`` makes of ``r``."""
    n, width = r.shape
    if width == 1:
        put(r, out)
        solve(upper, out)
        return
    every = np.zeros((n, width + 1))
    for i in range(n):
        for c in range(width):
            every[i, c + 1] = r[i, c]
            every[i, 0] -= r[i, c]
    solve(upper, every)
    for i in range(n):
        for c in range(width):
            out[i, c] = every[i, c + 1] - every[i, 0]


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def penalise(penalty, direction, product):
    """Add to ``product`` the Hessian of ``Penalty`` times ``direction``."""
    strength, first, last = penalty
    n, width = direction.shape
    mean, moved = np.zeros(width), np.empty(width)
    for i in range(first, last):
        for c in range(width):
            mean[c] += direction[i, c] / (last - first)
    for i in range(n):
        total = 0.0
        for c in range(width):
            moved[c] = direction[i, c] - (mean[c] if first <= i < last else 0.0)
            total += moved[c]
        for c in range(width):
            product[i, c] += strength * (moved[c] - total / (width + 1))


@njit(cache=True, nogil=True, error_model="numpy")
def times_hessian(rows, probabilities, penalty, direction, product):
    """Fill ``product`` with the Hessian of −CLL + penalty times ``direction``."""
    ends, cells, offsets, codes, _, weights = rows
    width = direction.shape[1]
    grouped, sums = np.empty((len(ends) - 1, width)), np.zeros((len(ends) - 1, width))
    expand(ends, cells, direction, grouped)
    curvature(grouped, offsets, codes, probabilities, weights, 0, codes.shape[1], sums)
    clear(product)
    collapse(ends, cells, sums, product)
    if penalty[0] > 0:
        penalise(penalty, direction, product)


@njit(cache=True, nogil=True, error_model="numpy")
def evaluate(rows, penalty, centre, x, probabilities, gradient):
    """Return −CLL + penalty at ``x``; fill the rows' ``probabilities`` and the ``gradient``."""
    ends, cells, offsets, codes, classes, weights = rows
    width = x.shape[1]
    grouped, sums = np.empty((len(ends) - 1, width)), np.zeros((len(ends) - 1, width))
    expand(ends, cells, x, grouped)
    many = codes.shape[1]
    cll = linearise(grouped, offsets, codes, classes, weights, 0, many, probabilities, sums)
    change = np.zeros(x.shape)
    collapse(ends, cells, sums, change)
    clear(gradient)
    cost = 0.0
    if penalty[0] > 0:
        moved = x - centre
        penalise(penalty, moved, gradient)
        cost = 0.5 * inner(gradient, moved)
    add(-1.0, change, gradient)
    return cost - cll


@njit(cache=True, nogil=True, error_model="numpy")
def scores_of(rows, tables):
    """Sum each row's entries of ``tables``: (n_rows, k)."""
    ends, cells, offsets, codes, _, _ = rows
    grouped = np.empty((len(ends) - 1, tables.shape[1]))
    expand(ends, cells, tables, grouped)
    scores = np.empty((codes.shape[1], tables.shape[1]))
    gather(grouped, offsets, codes, 0, codes.shape[1], scores)
    return scores


@njit(cache=True, nogil=True, error_model="numpy")
def cost_along(penalty, centre, x, d):
    """Value, slope and curvature of s ↦ penalty of x + s·d at s = 0."""
    if not penalty[0] > 0:
        return 0.0, 0.0, 0.0
    moved, gradient, product = x - centre, np.zeros(x.shape), np.zeros(x.shape)
    penalise(penalty, moved, gradient)
    penalise(penalty, d, product)
    return 0.5 * inner(gradient, moved), inner(gradient, d), inner(product, d)


@njit(cache=True, nogil=True, error_model="numpy")
def at(rows, scores, steps, cost, s):
    """−CLL + penalty and its slope, at ``scores + s·steps``."""
    value, slope = line(scores, steps, rows[4], rows[5], s, 0, len(scores))
    base, first, second = cost
    return base + s * first + 0.5 * s * s * second - value, first + s * second - slope


@njit(cache=True, nogil=True, error_model="numpy")
def remember(step, change, steps, changes, n_pairs):
    """Add a pair as ``SecantPairs.add`` does; how many there are now."""
    memory, bend = len(steps), inner(step, change)
    length = sqrt(inner(step, step) * inner(change, change))
    if memory == 0 or not bend > 1e-10 * length:
        return n_pairs
    if n_pairs == memory:
        for k in range(memory - 1):
            put(steps[k + 1], steps[k])
            put(changes[k + 1], changes[k])
        n_pairs -= 1
    scale = 1.0 / sqrt(bend)
    put(scale * step, steps[n_pairs])
    put(scale * change, changes[n_pairs])
    return n_pairs + 1


@njit(cache=True, nogil=True, error_model="numpy")
def improved(upper, steps, changes, n_pairs, r, out):
    """Fill ``out`` with the preconditioned ``r``, improved by pairs: L-BFGS in two loops."""
    if n_pairs == 0:
        precondition(upper, r, out)
        return
    rest, shares = r.copy(), np.empty(n_pairs)
    for k in range(n_pairs - 1, -1, -1):
        shares[k] = inner(steps[k], rest)
        add(-shares[k], changes[k], rest)
    precondition(upper, rest, out)
    for k in range(n_pairs):
        add(shares[k] - inner(changes[k], out), steps[k], out)


@njit(cache=True, nogil=True, error_model="numpy")
def curvature_matrix(rows, probabilities, n_cells, penalty, blend, least):
    """Return what ``inverse_curvature`` factors, from all rows: (n_cells, n_cells), upper half."""
    ends, cells, offsets, codes, _, weights = rows
    width, n = probabilities.shape[1], codes.shape[1]
    values = np.empty(n)
    for i in range(n):
        rest, value = 0.0, 0.0
        for c in range(width):
            p = probabilities[i, c]
            rest += p
            value += p * (1.0 - p)
        rest = max(1.0 - rest, 0.0)
        value += rest * (1.0 - rest)
        values[i] = (value * weights[i] if weights.size else value) * (1.0 / width)
    matrix = _products(ends, cells, offsets, codes, values, n_cells)
    _make_positive(matrix, _mean_curvature(rows, probabilities, n_cells), penalty, blend, least)
    if width == 1:
        matrix *= 0.5
    return matrix


@njit(cache=True, nogil=True)
def _products(ends, cells, offsets, codes, values, n_cells):
    """Σ v·z·zᵀ of the rows' cell indicators z, the upper half."""
    matrix, place = np.zeros((n_cells, n_cells)), _in_order(ends, cells, offsets)
    own = np.empty(len(place), np.int64)
    for i in range(codes.shape[1]):
        n, value = 0, values[i]
        for g in range(codes.shape[0]):
            cell = offsets[g] + codes[g, i]
            for j in range(ends[cell], ends[cell + 1]):
                own[place[n]] = cells[j]
                n += 1
        for a in range(n):
            row = matrix[own[a]]
            for b in range(a, n):
                row[own[b]] += value
    return matrix


@njit(cache=True, nogil=True)
def _in_order(ends, cells, offsets):
    """Rank of each family in the order of their cells, the families as the groups have them."""
    n = 0
    for g in range(len(offsets) - 1):
        n += ends[offsets[g] + 1] - ends[offsets[g]]
    firsts, rank, n = np.empty(n, np.int64), np.zeros(n, np.int64), 0
    for g in range(len(offsets) - 1):
        for j in range(ends[offsets[g]], ends[offsets[g] + 1]):
            firsts[n] = cells[j]
            n += 1
    for one in range(n):
        for other in range(n):
            rank[one] += firsts[other] < firsts[one]
    return rank


@njit(cache=True, nogil=True, error_model="numpy")
def _mean_curvature(rows, probabilities, n_cells):
    """Mean of the classes' own curvatures, times n_classes / (n_classes − 1), (n_cells,)."""
    ends, cells, offsets, codes, _, weights = rows
    n_classes = probabilities.shape[1] + 1
    grouped, sums = np.zeros((len(ends) - 1, n_classes)), np.zeros((n_cells, n_classes))
    spread(probabilities, offsets, codes, weights, 0, codes.shape[1], grouped)
    collapse(ends, cells, grouped, sums)
    mean = np.zeros(n_cells)
    for cell in range(n_cells):
        for c in range(n_classes):
            mean[cell] += sums[cell, c] * (n_classes / (n_classes - 1))
        mean[cell] /= n_classes
    return mean


@njit(cache=True, nogil=True)
def _make_positive(matrix, diagonal, penalty, blend, least):
    """Do with the matrix's diagonal what ``inverse_curvature`` does with it."""
    low = least * max(diagonal.max(), 1.0)
    for i in range(len(diagonal)):
        own = matrix[i, i]
        own += blend * diagonal[i] if own > 0 else diagonal[i]
        matrix[i, i] = (own + low) + penalty
    low = 1.0
    for i in range(len(diagonal)):
        low = max(low, matrix[i, i])
    low *= least
    for i in range(len(diagonal)):
        matrix[i, i] = max(matrix[i, i], low)

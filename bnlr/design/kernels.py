"""Compiled loops over packed codes: arrays in, arrays out. Imported by ``tables`` alone.

Conventions: ``table`` (n_group_cells, k) with k = n_classes − 1 differences from the first class
(any width for ``gather``), ``offsets`` (n_groups + 1,) first row of each group and the end,
``codes`` (n_groups, n_rows), ``classes`` (n_rows,), ``weights`` (n_rows,) or empty for ones, rows
``start:stop`` only. Every function has a twin in ``twins`` that gives the same numbers.

Rows are worked through in blocks whose scores stay in the first-level cache. Two classes, k = 1,
have loops of their own over single numbers, which vectorise over rows; the others vectorise over
classes. Sums may be reassociated, so their last bits depend on the CPU, not on the threads.
"""

import numpy as np
from numba import njit

from bnlr.design.vector_math import bits_of, exp, float_of, log, log1p

IS_COMPILED = True
_BLOCK_NUMBERS = 4096
_MOST_ROWS = 512
_SUMS = {"reassoc", "contract"}


@njit(cache=True, nogil=True)
def _block_rows(width):
    return min(_MOST_ROWS, max(16, _BLOCK_NUMBERS // width))


@njit(cache=True, nogil=True)
def _block_weights(weights, first, last):
    return weights[first:last] if weights.size else np.ones(last - first)


@njit(cache=True, nogil=True)
def _gather_one(table, offsets, codes, start, stop, out):
    n, n_groups = stop - start, codes.shape[0]
    out[:n] = 0.0
    # Two groups a turn: fewer loads and stores of the sums.
    for g in range(0, n_groups - 1, 2):
        one, other = table[offsets[g] : offsets[g + 1]], table[offsets[g + 1] : offsets[g + 2]]
        code, further = codes[g, start:stop], codes[g + 1, start:stop]
        for i in range(n):
            out[i] += one[code[i]] + other[further[i]]
    if n_groups % 2:
        last, code = table[offsets[n_groups - 1] :], codes[n_groups - 1, start:stop]
        for i in range(n):
            out[i] += last[code[i]]


@njit(cache=True, nogil=True)
def _scatter_one(values, offsets, codes, start, stop, table):
    n, n_groups = stop - start, codes.shape[0]
    for g in range(0, n_groups - 1, 2):
        one, other = table[offsets[g] : offsets[g + 1]], table[offsets[g + 1] : offsets[g + 2]]
        code, further = codes[g, start:stop], codes[g + 1, start:stop]
        for i in range(n):
            value = values[i]
            one[code[i]] += value
            other[further[i]] += value
    if n_groups % 2:
        last, code = table[offsets[n_groups - 1] :], codes[n_groups - 1, start:stop]
        for i in range(n):
            last[code[i]] += values[i]


@njit(cache=True, nogil=True)
def _gather_many(table, offsets, codes, start, stop, out):
    n, n_groups, width = stop - start, codes.shape[0], table.shape[1]
    out[:n] = 0.0
    for g in range(0, n_groups - 1, 2):
        one, other = table[offsets[g] : offsets[g + 1]], table[offsets[g + 1] : offsets[g + 2]]
        code, further = codes[g, start:stop], codes[g + 1, start:stop]
        for i in range(n):
            row, first, second = out[i], one[code[i]], other[further[i]]
            for c in range(width):
                row[c] += first[c] + second[c]
    if n_groups % 2:
        last, code = table[offsets[n_groups - 1] :], codes[n_groups - 1, start:stop]
        for i in range(n):
            row, first = out[i], last[code[i]]
            for c in range(width):
                row[c] += first[c]


@njit(cache=True, nogil=True)
def _scatter_many(values, offsets, codes, start, stop, table):
    n, width = stop - start, table.shape[1]
    for g in range(codes.shape[0]):
        group, code = table[offsets[g] : offsets[g + 1]], codes[g, start:stop]
        for i in range(n):
            row, value = group[code[i]], values[i]
            for c in range(width):
                row[c] += value[c]


@njit(cache=True, nogil=True)
def join(axes, cards, ends, largest):
    """Put families together: each joins the group that grows least, while it stays small enough.

    Family k has ``axes[ends[k]:ends[k + 1]]`` with ``cards`` at the same places. Returns the
    families group by group, their ends, places in ``axes`` of the groups' axes, and their ends.
    """
    n, n_groups, n_held = len(ends) - 1, 0, 0
    homes, sizes, last = np.empty(n, np.int64), np.ones(n, np.int64), np.full(n, -1)
    # Each group's axes are a list that is read from the last to the first.
    held, before = np.empty(len(axes), np.int64), np.empty(len(axes), np.int64)
    for k in range(n):
        best, least = n_groups, largest + 1
        for g in range(n_groups):
            growth = 1
            for a in range(ends[k], ends[k + 1]):
                growth *= 1 if _holds(axes, held, before, last[g], axes[a]) else cards[a]
            if growth < least and sizes[g] * growth <= largest:
                best, least = g, growth
        homes[k], n_groups = best, max(n_groups, best + 1)
        for a in range(ends[k], ends[k + 1]):
            if not _holds(axes, held, before, last[best], axes[a]):
                held[n_held], before[n_held], last[best] = a, last[best], n_held
                sizes[best] *= cards[a]
                n_held += 1
    return _laid_out(homes, n_groups, held[:n_held], before, last)


@njit(cache=True, nogil=True)
def _holds(axes, held, before, slot, axis):
    while slot >= 0:
        if axes[held[slot]] == axis:
            return True
        slot = before[slot]
    return False


@njit(cache=True, nogil=True)
def _laid_out(homes, n_groups, held, before, last):
    """Families and axes of the groups, one group after the other."""
    families, order = np.zeros(n_groups + 1, np.int64), np.empty(len(homes), np.int64)
    joint, joint_ends = np.empty(len(held), np.int64), np.zeros(n_groups + 1, np.int64)
    for k in range(len(homes)):
        families[homes[k] + 1] += 1
    families[:] = np.cumsum(families)
    filled = families[:-1].copy()
    for k in range(len(homes)):
        order[filled[homes[k]]] = k
        filled[homes[k]] += 1
    for g in range(n_groups):
        stop, slot = joint_ends[g], last[g]
        while slot >= 0:
            stop, slot = stop + 1, before[slot]
        joint_ends[g + 1], slot = stop, last[g]
        while slot >= 0:
            stop -= 1
            joint[stop], slot = held[slot], before[slot]
    return order, families, joint, joint_ends


@njit(cache=True, nogil=True)
def members(axes, cards, ends, firsts, groups, offsets, cells):
    """Fill ``cells`` with the family cells that each group cell holds, one a family.

    Families and ``groups`` as in and from ``join``; the table of family k starts at ``firsts[k]``.
    """
    order, families, joint, joint_ends = groups
    at = 0
    for g in range(len(offsets) - 1):
        own, shared = order[families[g] : families[g + 1]], joint[joint_ends[g] : joint_ends[g + 1]]
        n_axes, n_families = len(shared), len(own)
        strides = np.zeros((n_families, n_axes), np.int64)
        for k in range(n_families):
            stride = 1
            for a in range(ends[own[k] + 1] - 1, ends[own[k]] - 1, -1):
                for axis in range(n_axes):
                    if axes[shared[axis]] == axes[a]:
                        strides[k, axis] = stride
                stride *= cards[a]
        digits, here = np.zeros(n_axes, np.int64), firsts[own]
        for _ in range(offsets[g + 1] - offsets[g]):
            for k in range(n_families):
                cells[at + k] = here[k]
            at += n_families
            # Count up as an odometer does: dividing would take longer than all the rest.
            for axis in range(n_axes - 1, -1, -1):
                card = cards[shared[axis]]
                digits[axis] += 1
                step = 1 if digits[axis] < card else 1 - card
                for k in range(n_families):
                    here[k] += step * strides[k, axis]
                if step == 1:
                    break
                digits[axis] = 0


@njit(cache=True, nogil=True)
def expand(ends, cells, tables, grouped):
    """Fill row j of ``grouped`` with the sum of the rows ``cells[ends[j]:ends[j + 1]]``."""
    width = tables.shape[1]
    if width == 1:
        _expand_one(ends, cells, tables.reshape(tables.size), grouped.reshape(grouped.size))
        return
    for j in range(len(ends) - 1):
        for c in range(width):
            grouped[j, c] = 0.0
        for k in range(ends[j], ends[j + 1]):
            for c in range(width):
                grouped[j, c] += tables[cells[k], c]


@njit(cache=True, nogil=True)
def _expand_one(ends, cells, table, grouped):
    for j in range(len(grouped)):
        total = 0.0
        for k in range(ends[j], ends[j + 1]):
            total += table[cells[k]]
        grouped[j] = total


@njit(cache=True, nogil=True)
def collapse(ends, cells, grouped, tables):
    """Add row j of ``grouped`` to the rows ``cells[ends[j]:ends[j + 1]]`` of ``tables``."""
    width = tables.shape[1]
    if width == 1:
        _collapse_one(ends, cells, grouped.reshape(grouped.size), tables.reshape(tables.size))
        return
    for j in range(len(ends) - 1):
        for k in range(ends[j], ends[j + 1]):
            for c in range(width):
                tables[cells[k], c] += grouped[j, c]


@njit(cache=True, nogil=True)
def _collapse_one(ends, cells, grouped, table):
    for j in range(len(grouped)):
        value = grouped[j]
        for k in range(ends[j], ends[j + 1]):
            table[cells[k]] += value


@njit(cache=True, nogil=True)
def gather(table, offsets, codes, start, stop, scores):
    """Fill ``scores`` (stop − start, width) with the sums of each row's table entries."""
    if table.shape[1] == 1:
        flat, out = table.reshape(table.size), scores.reshape(scores.size)
        for first in range(start, stop, _MOST_ROWS):
            last = min(first + _MOST_ROWS, stop)
            _gather_one(flat, offsets, codes, first, last, out[first - start : last - start])
    else:
        rows = _block_rows(table.shape[1])
        for first in range(start, stop, rows):
            last = min(first + rows, stop)
            _gather_many(table, offsets, codes, first, last, scores[first - start : last - start])


@njit(cache=True, nogil=True)
def count(offsets, codes, classes, weights, start, stop, table):
    """Add each row's weight to its cells of ``table`` (n_group_cells, n_classes)."""
    weighted = weights.size > 0
    for g in range(codes.shape[0]):
        group = table[offsets[g] : offsets[g + 1]]
        for i in range(start, stop):
            group[codes[g, i], classes[i]] += weights[i] if weighted else 1.0


@njit(cache=True, nogil=True)
def linearise(table, offsets, codes, classes, weights, start, stop, probabilities, gradient):
    """Return the rows' CLL; fill P(c | x) of classes 1.. and add to the CLL's gradient."""
    if table.shape[1] == 1:
        one, sums = table.reshape(table.size), gradient.reshape(gradient.size)
        p = probabilities.reshape(probabilities.size)
        return _linearise_one(one, offsets, codes, classes, weights, start, stop, p, sums)
    return _linearise_many(
        table, offsets, codes, classes, weights, start, stop, probabilities, gradient
    )


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def _linearise_one(table, offsets, codes, classes, weights, start, stop, p, gradient):
    scores, gains, total = np.empty(_MOST_ROWS), np.empty(_MOST_ROWS), 0.0
    for first in range(start, stop, _MOST_ROWS):
        last = min(first + _MOST_ROWS, stop)
        own, chosen, w = p[first:last], classes[first:last], _block_weights(weights, first, last)
        _gather_one(table, offsets, codes, first, last, scores)
        for i in range(last - first):
            score, y = scores[i], float(chosen[i])
            e = exp(-abs(score))
            larger = 1.0 / (1.0 + e)
            smaller = e * larger
            yes = larger if score >= 0 else smaller
            # Not 1 − yes, whose rounding is all that is left of it near separation.
            no = smaller if score >= 0 else larger
            own[i] = yes
            scores[i] = w[i] * (y * no - (1.0 - y) * yes)
            gains[i] = w[i] * (y * score - max(score, 0.0) - log1p(e))
        # A loop of its own: beside stores, the order of a sum may depend on where arrays lie.
        for i in range(last - first):
            total += gains[i]
        _scatter_one(scores, offsets, codes, first, last, gradient)
    return total


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def _exponentials(scores, classes, rest, own):
    """Turn the rows' scores (n, k) into exp(score − top); ``rest`` gets the reference's exp(−top).

    ``own`` gets score − top of each row's class.
    """
    n, width = len(classes), scores.shape[1]
    for i in range(n):
        # Floats above 0 are ordered as their bits are; those below 0 have negative bits. Unlike
        # the largest float, the largest integer is found eight numbers at a time.
        highest = 0
        for c in range(width):
            highest = max(highest, bits_of(scores[i, c]))
        top = float_of(highest)
        rest[i] = -top
        for c in range(width):
            scores[i, c] -= top
        own[i] = scores[i, np.int64(classes[i]) - 1] if classes[i] > 0 else -top
    flat = scores.reshape(scores.size)
    for j in range(n * width):
        flat[j] = exp(flat[j])
    for i in range(n):
        rest[i] = exp(rest[i])


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def _linearise_many(table, offsets, codes, classes, weights, start, stop, p, gradient):
    width = table.shape[1]
    rows = _block_rows(width)
    scores, rest, own = np.empty((rows, width)), np.empty(rows), np.empty(rows)
    total, weighted = 0.0, weights.size > 0
    for first in range(start, stop, rows):
        last = min(first + rows, stop)
        _gather_many(table, offsets, codes, first, last, scores)
        _exponentials(scores, classes[first:last], rest, own)
        for i in range(last - first):
            w = weights[first + i] if weighted else 1.0
            chosen = np.int64(classes[first + i]) - 1
            right, others = rest[i], 0.0
            if chosen >= 0:
                right, others = scores[i, chosen], rest[i]
                scores[i, chosen] = 0.0
            for c in range(width):
                others += scores[i, c]
            mass = right + others
            # Near probability 1 the sum of all would round away what the others have.
            total -= w * (log1p(others) if own[i] == 0.0 and others <= 1.0 else log(mass) - own[i])
            for c in range(width):
                share = scores[i, c] / mass
                p[first + i, c] = share
                scores[i, c] = -w * share
            if chosen >= 0:
                p[first + i, chosen] = right / mass
                # Not 1 − p, whose rounding is all that is left of it near separation.
                scores[i, chosen] = w * (others / mass)
        _scatter_many(scores, offsets, codes, first, last, gradient)
    return total


@njit(cache=True, nogil=True)
def curvature(table, offsets, codes, probabilities, weights, start, stop, product):
    """Add to ``product`` the Hessian of −CLL times the direction ``table``."""
    if table.shape[1] == 1:
        one, sums = table.reshape(table.size), product.reshape(product.size)
        p = probabilities.reshape(probabilities.size)
        _curvature_one(one, offsets, codes, p, weights, start, stop, sums)
    else:
        _curvature_many(table, offsets, codes, probabilities, weights, start, stop, product)


@njit(cache=True, nogil=True, fastmath=_SUMS)
def _curvature_one(table, offsets, codes, p, weights, start, stop, product):
    scores = np.empty(_MOST_ROWS)
    for first in range(start, stop, _MOST_ROWS):
        last = min(first + _MOST_ROWS, stop)
        own, w = p[first:last], _block_weights(weights, first, last)
        _gather_one(table, offsets, codes, first, last, scores)
        for i in range(last - first):
            scores[i] *= w[i] * own[i] * (1.0 - own[i])
        _scatter_one(scores, offsets, codes, first, last, product)


@njit(cache=True, nogil=True, fastmath=_SUMS)
def _curvature_many(table, offsets, codes, p, weights, start, stop, product):
    width = table.shape[1]
    rows = _block_rows(width)
    scores, weighted = np.empty((rows, width)), weights.size > 0
    for first in range(start, stop, rows):
        last = min(first + rows, stop)
        _gather_many(table, offsets, codes, first, last, scores)
        for i in range(last - first):
            mean = 0.0
            for c in range(width):
                mean += p[first + i, c] * scores[i, c]
            w = weights[first + i] if weighted else 1.0
            for c in range(width):
                scores[i, c] = w * p[first + i, c] * (scores[i, c] - mean)
        _scatter_many(scores, offsets, codes, first, last, product)


@njit(cache=True, nogil=True)
def spread(probabilities, offsets, codes, weights, start, stop, table):
    """Add Σ w·p·(1 − p) of each class to ``table`` (n_group_cells, n_classes)."""
    width, weighted = probabilities.shape[1], weights.size > 0
    if width == 1:
        p = probabilities.reshape(probabilities.size)
        _spread_one(p, offsets, codes, weights, start, stop, table)
        return
    rows = _block_rows(width + 1)
    values = np.empty((rows, width + 1))
    for first in range(start, stop, rows):
        last = min(first + rows, stop)
        for i in range(last - first):
            w = weights[first + i] if weighted else 1.0
            rest = 1.0
            for c in range(width):
                p = probabilities[first + i, c]
                rest -= p
                values[i, c + 1] = w * p * (1.0 - p)
            values[i, 0] = w * max(rest, 0.0) * (1.0 - max(rest, 0.0))
        _scatter_many(values, offsets, codes, first, last, table)


@njit(cache=True, nogil=True)
def _spread_one(p, offsets, codes, weights, start, stop, table):
    values, sums = np.empty(_MOST_ROWS), np.zeros(len(table))
    for first in range(start, stop, _MOST_ROWS):
        last = min(first + _MOST_ROWS, stop)
        own, w = p[first:last], _block_weights(weights, first, last)
        for i in range(last - first):
            values[i] = w[i] * own[i] * (1.0 - own[i])
        _scatter_one(values, offsets, codes, first, last, sums)
    for cell in range(len(table)):
        table[cell, 0] += sums[cell]
        table[cell, 1] += sums[cell]


@njit(cache=True, nogil=True)
def cross(rows, values, offsets, codes, ends, cells, n_families, table):
    """Add ``values[r]`` to ``table`` (n_cells, n_cells) at all pairs of cells of ``rows[r]``.

    Group cell j holds the family cells ``cells[ends[j]:ends[j + 1]]``. Of each two families only
    one order of the pair is filled.
    """
    own = np.empty(n_families, np.int64)
    for r in range(len(rows)):
        n = 0
        for g in range(codes.shape[0]):
            cell = offsets[g] + codes[g, rows[r]]
            for j in range(ends[cell], ends[cell + 1]):
                own[n] = cells[j]
                n += 1
        value = values[r]
        for a in range(n):
            row = table[own[a]]
            for b in range(a + 1):
                row[own[b]] += value


@njit(cache=True, nogil=True)
def cross_by_class(rows, values, offsets, codes, ends, cells, n_families, table):
    """As ``cross``, for each class: ``values`` (n, n_classes), ``table`` (…, n_classes)."""
    own, width = np.empty(n_families, np.int64), values.shape[1]
    for r in range(len(rows)):
        n, value = 0, values[r]
        for g in range(codes.shape[0]):
            cell = offsets[g] + codes[g, rows[r]]
            for j in range(ends[cell], ends[cell + 1]):
                own[n] = cells[j]
                n += 1
        for a in range(n):
            for b in range(a + 1):
                sums = table[own[a], own[b]]
                for c in range(width):
                    sums[c] += value[c]


@njit(cache=True, nogil=True)
def line(scores, steps, classes, weights, s, start, stop):
    """CLL of the rows at ``scores + s·steps``, and its derivative in ``s``."""
    if scores.shape[1] == 1:
        one, step = scores.reshape(scores.size), steps.reshape(steps.size)
        return _line_one(one, step, classes, weights, s, start, stop)
    return _line_many(scores, steps, classes, weights, s, start, stop)


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def _line_one(scores, steps, classes, weights, s, start, stop):
    total, slope, weighted = 0.0, 0.0, weights.size > 0
    for i in range(start, stop):
        score, y = scores[i] + s * steps[i], float(classes[i])
        e = exp(-abs(score))
        larger = 1.0 / (1.0 + e)
        yes = larger if score >= 0 else e * larger
        no = e * larger if score >= 0 else larger
        w = weights[i] if weighted else 1.0
        total += w * (y * score - max(score, 0.0) - log1p(e))
        slope += w * (y * no - (1.0 - y) * yes) * steps[i]
    return total, slope


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def _line_many(scores, steps, classes, weights, s, start, stop):
    width = scores.shape[1]
    rows = _block_rows(width)
    eta, rest, own = np.empty((rows, width)), np.empty(rows), np.empty(rows)
    total, slope, weighted = 0.0, 0.0, weights.size > 0
    for first in range(start, stop, rows):
        last = min(first + rows, stop)
        for i in range(last - first):
            for c in range(width):
                eta[i, c] = scores[first + i, c] + s * steps[first + i, c]
        _exponentials(eta, classes[first:last], rest, own)
        for i in range(last - first):
            chosen = np.int64(classes[first + i]) - 1
            mine, mean = rest[i] if chosen < 0 else eta[i, chosen], 0.0
            others = 0.0 if chosen < 0 else rest[i]
            for c in range(width):
                others += eta[i, c] if c != chosen else 0.0
                mean += eta[i, c] * steps[first + i, c]
            mass = mine + others
            step = steps[first + i, chosen] if chosen >= 0 else 0.0
            w = weights[first + i] if weighted else 1.0
            total -= w * (log1p(others) if own[i] == 0.0 and others <= 1.0 else log(mass) - own[i])
            slope += w * (step - mean / mass)
    return total, slope


@njit(cache=True, nogil=True)
def correct(
    table, offsets, codes, classes, weights, start, stop, probabilities, corrected, gradient
):
    """Fill ``corrected`` with p·(1 + s − E_p s) kept in [0, 1], s the scores of ``table``.

    Adds to the gradient Σ w·(observed − corrected).
    """
    width, weighted = table.shape[1], weights.size > 0
    if width == 1:
        one, sums = table.reshape(table.size), gradient.reshape(gradient.size)
        p, q = probabilities.reshape(probabilities.size), corrected.reshape(corrected.size)
        _correct_one(one, offsets, codes, classes, weights, start, stop, p, q, sums)
        return
    rows = _block_rows(width)
    scores = np.empty((rows, width))
    for first in range(start, stop, rows):
        last = min(first + rows, stop)
        _gather_many(table, offsets, codes, first, last, scores)
        for i in range(last - first):
            mean, rest = 0.0, 1.0
            for c in range(width):
                mean += probabilities[first + i, c] * scores[i, c]
                rest -= probabilities[first + i, c]
            mass = max(rest, 0.0) * max(1.0 - mean, 0.0)
            for c in range(width):
                scores[i, c] = probabilities[first + i, c] * max(1.0 + scores[i, c] - mean, 0.0)
                mass += scores[i, c]
            w = weights[first + i] if weighted else 1.0
            for c in range(width):
                kept = probabilities[first + i, c]
                # Steps too long leave no mass at all: then nothing is moved.
                corrected[first + i, c] = scores[i, c] / mass if mass > 0.0 else kept
                observed = 1.0 if classes[first + i] == c + 1 else 0.0
                scores[i, c] = w * (observed - corrected[first + i, c])
        _scatter_many(scores, offsets, codes, first, last, gradient)


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def _correct_one(table, offsets, codes, classes, weights, start, stop, p, q, gradient):
    scores = np.empty(_MOST_ROWS)
    for first in range(start, stop, _MOST_ROWS):
        last = min(first + _MOST_ROWS, stop)
        own, moved, chosen = p[first:last], q[first:last], classes[first:last]
        w = _block_weights(weights, first, last)
        _gather_one(table, offsets, codes, first, last, scores)
        for i in range(last - first):
            rest = 1.0 - own[i]
            mean = own[i] * scores[i]
            yes = own[i] * max(1.0 + scores[i] - mean, 0.0)
            no = max(rest, 0.0) * max(1.0 - mean, 0.0)
            # Steps too long leave no mass at all: then nothing is moved.
            moved[i] = yes / (yes + no) if yes + no > 0.0 else own[i]
            scores[i] = w[i] * (float(chosen[i]) - moved[i])
        _scatter_one(scores, offsets, codes, first, last, gradient)


@njit(cache=True, nogil=True, error_model="numpy")
def entropy(probabilities, weights, start, stop):
    """Σ w·H(p) in natural log over the rows, and the least w·p of any class."""
    total, least, weighted = 0.0, np.inf, weights.size > 0
    if probabilities.shape[1] == 1:
        return _entropy_one(probabilities.reshape(probabilities.size), weights, start, stop)
    for i in range(start, stop):
        w = weights[i] if weighted else 1.0
        rest, sums, smallest = 1.0, 0.0, np.inf
        for c in range(probabilities.shape[1]):
            p = probabilities[i, c]
            rest -= p
            smallest = min(smallest, p)
            sums -= p * log(p) if p > 0 else 0.0
        rest = max(rest, 0.0)
        sums -= rest * log(rest) if rest > 0 else 0.0
        total += w * sums
        least = min(least, w * min(smallest, rest))
    return total, least


@njit(cache=True, nogil=True, fastmath=_SUMS, error_model="numpy")
def _entropy_one(p, weights, start, stop):
    values, total, least = np.empty(_MOST_ROWS), 0.0, np.inf
    for first in range(start, stop, _MOST_ROWS):
        last = min(first + _MOST_ROWS, stop)
        own, w = p[first:last], _block_weights(weights, first, last)
        for i in range(last - first):
            yes, no = own[i], max(1.0 - own[i], 0.0)
            # log(0) is finite here, so that 0 · log(0) is 0.
            values[i] = -w[i] * (yes * log(yes) + no * log(no))
        for i in range(last - first):
            total += values[i]
        for i in range(last - first):
            least = min(least, w[i] * min(own[i], max(1.0 - own[i], 0.0)))
    return total, least


@njit(cache=True, nogil=True)
def encode(columns, places, cards, ends, start, stop, codes):
    """Fill ``codes`` (n_groups, n_rows): group g joins ``columns[places[ends[g]:ends[g + 1]]]``.

    ``columns`` (n_columns, n_rows) and ``cards`` are unsigned, without missing cells.
    """
    for first in range(start, stop, _BLOCK_NUMBERS):
        last = min(first + _BLOCK_NUMBERS, stop)
        for g in range(len(ends) - 1):
            code = codes[g, first:last]
            code[:] = 0
            for k in range(ends[g], ends[g + 1]):
                column, card = columns[places[k], first:last], cards[k]
                for i in range(last - first):
                    code[i] = code[i] * card + column[i]

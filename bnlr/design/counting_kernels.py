"""Compiled counting of families: arrays in, arrays out. Imported by ``counting`` alone.

Conventions: ``codes`` (n_nodes, n_rows), −1 missing. Family f has the axes
``axes[ends[f]:ends[f + 1]]`` (rows of ``codes``) with the numbers of states ``cards`` at the same
places, and its cells, C order, at ``out[starts[f]:]``. A row counts in a family if none of its axes
is missing. Every function has a twin in ``counting_twins`` that gives the same numbers, bit by bit.
"""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

_WORD = 64
# 8192 rows: the masks of thirty attributes stay in the second-level cache.
_WORDS = 128
_BLOCK = 4096
LANES = 4


@intrinsic
def _equal_word(_context, codes, place, value):  # noqa: ARG001
    """Bit b of the result tells whether ``codes[place + b] == value``, 64 codes at once."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        code = context.get_value_type(signature.args[0].dtype)
        vector, lane = ir.VectorType(code, _WORD), ir.IntType(32)
        undefined = ir.Constant(vector, ir.Undefined)
        at = builder.bitcast(builder.gep(array.data, [arguments[1]]), vector.as_pointer())
        loaded = builder.load(at)
        loaded.align = code.width // 8
        narrow = arguments[2] if code.width == _WORD else builder.trunc(arguments[2], code)
        one = builder.insert_element(undefined, narrow, ir.Constant(lane, 0))
        all_lanes = ir.Constant(ir.VectorType(lane, _WORD), [0] * _WORD)
        wanted = builder.shuffle_vector(one, undefined, all_lanes)
        return builder.bitcast(builder.icmp_signed("==", loaded, wanted), ir.IntType(_WORD))

    return types.int64(codes, types.int64, types.int64), generate


@intrinsic
def _popcount(_context, word):  # noqa: ARG001
    """Return the number of ones in a word."""

    def generate(_context, builder, _signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@njit(cache=True, nogil=True, inline="always")
def _state_mask(column, start, stop, state, mask):
    """Set bit i of ``mask`` where row ``start + i`` has the state; bits from ``stop`` on are 0."""
    n_full = (stop - start) // _WORD
    for w in range(n_full):
        mask[w] = _equal_word(column, start + w * _WORD, state)  # type: ignore[call-arg]
    if start + n_full * _WORD < stop:
        word = 0
        for i in range(start + n_full * _WORD, stop):
            word |= np.int64(column[i] == state) << (i - start - n_full * _WORD)
        mask[n_full] = word


@njit(cache=True, nogil=True, inline="always")
def _ones(mask, n_words):
    total = 0
    for w in range(n_words):
        total += _popcount(mask[w])  # type: ignore[call-arg]
    return total


@njit(cache=True, nogil=True, inline="always")
def _common_ones(one, other, n_words):
    total = 0
    for w in range(n_words):
        total += _popcount(one[w] & other[w])  # type: ignore[call-arg]
    return total


@njit(cache=True, nogil=True, inline="always")
def _all_rows(n_rows, mask):
    """Set the first ``n_rows`` bits."""
    for w in range(n_rows // _WORD):
        mask[w] = -1
    if n_rows % _WORD:
        mask[n_rows // _WORD] = (1 << (n_rows % _WORD)) - 1


@njit(cache=True, nogil=True, inline="always")
def _split(joint, n_joint, masks, card, n_words):
    """Split each of the first ``n_joint`` masks by the states of one more axis, in place."""
    # From the last to the first, so that no mask is overwritten before it is read.
    for j in range(n_joint - 1, -1, -1):
        for s in range(card - 1, -1, -1):
            for w in range(n_words):
                joint[j * card + s, w] = joint[j, w] & masks[s, w]


@njit(cache=True, nogil=True, inline="always")
def _same_prefix(axes, ends, f):
    """Whether family f has the axes of the one before it but for the last."""
    length = ends[f + 1] - ends[f]
    if f == 0 or ends[f] - ends[f - 1] != length:
        return False
    same = True
    for k in range(length - 1):
        same &= axes[ends[f] + k] == axes[ends[f - 1] + k]
    return same


@njit(cache=True, nogil=True)
def count_bits(codes, axes, ends, cards, starts, masks_of, start, stop, out):
    """Add the rows ``start:stop`` to the counts ``out``, by one bit mask for each state.

    ``masks_of`` (n_nodes + 1,) are the places of each node's masks, none for a node not asked for.
    Masks of the joint states of all axes but the last are kept from one family to the next, so
    families that share them should follow each other.
    """
    n_words = min(_WORDS, -(-(stop - start) // _WORD))
    largest = 1
    for f in range(len(ends) - 1):
        largest = max(largest, (starts[f + 1] - starts[f]) // cards[ends[f + 1] - 1])
    masks = np.empty((masks_of[-1], n_words), dtype=np.int64)
    joint = np.empty((largest, n_words), dtype=np.int64)
    ones = np.empty(largest, dtype=np.int64)
    for first in range(start, stop, _WORDS * _WORD):
        last = min(first + _WORDS * _WORD, stop)
        whole = _all_masks(codes, masks_of, first, last, masks)
        _count_block(
            axes, ends, cards, starts, masks_of, whole, last - first, masks, joint, ones, out
        )


@njit(cache=True, nogil=True)
def _all_masks(codes, masks_of, first, last, masks):
    """Fill the masks; return for each node whether none of its cells is missing."""
    n_words = -(-(last - first) // _WORD)
    whole = np.zeros(len(codes), dtype=np.bool_)
    for k in range(len(codes)):
        column = codes[k]
        seen = 0
        for m in range(masks_of[k], masks_of[k + 1]):
            _state_mask(column, first, last, m - masks_of[k], masks[m])
            seen += _ones(masks[m], n_words)
        whole[k] = seen == last - first
    return whole


@njit(cache=True, nogil=True)
def _count_block(axes, ends, cards, starts, masks_of, whole, n_rows, masks, joint, ones, out):
    n_words = -(-n_rows // _WORD)
    n_joint = 1
    for f in range(len(ends) - 1):
        tail = ends[f + 1] - 1
        if not _same_prefix(axes, ends, f):
            n_joint = 1
            _all_rows(n_rows, joint[0])
            for k in range(ends[f], tail):
                _split(joint, n_joint, masks[masks_of[axes[k]] :], cards[k], n_words)
                n_joint *= cards[k]
            for j in range(n_joint):
                ones[j] = _ones(joint[j], n_words)
        card, own = cards[tail], masks_of[axes[tail]]
        # The last state is what the others leave, unless a cell may be missing.
        n_counted = card - 1 if whole[axes[tail]] else card
        for j in range(n_joint):
            cell, rest = starts[f] + j * card, ones[j]
            for s in range(n_counted):
                common = _common_ones(joint[j], masks[own + s], n_words)
                out[cell + s] += common
                rest -= common
            if n_counted < card:
                out[cell + n_counted] += rest


@njit(cache=True, nogil=True, inline="always")
def _cells(codes, axes, cards, first, last, spare, cells, holes):
    """Fill the cell of each row in one family, ``spare`` where an axis is missing.

    Cells fit 32 bits: a table has at most 2^27 (`families.MAX_TABLE_BYTES`), and a missing code
    takes a cell no further below 0 than the table is large.
    """
    n = last - first
    cells[:n] = 0
    holes[:n] = 0
    for k in range(len(axes)):
        column = codes[axes[k], first:last]
        card = np.int32(cards[k])
        for i in range(n):
            cells[i] = cells[i] * card + np.int32(column[i])
            holes[i] |= np.int32(column[i])
    for i in range(n):
        cells[i] = spare if holes[i] < 0 else cells[i]


@njit(cache=True, nogil=True)
def count_cells(codes, axes, cards, table):
    """Add all rows to one family's ``table`` (lanes, n_cells + 1), row i to lane i mod lanes.

    Lanes, because a count waits for the one before it in the same cell; the last cell takes the
    rows with a missing axis.
    """
    cells, holes = np.empty(_BLOCK, dtype=np.int32), np.empty(_BLOCK, dtype=np.int32)
    n_rows, spare = codes.shape[1], np.int32(table.shape[1] - 1)
    for first in range(0, n_rows, _BLOCK):
        last = min(first + _BLOCK, n_rows)
        _cells(codes, axes, cards, first, last, spare, cells, holes)
        done = 0
        if len(table) == LANES:
            done = (last - first) // LANES * LANES
            for i in range(0, done, LANES):
                for lane in range(LANES):
                    table[lane, cells[i + lane]] += 1
        for i in range(done, last - first):
            table[i % len(table), cells[i]] += 1


@njit(cache=True, nogil=True)
def add_families(codes, axes, ends, cards, starts, which, weights, out):
    """Add all rows to the tables of the families ``which``, one after the other: for few rows.

    ``weights`` (n_rows,), or empty for one each. Each table is added up in the order of the rows.
    """
    n_rows = codes.shape[1]
    cells = np.empty(n_rows, dtype=np.int64)
    for f in which:
        cells[:] = 0
        for k in range(ends[f], ends[f + 1]):
            column, card = codes[axes[k]], cards[k]
            for i in range(n_rows):
                # Once negative, a cell stays so.
                cells[i] = cells[i] * card + column[i] if min(cells[i], column[i]) >= 0 else -1
        for i in range(n_rows):
            if cells[i] >= 0:
                out[starts[f] + cells[i]] += weights[i] if len(weights) else 1.0


@njit(cache=True, nogil=True)
def weigh_cells(codes, axes, cards, weights, table):
    """Add each row's weight as `count_cells` adds 1."""
    cells, holes = np.empty(_BLOCK, dtype=np.int32), np.empty(_BLOCK, dtype=np.int32)
    n_rows, spare = codes.shape[1], np.int32(table.shape[1] - 1)
    for first in range(0, n_rows, _BLOCK):
        last = min(first + _BLOCK, n_rows)
        _cells(codes, axes, cards, first, last, spare, cells, holes)
        done = 0
        if len(table) == LANES:
            done = (last - first) // LANES * LANES
            for i in range(0, done, LANES):
                for lane in range(LANES):
                    table[lane, cells[i + lane]] += weights[first + i + lane]
        for i in range(done, last - first):
            table[i % len(table), cells[i]] += weights[first + i]

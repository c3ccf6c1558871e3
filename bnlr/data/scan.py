"""Passes over columns of codes that never make a temporary as long as the column.

A data set may be a memory map larger than the memory, so every function here works through blocks
of rows small enough for the processor's cache.
"""

from collections.abc import Iterator

import numpy as np

from bnlr._typing import BoolArray, CodeArray, FloatArray, IntArray

_BLOCK = 2**16
_FIRST_BLOCK = 2**12
_INT8 = np.dtype(np.int8)


def blocks(n_rows: int) -> Iterator[slice]:
    """Yield slices that cover all rows."""
    for start in range(0, n_rows, _BLOCK):
        yield slice(start, min(start + _BLOCK, n_rows))


def occurring(numbers: CodeArray, size: int) -> BoolArray:
    """Return which of the numbers 0 to size - 1 occur; stops when all have been seen."""
    seen = np.zeros(size + 1, dtype=np.bool_)  # the last place is that of -1
    start, step = 0, _FIRST_BLOCK
    while start < len(numbers) and not seen[:-1].all():
        seen[numbers[start : start + step]] = True
        start, step = start + step, _BLOCK
    return seen[:-1]


def relabel(numbers: CodeArray, lookup: CodeArray, out: CodeArray) -> None:
    """Write ``lookup[numbers]`` to ``out``, which may be ``numbers``; -1 takes the last entry."""
    table = _byte_table(lookup) if numbers.dtype == out.dtype == _INT8 else None
    for rows in blocks(len(numbers)):
        if table is None:
            out[rows] = lookup.take(numbers[rows], mode="wrap")
        else:
            out[rows] = np.frombuffer(numbers[rows].tobytes().translate(table), np.int8)


def _byte_table(lookup: CodeArray) -> bytes:
    """Return the lookup of every byte, for `bytes.translate`, which beats `numpy.take`."""
    table = np.full(256, lookup[-1], dtype=np.int8)
    n_labels = min(len(lookup) - 1, 128)  # such codes cannot be larger
    table[:n_labels] = lookup[:n_labels]
    return table.tobytes()


def count_missing(codes: CodeArray) -> int:
    """Return how many codes are -1."""
    return sum(int(np.count_nonzero(codes[rows] < 0)) for rows in blocks(len(codes)))


def first_missing(codes: CodeArray) -> int:
    """Return the first row with the code -1, the number of rows if there is none."""
    for rows in blocks(len(codes)):
        found = np.flatnonzero(codes[rows] < 0)
        if found.size:
            return int(rows.start + found[0])
    return len(codes)


def code_weights(codes: CodeArray, card: int, weights: FloatArray | None) -> FloatArray:
    """Return the summed weight (ones for None) of each code from 0 to card - 1."""
    totals = np.zeros(card + 1)  # the first place is that of -1
    for rows in blocks(len(codes)):
        shifted = codes[rows].astype(np.intp) + 1
        part = None if weights is None else weights[rows]
        totals += np.bincount(shifted, part, minlength=card + 1)
    return totals[1:]


def take_rows(codes: CodeArray, rows: "IntArray | BoolArray | slice") -> CodeArray:
    """Return a column-major copy of the chosen rows, made column by column."""
    if isinstance(rows, slice):
        return codes[rows].copy(order="F")
    n_rows = int(np.count_nonzero(rows)) if rows.dtype.kind == "b" else len(rows)
    chosen = np.empty((n_rows, codes.shape[1]), codes.dtype, order="F")
    for place in range(codes.shape[1]):
        chosen[:, place] = codes[:, place][rows]
    return chosen

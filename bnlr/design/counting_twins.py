"""NumPy twins of ``counting.cpp``: the same functions and the same bits, without a compiler.

Conventions: ``codes`` (n_nodes, n_rows), −1 missing. Family f has the axes
``axes[ends[f]:ends[f + 1]]`` (rows of ``codes``) with the numbers of states ``cards`` at the same
places, and its cells, C order, at ``out[starts[f]:]``. A row counts in a family if none of its axes
is missing.
"""

import numpy as np

from bnlr._typing import BoolArray, CodeArray, FloatArray, IntArray

LANES = 4


def count_bits(
    codes: CodeArray,
    axes: IntArray,
    ends: IntArray,
    cards: IntArray,
    starts: IntArray,
    start: int,
    stop: int,
    out: IntArray,
) -> None:
    """Add the rows ``start:stop`` to the counts ``out``."""
    rows = codes[:, start:stop]
    for f in range(len(ends) - 1):
        own = slice(ends[f], ends[f + 1])
        cells, seen = _cells(rows, axes[own], cards[own])
        n_cells = starts[f + 1] - starts[f]
        out[starts[f] : starts[f + 1]] += np.bincount(cells[seen], minlength=n_cells)


def count_cells(codes: CodeArray, axes: IntArray, cards: IntArray, table: IntArray) -> None:
    """Add all rows to one family's ``table`` (lanes, n_cells + 1), row i to lane i mod lanes."""
    _add(codes, axes, cards, None, table)


def add_families(
    codes: CodeArray,
    axes: IntArray,
    ends: IntArray,
    cards: IntArray,
    starts: IntArray,
    which: IntArray,
    weights: FloatArray,
    out: FloatArray,
) -> None:
    """Add all rows to the tables of the families ``which``, one after the other: for few rows."""
    for f in which:
        own = slice(ends[f], ends[f + 1])
        cells, seen = _cells(codes, axes[own], cards[own])
        added = weights[seen] if len(weights) else None
        n_cells = starts[f + 1] - starts[f]
        out[starts[f] : starts[f + 1]] += np.bincount(cells[seen], added, minlength=n_cells)


def weigh_cells(
    codes: CodeArray, axes: IntArray, cards: IntArray, weights: FloatArray, table: FloatArray
) -> None:
    """Add each row's weight as `count_cells` adds 1."""
    _add(codes, axes, cards, weights, table)


def sum_occurring(
    codes: CodeArray,
    order: IntArray,
    ends: IntArray,
    others: IntArray,
    cards: IntArray,
    terms: FloatArray,
    sums: FloatArray,
) -> None:
    """Add up ``terms[n]`` over the cells of part × state that n rows show, for each column.

    Part p are the rows ``order[ends[p]:ends[p + 1]]``; the columns are ``others``, of ``cards``.
    """
    part = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    for k, (other, card) in enumerate(zip(others, cards, strict=True)):
        own = codes[other, order].astype(np.intp)
        _, n_seen = np.unique((part * card + own)[own >= 0], return_counts=True)
        cells = np.bincount(n_seen, minlength=1)[1:]
        sums[k] = sum((cells * terms[1 : len(cells) + 1]).tolist())  # one after the other


def _add(
    codes: CodeArray,
    axes: IntArray,
    cards: IntArray,
    weights: FloatArray | None,
    table: IntArray | FloatArray,
) -> None:
    cells, seen = _cells(codes, axes, cards)
    n_lanes, width = table.shape
    cells[~seen] = width - 1
    for lane in range(n_lanes):
        own = slice(lane, None, n_lanes)
        added = None if weights is None else weights[own]
        table[lane] += np.bincount(cells[own], added, minlength=width)


def _cells(codes: CodeArray, axes: IntArray, cards: IntArray) -> tuple[IntArray, BoolArray]:
    """Return the cell of each row in one family, and whether no axis is missing."""
    cells = np.zeros(codes.shape[1], dtype=np.intp)
    seen = np.ones(codes.shape[1], dtype=bool)
    for axis, card in zip(axes, cards, strict=True):
        cells = cells * card + codes[axis]
        seen &= codes[axis] >= 0
    return cells, seen

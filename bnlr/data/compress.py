"""Identical rows become one weighted row, where that makes the data much smaller or costs nothing.

A row is read as one integer in mixed radix. Where the radices' product passes 63 bits, the integers
so far are replaced by their rank first, so that two rows share an integer only if they are equal:
nothing rests on a hash.

Merging costs a sort, so it is tried only where it can pay. If at most half of N rows are distinct,
at least N/2 pairs of rows are equal (Cauchy-Schwarz), and a sample of 8 sqrt(N) rows holds at least
32 of them on average. A sample with fewer than 16 ends the attempt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from operator import mul

import numpy as np

from bnlr._typing import CodeArray, FloatArray, IntArray

_WORTH = 0.5
_SMALL = 4096
_TABLE_FACTOR = 4
_SAMPLE_FACTOR = 8
_MIN_EQUAL_PAIRS = 16
_KEY_LIMIT = 2**62


@dataclass(frozen=True, slots=True)
class MergedRows:
    """Groups of identical rows, in an order that depends on the values only.

    Attributes
    ----------
    first : int array of shape (n_groups,)
        The first row of each group.
    weights : float array of shape (n_groups,)
        Each group's summed weight.
    """

    first: IntArray
    weights: FloatArray


def merge_rows(columns: Sequence[CodeArray], weights: FloatArray | None) -> MergedRows | None:
    """Merge identical rows.

    Parameters
    ----------
    columns : sequence of int arrays of shape (n_rows,)
        At least one.
    weights : float array of shape (n_rows,) or None
        Row weights, None for ones.

    Returns
    -------
    MergedRows or None
        None for more than 4,096 rows if more than half of them are distinct, or a sample says so;
        fewer are always merged, so that nothing hangs on their order.
    """
    n_rows = len(columns[0])
    if n_rows == 0 or not _looks_worthwhile(columns, n_rows):
        return None
    if n_rows <= _SMALL and weights is None:
        return _counted(_row_keys(columns)[0])
    merged = distinct_rows(columns, weights)
    return None if n_rows > _SMALL and len(merged.first) > _WORTH * n_rows else merged


def distinct_rows(columns: Sequence[CodeArray], weights: FloatArray | None) -> MergedRows:
    """Merge identical rows, however few there are; parameters as `merge_rows`."""
    if len(columns[0]) == 0:
        return MergedRows(np.zeros(0, dtype=np.intp), np.zeros(0))
    first, inverse = _groups(columns)
    summed = np.bincount(inverse, weights, minlength=len(first)).astype(np.float64)
    return MergedRows(first, summed)


def _counted(keys: IntArray) -> MergedRows:
    """Groups of few rows that weigh the same."""
    order = keys.argsort()
    ordered = keys[order]
    is_new = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    starts = is_new.nonzero()[0]
    weights = np.empty(len(starts))
    weights[:-1], weights[-1] = starts[1:] - starts[:-1], len(keys) - starts[-1]
    # Not a stable sort, which takes three times as long.
    return MergedRows(np.minimum.reduceat(order, starts), weights)


def _looks_worthwhile(columns: Sequence[CodeArray], n_rows: int) -> bool:
    size = int(_SAMPLE_FACTOR * np.sqrt(n_rows))
    if n_rows <= _SMALL:
        return True
    # Random rows, since evenly spaced ones would fool themselves in a truth table.
    rows = np.random.default_rng(0).choice(n_rows, size, replace=False, shuffle=False)
    keys, _ = _row_keys([column[rows] for column in columns])
    counts = np.unique_counts(keys).counts
    return bool((counts * (counts - 1) // 2).sum() >= _MIN_EQUAL_PAIRS)


def _groups(columns: Sequence[CodeArray]) -> tuple[IntArray, IntArray]:
    """Return each group's first row, and each row's group, in the order of their keys."""
    keys, size = _row_keys(columns)
    if size <= _TABLE_FACTOR * len(keys):
        return _groups_by_table(keys, size)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return first, inverse


def _groups_by_table(keys: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Do the same in linear time for keys below a moderate size."""
    first_of = np.full(size, -1, dtype=np.intp)
    first_of[keys[::-1]] = np.arange(len(keys))[::-1]  # the last write, the first row, stays
    seen = np.flatnonzero(first_of >= 0)
    rank = np.empty(size, dtype=np.intp)
    rank[seen] = np.arange(len(seen))
    return first_of[seen], rank[keys]


def _row_keys(columns: Sequence[CodeArray]) -> tuple[IntArray, int]:
    """Return one integer a row, equal for equal rows only, and a bound above them all."""
    if len(columns[0]) <= _SMALL:
        together = _small_keys(np.array(columns, dtype=np.int64))
        if together is not None:
            return together
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    size = 1
    for column in columns:
        digit = column.astype(np.int64, copy=False)
        low = int(digit.min())
        radix = int(digit.max()) - low + 1
        if radix * size > _KEY_LIMIT:
            keys, size = _ranks(keys)
        if radix * size > _KEY_LIMIT:
            digit, radix = _ranks(digit)
            low = 0
        keys = keys * radix + (digit - low)
        size *= radix
    return keys, size


def _small_keys(digits: IntArray) -> tuple[IntArray, int] | None:
    """The same of few rows, all columns at once; None where that takes too many bits.

    ``digits`` is overwritten.
    """
    digits -= digits.min(axis=1, keepdims=True)
    radices = (digits.max(axis=1) + 1).tolist()
    if prod(radices) > _KEY_LIMIT:
        return None
    strides = np.array([*accumulate(radices[:0:-1], mul, initial=1)][::-1])
    return strides @ digits, prod(radices)


def _ranks(values: IntArray) -> tuple[IntArray, int]:
    distinct, ranks = np.unique(values, return_inverse=True)
    return ranks.astype(np.int64), len(distinct)

"""Folds of rows by what these hold, not by where they stand, for estimates without a seed.

Neither the order of rows, columns or states changes the folds, nor whether a row is written twice
or has weight 2. Rows are put in the order of a hash of their cells' names, class by class, and
dealt out one unit of weight after another.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from math import frexp

import numpy as np

from bnlr._typing import CodeArray, FloatArray, IntArray, States

EXACT_BITS = 53
"""Whole numbers of so many bits are floats, and their sums exact in any order."""

_MOST_COUNTS, _MOST_FOLDS = 2**30, 2**62


def fold_rows(
    order: IntArray, weights: FloatArray, n_folds: int
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield each fold's rows, in their own order, and the weights they have in it.

    A row's weights in all folds add up to its weight. The unit is 1, or the average weight where
    that is less. A row of 2 units is dealt as two rows; one of less than one and a half is not
    divided, or it would be both learnt from and left out.
    """
    n_folds, counts = min(n_folds, _MOST_FOLDS), row_counts(weights)
    stops = np.cumsum(counts[order])
    starts = stops - counts[order]
    for fold in range(min(n_folds, int(stops[-1]))):
        held = np.empty(len(order))
        held[order] = _held(stops, fold, n_folds) - _held(starts, fold, n_folds)
        rows = np.flatnonzero(held > 0)
        if len(rows):
            yield rows, held[rows] * (weights[rows] / counts[rows])


def row_counts(weights: FloatArray) -> IntArray:
    """How many rows each row counts for, one at least, (n_rows,)."""
    unit = min(1.0, float(weights.mean()))
    counts: IntArray = np.clip(np.rint(weights / unit), 1, _MOST_COUNTS).astype(np.int64)
    return counts


def _held(until: IntArray, fold: int, n_folds: int) -> IntArray:
    """How many of the first ``until`` units the fold has been dealt."""
    held: IntArray = (until + (n_folds - 1 - fold)) // n_folds
    return held


def hash_order(hashes: FloatArray, classes: CodeArray, class_name: str, states: States) -> IntArray:
    """Return the rows in the order of their hashes, class by class."""
    places = state_hashes(class_name, states[class_name], EXACT_BITS)[classes]
    return np.lexsort((hashes, places))


def state_hashes(node: str, labels: Sequence[object], bits: int) -> FloatArray:
    """Return a whole number below 2**bits for each state of a node, from their names."""
    digests = (
        blake2b(f"{node}\0{label!r}".encode(errors="surrogatepass"), digest_size=8).digest()
        for label in labels
    )
    numbers = [int.from_bytes(digest, "big") >> (64 - bits) for digest in digests]
    return np.array(numbers, dtype=np.float64)


def bits_of_sum(n_terms: int) -> int:
    """How many bits numbers may have so that a sum of so many is exact."""
    return EXACT_BITS - frexp(n_terms)[1]

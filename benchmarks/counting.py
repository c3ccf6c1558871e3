"""The unit of all figures: C, one counting pass over the rows on one thread.

It counts class × state for every attribute from column-major bytes. The kernel is frozen here and
bnlr does not use it, nor numba any longer, so that the unit stays the same whatever bnlr learns to
do.
"""

import numpy as np
from numpy.typing import NDArray

import bnlr

try:
    import numba
except ImportError as error:
    raise ImportError(
        "the benchmarks count in passes that numba compiles, which bnlr itself does not need; "
        "pip install -e '.[bench]', or numba alone"
    ) from error

_BLOCK = 8192
_TABLES = 4


def count(data: bnlr.Dataset) -> NDArray[np.int64]:
    """Counts of every attribute's states by class, (cells,): attribute, class, state in turn.

    Rows are complete: a code of −1 would count elsewhere.
    """
    return count_columns(*arguments(data))


def arguments(
    data: bnlr.Dataset,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64], int]:
    """What `count_columns` takes: columns, classes, cards and the number of classes, no copies."""
    attributes = [n for n in data.nodes if n != data.class_name]
    own = data.nodes.index(data.class_name)
    table = data.codes.T.view(f"u{data.codes.itemsize}")
    first = 1 if own == 0 else 0
    columns = table[first : first + len(attributes)]
    cards = np.array([data.cards[n] for n in attributes])
    return columns, table[own], cards, data.cards[data.class_name]


@numba.njit(cache=True, nogil=True)
def count_columns(columns, classes, cards, n_classes):  # pragma: no cover  compiled
    """Count (n_attributes, n_rows) bytes by class; flat int64 counts, attribute by attribute."""
    n_attributes, n_rows = columns.shape
    total = np.zeros(n_classes * cards.sum(), np.int64)
    # Partial tables let neighbouring rows of one cell be counted without waiting for each other.
    partial = np.zeros((_TABLES, n_classes * cards.max()), np.uint32)
    for start in range(0, n_rows, _BLOCK):
        stop = min(start + _BLOCK, n_rows)
        offset = 0
        for j in range(n_attributes):
            n_cells = n_classes * cards[j]
            _count_block(columns[j, start:stop], classes[start:stop], cards[j], partial)
            _drain(partial, total[offset : offset + n_cells])
            offset += n_cells
    return total


@numba.njit(cache=True, nogil=True)
def count_plainly(columns, classes, cards, n_classes):  # pragma: no cover  compiled
    """Count the same with one table and one loop: what the unit would be without any care."""
    total = np.zeros(n_classes * cards.sum(), np.int64)
    offset = 0
    for j in range(len(columns)):
        n_cells, width = n_classes * cards[j], np.uint64(cards[j])
        table, column = total[offset : offset + n_cells], columns[j]
        for i in range(len(column)):
            table[np.uint64(classes[i]) * width + column[i]] += 1
        offset += n_cells
    return total


@numba.njit(cache=True, nogil=True)
def _count_block(column, classes, card, partial):  # pragma: no cover  compiled
    n_rows, one = len(column), np.uint32(1)
    a, b, c, d = partial[0], partial[1], partial[2], partial[3]
    width = np.uint64(card)  # unsigned, so that no index has to be checked for its sign
    whole = n_rows - n_rows % _TABLES
    for i in range(0, whole, _TABLES):
        a[np.uint64(classes[i]) * width + column[i]] += one
        b[np.uint64(classes[i + 1]) * width + column[i + 1]] += one
        c[np.uint64(classes[i + 2]) * width + column[i + 2]] += one
        d[np.uint64(classes[i + 3]) * width + column[i + 3]] += one
    for i in range(whole, n_rows):
        a[np.uint64(classes[i]) * width + column[i]] += one


@numba.njit(cache=True, nogil=True)
def _drain(partial, total):  # pragma: no cover  compiled
    """Add the partial tables to the total and empty them."""
    for t in range(_TABLES):
        for k in range(len(total)):
            total[k] += partial[t, k]
            partial[t, k] = 0

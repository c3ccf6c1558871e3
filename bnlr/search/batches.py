"""How many contingency tables are counted and held at a time."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

# So many cells are counted at a time, unless one table alone has more.
BATCH_CELLS = 2**21


def in_batches(sizes: ArrayLike) -> Iterator[slice]:
    """Cut tables of these numbers of cells into runs of at most ``BATCH_CELLS``, or of one table.

    The sizes may be floats, as there may be more cells than an integer holds.
    """
    ends = np.cumsum(np.asarray(sizes, dtype=np.float64))
    start = 0
    while start < len(ends):
        done = ends[start - 1] if start else 0.0
        stop = max(start + 1, int(np.searchsorted(ends, done + BATCH_CELLS, side="right")))
        yield slice(start, stop)
        start = stop

"""Compiled sums of row values over the cells of families. Imported by ``cells`` alone.

Conventions as in ``counting_kernels``, without missing cells; ``values`` (n_rows, width). The twins
in ``cell_twins`` give the same numbers, bit by bit.
"""

import numpy as np
from numba import njit

_BLOCK = 1024


@njit(cache=True, nogil=True)
def add_values(codes, axes, ends, cards, starts, first, stop, values, out):
    """Add each row's values to its cell of the families ``first:stop``, one block of rows a turn.

    ``out`` (cells of all families, width): those of family f stand at ``out[starts[f]:]``.
    """
    n_rows, width = values.shape
    cells = np.empty(_BLOCK, dtype=np.int64)
    for begin in range(0, n_rows, _BLOCK):
        end = min(begin + _BLOCK, n_rows)
        for f in range(first, stop):
            cells[:] = starts[f]
            stride = 1
            for k in range(ends[f + 1] - 1, ends[f] - 1, -1):
                column = codes[axes[k], begin:end]
                for i in range(end - begin):
                    cells[i] += stride * column[i]
                stride *= cards[k]
            for i in range(end - begin):
                row, value = out[cells[i]], values[begin + i]
                for c in range(width):
                    row[c] += value[c]

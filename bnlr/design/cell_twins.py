"""NumPy twins of the sums over cells in ``counting.cpp``: the same numbers, without a compiler.

Conventions as in ``counting_twins``, without missing cells; ``values`` (n_rows, width).
"""

import numpy as np

from bnlr._typing import CodeArray, FloatArray, IntArray


def add_values(
    codes: CodeArray,
    axes: IntArray,
    ends: IntArray,
    cards: IntArray,
    starts: IntArray,
    first: int,
    stop: int,
    values: FloatArray,
    out: FloatArray,
) -> None:
    """Add each row's values to its cell of the families ``first:stop``.

    ``out`` (cells of all families, width): those of family f stand at ``out[starts[f]:]``.
    """
    for f in range(first, stop):
        cells = np.zeros(codes.shape[1], dtype=np.intp)
        for axis, card in zip(
            axes[ends[f] : ends[f + 1]], cards[ends[f] : ends[f + 1]], strict=True
        ):
            cells = cells * card + codes[axis]
        n_cells = starts[f + 1] - starts[f]
        for c in range(values.shape[1]):
            sums = np.bincount(cells, values[:, c], minlength=n_cells)
            out[starts[f] : starts[f + 1], c] += sums

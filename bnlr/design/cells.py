"""Sums of several numbers a row over the cells of many families: residuals, curvatures, losses."""

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import CodeArray, FloatArray
from bnlr.design.counting import Families
from bnlr.machine import backend, in_order, n_workers

if TYPE_CHECKING:
    from bnlr.machine import signatures

# Adds of one number take about so many nanoseconds; threads pay from here on.
_ADD_NS, _WORTH_THREADS_NS = 1.0, 4e6


def cell_sums(
    codes: CodeArray, families: Families, values: FloatArray, n_threads: int | None = None
) -> FloatArray:
    """Sum the rows' values over the cells of each family.

    Parameters
    ----------
    codes : integer array of shape (n_nodes, n_rows)
        No cell is missing.
    families : Families
        Their axes are rows of ``codes``.
    values : float array of shape (n_rows, width)
    n_threads
        All CPUs if not given; each family's sums are added up in the order of the rows, whatever
        the number.

    Returns
    -------
    Float array of shape (cells of all families, width).
    """
    sums = np.zeros((int(families.starts[-1]), values.shape[1]))
    n, values = len(families), np.ascontiguousarray(values)
    arrays = (families.axes, families.ends, families.cards, families.starts)
    workers = n_workers(n_threads)
    if n * values.size * _ADD_NS < _WORTH_THREADS_NS:
        workers = 1
    step = -(-n // workers) or 1

    def part(first: int) -> None:
        _kernels().add_values(codes, *arrays, first, min(first + step, n), values, sums)

    deque(in_order(part, range(0, n, step), workers), maxlen=0)
    return sums


def _kernels() -> "signatures.Cells":
    found: signatures.Cells = backend("cells", "design.cell_twins")
    return found

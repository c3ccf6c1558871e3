"""Checks on arrays of codes and of row numbers."""

import numpy as np
from numpy.typing import ArrayLike

from bnlr._typing import BoolArray, CodeArray, IntArray, States
from bnlr.errors import DataError, StateError
from bnlr.words import quoted


def check_table(codes: ArrayLike, states: States) -> CodeArray:
    """Return codes as an integer array (n_rows, n_nodes) within the states.

    Raises
    ------
    DataError
        Not a two-dimensional array of integers with one column a node.
    StateError
        A code outside its node's states, with node and row.
    """
    try:
        table = np.asarray(codes)
    except ValueError as error:
        raise DataError(f"codes must be a rectangular array: {error}") from error
    if table.dtype.kind not in "iu":
        raise DataError(f"codes must be integers, not {table.dtype}")
    if table.ndim != 2 or table.shape[1] != len(states):
        raise DataError(
            f"codes have the shape {table.shape}, but states name {len(states)} nodes; "
            "give one column a node"
        )
    if table.size:
        _check_range(table, states)
    return table


def _check_range(table: CodeArray, states: States) -> None:
    lowest, highest = table.min(axis=0), table.max(axis=0)
    for place, (node, labels) in enumerate(states.items()):
        if lowest[place] >= -1 and highest[place] < len(labels):
            continue
        column = table[:, place]
        row = int(np.argmax((column < -1) | (column >= len(labels))))
        raise StateError(
            f"code {column[row]} in row {row} is none of {quoted(node)}, which has the codes "
            f"0 to {len(labels) - 1} and -1 for missing"
        )


def check_rows(rows: ArrayLike | slice, n_rows: int) -> IntArray | BoolArray | slice:
    """Return an index that selects rows which exist.

    Raises
    ------
    DataError
        Neither integers, booleans nor a slice, a mask of another length, or a row beyond the end.
    """
    if isinstance(rows, slice):
        return rows
    chosen = np.asarray(rows)
    if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "biu"):
        raise DataError("rows must be a one-dimensional array of integers or booleans, or a slice")
    if chosen.dtype.kind == "b":
        if len(chosen) != n_rows:
            raise DataError(f"the mask has {len(chosen)} entries for {n_rows} rows")
        return chosen
    bad = chosen[(chosen < -n_rows) | (chosen >= n_rows)] if chosen.size else chosen
    if bad.size:
        raise DataError(f"there is no row {bad[0]} among {n_rows}")
    return chosen.astype(np.intp)

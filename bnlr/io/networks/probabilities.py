"""Written numbers to CPTs: what rounding explains is re-normalised, all else is refused."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bnlr.errors import ModelFileError
from bnlr.machine import refuse_many_axes
from bnlr.words import quoted

if TYPE_CHECKING:
    from bnlr._typing import FloatArray, State

# What `BayesianNetwork` accepts; in a file of bnlr's it is kept, to read back to the last bit.
_OWN_TOLERANCE = 1e-6
_NO_ROUNDING = 1e-9
_MOST_SILENT = 1e-3
_SINGLE_PRECISION = 1e-5


def checked_cpt(
    cells: Sequence[str],
    axes: Sequence[str],
    states: "Mapping[str, tuple[State, ...]]",
    where: str,
    *,
    is_exact: bool = False,
    are_weights: bool = False,
    rounded: list[str] | None = None,
) -> "FloatArray":
    """Return a CPT whose columns sum to 1.

    Parameters
    ----------
    cells
        Numbers as written, row-major, as many as the axes' states need.
    axes
        The parents and the node.
    states
        {node: states}.
    where
        File and line.
    is_exact
        Sums that are within 1e-6 of 1 stay as they are.
    are_weights
        Any sum but 0 will do.
    rounded
        Gets the columns that were off by more than 0.001, and their sums.

    Returns
    -------
    Array with the shape of the axes. A column is divided by its sum if that is off by no more than
    rounding explains: less than half a unit of the last digit printed in it, times its numbers, or
    that of each number's own last digit up to 0.001; 1e-6 in any case. What is off by 1e-9 stays.

    Raises
    ------
    ModelFileError
        A negative or infinite number, a column of zeros, or another sum, with node and column.
    TooLargeError
        More parents than an array has axes.
    """
    refuse_many_axes(f"{where}: node {_shown(axes[-1])}", len(axes))
    shape = [len(states[axis]) for axis in axes]
    table = np.array([float(cell) for cell in cells], dtype=np.float64).reshape(-1, shape[-1])
    if not np.isfinite(table).all() or (table < 0.0).any():
        wrong = cells[int(np.flatnonzero(~(np.isfinite(table) & (table >= 0.0)).ravel())[0])]
        raise ModelFileError(
            f"{where}: {quoted(wrong)} in P({_shown(axes[-1])} | …) is no probability"
        )
    with np.errstate(over="ignore"):
        totals = table.sum(axis=1)
    off = np.abs(totals - 1.0)
    for row in np.flatnonzero(off > (_OWN_TOLERANCE if is_exact else _NO_ROUNDING)).tolist():
        written = cells[row * shape[-1] : (row + 1) * shape[-1]]
        column = _column(axes, states, row)
        if are_weights and np.isinf(totals[row]):
            table[row] /= table[row].max()
            totals[row] = table[row].sum()
        if totals[row] == 0.0 or not np.isfinite(totals[row]):
            raise ModelFileError(
                f"{where}: P({column}) sums to {totals[row]:g}, not 1, which no column can be "
                "divided by; correct it"
            )
        if not are_weights and off[row] > max(_rounding(written), _OWN_TOLERANCE):
            raise ModelFileError(
                f"{where}: P({column}) sums to {totals[row]:.9g}, not 1, and rounding does not "
                "explain it; correct the column"
            )
        if rounded is not None and off[row] > _MOST_SILENT and not are_weights:
            rounded.append(f"P({column}) sums to {totals[row]:.9g}")
        table[row] /= totals[row]
    return table.reshape(shape)


def normalised(cpt: "FloatArray") -> "FloatArray":
    """Return a CPT with the columns that single precision's rounding moved divided by their sums.

    Columns that are off by more stay, for `BayesianNetwork` to refuse.
    """
    totals = cpt.sum(axis=-1, keepdims=True)
    off = np.abs(totals - 1.0)
    is_rounded = (off > _NO_ROUNDING) & (off <= _SINGLE_PRECISION)
    return np.where(is_rounded, cpt / np.where(is_rounded, totals, 1.0), cpt)


def _rounding(written: Sequence[str]) -> float:
    """Return how far rounding may have moved a column's sum."""
    units = [unit for unit in map(_half_unit, written) if unit]
    if not units:
        return 0.0
    last_digit = len(written) * min(units)  # reached only if all were cut at a half
    return max(min(sum(units), _MOST_SILENT) + _NO_ROUNDING, last_digit - _NO_ROUNDING)


def _half_unit(written: str) -> float:
    """Return how far rounding may have moved a number: half a unit of its last decimal."""
    digits, _, exponent = written.lower().partition("e")
    _, point, decimals = digits.partition(".")
    return 0.5 * 10.0 ** (int(exponent or 0) - len(decimals)) if point or exponent else 0.0


def _column(axes: Sequence[str], states: "Mapping[str, tuple[State, ...]]", row: int) -> str:
    given = []
    for parent in reversed(axes[:-1]):
        row, code = divmod(row, len(states[parent]))
        given.append(f"{_shown(parent)}={_shown(states[parent][code])}")
    return f"{_shown(axes[-1])}{' | ' if given else ''}{', '.join(reversed(given))}"


def _shown(name: object) -> str:
    text = str(name)
    return text if len(text) <= 40 and text.isprintable() else quoted(name)

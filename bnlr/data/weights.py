"""Row weights: how many rows a row stands for."""

import numpy as np
from numpy.typing import ArrayLike

from bnlr._typing import FloatArray
from bnlr.errors import ParameterError
from bnlr.words import quoted


def check_weights(weights: ArrayLike, n_rows: int) -> FloatArray:
    """Return row weights as a new float array (n_rows,).

    Raises
    ------
    ParameterError
        Not numbers, not one a row, negative, not finite, all zero, or so large that their sum
        is not finite.
    """
    checked = as_weights(weights, n_rows)
    check_total(checked)
    return checked


def as_weights(weights: ArrayLike, n_rows: int) -> FloatArray:
    """Return weights as `check_weights` does, but some of the rows only: all may be zero."""
    if isinstance(weights, np.ma.MaskedArray) and np.ma.is_masked(weights):
        raise ParameterError("some weights are masked; give each row a weight, 0 to leave it out")
    try:
        given = np.asarray(weights)
        if given.dtype.kind not in "biufO":
            raise TypeError(f"their type is {given.dtype}")
        if given.dtype.kind == "O" and any(isinstance(weight, str) for weight in given.flat):
            raise TypeError("some are text")
        checked = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(f"weights must be numbers, one a row: {error}") from error
    if checked.shape != (n_rows,):
        raise ParameterError(
            f"weights have the shape {checked.shape}, but the data {n_rows} rows; give one a row"
        )
    _check_values(checked)
    return checked


def _check_values(weights: FloatArray) -> None:
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ParameterError(
            f"the weight {quoted(float(weights[bad[0]]))} of row {bad[0]} is not a finite number "
            "from 0 up; drop the row or mend its weight"
        )


def check_total(weights: FloatArray) -> None:
    """Refuse weights that are all zero or have no finite sum."""
    if weights.size and not weights.any():
        raise ParameterError("all weights are zero; at least one row must count")
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise ParameterError("the weights' sum overflows; divide them by their largest value")

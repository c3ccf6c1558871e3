"""Columns that stand one to one with the class, as a copy of it or of its codes does."""

from collections.abc import Mapping
from math import lgamma, log

import numpy as np

from bnlr._typing import BoolArray, CodeArray, FloatArray, IntArray

# The probability that columns with the class's shares have of being one to one with it by chance.
_CHANCE = 1e-3
_SAMPLE = 1024


def find_class_copies(
    columns: Mapping[str, CodeArray | IntArray | FloatArray], classes: CodeArray
) -> dict[str, bool]:
    """Return the columns of which each value has one class, and each class one value.

    Beside each stands whether it has a value in all rows that have a class.

    Few rows may be so by chance: k values that n_1, …, n_k rows hold in any order are one to one
    with a class of the same counts with probability k! n_1! … n_k! / n!. It has to be less than
    1/1000 over the number of columns.

    Parameters
    ----------
    columns
        Codes, or numbers as they are, (n_rows,) each; negative codes and NaN are missing.
    classes : (n_rows,)
        Codes of the class, -1 where missing.
    """
    likely = log(_CHANCE / max(len(columns), 1))
    return {
        name: not (_is_missing(column) & (classes >= 0)).any()
        for name, column in columns.items()
        if _is_copy(column, classes, likely)
    }


def _is_missing(column: CodeArray | IntArray | FloatArray) -> BoolArray:
    missing: BoolArray = column < 0 if column.dtype.kind == "i" else np.isnan(column)
    return missing


def _is_copy(column: CodeArray | IntArray | FloatArray, classes: CodeArray, likely: float) -> bool:
    # Most columns show in a few rows that they are none; rows may be sorted.
    step = max(1, len(column) // _SAMPLE)
    counts = _one_to_one(column[::step], classes[::step])
    if counts is not None and step > 1:
        counts = _one_to_one(column, classes)
    return counts is not None and _log_chance(counts) < likely


def _one_to_one(column: CodeArray | IntArray | FloatArray, classes: CodeArray) -> IntArray | None:
    """Return how many rows hold each value, None unless values and classes are one to one."""
    seen = (classes >= 0) & ~_is_missing(column)
    order = np.argsort(classes[seen], kind="stable")
    values, ordered = column[seen][order], classes[seen][order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    firsts = values[starts]
    counts: IntArray = np.diff(starts, append=len(ordered))
    if len(np.unique(firsts)) < len(firsts) or (values != np.repeat(firsts, counts)).any():
        return None
    return counts


def _log_chance(counts: IntArray) -> float:
    if len(counts) < 2:
        return 0.0
    arranged = sum(lgamma(n + 1.0) for n in counts.tolist()) - lgamma(counts.sum() + 1.0)
    return arranged + lgamma(len(counts) + 1.0)

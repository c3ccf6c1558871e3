"""The unit of row weights: what counts as one row, whatever weights come in.

Weights times k are k times the unit, and a row written three times is one of three times the
weight. Both hold if the unit looks at distinct rows only: it is the largest of which all of their
weights are whole multiples, 1 for plain rows, as nearly always some row occurs once; or, where
there is none, the average weight of a distinct row. Multiples are whole numbers whatever k has
rounded, so that solvers take the same road, digit by digit.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from bnlr._typing import CodeArray, FloatArray, IntArray
from bnlr.data.compress import distinct_rows

# More rows are none; this far, weights that chance has made nearly whole multiples are too few.
_MOST_ROWS = 1e12
_FINEST = 2**16
# Some roundings: those of the weights, of their quotients and of what made them.
_ROUNDING = 2.0**-48
_LEAST = 1e-300
_SMALLEST = 5e-324


class Measured(NamedTuple):
    """Row weights in ``unit``; None for ones. A row that counts does not come to weigh 0."""

    unit: float
    weights: FloatArray | None


def measured(columns: Sequence[CodeArray], weights: FloatArray | None) -> Measured:
    """The unit of the rows in ``columns``, (n_rows,) each, and their weights in it."""
    if weights is None:
        shared = _common_divisor(columns, None)
        return Measured(shared, None if shared == 1 else np.full(len(columns[0]), 1.0 / shared))
    part, multiples = _multiples(weights)
    if multiples is None:
        unit = _average(columns, weights)
        return Measured(unit, quotients(weights, unit))
    shared = _common_divisor(columns, multiples)
    return Measured(part * shared, multiples / shared)


def multiples_of(values: FloatArray) -> float | None:
    """A part of which all of some weights, above 0, are whole multiples; None for no such."""
    part, multiples = _multiples(values)
    return None if multiples is None else part


def common_divisor_of(counts: Iterable[FloatArray]) -> float:
    """The greatest common divisor of whole numbers, of which there may be none above 0."""
    shared = 0
    for own in counts:
        shared = _divisor(own, shared)
        if shared == 1:
            break
    return float(shared or 1)


def quotients(weights: FloatArray, unit: float) -> FloatArray:
    """``weights`` in ``unit``; none above 0 comes to be 0."""
    inside: FloatArray = np.where(weights > 0, np.maximum(weights / unit, _LEAST), 0.0)
    return inside


def _multiples(weights: FloatArray) -> tuple[float, FloatArray | None]:
    """A part of which all weights are whole multiples, and the multiples, None for no such."""
    if weights.sum() <= _MOST_ROWS and (weights == np.rint(weights)).all():
        return 1.0, weights
    least, finest = float(weights[weights > 0].min()), 1
    with np.errstate(over="ignore"):
        ratios = weights / least
    while finest <= _FINEST and ratios.sum() * finest <= _MOST_ROWS:
        multiples = ratios * finest
        whole: FloatArray = np.rint(multiples)
        broken = np.abs(multiples - whole) > _ROUNDING * multiples
        if not broken.any():
            return least / finest or _SMALLEST, whole
        fraction = Fraction(float(multiples[broken].min()))
        denominator = fraction.limit_denominator(_FINEST // finest).denominator
        if denominator == 1:
            break
        finest *= denominator
    return 0.0, None


def _common_divisor(columns: Sequence[CodeArray], counts: FloatArray | None) -> float:
    """The greatest common divisor of the distinct rows' counts, those of single columns first."""
    shared = 0
    for column in columns:
        shared = _divisor(np.bincount(column.astype(np.intp) + 1, counts), shared)
        if shared == 1:
            return 1.0
    return float(_divisor(distinct_rows(columns, counts).weights, shared))


def _divisor(counts: FloatArray | IntArray, shared: int) -> int:
    return int(np.gcd.reduce(counts.astype(np.int64), initial=shared))


def _average(columns: Sequence[CodeArray], weights: FloatArray) -> float:
    """Weight of an average distinct row, those of weight 0 left out."""
    largest = float(weights.max())
    counted = distinct_rows(columns, weights / largest).weights
    return largest * float(counted.sum() / np.count_nonzero(counted)) or _SMALLEST

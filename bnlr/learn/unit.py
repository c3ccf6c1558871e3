"""The unit of row weights: whichever they come in, solvers see weights of about 1.

What a solver allows, lifts or calls small is relative to the larger of 1 and the function's value,
so that weights times 1e-12 would end any search at its start. The unit is a power of ten, as units
mostly differ by one: weights in grams then take the road of those in tonnes, digit by digit.
"""

from dataclasses import replace
from math import ceil, log10
from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import FloatArray
from bnlr.data.dataset import Dataset
from bnlr.errors import DataError
from bnlr.learn.result import FitResult

if TYPE_CHECKING:
    from bnlr.learn.request import Request
    from bnlr.learn.run import Settings

# An average weight within half a power of ten of this is left as it is.
_USUAL = 2.0
_LEAST_POWER = -323
# No more than what keeps squares of a penalty's gradients finite.
_STRONGEST = 1e30
_LARGEST_TOTAL = 1e303
_LARGEST, _LEAST = 1e300, 1e-300
# Of an average row; as much as an average weight may be from 1 without more ado.
_SMOOTHEST = 1024.0
_MUCH_LIGHTER, _EPS = 1e-3, 2.0**-52

_CLIMB = {"lr", "elr", "em", "apn"}


def mean_weight(data: Dataset) -> float:
    """Weight of an average row, those of weight 0 left out."""
    if data.row_weights is None:
        return 1.0
    counted = data.row_weights[data.row_weights > 0]
    largest = float(counted.max())
    return largest * float((counted / largest).mean())


def unit_of(data: Dataset, strength: float = 0.0) -> float:
    """Power of ten by which weights, and a penalty of ``strength``, are to be divided.

    Raises
    ------
    DataError
        Weights whose CLL might be too large for a float.
    """
    mean = mean_weight(data)
    _check_total(data)
    unit = _power_of_ten(round(log10(mean) - log10(_USUAL)))
    if strength / _STRONGEST <= unit:
        return unit
    return _power_of_ten(ceil(log10(strength / _STRONGEST)))


def _power_of_ten(exponent: int) -> float:
    return float(f"1e{max(exponent, _LEAST_POWER)}")


def _check_total(data: Dataset) -> None:
    total = 0.0 if data.row_weights is None else float(data.row_weights.sum())
    if total > _LARGEST_TOTAL:
        raise DataError(
            f"the weights sum to {total:.1e}, and the rows' log-likelihood, some multiple of it, "
            "may be too large for a number; divide all weights by their largest"
        )


def divided(data: Dataset, unit: float) -> Dataset:
    """The rows with their weights in ``unit``; a row that counts never comes to weigh 0."""
    if data.row_weights is None and unit == 1:
        return data
    weights: FloatArray = np.where(data.weights > 0, np.maximum(data.weights / unit, _LEAST), 0.0)
    return replace(data, row_weights=weights)


def amount_in(unit: float, amount: float) -> float:
    """What is given in rows, such as a pseudocount, in ``unit``."""
    return min(amount / unit, _LARGEST)


def start_pseudocount(pseudocount: float, data: Dataset, unit: float) -> float:
    """What smooths the start, in ``unit`` as ``data`` and ``pseudocount`` are.

    Beside rows that weigh far more or less than 1 a start would be at the edge, where the gradient
    in β vanishes, or uniform: there it is smoothed by a thousandth to a thousandfold of a row.
    """
    inside = mean_weight(data)
    if pseudocount == 0 or 1.0 / _SMOOTHEST <= inside * unit <= _SMOOTHEST:
        return pseudocount
    return min(max(pseudocount, inside / _SMOOTHEST), inside * _SMOOTHEST)


def in_units(request: "Request") -> "Request":
    """The request with rows, penalty and pseudocounts in the unit of the rows' weights.

    Learners that only count have no tolerances, and no use for it.
    """
    if request.choice.learner not in _CLIMB:
        return request
    penalty = float(request.penalty)
    unit = unit_of(request.data, max(penalty, request.m_step_pseudocount))
    if request.choice.space in {"roos", "loglinear"}:
        request = replace(request, settings=_for_the_lightest(request, unit))
    if unit == 1:
        return request
    return replace(
        request,
        data=divided(request.data, unit),
        penalty=amount_in(unit, penalty),
        pseudocount=amount_in(unit, request.pseudocount),
        m_step_pseudocount=amount_in(unit, request.m_step_pseudocount),
        settings=replace(request.settings, unit=unit),
    )


def _for_the_lightest(request: "Request", unit: float) -> "Settings":
    """Settings whose ``tol``, of a CLL near 0, is that of the lightest rows.

    Beside rows a thousand times as heavy, which no longer matter where they are told apart, they
    are all that is left of the CLL. A convex problem can be solved so far.
    """
    settings, weights = request.settings, request.data.row_weights
    if weights is None:
        return settings
    counted = weights[weights > 0]
    lightest = max(float(counted.min()), _EPS * float(counted.max())) / unit
    return replace(settings, tol=settings.tol * lightest) if lightest < _MUCH_LIGHTER else settings


def in_rows(result: FitResult, unit: float) -> FitResult:
    """The result with what is counted in ``unit`` counted in rows again."""
    if unit == 1:
        return result

    def times(value: float | None) -> float | None:
        return None if value is None else value * unit

    return replace(
        result,
        cll=result.cll * unit,
        start_cll=result.start_cll * unit,
        upper_bound=times(result.upper_bound),
        penalty=result.penalty * unit,
        rows=tuple(row._replace(value=row.value * unit) for row in result.rows),
        log_likelihood=times(result.log_likelihood),
        start_log_likelihood=times(result.start_log_likelihood),
        message=f"{result.message} The solver's own figures are in units of {unit:.3g} rows.",
    )

"""Rows, penalty and pseudocounts in the unit of the rows' weights, and the result in rows again.

What a solver allows, lifts or calls small is relative to the larger of 1 and the function's value,
so that weights times 1e-12 would end any search at its start.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from bnlr._typing import FloatArray
from bnlr.data.dataset import Dataset
from bnlr.data.parted import PartedDataset
from bnlr.data.weight_unit import Measured, measured, quotients
from bnlr.errors import DataError
from bnlr.learn.choices import LOGISTIC_SPACES
from bnlr.learn.result import FitResult
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    from bnlr.learn.request import Request
    from bnlr.learn.runs.run import Settings

# Beside as many rows a penalty holds log-odds to 1e-10 of its centre. More would say no more, but
# hide from solvers what it leaves free, the class prior.
_STRONGEST = 1e10
_LARGEST = 1e30
_LARGEST_TOTAL = 1e303
_MUCH_LIGHTER, _EPS = 1e-3, 2.0**-52

# Learners that only count have no tolerances, and no use for a unit.
CLIMBERS = {"lr", "elr", "em", "apn"}


def measure(structure: Structure, data: Dataset) -> Measured:
    """The unit of the rows over the nodes of ``structure``, and their weights in it.

    Raises
    ------
    DataError
        Weights whose CLL might be too large for a float.
    """
    total = data._total_weight if data.has_weights else 0.0
    if total > _LARGEST_TOTAL:
        raise DataError(
            f"the weights sum to {total:.1e}, and the rows' log-likelihood, some multiple of it, "
            "may be too large for a number; divide all weights by their largest"
        )
    if isinstance(data, PartedDataset):
        return data.measured(structure.nodes)
    return measured([data.column(node) for node in structure.nodes], data.row_weights)


def divided(data: Dataset, rows: Measured) -> tuple[Dataset, float]:
    """``data`` in the unit of its ``rows``, and the unit."""
    unit, weights = rows
    return (data if unit == 1 else data._mapped(_in_unit, unit, weights)), unit


def _in_unit(data: Dataset, unit: float, weights: FloatArray | None) -> Dataset:
    weights = quotients(data.weights, unit) if weights is None else weights
    return replace(data, row_weights=weights)


def amount_in(unit: float, amount: float) -> float:
    """What is given in rows, such as a pseudocount, in ``unit``."""
    return min(amount / unit, _LARGEST)


def strength_in(unit: float, penalty: float, inside: Dataset) -> float:
    """What is to be the strength beside rows ``inside`` that unit."""
    return min(penalty / unit, _STRONGEST * inside._total_weight)


def in_units(request: "Request") -> "Request":
    """The request with rows, penalty and pseudocounts in the unit of the rows' weights."""
    if request.rows is None:
        return request
    data, unit = divided(request.data, request.rows)
    choice = request.choice
    is_tight = choice.space in LOGISTIC_SPACES or (request.has_holes and choice.solver == "newton")
    if is_tight and request.data.has_weights:
        request = replace(request, settings=_for_the_lightest(request, unit))
    return replace(
        request,
        data=data,
        penalty=strength_in(unit, float(request.penalty), data),
        pseudocount=amount_in(unit, request.pseudocount),
        start_pseudocount=amount_in(unit, request.start_pseudocount),
        m_step_pseudocount=amount_in(unit, request.m_step_pseudocount),
        settings=replace(request.settings, unit=unit),
    )


def _for_the_lightest(request: "Request", unit: float) -> "Settings":
    """Settings whose ``tol``, of a CLL near 0, is that of the lightest rows.

    Beside rows a thousand times as heavy, which no longer matter where they are told apart, they
    are all that is left of the CLL. A convex problem can be solved so far, and one with holes.
    """
    settings, (least, largest) = request.settings, request.data._weight_range
    lightest = max(least, _EPS * largest) / unit
    return replace(settings, tol=settings.tol * lightest) if lightest < _MUCH_LIGHTER else settings


def in_rows(result: FitResult, unit: float, penalty: float) -> FitResult:
    """The result with what is counted in ``unit`` counted in rows, and the ``penalty`` given."""
    if result.penalty:
        result = replace(result, penalty=penalty)
    if unit == 1:
        return result

    def times(value: float | None) -> float | None:
        return None if value is None else value * unit

    return replace(
        result,
        cll=result.cll * unit,
        start_cll=result.start_cll * unit,
        upper_bound=times(result.upper_bound),
        rows=tuple(row._replace(value=row.value * unit) for row in result.rows),
        log_likelihood=times(result.log_likelihood),
        start_log_likelihood=times(result.start_log_likelihood),
        message=f"{result.message} The solver's own figures are in units of {unit:.3g} rows.",
    )

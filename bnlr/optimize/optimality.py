"""Whether a solver that has stopped by a rule of its own stands near a minimum.

Rules on gradients, steps and decreases are in the units of the problem, and rounding may end a
search anywhere: neither says how far above the minimum F is. Here that is estimated, once, where
the solver has stopped; its road is left as it is.
"""

from collections.abc import Callable
from dataclasses import replace
from math import isfinite

import numpy as np

from bnlr._typing import BoolArray, FloatArray
from bnlr.optimize.base import Objective, Operator, Result, Status, dot
from bnlr.optimize.decrement import SETTLED, certainty, is_settled, product_limit
from bnlr.optimize.newton_system import NewtonSystem

NEAR = 1e-7
"""A share of F within which a point is near the minimum, however much less ``tol`` may be."""

# From a small change of a probability to one that leads from nearly 0 to nearly 1.
_STEPS = (0.25, 1.0, 4.0, 16.0, 64.0)
_NUDGE = 1e-5
_MOST_DIFFERENCES = 60

Gap = Callable[[FloatArray, float, FloatArray], float]
"""(x, F(x), the gradient there) ↦ an estimate of F(x) − min F."""

_STOPPED = {Status.CONVERGED, Status.PRECISION}


def enough(value: float, tol: float) -> float:
    """The gap to the minimum that a point with the value ``value`` may have."""
    return max(tol, NEAR) * max(1.0, abs(value))


def confirmed(objective: Objective, result: Result, tol: float, gap: Gap | None = None) -> Result:
    """Return ``result``, converged only if the gap to the minimum is estimated to be small.

    Parameters
    ----------
    objective, result, tol
        As of ``minimise``.
    gap
        An estimate of F − min F for an objective without a Hessian; else ``estimated_gap``.

    Notes
    -----
    A solver that has estimated the gap and calls itself converged is believed. One that came to its
    iteration limit is near too if what it has seen of the gap is small, and all of it is.
    """
    x, value, gradient = result.x, result.value, result.gradient
    allowed, seen = enough(value, tol), result.decrement
    is_limited = result.status is Status.ITERATION_LIMIT
    if result.status not in _STOPPED and not (is_limited and seen is not None and seen <= allowed):
        return result
    if result.status is Status.CONVERGED and seen is not None:
        return result
    found = (
        estimated_gap(objective, x, value, gradient, tol)
        if gap is None
        else gap(x, value, gradient)
    )
    which = "The gap to the minimum" if seen is None else "Looked at again, the gap"
    if found <= allowed:
        detail = f"{result.detail} {which} is estimated at {found:.1e}.".strip()
        return replace(result, status=_near(result.status), decrement=found, detail=detail)
    detail = (
        f"{result.detail} {which} is estimated at {found:.1e} or more, "
        f"{allowed:.1e} being near enough."
    )
    status = result.status if is_limited else Status.SHORT
    return replace(result, status=status, decrement=found, detail=detail.strip())


def _near(status: Status) -> Status:
    return Status.CONVERGED if status is Status.ITERATION_LIMIT else status


def proven(result: Result, bound: float | None, reached: float, tol: float) -> Result:
    """Return ``result``, converged if what was not confirmed is proven.

    ``bound`` is the most that −F can be, None if unknown, and ``reached`` what it is.
    """
    if result.status is not Status.SHORT or bound is None:
        return result
    gap = max(bound - reached, 0.0)
    if not gap <= enough(reached, tol):
        return result
    detail = f"The gap to the proven bound is {gap:.1e}."
    return replace(result, status=Status.CONVERGED, decrement=gap, detail=detail)


def estimated_gap(
    objective: Objective,
    x: FloatArray,
    value: float,
    gradient: FloatArray,
    tol: float,
    preconditioner: Operator | None = None,
    free: BoolArray | None = None,
) -> float:
    """Estimate F − min F near ``x`` as well as comparing it with ``enough`` takes.

    Parameters
    ----------
    objective, x, value, gradient, tol
        The function, the point, (n,), F(x), the gradient there, and what was asked for.
    preconditioner
        Given where the objective has no Hessian: differences of gradients take its place.
    free
        The coordinates that may move, (n,); all of them if nothing is given.

    Notes
    -----
    The Newton decrement; where parameters run away the gap is about twice that. Where the curvature
    is negative, or lost in rounding, what F falls by along that direction is added.
    """
    kept: FloatArray | float = 1.0 if free is None else free.astype(np.float64)
    slope = gradient * kept
    if not slope.any():
        return 0.0
    limit = product_limit(x.size)
    if preconditioner is None:
        hessian, preconditioner = objective.hessian(x), objective.preconditioner(x)
    else:
        hessian = _differences(objective, x)
        limit = min(limit, _MOST_DIFFERENCES)
    allowed = enough(value, tol)
    inverse: Operator = preconditioner
    system = NewtonSystem(slope, lambda v: hessian(v) * kept, lambda r: inverse(r) * kept)
    certain = certainty(allowed, value, system.gradient_length)
    while not system.ended and system.n_products < limit and system.decrease <= allowed:
        # One look at least: no gradient is small enough to tell a saddle.
        if system.n_products and system.residual <= certain:
            break
        if free is None and is_settled(objective, x, system, allowed):
            return system.decrease + SETTLED * allowed
        system.step()
    return gap_by(objective, x, value, slope, system, allowed)


def gap_by(
    objective: Objective,
    x: FloatArray,
    value: float,
    slope: FloatArray,
    system: NewtonSystem,
    allowed: float,
) -> float:
    """Estimate F − min F near ``x`` by a linear ``system`` in the ``slope``, solved so far.

    Less fine above ``allowed``.
    """
    if system.decrease > allowed:
        return system.decrease
    gap = system.decrease + system.remainder
    if gap > allowed or system.ended in {"", "exact"}:
        return gap
    along = (system.direction, -slope)
    return gap + max(_fall(objective, x, value, slope, d) for d in along)


def _differences(objective: Objective, x: FloatArray) -> Operator:
    """Hessian products by central differences of gradients."""

    def product(v: FloatArray) -> FloatArray:
        step = _NUDGE / max(float(np.abs(v).max()), 1e-300)
        ahead = objective.value_and_gradient(x + step * v)[1]
        behind = objective.value_and_gradient(x - step * v)[1]
        return (ahead - behind) / (2.0 * step)

    return product


def _fall(
    objective: Objective, x: FloatArray, value: float, gradient: FloatArray, direction: FloatArray
) -> float:
    """The most that F falls by along ``direction``, downhill, at steps of any likely size."""
    size = float(np.abs(direction).max(initial=0.0))
    if not (isfinite(size) and size > 0):
        return 0.0
    d = direction * (-1.0 if dot(gradient, direction) > 0 else 1.0) / size
    with np.errstate(over="ignore", invalid="ignore"):
        values = [objective.value_and_gradient(x + s * d)[0] for s in _STEPS]
    return max([0.0, *(value - there for there in values if isfinite(there))])

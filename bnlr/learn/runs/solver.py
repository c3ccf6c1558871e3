"""Which solver runs: the one place that knows that small problems have their own."""

from typing import Any

from bnlr._typing import FloatArray
from bnlr.objectives import small_newton
from bnlr.optimize.base import Objective, Result, minimise


def find_minimum(
    objective: Objective, x0: FloatArray, *, solver: str = "newton", **options: Any
) -> Result:
    """``minimise``; by Newton's method in one compiled call an iteration where that is faster.

    Parameters
    ----------
    objective, x0, solver, options
        As in ``minimise``.
    """
    if solver == "newton" and small_newton.is_small(objective):
        return minimise(objective, x0, solver=small_newton.newton, **options)
    return minimise(objective, x0, solver=solver, **options)

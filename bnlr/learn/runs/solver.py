"""Which solver runs: the one place that knows that small problems have their own."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bnlr._typing import FloatArray
from bnlr.objectives import small_newton
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.incomplete import EvidenceObjective
from bnlr.optimize.base import Objective, Preconditioner, Result, Status, go_on, minimise
from bnlr.optimize.decrement import product_limit
from bnlr.optimize.iteration import Walk, walk_on
from bnlr.optimize.newton import MEMORY, NewtonWalk
from bnlr.optimize.quasi_newton import quasi_newton
from bnlr.optimize.secant import SecantPairs
from bnlr.optimize.trace import CountingObjective

# Of a system. Certainty about the last decades may take many more, and a proof is as sure.
_MOST_LOOKUPS, _LEAST_PRODUCTS = 4e9, 200


def find_minimum(
    objective: Objective, x0: FloatArray, *, solver: str = "newton", **options: Any
) -> Result:
    """``minimise``; by Newton's method in the form that suits the objective.

    In one compiled call an iteration where that is faster, and with few products where these cost
    inference about all rows or curvature may be negative.

    Parameters
    ----------
    objective, x0, solver, options
        As in ``minimise``.
    """
    if solver == "newton" and small_newton.is_small(objective):
        return minimise(objective, x0, solver=small_newton.newton, **options)
    own = objective.objective if isinstance(objective, CountingObjective) else objective
    if solver == "newton" and isinstance(own, EvidenceObjective):
        return minimise(objective, x0, solver=quasi_newton, **options)
    if solver == "newton" and isinstance(own, ConditionalObjective) and own.is_factored:
        return minimise(objective, x0, solver=quasi_newton, finest=0.0, **options)
    if solver == "newton" and isinstance(own, ConditionalObjective):
        options.setdefault("max_products", _most_products(own, x0.size))
    return minimise(objective, x0, solver=solver, **options)


def _most_products(objective: ConditionalObjective, size: int) -> int:
    """Products that a linear system may spend: some seconds' worth."""
    affordable = int(_MOST_LOOKUPS / max(objective.design.n_lookups, 1))
    return min(product_limit(size), max(_LEAST_PRODUCTS, affordable))


class NewtonSteps:
    """``find_minimum`` by Newton's method, an iteration at a time.

    ``x`` is the point, ``is_done`` whether it is the last. Where there is an ``inverse``, that of
    the Hessian, about, at the start is not worked out of the ``objective``; it may be shared.
    """

    def __init__(
        self,
        objective: ConditionalObjective,
        x0: FloatArray,
        tol: float,
        max_iter: int,
        inverse: Callable[[], Preconditioner] | None = None,
    ) -> None:
        self.x, self.is_done, self._max_iter = x0, False, max_iter
        limit, rows = product_limit(x0.size), (objective.design, objective.penalty)
        self._walk: Walk
        with np.errstate(over="ignore"):
            if small_newton.is_small(objective):
                self._walk = small_newton.SmallNewton(*rows, x0, tol, limit, MEMORY)
            else:
                walk = NewtonWalk(objective, x0, tol, limit, SecantPairs(MEMORY))
                walk.base = None if inverse is None else inverse()
                self._walk = walk

    def advance(self) -> None:
        """Make an iteration."""
        next_one = self._walk.n_iter + 1
        with np.errstate(over="ignore"):
            result = walk_on(self._walk, next_one, go_on)
        self.x = result.x
        is_open = result.status is Status.ITERATION_LIMIT and next_one < self._max_iter
        self.is_done = not is_open

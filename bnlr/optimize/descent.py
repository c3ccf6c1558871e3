"""One loop for all first-order solvers: a direction, a step along it, the gradient there.

Directions come from an object with a memory (``Directions``), step lengths from a function
(``StepRule``), as in Nash (1990), *Compact Numerical Methods for Computers*, chapters 15 and 16,
whose conjugate gradients and variable metric methods differ in nothing else. Values along a
direction are asked for by ``objective.value``; the gradient is asked for once an iteration, at
the point taken.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from typing import NamedTuple, Protocol

import numpy as np

from bnlr._typing import FloatArray
from bnlr.optimize.base import Objective, OnIteration, Result, State, Status, dot
from bnlr.optimize.iteration import walk_on

_UNCHANGED = 10.0  # a coordinate changes if 10 + x does (Nash's "reltest")
_RUNAWAY = 1e9
_MAX_STALLS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Ray:
    """The objective along a direction, s ↦ F(x + s·d), s ≥ 0.

    Attributes
    ----------
    objective : the function
    x, d : where the ray starts and its direction, shape (n,)
    value, slope : F(x) and its derivative along d, which is negative
    """

    objective: Objective
    x: FloatArray
    d: FloatArray
    value: float
    slope: float

    def __call__(self, s: float) -> float:
        """F(x + s·d), +inf where that is not finite."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value = float(self.objective.value(self.point(s)))
        return value if isfinite(value) else inf

    def point(self, s: float) -> FloatArray:
        """x + s·d."""
        return self.x + s * self.d

    def moves(self, s: float) -> bool:
        """Whether a step of s changes any coordinate of 10 + x at working precision."""
        return bool((_UNCHANGED + self.point(s) != _UNCHANGED + self.x).any())


class Step(NamedTuple):
    """A step taken.

    ``s`` is its length in units of the direction; ``reference`` the length from which the next
    search may set out: Nash's CG uses the acceptable step, not the one that a parabola improved.
    """

    s: float
    reference: float


StepRule = Callable[[Ray, float, bool], Step | None]
"""(ray, ``reference`` of the step before, whether the direction is fresh) ↦ a step, or None.

The first ``reference`` is 1.
"""


class Directions(Protocol):
    """Makes update directions from gradients; it remembers what it needs of earlier ones.

    Attributes
    ----------
    fresh : whether the direction proposed last started anew, from the gradient alone
    repeats_gradient : whether a restart takes the gradient again, as Nash's CG does
    """

    fresh: bool
    repeats_gradient: bool

    def propose(self, x: FloatArray, gradient: FloatArray, /) -> FloatArray | None:
        """Return a direction; None where the method's own rule sees nothing to gain."""

    def restart(self) -> None:
        """Forget everything."""


Settled = Callable[[float, float], bool]
"""(F before an iteration, F after it) ↦ whether that is too little to go on."""


def never(before: float, after: float) -> bool:  # noqa: ARG001  a rule's signature
    """Go on however small the progress."""
    return False


def relative_decrease(reltol: float) -> Settled:
    """Stop where F falls by at most reltol · (abs(F) + reltol)."""
    return lambda before, after: abs(after - before) <= reltol * (abs(before) + reltol)


def descend(
    objective: Objective,
    x0: FloatArray,
    directions: Directions,
    step_rule: StepRule,
    *,
    max_iter: int,
    on_iteration: OnIteration,
    settled: Settled = never,
) -> Result:
    """Go down along proposed directions until a fresh one brings no progress.

    Parameters
    ----------
    objective, x0, max_iter, on_iteration : as in ``minimise``
    directions, step_rule, settled : the method

    Notes
    -----
    An iteration is a direction along which a step was taken. Where none is proposed, the
    proposed one does not descend, no step along it is acceptable, or the step is too small
    (``settled``), ``directions`` are restarted; the run ends if they were fresh. It also ends,
    with ``Status.PRECISION``, after three iterations in a row without a decrease.
    """
    walk = _Walk(objective, x0, directions, step_rule, settled)
    return walk_on(walk, max_iter, on_iteration)


class _Walk:
    """The point where the solver stands."""

    def __init__(
        self,
        objective: Objective,
        x0: FloatArray,
        directions: Directions,
        step_rule: StepRule,
        settled: Settled,
    ) -> None:
        self.objective, self.x = objective, x0
        self.directions, self.step_rule, self.settled = directions, step_rule, settled
        self.n_iter, self.n_restarts, self.stalls = 0, 0, 0
        self.reference = 1.0
        self.far = _RUNAWAY * max(1.0, float(np.abs(x0).max(initial=0.0)))
        self.value, self.gradient = objective.value_and_gradient(x0)

    def state(self) -> State:
        return State(self.n_iter, self.value, self.x, self.gradient)

    def result(self, status: Status) -> Result:
        largest = float(np.abs(self.gradient).max(initial=0.0))
        detail = (
            f"{self.n_iter} iterations, {self.n_restarts} restarts beyond the periodic ones; "
            f"the largest gradient entry is {largest:.1e}."
        )
        return Result(self.x, self.value, self.gradient, status, self.n_iter, None, detail)

    def trouble(self) -> Status | None:
        if not (isfinite(self.value) and np.isfinite(self.gradient).all()):
            return Status.NOT_FINITE
        if float(np.abs(self.x).max(initial=0.0)) > self.far:
            return Status.UNBOUNDED
        return Status.PRECISION if self.stalls >= _MAX_STALLS else None

    def advance(self) -> Status | None:
        """One iteration or one restart; the reason to stop, if there is one."""
        d = self.directions.propose(self.x, self.gradient)
        slope = 0.0 if d is None else dot(self.gradient, d)
        if d is None or not slope < 0:
            return self._restart(Status.CONVERGED)
        before = self.value
        ray = Ray(self.objective, self.x, d, self.value, slope)
        step = self.step_rule(ray, self.reference, self.directions.fresh)
        if step is None:
            return self._restart(Status.PRECISION)
        self._stand_at(ray.point(step.s), step.reference)
        if self.settled(before, self.value):
            return self.trouble() or self._restart(Status.CONVERGED, again=False)
        return self.trouble()

    def _stand_at(self, x: FloatArray, reference: float) -> None:
        value, gradient = self.objective.value_and_gradient(x)
        self.stalls = 0 if value < self.value else self.stalls + 1
        self.x, self.value, self.gradient, self.reference = x, value, gradient, reference
        self.n_iter += 1

    def _restart(self, verdict: Status, again: bool = True) -> Status | None:
        """Start anew, or end with ``verdict`` if the direction was a new start already."""
        if self.directions.fresh:
            return verdict
        self.directions.restart()
        self.n_restarts += 1
        if again and self.directions.repeats_gradient:
            self.value, self.gradient = self.objective.value_and_gradient(self.x)
        return None

"""Newton's method where rows and tables are few: one compiled call an iteration.

A structure search fits thousands of such models, and Python between the products would take longer
than the products. The walk is ``NewtonWalk``'s, rule by rule; its numbers differ in rounding only.
"""

from math import isfinite
from typing import Any

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.tables import Design, Linearisation, kernels
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.precondition import SMALL, Factored, inverse_curvature
from bnlr.optimize.base import Result, State, Status
from bnlr.optimize.newton import CUT_OFF, MAX_STALLS, RUNAWAY, account, broken_promise, confirmed
from bnlr.optimize.trace import Counts

_MOST_CELLS = 512
_NONE = np.empty((0, 0))


def is_small(design: Design) -> bool:
    """Whether Python would take longer than the rows, and there is a compiler to do better."""
    lookups = design.codes.size * (design.layout.n_classes - 1)
    few = lookups <= SMALL and design.layout.n_cells <= _MOST_CELLS
    return few and kernels().IS_COMPILED


class SmallNewton:
    """A ``Walk`` over flat tables relative to the first class, from ``x0``.

    ``tol``, ``limit`` (of products) and ``memory`` are those of ``newton``.
    """

    def __init__(
        self,
        design: Design,
        penalty: Penalty | None,
        x0: FloatArray,
        tol: float,
        limit: int,
        memory: int,
    ) -> None:
        from bnlr.objectives import newton_kernels as k  # noqa: PLC0415  needs the compiler

        self._k: Any = k
        self._design, self._penalty = design, penalty
        shape = (design.layout.n_cells, design.layout.n_classes - 1)
        self._held = (
            x0.reshape(shape).copy(),
            np.empty(shape),
            np.empty((design.n_rows, shape[1])),
        )
        self._pairs = (np.empty((memory, *shape)), np.empty((memory, *shape)))
        self._data = _data(design, penalty)
        self._numbers = numbers = np.zeros(k.N_NUMBERS)
        numbers[[k.TOL, k.LIMIT, k.FORCING, k.FULL]] = tol, limit, 0.5, 1.0
        self._far = RUNAWAY * max(1.0, float(np.abs(x0).max(initial=0.0)))
        self._upper: FloatArray | None = None
        self._decrement: float | None = None
        self._detail = ""
        self._is_large = self._call(k.START) == k.SHRINK

    @property
    def n_iter(self) -> int:
        """Completed iterations."""
        return int(self._numbers[self._k.N_ITER])

    @property
    def counts(self) -> Counts:
        """Evaluations so far."""
        k = self._k
        return Counts(*(int(self._numbers[at]) for at in (k.N_CLL, k.N_GRADIENT, k.N_HVP)))

    def state(self) -> State:
        """Return what is shown of the point."""
        x, gradient, _ = self._held
        return State(self.n_iter, self._value, x.flatten(), gradient.flatten())

    def result(self, status: Status) -> Result:
        """Return the point, and why the walk stopped there."""
        at = self.state()
        detail = account(self._detail, at.iteration, self.counts.hvp)
        return Result(at.x, at.value, at.gradient, status, at.iteration, self._decrement, detail)

    def trouble(self) -> Status | None:
        """Return the reason not to go on from here, if there is one."""
        largest = self._numbers[self._k.LARGEST]
        if not (isfinite(self._value) and isfinite(largest)):
            return Status.NOT_FINITE
        if largest > self._far:
            return Status.UNBOUNDED
        return Status.PRECISION if self._numbers[self._k.STALLS] >= MAX_STALLS else None

    def advance(self) -> Status | None:
        """One iteration; the reason to stop, if there is one."""
        k, s, self._detail = self._k, self._numbers, ""
        if self.n_iter == 0 and self._is_large and self._call(k.SHRINK) == k.SHRINK:
            return self.trouble()
        self._is_large = False
        if self._upper is None:
            self._upper = self._factor()
        gap = s[k.TOL] * max(1.0, abs(self._value))
        outcome = self._call(k.GO_ON)
        self._detail = CUT_OFF if s[k.CUT] else ""
        if outcome == k.MISLED:
            s[k.N_PAIRS], s[k.RADIUS], s[k.RENEW] = 0, 0.0, 1
        if s[k.RENEW]:
            self._upper = None
        return self._judged(outcome, float(gap))

    def _call(self, task: int) -> int:
        self._numbers[self._k.TASK] = task
        upper = _NONE if self._upper is None else self._upper
        return int(self._k.advance(*self._data, self._held, self._pairs, upper, self._numbers))

    def _judged(self, outcome: int, gap: float) -> Status | None:
        k, s = self._k, self._numbers
        self._decrement = float(s[k.DECREMENT]) if outcome == k.CONVERGED else None
        if self._decrement is not None:
            self._detail += confirmed(self._decrement, gap)
            return Status.CONVERGED
        if outcome == k.LOST:
            self._detail = broken_promise(float(s[k.DECREASE]))
            return Status.PRECISION
        return self.trouble()

    @property
    def _value(self) -> float:
        return float(self._numbers[self._k.VALUE])

    def _factor(self) -> FloatArray:
        """Factor of the preconditioner at the point; of the diagonal, should it have none."""
        local = Linearisation(self._design, 0.0, self._held[1], self._held[2])
        strength = 0.0 if self._penalty is None else self._penalty.strength
        inverse = inverse_curvature(local, None, strength)
        if isinstance(inverse, Factored):
            return inverse.upper
        diagonal = local.hessian_diagonal().max(axis=1) + strength
        return np.diag(np.sqrt(np.maximum(diagonal, 1e-10 * max(float(diagonal.max()), 1.0))))


def _data(design: Design, penalty: Penalty | None) -> tuple[Any, ...]:
    """Rows, penalty and centre as the kernels take them."""
    packing, own = design.packing, design.layout.families[0].rows
    rows = (
        packing.ends,
        packing.cells,
        packing.offsets,
        design.codes,
        design.classes,
        design.row_weights,
    )
    strength = 0.0 if penalty is None else float(penalty.strength)
    centre = _NONE if penalty is None else np.ascontiguousarray(penalty.centre)
    return rows, (strength, own.start, own.stop), centre

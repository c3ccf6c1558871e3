"""Newton's method where rows and tables are few: one compiled call an iteration.

A structure search fits thousands of such models, and Python between the products would take longer
than the products. The walk is ``NewtonWalk``'s, rule by rule; its numbers differ in rounding only.
"""

from math import isfinite
from typing import Any

import numpy as np
from scipy.linalg import lapack

from bnlr._typing import FloatArray
from bnlr.design.tables import Design, Linearisation, kernels
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.precondition import (
    BLEND,
    LEAST_CURVATURE,
    SMALL,
    Factored,
    inverse_curvature,
    sample_size,
)
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
        from bnlr.objectives.small_kernels import curvature_matrix  # noqa: PLC0415

        self._k: Any = k
        self._curvature_matrix = curvature_matrix
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
        numbers[k.TOL], numbers[k.LIMIT], numbers[k.FORCING], numbers[k.FULL] = tol, limit, 0.5, 1.0
        self._now: list[float] = []  # what the numbers were after the last call
        self._upper: FloatArray | None = None
        self._decrement: float | None = None
        self._detail = ""
        self._is_large = self._call(k.START) == k.SHRINK
        self._far = RUNAWAY * max(1.0, self._now[k.LARGEST])

    @property
    def n_iter(self) -> int:
        """Completed iterations."""
        return int(self._now[self._k.N_ITER])

    @property
    def counts(self) -> Counts:
        """Evaluations so far."""
        k, s = self._k, self._now
        return Counts(int(s[k.N_CLL]), int(s[k.N_GRADIENT]), int(s[k.N_HVP]))

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
        largest = self._now[self._k.LARGEST]
        if not (isfinite(self._value) and isfinite(largest)):
            return Status.NOT_FINITE
        if largest > self._far:
            return Status.UNBOUNDED
        return Status.PRECISION if self._now[self._k.STALLS] >= MAX_STALLS else None

    def advance(self) -> Status | None:
        """One iteration; the reason to stop, if there is one."""
        k, self._detail = self._k, ""
        if self.n_iter == 0 and self._is_large and self._call(k.SHRINK) == k.SHRINK:
            return self.trouble()
        self._is_large = False
        if self._upper is None:
            self._upper = self._factor()
        gap = self._now[k.TOL] * max(1.0, abs(self._value))
        outcome = self._call(k.GO_ON)
        self._detail = CUT_OFF if self._now[k.CUT] else ""
        if outcome == k.MISLED:
            self._numbers[[k.N_PAIRS, k.RADIUS]] = 0.0
        if outcome == k.MISLED or self._now[k.RENEW]:
            self._upper = None
        return self._judged(outcome, gap)

    def _call(self, task: int) -> int:
        self._numbers[self._k.TASK] = task
        upper = _NONE if self._upper is None else self._upper
        done = self._k.advance(*self._data, self._held, self._pairs, upper, self._numbers)
        self._now = self._numbers.tolist()
        return int(done)

    def _judged(self, outcome: int, gap: float) -> Status | None:
        k, s = self._k, self._now
        self._decrement = s[k.DECREMENT] if outcome == k.CONVERGED else None
        if self._decrement is not None:
            self._detail += confirmed(self._decrement, gap)
            return Status.CONVERGED
        if outcome == k.LOST:
            self._detail = broken_promise(s[k.DECREASE])
            return Status.PRECISION
        return self.trouble()

    @property
    def _value(self) -> float:
        value: float = self._now[self._k.VALUE]
        return value

    def _factor(self) -> FloatArray:
        """Factor of the preconditioner at the point; of the diagonal, should it have none."""
        _, gradient, probabilities = self._held
        n_cells, strength = len(gradient), self._data[1][0]
        local = Linearisation(self._design, 0.0, gradient, probabilities)
        if len(probabilities) <= sample_size(n_cells):
            # The same, of all rows, in one compiled call in place of twenty.
            numbers = (n_cells, strength, BLEND, LEAST_CURVATURE)
            matrix = self._curvature_matrix(self._data[0], probabilities, *numbers)
            factor, info = lapack.dpotrf(matrix.T, lower=True, clean=False, overwrite_a=True)
            if not info:
                return np.asarray(factor.T)
        else:
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

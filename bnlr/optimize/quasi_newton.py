"""Newton's method where a Hessian product costs a gradient, and curvature may be negative."""

from math import isfinite

import numpy as np

from bnlr._typing import FloatArray
from bnlr.optimize.base import (
    Objective,
    OnIteration,
    Operator,
    Result,
    Status,
    dot,
)
from bnlr.optimize.decrement import certainty
from bnlr.optimize.iteration import walk_on
from bnlr.optimize.line_search import Step, decreases, line_search
from bnlr.optimize.newton import MAX_STALLS, OVERCONFIDENT, PointWalk, check_options, confirmed
from bnlr.optimize.newton_system import NewtonSystem
from bnlr.optimize.optimality import NEAR, gap_by
from bnlr.optimize.secant import SecantPairs

_MEMORY, _MOST_PRODUCTS = 30, 60
_FIRST_RENEWAL, _RENEWAL = 6, 20  # iterations
_FARTHEST = 5.0  # that any coordinate goes in one step, lengthened or not
_FORCING, _FEW = 0.3, 3  # share of the gradient that a step may leave, and products it may cost
_STEEP, _FLATTEN = 0.9, 0.5
_PATIENCE = 20  # iterations of hardly any progress that are made for a gap below `NEAR`
_LEAST = 1e-300


def quasi_newton(
    objective: Objective,
    x0: FloatArray,
    *,
    tol: float,
    max_iter: int,
    on_iteration: OnIteration,
    memory: int = _MEMORY,
    max_products: int | None = None,
    finest: float = NEAR,
) -> Result:
    """Newton's method of few products, with a preconditioner that learns from all of them.

    Parameters
    ----------
    objective, x0, tol, max_iter, on_iteration : as in ``minimise``
    memory : steps and products remembered
    max_products : Hessian-vector products a linear system may spend, default 60
    finest : the share of F below which no gap is asked for, as products may be differences

    Notes
    -----
    *Direction.* Conjugate gradients on H·p = −g, 3 products at most. The preconditioner is the
    objective's, improved by the last steps and products as in L-BFGS: what a system has learned of
    H spares the next one its products. It is asked for anew after 6 iterations and then every 20.
    No coordinate goes further than 5: what is logarithmic in probabilities has little curvature to
    stop it where these are nearly 0. Negative curvature ends a system, and is followed. An
    overconfident start is first taken back towards 0, as ``newton`` does.

    *Stopping.* As ``newton`` does, by the decrement: a system whose decrease is within the gap is
    carried on until ``certainty`` is reached. Where it ends by negative or no curvature, what F
    falls by along that direction is added.

    Raises
    ------
    ParameterError
        ``memory`` or ``max_products`` out of range.
    """
    check_options(memory, max_products)
    limit = _MOST_PRODUCTS if max_products is None else max_products
    walk = QuasiNewtonWalk(objective, x0, tol, limit, memory, finest)
    return walk_on(walk, max_iter, on_iteration)


class QuasiNewtonWalk(PointWalk):
    """The walk of `quasi_newton`."""

    def __init__(
        self,
        objective: Objective,
        x0: FloatArray,
        tol: float,
        limit: int,
        memory: int,
        finest: float,
    ) -> None:
        super().__init__(objective, x0, tol, limit, SecantPairs(memory))
        self.memory, self.finest, self.renewed = memory, finest, 0
        self.mark = 0, self.value

    def trouble(self) -> Status | None:
        """Return the reason not to go on from here, if there is one."""
        if not (isfinite(self.value) and np.isfinite(self.gradient).all()):
            return Status.NOT_FINITE
        return Status.PRECISION if self.stalls >= MAX_STALLS else None

    def advance(self) -> Status | None:
        """One iteration; the reason to stop, if there is one."""
        inverse = self._inverse()
        p, is_converged = self._solve(inverse, self._gap())
        moved = self._move(p)
        if is_converged:
            return Status.CONVERGED
        # Differences of gradients that heavy rows round say little of light ones' curvature.
        moved = moved or self._move(-inverse(self.gradient))
        self.decrement = None
        return self.trouble() if moved else self._begin_again()

    def _gap(self) -> float:
        size = abs(self.value)
        if self.mark[1] - self.value > NEAR * size:
            self.mark = self.n_iter, self.value
        is_slow = self.n_iter - self.mark[0] >= _PATIENCE
        return max(self.tol * max(1.0, size), (NEAR if is_slow else self.finest) * size)

    def _inverse(self) -> Operator:
        due = _RENEWAL if self.renewed else _FIRST_RENEWAL
        if self.base is None or self.n_iter - self.renewed >= due:
            self.base = self.objective.preconditioner(self.x)
            self.renewed = self.n_iter
        return self.pairs.improve(self.base)

    def _begin_again(self) -> Status | None:
        """Forget what earlier points have taught: it has misled."""
        if not self.pairs and self.renewed == self.n_iter and self.base is not None:
            return Status.PRECISION
        self.pairs.forget()
        self.base = None
        return None

    def _solve(self, inverse: Operator, gap: float) -> tuple[FloatArray, bool]:
        """The Newton step, and whether the decrement is known to be within the ``gap``."""
        hessian, seen = self.objective.hessian(self.x), []

        def product(v: FloatArray) -> FloatArray:
            seen.append((v, hessian(v)))
            return seen[-1][1]

        system = NewtonSystem(self.gradient, product, inverse)
        is_cut = self._walk_through(system, gap) and self.limit < _MOST_PRODUCTS
        for step, change in seen[-max(self.memory // 2, 1) :]:
            self.pairs.add(step, change)
        self.n_products += system.n_products
        at = self.x, self.value, self.gradient
        self.decrement = gap_by(self.objective, *at, system, gap)
        # A system that is allowed less than mostly does may not have seen most of the decrement.
        if self.decrement <= gap and not is_cut:
            self.detail = confirmed(self.decrement, gap)
            return system.p, True
        if system.ended in {"negative", "flat"}:
            d = system.direction
            return system.p + d / max(float(np.abs(d).max()), _LEAST), False
        return system.p, False

    def _walk_through(self, system: NewtonSystem, gap: float) -> bool:
        """Solve as far as needed to make a step of it, or to believe a decrement below ``gap``.

        Whether it was cut off before.
        """
        certain = certainty(gap, self.value, system.gradient_length)
        enough_left = _FORCING * system.gradient_length
        while not system.ended and system.n_products < self.limit:
            # One look at least: no gradient is small enough to tell a saddle.
            if system.n_products and system.residual <= certain:
                break
            is_close = system.residual <= enough_left or system.n_products >= _FEW
            if system.decrease > gap and is_close:
                break
            system.step()
        return not system.ended and system.residual > certain

    def _move(self, p: FloatArray) -> bool:
        """Go along ``p``; whether that leads on."""
        longest = float(np.abs(p).max(initial=0.0))
        if not (isfinite(longest) and longest > 0):
            return False
        if self.n_iter == 0 and longest > _FARTHEST and self._shrink():
            return True
        cut = np.clip(p, -_FARTHEST, _FARTHEST)
        slope = dot(self.gradient, cut)
        if not slope < 0:
            cut = p * min(1.0, _FARTHEST / longest)
            slope = dot(self.gradient, cut)
        if not slope < 0:
            return False
        p = cut
        x = self.x + p
        value, gradient = self.objective.value_and_gradient(x)
        full = Step(1.0, value, dot(gradient, p))
        if decreases(full, self.value, slope) and full.slope >= _STEEP * slope:
            return self._stand_at(x, value, gradient)
        return self._search(p, slope, max(1.0, _FARTHEST / float(np.abs(p).max())))

    def _shrink(self) -> bool:
        """Go back towards 0 from a start whose log-odds are too large; whether that was done."""
        slope = -dot(self.gradient, self.x)
        if not slope < -OVERCONFIDENT * abs(self.value) or not self._search(-self.x, slope, 1.0):
            return False
        self.base = None
        return True

    def _search(self, p: FloatArray, slope: float, farthest: float) -> bool:
        """Go along ``p`` as far as a line search says; whether that leads on."""
        line = self.objective.along(self.x, p)
        step = line_search(line, self.value, slope, flatten=_FLATTEN, farthest=farthest)
        if step is None:
            return False
        x = self.x + step.s * p
        return self._stand_at(x, *self.objective.value_and_gradient(x))

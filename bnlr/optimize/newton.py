"""Truncated Newton: few passes over the data, any number of parameters, flat directions welcome."""

from math import inf, isfinite

import numpy as np

from bnlr._typing import FloatArray
from bnlr.optimize.base import (
    Objective,
    OnIteration,
    Preconditioner,
    Result,
    State,
    Status,
    check_count,
    dot,
)
from bnlr.optimize.decrement import certainty, is_settled, product_limit, settled_share
from bnlr.optimize.iteration import walk_on
from bnlr.optimize.line_search import ROUNDING, Step, decreases, is_flat, line_search
from bnlr.optimize.newton_system import NewtonSystem
from bnlr.optimize.secant import MOST_MEMORY, SecantPairs

FLATTEN = 0.1  # a slope this much smaller ends a line search
FIRST_RADIUS = 10.0  # times the length of the preconditioned gradient
GROWTH = 10.0
OVERCONFIDENT = 0.25
RUNAWAY = 1e9
DOUBTFUL = 1e-12  # share of F that it may seem to fall by where the weights are large
MAX_STALLS = 3
CUT_OFF = "The last linear system was cut off at max_products."
MEMORY = 10  # steps remembered
_MOST_PRODUCTS = 10**9
EASY = 8  # products of a system that remembered steps would not shorten by what they cost


def newton(
    objective: Objective,
    x0: FloatArray,
    *,
    tol: float,
    max_iter: int,
    on_iteration: OnIteration,
    memory: int = MEMORY,
    max_products: int | None = None,
) -> Result:
    """Newton's method, each system solved by preconditioned conjugate gradients.

    Parameters
    ----------
    objective, x0, tol, max_iter, on_iteration : as in ``minimise``
    memory : steps remembered for the preconditioner
    max_products : Hessian-vector products an iteration may spend, default min(2n + 20, 2000)

    Notes
    -----
    *Direction.* Conjugate gradients on H·p = −g inside a trust region, stopped early by the
    forcing sequence of Eisenstat & Walker (1996, choice 2 with exponent 1 and factor ½); negative
    curvature and directions without curvature are followed to the region's boundary. Singular
    Hessians are fine: flat directions are never entered. The objective's preconditioner is asked
    for once: one that follows the point would degenerate with the Hessian where weights run away,
    and cost several times the products; unless it says by ``renewal`` after how many products of
    one system one of another point is worth its price. Once a system has proved to need many
    products, it is improved by the steps taken (``SecantPairs``). *Step.* A line search, which also
    lengthens a step whose end still falls steeply; for log-linear models that have no finite
    optimum this multiplies the progress of an iteration. After a full step the next one is tried
    without preparing a line. A step that lowers F within rounding only must halve the gradient, and
    one that lowers it by hardly more must not lengthen it; else it is refused, and ends the walk
    unless remembered steps may have misled it. *First step.* Where F falls along −x by as much as
    over-confident scores make it (gᵀx > F/4), the first iteration moves x towards 0, which brings
    saturated scores back to where the Hessian tells something.

    *Stopping.* The Newton decrement ½gᵀH⁺g estimates F(x) − min F (Boyd & Vandenberghe 2004,
    section 9.5). A truncated solve only sums the decrease of the directions it has seen, so it
    under-estimates; directions of weak curvature come last, and on separable data they hold
    most of the gap. Before a small decrement is believed, the same solve is therefore carried
    on until ``certainty`` is reached: no minimiser within a generous distance can then lie
    further down; or until the objective knows that what is unseen is little, by its ``remainder``,
    as a penalised one does, or that F cannot fall by more, by its ``floor``. A solve that is cut
    off before leaves ``decrement`` None: the walk ends, for others to look how near. Where weights
    run away, F − min F falls like an exponential and is twice the decrement. The step paid for by
    that solve is then taken, so the returned point is usually far closer than ``decrement``, which
    belongs to the point before.

    Raises
    ------
    ParameterError
        ``memory`` or ``max_products`` out of range.
    """
    check_options(memory, max_products)
    limit = product_limit(x0.size) if max_products is None else max_products
    walk = NewtonWalk(objective, x0, tol, limit, SecantPairs(memory))
    return walk_on(walk, max_iter, on_iteration)


def check_options(memory: int, max_products: int | None) -> None:
    """Raise ParameterError for options of ``newton`` that are out of range."""
    check_count("memory", memory, at_least=0, at_most=MOST_MEMORY)
    if max_products is not None:
        check_count("max_products", max_products, at_least=1, at_most=_MOST_PRODUCTS)


def forcing(last: float, length_before: float, length: float) -> float:
    """Share of the gradient's ``length`` that a solve may leave (Eisenstat & Walker's choice 2)."""
    if not length_before > 0:
        return last
    ratio, kept = 0.5 * length / length_before, 0.9 * last**2
    return max(min(0.5, max(ratio, kept if kept > 0.1 else 0.0)), 1e-6)


def is_progress(before: float, after: float, squares_before: float, squares_after: float) -> bool:
    """Whether a step told by the values, or the squared gradients, leads on.

    Within rounding of the value only the gradient can tell. What rounding leaves of it points into
    the directions without curvature, where a step is long and leads nowhere. There the values
    round more coarsely, so that a fall hardly above rounding is not believed of a gradient that
    grows.
    """
    if squares_after <= 0.25 * squares_before:
        return True
    noise = ROUNDING if squares_after <= squares_before else DOUBTFUL
    return before - after > noise * abs(before)


def account(detail: str, n_iter: int, n_products: int) -> str:
    """``detail``, and what a walk has spent."""
    return f"{detail} {n_iter} iterations, {n_products} Hessian-vector products.".strip()


def confirmed(decrement: float, gap: float) -> str:
    """Why a walk says that it has converged."""
    return (
        f" The gap to the minimum was estimated at {decrement:.1e} by the Newton "
        f"decrement, {gap:.1e} being allowed."
    )


def broken_promise(decrease: float) -> str:
    """Why a walk ends at working precision."""
    return f"The model promised a decrease of {decrease:.1e}; none was found."


class PointWalk:
    """The point where a solver stands, and the steps that it remembers, at first none."""

    def __init__(
        self, objective: Objective, x0: FloatArray, tol: float, limit: int, pairs: SecantPairs
    ) -> None:
        self.objective, self.tol, self.limit, self.pairs = objective, tol, limit, pairs
        self.x, self.n_iter, self.n_products, self.stalls = x0, 0, 0, 0
        self.value, self.gradient = objective.value_and_gradient(x0)
        self.base: Preconditioner | None = None
        self.decrement: float | None = None
        self.detail = ""

    def state(self) -> State:
        """Return what is shown of the point."""
        return State(self.n_iter, self.value, self.x, self.gradient)

    def result(self, status: Status) -> Result:
        """Return the point, and why the walk stopped there."""
        detail = account(self.detail, self.n_iter, self.n_products)
        return Result(
            self.x, self.value, self.gradient, status, self.n_iter, self.decrement, detail
        )

    def _stand_at(self, x: FloatArray, value: float, gradient: FloatArray) -> bool:
        squares = dot(self.gradient, self.gradient), dot(gradient, gradient)
        if not is_progress(self.value, value, *squares):
            return False
        self.pairs.add(x - self.x, gradient - self.gradient)
        self.stalls = self.stalls + 1 if value >= self.value else 0
        self.x, self.value, self.gradient = x, value, gradient
        self.n_iter += 1
        return True


class NewtonWalk(PointWalk):
    """The walk of `newton`."""

    def __init__(
        self, objective: Objective, x0: FloatArray, tol: float, limit: int, pairs: SecantPairs
    ) -> None:
        super().__init__(objective, x0, tol, limit, pairs)
        self.far = RUNAWAY * max(1.0, float(np.abs(x0).max(initial=0.0)))
        self.radius, self.longest = 0.0, 0.0
        self.hard, self.full_steps, self._is_outgrown = False, True, False
        self.forcing, self.gradient_length = 0.5, 0.0
        self.unseen = inf

    def trouble(self) -> Status | None:
        """Return the reason not to go on from here, if there is one."""
        if not (isfinite(self.value) and np.isfinite(self.gradient).all()):
            return Status.NOT_FINITE
        if float(np.abs(self.x).max(initial=0.0)) > self.far:
            return Status.UNBOUNDED
        return Status.PRECISION if self.stalls >= MAX_STALLS else None

    def advance(self) -> Status | None:
        """One iteration; the reason to stop, if there is one."""
        self.detail = ""
        if self.n_iter == 0 and self._shrink():
            return self.trouble()
        gap = self.tol * max(1.0, abs(self.value))
        system, trusted = self._solve(gap)
        self.decrement = system.decrease + min(system.remainder, self.unseen)
        decrease, p, length = system.decrease, system.p, system.length
        converged = trusted and decrease <= gap
        del system  # and with it the curvature of all rows
        moved = self._move(p, length)
        if converged and self.detail == CUT_OFF:
            self.decrement = None  # what a system cut off has not seen may be most of it
            return Status.CONVERGED
        if converged:
            self.detail += confirmed(self.decrement, gap)
            return Status.CONVERGED
        self.decrement = None
        if not moved and self.pairs:
            self._begin_again()
            return self.trouble()
        if not moved:
            self.detail = broken_promise(decrease)
            return Status.PRECISION
        return self.trouble()

    def _begin_again(self) -> None:
        """Forget what earlier points have taught: it has misled."""
        self.pairs.forget()
        self.base, self.radius = None, 0.0

    def _shrink(self) -> bool:
        """Move along −x from a start whose scores are too large; whether that was done."""
        if not dot(self.gradient, self.x) > OVERCONFIDENT * abs(self.value):
            return False
        return self._search(-self.x) is not None

    def _solve(self, gap: float) -> tuple[NewtonSystem, bool]:
        system = self._system()
        trusted = self._iterate(system, gap)
        if system.ended == "boundary" and system.decrease <= gap:
            self.radius, system = inf, self._system()
            trusted = self._iterate(system, gap)
        return system, trusted

    def _system(self) -> NewtonSystem:
        hessian = self.objective.hessian(self.x)
        if self.base is None:
            how = {"is_hard": True} if self._is_outgrown else {}
            self.base = self.objective.preconditioner(self.x, **how)
            self.radius = 0.0  # lengths are in its metric
        improved = self.pairs.improve(self.base) if self.hard else self.base
        system = NewtonSystem(self.gradient, hessian, improved)
        if system.ended == "indefinite" and self.pairs:
            self.pairs.forget()
            system = NewtonSystem(self.gradient, hessian, self.base)
        self._tighten(system.gradient_length)
        if self.radius == 0:
            self.radius = FIRST_RADIUS * system.gradient_length
        return system

    def _tighten(self, gradient_length: float) -> None:
        """Ask the next solve for as much as the gradient has shrunk since the last one."""
        self.forcing = forcing(self.forcing, self.gradient_length, gradient_length)
        self.gradient_length = gradient_length

    def _iterate(self, system: NewtonSystem, gap: float) -> bool:
        """Solve as far as needed; whether a decrement below ``gap`` may be believed."""
        certain = certainty(gap, self.value, system.gradient_length, self.longest)
        self.unseen = inf
        enough = self.forcing * system.gradient_length
        above = self.value - self.objective.floor
        while not system.ended and system.residual > certain:
            if system.decrease > gap and system.residual <= enough:
                break
            share = settled_share(self.tol)
            if is_settled(self.objective, self.x, system, gap, share):
                self.unseen = share * gap
                break
            if system.n_products and max(above, system.decrease) <= gap:
                self.unseen = max(above - system.decrease, 0.0)
                break
            if system.n_products >= self.limit:
                self.detail = CUT_OFF
                break
            system.step(self.radius)
        self.n_products += system.n_products
        self.hard = self.hard or system.n_products > EASY
        if self.base is not None and self._is_too_weak(self.base, system):
            self.base, self._is_outgrown = None, True
        if system.ended == "indefinite":
            self._begin_again()
        return system.ended in {"", "exact"}

    def _is_too_weak(self, base: Preconditioner, system: NewtonSystem) -> bool:
        """Whether one of this point is worth its price, or a better one where there is any."""
        is_cut_off = system.n_products >= self.limit and self.limit < base.renewal < inf
        return is_cut_off or system.n_products > base.renewal

    def _move(self, p: FloatArray, length: float) -> bool:
        step = self._search(p)
        if step is None:
            return False
        moved = step.s * length
        self.longest = max(self.longest, moved)
        if step.s >= 1:
            self.radius = max(self.radius, GROWTH * moved)
        elif step.s < 0.5:
            self.radius = 1.5 * moved
        return True

    def _search(self, d: FloatArray) -> Step | None:
        slope = dot(self.gradient, d)
        if not slope < 0:
            return None
        step = self._full_step(d, slope) if self.full_steps else None
        if step is None:
            # The line may hold arrays of all rows, so it is not kept beyond the search.
            step = line_search(self.objective.along(self.x, d), self.value, slope, flatten=FLATTEN)
            if step is not None:
                x = self.x + step.s * d
                if not self._stand_at(x, *self.objective.value_and_gradient(x)):
                    step = None
        self.full_steps = step is not None and step.s == 1
        return step

    def _full_step(self, d: FloatArray, slope: float) -> Step | None:
        """Go to the end of ``d``, where the last steps went, if no line search would go on."""
        x = self.x + d
        value, gradient = self.objective.value_and_gradient(x)
        step = Step(1.0, value, dot(gradient, d))
        if not (decreases(step, self.value, slope) and is_flat(step, slope, FLATTEN)):
            return None
        return step if self._stand_at(x, value, gradient) else None

"""What a minimiser needs, what it returns, and the one door to all of them.

Conventions: every solver minimises. ``x``, ``d``, ``v`` and gradients are flat float64 arrays
of shape (n,); ``F`` is the objective, ``g`` its gradient, ``H`` its Hessian matrix.
"""

import inspect
import operator
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from math import inf
from numbers import Real
from typing import Any, Protocol

import numpy as np

from bnlr._typing import FloatArray
from bnlr.arguments import one_of
from bnlr.errors import ParameterError

Operator = Callable[[FloatArray], FloatArray]
Line = Callable[[float], tuple[float, float]]


class Preconditioner(Protocol):
    """A symmetric positive definite approximation of r ↦ H⁻¹·r at a point.

    After ``renewal`` products of one system one of another point is worth its price.
    """

    @property
    def renewal(self) -> float:
        """Products with H; infinity for a preconditioner that serves everywhere."""

    def __call__(self, r: FloatArray, /) -> FloatArray:
        """Return about H⁻¹·r."""


@dataclass(frozen=True, slots=True, eq=False)
class Lasting:
    """A preconditioner that serves everywhere."""

    apply: Operator
    renewal: float = inf

    def __call__(self, r: FloatArray, /) -> FloatArray:
        """Return about H⁻¹·r."""
        return self.apply(r)


class Objective(Protocol):
    """A smooth function of a flat vector, to be minimised."""

    @property
    def floor(self) -> float:
        """What F is nowhere less than; −infinity if that is not known, or of no use."""

    def value(self, x: FloatArray, /) -> float:
        """Return F(x)."""

    def value_and_gradient(self, x: FloatArray, /) -> tuple[float, FloatArray]:
        """Return F(x) and the gradient, an array that the objective will not change later."""

    def along(self, x: FloatArray, d: FloatArray, /) -> Line:
        """Return s ↦ (F(x + s·d), its derivative in s)."""

    def hessian(self, x: FloatArray, /) -> Operator:
        """Return the product v ↦ H(x)·v."""

    def preconditioner(self, x: FloatArray, /, *, is_hard: bool = False) -> Preconditioner:
        """Return a symmetric positive definite approximation of r ↦ H(x)⁻¹·r.

        It may cost more where ``is_hard``: where one has led to more products than its renewal.
        """

    def remainder(self, x: FloatArray, residual: FloatArray, /) -> float:
        """Return an upper bound of ½·r'H(x)⁻¹r, r the ``residual``; infinity if none is known."""


class Status(Enum):
    """Why a solver stopped, as a sentence that says what to do about it."""

    CONVERGED = "Converged: the stopping rule of the solver is met."
    PRECISION = (
        "No further progress is possible at working precision: the value is as low as rounding "
        "lets this solver get; a larger tol stops sooner."
    )
    SHORT = (
        "Stopped by the solver's own rule or by rounding, but not near the optimum: tighten the "
        "rule (reltol, gtol, tol), raise max_products, or try another solver or start."
    )
    ITERATION_LIMIT = (
        "Stopped at the iteration limit before convergence: raise max_iter, "
        "or try another solver or start."
    )
    CALLBACK = "Stopped by the callback, as it asked."
    NOT_FINITE = (
        "The function is not finite where the solver stands: start elsewhere, "
        "or check the start for zero probabilities and the weights for extreme values."
    )
    UNBOUNDED = (
        "The parameters run away: the function seems to have no finite minimiser; "
        "add a penalty, or loosen tol and read the value as a limit."
    )


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What a solver shows of itself after each iteration; iteration 0 is the start."""

    iteration: int
    value: float
    x: FloatArray
    gradient: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """Where a solver stopped, and why.

    Attributes
    ----------
    x, value, gradient : the point, shape (n,), F(x) and the gradient there
    status : why the solver stopped
    n_iter : completed iterations
    decrement : estimate of F(x) − min F by the Newton decrement, None where none was made
    detail : one sentence on how this solver came to its verdict
    """

    x: FloatArray
    value: float
    gradient: FloatArray
    status: Status
    n_iter: int
    decrement: float | None
    detail: str

    @property
    def converged(self) -> bool:
        """Whether the point is a minimum as far as the solver can tell, see ``verdict`` too."""
        return self.status in {Status.CONVERGED, Status.PRECISION}


OnIteration = Callable[[State], bool | None]
Solver = Callable[..., Result]

# A further solver is one file and one line here; it is imported when it is asked for.
SOLVERS = {
    "newton": "bnlr.optimize.newton:newton",
    "l-bfgs": "bnlr.optimize.scipy_bridge:l_bfgs",
    "cg": "bnlr.optimize.first_order:cg",
    "cg-brent": "bnlr.optimize.first_order:cg_brent",
    "bfgs": "bnlr.optimize.first_order:bfgs",
    "scipy-cg": "bnlr.optimize.scipy_bridge:scipy_cg",
    "scipy-bfgs": "bnlr.optimize.scipy_bridge:scipy_bfgs",
}


def minimise(
    objective: Objective,
    x0: FloatArray,
    *,
    solver: str | Solver = "newton",
    tol: float = 1e-9,
    max_iter: int = 1000,
    on_iteration: OnIteration | None = None,
    **options: Any,
) -> Result:
    """Minimise ``objective`` from ``x0``.

    Parameters
    ----------
    objective : the function; ``hessian`` and ``preconditioner`` are asked for by "newton" and,
        to estimate the remaining gap, by "l-bfgs" only
    x0 : start, shape (n,), finite; it is copied
    solver : a key of ``SOLVERS``, or a function that takes what those there take
    tol : "newton" and "l-bfgs" stop when F(x) − min F is estimated to be at most
        tol · max(1, abs(F(x))). The others keep their own rules and do not use it: "cg",
        "cg-brent" and "bfgs" Nash's, by their option ``reltol``, SciPy's by ``gtol``
    max_iter : largest number of iterations, i.e. of search directions
    on_iteration : called with the start and after each iteration; returning True stops the run
    options : the solver's own options, see its docstring

    Raises
    ------
    ParameterError
        Unknown solver or option, a start that is not a finite vector, ``tol`` or ``max_iter``
        out of range.
    """
    run = solver if callable(solver) else _solver(solver)
    _check_options(run.__name__ if callable(solver) else solver, run, options)
    start = _checked_start(x0)
    _check_tol(tol)
    check_count("max_iter", max_iter, at_least=0)
    limits = {"tol": float(tol), "max_iter": int(max_iter)}
    if start.size == 0:
        run = _without_parameters
    with np.errstate(over="ignore"):  # of weights near the largest float: solvers stop at inf
        return run(objective, start, **limits, on_iteration=on_iteration or go_on, **options)


def dot(a: FloatArray, b: FloatArray) -> float:
    """Inner product whose bits do not depend on the number of threads."""
    # BLAS splits long vectors among threads, which changes the order of summation.
    return float(a.dot(b)) if a.size <= 8192 else float(np.einsum("i,i->", a, b))


def check_count(name: str, count: int, *, at_least: int, at_most: int | None = None) -> None:
    """Raise ParameterError unless ``count`` is a whole number in that range."""
    try:
        fine = not isinstance(count, bool) and operator.index(count) >= at_least
    except TypeError:
        fine = False
    if not fine or (at_most is not None and count > at_most):
        span = f"{at_least} or larger" if at_most is None else f"{at_least} to {at_most:,}"
        raise ParameterError(f"{name} is {count!r}; it must be a whole number, {span}.")


def _without_parameters(objective: Objective, x0: FloatArray, **kept: Any) -> Result:
    value, gradient = objective.value_and_gradient(x0)
    stopped = kept["on_iteration"](State(0, value, x0, gradient))
    status = Status.CALLBACK if stopped else Status.CONVERGED
    return Result(x0, value, gradient, status, 0, 0.0, "There are no parameters.")


def go_on(_: State) -> bool:
    """An ``on_iteration`` that looks at nothing."""
    return False


def _solver(name: str) -> Solver:
    module, _, function = SOLVERS[one_of("solver", name, SOLVERS)].partition(":")
    solver: Solver = getattr(import_module(module), function)
    return solver


def _check_options(name: str, run: Solver, options: dict[str, Any]) -> None:
    known = _options_of(run)
    for option in options:
        if option not in known:
            raise ParameterError(
                f"Solver {name!r} has no option {option!r}; it knows {', '.join(known) or 'none'}."
            )


@cache
def _options_of(run: Solver) -> list[str]:
    common = {"tol", "max_iter", "on_iteration"}
    named = inspect.signature(run).parameters.values()
    return [p.name for p in named if p.kind is p.KEYWORD_ONLY and p.name not in common]


def _checked_start(x0: FloatArray) -> FloatArray:
    try:
        start = np.array(x0, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"The start x0 must be a vector of numbers: {error}.") from None
    if start.ndim != 1:
        raise ParameterError(f"The start x0 must be a flat vector, not of shape {start.shape}.")
    if not np.isfinite(start).all():
        at = int(np.flatnonzero(~np.isfinite(start))[0])
        raise ParameterError(f"The start x0[{at}] is {start[at]}; every entry must be finite.")
    return start


def _check_tol(tol: Any) -> None:
    if isinstance(tol, bool) or not isinstance(tol, Real) or not 0 <= float(tol) < np.inf:
        raise ParameterError(f"tol is {tol!r}; it must be a finite number, 0 or larger.")

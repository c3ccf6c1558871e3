"""SciPy's minimisers behind the same door.

They share ``_Bridge``, which remembers the values and gradients of the current iteration, so
that a callback gets the gradient without a further evaluation.
"""

from numbers import Real
from typing import Any, Protocol

import numpy as np
from scipy import optimize

from bnlr._typing import FloatArray
from bnlr.errors import ParameterError, TooLargeError
from bnlr.optimize.base import Objective, OnIteration, Result, State, Status, check_count
from bnlr.optimize.decrement import newton_decrement
from bnlr.optimize.optimality import Gap, enough
from bnlr.optimize.secant import MOST_MEMORY

_ROUNDS = 6
_DENSE_LIMIT = 16384
_PRECISION_LOSS = 2


def l_bfgs(
    objective: Objective,
    x0: FloatArray,
    *,
    tol: float,
    max_iter: int,
    on_iteration: OnIteration,
    memory: int = 10,
    scale: FloatArray | None = None,
    estimate_gap: bool | Gap = True,
    lower: float | None = None,
) -> Result:
    """SciPy's L-BFGS-B, restarted with a tighter rule until the estimated gap is within ``tol``.

    Parameters
    ----------
    objective, x0, tol, max_iter, on_iteration : as in ``minimise``
    memory : pairs of vectors kept
    scale : positive, shape (n,); the search runs in x/scale. 1/√(diagonal of the Hessian) saves
        most of the iterations of ill-conditioned problems; where an L2 penalty on the coordinates
        themselves gives all the same curvature it costs some
    estimate_gap : whether the gap is estimated, or how, if not by ``objective.hessian``
    lower : what no coordinate may fall below; the start is raised to it

    Notes
    -----
    SciPy stops on the decrease of one iteration, which says nothing of the gap. The gap is
    therefore estimated by the Newton decrement at its end point, through one linear solve by
    conjugate gradients; while that is above tol · max(1, abs(F)), SciPy goes on from there with
    a rule 100 times tighter. Where the curvature is not positive, the solve is cut off or none is
    wanted, there is no estimate, and SciPy's rule decides after two rounds. An estimate of another
    kind is dearer and less fine: it is made from the second round on, and may be up to
    ``verdict.enough``. Zhu, Byrd, Lu & Nocedal (1997).

    Raises
    ------
    ParameterError
        ``memory`` or ``scale`` out of range, or ``lower`` no finite number.
    """
    check_count("memory", memory, at_least=1, at_most=MOST_MEMORY)
    scale, bounds = _checked_scale(scale, x0.size), None
    if lower is not None:
        x0 = np.maximum(x0, _checked_lower(lower))
        bounds = optimize.Bounds(np.full(x0.size, lower) / (1.0 if scale is None else scale))
    bridge = _Bridge(objective, x0, on_iteration, scale, bounds)
    options: dict[str, Any] = {"maxcor": memory, "gtol": 0.0, "ftol": 0.1 * tol, "maxls": 40}
    status, decrement = bridge.trouble(max_iter), None
    for turn in range(_ROUNDS):
        if status is not None:
            break
        before, left = bridge.n_iter, max_iter - bridge.n_iter
        outcome = bridge.run("L-BFGS-B", options | {"maxiter": left, "maxfun": 50 * left})
        status, decrement = bridge.verdict(tol, outcome, max_iter, before, _of(estimate_gap, turn))
        if status is None and decrement is None and turn > 0:
            status = Status.CONVERGED
        options["ftol"] *= 0.01
    return bridge.result(status or Status.PRECISION, decrement, _say_gap(decrement))


def scipy_cg(
    objective: Objective,
    x0: FloatArray,
    *,
    tol: float,  # noqa: ARG001  part of every solver's signature
    max_iter: int,
    on_iteration: OnIteration,
    gtol: float = 1e-5,
) -> Result:
    """SciPy's nonlinear conjugate gradients (Polak–Ribière).

    Stops by its own rule, the largest gradient entry at most ``gtol``; ``tol`` is not used.
    """
    return _by_gradient("CG", _Bridge(objective, x0, on_iteration), max_iter, gtol)


def scipy_bfgs(
    objective: Objective,
    x0: FloatArray,
    *,
    tol: float,  # noqa: ARG001  part of every solver's signature
    max_iter: int,
    on_iteration: OnIteration,
    gtol: float = 1e-5,
) -> Result:
    """SciPy's BFGS with its dense n × n inverse Hessian.

    Stops by its own rule, the largest gradient entry at most ``gtol``; ``tol`` is not used.

    Raises
    ------
    TooLargeError
        More than 16,384 parameters: the matrix would take over 2 GiB.
    """
    if x0.size > _DENSE_LIMIT:
        raise TooLargeError(
            f"scipy-bfgs keeps a matrix of {x0.size} × {x0.size} numbers "
            f"({8 * x0.size**2:,} bytes); use solver 'newton' or 'l-bfgs'."
        )
    return _by_gradient("BFGS", _Bridge(objective, x0, on_iteration), max_iter, gtol)


def _by_gradient(method: str, bridge: "_Bridge", max_iter: int, gtol: float) -> Result:
    if not 0 <= gtol < np.inf:
        raise ParameterError(f"gtol is {gtol!r}; it must be a finite number, 0 or larger.")
    status = bridge.trouble(max_iter)
    if status is None:
        outcome = bridge.run(method, {"gtol": gtol, "maxiter": max_iter})
        status = bridge.trouble(max_iter, outcome)
        if outcome == 0 and status is not Status.NOT_FINITE:
            status = Status.CALLBACK if bridge.stopped else Status.CONVERGED
    largest = float(np.abs(bridge.gradient).max(initial=0.0))
    detail = (
        f"SciPy's rule asks for gradient entries up to {gtol:.1e}; the largest is {largest:.1e}."
    )
    return bridge.result(status or Status.PRECISION, None, detail)


class _Outcome(Protocol):
    x: FloatArray


class _Bridge:
    """An objective as SciPy wants it, and the last iterate as everyone else wants it."""

    def __init__(
        self,
        objective: Objective,
        x0: FloatArray,
        on_iteration: OnIteration,
        scale: FloatArray | None = None,
        bounds: optimize.Bounds | None = None,
    ) -> None:
        self._objective, self._on_iteration, self._scale = objective, on_iteration, scale
        self._bounds = bounds
        self._seen: list[tuple[FloatArray, FloatArray, float, FloatArray]] = []
        self.n_iter, self.stopped, self._is_lost = 0, False, False
        self._stand(x0 if scale is None else x0 / scale)
        self.stopped = bool(np.isfinite(self.value) and on_iteration(self._state()))

    def run(self, method: str, options: dict[str, Any]) -> int:
        """Let SciPy go on from where the bridge stands; its status number."""
        minimize: Any = optimize.minimize  # its stubs miss a callback that takes keywords
        with np.errstate(over="ignore", invalid="ignore"):
            outcome = minimize(
                self._evaluate,
                self._z,
                jac=True,
                method=method,
                callback=self._iterated,
                options=options,
                **({} if self._bounds is None else {"bounds": self._bounds}),
            )
        if not self.stopped and not self._loses(outcome.x):
            self._stand(outcome.x)
        return int(outcome.status)

    def trouble(self, max_iter: int, outcome: int = 0) -> Status | None:
        """Reasons to stop that need no knowledge of the method."""
        if not (np.isfinite(self.value) and np.isfinite(self.gradient).all()):
            return Status.NOT_FINITE
        if self.stopped:
            return Status.CALLBACK
        if self._is_lost:
            return Status.PRECISION
        if self.n_iter >= max_iter or outcome == 1:
            return Status.ITERATION_LIMIT
        return None

    def verdict(
        self, tol: float, outcome: int, max_iter: int, before: int, estimate: bool | Gap
    ) -> tuple[Status | None, float | None]:
        """Whether to stop, and the estimated gap; ``before`` this round were so many iterations."""
        status = self.trouble(max_iter)
        if status in {Status.NOT_FINITE, Status.CALLBACK, Status.PRECISION}:
            return status, None
        decrement, gap, at = None, tol * max(1.0, abs(self.value)), (self.value, self.gradient)
        if callable(estimate):
            decrement, gap = estimate(self.x, *at), enough(self.value, tol)
        elif estimate:
            decrement = newton_decrement(self._objective, self.x, *at, gap)
        # twice: that is the gap where weights run away, F − min F falling like an exponential
        if decrement is not None and 2.0 * decrement <= gap:
            return Status.CONVERGED, decrement
        if outcome == _PRECISION_LOSS and self.n_iter == before:
            return Status.PRECISION, decrement
        return status, decrement

    def result(self, status: Status, decrement: float | None, detail: str) -> Result:
        return Result(self.x, self.value, self.gradient, status, self.n_iter, decrement, detail)

    def _evaluate(self, z: FloatArray) -> tuple[float, FloatArray]:
        _, _, value, gradient = self._entry(z)
        return value, gradient if self._scale is None else gradient * self._scale

    def _entry(self, z: FloatArray) -> tuple[FloatArray, FloatArray, float, FloatArray]:
        """Scaled and unscaled point, value and gradient, remembered if they were just asked for."""
        known = self._recall(z)
        if known is None:
            x = z.copy() if self._scale is None else z * self._scale
            value, gradient = self._objective.value_and_gradient(x)
            known = (z.copy(), x, value, gradient)
            self._seen.append(known)
        return known

    def _recall(self, z: FloatArray) -> tuple[FloatArray, FloatArray, float, FloatArray] | None:
        return next((e for e in reversed(self._seen) if np.array_equal(e[0], z)), None)

    def _stand(self, z: FloatArray) -> None:
        entry = self._entry(z)
        self._z, self.x, self.value, self.gradient = entry
        self._seen = [entry]

    def _state(self) -> State:
        return State(self.n_iter, self.value, self.x, self.gradient)

    def _loses(self, z: FloatArray) -> bool:
        """Whether SciPy has lost its way, as it does where gradients are 1e-300; then it ends."""
        self._is_lost |= not np.isfinite(z).all()
        return self._is_lost

    def _iterated(self, intermediate_result: _Outcome) -> None:
        if self._loses(intermediate_result.x):
            raise StopIteration
        self._stand(intermediate_result.x)
        self.n_iter += 1
        if self._on_iteration(self._state()):
            self.stopped = True
            raise StopIteration


def _of(estimate_gap: bool | Gap, turn: int) -> bool | Gap:
    """How to estimate the gap after a round; without the Hessian not after the first."""
    return estimate_gap if turn > 0 or not callable(estimate_gap) else False


def _checked_scale(scale: FloatArray | None, n: int) -> FloatArray | None:
    if scale is None:
        return None
    checked = np.asarray(scale, dtype=np.float64)
    if checked.shape != (n,) or not (np.isfinite(checked) & (checked > 0)).all():
        raise ParameterError(f"scale must hold {n} positive finite numbers, one a parameter.")
    return checked


def _checked_lower(lower: Any) -> float:
    if isinstance(lower, bool) or not isinstance(lower, Real) or not np.isfinite(float(lower)):
        raise ParameterError(f"lower is {lower!r}; it must be a finite number, or None.")
    return float(lower)


def _say_gap(decrement: float | None) -> str:
    if decrement is None:
        return "The gap to the minimum was not estimated."
    return (
        f"The gap to the minimum is estimated at {decrement:.1e}, by the Newton decrement "
        "from one linear solve after SciPy stopped; it is no proof."
    )

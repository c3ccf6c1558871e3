"""How far above its minimum a convex function stands, by the Newton decrement."""

from math import sqrt

from bnlr._typing import FloatArray
from bnlr.optimize.base import Objective
from bnlr.optimize.newton_system import NewtonSystem

SETTLED = 0.3  # share of a gap that an unseen decrement may have
_LOOSE = 1e-6  # a tol below which it has less, by squares: probabilities move by the root of it
RESOLVED = 1e-6  # share of a gradient that rounding may outweigh below


def certainty(gap: float, value: float, gradient_length: float, longest: float = 0.0) -> float:
    """Residual ‖Hp + g‖, in the preconditioner's metric, below which ``gap`` is certain.

    By convexity F(y) − F(y*) ≤ ‖∇F(y)‖·‖y − y*‖. The distance is not known; taken for it is
    the longer of ``longest`` (the longest step so far) and √(2·max(1, abs(F))), the step that
    changes a function of unit curvature by its own value. Below 1e-6 of the gradient's own
    length ‖g‖ rounding may outweigh what is left, so no less is asked for.
    """
    reach = max(longest, sqrt(2.0 * max(1.0, abs(value))))
    return max(gap / reach, RESOLVED * gradient_length)


def settled_share(tol: float) -> float:
    """The share of a gap that may stay unseen before a step that is to be the last."""
    return SETTLED if tol > _LOOSE else min(SETTLED, (tol / _LOOSE) ** 2)


def is_settled(
    objective: Objective, x: FloatArray, system: NewtonSystem, gap: float, share: float = SETTLED
) -> bool:
    """Whether what the objective knows bounds the unseen part of a decrement to share · gap.

    That takes a step at least, and is no use before the decrease seen is below ``gap`` too.
    """
    if system.n_products == 0 or system.decrease > gap:
        return False
    return objective.remainder(x, system.left) <= min(share * gap, gap - system.decrease)


def product_limit(n: int) -> int:
    """Hessian-vector products that one linear system in ``n`` unknowns may spend."""
    return min(2 * n + 20, 2000)


def newton_decrement(
    objective: Objective, x: FloatArray, value: float, gradient: FloatArray, gap: float
) -> float | None:
    """Estimate F(x) − min F of a convex function, as well as comparing it with ``gap`` takes.

    Parameters
    ----------
    objective : with ``hessian`` and ``preconditioner``
    x, value, gradient : the point, shape (n,), F(x) and the gradient there
    gap : the solve ends once the estimate exceeds it, or is sure to stay below it

    Returns
    -------
    float or None
        None where the curvature is negative or missing, so that the decrement means nothing,
        or where the linear system was cut off.
    """
    system = NewtonSystem(gradient, objective.hessian(x), objective.preconditioner(x))
    certain = certainty(gap, value, system.gradient_length)
    while not system.ended and system.residual > certain and system.decrease <= gap:
        if system.n_products >= product_limit(x.size):
            return None
        if is_settled(objective, x, system, gap):
            return system.decrease + SETTLED * gap
        system.step()
    return system.decrease + system.remainder if system.ended in {"", "exact"} else None

"""The linear system of a Newton step by conjugate gradients that can be stopped and resumed."""

from math import inf, sqrt

import numpy as np

from bnlr._typing import FloatArray
from bnlr.optimize.base import Operator, dot

_EPS = 2.0**-52


class NewtonSystem:
    """Preconditioned conjugate gradients on H·p = −g inside a trust region.

    The model decrease −gᵀp − ½pᵀHp grows with every step towards the Newton decrement
    ½gᵀH⁺g. The trust region is measured in the preconditioner's metric, ‖p‖² = pᵀM⁻¹p, which
    follows from scalars of the recurrence, so that M⁻¹ is never applied (Steihaug 1983; Conn,
    Gould & Toint 2000, section 7.5). A singular H is never inverted: the iterates stay in
    M·range(H) as long as g lies in the range.

    Attributes
    ----------
    p : the step so far, shape (n,)
    decrease : model decrease of ``p``
    n_products : Hessian-vector products so far
    residual, gradient_length : ‖H·p + g‖ and ‖g‖ in the metric M
    ended : "" while steps can be made, else "exact", "boundary", "negative", "flat" or
        "indefinite" (of the preconditioner, by rounding)
    """

    __slots__ = (
        "_dd",
        "_direction",
        "_hessian",
        "_pd",
        "_pp",
        "_precondition",
        "_residual",
        "_rho",
        "_rho0",
        "_steepest",
        "decrease",
        "ended",
        "n_products",
        "p",
    )

    def __init__(self, gradient: FloatArray, hessian: Operator, preconditioner: Operator) -> None:
        self._hessian, self._precondition = hessian, preconditioner
        self._residual = -gradient
        self._direction = preconditioner(self._residual)
        self._rho = self._rho0 = dot(self._residual, self._direction)
        self.p = np.zeros_like(gradient)
        self._pp, self._pd, self._dd = 0.0, 0.0, self._rho
        self.decrease, self.n_products = 0.0, 0
        self._steepest = 0.0
        self.ended = ""
        self._check(self._rho0)

    @property
    def direction(self) -> FloatArray:
        """Where the next step would go; the one that ended the walk, if one did."""
        return self._direction

    @property
    def residual(self) -> float:
        """‖H·p + g‖ in the metric M."""
        return sqrt(max(self._rho, 0.0))

    @property
    def left(self) -> FloatArray:
        """−(H·p + g), (n,)."""
        return self._residual

    @property
    def remainder(self) -> float:
        """What the unsolved part would add to ``decrease`` if M were H⁻¹."""
        return 0.5 * max(self._rho, 0.0)

    @property
    def length(self) -> float:
        """‖p‖ in the preconditioner's metric."""
        return sqrt(max(self._pp, 0.0))

    @property
    def gradient_length(self) -> float:
        """‖g‖ in the metric M: the length of the preconditioned gradient step."""
        return sqrt(max(self._rho0, 0.0))

    def step(self, radius: float = inf) -> None:
        """Make one step; sets ``ended`` when it was the last one inside ``radius``."""
        product = self._hessian(self._direction)
        self.n_products += 1
        curvature = dot(self._direction, product)
        steepness = curvature / self._dd
        self._steepest = max(self._steepest, steepness)
        if not steepness > 4 * _EPS * self._steepest:
            self._leave(curvature, radius, "negative" if steepness < 0 else "flat")
            return
        alpha = self._rho / curvature
        pp = self._pp + alpha * (2.0 * self._pd + alpha * self._dd)
        if not pp < radius * radius:
            self._leave(curvature, radius, "boundary")
            return
        self._advance(alpha, product, pp)

    def _advance(self, alpha: float, product: FloatArray, pp: float) -> None:
        self.p = self.p + alpha * self._direction
        # not in place: the preconditioner may have handed back its argument
        self._residual = self._residual - alpha * product
        self.decrease += 0.5 * alpha * self._rho
        z = self._precondition(self._residual)
        rho = dot(self._residual, z)
        beta = rho / self._rho
        self._pd = beta * (self._pd + alpha * self._dd)
        self._pp = pp
        self._dd = rho + beta * beta * self._dd
        self._direction = z + beta * self._direction
        self._rho = rho
        self._check(rho)

    def _check(self, rho: float) -> None:
        if not rho > (_EPS * _EPS) * self._rho0:
            self.ended = "exact" if rho >= -(_EPS * self._rho0) else "indefinite"

    def _leave(self, curvature: float, radius: float, how: str) -> None:
        """Follow the direction to the boundary; without one, keep what the model trusts."""
        self.ended = how
        if radius == inf:
            return
        room = radius * radius - self._pp
        root = sqrt(max(self._pd * self._pd + self._dd * room, 0.0))
        tau = room / (self._pd + root) if self._pd > 0 else (root - self._pd) / self._dd
        self.p = self.p + tau * self._direction
        self.decrease += tau * self._rho - 0.5 * tau * tau * curvature
        self._pp = radius * radius

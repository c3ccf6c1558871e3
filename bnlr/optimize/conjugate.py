"""Nonlinear conjugate gradients: directions d = −g + (G₁/G₂)·d_old.

Source: Nash (1990), *Compact Numerical Methods for Computers*, chapter 16, which gives the three
formulas for G₁ and G₂. Along exact steps on a quadratic they agree.
"""

from collections.abc import Callable

from bnlr._typing import FloatArray
from bnlr.optimize.base import dot

Formula = Callable[[FloatArray, FloatArray, FloatArray], tuple[float, float]]
"""(g, g_old, d_old), each of shape (n,), ↦ (G₁, G₂)."""


def fletcher_reeves(g: FloatArray, g_old: FloatArray, d_old: FloatArray) -> tuple[float, float]:  # noqa: ARG001  one signature for all formulas
    """Return gᵀg and g_oldᵀg_old (Fletcher & Reeves 1964)."""
    return dot(g, g), dot(g_old, g_old)


def polak_ribiere(g: FloatArray, g_old: FloatArray, d_old: FloatArray) -> tuple[float, float]:  # noqa: ARG001  one signature for all formulas
    """Return gᵀ(g − g_old) and g_oldᵀg_old (Polak & Ribière 1969)."""
    return dot(g, g - g_old), dot(g_old, g_old)


def beale_sorenson(g: FloatArray, g_old: FloatArray, d_old: FloatArray) -> tuple[float, float]:
    """Return gᵀ(g − g_old) and d_oldᵀ(g − g_old) (Sorenson 1969, Beale 1972).

    It is the formula of Hestenes & Stiefel (1952).
    """
    change = g - g_old
    return dot(g, change), dot(d_old, change)


FORMULAS: dict[str, Formula] = {
    "polak-ribiere": polak_ribiere,
    "fletcher-reeves": fletcher_reeves,
    "beale-sorenson": beale_sorenson,
}


class Conjugate:
    """Conjugate directions, anew from the gradient every n of them.

    Parameters
    ----------
    formula : gives G₁ and G₂; G₁/G₂ is taken as 1 where G₂ ≤ 0
    small : no direction is proposed where G₁ ≤ small · n; at a new start G₁ = gᵀg

    Notes
    -----
    For Polak–Ribière G₁ = gᵀ(g − g_old), so a conjugate term that would turn the direction
    against −g ends the cycle too. Nash's code leaves in g_old, at a new start, the parameters
    themselves, so that it may stop far from the minimum; gᵀg is taken instead.
    """

    repeats_gradient = True

    def __init__(self, formula: Formula, small: float) -> None:
        self._formula, self._small = formula, small
        self.restart()

    def restart(self) -> None:
        """Forget the directions made so far."""
        self.fresh, self._made = True, 0
        self._last: tuple[FloatArray, FloatArray] | None = None

    def propose(self, x: FloatArray, gradient: FloatArray, /) -> FloatArray | None:  # noqa: ARG002  part of every proposal
        """Return the next direction, shape (n,), or None."""
        if self._made == gradient.size:
            self.restart()
        self.fresh = self._last is None
        if self._last is None:
            d, top = -gradient, dot(gradient, gradient)
        else:
            top, bottom = self._formula(gradient, *self._last)
            d = self._last[1] * (top / bottom if bottom > 0 else 1.0) - gradient
        if not top > self._small * gradient.size:
            return None
        self._last = gradient, d
        self._made += 1
        return d

"""Nash's step rules: an acceptable point, and a parabola through what is known there.

Source: Nash (1990), *Compact Numerical Methods for Computers*, algorithms 21 and 22.
"""

from collections.abc import Callable

from bnlr.optimize.descent import Ray, Step, StepRule

_SHRINK = 0.2
_SUFFICIENT = 1e-4
_GROW = 1.7

Parabola = Callable[[Ray, float, float], float | None]
"""(ray, s, F at s) ↦ where the parabola has its minimum, or None if it has none."""


def acceptable(ray: Ray, first: float) -> tuple[float, float] | None:
    """Shrink s from ``first`` until F(x + s·d) ≤ F(x) + 1e-4·s·slope.

    Returns
    -------
    (s, value) or None
        None when no coordinate of 10 + x changes any more. A value that is not finite is not
        acceptable.
    """
    s = first
    while ray.moves(s):
        value = ray(s)
        if value <= ray.value + _SUFFICIENT * s * ray.slope:
            return s, value
        s *= _SHRINK
    return None


def full_step(ray: Ray, reference: float, fresh: bool) -> Step | None:  # noqa: ARG001  part of every step rule
    """Take the acceptable point from s = 1: the rule of Nash's variable metric method."""
    found = acceptable(ray, 1.0)
    return None if found is None else Step(found[0], found[0])


def three_point(ray: Ray, s: float, value: float) -> float | None:
    """Minimiser of the parabola with the start's value and slope and ``value`` at s."""
    bend = 2.0 * (value - ray.value - ray.slope * s)
    return -ray.slope * s * s / bend if bend > 0 else None


def half(ray: Ray, s: float, value: float) -> float | None:  # noqa: ARG001  part of every parabola
    """Half the step: what ``three_point`` gives when ``value`` replaces the start's value."""
    return 0.5 * s


def improved(parabola: Parabola) -> StepRule:
    """Step rule of Nash's conjugate gradients.

    An acceptable point from s = min(1.7 · the acceptable step before, 1), or 1 after a restart,
    then the minimiser of ``parabola`` where F is lower.
    """

    def rule(ray: Ray, reference: float, fresh: bool) -> Step | None:
        found = acceptable(ray, 1.0 if fresh else min(_GROW * reference, 1.0))
        if found is None:
            return None
        s, value = found
        other = parabola(ray, s, value)
        return Step(other if other is not None and ray(other) < value else s, s)

    return rule

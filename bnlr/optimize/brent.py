"""Minimising along a line: a bracket, then Brent's method.

Sources: Brent (1973), *Algorithms for Minimization without Derivatives*, chapter 5; Press et al.
(1992), *Numerical Recipes*, section 10.1, for growing a bracket.
"""

from collections.abc import Callable
from math import copysign, isfinite
from typing import NamedTuple

from bnlr.optimize.descent import Ray, Step, StepRule
from bnlr.optimize.nash import three_point

Function = Callable[[float], float]

_GROW = 1.618034  # golden section, outward
_SECTION = 0.381966  # and inward
_FARTHEST = 100.0
_MAX_GROWTHS = 100
_MAX_TRIALS = 100
_TINY = 1e-10


class Point(NamedTuple):
    """A place on the line and the value there."""

    s: float
    value: float


class Bracket(NamedTuple):
    """Three points in order, the middle one the lowest, so that a minimum lies between."""

    low: Point
    middle: Point
    high: Point


def line_minimum(precision: float) -> StepRule:
    """Step rule: a minimum along the line to a relative ``precision``, bracketed from the last."""

    def rule(ray: Ray, reference: float, fresh: bool) -> Step | None:  # noqa: ARG001  any step rule's
        around = bracket(ray, reference)
        if around is None:
            return None
        s = brent(ray, around, precision).s
        return Step(s, s) if ray.moves(s) else None

    return rule


def bracket(ray: Ray, first: float) -> Bracket | None:
    """Three points around a minimum along ``ray``, starting with 0 and ``first``.

    Returns
    -------
    Bracket or None
        None when no step that changes x is lower than the start. ``high`` is the last point
        tried where the function falls without end.

    Notes
    -----
    While the far point is not below the start it comes nearer, to the minimum of the parabola
    with the start's slope, a tenth to a half of the way. Otherwise the bracket grows by golden
    section, or further where the parabola through the last three points says so, at most to 100
    times the last interval.
    """
    start, far = Point(0.0, ray.value), Point(first, ray(first))
    if far.value < start.value:
        return _grown(ray, start, far)
    while ray.moves(far.s):
        guess = three_point(ray, far.s, far.value)
        nearer = far.s * min(max((guess or 0.0) / far.s, 0.1), 0.5)
        high, far = far, Point(nearer, ray(nearer))
        if far.value < start.value:
            return Bracket(start, far, high)
    return None


def _grown(f: Function, low: Point, middle: Point) -> Bracket:
    s = middle.s + _GROW * (middle.s - low.s)
    high = Point(s, f(s))
    for _ in range(_MAX_GROWTHS):
        if not high.value < middle.value:
            break
        s = _beyond(low, middle, high)
        low, middle, high = middle, high, Point(s, f(s))
    return Bracket(low, middle, high)


def _beyond(low: Point, middle: Point, high: Point) -> float:
    """Where the parabola through the points is as high as in ``middle`` again, if that is far."""
    width = high.s - middle.s
    guess = vertex(low, middle, high)
    if guess is None or guess <= middle.s:
        return high.s + _GROW * width
    mirrored = 2.0 * guess - middle.s
    return min(max(mirrored, high.s + _GROW * width), high.s + _FARTHEST * width)


def vertex(a: Point, b: Point, c: Point) -> float | None:
    """Where the parabola through three points is stationary; None where that is nowhere."""
    to_a, to_c = b.s - a.s, b.s - c.s
    left, right = to_a * (b.value - c.value), to_c * (b.value - a.value)
    bottom = 2.0 * (left - right)
    if bottom == 0 or not isfinite(bottom):
        return None
    return b.s - (to_a * left - to_c * right) / bottom


def brent(f: Function, start: Bracket, precision: float) -> Point:
    """Lowest point that Brent's method finds in a bracket.

    Parameters
    ----------
    f : function of one variable; +inf where it has no finite value
    start : the bracket
    precision : relative to s; below about 1e-8 rounding makes it idle

    Notes
    -----
    The parabola through the three lowest points so far, where it lands inside the bracket and
    the steps shrink by half every other time; golden section otherwise.
    """
    low, high = start.low.s, start.high.s
    best = second = third = start.middle
    step = before = 0.0
    for _ in range(_MAX_TRIALS):
        middle = 0.5 * (low + high)
        tol = precision * abs(best.s) + _TINY * (high - low)
        if abs(best.s - middle) <= 2.0 * tol - 0.5 * (high - low):
            break
        guess = vertex(third, best, second) if abs(before) > tol else None
        if guess is not None and abs(guess - best.s) < 0.5 * abs(before) and low < guess < high:
            close = min(guess - low, high - guess) < 2.0 * tol
            move = copysign(tol, middle - best.s) if close else guess - best.s
            before, step = step, move
        else:
            before = (low if best.s >= middle else high) - best.s
            step = _SECTION * before
        s = best.s + (step if abs(step) >= tol else copysign(tol, step))
        trial = Point(s, f(s))
        low, high = _narrowed(low, high, best, trial)
        best, second, third = _ranked(best, second, third, trial)
    return best


def _narrowed(low: float, high: float, best: Point, trial: Point) -> tuple[float, float]:
    """The interval that still holds the minimum."""
    inner, outer = (trial, best) if trial.value <= best.value else (best, trial)
    return (outer.s, high) if inner.s >= outer.s else (low, outer.s)


def _ranked(best: Point, second: Point, third: Point, trial: Point) -> tuple[Point, Point, Point]:
    if trial.value <= best.value:
        return trial, best, second
    if trial.value <= second.value or second.s == best.s:
        return best, trial, second
    if trial.value <= third.value or third.s in {best.s, second.s}:
        return best, second, trial
    return best, second, third

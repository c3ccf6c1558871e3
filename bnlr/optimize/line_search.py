"""A step length along a direction, from values and slopes.

Evaluations along a line are cheap beside gradients and Hessian products (no pass over the
tables in the linear spaces), so a step is refined until its slope has fallen clearly, and
lengthened when the function still falls steeply at s = 1.
"""

from math import inf, isfinite, sqrt
from typing import NamedTuple

from bnlr.optimize.base import Line

SUFFICIENT = 1e-4
ROUNDING = 1e-14
MOST_EVALUATIONS = 25


class Step(NamedTuple):
    """A step length with the value and the slope there."""

    s: float
    value: float
    slope: float


def is_finite(step: Step) -> bool:
    """Whether the function can be used there."""
    return isfinite(step.value) and isfinite(step.slope)


def decreases(step: Step, value: float, slope: float) -> bool:
    """Armijo's condition, given value and slope at s = 0; rounding is forgiven."""
    allowed = value + SUFFICIENT * step.s * slope + ROUNDING * abs(value)
    return isfinite(step.value) and isfinite(step.slope) and step.value <= allowed


def is_flat(step: Step, slope: float, flatten: float) -> bool:
    """Whether the slope has fallen by the factor ``flatten``: with Armijo's, strong Wolfe."""
    return abs(step.slope) <= -flatten * slope


def line_search(
    line: Line,
    value: float,
    slope: float,
    *,
    flatten: float = 0.5,
    farthest: float = inf,
    max_evaluations: int = MOST_EVALUATIONS,
) -> Step | None:
    """Find s > 0 with a sufficient decrease (Armijo) and a slope flattened by ``flatten``.

    Parameters
    ----------
    line : s ↦ (value, slope)
    value, slope : at s = 0; slope < 0
    flatten : accept when abs(slope(s)) ≤ flatten · abs(slope(0))
    farthest : no s beyond it is tried, 1 or more
    max_evaluations : calls of ``line``; the lowest sufficient step found by then is taken

    Returns
    -------
    Step or None
        None when no step lowers the function beyond rounding.

    Notes
    -----
    Strong Wolfe conditions (Nocedal & Wright 2006, section 3.5). Within rounding of the start
    the value no longer tells, so the slope alone decides there (Hager & Zhang 2005).
    """
    low, high, best = Step(0.0, value, slope), None, None
    slack = ROUNDING * abs(value)
    s = 1.0
    for _ in range(max_evaluations):
        trial = Step(s, *line(s))
        if not is_finite(trial):
            trial = Step(s, inf, inf)
        sufficient = decreases(trial, value, slope)
        if sufficient and is_flat(trial, slope, flatten):
            return trial
        if sufficient:
            best = trial if best is None or trial.value <= best.value else best
        if sufficient and trial.slope < 0 and trial.value <= low.value + slack:
            previous, low = low, trial
        else:
            previous, high = low, trial
        s = min(beyond(previous, low), farthest) if high is None else between(low, high)
        if not low.s < s < (inf if high is None else high.s):
            break
    return best if best is not None and best.value < value else None


def beyond(previous: Step, last: Step) -> float:
    """Extrapolate the slope to zero, between twice and ten times the last step."""
    rise = last.slope - previous.slope
    guess = last.s - last.slope * (last.s - previous.s) / rise if rise > 0 else inf
    return min(max(guess, 2.0 * last.s), 10.0 * last.s)


def between(low: Step, high: Step) -> float:
    """Minimise the cubic through both ends, kept off the ends of the bracket."""
    width = high.s - low.s
    if not isfinite(high.value):
        return low.s + 0.1 * width
    guess = cubic(low, high)
    margin = (0.001 if low.s == 0 else 0.1) * width
    return min(max(guess, low.s + margin), high.s - 0.1 * width)


def cubic(a: Step, b: Step) -> float:
    """Minimiser of the cubic with the values and slopes of ``a`` and ``b`` (N&W equation 3.59)."""
    width = b.s - a.s
    mean = a.slope + b.slope - 3.0 * (b.value - a.value) / width
    radicand = mean * mean - a.slope * b.slope
    if radicand < 0:
        return a.s + 0.5 * width
    root = sqrt(radicand)
    bottom = b.slope - a.slope + 2.0 * root
    return b.s - width * (b.slope + root - mean) / bottom if bottom > 0 else a.s + 0.5 * width

"""Nash's algorithms 21 (variable metric) and 22 (conjugate gradients), number by number.

Written from the description of the algorithms, not from any program: plain lists, loops, no
linear algebra. ``f`` and ``g`` take and return lists. Each run is a list with an entry for each
iteration, i.e. for each direction along which the point moved.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class Iteration(NamedTuple):
    """Where an iteration ended, how often it asked for F, and for gradients (at its start)."""

    x: list[float]
    n_values: int
    n_gradients: int


def cg(f, g, x, formula="polak-ribiere", parabola="nash", reltol=2.0**-26, most=200):
    """Algorithm 22. A cycle is at most n directions, the first one −g."""
    n = len(x)
    run: list[Iteration] = []
    x, fx = list(x), f(x)
    values = gradients = 0
    while True:  # a cycle begins
        direction, old_gradient = None, None
        first, steps = 1.0, 0
        while steps < n and len(run) < most:
            gradient = g(x)
            gradients += 1
            top, direction = _conjugate(formula, gradient, old_gradient, direction)
            if top <= reltol * n * math.sqrt(reltol):
                break
            old_gradient = gradient
            slope = sum(d * a for d, a in zip(direction, gradient, strict=True))
            if slope >= 0:
                break
            s, at, tried = _acceptable(f, x, fx, direction, slope, first)
            values += tried
            if s is None:
                break
            best, lowest = s, at
            bottom = at - fx - slope * s
            other = s / 2 if parabola == "half" else None
            if parabola == "nash" and bottom > 0:
                other = -slope * s * s / (2 * bottom)
            if other is not None:
                there = f([a + other * d for a, d in zip(x, direction, strict=True)])
                values += 1
                if there < lowest:
                    best, lowest = other, there
            x = [a + best * d for a, d in zip(x, direction, strict=True)]
            fx = lowest
            first = min(1.7 * s, 1.0)
            steps += 1
            run.append(Iteration(x, values, gradients))
            values = gradients = 0
        if len(run) >= most or steps == 0:
            return run


def bfgs(f, g, x, reltol=2.0**-26, most=200):
    """Algorithm 21 with R's rule on the relative decrease."""
    n = len(x)
    run: list[Iteration] = []
    x, fx, gradient = list(x), f(x), g(x)
    inverse, since, values = _identity(n), 0, 0
    while len(run) < most:
        direction = [-sum(inverse[i][j] * gradient[j] for j in range(n)) for i in range(n)]
        slope = sum(d * a for d, a in zip(direction, gradient, strict=True))
        s = None
        if slope < 0:
            s, at, tried = _acceptable(f, x, fx, direction, slope, 1.0)
            values += tried
        if s is None:
            if since == 0:
                return run
            inverse, since = _identity(n), 0
            continue
        step = [s * d for d in direction]
        x = [a + p for a, p in zip(x, step, strict=True)]
        new_gradient = g(x)
        run.append(Iteration(x, values, 1))
        values = 0
        change = [a - b for a, b in zip(new_gradient, gradient, strict=True)]
        enough = abs(at - fx) > reltol * (abs(fx) + reltol)
        fx, gradient = at, new_gradient
        curvature = sum(p * y for p, y in zip(step, change, strict=True))
        if not enough and since == 0:
            return run
        if not enough or curvature <= 0 or since + 1 > 2 * n:
            inverse, since = _identity(n), 0
            continue
        since += 1
        turned = [sum(inverse[i][j] * change[j] for j in range(n)) for i in range(n)]
        factor = 1 + sum(t * y for t, y in zip(turned, change, strict=True)) / curvature
        for i in range(n):
            for j in range(n):
                inverse[i][j] += (
                    factor * step[i] * step[j] - step[i] * turned[j] - turned[i] * step[j]
                ) / curvature
    return run


def _conjugate(formula, gradient, old_gradient, direction):
    """G1 and the next direction."""
    top = sum(a * a for a in gradient)
    if direction is None:
        return top, [-a for a in gradient]
    change = [a - b for a, b in zip(gradient, old_gradient, strict=True)]
    bottom = sum(b * b for b in old_gradient)
    if formula != "fletcher-reeves":
        top = sum(a * c for a, c in zip(gradient, change, strict=True))
    if formula == "beale-sorenson":
        bottom = sum(d * c for d, c in zip(direction, change, strict=True))
    factor = top / bottom if bottom > 0 else 1.0
    return top, [d * factor - a for d, a in zip(direction, gradient, strict=True)]


def _acceptable(f, x, fx, direction, slope, s):
    """Shrink s to a fifth until F has fallen enough; (s, F, evaluations), s None if none is."""
    tried = 0
    while True:
        point = [a + s * d for a, d in zip(x, direction, strict=True)]
        if all(10.0 + a == 10.0 + b for a, b in zip(point, x, strict=True)):
            return None, math.nan, tried
        value = f(point)
        tried += 1
        if math.isfinite(value) and value <= fx + 1e-4 * s * slope:
            return s, value, tried
        s *= 0.2


def _identity(n):
    return [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]

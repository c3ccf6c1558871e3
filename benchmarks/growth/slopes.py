"""Slopes of costs in log-log: 1 is cost in proportion, 2 in proportion to the square."""

from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np

_APART = 1.2


class Steepest(NamedTuple):
    """The largest slope between neighbours, and the size up to which it is."""

    slope: float
    size: float


def least_squares(sizes: Sequence[float], costs: Sequence[float]) -> float | None:
    """Slope of the line through the logarithms; None of fewer than two sizes."""
    if len(set(sizes)) < 2:
        return None
    x, y = np.log(sizes), np.log(costs)
    x -= x.mean()
    return float(x @ y / (x @ x))


def steepest(sizes: Sequence[float], costs: Sequence[float]) -> Steepest | None:
    """Largest slope between neighbouring sizes; those less than a fifth apart tell none."""
    points = sorted(zip(sizes, costs, strict=True))
    found, last = [], points[:1]
    for size, cost in points[1:]:
        if size >= _APART * last[-1][0]:
            found.append(Steepest(log(cost / last[-1][1]) / log(size / last[-1][0]), size))
            last.append((size, cost))
    return max(found, default=None)

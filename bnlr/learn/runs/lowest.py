"""A result is never worse than a point that was seen, the start given first of all."""

from dataclasses import replace
from math import isnan

from bnlr._typing import FloatArray
from bnlr.optimize.base import Objective, OnIteration, Result, State

KEPT = "The start given is kept: no better point was found."
_SEEN = "An earlier point was lower and is kept."
_ROUNDING = 1e-13


class Lowest:
    """Called after each iteration: remembers the lowest point, and calls ``then``."""

    def __init__(self, then: OnIteration) -> None:
        self._then = then
        self._seen: State | None = None

    def __call__(self, state: State) -> bool | None:
        """Look at ``state``."""
        if self._seen is None or state.value < self._seen.value:
            self._seen = state
        return self._then(state)

    def of(self, result: Result) -> Result:
        """``result``, or its lowest point where that is lower by more than rounding."""
        return result if self._seen is None else not_worse(result, self._seen, _SEEN)


def point(objective: Objective, x: FloatArray) -> State:
    """What is to be seen at ``x``."""
    value, gradient = objective.value_and_gradient(x)
    return State(0, value, x, gradient)


def not_worse(result: Result, seen: State, note: str = KEPT) -> Result:
    """``result``, or the point ``seen`` where that is lower by more than rounding."""
    if not is_lower(seen.value, result.value):
        return result
    return replace(
        result,
        x=seen.x,
        value=seen.value,
        gradient=seen.gradient,
        decrement=None,
        detail=f"{result.detail} {note}".strip(),
    )


def is_lower(value: float, other: float) -> bool:
    """Whether ``value`` is below ``other`` by more than rounding; any number is below NaN."""
    if isnan(value) or isnan(other):
        return isnan(other) and not isnan(value)
    return value < other - _ROUNDING * max(1.0, abs(value))


def rank(value: float) -> float:
    """``value`` as ``min`` should compare it: NaN above all."""
    return float("inf") if isnan(value) else value

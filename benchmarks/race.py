"""Racing to one gap: each contender's loosest tolerance that reaches it, then the best time."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

WANTED = 1e-6
DECADES = tuple(10.0**-k for k in range(1, 14))
_HALF = 10**0.5
_MOST_REPEATS = 200


@dataclass
class Finish:
    """How a contender did: the tolerance it took, the gap it reached, its best time."""

    tolerance: float
    gap: float
    objective: float
    seconds: float
    fitted: Any = field(repr=False)
    reached: bool = True
    trail: list[tuple[float, float, float]] = field(default_factory=list)
    """(tolerance, gap, seconds) of each tolerance tried."""


@dataclass(frozen=True)
class Judge:
    """Gives objective and gap of what a contender returned."""

    objective: Callable[[Any], float]
    gap: Callable[[float], float]


def loosest(
    run: Callable[[float], Any],
    judge: Judge,
    tolerances: Sequence[float] = DECADES,
    wanted: float = WANTED,
    limit: float = 300.0,
) -> Finish:
    """Find the loosest tolerance whose result is within ``wanted`` of the optimum.

    ``tolerances`` are tried from loose to tight, then the half-decade above the first that does
    (not above a tolerance between decades, which comes from an earlier search).
    The search ends without success when it has taken ``limit`` seconds.
    """
    begin = time.perf_counter()
    trail: list[tuple[float, float, float]] = []
    best = None
    for tol in tolerances:
        found = _try(run, judge, tol, trail, wanted)
        best = found if best is None or found.gap < best.gap else best
        if found.reached:
            is_decade = tol in DECADES
            above = _try(run, judge, tol * _HALF, trail, wanted) if is_decade else found
            return above if above.reached else found
        if time.perf_counter() - begin > limit:
            break
    if best is None:
        raise ValueError("there is no tolerance to try")
    return best


def _try(
    run: Callable[[float], Any],
    judge: Judge,
    tol: float,
    trail: list[tuple[float, float, float]],
    wanted: float,
) -> Finish:
    fitted, seconds = timed(lambda: run(tol))
    objective = judge.objective(fitted)
    gap = judge.gap(objective)
    trail.append((tol, gap, seconds))
    return Finish(tol, gap, objective, seconds, fitted, gap <= wanted, trail)


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """What ``run`` returns, and its seconds."""
    start = time.perf_counter()
    result = run()
    return result, time.perf_counter() - start


def best_time(
    run: Callable[[], Any], repeats: int, least: float = 0.2, enough: float = 10.0
) -> float:
    """Least seconds of ``repeats`` calls; more of them until ``least``, none after ``enough``.

    Both are in seconds, as what is returned.
    """
    best, spent, done = float("inf"), 0.0, 0
    while done < _MOST_REPEATS and (done < repeats or spent < least):
        seconds = timed(run)[1]
        best, spent, done = min(best, seconds), spent + seconds, done + 1
        if spent > enough:
            break
    return best

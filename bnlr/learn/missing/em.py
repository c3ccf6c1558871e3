"""EM: the log-likelihood of the observed cells, raised by expected counts.

Sources: Dempster, Laird and Rubin 1977; Lauritzen 1995. A step sets every CPT to the normalised
expected counts of its family under the CPTs before, and never lowers the log-likelihood.

Where much is missing, steps shrink slowly: by the share of missing information each. Squared
extrapolation (SQUAREM, Varadhan and Roland 2008) goes further along two steps, in log θ, with the
length that fits them best in the metric of the expected counts, in which steps shrink without
turning. Where it ends below the first of the two, the second is taken instead.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from time import perf_counter

import numpy as np

from bnlr._typing import FloatArray
from bnlr.errors import ParameterError
from bnlr.inference.cpts import FlatCPTs
from bnlr.learn.missing.evidence import Ascent, EvidenceProblem, not_worse, starts, told
from bnlr.learn.missing.latent import normalised
from bnlr.learn.result import FitResult
from bnlr.learn.runs.run import Settings
from bnlr.learn.runs.watch import Watch
from bnlr.optimize.base import State
from bnlr.optimize.trace import Row

ACCELERATIONS = ("squarem", None)

_CONVERGED = (
    "Converged: by the rate at which steps shrink, the log-likelihood is estimated to be within "
    "tol · max(1, abs(LL)) of its limit."
)
_LIMIT = "Stopped at the iteration limit before convergence: raise max_iter, or loosen tol."
_CALLBACK = "Stopped by the callback, as it asked."

# A rate seen once may be a transient; the slowest of the last few is what the tail will have.
_RATES = 4
# The farthest that an extrapolation goes beyond EM's own step, in log θ: nothing reaches 0 by it.
_FARTHEST = 5.0
_TINY = 1e-300
_AT_REST = 1e-14
_LEAST = 1e-100


def fit_em(problem: EvidenceProblem, settings: Settings, pseudocount: float) -> FitResult:
    """Run EM from every start and keep the highest log-likelihood.

    ``pseudocount`` is added to every expected count; above 0, the log-likelihood plus
    pseudocount · Σ log θ is what no step lowers. ``settings.options["acceleration"]`` is "squarem",
    which is the default, or None for plain steps. An iteration is an E-step after the first.

    Raises
    ------
    ParameterError
        A row is impossible under the start, or there is no such acceleration.
    """
    _check_acceleration(settings.options.get("acceleration", "squarem"))
    begin = starts(problem, settings)
    steps = _Steps(problem, pseudocount)
    best = min((_em(steps, theta, settings) for theta in begin.each), key=lambda run: run.value)
    if begin.moved:
        best = not_worse(best, begin.given, steps.expect(begin.given, 0).value, None)
    return told(problem, begin, best, settings)


def m_step(flat: FlatCPTs, counts: FloatArray, pseudocount: float) -> FloatArray:
    """CPTs (count + pseudocount) / total, 0 below 1e-100; a column without any is uniform.

    What falls so far is on its way to 0, and inference would have to take logarithms for it.
    """
    theta = normalised(flat, counts + pseudocount)
    return np.where(theta < _LEAST, 0.0, theta)


@dataclass(frozen=True, eq=False)
class _Point:
    """CPTs after ``iteration`` E-steps, what they expect, and the CPTs that EM makes of that.

    ``value`` is what EM minimises, ``counts`` hold the pseudocounts, ``gradient`` is that of −LL in
    β. ``spent`` E-steps were made for it, ``gap`` is the estimated distance from the limit.
    """

    theta: FloatArray
    iteration: int
    ll: float
    value: float
    counts: FloatArray
    following: FloatArray
    gradient: FloatArray
    spent: int = 1
    gap: float = float("inf")


class _Steps:
    """What EM does to the rows of a problem."""

    def __init__(self, problem: EvidenceProblem, pseudocount: float) -> None:
        self._flat, self._pseudocount = problem.space.flat, pseudocount
        self._count = problem.rows.counter(problem.engine)

    def expect(self, theta: FloatArray, iteration: int) -> _Point:
        """E-step number ``iteration``, at the CPTs ``theta``."""
        flat, added = self._flat, self._pseudocount
        counts, ll = self._count(theta)
        gradient: FloatArray = theta * flat.column_sums(counts) - counts
        with np.errstate(divide="ignore"):
            prior = added * float(np.log(theta).sum()) if added else 0.0
        following = m_step(flat, counts, added)
        return _Point(theta, iteration, ll, -ll - prior, counts + added, following, gradient)

    def plain(self, point: _Point, max_iter: int) -> Iterator[_Point]:
        """EM's own steps; a gain is to the gain before as the square of the rate."""
        rates: deque[float] = deque(maxlen=_RATES)
        gain = float("nan")
        while point.iteration < max_iter:
            following = self.expect(point.following, point.iteration + 1)
            before, gain = gain, point.value - following.value
            rates.append(gain / before if before > 0 else 1.0)
            point = replace(following, gap=_gap(gain, max(rates)))
            yield point

    def squared(self, point: _Point, max_iter: int) -> Iterator[_Point]:
        """One step of EM's own, and one beyond it and the next, in turn."""
        rates: deque[float] = deque(maxlen=_RATES)
        while point.iteration < max_iter:
            middle = self.expect(point.following, point.iteration + 1)
            theta, rate = self._beyond(point, middle)
            rates.append(rate * rate)
            # The first steps adapt what is quick, and tell nothing about what is slow.
            ratio = max(rates) if len(rates) > 1 else 1.0
            gap = 0.0 if _rests(middle) else _gap(point.value - middle.value, ratio)
            yield replace(middle, gap=gap)
            if middle.iteration == max_iter:
                return
            point = self.expect(theta, middle.iteration + 1)
            if not point.value <= middle.value:
                if point.iteration == max_iter:
                    return
                point = self.expect(middle.following, point.iteration + 1)
                point = replace(point, spent=2)
            yield point

    def _beyond(self, start: _Point, middle: _Point) -> tuple[FloatArray, float]:
        """Extrapolate two steps; return the CPTs and the rate at which the steps shrink."""
        x0, x1, x2 = (_log(p) for p in (start.theta, middle.theta, middle.following))
        first, second = x1 - x0, x2 - x1
        bend = second - first

        def inner(a: FloatArray, b: FloatArray) -> float:
            return float(np.einsum("i,i,i->", middle.counts, a, b))

        bent, turned, size = inner(bend, bend), inner(first, bend), inner(first, first)
        if not (bent > 0 and size > 0):
            return middle.following, 0.0
        length = -turned / bent if turned < 0 else float(np.sqrt(size / bent))
        rate = 1.0 - 1.0 / length if turned < 0 < length - 1.0 else 1.0
        if turned < 0 and length <= 1.0:  # along the first step no more is to be had
            rate = float(np.sqrt(inner(second, second) / size))
        length = max(1.0, length)
        x = x0 + 2.0 * length * first + length * length * bend
        x = np.clip(x, x2 - _FARTHEST, x2 + _FARTHEST)
        theta = np.where(middle.following > 0, np.exp(x), 0.0)
        return normalised(self._flat, theta), rate


def _em(steps: _Steps, theta: FloatArray, settings: Settings) -> Ascent:
    first = steps.expect(theta, 0)
    if not np.isfinite(first.ll):
        raise ParameterError(
            "a row is impossible under the start network: its log-likelihood is −inf; start from "
            "smoothed CPTs, e.g. pseudocount=1"
        )
    is_squared = settings.options.get("acceleration", "squarem") is not None
    points = (steps.squared if is_squared else steps.plain)(first, settings.max_iter)
    message, rows, begin, last = _LIMIT, [], perf_counter(), first
    with Watch(settings.verbose, settings.callback, "log-likelihood", settings.unit) as watch:
        for point in chain([first], points):
            if point.value > last.value:
                message = _CONVERGED  # rounding is all that is left
                break
            last = point
            rows.append(_row(point, perf_counter() - begin))
            if watch(State(point.iteration, -point.ll, point.theta, point.gradient)):
                message = _CALLBACK
                break
            if point.gap <= settings.tol * max(1.0, abs(point.value)):
                message = _CONVERGED
                break
    converged = message == _CONVERGED
    return Ascent(last.theta, last.value, None, tuple(rows), last.iteration, converged, message)


def _check_acceleration(asked: object) -> None:
    if not (asked is None or (isinstance(asked, str) and asked in ACCELERATIONS)):
        raise ParameterError(
            f"acceleration is {asked!r}; choose 'squarem', or None for plain steps of EM"
        )


def _row(point: _Point, seconds: float) -> Row:
    return Row(point.iteration, -point.ll, point.spent, point.spent, 0, float("nan"), seconds)


def _rests(point: _Point) -> bool:
    """Whether EM would move nothing any more, at working precision."""
    return bool(np.abs(point.following - point.theta).max(initial=0.0) <= _AT_REST)


def _gap(gain: float, ratio: float) -> float:
    """What is left after a step, of a geometric series in which ``gain`` was the last term."""
    if gain == 0:
        return 0.0
    return gain * ratio / (1.0 - ratio) if ratio < 1 else float("inf")


def _log(theta: FloatArray) -> FloatArray:
    logs: FloatArray = np.log(np.maximum(theta, _TINY))
    return logs

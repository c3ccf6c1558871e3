"""EM: the log-likelihood of the observed cells, raised by expected counts.

Sources: Dempster, Laird and Rubin 1977; Lauritzen 1995. A step sets every CPT to the normalised
expected counts of its family under the CPTs before, and never lowers the log-likelihood.
"""

from collections.abc import Iterator
from itertools import chain
from time import perf_counter

import numpy as np

from bnlr._typing import FloatArray
from bnlr.errors import ParameterError
from bnlr.inference.cpts import FlatCPTs
from bnlr.learn.evidence import Ascent, EvidenceProblem, starts, told
from bnlr.learn.latent import normalised
from bnlr.learn.progress import Watch
from bnlr.learn.result import FitResult
from bnlr.learn.run import Settings
from bnlr.objectives.evidence import total
from bnlr.optimize.base import State
from bnlr.optimize.trace import Row

_CONVERGED = "Converged: a step raised the log-likelihood by at most tol · max(1, abs(LL))."
_LIMIT = "Stopped at the iteration limit before convergence: raise max_iter, or loosen tol."
_CALLBACK = "Stopped by the callback, as it asked."


def fit_em(problem: EvidenceProblem, settings: Settings, pseudocount: float) -> FitResult:
    """Run EM from every start and keep the highest log-likelihood.

    ``pseudocount`` is added to every expected count; above 0, the log-likelihood plus
    pseudocount · Σ log θ is what no step lowers.

    Raises
    ------
    ParameterError
        A row is impossible under the start.
    """
    thetas, note = starts(problem, settings)
    first = next(thetas)
    runs = (_em(problem, theta, settings, pseudocount) for theta in chain([first], thetas))
    best = min(runs, key=lambda run: run.value)
    return told(problem, first, best, settings, note)


def m_step(flat: FlatCPTs, counts: FloatArray, pseudocount: float) -> FloatArray:
    """CPTs (count + pseudocount) / total; a column without any is uniform."""
    return normalised(flat, counts + pseudocount)


def _em(
    problem: EvidenceProblem, theta: FloatArray, settings: Settings, pseudocount: float
) -> Ascent:
    with Watch(settings.verbose, settings.callback, "log-likelihood") as watch:
        steps = _steps(problem, theta, pseudocount)
        message, rows, begin = _LIMIT, [], perf_counter()
        last = next(steps)
        for step in chain([last], steps):
            gain = last.value - step.value
            if gain < 0:
                message = _CONVERGED  # rounding is all that is left
                break
            last = step
            spent = perf_counter() - begin
            rows.append(Row(step.iteration, -step.ll, 1, 1, 0, float("nan"), spent))
            if watch(State(step.iteration, -step.ll, step.theta, step.gradient)):
                message = _CALLBACK
                break
            if step.iteration and gain <= settings.tol * max(1.0, abs(step.value)):
                message = _CONVERGED
                break
            if step.iteration >= settings.max_iter:
                break
    return Ascent(
        last.theta, last.value, None, tuple(rows), last.iteration, message == _CONVERGED, message
    )


class _Step:
    """CPTs, their expected counts, and log-likelihood; ``value`` is what EM minimises."""

    def __init__(
        self, problem: EvidenceProblem, theta: FloatArray, iteration: int, pseudocount: float
    ) -> None:
        rows, self._flat = problem.rows, problem.space.flat
        self.theta, self.iteration = theta, iteration
        self.counts, logs = problem.engine.expected_counts(theta, rows.codes, rows.weights)
        self.ll = total(rows.weights, logs)
        with np.errstate(divide="ignore"):
            prior = pseudocount * float(np.log(theta).sum()) if pseudocount else 0.0
        self.value = -self.ll - prior

    @property
    def gradient(self) -> FloatArray:
        """Of −LL in β."""
        gradient: FloatArray = self.theta * self._flat.column_sums(self.counts) - self.counts
        return gradient


def _steps(problem: EvidenceProblem, theta: FloatArray, pseudocount: float) -> Iterator[_Step]:
    step = _Step(problem, theta, 0, pseudocount)
    if not np.isfinite(step.ll):
        raise ParameterError(
            "a row is impossible under the start network: its log-likelihood is −inf; start from "
            "smoothed CPTs, e.g. pseudocount=1"
        )
    while True:
        yield step
        theta = m_step(problem.space.flat, step.counts, pseudocount)
        step = _Step(problem, theta, step.iteration + 1, pseudocount)

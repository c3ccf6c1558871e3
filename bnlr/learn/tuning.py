"""Cross tuning: how many iterations of ELR generalise best (Greiner et al. 2005, section 4).

The rows are dealt into five folds, each class by itself. ELR runs on the rows outside a fold and is
judged on the fold at its start, iteration 0, and after each iteration; the fold's number is the
earliest with the lowest error (or the highest CLL). ELR then makes exactly as many iterations on
all rows as the median of the folds says.
"""

from collections.abc import Callable
from dataclasses import replace
from statistics import median

import numpy as np

from bnlr._typing import FloatArray, IntArray
from bnlr.data.dataset import Dataset
from bnlr.errors import DataError
from bnlr.inference.engine import Engine
from bnlr.learn.evidence import EvidenceProblem, starts
from bnlr.learn.gradient import ascend, objective_of
from bnlr.learn.run import Settings
from bnlr.objectives.evidence import EvidenceRows, conditional_log_likelihood, total

N_FOLDS = 5

Judge = Callable[[FloatArray], float]
"""CPTs of all nodes, flat, ↦ a loss."""


def folds(data: Dataset, random_state: int | None) -> list[IntArray]:
    """Rows with a class and a weight, in five parts that share out every class evenly.

    The rows of a class are shuffled and dealt one by one, each class going on where the one
    before ended. Parts that would be empty are left out.
    """
    rng = np.random.default_rng(random_state)
    usable = data.weights > 0
    dealt = [
        rng.permutation(np.flatnonzero(usable & (data.class_codes == c)))
        for c in range(data.cards[data.class_name])
    ]
    order = np.concatenate(dealt)
    parts = [np.sort(order[k::N_FOLDS]) for k in range(N_FOLDS)]
    return [part for part in parts if part.size]


def judge(engine: Engine, rows: EvidenceRows, by: str) -> Judge:
    """Weight of the rows misclassified (``by="error"``), or −CLL ("cll")."""
    if by == "cll":
        return lambda theta: -conditional_log_likelihood(engine, theta, rows)

    def error(theta: FloatArray) -> float:
        posterior, _ = engine.posterior(theta, rows.codes)
        wrong = posterior.argmax(axis=1) != rows.classes
        return total(rows.weights, wrong.astype(np.float64))

    return error


def tuned_iterations(
    build: Callable[[Dataset], EvidenceProblem], data: Dataset, settings: Settings, by: str
) -> list[int]:
    """Each fold's best number of iterations.

    Parameters
    ----------
    build : rows ↦ what is to be fitted to them, start included
    data : all rows; those without a class are in every fold's training rows
    settings : how the solver is run; ``max_iter`` limits each fold, ``n_starts`` is 1 in them
    by : "error" or "cll"

    Raises
    ------
    DataError
        Fewer than two rows with a class.
    """
    parts = folds(data, settings.random_state)
    if len(parts) < 2:
        raise DataError("cross tuning needs two rows with a class or more; leave it out")
    quiet = replace(settings, n_starts=1, callback=None, verbose=0)
    return [_best_iteration(build, data, part, quiet, by) for part in parts]


def _best_iteration(
    build: Callable[[Dataset], EvidenceProblem],
    data: Dataset,
    part: IntArray,
    settings: Settings,
    by: str,
) -> int:
    """Return the earliest iteration with the lowest loss on the rows of ``part``."""
    problem = build(data.take(np.setdiff1d(np.arange(data.n_rows), part)))
    loss = judge(problem.engine, EvidenceRows.of(problem.space.structure, data.take(part)), by)
    losses: list[float] = []
    watched = replace(
        settings, callback=lambda state: losses.append(loss(problem.space.theta(state.x)))
    )
    thetas, _ = starts(problem, settings)
    ascend(objective_of(problem), next(thetas), problem.choice.solver, watched)
    return int(np.argmin(losses))


def agreed(bests: list[int]) -> int:
    """Return the median of the folds' numbers, rounded down."""
    return int(median(bests))

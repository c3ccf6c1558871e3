"""Cross tuning: how many iterations of ELR generalise best (Greiner et al. 2005, section 4).

The rows are dealt into five folds, each class by itself. ELR runs on the rows outside a fold and is
judged on the fold at its start, iteration 0, and after each iteration; the fold's number is the
earliest with the lowest error (or the highest CLL). ELR then makes exactly as many iterations on
all rows as the median of the folds says.

A fold's run ends after ``PATIENCE`` iterations without a new lowest loss. By then its line searches
have gone far beyond where it began to fit noise, and going on to convergence would cost hundreds of
iterations more for a number that later, chance improvements of a row or two could only raise.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from bnlr._typing import FloatArray, IntArray
from bnlr.data.dataset import Dataset
from bnlr.design.packed_rows import Design
from bnlr.errors import DataError
from bnlr.inference.engine import Engine
from bnlr.learn.result import FitResult
from bnlr.learn.runs.run import Settings
from bnlr.objectives.evidence import EvidenceRows, conditional_log_likelihood, total
from bnlr.optimize.base import State
from bnlr.spaces.base import Space

N_FOLDS = 5
PATIENCE = 20

Loss = Callable[[FloatArray], float]


@dataclass(frozen=True)
class Road:
    """ELR on the rows outside a fold: ``run`` it, and the ``loss`` of coordinates on the fold."""

    run: Callable[[Settings], object]
    loss: Loss


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


def judge(engine: Engine, rows: EvidenceRows, by: str) -> Loss:
    """Weight of the rows misclassified (``by="error"``), or −CLL ("cll"), of CPTs, flat."""
    if by == "cll":
        return lambda theta: -conditional_log_likelihood(engine, theta, rows)

    def error(theta: FloatArray) -> float:
        posterior, _ = engine.posterior(theta, rows.codes)
        wrong = posterior.argmax(axis=1) != rows.classes
        return total(rows.weights, wrong.astype(np.float64))

    return error


def judge_packed(design: Design, space: Space, by: str) -> Loss:
    """The same of coordinates in ``space``, for complete rows."""
    if by == "cll":
        return lambda x: -design.cll(space.differences(x))

    def error(x: FloatArray) -> float:
        scores = design.scores(space.differences(x))
        best = scores.argmax(axis=1)
        guessed = np.where(scores[np.arange(len(best)), best] > 0, best + 1, 0)
        return total(design.weights, (guessed != design.classes).astype(np.float64))

    return error


def tuned_iterations(
    road: Callable[[Dataset, Dataset], Road], data: Dataset, settings: Settings
) -> list[int]:
    """Each fold's best number of iterations.

    Parameters
    ----------
    road : (rows to fit, rows of the fold) ↦ how ELR goes on them
    data : all rows; those without a class are in every fold's training rows
    settings : how the solver is run; ``max_iter`` limits each fold, ``n_starts`` is 1 in them

    Raises
    ------
    DataError
        Fewer than two rows with a class.
    """
    parts = folds(data, settings.random_state)
    if len(parts) < 2:
        raise DataError("cross tuning needs two rows with a class or more; leave it out")
    quiet = replace(settings, n_starts=1, callback=None, verbose=0)
    bests = []
    for part in parts:
        rest = np.setdiff1d(np.arange(data.n_rows), part)
        bests.append(_best_iteration(road(data.take(rest), data.take(part)), quiet))
    return bests


def _best_iteration(road: Road, settings: Settings) -> int:
    """Return the earliest iteration with the lowest loss."""
    losses: list[float] = []

    def watch(state: State) -> bool:
        losses.append(road.loss(state.x))
        return len(losses) - 1 - int(np.argmin(losses)) >= PATIENCE

    road.run(replace(settings, callback=watch))
    return int(np.argmin(losses))


def agreed(bests: list[int]) -> int:
    """Return the median of the folds' numbers, rounded down."""
    return int(median(bests))


def tuned(result: FitResult, bests: list[int], by: str) -> FitResult:
    """``result``, of as many iterations as agreed, with what the folds said in its message."""
    n_iter = agreed(bests)
    end = "So many were made on all rows." if result.n_iter == n_iter else result.message
    return replace(
        result,
        converged=True,
        message=f"Cross tuning by {by}: the best iterations of {len(bests)} folds are "
        f"{', '.join(map(str, bests))}; their median is {n_iter}. {end}",
    )

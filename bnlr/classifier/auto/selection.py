"""``structure="auto"``: structure, intervals and penalty that predict rows left out best.

On 37 data sets (five folds, at most 3,000 rows, losses below .005 taken for .005) the log-loss
relative to logistic regression on one-hot columns, geometric mean, was 0.57; on the 17 that nothing
was tuned on 0.73. Of an earlier list of candidates, taking the simplest within a standard error, or
a part of it, of the best predicted worse than taking the best.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import ceil

import numpy as np
import pandas as pd

from bnlr._typing import FloatArray, IntArray
from bnlr.classifier.auto.candidates import CANDIDATES, Candidate
from bnlr.classifier.auto.folds import Fold, inner_folds
from bnlr.classifier.auto.side_by_side import judge_runs, promising, runs_of
from bnlr.classifier.auto.trials import HeldOut, Trial, Trials
from bnlr.classifier.auto.work import UNLIMITED, Budget
from bnlr.classifier.input.features import is_text
from bnlr.classifier.input.undiscretized import UncutRows
from bnlr.errors import ModelFileError
from bnlr.io.models.fields import as_list
from bnlr.learn.shrinkage.strength import (
    LEAST_GAIN,
    STRENGTHS,
    holds_too_little,
    tells_nothing,
    unit_of,
    wants_centre,
)
from bnlr.machine import one_blas_thread
from bnlr.progress import ProgressLine

N_FOLDS = 3

_ENOUGH = 15_000
_N_COMBINATIONS = 3


@dataclass(frozen=True)
class Choices:
    """What to choose among: ``candidates`` in order of promise, then ``centres`` for the best.

    Of the candidates those are tried that the ``budget`` leaves work for, the first in any case.

    ``is_of_one``: the structure is not for choice. Its own graph then has to carry its tables, and
    weak penalties, or any, must gain something to be chosen, see `bnlr.learn.shrinkage.strength`.
    """

    candidates: Sequence[Candidate] = CANDIDATES
    centres: Sequence[str] = ()
    strengths: Sequence[float] = STRENGTHS
    budget: Budget = UNLIMITED
    is_of_one: bool = False


@dataclass(frozen=True, eq=False)
class Selection:
    """What was tried, the best first, and what the best candidates predict of the rows left out.

    ``classes`` and ``weights`` are those of the rows in ``held_out``. Nothing was tried where there
    are too few rows, or weights that leave too little to learn. ``left_out`` are the candidates
    beyond the budget.
    """

    trials: Sequence[Trial] = ()
    held_out: Sequence[HeldOut] = ()
    classes: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    weights: FloatArray = field(default_factory=lambda: np.zeros(0))
    left_out: Sequence[Candidate] = ()


def select(
    table: UncutRows,
    choices: Choices,
    pseudocount: float = 1.0,
    n_kept: int = 0,
    n_jobs: int | None = 1,
    verbose: int = 0,
) -> Selection:
    """Judge candidates; predictions are kept of the best ``n_kept``.

    In their order, or side by side in ``n_jobs`` processes, which changes nothing of the result;
    then the other centres for the best, if under a strong penalty. A terminal sees after two
    seconds what is being tried; with ``verbose`` each candidate has a line.
    """
    if holds_too_little(table.class_codes, table.weights, unit_of(table.weights)):
        return Selection()
    shares = ceil(table.weights.sum() / _ENOUGH)
    folds = [fold for fold in inner_folds(table, N_FOLDS, shares) if _is_usable(table, fold)]
    if len(folds) < 2:
        return Selection()
    table, folds = _rows_in(table, folds)
    unit, is_of_one = unit_of(table.weights), choices.is_of_one
    least_gain = LEAST_GAIN * unit if is_of_one else 0.0
    trials = Trials(table, folds, pseudocount, not is_of_one, least_gain, n_kept=n_kept)
    done: list[Trial] = []
    left = trials.allowed(choices.budget)
    left_out: list[Candidate] = []
    n_most = len(choices.candidates) + _N_COMBINATIONS * len(choices.centres)
    places = count(1)

    def judge(candidate: Candidate, strengths: Sequence[float]) -> None:
        label, cutting, center = candidate.key
        what = ", ".join([label, *([cutting] if table.numbers else []), f"{center} centre"])
        line.write(f"choosing, {next(places)} of at most {n_most}: {what}")
        found = trials.path(candidate, strengths)
        if verbose and found:
            best = min(found, key=lambda trial: trial.rank)
            line.write(f"  log-loss {best.log_loss:.4f}, penalty {best.penalty:g}")
        done.extend(found)

    planned: list[tuple[Candidate, float]] = []
    for candidate in choices.candidates:
        needed = trials.work(candidate)
        if needed > left and planned:
            left_out.append(candidate)
            continue
        left -= needed
        planned.append((candidate, needed))
    with one_blas_thread(), ProgressLine(verbose) as line:
        spent, whole = 0.0, sum(needed for _, needed in planned)
        chosen = [candidate for candidate, _ in planned]
        runs = runs_of(chosen, n_jobs)
        if len(runs) > 1:
            line.write(f"choosing among {len(chosen)} candidates side by side")
            done.extend(judge_runs(trials, runs, choices.strengths, chosen, n_jobs))
            planned = []
        for candidate, needed in planned:
            judge(candidate, promising(choices.strengths, candidate.penalty_center, done))
            spent += needed
            line.foresee(line.left(spent, whole), "choosing structure and penalty")
        for best in _leaders(done, _N_COMBINATIONS):
            n_tried = None if wants_centre(best.penalty) else 1
            for other in choices.centres:
                judge(
                    Candidate(best.structure, best.discretize, other), choices.strengths[:n_tried]
                )
    done.sort(key=lambda trial: trial.rank)
    if is_of_one:
        done = _unless_chance(done, float(trials.weights.sum()), unit)
    return Selection(done, trials.held_out, trials.classes, trials.weights, left_out)


def _unless_chance(trials: list[Trial], total: float, unit: float) -> list[Trial]:
    """The trials, the best first; if that hardly gains on the shares of the classes, these."""
    for place, trial in enumerate(trials):
        if (trial.penalty_center, trial.penalty) == ("zero", STRENGTHS[0]):
            gain = (trial.rank - trials[0].rank) * total
            return [trials.pop(place), *trials] if tells_nothing(gain, unit) else trials
    return trials


def _rows_in(table: UncutRows, folds: Sequence[Fold]) -> tuple[UncutRows, list[Fold]]:
    """The rows that are in a fold, and the folds in their places."""
    rows = np.unique(np.concatenate([place for fold in folds for place in (fold.rest, fold.held)]))
    moved = [
        fold._replace(rest=np.searchsorted(rows, fold.rest), held=np.searchsorted(rows, fold.held))
        for fold in folds
    ]
    return table.take(rows), moved


def _is_usable(table: UncutRows, fold: Fold) -> bool:
    """Whether rows are left out, and two classes or more to learn from."""
    return len(fold.held) > 0 and len(np.unique(table.class_codes[fold.rest])) > 1


def _leaders(trials: Iterable[Trial], n: int) -> list[Trial]:
    """The best trial of each of the ``n`` best pairs of structure and way to cut."""
    leaders: dict[tuple[str, str], Trial] = {}
    for trial in sorted(trials, key=lambda trial: trial.rank):
        leaders.setdefault((trial.structure.label, trial.discretize), trial)
    return list(leaders.values())[:n]


def selection_to_content(table: pd.DataFrame | None) -> object:
    """Return the table as lists for a JSON file."""
    return None if table is None else table.to_numpy(dtype=object).tolist()


def content_to_selection(value: object, where: str) -> pd.DataFrame | None:
    """Return the table of a JSON file.

    Raises
    ------
    ModelFileError
        Other rows than three texts and three numbers each.
    """
    if value is None:
        return None
    rows = [as_list(row, where) for row in as_list(value, where)]
    for row in rows:
        kinds = [type(cell) for cell in row]
        are_texts = kinds[:3] == [str] * 3 and all(map(is_text, row[:3]))  # type: ignore[arg-type]
        if not are_texts or kinds[3:] != [float] * 3:
            raise ModelFileError(f"{where} must hold rows of three texts and three numbers")
    return pd.DataFrame(rows, columns=list(Trial._fields))


def selection_table(trials: Sequence[Trial]) -> pd.DataFrame:
    """One row a candidate, the best first."""
    rows = [(t.structure.label, *t[1:]) for t in trials]
    return pd.DataFrame(rows, columns=list(Trial._fields))

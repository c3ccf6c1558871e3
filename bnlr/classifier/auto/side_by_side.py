"""Candidates judged side by side by joblib, with the result of judging them one after another.

Two candidates matter for each other in two ways only. Of those whose penalty is smooth the best so
far says where the next one starts; and structures that another candidate with the same intervals
has come to are not judged again. So candidates with the intervals of a smooth one are judged one
after another, all others each alone, and what came to known structures is dropped afterwards.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from bnlr.classifier.auto.candidates import Candidate
from bnlr.classifier.auto.trials import HeldOut, Trial, Trials
from bnlr.learn.choices import SMOOTH
from bnlr.machine import one_blas_thread
from bnlr.structure.dag import Structure

_BEYOND = 30.0


class _Judged(NamedTuple):
    """Trials of a candidate, the structures of the folds, and predictions if they are kept."""

    trials: Sequence[Trial]
    structures: Sequence[Structure]
    held_out: Sequence[HeldOut]


def runs_of(candidates: Sequence[Candidate], n_jobs: int | None) -> list[Sequence[Candidate]]:
    """What is judged one after another, run by run: one run of all if there is one job only."""
    if len(candidates) < 2 or effective_n_jobs(n_jobs) == 1:
        return [candidates]
    shared = {one.discretize for one in candidates if one.penalty_center == SMOOTH}
    run = [one for one in candidates if one.discretize in shared]
    alone = [[one] for one in candidates if one.discretize not in shared]
    return [run, *alone] if run else [*alone]


def judge_runs(
    trials: Trials,
    runs: Iterable[Sequence[Candidate]],
    strengths: Sequence[float],
    candidates: Iterable[Candidate],
    n_jobs: int | None,
) -> list[Trial]:
    """Trials of all candidates in their order; predictions of the best are kept in ``trials``."""
    found = Parallel(n_jobs=n_jobs)(
        delayed(_judged)(trials.apart(), run, strengths) for run in runs
    )
    judged = {key: one for run in found for key, one in run.items()}
    known: dict[tuple[str, str], Sequence[Structure]] = {}
    kept: list[_Judged] = []
    for candidate in candidates:
        label, cutting, _ = candidate.key
        one = judged[candidate.key]
        others = (known[key] for key in known if key[1] == cutting and key[0] != label)
        if one.structures not in others:
            known[label, cutting] = one.structures
            kept.append(one)
    trials.keep(one for each in kept for one in each.held_out)
    return [trial for each in kept for trial in each.trials]


def _judged(
    trials: Trials, run: Sequence[Candidate], strengths: Sequence[float]
) -> dict[tuple[str, str, str], _Judged]:
    paths: dict[tuple[str, str, str], list[Trial]] = {}
    with one_blas_thread():
        for candidate in run:
            done = [trial for path in paths.values() for trial in path]
            wanted = promising(strengths, candidate.penalty_center, done)
            paths[candidate.key] = trials.path(candidate, wanted)
    return {
        one.key: _Judged(
            paths[one.key],
            trials.structures(one),
            [held for held in trials.held_out if held.trial.candidate == one.key],
        )
        for one in run
    }


def promising(strengths: Sequence[float], center: str, done: Iterable[Trial]) -> Sequence[float]:
    """Those that are not far beyond the best so far on differences of neighbours.

    A table of more cells is not smoothed by more, and its strongest penalties cost as much as any.
    """
    smooth = [trial for trial in done if trial.penalty_center == SMOOTH]
    if center != SMOOTH or not smooth:
        return strengths
    most = _BEYOND * min(smooth, key=lambda trial: trial.rank).penalty
    return [one for one in strengths if one <= most] or strengths

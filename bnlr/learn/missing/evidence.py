"""What the learners that sum out missing cells share: rows, starts, and how a result is told."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

import numpy as np

from bnlr._typing import FloatArray
from bnlr.data.parts import added_and_least
from bnlr.design.packed_rows import Design
from bnlr.inference.engine import Engine
from bnlr.learn.auto_learner import Choice
from bnlr.learn.choices import LIKELIHOOD
from bnlr.learn.missing.latent import normalised, separated, symmetric_latents
from bnlr.learn.proof.separation import Separation
from bnlr.learn.result import FitResult
from bnlr.learn.runs.lowest import KEPT, is_lower
from bnlr.learn.runs.run import Settings
from bnlr.network import BayesianNetwork
from bnlr.objectives.evidence import (
    EvidenceRows,
    conditional_log_likelihood,
    log_conditionals,
    log_likelihood,
    never_observed,
    total,
)
from bnlr.objectives.penalty import Penalty
from bnlr.optimize.trace import Row
from bnlr.spaces.joint import JointSpace
from bnlr.structure.report import StructureReport

_NEAR_ZERO = 1e-6


@dataclass(frozen=True)
class EvidenceProblem:
    """What is to be fitted: the rows, holes and all, the start, the penalty and the road.

    ``design`` are the same rows packed, where that makes the penalised problem a logistic
    regression: a perfect structure, no holes.
    """

    space: JointSpace
    engine: Engine
    rows: EvidenceRows
    frequencies: BayesianNetwork
    start: BayesianNetwork
    penalty: Penalty | None
    report: StructureReport
    choice: Choice
    design: Design | None = None


@dataclass(frozen=True)
class Ascent:
    """Where one start led.

    ``theta`` are the CPTs, ``value`` what was minimised there, ``x`` the coordinates, None where
    the learner has none. ``is_last``: the last of ``rows`` is of ``theta``.
    """

    theta: FloatArray
    value: float
    x: FloatArray | None
    rows: tuple[Row, ...]
    n_iter: int
    converged: bool
    message: str
    is_last: bool = True


class Starts(NamedTuple):
    """CPTs to start from, (size,).

    ``given`` are those asked for; ``each`` yields them, or what they were ``moved`` to where no
    learner gets away from them, and then random ones. ``note`` tells a person.
    """

    given: FloatArray
    each: Iterator[FloatArray]
    moved: bool
    note: str


def starts(problem: EvidenceProblem, settings: Settings) -> Starts:
    """The given start and random ones.

    Nodes never observed whose states are alike are perturbed in the given start.
    """
    flat, (moves, draws) = problem.space.flat, settings.generators()
    given = first = flat.flatten(problem.start.cpts)
    never = problem.rows.total(never_observed, combine=np.logical_and)
    latent = symmetric_latents(flat, first, never)
    note = ""
    if latent:
        first = separated(flat, first, latent, moves)
        names = ", ".join(repr(flat.names[node]) for node in latent)
        note = (
            f"No row observes {names}: the start, alike in all its states, was perturbed at random "
            f"(random_state={settings.random_state!r}); others may end elsewhere, try n_starts=10."
        )

    def each() -> Iterator[FloatArray]:
        yield first
        for _ in range(settings.n_starts - 1):
            yield normalised(flat, np.exp(draws.standard_normal(flat.n_cells)))

    return Starts(given, each(), bool(latent), note)


def not_worse(best: Ascent, given: FloatArray, value: float, x: FloatArray | None) -> Ascent:
    """``best``, or the start ``given`` where its ``value`` is lower by more than rounding."""
    if not is_lower(value, best.value):
        return best
    message = f"{best.message} {KEPT}"
    return replace(best, theta=given, value=value, x=x, message=message, is_last=False)


def told(
    problem: EvidenceProblem, begin: Starts, best: Ascent, settings: Settings, *notes: str
) -> FitResult:
    """Collect what a learner found."""
    engine, rows, space = problem.engine, problem.rows, problem.space
    labelled = rows.labelled
    cll, least = labelled.total(_cll_and_least, engine, best.theta, combine=added_and_least)
    of_start = settings.n_starts == 1 and not begin.moved
    many = f"Best of {settings.n_starts} starts." if settings.n_starts > 1 else ""
    verdict = _separation(least) if problem.choice.learner == "elr" else None
    diverging = "" if verdict is None else verdict.message
    return FitResult(
        network=space.network_of(best.theta),
        cll=float(cll),
        start_cll=conditional_log_likelihood(engine, begin.given, labelled),
        converged=best.converged,
        n_iter=best.n_iter,
        message=" ".join(
            part for part in (many, best.message, begin.note, *notes, diverging) if part
        ),
        learner=problem.choice.learner,
        space=problem.choice.space,
        solver=problem.choice.solver,
        why=problem.choice.why,
        report=problem.report,
        separation=verdict,
        penalty=0.0 if problem.penalty is None else problem.penalty.strength,
        center_scale=None if problem.penalty is None else problem.penalty.scale,
        coordinates=None if best.x is None else space,
        x=best.x,
        rows=best.rows,
        log_likelihood=_log_likelihood(problem, best.theta, best.rows[-1:] if best.is_last else ()),
        start_log_likelihood=_log_likelihood(
            problem, begin.given, best.rows[:1] if of_start else ()
        ),
    )


def _log_likelihood(problem: EvidenceProblem, theta: FloatArray, row: tuple[Row, ...]) -> float:
    """Log-likelihood at ``theta``, which EM and APN have in the trace's ``row``."""
    if row and problem.choice.learner in LIKELIHOOD:
        return -row[0].value
    return log_likelihood(problem.engine, theta, problem.rows)


def _cll_and_least(rows: EvidenceRows, engine: Engine, theta: FloatArray) -> tuple[float, float]:
    logs = log_conditionals(engine, theta, rows)
    return total(rows.weights, logs), float(logs.min(initial=inf))


def _separation(least: float) -> Separation | None:
    """Where log P(class | evidence) of every row comes to 0, its supremum, nothing attains it.

    Of the ``least``: many that are told apart would hide a few that are not, and heavy ones light
    ones.
    """
    if not -_NEAR_ZERO < least < inf:
        return None
    return Separation("complete", ("the CLL nears 0, its supremum",), "CLL of 0")

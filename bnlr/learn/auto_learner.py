"""Which learner, space and solver a structure and its data call for, and why."""

from typing import NamedTuple

from bnlr.arguments import one_of
from bnlr.errors import ParameterError
from bnlr.learn.choices import (
    AUTO,
    BETA_SPACES,
    COUNTERS,
    LEARNERS,
    LOGISTIC_SPACES,
    LR_SPACES,
    SPACES,
)
from bnlr.objectives.softmax_curvature import LARGEST
from bnlr.optimize.base import SOLVERS
from bnlr.structure.report import StructureReport

_HOLES = "cells are missing that the class's families look at"
_LATENT = "nodes are latent that the class's families look at"


class Choice(NamedTuple):
    """What "auto" came to, and the sentence that says why."""

    learner: str
    space: str
    solver: str
    why: str


def choose(
    report: StructureReport,
    learner: str,
    space: str,
    solver: str,
    *,
    has_holes: bool = False,
    has_penalty: bool = False,
    are_latent: bool = False,
    cross_tuning: bool | str = False,
) -> Choice:
    """Resolve "auto" in ``learner``, ``space`` and ``solver``, names that are known.

    ``has_holes``: a row with a class lacks a cell that the class's families look at;
    ``are_latent``: these are cells of latent nodes alone;
    ``has_penalty``: there is one, which keeps parameters from running away.

    Raises
    ------
    ParameterError
        Two that do not go together.
    """
    chosen, why = _learner(report, learner, space, has_holes)
    if are_latent and why == _HOLES:
        why = _LATENT
    if cross_tuning and chosen != "elr":
        raise ParameterError(
            f"cross_tuning={cross_tuning!r} stops learner 'elr', not {chosen!r}; give learner='elr'"
        )
    if chosen in (*COUNTERS, "em"):
        return _by_counts(chosen, space, solver, why)
    if chosen == "lr":
        return Choice(chosen, _space(chosen, space, LR_SPACES, "roos"), _or(solver, "newton"), why)
    space = _space(chosen, space, BETA_SPACES, "softmax")
    cells = (report.parameter_counts or {}).get("beta") or 0
    # with holes those of all nodes count, which are not known yet
    is_held = has_penalty and cells <= LARGEST
    has_curvature = chosen == "elr" and (has_holes or is_held)
    best = _ascent(space, solver, cross_tuning, has_curvature=has_curvature)
    return Choice(chosen, space, best, why)


def _learner(report: StructureReport, learner: str, space: str, has_holes: bool) -> tuple[str, str]:
    if learner != "auto":
        return learner, "as asked"
    if report.satisfies_condition_1 and not has_holes:
        return "lr", "the canonical form is perfect, so the network is a logistic regression"
    if space in LOGISTIC_SPACES:
        return "lr", f"space {space!r} was asked for"
    if not report.satisfies_condition_1:
        n = report.n_violations
        return "elr", f"the canonical form is not perfect ({n} unmarried pairs of parents)"
    return "elr", _HOLES


def _space(learner: str, space: str, known: tuple[str, ...], best: str) -> str:
    if space == "auto":
        return best  # roos: one weight a cell suits a diagonal preconditioner best
    if space not in known:
        names = " or ".join(map(repr, known))
        raise ParameterError(f"learner {learner!r} works in space {names}, not {space!r}")
    return space


def _ascent(space: str, solver: str, cross_tuning: bool | str, *, has_curvature: bool) -> str:
    if space == "theta":
        if solver not in {"auto", "l-bfgs"}:
            raise ParameterError(
                f"space 'theta' works with solver 'l-bfgs', which keeps it positive, not {solver!r}"
            )
        return "l-bfgs"
    if cross_tuning:
        return _or(solver, "cg-brent")  # the paper's, whose iterations are counted
    return _or(solver, "newton" if has_curvature else "l-bfgs")


def _by_counts(learner: str, space: str, solver: str, why: str) -> Choice:
    for what, value in (("space", space), ("solver", solver)):
        if value not in {"auto", "none", learner}:
            raise ParameterError(f"learner {learner!r} has no {what}; leave {what}={value!r} out")
    return Choice(learner, "none", "none" if learner == "frequencies" else learner, why)


def _or(solver: str, best: str) -> str:
    return best if solver == "auto" else solver


def meant_method(learner: object, space: object, solver: object) -> tuple[str, str, str]:
    """Return the learner, space and solver that are meant by their names.

    Raises
    ------
    ParameterError
        An unknown one.
    """
    learner = one_of("learner", learner, LEARNERS)
    is_none = isinstance(solver, str) and solver in {"none", learner}  # of one that only counts
    return (
        learner,
        one_of("space", space, SPACES),
        str(solver) if is_none else one_of("solver", solver, (AUTO, *SOLVERS)),
    )

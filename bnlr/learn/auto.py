"""Which learner and space a structure and its data call for, and why."""

from typing import NamedTuple

from bnlr.errors import ParameterError
from bnlr.structure.report import StructureReport

LEARNERS = ("auto", "frequencies", "lr", "elr")
SPACES = ("auto", "loglinear", "roos", "softmax")


class Choice(NamedTuple):
    """What "auto" came to, and the sentence that says why."""

    learner: str
    space: str
    solver: str
    why: str


def choose(report: StructureReport, learner: str, space: str, solver: str) -> Choice:
    """Resolve "auto" in ``learner``, ``space`` and ``solver``.

    Raises
    ------
    ParameterError
        An unknown learner or space, or two that do not go together.
    """
    _check("learner", learner, LEARNERS)
    _check("space", space, SPACES)
    chosen, why = _learner(report, learner, space)
    if chosen == "frequencies":
        return Choice(chosen, "none", "none", why)
    if chosen == "elr":
        if space not in {"auto", "softmax"}:
            raise ParameterError(f"learner 'elr' works in space 'softmax', not {space!r}")
        return Choice(chosen, "softmax", "l-bfgs" if solver == "auto" else solver, why)
    if space == "auto":
        # One weight a cell suits a diagonal preconditioner best, and reaches the least penalty.
        space = "roos"
    return Choice(chosen, space, "newton" if solver == "auto" else solver, why)


def _learner(report: StructureReport, learner: str, space: str) -> tuple[str, str]:
    if learner != "auto":
        return learner, "as asked"
    if report.satisfies_condition_1:
        return "lr", "the canonical form is perfect, so the network is a logistic regression"
    if space in {"loglinear", "roos"}:
        return "lr", f"space {space!r} was asked for"
    n = len(report.violations)
    return "elr", f"the canonical form is not perfect ({n} unmarried pairs of parents)"


def _check(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ParameterError(f"there is no {what} {value!r}; choose one of {', '.join(known)}")

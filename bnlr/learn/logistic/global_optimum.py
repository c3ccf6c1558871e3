"""The global optimum on a perfect graph: logistic regression, there and back.

Sources: Wettig et al. 2003, Theorems 2 and 3; Feelders & Ivanovs 2006, section 3.
"""

from dataclasses import replace

import numpy as np

from bnlr._typing import FloatArray
from bnlr.data.compress import distinct_rows
from bnlr.design.packed_rows import Design, Linearisation
from bnlr.learn.logistic.cpt_penalty_optimum import in_cpts, settled_run
from bnlr.learn.logistic.representable import written
from bnlr.learn.logistic.vanishing_penalty import (
    PathEnd,
    is_dear,
    is_slow,
    told_apart,
    vanishing_penalty,
)
from bnlr.learn.proof.log_odds import has_run_away
from bnlr.learn.proof.separation import Separation, empty_cells, of_cells, proof
from bnlr.learn.proof.upper_bound import Effort
from bnlr.learn.result import FitResult
from bnlr.learn.runs.lowest import KEPT, is_lower
from bnlr.learn.runs.run import Problem, Run, Settings, best_run, finished
from bnlr.network import BayesianNetwork
from bnlr.optimize.base import Preconditioner, Status
from bnlr.optimize.newton import EASY
from bnlr.optimize.optimality import NEAR, enough, proven
from bnlr.spaces.base import Space
from bnlr.spaces.l_model import Free, LinearSpace
from bnlr.spaces.loglinear import LogLinear
from bnlr.spaces.roos import Roos
from bnlr.spaces.softmax import Softmax

# A further space is one file and one line here, beside its name in `bnlr.learn.choices`.
_SPACES: dict[str, type[Space]] = {"roos": Roos, "softmax": Softmax}
_NEAR_SUPREMUM = 1e-11
_ROUNDING = 2.0**-50
_COSTLY = 1e-6
_MANY = 100  # iterations, more than a path takes
_LOOSER = 0.25  # of the gap that a converged point may have: what a bound may spare


def fit_logistic(problem: Problem, settings: Settings) -> FitResult:
    """Maximise the CLL over all CPTs of a perfect structure."""
    has_children = len(problem.design.layout.families) > 1
    if not has_children and problem.penalty is None:
        return _diagnostic(problem, settings)
    space = make_space(problem)
    problem = _reachable(problem, space)
    end = _found_apart(problem, space, settings)
    run = _run(problem, space, settings, end)
    x, tables = run.result.x, space.differences(run.result.x)
    bound, verdict, note = None, None, ""
    if problem.penalty is None:
        near = _LOOSER * enough(run.result.value, settings.tol)
        effort = Effort(sum(row.n_hvp for row in run.rows), near)
        own = (problem.design, _free(problem), tables, *_known(run))
        bound, verdict = proof(*own, unit=settings.unit, effort=effort)
        is_end = run.result.converged or not space.is_linear or has_run_away(tables)
        if end is not None:
            note = _path_note(end, settings.unit)
        elif verdict.is_separated and is_end:
            x, note = _tamed(problem, space, x, settings, run.start_cll)
    reached = run.objective.cll(run.result.x)
    x, network, cll = written(problem, space, x, None if note else reached)
    run = replace(run, result=proven(run.result, bound, cll, settings.tol))
    if reached - cll > (_COSTLY if note else NEAR) * max(1.0, abs(reached)):
        # CPTs that floats can hold come nowhere near: what is reported is no optimum.
        run = replace(run, result=replace(run.result, status=Status.UNBOUNDED))
    return finished(
        problem,
        network=network,
        cll=cll,
        run=run,
        space=space,
        x=x,
        upper_bound=bound,
        separation=verdict,
        message=_message(run.result.status.value, run.result.detail, verdict, note),
    )


def _known(run: Run) -> tuple[Linearisation, Preconditioner | None]:
    """What the solver has left of its last point; its preconditioner too where that was good."""
    was_easy = all(row.n_hvp <= EASY for row in run.rows)
    return run.objective.at(run.result.x), run.objective.inverse if was_easy else None


def _reachable(problem: Problem, space: Space) -> Problem:
    """The penalty as ``space`` can meet it, its centre's P(class | attributes) the same.

    Else a space with reference states would be kept from the tables of frequency estimates, and
    CPTs from sums of 1.
    """
    penalty = problem.penalty
    if not isinstance(space, LinearSpace):
        return in_cpts(problem)
    if penalty is None or not penalty.centre.any():
        return problem
    tables = penalty.layout.unstack(np.pad(penalty.centre, ((0, 0), (1, 0))))
    centre = space.differences(space.from_tables(tables))
    return replace(problem, penalty=replace(penalty, centre=centre))


def _found_apart(problem: Problem, space: Space, settings: Settings) -> PathEnd | None:
    """Moderate tables at a supremum of 0, where it takes less to look for them than for others.

    They are looked for where an empty cell rules a maximiser out, parameters outnumber rows and no
    two rows differ in the class alone.
    """
    design, is_newton = problem.design, problem.choice.solver == "newton" and not settings.options
    # Who watches or limits the solver sees its own road.
    is_plain = settings.callback is None and settings.n_starts == 1 and settings.max_iter >= _MANY
    if problem.penalty is not None or not (space.is_linear and is_newton and is_plain):
        return None
    if not design.at_hand:
        return None
    is_wide = design.n_rows < design.layout.n_cells * (design.layout.n_classes - 1)
    if not (is_dear(design) and is_wide and empty_cells(design).any()) or _is_contested(design):
        return None
    return told_apart(design, problem.start, -max(settings.tol, _NEAR_SUPREMUM))


def _is_contested(design: Design) -> bool:
    """Whether rows of one configuration of the attributes differ in the class."""
    configurations = distinct_rows([*design.codes], None)
    with_classes = distinct_rows([*design.codes, design.classes], None)
    return len(with_classes.first) > len(configurations.first)


def _run(problem: Problem, space: Space, settings: Settings, end: PathEnd | None) -> Run:
    """Run the solver from the ``end`` of a path, if there is one."""
    if end is None:
        return settled_run(problem, space, settings)
    run = best_run(problem, space, settings, _written(problem, space, end.tables))
    start = space.differences(space.from_network(problem.start))
    return replace(run, start_cll=problem.design.cll(start))


def _tamed(
    problem: Problem, space: Space, x: FloatArray, settings: Settings, start_cll: float
) -> tuple[FloatArray, str]:
    """Parameters as near the supremum as ``x`` but of moderate size, if ``x`` has run away.

    None that are worse than the start: that may have run away itself.
    """
    tables = space.differences(x)
    if not has_run_away(tables):
        return x, ""
    cll = problem.design.cll(tables)
    near = cll - max(settings.tol, _NEAR_SUPREMUM) * max(1.0, abs(cll))
    enough = max(near, min(start_cll, cll))
    end = vanishing_penalty(problem.design, problem.start, enough)
    reached = -np.inf if end is None else problem.design.cll(end.tables)
    if end is None or is_lower(-start_cll, -reached):
        return x, ""
    unit, short = settings.unit, max(cll - reached, 0.0)
    about = "about " if is_slow(problem.design) else ""
    further = ", followed no further for what it costs" if end.is_cut_off else ""
    return _written(problem, space, end.tables), (
        f"The parameters reported are {about}the optimum under a penalty of "
        f"{unit * end.strength:g}, the end of a path of vanishing penalties ({end.n_iter} more "
        f"iterations{further}), which keeps them moderate and costs {unit * short:.1e} of the CLL."
    )


def _path_note(end: PathEnd, unit: float) -> str:
    return (
        "The solver started from parameters that tell every row's class apart: about the optimum "
        f"under a penalty of {unit * end.strength:g}, on a path of vanishing penalties "
        f"({end.n_iter} more iterations), lengthened {end.stretch:.3g} times."
    )


def _written(problem: Problem, space: Space, tables: FloatArray) -> FloatArray:
    """Parameters in ``space`` with the P(class | attributes) of ``tables``."""
    if isinstance(space, LinearSpace):
        absolute = np.pad(tables, ((0, 0), (1, 0)))
        return space.from_tables(problem.design.layout.unstack(absolute))
    free = Free(space.structure, space.states)
    return space.from_network(free.to_network(tables.ravel(), like=problem.frequencies))


def make_space(problem: Problem) -> Space:
    """The chosen space, each attribute's most frequent state coded 0 in the log-linear one."""
    structure, states = problem.frequencies.structure, problem.frequencies.states
    if problem.choice.space == "loglinear":
        frequent = problem.data.most_frequent
        layout = problem.design.layout
        return LogLinear(structure, states, {a: frequent[a] for a in layout.attributes})
    return _SPACES[problem.choice.space](structure, states)


def _free(problem: Problem) -> Free:
    return Free(problem.frequencies.structure, problem.frequencies.states)


def _message(status: str, detail: str, verdict: Separation | None, note: str = "") -> str:
    parts = [status, detail, verdict.message if verdict is not None else "", note]
    return " ".join(part for part in parts if part)


def _diagnostic(problem: Problem, settings: Settings) -> FitResult:
    """A class without children: its CPT is the relative frequency in each configuration.

    Where a class never occurs in a configuration its probability should be 0; it gets as much as
    keeps the CLL within tol · max(1, |CLL|) of the supremum, so that all weights are finite.
    """
    design = problem.design
    counts = design.counts()
    totals = counts.sum(axis=1, keepdims=True)
    supremum = _entropy_sum(counts)
    empty = (counts == 0) & (totals > 0)
    n_empty = int(empty.sum())
    floor = 0.5 * settings.tol * max(1.0, abs(supremum)) / max(n_empty, 1)
    filled = np.where(empty, max(floor, 1e-300), np.where(totals > 0, counts, 1.0))
    theta = filled / filled.sum(axis=1, keepdims=True)
    own = problem.frequencies.structure.class_name
    cpts = {**problem.frequencies.cpts, own: design.layout.unstack(theta)[own]}
    states = problem.frequencies.states
    network = BayesianNetwork(problem.frequencies.structure, states, cpts)
    cll = network.conditional_log_likelihood(problem.data)
    verdict = of_cells(design, _free(problem), settings.unit)
    space, note = make_space(problem), ""
    start_cll = design.cll(space.differences(space.from_network(problem.start)))
    if is_lower(-start_cll, -cll):
        network, cll, note = problem.start, start_cll, KEPT
    return finished(
        problem,
        network=network,
        cll=cll,
        run=None,
        space=space,
        x=space.from_network(network),
        upper_bound=supremum * (1.0 - _ROUNDING),
        separation=verdict,
        message=_message(
            "Closed form: the class has no children, so relative frequencies are optimal.",
            note,
            verdict,
        ),
    )


def _entropy_sum(counts: FloatArray) -> float:
    """Σ n log(n / total) over cells with n > 0, (n_cells, n_classes)."""
    others = counts @ (1.0 - np.eye(counts.shape[1]))
    share = np.divide(others, counts, out=np.zeros_like(counts), where=counts > 0)
    return -float((counts * np.log1p(share)).sum())

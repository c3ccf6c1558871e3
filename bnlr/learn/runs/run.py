"""One run of a solver in one space, and the best of several starts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bnlr import flops
from bnlr._typing import FloatArray
from bnlr.data.dataset import Dataset
from bnlr.design.packed_rows import Design
from bnlr.learn.auto_learner import Choice
from bnlr.learn.proof.separation import Separation
from bnlr.learn.result import FitResult
from bnlr.learn.runs.lowest import Lowest, not_worse, point, rank
from bnlr.learn.runs.solver import find_minimum
from bnlr.learn.runs.watch import Watch
from bnlr.network import BayesianNetwork
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.minimum_norm import least_tables
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.softmax_curvature import LARGEST
from bnlr.optimize.base import Objective, Result, State
from bnlr.optimize.optimality import Gap, confirmed, estimated_gap
from bnlr.optimize.trace import CountingObjective, Row, Trace
from bnlr.spaces.base import Space
from bnlr.spaces.l_model import Free, LinearSpace
from bnlr.structure.report import StructureReport

_FLAT = 1e-12
_SHAKE = 0.1
_ROUNDING = 1e-11
_SAME = 1e-9
# Where a pass makes so few lookups a parameter L-BFGS spends more on its memory than on the rows.
_FEW_LOOKUPS, _SHORT_MEMORY = 32, 5


@dataclass(frozen=True)
class Problem:
    """What is to be fitted: the packed rows, the start, the penalty and the chosen road.

    ``counted`` are the estimates that are the start where none is given.
    """

    design: Design
    data: Dataset
    frequencies: BayesianNetwork
    counted: BayesianNetwork
    start: BayesianNetwork
    penalty: Penalty | None
    report: StructureReport
    choice: Choice


@dataclass(frozen=True)
class Settings:
    """How the solver is run; it sees weights, and tells values, in units of ``unit`` rows."""

    tol: float
    max_iter: int
    n_starts: int
    random_state: int | None
    callback: Callable[[State], bool | None] | None
    verbose: int
    options: dict[str, Any] = field(default_factory=dict)
    unit: float = 1.0

    def generators(self) -> tuple[np.random.Generator, np.random.Generator]:
        """What moves a given start, always the same without a seed, and what draws others."""
        moves = np.random.default_rng(self.random_state or 0)
        return moves, np.random.default_rng() if self.random_state is None else moves


@dataclass(frozen=True)
class Run:
    """Where the best start led, the CLL of the given one and the objective."""

    result: Result
    rows: tuple[Row, ...]
    start_cll: float
    objective: ConditionalObjective


def best_run(
    problem: Problem, space: Space, settings: Settings, first: FloatArray | None = None
) -> Run:
    """Run the solver from every start and keep the lowest objective, the given start's included.

    ``first`` are the parameters of the problem's start, worked out here if not given.
    """
    objective = ConditionalObjective(problem.design, space, problem.penalty)
    first = _given_start(problem, space) if first is None else first
    start_cll = objective.cll(first)  # remembered for the solver's first look
    costs = evaluation_costs(problem.design, space, problem.choice.solver, settings.unit)

    def gap(x: FloatArray, value: float, gradient: FloatArray) -> float:
        # Beside a strong penalty the prior, which is free of it, weighs nothing.
        found = estimated_gap(objective, x, value, gradient, settings.tol)
        return max(found, objective.decrement_of_prior(x))

    def solve(x: FloatArray) -> tuple[Result, tuple[Row, ...]]:
        options = _options(problem, objective, x, settings)
        return solved(objective, x, problem.choice.solver, settings, options, costs, gap=gap)

    begin = None if space.is_linear else point(objective, first)
    result, rows = lowest(solve, first, begin, settings)
    if result.decrement is None:  # a start that was kept has not been judged
        result = confirmed(objective, result, settings.tol, gap)
    return Run(result, rows, start_cll, objective)


def _given_start(problem: Problem, space: Space) -> FloatArray:
    """Parameters of the start, of all with its P(class | attributes) those penalised least."""
    x, penalty = space.from_network(problem.start), problem.penalty
    if penalty is None or not isinstance(space, Free) or problem.start is problem.counted:
        return x
    moved = space.differences(x) - penalty.centre
    if np.abs(moved).max(initial=0.0) <= _SAME:  # the start is the centre
        return x
    return (penalty.centre + least_tables(problem.design.layout).with_prior(moved)).ravel()


def lowest(
    solve: Callable[[FloatArray], tuple[Result, tuple[Row, ...]]],
    first: FloatArray,
    begin: State | None,
    settings: Settings,
) -> tuple[Result, tuple[Row, ...]]:
    """Where the best of the starts leads, or the given one itself if that is lower.

    ``begin`` is what is seen at the given start ``first``, from which the solver starts shaken if
    the gradient vanishes there; None where it need not be asked.
    """
    is_flat = begin is not None and float(np.abs(begin.gradient).max(initial=0.0)) <= _FLAT
    runs = (solve(x) for x in _starts(first, settings, is_flat=is_flat))
    result, rows = min(runs, key=lambda run: rank(run[0].value))
    return (result if begin is None else not_worse(result, begin)), rows


def _starts(first: FloatArray, settings: Settings, *, is_flat: bool) -> Iterator[FloatArray]:
    """Yield the given start, shaken where it is flat, then random ones."""
    if not is_flat and settings.n_starts == 1:
        yield first
        return
    moves, draws = settings.generators()
    yield first + _SHAKE * moves.standard_normal(first.size) if is_flat else first
    for _ in range(settings.n_starts - 1):
        yield draws.standard_normal(first.size)


def solved(
    objective: Objective,
    x: FloatArray,
    solver: str,
    settings: Settings,
    options: dict[str, Any],
    costs: flops.Costs | None = None,
    what: str = "CLL less penalty",
    gap: Gap | None = None,
) -> tuple[Result, tuple[Row, ...]]:
    """Run one solver from ``x``, watched and traced; ``what`` names −F to a person watching.

    ``gap`` estimates the gap of an objective that has no Hessian, see ``confirmed``.
    """
    counting = CountingObjective(objective, costs)
    with Watch(settings.verbose, settings.callback, what, settings.unit) as watch:
        trace = Trace(counting, then=watch)
        best = Lowest(trace)
        result = find_minimum(
            counting,
            x,
            solver=solver,
            tol=settings.tol,
            max_iter=settings.max_iter,
            on_iteration=best,
            **options,
        )
    result = confirmed(objective, best.of(result), settings.tol, gap)
    return result, tuple(trace.rows)  # not the trace, which holds on to what it counted


def _options(
    problem: Problem, objective: ConditionalObjective, x: FloatArray, settings: Settings
) -> dict[str, Any]:
    """The solver's options; L-BFGS gets the start's curvature as its scale.

    Under a penalty tables are the better conditioned unscaled; CPTs, of which it holds hardly half
    the directions, are not.
    """
    options, penalised = dict(settings.options), problem.penalty is not None
    if problem.choice.solver != "l-bfgs" or (penalised and objective.space.is_linear):
        return options
    # Half a row more keeps the scale of cells that no row speaks for moderate.
    options.setdefault("scale", 1.0 / np.sqrt(objective.diagonal(x) + 0.5))
    if penalised and x.size > max(LARGEST, problem.design.n_lookups / _FEW_LOOKUPS):
        options.setdefault("memory", _SHORT_MEMORY)
    return options


def evaluation_costs(design: Design, space: Space, solver: str, unit: float = 1.0) -> flops.Costs:
    """Flops of one evaluation, in the model of Feelders & Ivanovs 2006, section 4.

    N is the rounded sum of the weights, which are in units of ``unit`` rows, n and the d_i are
    those of the attributes that the class's families look at.
    """
    layout, n_rows, d = design.layout, round(unit * design.total_weight), design.layout.n_classes
    if isinstance(space, LinearSpace):
        ones = round(unit * space.predictors_in(design))
        shape = (ones, n_rows, d)
        costs = (flops.lr_cost_cll, flops.lr_cost_gradient, flops.lr_cost_hvp)
        cll, gradient, hvp = (cost(*shape) for cost in costs)
        return flops.Costs(space.size, cll, gradient, hvp, solver=solver)
    cards = layout.attribute_cards
    return flops.Costs(
        space.size,
        flops.bn_cost_cll(space.size, n_rows, len(cards), d),
        flops.bn_cost_gradient(space.size, n_rows, cards, d),
        flops.bn_cost_hvp(space.size, n_rows, len(cards), d),
        solver=solver,
    )


def _start_cll(problem: Problem, space: Space) -> float:
    return problem.design.cll(space.differences(space.from_network(problem.start)))


def finished(
    problem: Problem,
    network: BayesianNetwork,
    cll: float,
    run: Run | None,
    space: Space,
    message: str,
    upper_bound: float | None = None,
    separation: Separation | None = None,
    x: FloatArray | None = None,
) -> FitResult:
    """Collect what a learner found; a closed form has no ``run``; ``x`` overrules the run's."""
    choice = problem.choice
    return FitResult(
        network=network,
        cll=cll,
        start_cll=run.start_cll if run is not None else _start_cll(problem, space),
        converged=run is None or run.result.converged,
        n_iter=0 if run is None else run.result.n_iter,
        message=message,
        learner=choice.learner,
        space=choice.space,
        solver="closed form" if run is None else choice.solver,
        why=choice.why,
        report=problem.report,
        upper_bound=_not_disproved(upper_bound, cll),
        separation=separation,
        penalty=0.0 if problem.penalty is None else problem.penalty.strength,
        center_scale=None if problem.penalty is None else problem.penalty.scale,
        coordinates=space,
        x=run.result.x if x is None and run is not None else x,
        rows=() if run is None else run.rows,
    )


def _not_disproved(bound: float | None, cll: float) -> float | None:
    """The proven bound, 0 at most, which a CLL that was reached may pass by rounding only.

    Raises
    ------
    ArithmeticError
        It passes it by more: an error in this library.
    """
    if bound is not None and cll - bound > _ROUNDING * max(abs(bound), abs(cll)):
        raise ArithmeticError(
            f"a CLL of {cll!r} was reached, above the upper bound {bound!r} that was proven: one "
            "of them is wrong. Please report the data; a penalty, which needs no bound, avoids this"
        )
    return None if bound is None else min(bound, 0.0)

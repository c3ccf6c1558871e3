"""The penalty of CPTs, and where a fit of perfect structures under it ends: at the one optimum.

The penalty of CPTs (`CPTPenalty`) sees P(class | attributes) alone. CPTs can write that in as many
ways as there are starts, and solvers stop where the objective is near enough. In the tables the
problem is convex with one optimum, a few steps of Newton's method away, and Theorem 3 of Wettig et
al. (2003) writes it back in the gauge of the frequency estimates.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from bnlr._typing import BoolArray, FloatArray
from bnlr.design.packed_rows import Design
from bnlr.learn.runs.run import Problem, Run, Settings, best_run
from bnlr.learn.runs.seen import seen_run
from bnlr.learn.runs.solver import find_minimum
from bnlr.network import BayesianNetwork
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.minimum_norm import least_tables
from bnlr.objectives.penalty import CPTPenalty, Penalty, pseudo_rows
from bnlr.objectives.precondition import Curvature
from bnlr.optimize.decrement import product_limit
from bnlr.optimize.newton import DOUBTFUL
from bnlr.optimize.newton_system import NewtonSystem
from bnlr.spaces.base import Space
from bnlr.spaces.l_model import Free

POLISHED = (
    " The CPTs reported are polished in the tables, where the problem is convex, and have the "
    "class averages of the frequency estimates."
)
SLACK = 1e-8
_MOST_ITERATIONS = 100
_MOST_STEPS = 10
_LOWEST_PRIOR = 40.0


def in_cpts(problem: Problem) -> Problem:
    """``problem`` with the penalty of CPTs in place of the one on tables."""
    if problem.penalty is None:
        return problem
    counts = None
    if not problem.report.satisfies_condition_1:
        design, strength = problem.design, problem.penalty.strength
        layout = design.layout
        cells = np.concatenate([np.full(f.n_cells, float(f.n_cells)) for f in layout.families])
        sizes = layout.n_classes * cells[:, None]
        counts = pseudo_rows(design.counts(), sizes, design.total_weight, strength)
    return replace(problem, penalty=CPTPenalty.of(problem.penalty, counts))


def settled_run(problem: Problem, space: Space, settings: Settings) -> Run:
    """Run the solver, in the cells that rows show where those are few, and settle its end."""

    def polished(small: Problem, run: Run) -> FloatArray:
        x = run.result.x
        if run.result.converged:
            x = _lowest(run.objective, x)[0]
        return _bounded(small.design, run.objective.space.differences(x))

    run = seen_run(problem, space, settings, polished)
    return settled(problem, space, best_run(problem, space, settings)) if run is None else run


def settled(problem: Problem, space: Space, run: Run) -> Run:
    """``run``, its end at the optimum it has converged to and in the frequency estimates' gauge.

    Runs of a structure that is not perfect, or without a penalty of CPTs, end where they end.
    """
    penalty = problem.penalty
    if not isinstance(penalty, CPTPenalty) or not problem.report.satisfies_condition_1:
        return run
    result, objective = run.result, run.objective
    tables = space.differences(result.x)
    network = one_optimum(
        problem.design, penalty, tables, problem.frequencies, is_found=result.converged
    )
    x = space.from_network(network)
    value, gradient = objective.value_and_gradient(x)
    if not value <= result.value + SLACK * max(1.0, abs(value)):
        return run
    result = replace(
        result, x=x, value=value, gradient=gradient, detail=(result.detail + POLISHED).strip()
    )
    return replace(run, result=result)


def one_optimum(
    design: Design,
    penalty: CPTPenalty,
    tables: FloatArray,
    frequencies: BayesianNetwork,
    *,
    is_found: bool,
) -> BayesianNetwork:
    """Network of the penalised optimum that ``tables`` are near, or of ``tables`` if it is not.

    Tables are differences from the first class; the structure is perfect and the rows complete.
    """
    free = Free(frequencies.structure, frequencies.states)
    least = least_tables(design.layout).with_prior(tables - penalty.centre)
    x = _bounded(design, penalty.centre + least).ravel()
    if is_found:
        sunk = _bounded(design, free.differences(x), sunk=True)
        held = _held(design, penalty.on_tables, sunk)
        end, is_lowest = _lowest(ConditionalObjective(design, free, held), sunk.ravel())
        x = _bounded(design, free.differences(end)).ravel() if is_lowest else x
    return free.to_network(x, like=frequencies)


def _lowest(objective: ConditionalObjective, x: FloatArray) -> tuple[FloatArray, bool]:
    """Where F is lowest to the last digit of its gradient, and whether that was found.

    A walk ends where the values no longer tell, 1e-12 of F above the minimum: half the digits of
    the parameters. Full steps of Newton's method from there are judged by the gradient alone.
    """
    end = find_minimum(objective, x, tol=DOUBTFUL, max_iter=_MOST_ITERATIONS)
    x, gradient = end.x, end.gradient
    for _ in range(_MOST_STEPS if end.converged else 0):
        further = x + _full_step(objective, x, gradient)
        there = objective.value_and_gradient(further)[1]
        if not np.linalg.norm(there) < 0.5 * np.linalg.norm(gradient):
            break
        x, gradient = further, there
    return x, end.converged


def _full_step(objective: ConditionalObjective, x: FloatArray, gradient: FloatArray) -> FloatArray:
    system = NewtonSystem(gradient, objective.hessian(x), objective.preconditioner(x))
    while not system.ended and system.n_products < product_limit(x.size):
        system.step()
    return system.p


def _bounded(design: Design, tables: FloatArray, *, sunk: bool = False) -> FloatArray:
    """``tables`` with the prior of a class that no row has low, but as high as a float can hold.

    It is not penalised, and would sink for ever. If ``sunk``, it is put where it would end.
    """
    own, never, prior = design.layout.families[0].rows, _never(design), _prior(design, tables)
    lowest = prior.max() - _LOWEST_PRIOR
    raised = np.where(never & (sunk | (prior < lowest)), lowest, prior) - prior
    tables[own] += raised[1:] - raised[0]
    return tables


def _never(design: Design) -> BoolArray:
    """The classes that no row has, (n_classes,)."""
    never: BoolArray = design.counts()[design.layout.families[0].rows].sum(axis=0) <= 0
    return never


def _prior(design: Design, tables: FloatArray) -> FloatArray:
    """Mean log-odds of each class to the first in the class's own table, (n_classes,)."""
    prior: FloatArray = np.append(0.0, tables[design.layout.families[0].rows].mean(axis=0))
    return prior


@dataclass(frozen=True)
class _Held(Penalty):
    """The penalty ``of`` tables, and what holds the prior of classes without rows ``at`` a place.

    It costs nothing and hardly changes P(class | attributes) when it has sunk: no solver can tell
    how far to go along it, nor do sums of products tell what is penalised from rounding there.
    ``less`` (n_held, n_classes − 1) takes a class's prior less that of the classes with rows.
    """

    of: Penalty = field(kw_only=True)
    less: FloatArray = field(kw_only=True)
    at: FloatArray = field(kw_only=True)

    def value_and_gradient(self, tables: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = self.of.value_and_gradient(tables)
        moved = self._priors(tables) - self.at
        return value + 0.5 * float(moved @ moved), self._pulled(gradient, moved)

    def product(self, direction: FloatArray) -> FloatArray:
        return self._pulled(self.of.product(direction), self._priors(direction))

    @property
    def curvature(self) -> Curvature:
        return self.of.curvature

    @property
    def modulus(self) -> float:
        return self.of.modulus

    def _priors(self, tables: FloatArray) -> FloatArray:
        priors: FloatArray = self.less @ tables[self.layout.families[0].rows].mean(axis=0)
        return priors

    def _pulled(self, gradient: FloatArray, moved: FloatArray) -> FloatArray:
        own = self.layout.families[0].rows
        gradient[own] += self.less.T @ moved / (own.stop - own.start)
        return gradient


def _held(design: Design, penalty: Penalty, tables: FloatArray) -> Penalty:
    """``penalty`` with the prior of classes without rows held where ``tables`` have it."""
    never = _never(design)
    if not never.any():
        return penalty
    less = np.eye(len(never))[never] - ~never / np.count_nonzero(~never)
    how = penalty.layout, penalty.strength, penalty.centre, penalty.scale
    return _Held(*how, of=penalty, less=less[:, 1:], at=less @ _prior(design, tables))

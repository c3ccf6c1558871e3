"""ELR and APN where cells are missing: ascent by the gradient of the CLL, or of the likelihood.

Sources: Greiner et al. 2005 (ELR, APN_β); Binder, Koller, Russell and Kanazawa 1997 (APN_θ).
"""

from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.pack import relative
from bnlr.inference.engine import Engine
from bnlr.learn.logistic.cpt_penalty_optimum import POLISHED, SLACK, one_optimum
from bnlr.learn.missing.evidence import Ascent, EvidenceProblem, Starts, not_worse, starts, told
from bnlr.learn.missing.latent import normalised
from bnlr.learn.result import FitResult
from bnlr.learn.runs.lowest import rank
from bnlr.learn.runs.run import Settings, solved
from bnlr.objectives.evidence import EvidenceRows, log_conditionals
from bnlr.objectives.incomplete import EvidenceObjective
from bnlr.objectives.penalty import CPTPenalty
from bnlr.optimize.optimality import Gap, enough, estimated_gap
from bnlr.spaces.joint import JointSoftmax, JointSpace

KIND = {"elr": "cll", "apn": "ll"}

_FLAT = 1e-12
_SHAKE = 0.1
_MEMORY = 200


def fit_by_gradient(problem: EvidenceProblem, settings: Settings, *notes: str) -> FitResult:
    """Run the chosen solver from every start; keep the lowest objective, the start's included."""
    objective, space = objective_of(problem), problem.space
    begin = _begun(objective, starts(problem, settings), settings)
    solver = problem.choice.solver
    runs = (ascend(objective, theta, solver, settings) for theta in begin.each)
    best = settled_ascent(problem, objective, min(runs, key=lambda run: rank(run.value)))
    x = space.from_network(space.network_of(begin.given))
    value, gradient = objective.value_and_gradient(x)
    best = not_worse(best, begin.given, value, x)
    if best.x is x and best.converged:  # the start, which has not been judged
        gap = _gap(objective, settings.tol)(x, value, gradient)
        best = replace(best, converged=gap <= enough(value, settings.tol))
    return told(problem, begin, best, settings, *notes)


def objective_of(problem: EvidenceProblem) -> EvidenceObjective:
    """What the chosen learner minimises."""
    kind = KIND[problem.choice.learner]
    return EvidenceObjective(problem.engine, problem.space, problem.rows, kind, problem.penalty)


def ascend(
    objective: EvidenceObjective, theta: FloatArray, solver: str, settings: Settings
) -> Ascent:
    """Run a solver from the CPTs ``theta``."""
    space = objective.space
    what = "CLL less penalty" if objective.kind == "cll" else "log-likelihood"
    x = space.from_network(space.network_of(theta))
    options = _options(objective, theta, solver, settings)
    gap = _gap(objective, settings.tol)
    if solver == "l-bfgs":
        options.setdefault("estimate_gap", gap)
    result, rows = solved(objective, x, solver, settings, options, what=what, gap=gap)
    return Ascent(
        theta=space.theta(result.x),
        value=result.value,
        x=result.x,
        rows=rows,
        n_iter=result.n_iter,
        converged=result.converged,
        message=f"{result.status.value} {result.detail}".strip(),
    )


def _gap(objective: EvidenceObjective, tol: float) -> Gap:
    """Estimates F − min F in β, also where the coordinates are the CPT entries themselves.

    Then an entry at the space's bound that would fall further stays where it is.
    """
    space, lower = objective.space, objective.space.lower
    in_beta = objective
    if space.name != "softmax":
        beta = JointSoftmax(space.structure, space.states)
        in_beta = EvidenceObjective(
            objective.engine, beta, objective.rows, objective.kind, objective.penalty
        )

    def gap(x: FloatArray, value: float, gradient: FloatArray) -> float:
        free, at, theta = None, x, space.theta(x)
        if in_beta is not objective:
            at = np.log(theta)
            value, gradient = in_beta.value_and_gradient(at)
            free = (x > (0.0 if lower is None else lower)) | (gradient < 0)
        squares = np.square(_scale(objective, theta))
        return estimated_gap(in_beta, at, value, gradient, tol, lambda r: squares * r, free)

    return gap


def _options(
    objective: EvidenceObjective, theta: FloatArray, solver: str, settings: Settings
) -> dict[str, Any]:
    """The solver's options; L-BFGS has no Hessian here, and gets a scale and a long memory.

    The problems are ill-conditioned: with a quarter of the cells missing, a TAN of some hundred
    cells takes 300 to 500 iterations with this memory, and up to 1,000 and more with one of 50.
    """
    options = dict(settings.options)
    if solver == "l-bfgs":
        options.setdefault("lower", objective.space.lower)
        options.setdefault("memory", _MEMORY)
        if objective.space.name == "softmax":
            options.setdefault("scale", _scale(objective, theta))
    return options


def _scale(objective: EvidenceObjective, theta: FloatArray) -> FloatArray:
    """1/√(½ + about the curvature in each β), from expected counts.

    For the likelihood that of the counts' multinomial; for the CLL of the rows as far as they are
    not fitted, w · (1 − P(c | e)).
    """
    flat = objective.space.flat
    counts = objective.rows.total(_unfitted, objective.engine, theta, objective.kind)
    curvature = flat.column_sums(counts) * theta * (1.0 - theta)
    scale: FloatArray = 1.0 / np.sqrt(curvature + 0.5)
    return scale


def _unfitted(rows: EvidenceRows, engine: Engine, theta: FloatArray, kind: str) -> FloatArray:
    """Expected counts of the rows, as far as they are not fitted for the CLL."""
    weights = rows.weights
    if kind == "cll":
        weights = -weights * np.expm1(log_conditionals(engine, theta, rows))
    return engine.expected_counts(theta, rows.codes, weights)[0]


def _begun(objective: EvidenceObjective, begin: Starts, settings: Settings) -> Starts:
    """``begin`` with the first start shaken where the gradient vanishes."""
    space: JointSpace = objective.space
    first = next(begin.each)
    x = space.from_network(space.network_of(first))
    _, gradient = objective.value_and_gradient(x)
    is_raised = space.lower is not None and first.min(initial=1.0) < space.lower
    if float(np.abs(gradient).max(initial=0.0)) > _FLAT:
        return begin._replace(each=chain([first], begin.each), moved=begin.moved or is_raised)
    moves, _ = settings.generators()
    shaken = normalised(space.flat, first * np.exp(_SHAKE * moves.standard_normal(first.size)))
    return begin._replace(each=chain([shaken], begin.each), moved=True)


def settled_ascent(problem: EvidenceProblem, objective: EvidenceObjective, best: Ascent) -> Ascent:
    """``best`` at the one optimum, as `settled` does, where rows are complete in the families."""
    penalty, space, design = problem.penalty, problem.space, problem.design
    if not isinstance(penalty, CPTPenalty) or design is None or best.x is None:
        return best
    tables = relative(space.to_tables(best.x))
    like = problem.frequencies
    network = one_optimum(design, penalty, tables, like, is_found=best.converged)
    x = space.from_network(network)
    value = objective.value(x)
    if not value <= best.value + SLACK * max(1.0, abs(value)):
        return best
    message = best.message + POLISHED
    return replace(best, theta=space.theta(x), x=x, value=value, message=message, is_last=False)

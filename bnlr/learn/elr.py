"""ELR on complete rows: ascent of the CLL in β for graphs that are no logistic regression.

Source: Greiner et al. 2005. The optimum found is local; the L-model's dual says how far above
it the best CPTs can be at most.
"""

from collections.abc import Callable
from dataclasses import replace

from bnlr.data.dataset import Dataset
from bnlr.design.packed_rows import Design
from bnlr.learn.cross_tuning import Road, agreed, judge_packed, tuned, tuned_iterations
from bnlr.learn.logistic.cpt_penalty_optimum import in_cpts, settled_run
from bnlr.learn.logistic.representable import written
from bnlr.learn.proof.separation import proof
from bnlr.learn.result import FitResult
from bnlr.learn.runs.run import Problem, Settings, best_run, finished
from bnlr.learn.runs.solver import find_minimum
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.optimize.base import Status
from bnlr.optimize.optimality import NEAR, proven
from bnlr.spaces.l_model import Free
from bnlr.spaces.softmax import Softmax

_BOUND_ITERATIONS = 200


def fit_elr(problem: Problem, settings: Settings) -> FitResult:
    """Maximise the CLL in softmax parameters from one or several starts; any graph."""
    bound = None
    problem = in_cpts(problem)
    if problem.penalty is None:
        bound = _l_model_bound(problem, settings.tol)
    result = _ascended(problem, settings, bound)
    return replace(
        result, message=result.message + _caveat(problem, result.cll, bound, settings.unit)
    )


def fit_tuned(
    build: Callable[[Dataset], Problem], data: Dataset, settings: Settings, by: str
) -> FitResult:
    """ELR with the number of iterations that folds agree on; there is no bound short of the end.

    ``build`` makes of rows what is to be fitted to them; ``by`` is "error" or "cll".
    """
    problem = in_cpts(build(data))
    space = _space(problem)

    def road(rows: Dataset, fold: Dataset) -> Road:
        part = in_cpts(build(rows))
        held = Design.of(part.design.layout, fold, part.design.n_threads)
        return Road(lambda how: best_run(part, space, how), judge_packed(held, space, by))

    bests = tuned_iterations(road, data, settings)
    return tuned(_ascended(problem, replace(settings, max_iter=agreed(bests))), bests, by)


def _space(problem: Problem) -> Softmax:
    return Softmax(problem.frequencies.structure, problem.frequencies.states)


def _ascended(problem: Problem, settings: Settings, bound: float | None = None) -> FitResult:
    space = _space(problem)
    run = settled_run(problem, space, settings)
    reached = problem.design.cll(space.differences(run.result.x))
    run = replace(run, result=proven(run.result, bound, reached, settings.tol))
    x, network, cll = written(problem, space, run.result.x)
    if reached - cll > NEAR * max(1.0, abs(reached)):
        run = replace(run, result=replace(run.result, status=Status.UNBOUNDED))
    starts = f"Best of {settings.n_starts} starts. " if settings.n_starts > 1 else ""
    return finished(
        problem,
        network=network,
        cll=cll,
        run=run,
        space=space,
        x=x,
        upper_bound=bound,
        message=f"{starts}{run.result.status.value} {run.result.detail}".strip(),
    )


def _l_model_bound(problem: Problem, tol: float) -> float | None:
    """Solve the L-model, which is concave on any graph, and prove its maximum by the dual."""
    structure, states = problem.frequencies.structure, problem.frequencies.states
    free = Free(structure, states)
    objective = ConditionalObjective(problem.design, free)
    start = free.from_network(problem.frequencies)
    result = find_minimum(
        objective, start, solver="newton", tol=min(tol, 1e-9), max_iter=_BOUND_ITERATIONS
    )
    return proof(problem.design, free, free.differences(result.x)).bound


def _caveat(problem: Problem, cll: float, bound: float | None, unit: float) -> str:
    if problem.report.satisfies_condition_1:
        return ""
    if bound is None:
        return " The optimum may be local: the structure is not perfect; try n_starts=10."
    gap = max(bound - cll, 0.0)
    if gap <= 1e-6 * max(1.0, abs(cll)):
        return " No CPTs of this structure do better: the CLL meets its proven upper bound."
    return (
        " The optimum may be local: no CPTs of this structure can gain more than "
        f"{unit * gap:.6g}; try n_starts=10, or nonperfect='embed', which adds the arcs of "
        "report.embedding, for the global optimum of a larger structure."
    )

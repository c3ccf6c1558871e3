"""The learners that sum out what is missing: frequencies with holes, ELR, EM and APN."""

from dataclasses import replace

from bnlr.data.dataset import Dataset
from bnlr.inference.engine import Engine
from bnlr.learn.centre import holed_centre
from bnlr.learn.em import fit_em
from bnlr.learn.evidence import Ascent, EvidenceProblem, starts, told
from bnlr.learn.gradient import ascend, fit_by_gradient, objective_of
from bnlr.learn.request import Request
from bnlr.learn.result import FitResult
from bnlr.learn.run import Settings
from bnlr.learn.tuning import Road, agreed, judge, tuned, tuned_iterations
from bnlr.objectives.evidence import EvidenceRows
from bnlr.spaces.joint import JointSoftmax, JointSpace, JointTheta


def fit_with_inference(request: Request) -> FitResult:
    """Fit by the chosen learner, summing out missing cells."""
    states = {node: request.data.states[node] for node in request.structure.nodes}
    chart = JointTheta if request.choice.space == "theta" else JointSoftmax
    space = chart(request.structure, states)
    target = request.structure.index(request.structure.class_name)
    engine = Engine(space.flat, target, request.n_threads)
    problem = _problem(request, space, engine, request.data)
    if request.choice.learner == "frequencies":
        return _frequencies(problem, request)
    if request.choice.learner == "em":
        return fit_em(problem, request.settings, request.m_step_pseudocount)
    if not request.cross_tuning:
        return fit_by_gradient(problem, request.settings)
    return _tuned(problem, request)


def _problem(request: Request, space: JointSpace, engine: Engine, data: Dataset) -> EvidenceProblem:
    frequencies = request.frequencies(data)
    rows = EvidenceRows.of(request.structure, data)
    start, penalty = request.start_and_penalty(
        space.layout,
        data,
        frequencies,
        lambda: holed_centre(engine, rows, frequencies, request.pseudocount),
    )
    return EvidenceProblem(
        space=space,
        engine=engine,
        rows=rows,
        start=start,
        penalty=penalty,
        report=request.report,
        choice=request.choice,
    )


def _frequencies(problem: EvidenceProblem, request: Request) -> FitResult:
    theta = problem.space.flat.flatten(request.frequencies().cpts)
    counted = Ascent(
        theta=theta,
        value=0.0,
        x=None,
        rows=(),
        n_iter=0,
        converged=True,
        message="Frequency estimates: each family counted in the rows that observe all of it.",
    )
    return told(problem, theta, counted, replace(request.settings, n_starts=1))


def _tuned(problem: EvidenceProblem, request: Request) -> FitResult:
    """ELR with the number of iterations that the folds agree on."""
    by = str(request.cross_tuning)

    def road(data: Dataset, fold: Dataset) -> Road:
        part = _problem(request, problem.space, problem.engine, data)
        loss = judge(part.engine, EvidenceRows.of(request.structure, fold), by)

        def run(settings: Settings) -> None:
            thetas, _ = starts(part, settings)
            ascend(objective_of(part), next(thetas), part.choice.solver, settings)

        return Road(run, lambda x: loss(part.space.theta(x)))

    bests = tuned_iterations(road, request.data, request.settings)
    result = fit_by_gradient(problem, replace(request.settings, max_iter=agreed(bests)))
    return tuned(result, bests, by)

"""The learners that sum out what is missing: frequencies with holes, ELR, EM and APN."""

from dataclasses import replace

from bnlr.data.dataset import Dataset
from bnlr.inference.engine import Engine
from bnlr.learn.em import fit_em
from bnlr.learn.evidence import Ascent, EvidenceProblem, told
from bnlr.learn.gradient import fit_by_gradient
from bnlr.learn.request import Request
from bnlr.learn.result import FitResult
from bnlr.learn.tuning import agreed, tuned_iterations
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
    return EvidenceProblem(
        space=space,
        engine=engine,
        rows=EvidenceRows.of(request.structure, data),
        start=request.start_network(frequencies),
        penalty=request.penalty_on(space.layout, frequencies),
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

    def build(data: Dataset) -> EvidenceProblem:
        return _problem(request, problem.space, problem.engine, data)

    by = str(request.cross_tuning)
    bests = tuned_iterations(build, request.data, request.settings, by)
    n_iter = agreed(bests)
    result = fit_by_gradient(problem, replace(request.settings, max_iter=n_iter))
    return replace(
        result,
        converged=True,
        message=f"Cross tuning by {by}: the best iterations of {len(bests)} folds are "
        f"{', '.join(map(str, bests))}; their median is {n_iter}. " + _end(result, n_iter),
    )


def _end(result: FitResult, n_iter: int) -> str:
    return "So many were made on all rows." if result.n_iter == n_iter else result.message

"""The learners that sum out what is missing: frequencies with holes, ELR, EM and APN."""

from dataclasses import replace

import numpy as np

from bnlr._typing import FloatArray
from bnlr.data.dataset import Dataset
from bnlr.design.parted_rows import design_of
from bnlr.inference.engine import Engine
from bnlr.learn.cross_tuning import Road, agreed, judge, tuned, tuned_iterations
from bnlr.learn.missing.em import fit_em
from bnlr.learn.missing.evidence import Ascent, EvidenceProblem, Starts, starts, told
from bnlr.learn.missing.gradient import ascend, fit_by_gradient, objective_of
from bnlr.learn.missing.latent import normalised
from bnlr.learn.request import Request
from bnlr.learn.result import FitResult
from bnlr.learn.runs.run import Settings
from bnlr.learn.shrinkage.centre import holed_centre
from bnlr.objectives.evidence import EvidenceRows
from bnlr.objectives.parted_evidence import evidence_rows
from bnlr.objectives.penalty import CPTPenalty, Penalty, pseudo_rows
from bnlr.objectives.softmax_curvature import LARGEST
from bnlr.spaces.joint import JointSoftmax, JointSpace, JointTheta

_POSSIBLE = 1e-9


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
    rows = evidence_rows(request.structure, data)
    start, penalty = request.start_and_penalty(
        space.layout,
        request.counted_start(frequencies, data),
        frequencies,
        lambda: holed_centre(engine, rows, frequencies, request.pseudocount),
    )
    choice = request.choice
    if choice.solver == "newton" and space.size > LARGEST:
        choice = choice._replace(solver="l-bfgs")
    problem = EvidenceProblem(
        space=space,
        engine=engine,
        rows=rows,
        frequencies=frequencies,
        start=start,
        penalty=penalty,
        report=request.report,
        choice=choice,
    )
    if penalty is None:
        return problem
    if request.report.satisfies_condition_1 and not request.has_holes:
        design = design_of(space.layout, data, request.n_threads)
        return replace(problem, penalty=CPTPenalty.of(penalty), design=design)
    return replace(problem, penalty=_with_pseudo_rows(problem, penalty))


def _with_pseudo_rows(problem: EvidenceProblem, penalty: Penalty) -> CPTPenalty:
    """The penalty of CPTs with rows of what the frequency estimates expect."""
    flat, rows = problem.space.flat, problem.rows
    sizes = np.diff(flat.offsets)
    # Every cell must be possible for rows that the estimates have not seen whole.
    theta = normalised(flat, flat.flatten(problem.frequencies.cpts) + _POSSIBLE)
    counts = rows.total(_expected, problem.engine, theta)
    cells = np.repeat(sizes, sizes).astype(np.float64)
    return CPTPenalty.of(penalty, pseudo_rows(counts, cells, rows.total_weight, penalty.strength))


def _expected(rows: EvidenceRows, engine: Engine, theta: FloatArray) -> FloatArray:
    return engine.expected_counts(theta, rows.codes, rows.weights)[0]


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
    begin = Starts(theta, iter(()), False, "")
    return told(problem, begin, counted, replace(request.settings, n_starts=1))


def _tuned(problem: EvidenceProblem, request: Request) -> FitResult:
    """ELR with the number of iterations that the folds agree on."""
    by = str(request.cross_tuning)

    def road(data: Dataset, fold: Dataset) -> Road:
        part = _problem(request, problem.space, problem.engine, data)
        loss = judge(part.engine, EvidenceRows.of(request.structure, fold), by)

        def run(settings: Settings) -> None:
            first = next(starts(part, settings).each)
            ascend(objective_of(part), first, part.choice.solver, settings)

        return Road(run, lambda x: loss(part.space.theta(x)))

    bests = tuned_iterations(road, request.data, request.settings)
    result = fit_by_gradient(problem, replace(request.settings, max_iter=agreed(bests)))
    return tuned(result, bests, by)

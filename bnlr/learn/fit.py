"""``fit``: one door to all learners."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bnlr._typing import State as Label
from bnlr.arguments import amount, check_kind, one_of, seed, verbosity, whole
from bnlr.data.dataset import Dataset, check_dataset, check_rows
from bnlr.data.latent import latent_states, with_latent
from bnlr.design.families import TableLayout
from bnlr.design.pack import relative
from bnlr.design.parted_rows import design_of
from bnlr.errors import ParameterError, SeparationWarning
from bnlr.learn.auto_learner import Choice, choose, meant_method
from bnlr.learn.choices import CENTRES, CROSS_TUNINGS, LIKELIHOOD, NONPERFECT, SMOOTH
from bnlr.learn.dfe.estimates import fit_dfe
from bnlr.learn.elr import fit_elr, fit_tuned
from bnlr.learn.embed import Embedded, embedded
from bnlr.learn.logistic.global_optimum import fit_logistic
from bnlr.learn.missing.learners import fit_with_inference
from bnlr.learn.request import (
    Request,
    check_choice,
    check_nonperfect,
    checked_penalty,
    holes,
    limits,
)
from bnlr.learn.rescaling import CLIMBERS, in_rows, in_units, measure
from bnlr.learn.result import FitResult
from bnlr.learn.runs.run import Problem, Settings
from bnlr.learn.shrinkage.centre import scaled_centre
from bnlr.learn.shrinkage.strength import LATENT, best_penalty, learnable_center, untried
from bnlr.machine import one_blas_thread
from bnlr.network import BayesianNetwork
from bnlr.optimize.base import State
from bnlr.structure.dag import Structure
from bnlr.structure.report import StructureReport, analyze
from bnlr.warn import warn
from bnlr.words import listed

_STRUCTURE = (
    "a bnlr.Structure, such as bnlr.learn_structure(data) finds, and the data as "
    "bnlr.Dataset.from_frame(frame, class_name=...); of a table X and its classes y "
    "bnlr.BNClassifier().fit(X, y) makes a classifier"
)


def fit(
    structure: Structure,
    data: Dataset,
    learner: str = "auto",
    space: str = "auto",
    solver: str = "auto",
    start: "str | BayesianNetwork" = "frequencies",
    penalty: float | str = 0.0,
    penalty_center: str = "zero",
    tol: float = 1e-9,
    max_iter: int | None = None,
    n_starts: int = 1,
    n_threads: int | None = None,
    verbose: int = 0,
    callback: Callable[[State], bool | None] | None = None,
    random_state: int | None = None,
    pseudocount: float | None = None,
    m_step_pseudocount: float = 0.0,
    shuffle: bool = False,
    cross_tuning: bool | str = False,
    nonperfect: str = "elr",
    states: Mapping[str, Sequence[Label]] | None = None,
    **solver_options: Any,
) -> FitResult:
    """Fit the CPTs of ``structure`` to ``data``.

    Learners, spaces and solvers may be spelt as usual: "LR", "log-linear", "lbfgs".

    Parameters
    ----------
    structure : Structure
    data : Dataset
        Cells may be missing; they are summed out. Rows without a class carry no CLL, but count in
        the likelihood that "em" and "apn" maximise. Weights are in any unit: k times as large,
        beside k times the penalty and the pseudocounts, they give k times the CLL. They may sum to
        1e303; beside heavy rows, those 1e-13 times as heavy are within the CLL's rounding.
    learner
        "frequencies": generative estimates, each family from the rows that observe all of it.
        "dfe": discriminative frequency estimates (Su et al. 2008), in which a row counts as much
        as the network errs on it while it is learnt; complete rows.
        "lr": the global CLL optimum by logistic regression, for perfect canonical forms and rows
        complete in the class's families. "elr": a local CLL optimum in β (Greiner et al. 2005),
        any graph, any holes. "em", "apn": a local optimum of the likelihood of the observed cells,
        by expectation-maximisation or by its gradient in β (Binder et al. 1997). "auto": "lr"
        where it is exact, else "elr".
    space
        "loglinear", "roos" or "softmax" for "lr"; "softmax" or, for comparison, "theta" (the CPT
        entries themselves) for "elr" and "apn". "auto": roos for "lr", else softmax.
    solver
        "newton"; "l-bfgs"; "cg", "cg-brent" or "bfgs" (Nash's conjugate gradients, those with
        Brent's line search, and BFGS as Feelders & Ivanovs ran them); "scipy-cg" or "scipy-bfgs".
        "auto": newton for "lr" and, under a penalty or with cells missing, "elr"; cg-brent with
        cross tuning; else l-bfgs, the only one in "theta". For such "elr" newton has a
        matrix over the CPT entries, of the class and its children, or of all nodes where cells are
        missing; beyond 2,048 of them l-bfgs takes its place.
    start
        "frequencies" (add-``pseudocount`` estimates) or a network over the same structure, whose
        zeros are raised to 1e-30 where parameters are logarithms. Nodes never observed whose
        states are all alike are perturbed at random, and so is a start without slope.
    penalty, penalty_center
        ½ · penalty · ‖T − centre‖² over the family tables of the class and its children, the class
        prior and what cancels in P(class | attributes) unpenalised; the centre is "zero",
        "frequencies", or "scaled": the log-odds of smoothed frequency estimates times the one
        number, ``result.center_scale``, that predicts best the rows of folds that the estimates
        have not counted, no cell scaled up beyond 6 from the classes' average; the fit starts
        there. "smooth" shrinks each cell of an ordered attribute's table (``data.ordered``) to its
        neighbours: ½ · penalty · 4 · Σ (difference of neighbouring cells)², along each ordered
        axis, and all other cells to zero, see `bnlr.objectives.smooth_penalty`. "auto" is "scaled",
        for penalty "cv" the better of "scaled" and "zero". Penalty "cv": of 3000, 1000, 300, 100,
        30, 10, 3, 1, 0.3, 0.1 and 0.03 the one with which three folds left out are predicted best;
        below 30 as far as none predicts them worse, below 0.3 as far as each gains 1 in CLL; 3000
        towards zero, that is the shares of the classes, unless more is gained on it than chance
        would, 2 in CLL. A missing cell counts as a state there. 3 untried where the tables have
        more than four million parameters. The folds are dealt by the labels and names of columns,
        so that other spellings, such as numbers turned into text, may come to another strength and
        scale. A structure that these very rows taught has seen the folds, which then speak for it
        even where it is noise; `BNClassifier` learns it anew without each. Only for "lr" and "elr".

        In spaces "softmax" and "theta", where CPTs must sum to 1, T are the tables that cost least
        with the CPTs' P(class | attributes): on a perfect structure and complete rows the optimum
        is the one of "roos", to which a fit that has converged is polished in the tables. On other
        structures, or where cells are missing, the log-likelihood of all rows, weighed as
        min(penalty, rows / 100) rows (0.3 in place of penalties from 0.03 to 0.3), is added, which
        keeps CPT entries from 0; the optimum may be local. Where families have far more cells than
        rows show, columns that no row shows stay uniform there, if the centre has them so.
    tol
        "newton" and "l-bfgs" stop when the CLL is estimated, by the Newton decrement, to be within
        tol · max(u, abs(CLL)) of its maximum, u being the weights' unit, see ``pseudocount``; where
        cells are missing, or "elr" by newton gains less than that share in 20 iterations, they ask
        for no less than 1e-7, and in "theta" l-bfgs stops by its progress.
        "em" stops when the log-likelihood LL is estimated, by the rate at which its steps shrink,
        to be within tol · max(u, abs(LL)) of its limit. The others keep rules of their own
        (``reltol``, ``gtol``). Whatever stops a solver, ``result.converged`` says that the gap is
        estimated, or proven, to be within max(tol, 1e-7) · max(u, abs(CLL)).
    max_iter
        The most iterations, 1000 if not given. For "dfe" the number of passes over the rows, 4 if
        not given.
    n_starts
        The given start and ``n_starts − 1`` random ones; the best CLL less penalty, or likelihood,
        is kept, that of the given start itself included: no result is worse.
    n_threads
        Threads over row chunks; None: one a processor, or fewer if ``OMP_NUM_THREADS`` in the
        environment says so. Results do not depend on it.
    verbose
        Above 0, a line an iteration on standard error; 0: one line on a terminal, from the second
        second on.
    callback
        Called with each iteration's state (iteration, value = −CLL + penalty, or −LL, x,
        gradient); returning True stops. For "dfe": each pass's, with the summed loss, the rows'
        summed raises and no gradient.
    random_state
        Seed of random starts, perturbations, the folds of cross tuning and the orders of
        ``shuffle``, a whole number from 0 on; None: another each time, but for perturbations, so
        that one start leads to one result.
    pseudocount
        Added to every count when counts become probabilities, in frequencies and starts, 1 if not
        given; in "dfe", 0 if not given. If not given it is the weights' unit in starts: the largest
        number of which the weights of distinct rows, equal rows taken together, are whole
        multiples, 1 for nearly all rows without weights; or their average where there is none.
    m_step_pseudocount
        The same in every step of "em".
    shuffle
        For "dfe": take the rows in another random order in each pass, not in theirs.
    cross_tuning
        For "elr": stop after as many iterations as five folds say, by their "error" or "cll"; each
        fold makes up to ``max_iter`` iterations, and ends after 20 without an improvement.
    nonperfect
        What "auto" and "lr" do about a canonical form that is not perfect: "elr", or "embed", which
        adds the arcs of ``report.embedding`` and fits the larger structure.
    states
        ``{node: labels}`` of the structure's latent nodes, those that the data have no column of;
        all rows are summed over their states. They are learnt by "elr", "em" and "apn", from a
        random start that tells their states apart, as alike ones would stay so; others end
        elsewhere, see ``n_starts``. Latent nodes that the class's families do not look at leave the
        CLL as it is, and only "em" and "apn" learn them. ``result.network.latent`` names them, and
        predicts without their columns.
    solver_options
        Passed to the solver. "em" has ``acceleration``: "squarem", which extrapolates every second
        step (Varadhan & Roland 2008) and never lowers LL, or None. Its iterations are E-steps.

    Returns
    -------
    FitResult

    Raises
    ------
    NotPerfectError
        "lr", or an LR space, on a graph whose canonical form is not perfect.
    MissingCellsError
        "lr" where a row with a class lacks a cell of the class's families, "dfe" where any is
        missing.
    DataError, StateError
        Rows that cannot be learnt from, or weights that sum to more than 1e303; the message names
        column and remedy.
    ParameterError
        An option outside its domain.
    TooLargeError
        A family table that would not fit in memory, or inference that would not.

    Warns
    -----
    SeparationWarning
        The CLL has no finite maximiser; the result is finite and says which cells diverge.
    """
    check_kind("structure", structure, Structure, _STRUCTURE)
    check_dataset(data, class_name=structure.class_name)
    latent = latent_states(
        states, structure.nodes, structure.class_name, data.nodes, known=data.states
    )
    observed = [node for node in structure.nodes if node not in latent]
    check_rows(data, observed, structure.class_name)
    data = with_latent(data, latent)
    given = analyze(structure, data.cards)
    learner, space, solver = meant_method(learner, space, solver)
    penalty = checked_penalty(penalty)
    penalty_center = one_of("penalty_center", penalty_center, CENTRES)
    nonperfect = one_of("nonperfect", nonperfect, NONPERFECT)
    if cross_tuning is not False:
        cross_tuning = one_of("cross_tuning", cross_tuning, CROSS_TUNINGS)
    check_nonperfect(nonperfect, learner)
    if n_threads is not None:
        n_threads = whole("n_threads", n_threads, 1, ", or None")
    if not (callback is None or callable(callback)):
        raise ParameterError(f"callback is {callback!r}; it must be a function of one state")
    check_kind("shuffle", shuffle, (bool, np.bool_), "True or False")
    chosen = Embedded(structure, given, "")
    if nonperfect == "embed":
        chosen = embedded(given)
    holed = holes(chosen.structure, data)
    has_holes = bool(holed)
    max_iter, added = limits(learner, max_iter, pseudocount)
    settings = Settings(
        tol=amount("tol", tol),
        max_iter=max_iter,
        n_starts=whole("n_starts", n_starts, 1),
        random_state=seed(random_state),
        callback=callback,
        verbose=verbosity(verbose),
        options=dict(solver_options),
    )
    choice = choose(
        chosen.report,
        learner,
        space,
        solver,
        has_holes=has_holes,
        has_penalty=penalty != 0,
        are_latent=has_holes and holed.keys() <= latent.keys(),
        cross_tuning=cross_tuning,
    )
    rows = measure(chosen.structure, data) if choice.learner in CLIMBERS else None
    request = Request(
        structure=chosen.structure,
        data=data,
        rows=rows,
        report=chosen.report,
        choice=choice,
        settings=settings,
        has_holes=has_holes,
        start=start,
        pseudocount=added,
        start_pseudocount=added if rows is None or pseudocount is not None else rows.unit,
        m_step_pseudocount=amount("m_step_pseudocount", m_step_pseudocount),
        shuffle=shuffle,
        penalty=penalty,
        penalty_center=penalty_center,
        cross_tuning=cross_tuning,
        n_threads=n_threads,
        latent=tuple(node for node in structure.nodes if node in latent),
    )
    check_choice(request)
    request, by_folds = _with_penalty(request)
    inner = in_units(request)
    with one_blas_thread():
        result = fit_with_inference(inner) if request.needs_inference else _fit_packed(inner)
    result = in_rows(result, inner.settings.unit, float(request.penalty))
    if result.penalty:
        center, smooth = request.penalty_center, request.penalty_center == SMOOTH
        ordered = dict(request.data.ordered) if smooth else None
        result = replace(result, penalty_center=center, ordered=ordered)
    if request.latent:
        result = replace(result, network=result.network._with_latent(request.latent))
    if result.separation is not None and result.separation.is_separated:
        warn(result.separation.message, SeparationWarning)
    notes = (chosen.note, by_folds, _unlabelled(request), _unlearnt(request))
    message = " ".join(part for part in (result.message, *notes) if part)
    if message == result.message and result.report is given:
        return result
    return replace(result, message=message, report=given)


def _with_penalty(request: Request) -> tuple[Request, str]:
    """The request with penalty "cv" and centre "auto" resolved, and what to say about it."""
    if request.penalty != "cv" or request.choice.learner not in {"lr", "elr"}:
        center = "scaled" if request.penalty_center == "auto" else request.penalty_center
        note = ""
        if request.penalty:
            center, note = learnable_center(request.data, center)
        return replace(request, penalty_center=center), note
    if request.latent and request.has_holes:
        first = "zero" if request.penalty_center == "auto" else request.penalty_center
        strength, center, note = untried(first, LATENT)
        return replace(request, penalty=strength, penalty_center=center), note
    strength, center, note = best_penalty(
        request.structure,
        request.data,
        request.penalty_center,
        request.pseudocount,
        request.n_threads,
    )
    return replace(request, penalty=strength, penalty_center=center), note


def _unlabelled(request: Request) -> str:
    """What became of the rows without a class."""
    data, learner = request.data, request.choice.learner
    if data.class_name not in data.missing_counts:
        return ""
    n = data._total(_n_unlabelled)
    rows = "1 row without a class" if n == 1 else f"{n:,} rows without a class"
    if n == 0:
        return ""
    if learner in LIKELIHOOD:
        return f"{rows} count in the likelihood, not in the CLL."
    return f"{rows} left out of the CLL."


def _unlearnt(request: Request) -> str:
    """Which latent nodes the learner has left as they were."""
    if not request.latent or request.choice.learner in LIKELIHOOD:
        return ""
    seen = TableLayout.of(request.structure, request.data.cards).attributes
    nodes = [node for node in request.latent if node not in seen]
    if request.has_holes or not nodes:
        return ""
    return (
        f"The class's families do not look at {listed(nodes)}: the CLL tells nothing of what is "
        "latent there, and its CPTs are uniform; learner='em' learns them."
    )


def _n_unlabelled(data: Dataset) -> int:
    return int(((data.class_codes < 0) & (data.weights > 0)).sum())


def _fit_packed(request: Request) -> FitResult:
    """Fit rows complete in the class's families."""
    if request.choice.learner == "dfe":
        return fit_dfe(request)
    frequencies = request.frequencies()
    choice = request.choice
    if choice.learner == "frequencies":
        cll = _cll(frequencies, request.data, request.n_threads)
        return _frequency_result(frequencies, cll, request.report, choice)
    if request.cross_tuning:
        by = str(request.cross_tuning)
        return fit_tuned(lambda data: _packed(request, data), request.data, request.settings, by)
    learn = fit_logistic if choice.learner == "lr" else fit_elr
    return learn(_packed(request, request.data, frequencies), request.settings)


def _packed(request: Request, data: Dataset, frequencies: BayesianNetwork | None = None) -> Problem:
    """What is to be fitted to rows complete in the class's families."""
    frequencies = request.frequencies(data) if frequencies is None else frequencies
    layout = TableLayout.of(request.structure, data.cards)
    design = design_of(layout, data, request.n_threads)
    counted = request.counted_start(frequencies, data)
    start, penalty = request.start_and_penalty(
        layout,
        counted,
        frequencies,
        lambda: scaled_centre(design, data.states, request.pseudocount),
    )
    return Problem(
        design=design,
        data=data,
        frequencies=frequencies,
        counted=counted,
        start=start,
        penalty=penalty,
        report=request.report,
        choice=request.choice,
    )


def _cll(network: BayesianNetwork, data: Dataset, n_threads: int | None) -> float:
    """CLL of ``network``; by the packed rows, but for zeros, which have no finite score."""
    if any(cpt.min() <= 0 for cpt in network.cpts.values()):
        return network.conditional_log_likelihood(data)
    layout = TableLayout.of(network.structure, data.cards)
    design = design_of(layout, data, n_threads, merge=False)
    return design.cll(relative(np.log(layout.stack(network.cpts))))


def _frequency_result(
    network: BayesianNetwork, cll: float, report: StructureReport, choice: Choice
) -> FitResult:
    return FitResult(
        network=network,
        cll=cll,
        start_cll=cll,
        converged=True,
        n_iter=0,
        message="Frequency estimates: counted in one pass.",
        learner=choice.learner,
        space=choice.space,
        solver=choice.solver,
        why=choice.why,
        report=report,
    )

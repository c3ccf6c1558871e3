"""``fit``: one door to all learners."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from bnlr._typing import FloatArray
from bnlr.data.dataset import Dataset
from bnlr.design.families import TableLayout
from bnlr.design.pack import relative
from bnlr.design.tables import Design
from bnlr.errors import ParameterError, SeparationWarning
from bnlr.learn.auto import Choice, choose
from bnlr.learn.elr import fit_elr
from bnlr.learn.frequencies import frequency_network, require_columns
from bnlr.learn.logistic import fit_logistic
from bnlr.learn.result import FitResult
from bnlr.learn.run import Problem, Settings
from bnlr.machine import one_blas_thread
from bnlr.network import BayesianNetwork
from bnlr.objectives.penalty import Penalty
from bnlr.optimize.base import State
from bnlr.spaces.free import require_perfect
from bnlr.structure.dag import Structure
from bnlr.structure.report import StructureReport, analyze


def fit(
    structure: Structure,
    data: Dataset,
    learner: str = "auto",
    space: str = "auto",
    solver: str = "auto",
    start: "str | BayesianNetwork" = "frequencies",
    penalty: float = 0.0,
    penalty_center: str = "zero",
    tol: float = 1e-9,
    max_iter: int = 1000,
    n_starts: int = 1,
    n_threads: int | None = None,
    verbose: int = 0,
    callback: Callable[[State], bool | None] | None = None,
    random_state: int | None = None,
    pseudocount: float = 1.0,
    **solver_options: Any,
) -> FitResult:
    """Fit the CPTs of ``structure`` to ``data``.

    Parameters
    ----------
    structure : Structure
    data : Dataset
        Complete in the attributes of the class's families; rows without a class are left out
        of the CLL.
    learner
        "frequencies": generative estimates. "lr": the global CLL optimum by logistic regression,
        perfect canonical forms only. "elr": a local CLL optimum in β (Greiner et al. 2005), any
        graph. "auto": "lr" where it is exact, else "elr".
    space
        "loglinear", "roos" or "softmax"; "auto": roos for "lr", softmax for "elr".
    solver
        "newton"; "l-bfgs"; "cg", "cg-brent" or "bfgs" (Nash's conjugate gradients, those with
        Brent's line search, and BFGS as Feelders & Ivanovs ran them); "scipy-cg" or "scipy-bfgs".
        "auto": newton for "lr", l-bfgs for "elr".
    start
        "frequencies" (add-``pseudocount`` estimates) or a network over the same structure.
    penalty, penalty_center
        ½ · penalty · ‖T − centre‖² over the family tables, the class prior and what cancels in
        P(class | attributes) unpenalised; the centre is "zero" or "frequencies".
    tol
        "newton" and "l-bfgs" stop when the CLL is estimated, by the Newton decrement, to be within
        tol · max(1, abs(CLL)) of its maximum; the others keep rules of their own (``reltol``,
        ``gtol``).
    n_starts
        The given start and ``n_starts − 1`` seeded random ones; the best CLL is kept.
    n_threads
        Threads over row chunks; None: all. Results do not depend on it.
    callback
        Called with each iteration's state (iteration, value = −CLL + penalty, x, gradient);
        returning True stops.
    pseudocount
        Added to every count when counts become probabilities.
    solver_options
        Passed to the solver.

    Returns
    -------
    FitResult

    Raises
    ------
    NotPerfectError
        "lr", or an LR space, on a graph whose canonical form is not perfect.
    DataError, StateError, MissingCellsError
        Rows that cannot be learnt from; the message names column and remedy.
    ParameterError
        An option outside its domain.
    TooLargeError
        A family table that would not fit in memory.

    Warns
    -----
    SeparationWarning
        The CLL has no finite maximiser; the result is finite and says which cells diverge.
    """
    report = _checked(structure, data)
    _check_options(penalty, penalty_center, n_starts)
    if not (n_threads is None or (isinstance(n_threads, int) and n_threads >= 1)):
        raise ParameterError(f"n_threads is {n_threads!r}; it must be 1 or larger, or None")
    if not (callback is None or callable(callback)):
        raise ParameterError(f"callback is {callback!r}; it must be a function of one state")
    choice = choose(report, learner, space, solver)
    if choice.learner == "lr":
        require_perfect(report, f"learner 'lr' in {choice.space} space")
    frequencies = frequency_network(structure, data, pseudocount, n_threads)
    if choice.learner == "frequencies":
        cll = _cll(frequencies, data, n_threads)
        return _frequency_result(frequencies, cll, report, choice)
    layout = TableLayout.of(structure, data.cards)
    design = Design.of(layout, data, n_threads)
    problem = Problem(
        design=design,
        data=data,
        frequencies=frequencies,
        start=_start(start, frequencies),
        penalty=_penalty(layout, penalty, penalty_center, frequencies),
        report=report,
        choice=choice,
    )
    settings = Settings(
        tol, max_iter, n_starts, random_state, callback, verbose, dict(solver_options)
    )
    learn = fit_logistic if choice.learner == "lr" else fit_elr
    with one_blas_thread():
        result = learn(problem, settings)
    if result.separation is not None and result.separation.is_separated:
        warnings.warn(result.separation.message, SeparationWarning, stacklevel=2)
    return result


def _checked(structure: Structure, data: Dataset) -> StructureReport:
    if not isinstance(data, Dataset):
        raise ParameterError(
            f"data is a {type(data).__name__}; encode a frame first: "
            f"bnlr.Dataset.from_frame(frame, class_name={structure.class_name!r})"
        )
    require_columns(structure, data)
    if data.class_name != structure.class_name:
        raise ParameterError(
            f"the structure's class is {structure.class_name!r}, the data's {data.class_name!r}"
        )
    data.check_learnable()
    return analyze(structure, data.cards)


def _check_options(penalty: float, center: str, n_starts: int) -> None:
    if not (isinstance(penalty, (int, float)) and 0 <= penalty < float("inf")):
        raise ParameterError(f"penalty is {penalty!r}; it must be a finite number, 0 or larger")
    if center not in {"zero", "frequencies"}:
        raise ParameterError(f"penalty_center is {center!r}; choose 'zero' or 'frequencies'")
    if not (isinstance(n_starts, int) and n_starts >= 1):
        raise ParameterError(f"n_starts is {n_starts!r}; it must be a whole number, 1 or larger")


def _start(start: "str | BayesianNetwork", frequencies: BayesianNetwork) -> BayesianNetwork:
    if isinstance(start, BayesianNetwork):
        same_graph = start.structure == frequencies.structure
        if not same_graph or dict(start.states) != dict(frequencies.states):
            raise ParameterError("the start network must have the structure and states of the fit")
        return start
    if not (isinstance(start, str) and start == "frequencies"):
        raise ParameterError(f"start is {start!r}; give 'frequencies' or a BayesianNetwork")
    return frequencies


def _penalty(
    layout: TableLayout, strength: float, center: str, frequencies: BayesianNetwork
) -> Penalty | None:
    if strength == 0:
        return None
    return Penalty(layout, float(strength), _centre(layout, center, frequencies))


def _centre(layout: TableLayout, center: str, frequencies: BayesianNetwork) -> FloatArray:
    if center == "zero":
        return np.zeros((layout.n_cells, layout.n_classes - 1))
    return relative(np.log(layout.stack(frequencies.cpts)))


def _cll(network: BayesianNetwork, data: Dataset, n_threads: int | None) -> float:
    """CLL of ``network``; by the packed rows, but for zeros, which have no finite score."""
    if any(cpt.min() <= 0 for cpt in network.cpts.values()):
        return network.conditional_log_likelihood(data)
    layout = TableLayout.of(network.structure, data.cards)
    design = Design.of(layout, data, n_threads, merge=False)
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

"""``fit_queries``: the CPTs whose answers to labelled queries come nearest to the labels."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from bnlr._typing import FloatArray, States
from bnlr.arguments import one_of, seed
from bnlr.data.dataset import Dataset, check_dataset
from bnlr.data.queries import Query, QuerySet
from bnlr.errors import ParameterError, StateError
from bnlr.inference.engine import Engine
from bnlr.learn.missing.latent import normalised
from bnlr.learn.result import QueryResult
from bnlr.learn.runs.lowest import point
from bnlr.learn.runs.run import Settings, lowest, solved
from bnlr.machine import one_blas_thread
from bnlr.network import BayesianNetwork
from bnlr.objectives.evidence import EvidenceRows, log_likelihood
from bnlr.objectives.queries import LabelledQueries, QueryErrors
from bnlr.objectives.query_error import QueryObjective
from bnlr.optimize.base import SOLVERS, Result, State, check_count
from bnlr.optimize.optimality import confirmed, estimated_gap
from bnlr.optimize.trace import Row
from bnlr.spaces.joint import JointSoftmax
from bnlr.structure.dag import Structure
from bnlr.structure.report import analyze

_SOLVERS = tuple(name for name in SOLVERS if name != "newton")  # which wants a Hessian
_UNIT = 100.0
"""The error is minimised in percent, which lets every solver come below 1e-6."""


def fit_queries(
    structure: Structure,
    queries: "QuerySet | Iterable[Query]",
    states: States,
    start: BayesianNetwork | None = None,
    solver: str = "cg",
    n_starts: int = 1,
    random_state: int | None = None,
    *,
    events: Dataset | None = None,
    event_weight: float = 1e-3,
    tol: float = 1e-9,
    max_iter: int = 1000,
    n_threads: int | None = None,
    verbose: int = 0,
    callback: Callable[[State], bool | None] | None = None,
    **solver_options: Any,
) -> QueryResult:
    """Fit CPTs to the answers that statistical queries should get.

    Minimises the mean squared error of the answers (`query_error`) in the softmax parameters of
    all nodes, by the gradient of Lemma 8 (Greiner, Grove and Schuurmans 1997) and its chain rule.
    The error has local minima and, where a network ignores what the queries ask, points without
    any slope: try several starts.

    Parameters
    ----------
    structure : Structure
    queries : QuerySet, or Query objects
        Unlabelled ones do not count unless ``events`` label them (Theorem 4).
    states
        {node: its states}.
    start : BayesianNetwork or None
        Where to begin; its zeros are raised to 1e-30. None: at random, from ``random_state``.
    solver
        "cg", "cg-brent", "bfgs", "l-bfgs", "scipy-cg" or "scipy-bfgs".
    n_starts
        The first start and n_starts − 1 random ones; the least objective is kept, that of a given
        start included.
    random_state
        Seed of the random starts.
    events : Dataset or None
        Event rows; missing cells are summed out. They label queries that have no label, and their
        likelihood is part of what is minimised, so that the network fits where no query asks.
    event_weight
        error − event_weight · mean log-likelihood of the event rows (nats a row) is minimised;
        0 lets the queries alone decide.
    tol, max_iter, n_threads, verbose, callback, **solver_options
        As in `fit`.

    Returns
    -------
    QueryResult
        A `FitResult`: ``error`` and ``start_error`` are set, ``cll`` is None; with ``events`` also
        ``log_likelihood``.

    Raises
    ------
    ParameterError
        No labelled query, a start of another structure, or an option outside its domain.
    DataError, StateError
        A node or a state that is not the structure's.
    TooLargeError
        Exact inference would not fit in memory.

    Examples
    --------
    >>> import bnlr
    >>> chain = bnlr.Structure([("a", "x"), ("x", "c")], class_name="c")
    >>> asked = [bnlr.Query({"c": 1}, {"a": 1}, p=1.0), bnlr.Query({"c": 1}, {"a": 0}, p=0.0)]
    >>> states = {node: (0, 1) for node in chain.nodes}
    >>> result = bnlr.fit_queries(chain, asked, states, solver="l-bfgs", random_state=0)
    >>> result.error < 1e-6
    True
    """
    solver = one_of("solver", solver, _SOLVERS)
    _check_options(n_starts, event_weight, n_threads, callback)
    seed(random_state)
    _check_events(events)
    space = _space(structure, states)
    asked = QuerySet.of(queries)
    if events is not None:
        asked = asked.labelled_by(events)
    labelled = LabelledQueries.of(structure, space.states, asked)
    engine = Engine(space.flat, structure.index(structure.class_name), n_threads)
    rows = None if events is None else _event_rows(space, events)
    weighed = rows if event_weight else None
    objective = QueryObjective(QueryErrors(engine, labelled), space, weighed, event_weight, _UNIT)
    settings = Settings(tol, max_iter, n_starts, random_state, callback, verbose, solver_options)
    with one_blas_thread():
        first = _first(space, start, random_state)
        best, trace = _best(objective, first, solver, settings)
    notes = _label_notes(asked)
    return _told(objective, first, best, trace, solver, settings, rows, notes)


def _check_options(
    n_starts: int, event_weight: object, n_threads: object, callback: object
) -> None:
    check_count("n_starts", n_starts, at_least=1)
    known = isinstance(event_weight, Real) and not isinstance(event_weight, bool)
    if not known or not 0 <= float(event_weight) < float("inf"):  # type: ignore[arg-type]
        raise ParameterError(
            f"event_weight is {event_weight!r}; it must be a finite number, 0 or larger"
        )
    if n_threads is not None and (not isinstance(n_threads, int) or n_threads < 1):
        raise ParameterError(f"n_threads is {n_threads!r}; it must be 1 or larger, or None")
    if not (callback is None or callable(callback)):
        raise ParameterError(f"callback is {callback!r}; it must be a function of one state")


def _check_events(events: object) -> None:
    if events is not None:
        check_dataset(events, "events")


def _space(structure: Structure, states: States) -> JointSoftmax:
    if not isinstance(structure, Structure) or not isinstance(states, Mapping):
        raise ParameterError(
            "fit_queries takes a bnlr.Structure, queries and {node: states}, in this order"
        )
    for node in structure.nodes:
        if node not in states or not isinstance(states[node], Sequence) or not len(states[node]):
            raise StateError(f"states has none for node {node!r}; give all of its labels")
    return JointSoftmax(structure, states)


def _event_rows(space: JointSoftmax, events: Dataset) -> EvidenceRows:
    for node, labels in space.states.items():
        if node in events.states and tuple(events.states[node]) != labels:
            raise StateError(
                f"column {node!r} of the events has states {events.states[node]!r}, the queries' "
                f"are {labels!r}; encode the frame with states=states"
            )
    return EvidenceRows.of(space.structure, events)


def _first(
    space: JointSoftmax, start: BayesianNetwork | None, random_state: int | None
) -> FloatArray:
    if start is None:
        # A stream apart from the one that the further starts are drawn from.
        rng = np.random.default_rng(None if random_state is None else [random_state, 1])
        return rng.standard_normal(space.size)
    if not isinstance(start, BayesianNetwork) or start.structure != space.structure:
        raise ParameterError("start is no network over the structure to be fitted; leave it out")
    if dict(start.states) != space.states:
        raise ParameterError("the start network has other states than states says")
    theta = np.maximum(space.flat.flatten(start.cpts), 1e-30)
    return np.log(normalised(space.flat, theta))


def _best(
    objective: QueryObjective, first: FloatArray, solver: str, settings: Settings
) -> tuple[Result, tuple[Row, ...]]:
    """Where the best of the starts leads, the given one shaken where there is no slope."""
    options = dict(settings.options)
    what = "minus the error in percent"

    def gap(x: FloatArray, value: float, gradient: FloatArray) -> float:
        return estimated_gap(objective, x, value, gradient, settings.tol, lambda r: r)

    if solver == "l-bfgs":
        options.setdefault("estimate_gap", gap)

    def solve(x: FloatArray) -> tuple[Result, tuple[Row, ...]]:
        return solved(objective, x, solver, settings, options, what=what, gap=gap)

    result, rows = lowest(solve, first, point(objective, first), settings)
    if result.decrement is None:  # a start that was kept has not been judged
        result = confirmed(objective, result, settings.tol, gap)
    return result, rows


def _told(
    objective: QueryObjective,
    first: FloatArray,
    best: Result,
    trace: tuple[Row, ...],
    solver: str,
    settings: Settings,
    events: EvidenceRows | None,
    notes: str,
) -> QueryResult:
    space, errors = objective.space, objective.errors
    theta = [space.theta(x) for x in (first, best.x)]
    start_error, error = (errors.error(cpts) for cpts in theta)
    many = f"Best of {settings.n_starts} starts." if settings.n_starts > 1 else ""
    likelihoods = [None if events is None else _likelihood(errors, t, events) for t in theta]
    n = len(errors.queries.labels)
    return QueryResult(
        network=space.network_of(theta[1]),
        # The only learner that knows no CLL.
        cll=None,  # type: ignore[arg-type]
        start_cll=None,  # type: ignore[arg-type]
        converged=best.converged,
        n_iter=best.n_iter,
        message=" ".join(part for part in (many, best.status.value, best.detail, notes) if part),
        learner="queries",
        space=space.name,
        solver=solver,
        why=f"{n} labelled queries, {int(errors.queries.is_blanket.sum())} without inference.",
        report=analyze(space.structure),
        coordinates=space,
        x=best.x,
        rows=tuple(row._replace(value=row.value / _UNIT) for row in trace),
        start_log_likelihood=likelihoods[0],
        log_likelihood=likelihoods[1],
        start_error=start_error,
        error=error,
    )


def _label_notes(asked: QuerySet) -> str:
    """How many event rows the labels rest on, and how many queries found none."""
    counts = asked.n_matching
    if counts is None or np.isnan(counts).all():
        return ""
    made, n_without = counts[counts > 0], int((counts == 0).sum())
    parts = []
    if made.size:
        parts.append(
            f"{made.size} labels rest on {made.min():g} to {made.max():g} event rows each."
        )
    if n_without:
        parts.append(f"{n_without} queries match no event row and were left out.")
    return " ".join(parts)


def _likelihood(errors: QueryErrors, theta: FloatArray, events: EvidenceRows) -> float:
    return log_likelihood(errors.engine, theta, events)

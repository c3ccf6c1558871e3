"""The mean squared error of a network's answers: for any network, and to be minimised in β."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import FloatArray
from bnlr.arguments import one_of
from bnlr.data.queries import Query, QuerySet
from bnlr.errors import ImpossibleEvidenceError, ParameterError
from bnlr.network import BayesianNetwork
from bnlr.objectives.evidence import total
from bnlr.objectives.first_order import FirstOrderObjective
from bnlr.objectives.queries import LabelledQueries, QueryErrors

if TYPE_CHECKING:
    from bnlr.objectives.evidence import EvidenceRows
    from bnlr.spaces.joint import JointSpace


class QueryObjective(FirstOrderObjective):
    """F(x) = unit · (err + weight · mean negative log-likelihood of event rows), to be minimised.

    Parameters
    ----------
    errors : QueryErrors
    space : JointSpace
    events : EvidenceRows or None
        Event rows; they keep the network near the distribution where no query looks (section 5).
    event_weight
        What a nat of their mean log-likelihood weighs against the mean squared error.
    unit
        Factor of F. The stopping rules of solvers are absolute and made for sums over many rows;
        a mean of squares below 1 stops them early.
    """

    no_hessian = (
        "solver 'newton' needs second derivatives, which queries do not give; choose 'cg', "
        "'cg-brent', 'bfgs' or 'l-bfgs'"
    )

    def __init__(
        self,
        errors: QueryErrors,
        space: "JointSpace",
        events: "EvidenceRows | None" = None,
        event_weight: float = 0.0,
        unit: float = 1.0,
    ) -> None:
        self.errors, self.space, self.events, self.unit = errors, space, events, unit
        self.event_weight = 0.0
        if events is not None:
            self.event_weight = event_weight / float(events.weights.sum())

    def value(self, x: FloatArray) -> float:
        """F(x); +inf where x gives evidence or an event no probability."""
        theta = self._theta(x)
        if theta is None:
            return float("inf")
        value = self.errors.error(theta)
        if self.events is not None:
            logs = self.errors.engine.log_evidence(theta, self.events.codes)
            value -= self.event_weight * total(self.events.weights, logs)
        return float(np.nan_to_num(self.unit * value, nan=np.inf))

    def value_and_gradient(self, x: FloatArray) -> tuple[float, FloatArray]:
        """F(x) and its gradient, (size,)."""
        theta = self._theta(x)
        if theta is None:
            return float("inf"), np.zeros_like(x)
        value, slope = self.errors.error_and_counts(theta)
        if self.events is not None:
            rows = self.events
            counts, logs = self.errors.engine.expected_counts(theta, rows.codes, rows.weights)
            value -= self.event_weight * total(rows.weights, logs)
            slope -= self.event_weight * counts
        gradient = self.space.pullback(x, theta, self.unit * slope)
        return float(np.nan_to_num(self.unit * value, nan=np.inf)), gradient

    def _theta(self, x: FloatArray) -> FloatArray | None:
        log_theta = self.space.log_theta(x)
        return np.exp(log_theta) if np.isfinite(log_theta).all() else None


def query_error(network: BayesianNetwork, queries: "QuerySet | Iterable[Query] | Query") -> float:
    """Mean squared error of a network's answers to the labelled queries.

    Parameters
    ----------
    network : BayesianNetwork
    queries : QuerySet, or Query objects
        Unlabelled ones do not count.

    Returns
    -------
    float
        Σ weight · (B(x | y) − p)² / Σ weight, in [0, 1].

    Raises
    ------
    ParameterError
        No query has a label and a weight.
    DataError, StateError
        A node or a state that the network does not have.
    ImpossibleEvidenceError
        A query's evidence has probability 0 under the network.

    Examples
    --------
    >>> import bnlr
    >>> s = bnlr.Structure([("c", "a")], class_name="c")
    >>> cpts = {"c": [0.5, 0.5], "a": [[0.9, 0.1], [0.4, 0.6]]}
    >>> net = bnlr.BayesianNetwork(s, {"c": (0, 1), "a": ("no", "yes")}, cpts)
    >>> round(bnlr.query_error(net, [bnlr.Query({"a": "no"}, {"c": 1}, p=0.5)]), 4)
    0.01
    """
    errors, theta, asked = _asked(network, queries)
    answers = errors.answers(theta)
    _check_possible(answers, asked)
    return errors.error_of(answers)


def query_error_gradient(
    network: BayesianNetwork, queries: "QuerySet | Iterable[Query] | Query", wrt: str = "beta"
) -> dict[str, FloatArray]:
    """Gradient of `query_error` in every CPT entry.

    Parameters
    ----------
    network, queries
        As for `query_error`.
    wrt
        "beta": in the softmax parameters, θ = softmax(β) over a node's states. "theta": in the
        entries taken as free numbers (Lemma 8), NaN where an entry is 0.

    Returns
    -------
    dict
        {node: array, axes as its CPT}.

    Raises
    ------
    ParameterError
        ``wrt`` is neither, or no query has a label.
    DataError, StateError, ImpossibleEvidenceError
        As `query_error`.
    """
    wrt = one_of("wrt", wrt, ("beta", "theta"))
    errors, theta, asked = _asked(network, queries)
    _check_possible(errors.answers(theta), asked)
    _, counts = errors.error_and_counts(theta)
    flat = errors.queries.flat
    if wrt == "beta":
        return flat.unflatten(counts - theta * flat.column_sums(counts))
    return flat.unflatten(
        np.divide(counts, theta, out=np.full_like(theta, np.nan), where=theta > 0)
    )


def _asked(
    network: BayesianNetwork, queries: "QuerySet | Iterable[Query] | Query"
) -> tuple[QueryErrors, FloatArray, list[Query]]:
    from bnlr.inference.engine import Engine  # noqa: PLC0415  compiled code, loaded when needed

    if not isinstance(network, BayesianNetwork):
        raise ParameterError(f"network is {network!r:.60}, not a bnlr.BayesianNetwork")
    asked, structure = QuerySet.of(queries), network.structure
    has_zeros = any((cpt == 0).any() for cpt in network.cpts.values())
    labelled = LabelledQueries.of(structure, network.states, asked, may_be_impossible=has_zeros)
    engine = Engine(labelled.flat, structure.index(structure.class_name))
    theta = labelled.flat.flatten(network.cpts)
    return QueryErrors(engine, labelled), theta, list(_used(asked))


def _used(queries: QuerySet) -> Iterator[Query]:
    for query, weight in zip(queries, queries.weights, strict=True):
        if query.p is not None and weight > 0:
            yield query


def _check_possible(answers: FloatArray, queries: list[Query]) -> None:
    wrong = np.flatnonzero(np.isnan(answers))
    if wrong.size:
        raise ImpossibleEvidenceError(
            f"the evidence of {queries[wrong[0]]!r} has probability 0 under the network, so "
            "nothing follows from it; leave the query out, or smooth the CPTs"
        )

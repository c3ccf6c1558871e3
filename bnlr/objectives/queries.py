"""How far a network's answers to labelled queries are from the labels, and the slope of that.

err = Σ w (B(x|y) − p)² / Σ w over the labelled queries (Greiner, Grove and Schuurmans 1997,
section 3). B(x|y) = B(x, y) / B(y) is the ratio of two probabilities of evidence, and its
derivative in log θ is B(x|y) [B(q, r | x, y) − B(q, r | y)] (Lemma 8): expected counts of the same
two rows. Where one node is asked for and the evidence covers its Markov blanket no inference is
needed: with B(v|y) the answer for each of its states v, the derivative in the log of an entry that
agrees with y and v is B(x|y) [1(v = x) − B(v|y)] (equation 4, and the entries it leaves out).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import BoolArray, CodeArray, FloatArray, IntArray, States
from bnlr.data.queries import QuerySet
from bnlr.errors import ParameterError
from bnlr.inference.cpts import FlatCPTs
from bnlr.objectives.evidence import total
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    from bnlr.inference.engine import Engine


@dataclass(frozen=True, eq=False)
class LabelledQueries:
    """The labelled queries of a set, those of weight above 0, in the codes of a network.

    Attributes
    ----------
    flat : FlatCPTs
        Where the network's CPTs stand.
    joint, evidence : CodeArray of shape (n, n_nodes)
        Targets with evidence, and the evidence alone; −1 where a query says nothing.
    labels, weights : FloatArray of shape (n,)
        Right answers, and weights that sum to 1.
    may_be_impossible : bool
        Some CPT entries are 0: then inference has to tell whether evidence is possible at all.
    """

    flat: FlatCPTs
    joint: CodeArray
    evidence: CodeArray
    labels: FloatArray
    weights: FloatArray
    may_be_impossible: bool = False

    @classmethod
    def of(
        cls,
        structure: Structure,
        states: States,
        queries: QuerySet,
        *,
        may_be_impossible: bool = False,
    ) -> "LabelledQueries":
        """Encode queries.

        Raises
        ------
        DataError, StateError
            As `QuerySet.codes`.
        ParameterError
            No query has a label and a weight.
        """
        flat = FlatCPTs.of(structure, {node: len(states[node]) for node in structure.nodes})
        joint, evidence = queries.codes(structure.nodes, states)
        labels = queries.labels
        used = ~np.isnan(labels) & (queries.weights > 0)
        if not used.any():
            raise ParameterError(
                f"none of the {len(queries)} queries has a label and a weight above 0; give p, or "
                "label them by event rows with QuerySet.labelled_by(data)"
            )
        weights = queries.weights[used] / queries.weights[used].sum()
        return cls(flat, joint[used], evidence[used], labels[used], weights, may_be_impossible)

    @cached_property
    def blankets(self) -> list["_Blanket"]:
        """The queries that the CPTs around one target answer, a group for each target."""
        groups: list[_Blanket] = []
        if self.may_be_impossible:
            return groups
        for node in range(self.flat.n_nodes):
            chosen = np.flatnonzero(self._asks_alone[:, node] & self._covers(node))
            if chosen.size:
                groups.append(_Blanket.of(self.flat, node, chosen, self.joint[chosen]))
        return groups

    @property
    def is_blanket(self) -> BoolArray:
        """Which queries ask for one node whose Markov blanket is known, (n,)."""
        found = np.zeros(len(self.labels), dtype=np.bool_)
        for group in self.blankets:
            found[group.queries] = True
        return found

    @cached_property
    def inferred(self) -> "_Inferred":
        """The other queries, as the distinct rows that inference has to look at."""
        return _Inferred.of(np.flatnonzero(~self.is_blanket), self.joint, self.evidence)

    @cached_property
    def _asks_alone(self) -> BoolArray:
        asked = (self.joint >= 0) & (self.evidence < 0)
        alone: BoolArray = asked & (asked.sum(axis=1) == 1)[:, None]
        return alone

    def _covers(self, node: int) -> BoolArray:
        """Which queries know all nodes of this one's Markov blanket."""
        families = _families_of(self.flat, node)
        around = {member for k in families for member in (*self.flat.parents[k], k)} - {node}
        known = self.evidence[:, sorted(around)] >= 0
        return np.asarray(known.all(axis=1), dtype=np.bool_)


def _families_of(flat: FlatCPTs, node: int) -> list[int]:
    """Return the nodes whose CPTs look at this one: itself and its children."""
    return [k for k in range(flat.n_nodes) if k == node or node in flat.parents[k]]


@dataclass(frozen=True, eq=False)
class _Blanket:
    """Queries about one node whose neighbours are all known.

    ``cells`` holds, for each query, each state the node may have and each family that the node is
    in, where the family's entry stands in θ: (n, n_states, n_families).
    """

    queries: IntArray
    asked: CodeArray
    cells: IntArray

    @classmethod
    def of(cls, flat: FlatCPTs, node: int, queries: IntArray, codes: CodeArray) -> "_Blanket":
        families = _families_of(flat, node)
        cells = np.empty((len(codes), int(flat.cards[node]), len(families)), dtype=np.intp)
        for place, family in enumerate(families):
            strides = np.zeros(flat.n_nodes, dtype=np.intp)
            stride = 1
            for member in (family, *reversed(flat.parents[family])):
                strides[member], stride = stride, stride * int(flat.cards[member])
            own, strides[node] = strides[node], 0
            base = flat.offsets[family] + np.maximum(codes, 0) @ strides
            cells[:, :, place] = base[:, None] + own * np.arange(flat.cards[node])
        return cls(queries, codes[:, node], cells)

    def posterior(self, log_theta: FloatArray) -> FloatArray:
        """B(v | y) for each state v, (n, n_states); NaN where y is impossible."""
        logs = log_theta[self.cells].sum(axis=2)
        with np.errstate(invalid="ignore"):
            shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        posterior: FloatArray = shares / shares.sum(axis=1, keepdims=True)
        return posterior

    def own(self, posterior: FloatArray) -> FloatArray:
        """B(x | y), (n,)."""
        answers: FloatArray = posterior[np.arange(len(self.asked)), self.asked]
        return answers

    def add_counts(self, counts: FloatArray, posterior: FloatArray, weights: FloatArray) -> None:
        """Add Σ weight · [1(v = x) − B(v | y)] to the entries of each v; weights (n,)."""
        shares = -posterior
        shares[np.arange(len(self.asked)), self.asked] += 1.0
        terms = np.broadcast_to((weights[:, None] * shares)[:, :, None], self.cells.shape)
        counts += np.bincount(self.cells.ravel(), terms.ravel(), minlength=len(counts))


@dataclass(frozen=True, eq=False)
class _Inferred:
    """Queries for which rows have to be summed out; ``rows`` are distinct.

    ``joint`` and ``evidence`` say which row is a query's with and without its targets.
    """

    queries: IntArray
    rows: CodeArray
    joint: IntArray
    evidence: IntArray

    @classmethod
    def of(cls, queries: IntArray, joint: CodeArray, evidence: CodeArray) -> "_Inferred":
        both = np.concatenate([joint[queries], evidence[queries]])
        rows, which = np.unique(both, axis=0, return_inverse=True)
        which = which.ravel().astype(np.intp)
        n = len(queries)
        return cls(queries, rows, which[:n], which[n:])

    def answers(self, logs: FloatArray) -> FloatArray:
        """B(x | y) from log-probabilities of the rows, (n,); NaN where y is impossible."""
        with np.errstate(invalid="ignore"):
            answers: FloatArray = np.exp(logs[self.joint] - logs[self.evidence])
        return answers

    def row_weights(self, weights: FloatArray) -> FloatArray:
        """Weight of each row in Σ weight · [counts(x, y) − counts(y)], (n_rows,)."""
        n = len(self.rows)
        with_targets = np.bincount(self.joint, weights, n).astype(np.float64)
        return with_targets - np.bincount(self.evidence, weights, n)


class QueryErrors:
    """err and its derivatives in log θ, for any CPTs of one structure.

    Parameters
    ----------
    engine : Engine
        Inference in the CPTs that the queries' ``flat`` lays out, about any node.
    queries : LabelledQueries
    """

    def __init__(self, engine: "Engine", queries: LabelledQueries) -> None:
        self.engine, self.queries = engine, queries

    def answers(self, theta: FloatArray) -> FloatArray:
        """B(x | y) of each query, (n,); NaN where its evidence is impossible."""
        return self._answers(theta)[0]

    def error(self, theta: FloatArray) -> float:
        """Weighted mean of (B(x | y) − p)²; NaN where evidence is impossible."""
        return self.error_of(self.answers(theta))

    def error_and_counts(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """err, and its derivative in each log θ taken as a free number, (n_cells,)."""
        queries = self.queries
        answers, posteriors = self._answers(theta)
        weights = 2.0 * queries.weights * (answers - queries.labels) * answers
        counts = np.zeros(queries.flat.n_cells)
        for group, posterior in zip(queries.blankets, posteriors, strict=True):
            group.add_counts(counts, posterior, weights[group.queries])
        if len(queries.inferred.queries):
            rows = queries.inferred
            own = rows.row_weights(weights[rows.queries])
            used = own != 0
            counts += self.engine.expected_counts(theta, rows.rows[used], own[used])[0]
        return self.error_of(answers), counts

    def error_of(self, answers: FloatArray) -> float:
        """Weighted mean of (answer − p)²."""
        return total(self.queries.weights, (answers - self.queries.labels) ** 2)

    def _answers(self, theta: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
        queries = self.queries
        answers, posteriors = np.empty(len(queries.labels)), []
        with np.errstate(divide="ignore"):
            log_theta = np.log(theta)
        for group in queries.blankets:
            posterior = group.posterior(log_theta)
            posteriors.append(posterior)
            answers[group.queries] = group.own(posterior)
        rows = queries.inferred
        if len(rows.queries):
            answers[rows.queries] = rows.answers(self.engine.log_evidence(theta, rows.rows))
        return answers, posteriors

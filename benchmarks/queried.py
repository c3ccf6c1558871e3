"""The race of statistical queries: their mean squared error with its gradient in β, once.

A row of the task's data is a query: its first observed node, or in every fourth row the first two,
is asked for given all the others, so that complete rows ask for a node whose Markov blanket is
known. The right answers are drawn, as they do not matter to the time.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import bnlr
from benchmarks.designs import Floats
from benchmarks.inference_peers import InferencePeer, Question
from benchmarks.rooms import Engine, LabelledQueries, QueryErrors
from benchmarks.workloads import FitTask

_SEED = 12


class Queries:
    """Error first, then the gradient; queries are encoded, as they are after one step."""

    def __init__(self, task: FitTask, network: bnlr.BayesianNetwork) -> None:
        self.task, self._network = task, network
        self._ready: dict[int, tuple[bnlr.Dataset, QueryErrors]] = {}

    def own(self, data: bnlr.Dataset, n_threads: int) -> Floats:
        """Evaluate error and gradient."""
        known, errors = self._ready.get(n_threads, (None, None))
        if known is not data or errors is None:
            structure = self.task.structure
            asked = LabelledQueries.of(structure, data.states, queries_of(data))
            target = structure.index(structure.class_name)
            errors = QueryErrors(Engine(asked.flat, target, n_threads), asked)
            self._ready[n_threads] = data, errors
        flat = errors.queries.flat
        theta = flat.flatten(self._network.cpts)
        error, counts = errors.error_and_counts(theta)
        return np.concatenate([[error], counts - theta * flat.column_sums(counts)])

    def forms(self, peer: InferencePeer, data: bnlr.Dataset) -> dict[str, Callable[[], Any]]:
        """Two inferences a query for the posteriors of all families (Lemma 8)."""
        return {"by families": partial(peer.query_errors, questions_of(data))}

    def difference(self, peer: InferencePeer, answer: Any, data: bnlr.Dataset) -> float:  # noqa: ARG002
        """Greatest of error and slopes."""
        error, counts = answer
        flat = self._ready[1][1].queries.flat
        theta, stacked = flat.flatten(self._network.cpts), flat.flatten(counts)
        theirs = np.concatenate([[error], stacked - theta * flat.column_sums(stacked)])
        return float(np.abs(theirs - self.own(data, 1)).max())


def questions_of(data: bnlr.Dataset) -> list[Question]:
    """Targets, evidence and right answer of each row, as codes by node."""
    labels = np.random.default_rng(_SEED).random(data.n_rows)
    found = []
    for k, row in enumerate(data.codes.tolist()):
        seen = [(node, code) for node, code in zip(data.nodes, row, strict=True) if code >= 0]
        n_targets = 2 if k % 4 == 3 else 1
        found.append((dict(seen[:n_targets]), dict(seen[n_targets:]), float(labels[k])))
    return found


def queries_of(data: bnlr.Dataset) -> bnlr.QuerySet:
    """Return the same as a QuerySet."""
    return bnlr.QuerySet(
        bnlr.Query(_labels(data, targets), _labels(data, evidence), p)
        for targets, evidence, p in questions_of(data)
    )


def _labels(data: bnlr.Dataset, cells: Mapping[str, int]) -> dict[str, Any]:
    return {node: data.states[node][code] for node, code in cells.items()}

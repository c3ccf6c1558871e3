"""Expected counts of the same rows again and again, in a forest given the class: EM's E-steps.

Given its class and its observed cells, a row falls into parts that know nothing of each other.
Families observed in full count once and for all. What is left are fragments: missing nodes that
hang together, with the observed cells next to them. The same fragment is in many rows, so that a
pass over the different ones, each with the weight of its rows, gives what a pass over all rows
would, often for a tenth of the work.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bnlr._typing import CodeArray, FloatArray, IntArray
from bnlr.inference import tree_twins
from bnlr.inference.trees import TreePlan
from bnlr.machine import backend, in_order

_FIRST_ROOM = 2**10
_ROWS_A_TURN = 2**13
_FRAGMENTS_A_CHUNK = 2**12
# With more entries than this for each cell of the rows, a pass over the rows is no slower.
_MOST_ENTRIES = 0.5


class _Found(NamedTuple):
    """Fragments as the kernels fill them; ``starts`` has one entry more than there are."""

    classes: IntArray
    outers: IntArray
    weights: FloatArray
    starts: IntArray
    nodes: CodeArray
    owns: CodeArray
    slots: IntArray


@dataclass(frozen=True, eq=False)
class Fragments:
    """The rows of known class that a plan was asked to take apart, and those without a class.

    Attributes
    ----------
    plan : TreePlan
    complete : FloatArray of shape (n_laid, K)
        Weights of the families that rows observe in full.
    found : _Found
    by_class : list of IntArray
        Numbers of each class's fragments.
    rest, rest_weights
        Rows without a class, which belong to no fragment.
    """

    plan: TreePlan
    complete: FloatArray
    found: _Found
    by_class: list[IntArray]
    rest: CodeArray
    rest_weights: FloatArray

    def expected_counts(self, theta: FloatArray) -> tuple[FloatArray, float] | None:
        """Return Σ weight · P(d, f | row), flat like ``theta``, and Σ weight · log P(row).

        None where a number is so small that products might lose it.
        """
        layers = self.plan.layers(theta)
        counts, log_likelihood = self.complete.copy(), _inner(self.complete, layers[-1].logs)
        for c, chosen in enumerate(self.by_class):
            for added, logs, some in self._passes(chosen, layers[c]):
                if added is None:
                    return None
                counts[:, c] += added
                log_likelihood += _inner(self.found.weights[some], logs)
        sums = self.plan.flat_counts(layers[-1], counts)
        if len(self.rest):
            more, logs = self.plan.expected_counts(theta, self.rest, self.rest_weights)
            sums += more
            log_likelihood += _inner(self.rest_weights, logs)
        return sums, log_likelihood

    def _passes(
        self, chosen: IntArray, layer: Any
    ) -> Iterator[tuple[FloatArray | None, FloatArray, IntArray]]:
        """Counts, log-probabilities and numbers of fragments of one class, chunk by chunk."""
        tables, logs = layer.tables.ravel(), layer.logs.ravel()
        found = self.found

        def run(start: int) -> tuple[FloatArray | None, FloatArray, IntArray]:
            some = chosen[start : start + _FRAGMENTS_A_CHUNK]
            counts, sums = np.zeros(len(tables)), np.empty(len(some))
            is_safe = _kernels().count_fragments(
                some, found.outers, found.weights, found.starts, found.nodes, found.owns,
                self.plan.tree, tables, logs, counts, sums,
            )  # fmt: skip
            return (counts if is_safe else None), sums, some

        starts = range(0, len(chosen), _FRAGMENTS_A_CHUNK)
        return in_order(run, starts, min(self.plan.workers, max(len(starts), 1)))


def fragments(plan: TreePlan, codes: CodeArray, weights: FloatArray) -> Fragments | None:
    """Take checked rows apart; None where that would save nothing, or without a compiler."""
    if _kernels() is None:
        return None
    labelled = np.flatnonzero(codes[:, plan.target] >= 0)
    rest = np.flatnonzero(codes[:, plan.target] < 0)
    complete = np.zeros(plan.cells.shape)
    found, sizes = _room(_FIRST_ROOM, len(plan.tree.parents)), np.zeros(2, dtype=np.int64)
    for start in range(0, len(labelled), _ROWS_A_TURN):
        some = labelled[start : start + _ROWS_A_TURN]
        rows, labels = plan.laid_rows(codes[some])
        taken = 0
        while True:
            part = (rows[taken:], labels[taken:], weights[some[taken:]])
            taken += _kernels().collect(*part, plan.tree, found, sizes, complete)
            if taken == len(rows):
                break
            found = _grown(found, sizes)
        if sizes[1] > _MOST_ENTRIES * codes.shape[1] * (start + len(some)):
            return None
    by_class = _by_class(found.classes[: sizes[0]], plan.cells.shape[1])
    return Fragments(plan, complete, found, by_class, codes[rest], weights[rest])


def _by_class(classes: IntArray, n_classes: int) -> list[IntArray]:
    return [np.flatnonzero(classes == c) for c in range(n_classes)]


def _room(n: int, n_nodes: int) -> _Found:
    """Room for ``n`` fragments, and at least for those of one row of so many nodes."""
    n += 2 * n_nodes
    places, entries = np.zeros((3, n + 1), dtype=np.intp), np.zeros((2, 4 * n), dtype=np.int32)
    slots = np.full(2 ** int(np.ceil(np.log2(4 * n))), -1, dtype=np.intp)
    return _Found(
        places[0, :n], places[1, :n], np.zeros(n), places[2], entries[0], entries[1], slots
    )


def _grown(found: _Found, sizes: IntArray) -> _Found:
    """Twice the room, with what was found."""
    larger = _room(2 * len(found.classes), 0)
    if len(larger.nodes) < 2 * len(found.nodes):
        nodes, owns = np.zeros((2, 2 * len(found.nodes)), dtype=np.int32)
        larger = larger._replace(nodes=nodes, owns=owns)
    for old, new in zip(found[:-1], larger[:-1], strict=True):
        new[: len(old)] = old
    _kernels().rehash(larger, sizes[0])
    return larger


def _inner(weights: FloatArray, logs: FloatArray) -> float:
    """Σ weight · log over positive weights; its bits do not depend on the number of threads."""
    with np.errstate(invalid="ignore"):
        terms = np.where(weights > 0, weights * logs, 0.0).ravel()
    return float(np.einsum("i->", terms))


def _kernels() -> Any:
    """The compiled kernels, None where the twins are used: these go through whole rows."""
    if backend("trees", "inference.tree_twins") is tree_twins:
        return None
    return backend("fragments", "inference.tree_twins")

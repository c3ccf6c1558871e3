"""Expected counts of the same rows again and again, in a forest given the class: EM's E-steps.

Given its class and its observed cells, a row falls into parts that know nothing of each other.
Families observed in full count once and for all. What is left are fragments: missing nodes that
hang together, with the observed cells next to them. The same fragment is in many rows, so that a
pass over the different ones, each with the weight of its rows, gives what a pass over all rows
would, often for a tenth of the work.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bnlr._typing import CodeArray, FloatArray, IntArray
from bnlr.inference.trees import Layer, TreePlan
from bnlr.machine import in_order
from bnlr.native import kernels

if TYPE_CHECKING:
    from bnlr.native import signatures

_ROWS_A_TURN = 2**13
_FRAGMENTS_A_CHUNK = 2**12
# With more entries than this for each cell of the rows, a pass over the rows is no slower.
_MOST_ENTRIES = 0.5


class Found(NamedTuple):
    """Fragments one after the other, in the order of their classes.

    Attributes
    ----------
    ends : IntArray of shape (K + 1,)
        First fragment of each class, and the end.
    outers : IntArray
        Code of the parent of each one's topmost node.
    weights : FloatArray
    starts : IntArray
        First of each one's nodes, and the end.
    nodes, owns : CodeArray
        Nodes, children before parents, and their codes, −1 for missing.
    """

    ends: IntArray
    outers: IntArray
    weights: FloatArray
    starts: IntArray
    nodes: CodeArray
    owns: CodeArray


@dataclass(frozen=True, eq=False)
class Fragments:
    """The rows of known class that a plan was asked to take apart, and those without a class.

    Attributes
    ----------
    plan : TreePlan
    complete : FloatArray of shape (n_laid, K)
        Weights of the families that rows observe in full.
    found : Found
    rest, rest_weights
        Rows without a class, which belong to no fragment.
    """

    plan: TreePlan
    complete: FloatArray
    found: Found
    rest: CodeArray
    rest_weights: FloatArray

    def expected_counts(self, theta: FloatArray) -> tuple[FloatArray, float] | None:
        """Return Σ weight · P(d, f | row), flat like ``theta``, and Σ weight · log P(row).

        None where a number is so small that products might lose it.
        """
        layers = self.plan.layers(theta)
        counts, log_likelihood = self.complete.copy(), _inner(self.complete, layers[-1].logs)
        for c in range(self.complete.shape[1]):
            for added, logs, some in self._passes(c, layers[c]):
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
        self, c: int, layer: Layer
    ) -> Iterator[tuple[FloatArray | None, FloatArray, slice]]:
        """Counts, log-probabilities and numbers of fragments of class c, chunk by chunk."""
        first, end = self.found.ends[c], self.found.ends[c + 1]
        code = _kernels()
        assert code is not None  # noqa: S101  there are no fragments without; for the type checker

        def run(start: int) -> tuple[FloatArray | None, FloatArray, slice]:
            stop = min(start + _FRAGMENTS_A_CHUNK, end)
            counts, sums = np.zeros(len(layer.tables)), np.empty(stop - start)
            is_safe = code.count(self.found, start, stop, self.plan.tree, *layer, counts, sums)
            return (counts if is_safe else None), sums, slice(start, stop)

        starts = range(first, end, _FRAGMENTS_A_CHUNK)
        return in_order(run, starts, min(self.plan.workers, max(len(starts), 1)))


def fragments(plan: TreePlan, codes: CodeArray, weights: FloatArray) -> Fragments | None:
    """Take checked rows apart; None where that would save nothing, or without compiled kernels."""
    code = _kernels()
    if code is None:
        return None
    labelled = np.flatnonzero(codes[:, plan.target] >= 0)
    rest = np.flatnonzero(codes[:, plan.target] < 0)
    complete = np.zeros(plan.cells.shape)
    parts = code.begin()
    for start in range(0, len(labelled), _ROWS_A_TURN):
        some = labelled[start : start + _ROWS_A_TURN]
        rows, labels = plan.laid_rows(codes[some])
        n_entries = code.take_apart(parts, rows, labels, weights[some], plan.tree, complete)
        if n_entries > _MOST_ENTRIES * codes.shape[1] * (start + len(some)):
            return None
    found = Found(*code.found(parts, plan.cells.shape[1]))
    return Fragments(plan, complete, found, codes[rest], weights[rest])


def _inner(weights: FloatArray, logs: FloatArray) -> float:
    """Σ weight · log over positive weights; its bits do not depend on the number of threads."""
    with np.errstate(invalid="ignore"):
        terms = np.where(weights > 0, weights * logs, 0.0).ravel()
    return float(np.einsum("i->", terms))


def _kernels() -> "signatures.Fragments | None":
    """The compiled kernels; None without, where whole rows are gone through."""
    module = kernels()
    return None if module is None else module.fragments

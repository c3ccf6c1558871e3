"""Inference where the network is a forest given the class: naive Bayes, TAN, FAN and the like.

Given the target, every factor must join at most two other nodes, a node and its one parent: each
other node has at most one parent besides the target, and the target itself at most one parent. Then
one upward pass over the nodes, children first, with the target's states as the inner vector gives
P(c, e) for every c, and one downward pass gives all family posteriors (Pearl, Probabilistic
Reasoning in Intelligent Systems, 1988, chapter 4). The cost of a row is linear in the nodes.

The target is a node of the tree as well: its table P(c | parent), seen from the parent, is that of
a node which has one state and is always observed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnlr._typing import CodeArray, FloatArray, IntArray
from bnlr.errors import DataError, ParameterError
from bnlr.inference.cpts import FlatCPTs
from bnlr.inference.tree_layout import Tree, forest
from bnlr.machine import backend, in_order, n_workers

if TYPE_CHECKING:
    from bnlr.machine import signatures

_CHUNK_CODES = 2**16
_LEAST_ROWS, _MOST_ROWS = 256, 2**13


class Layer(NamedTuple):
    """Tables and their natural logarithms, (n_laid, k), of all classes or of one."""

    tables: FloatArray
    logs: FloatArray


@dataclass(frozen=True, eq=False)
class TreePlan:
    """Batched exact inference about one target in a forest given the target.

    CPTs are flat as in `FlatCPTs`, each column summing to 1; exact zeros are allowed. Codes have
    shape (N, n), any integer type and memory order; negative codes are missing. Results do not
    depend on the number of threads, to the last bit. A row that is impossible under the CPTs has
    log-evidence −inf, a posterior of zeros, and no counts.

    Attributes
    ----------
    flat, target
        The network, and the place of the target.
    tree : Tree
        The forest.
    order : IntArray of shape (n,)
        The network's nodes as the forest numbers them.
    cells : IntArray of shape (n_laid, K)
        For each cell of the forest's tables and each class its cell in ``theta``, which is
        ``flat.n_cells`` for "any".
    workers : int
        Number of threads.
    """

    flat: FlatCPTs
    target: int
    tree: Tree
    order: IntArray
    cells: IntArray
    workers: int

    def posterior(self, theta: FloatArray, codes: CodeArray) -> tuple[FloatArray, FloatArray]:
        """Return P(target | the other cells), (N, K), and the natural log P(the other cells).

        Raises
        ------
        ParameterError
            CPTs or codes of another shape, or codes that are no integers.
        DataError
            A code that is no state of its node.
        """
        layer, codes = self._layer(theta), self._checked(codes)
        posterior = np.empty((len(codes), self._n_classes))
        log_evidence = np.empty(len(codes))

        def run(start: int, stop: int) -> None:
            rows, _ = self._rows(codes, start, stop)
            totals = self._totals(rows, layer)
            _kernels().normalise(totals, posterior[start:stop], log_evidence[start:stop])

        for _ in self._in_chunks(run, len(codes)):
            pass
        return posterior, log_evidence

    def log_evidence(self, theta: FloatArray, codes: CodeArray) -> FloatArray:
        """Return the natural log P(observed cells, the target's included), (N,).

        Errors as `posterior`.
        """
        layers, codes = self.layers(theta), self._checked(codes)
        log_evidence = np.empty(len(codes))

        def run(start: int, stop: int) -> None:
            rows, classes = self._rows(codes, start, stop)
            for c, chosen in _by_class(classes):
                totals = self._totals(rows[chosen], layers[c])
                log_evidence[start + chosen] = _normalised(totals)

        for _ in self._in_chunks(run, len(codes)):
            pass
        return log_evidence

    def expected_counts(
        self, theta: FloatArray, codes: CodeArray, weights: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return Σ weight · P(d, f | row), flat like theta, and `log_evidence`.

        Errors as `posterior`, and `ParameterError` for weights that are not one a row.
        """
        layers, codes = self.layers(theta), self._checked(codes)
        weights = _checked_weights(weights, len(codes))
        log_evidence = np.empty(len(codes))

        def run(start: int, stop: int) -> FloatArray:
            rows, classes = self._rows(codes, start, stop)
            counts = np.zeros(self.cells.shape)
            for c, chosen in _by_class(classes):
                added, totals = self._counted(
                    rows[chosen], np.full(len(chosen), -1), weights[start + chosen], layers[c]
                )
                counts[:, slice(None) if c < 0 else slice(c, c + 1)] += added
                log_evidence[start + chosen] = _normalised(totals)
            return counts

        return self._summed(run, len(codes), layers[-1]), log_evidence

    def contrast(
        self, theta: FloatArray, codes: CodeArray, weights: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return Σ weight · [P(d, f | c, e) − P(d, f | e)], flat like theta, and log P(c | e).

        c is the row's target and e its other cells. Rows without the target have log P(c | e) = 0
        and no counts; where P(c, e) is 0 it is −inf, without counts either. Errors as
        `expected_counts`.
        """
        layer, codes = self._layer(theta), self._checked(codes)
        weights = _checked_weights(weights, len(codes))
        log_conditional = np.zeros(len(codes))

        def run(start: int, stop: int) -> FloatArray:
            rows, classes = self._rows(codes, start, stop)
            chosen = np.flatnonzero(classes >= 0)
            labels = classes[chosen]
            counts, totals = self._counted(rows[chosen], labels, weights[start + chosen], layer)
            own = totals[np.arange(len(chosen)), labels]
            known = np.where(own == -np.inf, 0.0, _normalised(totals))
            log_conditional[start + chosen] = own - known
            return counts

        return self._summed(run, len(codes), layer), log_conditional

    # Tables

    @property
    def _n_classes(self) -> int:
        return int(self.flat.cards[self.target])

    def _layer(self, theta: FloatArray) -> Layer:
        if np.shape(theta) != (self.flat.n_cells,):
            raise ParameterError(
                f"theta has shape {np.shape(theta)}; it must be ({self.flat.n_cells},), all CPTs "
                "of the network in one array"
            )
        tables = np.append(np.asarray(theta, dtype=np.float64), 1.0)[self.cells]
        with np.errstate(divide="ignore"):
            return Layer(tables, np.log(tables))

    def layers(self, theta: FloatArray) -> dict[int, Layer]:
        """Return the tables of all classes at −1, and those of each class alone at its place."""
        all_classes = self._layer(theta)
        layers = {
            c: Layer(*(np.ascontiguousarray(part[:, c : c + 1]) for part in all_classes))
            for c in range(self._n_classes)
        }
        return {-1: all_classes, **layers}

    # Rows

    def _checked(self, codes: CodeArray) -> CodeArray:
        codes = np.asarray(codes)
        n_nodes = self.flat.n_nodes
        if codes.ndim != 2 or codes.shape[1] != n_nodes or codes.dtype.kind not in "iu":
            raise ParameterError(
                f"codes have shape {codes.shape} and type {codes.dtype}; they must be integers of "
                f"shape (rows, {n_nodes}), one column a node"
            )
        return codes

    def _rows(self, codes: CodeArray, start: int, stop: int) -> tuple[CodeArray, IntArray]:
        return self.laid_rows(codes[start:stop], start)

    def laid_rows(self, codes: CodeArray, start: int = 0) -> tuple[NDArray[np.int32], IntArray]:
        """Return the rows as the kernels want them, and the codes of the target.

        ``start`` is the number that the first of them has in messages.
        """
        rows = np.zeros((len(codes), self.flat.n_nodes + 1), dtype=np.int32)
        chunk = _narrowed(codes)
        # Column by column is twice as fast as all at once, and brings them into order.
        for place, v in enumerate(self.order):
            rows[:, place] = chunk[:, v]
        self._refuse_too_large(rows, start)
        at = np.flatnonzero(self.order == self.target)[0]
        classes = rows[:, at].astype(np.intp)
        rows[:, at] = 0
        return rows, classes

    def _refuse_too_large(self, rows: CodeArray, start: int) -> None:
        cards = self.flat.cards[self.order]
        too_large = rows.max(axis=0, initial=-1)[:-1] >= cards
        if too_large.any():
            place = int(np.argmax(too_large))
            i = int(np.argmax(rows[:, place] >= cards[place]))
            raise DataError(
                f"row {start + i} has the code {rows[i, place]} for "
                f"{self.flat.names[self.order[place]]!r}; its states are 0 to {cards[place] - 1}, "
                "and −1 stands for missing"
            )

    def _in_chunks(self, run: Callable[[int, int], Any], n_rows: int) -> Iterator[Any]:
        # Partial counts wait for their turn: with few rows a chunk they would outgrow the data.
        least = max(_LEAST_ROWS, 4 * self.cells.size // self.flat.n_nodes)
        length = max(least, min(_MOST_ROWS, _CHUNK_CODES // self.flat.n_nodes))
        starts = range(0, max(n_rows, 1), length)
        workers = min(self.workers, len(starts))
        return in_order(lambda start: run(start, min(start + length, n_rows)), starts, workers)

    # Passes

    def _totals(self, rows: CodeArray, layer: Layer) -> FloatArray:
        return self._run("total_rows", (rows,), layer)

    def _counted(
        self, rows: CodeArray, labels: IntArray, weights: FloatArray, layer: Layer
    ) -> tuple[FloatArray, FloatArray]:
        counts = np.zeros(layer.tables.shape)
        return counts, self._run("count_rows", (rows, labels, weights), layer, counts)

    def _run(
        self, kernel: str, rows: tuple[NDArray[Any], ...], layer: Layer, *counts: FloatArray
    ) -> FloatArray:
        """Run a kernel; return log P(c, row)."""
        totals = np.empty((len(rows[0]), layer.tables.shape[1]))
        getattr(_kernels(), kernel)(*rows, self.tree, *layer, *counts, totals)
        return totals

    def _summed(
        self, run: Callable[[int, int], FloatArray], n_rows: int, layer: Layer
    ) -> FloatArray:
        """Return the chunks' counts, added up in order, flat like theta."""
        return self.flat_counts(layer, reduce(np.add, self._in_chunks(run, n_rows)))

    def flat_counts(self, layer: Layer, counts: FloatArray) -> FloatArray:
        """Return counts (n_laid, K) flat like theta, "any" given to the states; overwrites them."""
        _kernels().share_any(self.tree, layer.tables, counts)
        sums = np.zeros(self.flat.n_cells + 1)
        np.add.at(sums, self.cells, counts)
        return sums[:-1]


def tree_plan(flat: FlatCPTs, target: int, n_threads: int | None = None) -> TreePlan | None:
    """Return the plan for `target`, or None where the network is no forest given the target.

    Raises
    ------
    ParameterError
        `n_threads` below 1.
    """
    workers = n_workers(n_threads)
    laid = forest(flat, target)
    return None if laid is None else TreePlan(flat, target, *laid, workers)


def _narrowed(codes: CodeArray) -> CodeArray:
    """Return codes that keep their meaning as int32: too large or missing all the same."""
    if np.can_cast(codes.dtype, np.int32):
        return codes
    least = -1 if codes.dtype.kind == "i" else 0
    bounded: CodeArray = np.clip(codes, least, np.iinfo(np.int32).max)
    return bounded


def _by_class(classes: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Yield each class and its rows, −1 for the rows without."""
    known = np.maximum(classes, -1)
    for c in np.unique(known):
        yield int(c), np.flatnonzero(known == c)


def _normalised(totals: FloatArray) -> FloatArray:
    """Return the natural log of the sum over classes."""
    if totals.shape[1] == 1:
        return totals[:, 0]
    log_evidence = np.empty(len(totals))
    _kernels().normalise(totals, np.empty_like(totals), log_evidence)
    return log_evidence


def _checked_weights(weights: FloatArray | None, n_rows: int) -> FloatArray:
    if weights is None:
        return np.ones(n_rows)
    if np.shape(weights) != (n_rows,):
        raise ParameterError(
            f"weights have shape {np.shape(weights)}; they must be ({n_rows},), one a row"
        )
    return np.ascontiguousarray(weights, dtype=np.float64)


def _kernels() -> "signatures.Trees":
    found: signatures.Trees = backend("trees", "inference.tree_twins")
    return found

"""Exact inference about one target for batches of rows, in any network and for any evidence.

Networks that are forests given the target go to `TreePlan`; all others to a junction tree. One plan
for the nodes observed in every row serves all rows, whatever else they observe; where few patterns
of observed nodes are shared by many rows, or where the common plan would not fit, each pattern has
a plan of its own.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np

from bnlr._typing import BoolArray, CodeArray, FloatArray, IntArray
from bnlr.errors import ParameterError, TooLargeError
from bnlr.inference import propagate
from bnlr.inference.checks import (
    checked_codes,
    checked_place,
    checked_theta,
    checked_weights,
)
from bnlr.inference.cpts import FlatCPTs
from bnlr.inference.expected_counts import Fragments, fragments
from bnlr.inference.plan import Plan, make_plan
from bnlr.inference.query import joint_posterior
from bnlr.inference.trees import tree_plan
from bnlr.machine import n_workers

_KEPT_PLANS = 512
_KEPT_ENGINES = 8
_ROWS_A_PATTERN = 512
_LOOKED_AT = 1024
_BLOCK = 2**16
_Rows = slice | IntArray
_Value = TypeVar("_Value")

Counter = Callable[[FloatArray], tuple[FloatArray, float]]
"""CPTs, flat ↦ (expected counts, flat; log-likelihood)."""


@dataclass(frozen=True, eq=False)
class _Counter:
    """``Counter`` of rows; ``parts`` are their fragments, if they were worth taking apart."""

    engine: "Engine"
    codes: CodeArray
    weights: FloatArray
    parts: Fragments | None

    def __call__(self, theta: FloatArray) -> tuple[FloatArray, float]:
        theta = checked_theta(self.engine.flat, theta)
        answer = None if self.parts is None else self.parts.expected_counts(theta)
        if answer is not None:
            return answer
        counts, logs = self.engine.expected_counts(theta, self.codes, self.weights)
        return counts, float(np.einsum("i,i->", self.weights, logs))


class Engine:
    """Posteriors of one target, expected counts and probabilities of evidence; thread-safe.

    CPTs are flat as in `FlatCPTs`, every column summing to 1; exact zeros are allowed. Codes have
    shape (N, n), one column a node, any integer type; negative codes are missing. Logarithms are
    natural. Nothing under- or overflows, and results do not depend on the number of threads, to the
    last bit. A row that is impossible under the CPTs has log-evidence −inf, a posterior of zeros
    and no counts.

    Parameters
    ----------
    flat : FlatCPTs
    target : int
        Place of the node whose posterior is asked for.
    n_threads : int, optional
        Number of threads; None is one for each CPU.

    Raises
    ------
    ParameterError
        `target` is no place of a node, or `n_threads` below 1.

    Notes
    -----
    Every method raises `ParameterError` for arrays of another shape or CPTs that are negative or
    NaN, `StateError` for a code that is no state of its node, and `TooLargeError` before anything
    is allocated where exact inference would not fit.
    """

    def __init__(self, flat: FlatCPTs, target: int, n_threads: int | None = None) -> None:
        self.flat = flat
        self.target = checked_place(target, flat, "the target")
        self.n_threads = n_threads
        self._workers = n_workers(n_threads)
        self._tree = tree_plan(flat, target, n_threads)
        self._plans = lru_cache(_KEPT_PLANS)(self._make_plan)

    def __reduce__(self) -> tuple[object, ...]:
        flat = self.flat
        told = (flat.names, tuple(flat.cards.tolist()), flat.parents, tuple(flat.offsets.tolist()))
        return _kept, (*told, self.target, self.n_threads)

    def posterior(self, theta: FloatArray, codes: CodeArray) -> tuple[FloatArray, FloatArray]:
        """Return P(target | the other cells), (N, d_target), and log P(the other cells), (N,).

        The target's own cells are not looked at.
        """
        theta, codes = checked_theta(self.flat, theta), checked_codes(self.flat, codes)
        if self._tree is not None:
            return self._tree.posterior(theta, codes)
        posterior = np.empty((len(codes), int(self.flat.cards[self.target])))
        log_evidence = np.empty(len(codes))
        for plan, rows in self._groups(codes, hidden=True, all_families=False):
            part = propagate.posterior(plan, theta, codes[rows], self._workers)
            posterior[rows], log_evidence[rows] = part
        return posterior, log_evidence

    def log_evidence(self, theta: FloatArray, codes: CodeArray) -> FloatArray:
        """Return log P(observed cells, the target's included), (N,)."""
        theta, codes = checked_theta(self.flat, theta), checked_codes(self.flat, codes)
        if self._tree is not None:
            return self._tree.log_evidence(theta, codes)
        logs = np.empty(len(codes))
        for plan, rows in self._groups(codes, hidden=False, all_families=False):
            logs[rows] = propagate.log_evidence(plan, theta, codes[rows], self._workers)
        return logs

    def expected_counts(
        self, theta: FloatArray, codes: CodeArray, weights: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return Σ_rows weight · P(d, f | row), flat like `theta`, and `log_evidence`, (N,)."""
        theta, codes = checked_theta(self.flat, theta), checked_codes(self.flat, codes)
        weights = checked_weights(weights, len(codes))
        if self._tree is not None:
            return self._tree.expected_counts(theta, codes, weights)
        counts, logs = np.zeros(self.flat.n_cells), np.empty(len(codes))
        for plan, rows in self._groups(codes, hidden=False, all_families=True):
            part, logs[rows] = propagate.expected_counts(
                plan, theta, codes[rows], weights[rows], self._workers
            )
            counts += part
        return counts, logs

    def counter(self, codes: CodeArray, weights: FloatArray | None = None) -> Counter:
        """Return `expected_counts` as a function of CPTs alone, for rows asked many times.

        It gives the counts, flat, and Σ weight · log P(row), −inf where a row is impossible. Where
        the network is a forest given the target, what does not depend on the CPTs is done here.
        """
        codes = checked_codes(self.flat, codes)
        weights = checked_weights(weights, len(codes))
        parts = None if self._tree is None else fragments(self._tree, codes, weights)
        return _Counter(self, codes, weights, parts)

    def contrast(
        self, theta: FloatArray, codes: CodeArray, weights: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return Σ_rows weight · [P(d, f | c, e) − P(d, f | e)], flat, and log P(c | e), (N,).

        c is the row's target, e its other cells. Rows without the target have log P(c | e) = 0 and
        no counts; where P(c, e) is 0 it is −inf, without counts either. In softmax β the gradient
        of Σ weight · log P(c | e) is counts − θ · (sums of counts over columns d|f): Greiner et al.
        2005, Proposition 3.
        """
        theta, codes = checked_theta(self.flat, theta), checked_codes(self.flat, codes)
        weights = checked_weights(weights, len(codes))
        if self._tree is not None:
            return self._tree.contrast(theta, codes, weights)
        counts, logs = np.zeros(self.flat.n_cells), np.empty(len(codes))
        for plan, rows in self._groups(codes, hidden=True, all_families=True):
            part, logs[rows] = propagate.contrast(
                plan, theta, codes[rows], weights[rows], self._workers
            )
            counts += part
        return counts, logs

    def information(
        self, theta: FloatArray, codes: CodeArray, weights: FloatArray | None = None
    ) -> FloatArray:
        """Return the expected information about log θ in the target's own cells, (cells, cells).

        Σ weight · Cov(P(d, f | c, e)), the covariance over c, distributed as P(c | e), of what c
        tells about all families. It is what the Hessian of −Σ weight · log P(c | e) in log θ is
        expected to be where P(c | e) holds, and positive semidefinite. Whatever is the same for all
        c is left out.
        """
        theta, codes = checked_theta(self.flat, theta), checked_codes(self.flat, codes)
        weights = checked_weights(weights, len(codes))
        matrix = np.zeros((self.flat.n_cells, self.flat.n_cells))
        for plan, rows in self._groups(codes, hidden=True, all_families=True):
            propagate.information(plan, theta, codes[rows], weights[rows], matrix)
        matrix += np.tril(matrix, -1).T
        return matrix

    def query(
        self, theta: FloatArray, targets: Sequence[int], evidence: Mapping[int, int]
    ) -> FloatArray:
        """Return P(targets | evidence), one axis a target in the order given.

        `targets` and the keys of `evidence` are places of nodes, its values codes. The array is all
        0 where the evidence is impossible.
        """
        codes = np.full((1, self.flat.n_nodes), -1)
        for node, code in evidence.items():
            codes[0, checked_place(node, self.flat, "an observed node")] = code
        theta, codes = checked_theta(self.flat, theta), checked_codes(self.flat, codes)
        places = [checked_place(node, self.flat, "a node asked for") for node in targets]
        if len(set(places)) < len(places):
            raise ParameterError(f"targets are {list(targets)}; name each of them once")
        seen = {node: int(code) for node, code in enumerate(codes[0]) if code >= 0}
        return joint_posterior(self.flat, theta, places, seen)

    def plan(self, observed: Collection[int] = ()) -> Plan:
        """Return the junction tree's plan for rows that observe just these nodes; printable.

        It tells the elimination order, the cliques, their cells and the flops of a row. The target
        is taken for missing, and barren nodes are left out.
        """
        places = frozenset(checked_place(node, self.flat, "an observed node") for node in observed)
        places -= {self.target}
        return self._plans(places, places)

    def _make_plan(self, observed: frozenset[int], ever: frozenset[int] | None) -> Plan:
        return make_plan(self.flat, self.target, observed, ever)

    # Rows that share a plan

    def _groups(
        self, codes: CodeArray, *, hidden: bool, all_families: bool
    ) -> Iterator[tuple[Plan, _Rows]]:
        """Yield plans and the rows each serves, all rows once."""
        if len(codes) == 0:
            return
        always, ever = _observed(codes)
        if hidden:
            always[self.target] = ever[self.target] = False
        if not self._has_few_patterns(codes, always, ever):
            try:
                plan = self._plans(_places(always), None if all_families else _places(ever))
            except TooLargeError:
                pass  # a row observes more than all rows do, so that its own plan may fit
            else:
                yield plan, slice(None)
                return
        for pattern, rows in self._patterns(codes, hidden):
            places = _places(pattern)
            yield self._plans(places, None if all_families else places), rows

    def _has_few_patterns(self, codes: CodeArray, always: BoolArray, ever: BoolArray) -> bool:
        """Tell whether rows that observe the same nodes are many, judging by some of the rows."""
        if (always == ever).all() or len(codes) < 2 * _ROWS_A_PATTERN:
            return False
        some = codes[:: max(1, len(codes) // _LOOKED_AT)] >= 0
        n_patterns = len(np.unique(np.packbits(some, axis=1), axis=0))
        return n_patterns * _ROWS_A_PATTERN <= len(codes) and n_patterns * 16 <= len(some)

    def _patterns(self, codes: CodeArray, hidden: bool) -> list[tuple[BoolArray, IntArray]]:
        packed = _by_blocks(lambda rows: np.packbits(self._seen(rows, hidden), axis=1), codes)
        _, first, which = np.unique(
            np.concatenate(packed), axis=0, return_index=True, return_inverse=True
        )
        rows = np.argsort(which.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(which.ravel()))[:-1]
        patterns = self._seen(codes[first], hidden)
        return list(zip(patterns, np.split(rows, ends), strict=True))

    def _seen(self, codes: CodeArray, hidden: bool) -> BoolArray:
        seen: BoolArray = codes >= 0
        if hidden:
            seen[:, self.target] = False
        return seen


@lru_cache(_KEPT_ENGINES)
def _kept(
    names: tuple[str, ...],
    cards: tuple[int, ...],
    parents: tuple[tuple[int, ...], ...],
    offsets: tuple[int, ...],
    target: int,
    n_threads: int | None,
) -> Engine:
    """An engine that was sent: one that comes again has its plans already."""
    counts, cells = np.array(cards, dtype=np.int64), np.array(offsets, dtype=np.int64)
    return Engine(FlatCPTs(names, counts, parents, cells), target, n_threads)


def _observed(codes: CodeArray) -> tuple[BoolArray, BoolArray]:
    """Return which nodes every row observes, and which at least one does."""
    always = np.all(_by_blocks(lambda rows: (rows >= 0).all(axis=0), codes), axis=0)
    ever = np.any(_by_blocks(lambda rows: (rows >= 0).any(axis=0), codes), axis=0)
    return always, ever


def _by_blocks(function: Callable[[CodeArray], _Value], codes: CodeArray) -> list[_Value]:
    """Results over blocks of rows, so that what is compared with 0 never doubles the codes."""
    return [function(codes[start : start + _BLOCK]) for start in range(0, len(codes), _BLOCK)]


def _places(chosen: BoolArray) -> frozenset[int]:
    return frozenset(np.flatnonzero(chosen).tolist())

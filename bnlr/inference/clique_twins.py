"""NumPy twins of the compiled ``cliques``: the same functions and numbers, without a compiler.

Rows that observe the same nodes are worked through together, in logarithms throughout.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from bnlr._typing import BoolArray, CodeArray, FloatArray, IntArray
from bnlr.inference.schedule import Schedule

_MOST_NUMBERS = 2**20


def evidence(
    schedule: Schedule,
    theta: FloatArray,
    codes: CodeArray,
    target: int,
    hidden: bool,
    posterior: FloatArray,
    log_evidence: FloatArray,
) -> None:
    """Fill ``log_evidence`` (n_rows,) with log P(observed cells), −inf where it is impossible.

    With ``hidden`` the target's cells are not looked at, and ``posterior`` (n_rows, d_target) is
    filled with P(target | the others), 0 where they are impossible.
    """
    for rows, batch in _batches(schedule, theta, codes, target if hidden else -1, hidden, True):
        log_evidence[rows] = batch.collect()
        if hidden:
            possible = log_evidence[rows, None] > -np.inf
            posterior[rows] = np.where(possible, np.exp(batch.messages[-1]), 0.0)


def expect(
    schedule: Schedule,
    theta: FloatArray,
    codes: CodeArray,
    weights: FloatArray,
    target: int,
    counts: FloatArray,
    log_evidence: FloatArray,
) -> None:
    """Add Σ weight · P(d, f | row) to ``counts``; fill ``log_evidence`` as `evidence` does."""
    for rows, batch in _batches(schedule, theta, codes, target, False, False):
        log_evidence[rows] = batch.collect()
        possible = log_evidence[rows] > -np.inf
        weight = np.where(possible, weights[rows], 0.0)[:, None]
        batch.distribute(weight * np.exp(batch.messages[-1]), weight, counts)


def contrast(
    schedule: Schedule,
    theta: FloatArray,
    codes: CodeArray,
    weights: FloatArray,
    target: int,
    counts: FloatArray,
    log_conditional: FloatArray,
) -> None:
    """Add Σ weight · [P(d, f | c, e) − P(d, f | e)] to ``counts``; fill log P(c | e).

    Rows without the target give 0 and no counts.
    """
    log_conditional[:] = 0.0
    labelled = np.flatnonzero(codes[:, target] >= 0)
    for some, batch in _batches(schedule, theta, codes[labelled], target, True, False):
        rows = labelled[some]
        possible = batch.collect() > -np.inf
        known, labels = batch.messages[-1], codes[rows, target]
        own = np.where(possible, known[np.arange(len(rows)), labels], -np.inf)
        log_conditional[rows] = own
        weight = np.where(own > -np.inf, weights[rows], 0.0)[:, None]
        chosen = labels[:, None] == np.arange(schedule.cards[target])
        batch.distribute(weight * (chosen - np.exp(known)), np.zeros_like(weight), counts)


def information(
    schedule: Schedule,
    theta: FloatArray,
    codes: CodeArray,
    weights: FloatArray,
    target: int,
    matrix: FloatArray,
) -> None:
    """Add Σ weight · Cov(counts | c, e) over c ~ P(c | e) to the lower triangle of ``matrix``."""
    n, step = len(theta), max(1, _MOST_NUMBERS // len(theta))
    for start in range(0, len(codes), step):
        part, weight = codes[start : start + step], weights[start : start + step]
        for rows, batch in _batches(schedule, theta, part, target, True, False):
            possible = batch.collect() > -np.inf
            shares = np.where(possible[:, None], np.exp(batch.messages[-1]), 0.0)
            nothing = np.zeros((len(rows), 1))
            mean = np.zeros((len(rows), n))
            batch.apart = n * np.arange(len(rows))
            for c, share in enumerate(shares.T):
                root = np.zeros_like(shares)
                root[:, c] = share > 0
                counts = np.zeros((len(rows), n))
                batch.distribute(root, nothing, counts.ravel())
                matrix += np.tril(counts.T @ (counts * (weight[rows] * share)[:, None]))
                mean += share[:, None] * counts
            matrix -= np.tril(mean.T @ (mean * weight[rows, None]))


def _batches(
    s: Schedule, theta: FloatArray, codes: CodeArray, target: int, hidden: bool, prune: bool
) -> Iterator[tuple[IntArray, "_Batch"]]:
    """Yield the rows of each pattern of observed nodes, ready to be worked through."""
    observed = codes >= 0
    if hidden:
        observed[:, target] = False
    patterns, which = np.unique(observed, axis=0, return_inverse=True)
    with np.errstate(divide="ignore"):
        logs = np.log(theta)
    for p, pattern in enumerate(patterns):
        rows = np.flatnonzero(which.ravel() == p)
        free, dropped = _free_nodes(s, pattern, target if hidden else -1, prune)
        states = np.where(free | dropped | ~pattern, 0, codes[rows]).astype(np.int64)
        yield rows, _Batch(s, logs, states, free, dropped)


def _free_nodes(
    s: Schedule, pattern: BoolArray, target: int, prune: bool
) -> tuple[BoolArray, BoolArray]:
    """Return which nodes are summed out, and which are barren and have no table at all."""
    dropped = s.pruned.copy()
    if prune:
        for node in s.upwards:
            children = s.children[s.first_child[node] : s.first_child[node + 1]]
            dropped[node] |= not pattern[node] and node != target and bool(dropped[children].all())
    return ~pattern & ~dropped, dropped


def _log_sum(table: FloatArray) -> FloatArray:
    """Return log Σ exp over the last axis, −inf where all are."""
    top = table.max(axis=-1, keepdims=True)
    shifted = np.exp(table - np.where(top > -np.inf, top, 0.0))
    with np.errstate(divide="ignore"):
        total: FloatArray = np.log(shifted.sum(axis=-1)) + top[..., 0]
    return total


@dataclass
class _Batch:
    """Rows that observe the same nodes; ``states`` (n_rows, n) are 0 where a node is free.

    ``apart`` is what lies before each row's counts, where they are not added up.
    """

    s: Schedule
    logs: FloatArray
    states: IntArray
    free: BoolArray
    dropped: BoolArray
    messages: list[FloatArray] = field(default_factory=list)
    shares: list[FloatArray] = field(default_factory=list)
    apart: IntArray | int = 0

    def collect(self) -> FloatArray:
        """Pass messages to the root and keep P(others | separator); return log P, (n_rows,)."""
        total = np.zeros(len(self.states))
        for node in np.flatnonzero(~self.dropped).tolist():
            if not self._is_free(node):
                total += self.logs[self._base(node)]
        for clique in range(len(self.s.separators)):
            outer, inner = self._shape(clique)
            table = np.zeros((len(self.states), outer * inner))
            for source, cells in self._factors(clique):
                table = table + self._read(source, cells)
            sums = _log_sum(table.reshape(-1, outer, inner))
            own = _log_sum(sums)
            finite = np.where(sums > -np.inf, sums, 0.0)
            self.shares.append(np.exp(table - np.repeat(finite, inner, axis=1)))
            self.messages.append(sums - np.where(own > -np.inf, own, 0.0)[:, None])
            total += own
        return total

    def distribute(self, root: FloatArray, weight: FloatArray, counts: FloatArray) -> None:
        """Pass distributions down from the root's (n_rows, cells), and add up every family's."""
        n, last = len(self.s.cards), len(self.s.separators) - 1
        for node in np.flatnonzero(~self.dropped).tolist():
            if not self._is_free(node):
                np.add.at(counts, self._base(node) + self.apart, weight[:, 0])
        downs = {last: root}
        for clique in range(last, -1, -1):
            inner = self._shape(clique)[1]
            table = self.shares[clique] * np.repeat(downs.pop(clique), inner, axis=1)
            downs.update(dict.fromkeys(self._children(clique), weight))
            for source, cells in self._factors(clique):
                if source < n:
                    first = self._base(source) + self.apart
                    np.add.at(counts, first[:, None] + cells, table)
                else:
                    down = np.zeros_like(self.messages[source - n])
                    np.add.at(down.T, cells, table.T)
                    downs[int(source) - n] = down

    def _base(self, node: int) -> IntArray:
        """First address of a node's CPT in every row, (n_rows,)."""
        s = self.s
        own = slice(s.first_member[node], s.first_member[node + 1])
        base: IntArray = s.sources[node] + self.states[:, s.members[own]] @ s.steps[own]
        return base

    def _is_free(self, source: int) -> bool:
        s = self.s
        members = s.members[s.first_member[source] : s.first_member[source + 1]]
        return bool(self.free[members].any())

    def _axes(self, clique: int) -> IntArray:
        return self.s.axes[self.s.first_axis[clique] : self.s.first_axis[clique + 1]]

    def _shape(self, clique: int) -> tuple[int, int]:
        """Cells over the free axes of a clique's separator, and over its others."""
        axes, n_outer = self._axes(clique), self.s.separators[clique]
        widths = np.where(self.free[axes], self.s.cards[axes], 1)
        return int(widths[:n_outer].prod()), int(widths[n_outer:].prod())

    def _children(self, clique: int) -> list[int]:
        s, n = self.s, len(self.s.cards)
        factors = s.factors[s.first_factor[clique] : s.first_factor[clique + 1]]
        return [int(source) - n for source in factors if source >= n]

    def _factors(self, clique: int) -> Iterator[tuple[int, IntArray]]:
        """Yield each source with a free member, and its place for every cell of the clique.

        Places are relative to ``_base`` in a CPT, and columns of a message.
        """
        s, n = self.s, len(self.s.cards)
        first, stop = s.first_factor[clique], s.first_factor[clique + 1]
        for k in range(first, stop):
            source = int(s.factors[k])
            if not self._is_free(source) or (source < n and self.dropped[source]):
                continue
            cells = self._cells(clique, k + clique)
            if source >= n:
                child = source - n
                own = self._cells(child, s.first_factor[child + 1] + child, s.separators[child])
                cells = np.searchsorted(own, cells)
            yield source, cells

    def _cells(self, clique: int, which: int, n_axes: int | None = None) -> IntArray:
        """Addresses, from 0, of a table over the clique's free axes; ``which`` row of strides."""
        s, axes = self.s, self._axes(clique)
        strides = s.strides[s.first_stride[which] : s.first_stride[which + 1]]
        cells = np.zeros(1, dtype=np.int64)
        for node, stride in list(zip(axes, strides, strict=True))[:n_axes]:
            if self.free[node]:
                cells = (cells[:, None] + stride * np.arange(s.cards[node])).ravel()
        return cells

    def _read(self, source: int, cells: IntArray) -> FloatArray:
        """Logarithms of a table for every row and cell."""
        n = len(self.s.cards)
        if source >= n:
            return self.messages[source - n][:, cells]
        read: FloatArray = self.logs[self._base(source)[:, None] + cells]
        return read

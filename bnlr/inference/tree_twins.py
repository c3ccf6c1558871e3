"""NumPy twins of the compiled ``trees``: node by node over all rows, with logarithms throughout.

They lose nothing to underflow.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import CodeArray, FloatArray, IntArray

if TYPE_CHECKING:
    from bnlr.inference.tree_layout import Tree

_MOST_NUMBERS = 2**20


def total_rows(
    rows: CodeArray,
    tree: "Tree",
    tables: FloatArray,  # noqa: ARG001  the compiled one works with probabilities
    logs: FloatArray,
    totals: FloatArray,
) -> None:
    """Fill ``totals`` (n_rows, k), natural log P(c, row)."""
    for part in _parts(len(rows), tree, logs):
        totals[part] = _up(rows[part], tree, logs)[0]


def count_rows(
    rows: CodeArray,
    labels: IntArray,
    weights: FloatArray,
    tree: "Tree",
    tables: FloatArray,  # noqa: ARG001
    logs: FloatArray,
    counts: FloatArray,
    totals: FloatArray,
) -> None:
    """Fill ``totals`` and add each row's weight times P(c, d, f | row) to ``counts``.

    With a label y ≥ 0, weight · [P(c, d, f | y, row) − P(c, d, f | row)].
    """
    for part in _parts(len(rows), tree, logs):
        totals[part], vectors, messages = _up(rows[part], tree, logs)
        share = _class_weights(totals[part], labels[part], weights[part])
        _down(tree, logs, vectors, messages, share, counts)


def normalise(totals: FloatArray, posterior: FloatArray, log_evidence: FloatArray) -> None:
    """Fill P(c | row), zeros where the row is impossible, and the natural log P(row)."""
    log_evidence[:] = np.logaddexp.reduce(totals, axis=1)
    posterior[:] = np.exp(_divided(totals, log_evidence[:, None]))


def share_any(tree: "Tree", tables: FloatArray, counts: FloatArray) -> None:
    """Give the counts of "any" to the node's states, and what its children have of it to theirs."""
    mass = {len(tree.parents) - 1: np.zeros((1, tables.shape[1]))}
    for v in range(len(tree.parents) - 2, -1, -1):
        above, card = tree.parents[v], tree.cards[v]
        own = slice(tree.starts[v], tree.starts[v + 1])
        shape = (card + 1, tree.cards[above], tables.shape[1])
        waiting = counts[own].reshape(shape)[card]
        waiting += mass[above]
        parts = tables[own].reshape(shape)[:card] * waiting
        counts[own].reshape(shape)[:card] += parts
        mass[v] = parts.sum(axis=1)


def _parts(n_rows: int, tree: "Tree", logs: FloatArray) -> Iterator[slice]:
    """Yield slices of so few rows that the largest node's array stays small."""
    largest = int(np.diff(tree.starts).max()) * logs.shape[1]
    length = max(1, _MOST_NUMBERS // max(largest, int(tree.states[-1])))
    for start in range(0, n_rows, length):
        yield slice(start, start + length)


def _table(tree: "Tree", logs: FloatArray, v: int) -> FloatArray:
    """Return node v's cells as (own states, parent's states, k)."""
    shape = (tree.cards[v] + 1, tree.cards[tree.parents[v]], logs.shape[1])
    return logs[tree.starts[v] : tree.starts[v + 1]].reshape(shape)[:-1]


def _up(
    rows: CodeArray, tree: "Tree", logs: FloatArray
) -> tuple[FloatArray, dict[int, FloatArray], dict[int, FloatArray]]:
    """Return log P(c, row), each node's log P(evidence at and below | state), and its messages."""
    k, root = logs.shape[1], len(tree.parents) - 1
    vectors = {v: _own_evidence(rows[:, v], tree.cards[v], k) for v in range(root + 1)}
    messages = {}
    for v in range(root):
        terms = _table(tree, logs, v) + vectors[v][:, :, None]
        messages[v] = np.logaddexp.reduce(terms, axis=1)
        vectors[tree.parents[v]] += messages[v]
    return vectors[root][:, 0], vectors, messages


def _down(
    tree: "Tree",
    logs: FloatArray,
    vectors: dict[int, FloatArray],
    messages: dict[int, FloatArray],
    share: FloatArray,
    counts: FloatArray,
) -> None:
    """Add the class weights ``share`` (n_rows, k) times P(d, f | c, row) to the counts."""
    n_rows, k = share.shape
    beliefs = {len(tree.parents) - 1: np.zeros((n_rows, 1, k))}
    for v in range(len(tree.parents) - 2, -1, -1):
        others = _divided(beliefs[tree.parents[v]], messages[v])
        joint = others[:, None] + _table(tree, logs, v) + vectors[v][:, :, None]
        added = (np.exp(joint) * share[:, None, None]).sum(axis=0).reshape(-1, k)
        counts[tree.starts[v] :][: len(added)] += added
        beliefs[v] = np.logaddexp.reduce(joint, axis=2)


def _own_evidence(column: CodeArray, card: int, k: int) -> FloatArray:
    """Return log P(own cell | state) as (n_rows, card, k): 0, or −inf for what was not seen."""
    agrees = (column[:, None] == np.arange(card)) | (column[:, None] < 0)
    evidence: FloatArray = np.repeat(np.where(agrees, 0.0, -np.inf)[:, :, None], k, axis=2)
    return evidence


def _class_weights(totals: FloatArray, labels: IntArray, weights: FloatArray) -> FloatArray:
    """Return each class's weight in the counts of each row, (n_rows, k)."""
    posterior, log_evidence = np.empty_like(totals), np.empty(len(totals))
    normalise(totals, posterior, log_evidence)
    share: FloatArray = posterior * weights[:, None]
    at = np.flatnonzero(labels >= 0)
    own = (at, labels[at])
    share[at] *= -1.0
    share[own] = 0.0
    share[own] = -share[at].sum(axis=1)
    share[at[totals[own] == -np.inf]] = 0.0
    return share


def _divided(logs: FloatArray, by: FloatArray) -> FloatArray:
    """Return the log of a ratio, −inf for 0 / 0 and for what an impossible class leaves."""
    impossible = by == -np.inf
    ratio: FloatArray = np.where(impossible, -np.inf, logs - np.where(impossible, 0.0, by))
    return ratio

"""What a penalised fit leaves over of the classes, row by row.

The rows are put in the order of a hash of what they hold and equal ones merged, so that neither the
order of rows or columns, nor whether a row is written twice or weighs 2, shows in any bit. In that
order they are dealt out to folds.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

import numpy as np

from bnlr._typing import Arc, CodeArray, FloatArray, IntArray
from bnlr.data.dataset import Dataset
from bnlr.data.folds import bits_of_sum, fold_rows, hash_order, state_hashes
from bnlr.data.missing_states import add_missing_states
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design
from bnlr.learn.shrinkage.strength import centre_of, penalty_path, unit_of
from bnlr.machine import one_blas_thread
from bnlr.search.naive import attributes_of, augmented
from bnlr.search.parents import among_possible_parents

PENALTY = 10.0
"""The strength of the fit's penalty, towards "scaled", and what damps the gains of tables."""

N_FOLDS = 5

MOST_ROWS = 30_000
"""Of more rows than these, by weight, a part is asked that is no larger."""


@dataclass(frozen=True)
class Residuals:
    """What a fit leaves over: each row as often as there are folds that have some of its weight.

    Attributes
    ----------
    codes : integer array of shape (n_attributes + 1, n_rows)
        The folds stand behind the attributes. A missing cell has the code after the states'.
    cards : integer array of shape (n_attributes + 1,)
        Numbers of codes, that of missing cells included.
    n_states : integer array of shape (n_attributes,)
        Numbers of states, without it.
    values : float array of shape (n_rows, 3 · n_classes)
        1[class = c] − p_c, then p_c, then p_c(1 − p_c), times the row's weight in the fold.
    n_classes : int
    """

    codes: CodeArray
    cards: IntArray
    n_states: IntArray
    values: FloatArray
    n_classes: int


@dataclass(frozen=True)
class Rows:
    """The rows that arcs are chosen by: those with a class, or a part of them.

    Attributes
    ----------
    data : Dataset
        The attributes that may be joined to others, by name, and the class behind them. A missing
        cell is the last state.
    n_states : integer array of shape (n_attributes,)
        Numbers of states, without that of missing cells.
    dealt, folds, weights : arrays of shape (n_dealt,)
        Rows, the folds that they are in, and the weights that they have there.
    """

    data: Dataset
    n_states: IntArray
    dealt: IntArray
    folds: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, data: Dataset) -> "Rows":
        """Take the rows of ``data``.

        Raises
        ------
        DataError
            No rows, or fewer than two classes among them.
        """
        data.check_learnable()
        shown = _sampled(_by_name(among_possible_parents(data)))
        names = attributes_of(shown)
        n_states = np.array([shown.cards[name] for name in names], dtype=np.intp)
        return cls(add_missing_states(shown, names), n_states, *_dealt(shown.weights))

    @property
    def names(self) -> list[str]:
        """The attributes, by name."""
        return attributes_of(self.data)

    def residuals(self, arcs: Iterable[Arc] = (), n_threads: int | None = None) -> Residuals:
        """Fit naive Bayes with further arcs; a missing cell is a state of its own in it."""
        data = self.data
        values = _values(data.class_codes, _probabilities(data, arcs, n_threads))
        codes = np.column_stack([data.codes[self.dealt, :-1], self.folds])
        return Residuals(
            np.ascontiguousarray(codes.T),
            np.array([*(data.cards[name] for name in self.names), N_FOLDS], dtype=np.intp),
            self.n_states,
            values[self.dealt] * self.weights[:, None],
            data.cards[data.class_name],
        )


def _values(classes: CodeArray, p: FloatArray) -> FloatArray:
    is_own = classes[:, None] == np.arange(p.shape[1])
    # Not 1 − p, whose rounding would be all that is left of it near separation.
    others = np.where(is_own, 0.0, p).sum(axis=1, keepdims=True)
    return np.concatenate([np.where(is_own, others, -p), p, p * (1.0 - p)], axis=1)


def _dealt(weights: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return rows, the folds that they are in, and their weights in these."""
    folds = list(fold_rows(np.arange(len(weights)), weights, N_FOLDS))
    places = np.repeat(np.arange(len(folds)), [len(rows) for rows, _ in folds])
    rows, shares = (np.concatenate(parts) for parts in zip(*folds, strict=True))
    return rows, places, shares


def _by_name(data: Dataset) -> Dataset:
    """Return the rows with a class and a weight, attributes by name, the class behind them."""
    nodes = [*sorted(attributes_of(data)), data.class_name]
    places = [data.nodes.index(node) for node in nodes]
    rows = np.flatnonzero((data.class_codes >= 0) & (data.weights > 0))
    codes = np.asfortranarray(data.codes[rows][:, places])
    weights = None if data.row_weights is None else _in_rows(data.row_weights[rows])
    return Dataset(codes, {node: data.states[node] for node in nodes}, data.class_name, weights)


def _in_rows(weights: FloatArray) -> FloatArray:
    """Return weights that average 1 at least: those that sum to 1 are shares of the rows."""
    # The last digits of a sum depend on the order of the rows.
    return weights / float(f"{unit_of(weights):.9g}")


def _sampled(data: Dataset) -> Dataset:
    """Return the rows in the order of their hashes, equal ones merged, or a part of them.

    In the part a column may have so few rows a label that it is an identifier.
    """
    order = _hash_order(data)
    n_parts = ceil(float(data.weights.sum()) / MOST_ROWS)
    if n_parts <= 1:
        return _merged(data, order, data.weights[order])
    rows, weights = next(fold_rows(order, data.weights, n_parts))
    held = np.zeros(data.n_rows)
    held[rows] = weights
    order = order[held[order] > 0]
    return among_possible_parents(_merged(data, order, held[order]))


def _hash_order(data: Dataset) -> IntArray:
    names = attributes_of(data)
    bits = bits_of_sum(len(names)) if names else 0
    hashes = np.zeros(data.n_rows)
    for name in names:
        # The last one is that of −1, no label at all.
        hashes += state_hashes(name, (*data.states[name], None), bits)[data.column(name)]
    return hash_order(hashes, data.class_codes, data.class_name, data.states)


def _merged(data: Dataset, order: IntArray, weights: FloatArray) -> Dataset:
    """Return the rows in this order, neighbours that are equal as one."""
    codes = data.codes[order]
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    starts = np.flatnonzero(is_new)
    merged = np.add.reduceat(weights, starts)
    return Dataset(np.asfortranarray(codes[starts]), data.states, data.class_name, merged)


def _probabilities(data: Dataset, arcs: Iterable[Arc], n_threads: int | None) -> FloatArray:
    """P(class | attributes) of each row, (n_rows, n_classes); the family tables are free."""
    layout = TableLayout.of(augmented(data, arcs), data.cards)
    design = Design.of(layout, data, n_threads, merge=False)
    with one_blas_thread():
        centre = centre_of(design, data.states, "scaled")
        tables = next(penalty_path(design, data.states, centre, [PENALTY]))
    p = design.linearise(tables).probabilities
    return np.concatenate([np.maximum(1.0 - p.sum(axis=1, keepdims=True), 0.0), p], axis=1)

"""Discriminative frequency estimates: each row counts as much as the network still errs on it.

J. Su, H. Zhang, C. Ling and S. Matwin, "Discriminative parameter learning for Bayesian networks"
(2008), algorithm 1. All counts start at 0. The rows are taken in order, several times; a row raises
its cell in every family by its loss 1 − P(class | attributes) under the counts of that moment. A
column of counts that are all 0 stands for the uniform distribution, and if every class has
probability 0 the posterior is uniform. A constant loss of 1 gives the frequency estimates.

The losses depend on the families of the class and its children, and on whether another family's
factor is 0, so that no other counts are kept up to date; at the end the CPTs of all nodes are the
frequency estimates of the rows weighted by their summed losses, which is the same.
"""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import prod
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnlr._typing import CodeArray, FloatArray, IntArray
from bnlr.data.dataset import Dataset
from bnlr.design.families import TableLayout
from bnlr.errors import BnlrWarning
from bnlr.inference.cpts import FlatCPTs
from bnlr.learn.frequencies import frequency_network
from bnlr.learn.request import Request
from bnlr.learn.result import FitResult
from bnlr.learn.runs.watch import Watch
from bnlr.machine import backend
from bnlr.network import BayesianNetwork
from bnlr.optimize.base import State
from bnlr.optimize.trace import Row
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    from bnlr.machine import signatures

# Narrow, as they take most of the memory; `FlatCPTs.of` has seen to it that they suffice.
Places = NDArray[np.uint32]
_Looked = tuple[Places, Places]  # cells and columns of rows

_CALLBACK = "Stopped by the callback, as it asked."
# Places of all rows' cells are kept from pass to pass if they take no more than this.
_MOST_KEPT = 2**26


def fit_dfe(request: Request) -> FitResult:
    """Make the passes over the rows with a class and a weight, and collect what came of them."""
    data = request.data
    learner = _Learner(request)
    with Watch(request.settings.verbose, request.settings.callback, "minus summed loss") as watch:
        rows, is_stopped = _passes(learner, request.settings.max_iter, watch)
    weighted = replace(data, row_weights=learner.raised)
    network = frequency_network(request.structure, weighted, request.pseudocount, request.n_threads)
    cll = learner.cll(network)
    return FitResult(
        network=network,
        cll=cll,
        start_cll=-learner.total_weight * float(np.log(learner.n_classes)),
        converged=not is_stopped,
        n_iter=len(rows) - 1,
        message=_CALLBACK if is_stopped else _told(rows, cll),
        learner=request.choice.learner,
        space=request.choice.space,
        solver=request.choice.solver,
        why=request.choice.why,
        report=request.report,
        rows=rows,
    )


def _passes(learner: "_Learner", n_passes: int, watch: Watch) -> tuple[tuple[Row, ...], bool]:
    """The trace of the passes, row 0 the start, and whether the callback stopped them."""
    begin, nan = perf_counter(), float("nan")
    rows = [Row(0, learner.total_weight * (1 - 1 / learner.n_classes), 0, 0, 0, nan, 0.0)]
    for k in range(1, n_passes + 1):
        loss = learner.make_pass()
        rows.append(Row(k, loss, 1, 0, 0, nan, perf_counter() - begin))
        if watch(State(k, loss, learner.raised.copy(), np.empty(0))):
            return tuple(rows), True
    return tuple(rows), False


def _told(rows: tuple[Row, ...], cll: float) -> str:
    n = len(rows) - 1
    first, last = rows[1].value, rows[-1].value
    text = f"Made 1 pass over the rows, with a summed loss of {first:.6g}."
    if n > 1:
        text = f"Made {n} passes over the rows: summed losses {first:.6g} in the first, {last:.6g} "
        text += "in the last."
    if np.isneginf(cll):
        text += " Some rows have a class that the counts hold for impossible; pseudocount=1 mends."
    return text


@dataclass(frozen=True)
class _Places:
    """Where families have their cells, and groups of them the columns that they share.

    ``axes`` are columns of the data; the rest is as in ``dfe_twins``.
    """

    axes: IntArray
    ends: IntArray
    axis_cards: IntArray
    cards: IntArray
    cell_starts: IntArray
    members: IntArray
    column_starts: IntArray

    @classmethod
    def of(
        cls, data: Dataset, scopes: Iterable[tuple[str, ...]], own: tuple[str, ...] | None = None
    ) -> "_Places":
        """Lay out families over the nodes ``scopes``, each family's own node last, by groups.

        ``own`` is the scope of the class's own family, which comes first and is in no group;
        without it each family is a group of its own.
        """
        groups: dict[tuple[object, ...], list[tuple[str, ...]]] = {}
        for scope in scopes:
            key = scope if own is None else (scope[:-1], data.cards[scope[-1]])
            groups.setdefault(key, []).append(scope)
        ordered = [*([] if own is None else [own]), *chain(*groups.values())]
        at = {node: place for place, node in enumerate(data.nodes)}
        shapes = [tuple(data.cards[node] for node in scope) for scope in ordered]
        n_bare = int(own is not None)
        return cls(
            axes=_ints(at[node] for scope in ordered for node in scope),
            ends=_from_zero(map(len, ordered)),
            axis_cards=_ints(card for shape in shapes for card in shape),
            cards=_ints([*[1] * n_bare, *(shape[-1] for shape in shapes[n_bare:])]),
            cell_starts=_from_zero(map(prod, shapes)),
            members=n_bare + _from_zero(map(len, groups.values())),
            column_starts=_from_zero(
                prod(data.cards[node] for node in group[0][:-1]) for group in groups.values()
            ),
        )

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.column_starts) - 1

    @property
    def width(self) -> int:
        """Numbers that are looked up for a row."""
        return len(self.cards) + self.n_groups

    def look_up(self, codes: CodeArray) -> _Looked:
        """Cells (n_rows, n_families) and columns (n_rows, n_groups) of ``codes`` (nodes, rows)."""
        cells = np.empty((codes.shape[1], len(self.cards)), dtype=np.uint32)
        columns = np.empty((codes.shape[1], self.n_groups), dtype=np.uint32)
        arrays = (self.axes, self.ends, self.axis_cards, self.cell_starts, self.members)
        if len(self.cards):
            _kernels().place(codes, *arrays, self.column_starts, cells, columns)
        return cells, columns


class _Tables:
    """Counts, their totals and the totals' inverses, as in ``dfe_twins``, before any row."""

    def __init__(self, places: _Places, n_classes: int, pseudocount: float) -> None:
        columns = int(places.column_starts[-1]), n_classes
        cells = int(places.cell_starts[-1]), n_classes
        group_cards = np.repeat(places.cards[places.members[:-1]], np.diff(places.column_starts))[
            :, None
        ]
        self.totals = np.broadcast_to(float(pseudocount) * group_cards, columns).copy()
        self.is_new = np.full(places.cell_starts[1], pseudocount == 0)
        if pseudocount:
            self.counts = np.full(cells, pseudocount, dtype=np.float64)
            self.inverses = 1.0 / self.totals
        else:
            shares = np.repeat(1.0 / places.cards, np.diff(places.cell_starts))[:, None]
            self.counts = np.broadcast_to(shares, cells).copy()
            self.inverses = np.ones(columns)


class _Learner:
    """Rows with a class and a weight, the counts so far, and each row's summed raises."""

    def __init__(self, request: Request) -> None:
        data, structure = request.data, request.structure
        layout = TableLayout.of(structure, data.cards)
        # Refuses more cells than 31 bits can number, those without the class included.
        FlatCPTs.of(structure, data.cards)
        self.n_classes = layout.n_classes
        self._request = request
        own, *children = (family.scope for family in layout.families)
        self._places = _Places.of(data, children, own)
        self._outside = _Places.of(data, [] if request.pseudocount else _outside(structure))
        self._tables = _Tables(self._places, self.n_classes, request.pseudocount)
        n_cells, n_columns = self._outside.cell_starts[-1], self._outside.column_starts[-1]
        self._seen = np.zeros(n_cells, dtype=np.bool_), np.zeros(n_columns, dtype=np.bool_)
        self._weights, self._classes = data.weights, data.class_codes.astype(np.intp)
        self._rows = np.flatnonzero((self._classes >= 0) & (self._weights > 0))
        self._losses, self.raised = np.zeros(data.n_rows), np.zeros(data.n_rows)
        self._shares = np.ones(data.n_rows)
        self._rng = np.random.default_rng(request.settings.random_state)

    @property
    def total_weight(self) -> float:
        """Summed weights of the rows."""
        return float(self._weights[self._rows].sum())

    def make_pass(self) -> float:
        """Take every row once; return the summed weighted loss."""
        self._run(self._weights, self._request.shuffle)
        raised = self._weights * self._losses
        self.raised += raised
        return float(raised.sum())

    def cll(self, network: BayesianNetwork) -> float:
        """CLL of ``network``, whose CPTs are the counts made probabilities."""
        self._run(np.zeros(len(self._weights)), False)  # nothing is raised
        unsure = np.flatnonzero(self._shares < 0)
        self._shares[unsure] = 1.0
        total = float(self._weights @ np.log(self._shares))
        return total + _cll_of(network, self._request.data.take(unsure)) if len(unsure) else total

    def _run(self, weights: FloatArray, shuffled: bool) -> None:
        places, tables = self._places, self._tables
        shapes = (places.members, places.cell_starts, places.column_starts, places.cards)
        state = (tables.is_new, tables.counts, tables.totals, tables.inverses)
        for rows, inside, outside in self._blocks(shuffled):
            taken = (*inside, *shapes, rows, self._classes, weights, self._losses, self._shares)
            _kernels().learn(*taken, *state, *outside, *self._seen)

    def _blocks(self, shuffled: bool) -> Iterator[tuple[IntArray, _Looked, _Looked]]:
        """Rows in the order to take them, with their cells and columns, inside and outside."""
        step = max(_MOST_KEPT // (self._places.width + self._outside.width), 1)
        if len(self._rows) <= step and not shuffled:
            yield self._rows, *self._kept
            return
        rows = self._rng.permutation(self._rows) if shuffled else self._rows
        for start in range(0, len(rows), step):
            block = rows[start : start + step]
            yield block, *self._look_up(block)

    @cached_property
    def _kept(self) -> tuple[_Looked, _Looked]:
        return self._look_up(self._rows)

    def _look_up(self, rows: IntArray) -> tuple[_Looked, _Looked]:
        codes = self._request.data.codes.T
        is_all = rows is self._rows and rows.size == len(codes.T)
        chosen = codes if is_all else np.take(codes, rows, axis=1)
        return self._places.look_up(chosen), self._outside.look_up(chosen)


def _outside(structure: Structure) -> list[tuple[str, ...]]:
    """Families without the class; a factor of 0 there is one for every class."""
    class_name = structure.class_name
    families = ((*structure.parents(node), node) for node in structure.attributes)
    return [family for family in families if class_name not in family]


def _cll_of(network: BayesianNetwork, data: Dataset) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BnlrWarning)  # of impossible rows, numbered as in a part
        return network.conditional_log_likelihood(data)


def _ints(numbers: Iterable[int]) -> IntArray:
    return np.array(list(numbers), dtype=np.intp)


def _from_zero(lengths: Iterable[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(_ints(lengths))]).astype(np.intp)


def _kernels() -> "signatures.Dfe":
    found: signatures.Dfe = backend("dfe", "learn.dfe.twins")
    return found

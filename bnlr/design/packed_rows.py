"""The packed rows of one data set under one layout, and everything asked of them.

Only two operations touch the rows, gather (table entries summed per row) and scatter (row values
summed per cell); between them stands one log-softmax. Rows are worked through in chunks whose
bounds and whose order of summation are fixed by the data, so results do not depend on threads.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np

from bnlr._typing import CodeArray, FloatArray, IntArray
from bnlr.data.compress import merge_rows
from bnlr.data.dataset import Dataset
from bnlr.data.narrow import smallest_unsigned
from bnlr.design.families import TableLayout
from bnlr.design.pack import Packing, encode, kernels, pack
from bnlr.errors import DataError, MissingCellsError
from bnlr.machine import in_row_chunks, n_workers

_Value = TypeVar("_Value")
_ONES = np.empty(0)
_AT_A_TIME = 16  # sums a pair of cells, for a few hundred cells, stay in the second-level cache


@dataclass(frozen=True)
class Design:
    """Packed rows: ``codes`` (n_groups, n_rows), ``classes`` (n_rows,), ``row_weights``.

    ``row_weights`` is (n_rows,), or empty where every row weighs 1, which saves 8 bytes a row.
    Rows whose class is missing are left out; identical rows are merged where that pays. All
    tables, and gradients in them, are stacked as ``layout`` says and given as differences from
    the first class, (n_cells, n_classes − 1), all that P(class | attributes) needs; CLLs are
    weighted sums over rows in natural log.
    """

    layout: TableLayout
    packing: Packing
    codes: CodeArray
    classes: CodeArray
    row_weights: FloatArray
    n_threads: int = 1

    at_hand: ClassVar[bool] = True

    @classmethod
    def of(
        cls, layout: TableLayout, data: Dataset, n_threads: int | None = None, merge: bool = True
    ) -> "Design":
        """Pack the rows of ``data`` that have a class.

        Raises
        ------
        MissingCellsError
            A row lacks a value of an attribute that the tables look at.
        DataError
            No row has a class.
        """
        workers = n_workers(n_threads)
        rows = usable_rows(data)
        if not rows.n_rows:
            raise DataError(
                f"no row has a value of the class {data.class_name!r} and a weight above 0"
            )
        refuse_missing(rows, layout.attributes)
        return cls.packed(pack(layout, rows.n_rows), rows, workers, merge)

    @classmethod
    def packed(cls, packing: Packing, rows: Dataset, workers: int, merge: bool) -> "Design":
        """Pack ``rows``, all of which are usable; there may be none."""
        layout, codes = packing.layout, encode(packing, rows, workers)
        classes: CodeArray = rows.class_codes.astype(smallest_unsigned(layout.n_classes))
        weights = _ONES if rows.row_weights is None else rows.row_weights
        merged = merge_rows([*codes, classes], rows.row_weights) if merge else None
        if merged is not None:
            codes = codes.take(merged.first, axis=1)
            classes, weights = classes[merged.first], merged.weights
        return cls(layout, packing, codes, classes, weights, workers)

    @property
    def n_rows(self) -> int:
        """Packed rows, after merging."""
        return int(self.codes.shape[1])

    @cached_property
    def total_weight(self) -> float:
        """Sum of the rows' weights."""
        return float(self.row_weights.sum()) if self.row_weights.size else float(self.n_rows)

    @property
    def weight_range(self) -> tuple[float, float]:
        """The least and the largest weight of a row."""
        if not self.row_weights.size:
            return 1.0, 1.0
        return float(self.row_weights.min()), float(self.row_weights.max())

    def class_weights(self) -> FloatArray:
        """Weight of each class, (n_classes,)."""
        return np.bincount(self.classes, self.weights, self.layout.n_classes).astype(np.float64)

    def co_occurrences(self) -> FloatArray:
        """Σ z·zᵀ of the packed rows' cell indicators z, (n_cells, n_cells)."""
        return self.cross_products(np.ones(self.n_rows))

    @property
    def weights(self) -> FloatArray:
        """Weights of the rows, (n_rows,)."""
        return self.row_weights if self.row_weights.size else np.ones(self.n_rows)

    def distinct(self, most: int) -> "Design | None":  # noqa: ARG002  of rows elsewhere
        """Rows at hand: these."""
        return self

    @property
    def n_codes(self) -> int:
        """Codes of all packed rows."""
        return int(self.codes.size)

    @property
    def n_lookups(self) -> int:
        """Table entries that one Hessian product looks up: what its cost follows."""
        return self.n_codes * (self.layout.n_classes - 1)

    def cll(self, tables: FloatArray) -> float:
        """Conditional log-likelihood of ``tables``."""
        scores = self.scores(tables)
        return self._line(scores, scores, 0.0)[0]

    def linearise(self, tables: FloatArray) -> "Linearisation":
        """CLL, gradient and curvature at ``tables``, one pass over the rows."""
        table = self.packing.expand(tables)
        probabilities = np.empty((self.n_rows, table.shape[1]))
        rows = (self.packing.offsets, self.codes, self.classes, self.row_weights)

        def part(start: int, stop: int) -> tuple[float, FloatArray]:
            gradient = np.zeros_like(table)
            cll = kernels().linearise(table, *rows, start, stop, probabilities, gradient)
            return cll, gradient

        clls: list[float] = []

        def tables_of(parts: Iterator[tuple[float, FloatArray]]) -> Iterator[FloatArray]:
            for cll, sums in parts:
                clls.append(cll)
                yield sums

        gradient = self._pull(tables_of(self._map(part)))
        return Linearisation(self, sum(clls), gradient, probabilities)

    def along(
        self, tables: FloatArray, direction: FloatArray
    ) -> Callable[[float], tuple[float, float]]:
        """CLL and its derivative at ``tables + s·direction`` as a function of s.

        The scores of both are kept, so each evaluation costs a log-softmax and no table pass.
        """
        return partial(self._line, self.scores(tables), self.scores(direction))

    def counts(self) -> FloatArray:
        """Weighted number of rows in each family cell by class, (n_cells, n_classes)."""

        def part(start: int, stop: int) -> FloatArray:
            table = np.zeros((self.packing.n_cells, self.layout.n_classes))
            rows = (self.packing.offsets, self.codes, self.classes, self.row_weights)
            kernels().count(*rows, start, stop, table)
            return table

        return self._pull(self._map(part))

    def cross_products(self, values: FloatArray, rows: IntArray | None = None) -> FloatArray:
        """Σ v·z·zᵀ of the rows' cell indicators z, (n_cells, n_cells), ``values`` one a row.

        Of all packed rows, or of ``rows``; their weights are the values' business.
        """
        rows = np.arange(self.n_rows) if rows is None else rows
        packing, n_cells = self.packing, self.layout.n_cells
        half = np.zeros((n_cells, n_cells))
        where = (packing.offsets, self.codes, packing.ends, packing.cells)
        kernels().cross(rows, values, *where, len(self.layout.families), half)
        whole: FloatArray = half + half.T
        whole[np.diag_indices(n_cells)] *= 0.5
        return whole

    def _crosses(self, values: FloatArray, rows: IntArray) -> FloatArray:
        """``cross_products`` of several values a row (n, k), (k, n_cells, n_cells)."""
        packing, n_cells = self.packing, self.layout.n_cells
        half = np.zeros((n_cells, n_cells, values.shape[1]))
        where = (packing.offsets, self.codes, packing.ends, packing.cells)
        values = np.ascontiguousarray(values)
        kernels().cross_by_class(rows, values, *where, len(self.layout.families), half)
        whole: FloatArray = np.ascontiguousarray(
            (half + half.transpose(1, 0, 2)).transpose(2, 0, 1)
        )
        own = np.arange(n_cells)
        whole[:, own, own] *= 0.5
        return whole

    def scores(self, tables: FloatArray) -> FloatArray:
        """Log-odds of the rows' classes to the first, (n_rows, n_classes − 1), by ``tables``."""
        return _gathered(self.packing, self.codes, tables, self.n_threads)

    def _line(self, scores: FloatArray, steps: FloatArray, s: float) -> tuple[float, float]:
        rows = (scores, steps, self.classes, self.row_weights, float(s))
        parts = list(self._map(lambda start, stop: kernels().line(*rows, start, stop)))
        return sum(v for v, _ in parts), sum(d for _, d in parts)

    def _pull(self, parts: Iterable[FloatArray]) -> FloatArray:
        """Sum group tables as they come and collapse the sum to the family tables."""
        parts = iter(parts)
        total = next(parts)
        for part in parts:
            total += part
        return self.packing.collapse(total)

    def _map(self, function: Callable[[int, int], _Value]) -> Iterator[_Value]:
        return in_row_chunks(function, self.n_rows, self.n_threads)


class ClassLinks(NamedTuple):
    """Σ w·p_h·p_c over the rows, (n_classes,), h the class ``hub`` that is the most likely."""

    hub: int
    weights: FloatArray


@dataclass(frozen=True)
class Linearisation:
    """The CLL around one point: value, ``gradient``, and the curvature of −CLL.

    ``probabilities`` are P(class | attributes) of the rows, the first class left out.
    """

    design: Design
    cll: float
    gradient: FloatArray
    probabilities: FloatArray

    def hessian_product(self, direction: FloatArray) -> FloatArray:
        """Hessian of −CLL in the tables times ``direction``."""
        design = self.design
        table = design.packing.expand(direction)
        rows = (design.packing.offsets, design.codes, self.probabilities, design.row_weights)

        def part(start: int, stop: int) -> FloatArray:
            product = np.zeros_like(table)
            kernels().curvature(table, *rows, start, stop, product)
            return product

        return design._pull(design._map(part))

    def hessian_diagonal(self) -> FloatArray:
        """Diagonal of the Hessian of −CLL in full tables, (n_cells, n_classes)."""
        design = self.design

        def part(start: int, stop: int) -> FloatArray:
            table = np.zeros((design.packing.n_cells, design.layout.n_classes))
            rows = (design.packing.offsets, design.codes, design.row_weights)
            kernels().spread(self.probabilities, *rows, start, stop, table)
            return table

        return design._pull(design._map(part))

    @cached_property
    def class_links(self) -> ClassLinks:
        """The curvature between the class prior of one class and the others'."""
        rows = self.design.weights, self._first, self.probabilities
        hub = int(_class_sums(*rows).argmax())
        return ClassLinks(hub, _links(hub, *rows))

    def class_shares(self) -> FloatArray:
        """Σ w·p_c of each class, (n_classes,)."""
        return _class_sums(self.design.weights, self._first, self.probabilities)

    def links_of(self, hub: int) -> FloatArray:
        """Σ w·p_h·p_c of each class c, (n_classes,), h being ``hub``."""
        return _links(hub, self.design.weights, self._first, self.probabilities)

    @property
    def _first(self) -> FloatArray:
        first: FloatArray = np.maximum(1.0 - self.probabilities.sum(axis=1), 0.0)
        return first

    def least_own(self) -> float:
        """The least probability of any row's own class."""
        p, classes = self.probabilities, self.design.classes
        own = np.where(
            classes > 0,
            p[np.arange(len(p)), classes.astype(np.intp) - 1],
            1.0 - p.sum(axis=1),
        )
        return float(own.min())

    def shared_curvature(self, one: int, other: int) -> FloatArray:
        """Σ w·p_c·(δ_ce − p_e)·z·zᵀ of two classes but the first, (n_cells, n_cells)."""
        p = self.probabilities
        shares = p[:, one] * (float(one == other) - p[:, other])
        return self.design.cross_products(self.design.weights * shares)

    def cross_curvature(self, most_rows: int) -> FloatArray:
        """Σ w·h·z·zᵀ of the rows' cell indicators z, (n_cells, n_cells).

        h = Σ_c p_c(1 − p_c) / (n_classes − 1), one class's curvature if the classes were alike.
        From ``most_rows`` evenly drawn rows where there are more, scaled up to all.
        """
        design = self.design
        rows = drawn_rows(design.n_rows, most_rows)
        p = self.probabilities[rows]
        first = np.maximum(1.0 - p.sum(axis=1), 0.0)
        values = (p * (1.0 - p)).sum(axis=1) + first * (1.0 - first)
        if design.row_weights.size:
            values *= design.row_weights[rows]
        values *= design.n_rows / (max(len(rows), 1) * (design.layout.n_classes - 1))
        return design.cross_products(values, rows)

    def class_curvatures(self, most_rows: int, classes: slice = slice(None)) -> FloatArray:
        """Σ w·p_c(1 − p_c)·z·zᵀ of the rows' cell indicators z, (n_classes, n_cells, n_cells).

        Of all ``classes``, or of a run of them. Rows are drawn as for ``cross_curvature``.
        """
        design = self.design
        rows = drawn_rows(design.n_rows, most_rows)
        start, stop, _ = classes.indices(design.layout.n_classes)
        others = self.probabilities[rows]
        p = others[:, max(start - 1, 0) : stop - 1]
        if start == 0:
            p = np.column_stack([np.maximum(1.0 - others.sum(axis=1), 0.0), p])
        values = p * (1.0 - p) * (design.n_rows / max(len(rows), 1))
        if design.row_weights.size:
            values *= design.row_weights[rows, None]
        return design._crosses(values, rows)

    def joint_curvature(self, most_rows: int | None = None) -> FloatArray:
        """Hessian of −CLL in the tables, (n_cells · (n_classes − 1),) squared.

        Of all rows, or of a sample drawn as for ``cross_curvature``.
        """
        design = self.design
        every = drawn_rows(design.n_rows, design.n_rows if most_rows is None else most_rows)
        p = self.probabilities[every]
        n_cells, width = design.layout.n_cells, p.shape[1]
        masses = p * (design.n_rows / max(len(every), 1))
        if design.row_weights.size:
            masses *= design.row_weights[every, None]
        whole = np.empty((n_cells, width, n_cells, width))
        for start in range(0, width, _AT_A_TIME):
            tile = slice(start, start + _AT_A_TIME)
            own = design._crosses(masses[:, tile] * (1.0 - p[:, tile]), every)
            highest = p[:, tile].max(axis=1)
            for c in range(min(start + _AT_A_TIME, width)):
                first = max(start, c + 1)
                if c >= start:
                    whole[:, c, :, c] = own[c - start]
                rows = np.flatnonzero((p[:, c] > 0) & (highest > 0))  # what is impossible has none
                pairs = -masses[rows, c, None] * p[rows, first : tile.stop]
                for d, cross in enumerate(design._crosses(pairs, every[rows]), start=first):
                    whole[:, c, :, d] = whole[:, d, :, c] = cross
        return whole.reshape(n_cells * width, n_cells * width)

    def corrected(self, step: FloatArray) -> "Linearisation":
        """Posteriors q moved to q·(1 + s − E_q s), s the scores of the tables ``step``, q ≥ 0.

        The gradient of the result is that of its posteriors; its ``cll`` is this one's.
        """
        design = self.design
        table = design.packing.expand(step)
        moved = np.empty_like(self.probabilities)
        rows = (design.packing.offsets, design.codes, design.classes, design.row_weights)

        def part(start: int, stop: int) -> FloatArray:
            gradient = np.zeros_like(table)
            kernels().correct(table, *rows, start, stop, self.probabilities, moved, gradient)
            return gradient

        gradient = design._pull(design._map(part))
        return Linearisation(design, self.cll, gradient, moved)

    def entropy(self) -> tuple[float, float]:
        """Σ w·H(posteriors), natural log, and the least w·q of any row and class."""
        rows = (self.probabilities, self.design.row_weights)
        parts = list(self.design._map(lambda start, stop: kernels().entropy(*rows, start, stop)))
        return sum(total for total, _ in parts), min(least for _, least in parts)


def packed_rows(layout: TableLayout, data: Dataset, workers: int = 1) -> tuple[Packing, CodeArray]:
    """Packing for ``data`` and the rows' codes; the class may be missing, the attributes not."""
    refuse_missing(data, layout.attributes)
    packing = pack(layout, data.n_rows)
    return packing, encode(packing, data, workers)


def row_scores(layout: TableLayout, data: Dataset, tables: FloatArray) -> FloatArray:
    """Σ_k T_k[cell_k(x), c] for every row of ``data``, (n_rows, n_classes); −inf is allowed."""
    packing, codes = packed_rows(layout, data)
    return _gathered(packing, codes, tables, 1)


def _gathered(packing: Packing, codes: CodeArray, tables: FloatArray, n_threads: int) -> FloatArray:
    """Sum each row's entries of ``tables`` (n_cells, width): (n_rows, width)."""
    table = packing.expand(np.ascontiguousarray(tables))
    scores = np.empty((codes.shape[1], table.shape[1]))
    done = in_row_chunks(
        lambda start, stop: kernels().gather(
            table, packing.offsets, codes, start, stop, scores[start:stop]
        ),
        len(scores),
        n_threads,
    )
    deque(done, maxlen=0)
    return scores


def refuse_missing(data: Dataset, nodes: Iterable[str]) -> None:
    """Raise MissingCellsError if a cell of ``nodes`` is missing."""
    holes = {node: data.missing_counts[node] for node in nodes if node in data.missing_counts}
    if holes:
        node, count = next(iter(holes.items()))
        more = f" (and {len(holes) - 1} more columns)" if len(holes) > 1 else ""
        raise MissingCellsError(
            f"column {node!r} has {count} missing cells{more}, where complete rows are "
            "needed. Drop those rows, or make the hole a state of its own: frame.fillna('missing')"
        )


def _class_sums(weights: FloatArray, first: FloatArray, others: FloatArray) -> FloatArray:
    return np.concatenate([[first @ weights], weights @ others])


def _links(hub: int, weights: FloatArray, first: FloatArray, others: FloatArray) -> FloatArray:
    mine = weights * (first if hub == 0 else others[:, hub - 1])
    return _class_sums(mine, first, others)


def usable_rows(data: Dataset) -> Dataset:
    """Rows with a class and a weight; the data themselves, uncopied, if all have."""
    no_class = data.missing_counts.get(data.class_name, 0) > 0
    if data.n_rows and not no_class and (data.row_weights is None or data.row_weights.all()):
        return data
    usable = data.class_codes >= 0
    if data.row_weights is not None:
        usable &= data.row_weights > 0
    return data.take(np.flatnonzero(usable))


def drawn_rows(n_rows: int, most: int) -> IntArray:
    """All rows, or one at random from each of ``most`` equal runs of rows."""
    if n_rows <= most:
        return np.arange(n_rows)
    places = (np.arange(most) + np.random.default_rng(0).random(most)) * (n_rows / most)
    return np.minimum(places.astype(np.intp), n_rows - 1)

"""The packed rows of one data set under one layout, and everything asked of them.

Only two operations touch the rows, gather (table entries summed per row) and scatter (row values
summed per cell); between them stands one log-softmax. Rows are worked through in chunks whose
bounds and whose order of summation are fixed by the data, so results do not depend on threads.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

import numpy as np

from bnlr._typing import CodeArray, FloatArray
from bnlr.data.compress import merge_rows
from bnlr.data.dataset import Dataset
from bnlr.design.families import TableLayout
from bnlr.design.pack import Packing, absolute, encode, pack, relative
from bnlr.errors import DataError, MissingCellsError

_CHUNK = 2**16
_Value = TypeVar("_Value")


@cache
def kernels() -> Any:
    """Compiled kernels, loaded on first use; their NumPy twins where numba is not to be had.

    ``BNLR_KERNELS=numpy`` in the environment chooses the twins.
    """
    wanted = os.environ.get("BNLR_KERNELS", "numba")
    compiled = wanted != "numpy" and find_spec("numba") is not None
    return import_module("bnlr.design.kernels" if compiled else "bnlr.design.twins")


@dataclass(frozen=True)
class Design:
    """Packed rows: ``codes`` (n_groups, n_rows), ``classes`` (n_rows,), ``weights`` (n_rows,).

    Rows whose class is missing are left out; identical rows are merged where that pays. All
    tables are stacked tables of ``layout``, (n_cells, n_classes); CLLs are weighted sums over
    rows in natural log.
    """

    layout: TableLayout
    packing: Packing
    codes: CodeArray
    classes: CodeArray
    weights: FloatArray
    n_threads: int = 1

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
        labelled = np.flatnonzero((data.class_codes >= 0) & (data.weights > 0))
        if len(labelled) == 0:
            raise DataError(
                f"no row has a value of the class {data.class_name!r} and a weight above 0"
            )
        rows = data if len(labelled) == data.n_rows else data.take(labelled)
        packing, codes = packed_rows(layout, rows)
        classes, weights = rows.class_codes.astype(np.uint16), rows.weights
        merged = merge_rows([*codes, classes], weights) if merge else None
        if merged is not None:
            codes = np.ascontiguousarray(codes[:, merged.first])
            classes, weights = classes[merged.first], merged.weights
        return cls(layout, packing, codes, classes, weights, n_threads or _n_cpus())

    @property
    def n_rows(self) -> int:
        """Packed rows, after merging."""
        return int(self.codes.shape[1])

    def cll(self, tables: FloatArray) -> float:
        """Conditional log-likelihood of ``tables``."""
        scores = self._scores(relative(tables))
        return self._line(scores, scores, 0.0)[0]

    def linearise(self, tables: FloatArray) -> "Linearisation":
        """CLL, gradient and curvature at ``tables``, one pass over the rows."""
        table = self.packing.expand @ relative(tables)
        probabilities = np.empty((self.n_rows, table.shape[1]))
        rows = (self.packing.offsets, self.codes, self.classes, self.weights)

        def part(start: int, stop: int) -> tuple[float, FloatArray]:
            gradient = np.zeros_like(table)
            cll = kernels().linearise(table, *rows, start, stop, probabilities, gradient)
            return cll, gradient

        parts = self._map(part)
        gradient = self._pull([g for _, g in parts])
        return Linearisation(self, sum(c for c, _ in parts), gradient, probabilities)

    def along(
        self, tables: FloatArray, direction: FloatArray
    ) -> Callable[[float], tuple[float, float]]:
        """CLL and its derivative at ``tables + s·direction`` as a function of s.

        The scores of both are kept, so each evaluation costs a log-softmax and no table pass.
        """
        scores, steps = self._scores(relative(tables)), self._scores(relative(direction))
        return lambda s: self._line(scores, steps, s)

    def counts(self) -> FloatArray:
        """Weighted number of rows in each family cell by class, (n_cells, n_classes)."""
        hot = np.zeros((self.n_rows, self.layout.n_classes))
        hot[np.arange(self.n_rows), self.classes] = self.weights
        return self.sums(hot)

    def sums(self, values: FloatArray) -> FloatArray:
        """Row values (n_rows, width) summed into the family cells, (n_cells, width)."""

        def part(start: int, stop: int) -> FloatArray:
            table = np.zeros((self.packing.n_cells, values.shape[1]))
            kernels().scatter(
                values[start:stop], self.packing.offsets, self.codes, start, stop, table
            )
            return table

        return self._pull(self._map(part))

    def scores(self, tables: FloatArray) -> FloatArray:
        """Σ_k T_k[cell_k(x), c] for every packed row, (n_rows, n_classes)."""
        return self._scores(tables)

    def _scores(self, tables: FloatArray) -> FloatArray:
        return gather(self.packing, self.codes, tables, self._map)

    def _line(self, scores: FloatArray, steps: FloatArray, s: float) -> tuple[float, float]:
        parts = self._map(
            lambda start, stop: kernels().line(
                scores, steps, self.classes, self.weights, float(s), start, stop
            )
        )
        return sum(v for v, _ in parts), sum(d for _, d in parts)

    def _pull(self, parts: list[FloatArray]) -> FloatArray:
        total = parts[0]
        for part in parts[1:]:
            total += part
        result: FloatArray = self.packing.collapse @ total
        return result

    def _map(self, function: Callable[[int, int], _Value]) -> list[_Value]:
        return _in_chunks(function, self.n_rows, self.n_threads)


@dataclass(frozen=True)
class Linearisation:
    """The CLL around one point: value, gradient (n_cells, n_classes), and the curvature of −CLL."""

    design: Design
    cll: float
    relative_gradient: FloatArray
    probabilities: FloatArray

    @property
    def gradient(self) -> FloatArray:
        """Gradient of the CLL in the tables, (n_cells, n_classes)."""
        return absolute(self.relative_gradient)

    def hessian_product(self, direction: FloatArray) -> FloatArray:
        """Hessian of −CLL in the tables times ``direction``, (n_cells, n_classes)."""
        design = self.design
        table = design.packing.expand @ relative(direction)
        rows = (design.packing.offsets, design.codes, self.probabilities, design.weights)

        def part(start: int, stop: int) -> FloatArray:
            product = np.zeros_like(table)
            kernels().curvature(table, *rows, start, stop, product)
            return product

        return absolute(design._pull(design._map(part)))

    @property
    def posteriors(self) -> FloatArray:
        """P(c | x) of all classes, (n_rows, n_classes)."""
        first = np.maximum(1.0 - self.probabilities.sum(axis=1, keepdims=True), 0.0)
        return np.concatenate([first, self.probabilities], axis=1)

    def hessian_diagonal(self) -> FloatArray:
        """Diagonal of the Hessian of −CLL in the tables, (n_cells, n_classes)."""
        p = self.posteriors
        return self.design.sums(self.design.weights[:, None] * p * (1.0 - p))


def packed_rows(layout: TableLayout, data: Dataset) -> tuple[Packing, CodeArray]:
    """Packing for ``data`` and the rows' codes; the class may be missing, the attributes not."""
    refuse_missing(data, layout.attributes)
    packing = pack(layout, data.n_rows)
    return packing, encode(packing, data)


def row_scores(layout: TableLayout, data: Dataset, tables: FloatArray) -> FloatArray:
    """Σ_k T_k[cell_k(x), c] for every row of ``data``, (n_rows, n_classes); −inf is allowed."""
    packing, codes = packed_rows(layout, data)
    return gather(packing, codes, tables, lambda f: _in_chunks(f, data.n_rows, 1))


def gather(
    packing: Packing,
    codes: CodeArray,
    tables: FloatArray,
    in_chunks: Callable[[Callable[[int, int], None]], object],
) -> FloatArray:
    """Sum each row's entries of ``tables`` (n_cells, width): (n_rows, width)."""
    table = np.ascontiguousarray(packing.expand @ tables)
    scores = np.empty((codes.shape[1], table.shape[1]))
    in_chunks(
        lambda start, stop: kernels().gather(
            table, packing.offsets, codes, start, stop, scores[start:stop]
        )
    )
    return scores


def refuse_missing(data: Dataset, nodes: Iterable[str]) -> None:
    """Raise MissingCellsError if a cell of ``nodes`` is missing."""
    holes = {node: int((data.column(node) < 0).sum()) for node in nodes}
    holes = {node: count for node, count in holes.items() if count}
    if holes:
        node, count = next(iter(holes.items()))
        more = f" (and {len(holes) - 1} more columns)" if len(holes) > 1 else ""
        raise MissingCellsError(
            f"column {node!r} has {count} missing cells{more}: this version needs complete rows. "
            "Drop those rows, or make the hole a state of its own: frame.fillna('missing')"
        )


def _in_chunks(function: Callable[[int, int], _Value], n_rows: int, n_threads: int) -> list[_Value]:
    starts = range(0, max(n_rows, 1), _CHUNK)
    bounds = [(start, min(start + _CHUNK, n_rows)) for start in starts]
    if len(bounds) == 1 or n_threads == 1:
        return [function(*bound) for bound in bounds]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(lambda bound: function(*bound), bounds))


def _n_cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

"""Weighted contingency tables of many families from a data set's codes: the home of all counts.

A family of few cells is counted by bit masks: one mask of the rows for each state, the joint states
by AND, the counts by population count, 64 rows a word. A cell costs about 1/850 of a
nanosecond a row where AVX-512 counts words in vectors, 1/400 with AVX2 and 1/220 without; a table
entry looked up and raised by one costs 0.8, 0.8 and 1.1 whatever the number of cells. So tables of
at most ``_MASKED_CELLS`` cells go by masks and larger ones by rows, as do weighted rows.

Counts of rows are exact. Sums of weights are added up in an order that the rows alone fix. Neither
depends on the number of threads.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bnlr._typing import BoolArray, CodeArray, FloatArray, IntArray
from bnlr.data.dataset import Dataset
from bnlr.design.families import refuse_too_large
from bnlr.errors import DataError, ParameterError, TooLargeError
from bnlr.machine import backend, in_order, n_workers, refuse_many_axes
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    from bnlr.machine import signatures

_MASKED_CELLS = 256
# Larger tables take no lanes: four of them would leave the second-level cache.
_LANED_CELLS = 2**13
_ALIGNED_ROWS = 2**13
# With no more rows than these a call for each family costs more than its counting.
_FEW_ROWS = 2**12
# Nanoseconds on one core, and how much work pays for starting threads.
_MASKED_NS, _ROW_NS, _LISTED_NS = 1e-3, 0.7, 2.5
# No table of so many bits of cells is too large.
_SURELY_SMALL_BITS = 24
_MOST_CELLS = 2.0**62
_WORTH_THREADS_NS = 4e6


class _Ways(NamedTuple):
    """Which families are counted by masks, whether all are, and nanoseconds a row on one core."""

    masked: BoolArray
    all_masked: bool
    row_ns: float

    @classmethod
    def of(cls, n_cells: IntArray, most: int) -> "_Ways":
        masked = n_cells <= most
        row_ns = _MASKED_NS * n_cells[masked].sum() + _ROW_NS * (~masked).sum()
        return cls(masked, bool(masked.all()), float(row_ns))


@dataclass(frozen=True)
class Families:
    """Families as arrays: family f has the axes ``axes[ends[f]:ends[f + 1]]``, columns of the data.

    ``cards`` are the axes' numbers of states; the cells of family f, C order, stand in a flat
    array of counts from ``starts[f]`` to ``starts[f + 1]``.
    """

    axes: IntArray
    ends: IntArray
    cards: IntArray
    starts: IntArray

    @classmethod
    def of(cls, data: Dataset, families: Iterable[Sequence[str]]) -> "Families":
        """Look the families up in ``data``; errors as `family_counts`."""
        listed = [tuple(family) for family in families]
        places = {node: place for place, node in enumerate(data.nodes)}
        for family in listed:
            _check(data, places, family)
        axes = [places[node] for family in listed for node in family]
        cards = np.array(list(data.cards.values()), dtype=np.intp)
        return cls.at(cards, np.array(axes, dtype=np.intp), [len(family) for family in listed])

    @classmethod
    def of_structure(cls, structure: Structure, data: Dataset) -> "Families":
        """Every node with its parents, in node order: the shapes of the CPTs; errors as `of`."""
        found = _of_structure(structure, data.nodes, tuple(data.cards.values()))
        return cls.of(data, _with_parents(structure)) if found is None else found

    @classmethod
    def at(cls, cards: IntArray, axes: IntArray, lengths: Sequence[int] | IntArray) -> "Families":
        """Put together from places in the data's ``cards``; ``lengths`` are numbers of axes.

        Raises
        ------
        TooLargeError
            More cells than 64 bits can number.
        """
        ends = _from_zero(np.asarray(lengths, dtype=np.intp))
        own = cards[axes]
        n_cells = np.multiply.reduceat(own, ends[:-1]) if len(axes) else own
        _refuse_beyond_integers(own, ends)
        return cls(axes, ends, own, _from_zero(n_cells))

    @cached_property
    def n_cells(self) -> IntArray:
        """Number of cells of each family."""
        sizes: IntArray = np.diff(self.starts)
        return sizes

    @cached_property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shape of each family's table."""
        cards, ends = self.cards.tolist(), self.ends.tolist()
        return tuple(tuple(cards[a:b]) for a, b in pairwise(ends))

    @cached_property
    def distributions(self) -> tuple[IntArray, IntArray]:
        """Lengths and first cells of P(last axis | others): one for each state of the others."""
        cards = self.cards[self.ends[1:] - 1]
        lengths = np.repeat(cards, self.n_cells // cards)
        return lengths, np.cumsum(lengths) - lengths

    @cached_property
    def _unweighted(self) -> _Ways:
        return _Ways.of(self.n_cells, _MASKED_CELLS)

    @cached_property
    def _weighted(self) -> _Ways:
        return _Ways.of(self.n_cells, 0)

    def __len__(self) -> int:
        return len(self.ends) - 1

    def chosen(self, which: BoolArray) -> "Families":
        """Return some of the families, with cells of their own from 0 on."""
        lengths = np.diff(self.ends)
        kept = np.repeat(which, lengths)
        ends, starts = _from_zero(lengths[which]), _from_zero(self.n_cells[which])
        return Families(self.axes[kept], ends, self.cards[kept], starts)


def _with_parents(structure: Structure) -> list[tuple[str, ...]]:
    return [(*structure.parents(node), node) for node in structure.nodes]


@lru_cache(maxsize=8)  # as often as a structure is fitted
def _of_structure(
    structure: Structure, nodes: tuple[str, ...], sizes: tuple[int, ...]
) -> Families | None:
    """`Families.of_structure`; None where `Families.of` has to look closer."""
    families = _with_parents(structure)
    for family in families:
        refuse_many_axes(f"node {family[-1]!r}", len(family))
    places = {node: place for place, node in enumerate(nodes)}
    if not all(node in places for node in structure.nodes):
        return None
    axes = np.array([places[node] for family in families for node in family], dtype=np.intp)
    cards = np.array(sizes, dtype=np.intp)
    lengths = [len(family) for family in families]
    if max(lengths) * np.log2(cards.max()) > _SURELY_SMALL_BITS:
        return None
    return Families.at(cards, axes, lengths)


def family_counts(
    data: Dataset, families: Iterable[Sequence[str]], n_threads: int | None = None
) -> list[FloatArray]:
    """Weighted contingency tables of many families.

    Parameters
    ----------
    data : Dataset
        A row counts in a family if no node of the family is missing in it.
    families
        Tuples of nodes. Neighbours that differ in their last node only are counted fastest.
    n_threads
        All CPUs if not given; changes no bit of the result.

    Returns
    -------
    One float array per family, an axis a node; whole numbers unless the rows have weights.

    Raises
    ------
    DataError
        A node that is not a column of the data.
    ParameterError
        A family without nodes, or `n_threads` below 1.
    TooLargeError
        A table would not fit in memory; nothing has been allocated.
    """
    listed = [tuple(family) for family in families]
    laid = Families.of(data, listed)
    for family in listed:
        refuse_many_axes(f"node {family[-1]!r}", len(family))
    flat = count(data, laid, n_threads)
    starts = laid.starts.tolist()
    return [
        flat[start:stop].reshape(shape)
        for (start, stop), shape in zip(pairwise(starts), laid.shapes, strict=True)
    ]


def pair_counts(
    data: Dataset,
    first: Sequence[int] | IntArray,
    second: Sequence[int] | IntArray,
    n_threads: int | None = None,
) -> tuple[FloatArray, IntArray]:
    """Class × pair contingency tables of many pairs of columns.

    Parameters
    ----------
    data : Dataset
        A row counts for a pair if its class and both its cells are there.
    first, second : integer arrays of shape (n_pairs,)
        Places of columns in ``data.nodes``. Pairs of the same first column should stand together.
    n_threads
        All CPUs if not given; changes no bit of the result.

    Returns
    -------
    counts : float array, flat
        The tables one after another, each (n_classes, states of first, states of second).
    starts : integer array of shape (n_pairs + 1,)
        Where each table starts, and the end.

    Raises
    ------
    ParameterError
        A place where the data have no column, or `first` and `second` of different lengths.
    TooLargeError
        The tables would not fit in memory; nothing has been allocated. Ask for fewer pairs.
    """
    one, other = _check_pairs(data, first), _check_pairs(data, second)
    if len(one) != len(other):
        raise ParameterError(f"there are {len(one)} first and {len(other)} second columns of pairs")
    own = np.full(len(one), data.nodes.index(data.class_name), dtype=np.intp)
    cards = np.array(list(data.cards.values()), dtype=np.intp)
    n_cells = cards[own] * cards[one].astype(np.float64) * cards[other]
    refuse_too_large("all pairs together", ("class", "pair"), int(n_cells.sum()))
    axes = np.column_stack([own, one, other]).ravel()
    laid = Families.at(cards, axes, np.full(len(one), 3))
    return count(data, laid, n_threads), laid.starts


def occurring_sums(
    data: Dataset, first: int, others: IntArray, terms: FloatArray, n_threads: int | None = None
) -> FloatArray:
    """Σ terms[n] over the class × pair cells that n rows show, of pairs whose tables are wide.

    Parameters
    ----------
    data : Dataset
        A row counts for a pair if its class and both its cells are there, once whatever it weighs.
    first, others
        Places of columns in ``data.nodes``: ``first`` is paired with each of the ``others``. Time
        and memory are those of the rows, however many states there are.
    terms : float array of shape (n_rows + 1,)
    n_threads
        All CPUs if not given; changes no bit of the result.

    Returns
    -------
    float array of shape (n_others,), which depends on the counts alone, not on the order of rows.
    """
    rows = np.ascontiguousarray(data.codes.T)
    order = _sorted_by(data.class_codes, np.arange(data.n_rows))
    order = _sorted_by(rows[first], order)
    is_new = (np.diff(rows[first, order]) != 0) | (np.diff(data.class_codes[order]) != 0)
    ends = np.concatenate([[0], np.flatnonzero(is_new) + 1, [len(order)]])
    cards = np.array(list(data.cards.values()), dtype=np.intp)[others]
    sums = np.empty(len(others))

    def fill(part: IntArray) -> None:
        own = np.empty(len(part))
        arrays = (order, ends, others[part], cards[part], terms[: len(order) + 1])
        _kernels().sum_occurring(rows, *arrays, own)
        sums[part] = own

    workers = n_workers(n_threads)
    is_worth = len(order) * len(others) * _LISTED_NS > _WORTH_THREADS_NS
    parts = np.array_split(np.arange(len(others)), workers if is_worth else 1)
    deque(in_order(fill, parts, len(parts)), maxlen=0)
    return sums


def _sorted_by(codes: CodeArray, rows: IntArray) -> IntArray:
    """``rows`` by their codes, equal ones in their order, without those that have none."""
    own = codes[rows]
    order: IntArray = rows[np.argsort(own, kind="stable")]
    return order[np.count_nonzero(own < 0) :]


def count(
    data: Dataset, families: Families, n_threads: int | None = None, *, weighted: bool = True
) -> FloatArray:
    """Count all families: their cells one after another, flat; rows alone unless ``weighted``."""
    counts: FloatArray = data._total(_counted, families, n_threads, weighted)
    return counts


def _counted(
    data: Dataset, families: Families, n_threads: int | None, weighted: bool
) -> FloatArray:
    weights = data.row_weights if weighted else None
    return count_codes(data.codes, families, weights, n_threads)


def count_codes(
    codes: CodeArray,
    families: Families,
    weights: FloatArray | None = None,
    n_threads: int | None = None,
) -> FloatArray:
    """Count all families in ``codes`` (n_rows, n_nodes): their cells one after another, flat."""
    all_workers = n_workers(n_threads)
    rows = np.ascontiguousarray(codes.T)
    few, all_few, row_ns = families._unweighted if weights is None else families._weighted
    workers = all_workers if len(codes) * row_ns > _WORTH_THREADS_NS else 1
    if all_few:
        return _by_masks(rows, families, workers)
    counts = np.zeros(families.starts[-1])
    if few.any():
        counts[np.repeat(few, families.n_cells)] = _by_masks(rows, families.chosen(few), workers)
    _by_rows(rows, families, np.flatnonzero(~few), weights, workers, counts)
    return counts


def _by_masks(rows: CodeArray, families: Families, workers: int) -> FloatArray:
    step = -(-rows.shape[1] // (workers * _ALIGNED_ROWS)) * _ALIGNED_ROWS

    def part(start: int) -> IntArray:
        stop = min(start + step, rows.shape[1])
        counts = np.zeros(families.starts[-1], dtype=np.int64)
        arrays = (families.axes, families.ends, families.cards, families.starts)
        _kernels().count_bits(rows, *arrays, start, stop, counts)
        return counts

    parts = list(in_order(part, range(0, rows.shape[1], step or 1), workers))
    total = sum(parts[1:], parts[0]) if parts else np.zeros(families.starts[-1])
    return np.asarray(total, dtype=np.float64)


def _by_rows(
    rows: CodeArray,
    families: Families,
    which: IntArray,
    weights: FloatArray | None,
    workers: int,
    counts: FloatArray,
) -> None:
    """Count each family in one go, so that the order of a sum is that of the rows."""
    if rows.shape[1] <= _FEW_ROWS:
        own = np.empty(0) if weights is None else weights
        arrays = (families.axes, families.ends, families.cards, families.starts)
        _kernels().add_families(rows, *arrays, which, own, counts)
        return

    def fill(f: int) -> None:
        axes = slice(families.ends[f], families.ends[f + 1])
        start, stop = families.starts[f], families.starts[f + 1]
        lanes = _kernels().LANES if stop - start <= _LANED_CELLS else 1
        shape = lanes, stop - start + 1
        if weights is None:
            table = np.zeros(shape, dtype=np.int64)
            _kernels().count_cells(rows, families.axes[axes], families.cards[axes], table)
        else:
            table = np.zeros(shape)
            _kernels().weigh_cells(rows, families.axes[axes], families.cards[axes], weights, table)
        counts[start:stop] = table[:, :-1].sum(axis=0)

    deque(in_order(fill, which, workers), maxlen=0)


def _check(data: Dataset, places: dict[str, int], family: tuple[str, ...]) -> None:
    if not family:
        raise ParameterError("a family has no nodes; give at least one node to count")
    for node in family:
        if node not in places:
            raise DataError(
                f"node {node!r} of the family ({', '.join(map(str, family))}) is not a column of "
                "the data; add the column or leave the node out"
            )
    refuse_too_large(family[-1], family, prod(data.cards[node] for node in family))


def _check_pairs(data: Dataset, given: Sequence[int] | IntArray) -> IntArray:
    places = np.asarray(given, dtype=np.intp)
    outside = places[(places < 0) | (places >= len(data.nodes))]
    if len(outside):
        raise ParameterError(
            f"pairs name column {outside[0]} of {len(data.nodes)}; count the columns from 0"
        )
    return places


def _refuse_beyond_integers(cards: IntArray, ends: IntArray) -> None:
    """Refuse products of numbers of states, or their sum, that would wrap."""
    if len(cards):
        n_cells = float(np.multiply.reduceat(cards.astype(np.float64), ends[:-1]).sum())
        if n_cells >= _MOST_CELLS:
            raise TooLargeError(
                f"the tables of {len(ends) - 1} families have {n_cells:.3g} cells together, more "
                "than can be numbered; remove arcs, or merge states"
            )


def _from_zero(lengths: IntArray) -> IntArray:
    """Cumulated sums with a 0 before them."""
    ends = np.zeros(len(lengths) + 1, dtype=np.intp)
    np.cumsum(lengths, out=ends[1:])
    return ends


def _kernels() -> "signatures.Counting":
    found: signatures.Counting = backend("counting", "design.counting_twins")
    return found

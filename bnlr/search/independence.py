"""How much two attributes tell about each other once the class is known.

I(X_i; X_j | C) = Σ_c (n_c / n) [H(i|c) + H(j|c) − H(ij|c)]: all that is needed are the sums of
n·log n over the class × pair tables, over the class × attribute tables and over the classes. With
missing cells each pair has tables of its own: those of the rows that show both attributes and the
class (Greiner et al. 2005, section 5.1.3).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import fsum

import numpy as np

from bnlr._typing import BoolArray, FloatArray, IntArray
from bnlr.data.dataset import Dataset
from bnlr.design.counting import Families, count, occurring_sums, pair_counts
from bnlr.design.families import refuse_too_large
from bnlr.progress import ProgressLine
from bnlr.search.batches import BATCH_CELLS, in_batches

# A table of more cells than these, and than so many a row, is mostly zeros: of it only the cells
# that occur are looked at. Rows that weigh, or with holes, are sorted for that, at more cost.
_SMALL_TABLE, _CELLS_PER_ROW = 2**8, 0.5
_SMALL_IF_SORTED, _CELLS_PER_SORTED_ROW = 2**13, 8.0
_LARGEST_TABLE = 2**26
# So many pairs are listed at a time.
_MOST_PAIRS = 2**17


def conditional_mutual_information(data: Dataset, n_threads: int | None = None) -> FloatArray:
    """I(X_i; X_j | class) of all pairs of attributes, natural log, from weighted counts.

    Parameters
    ----------
    data : Dataset
        Rows without a class are left out, and for each pair those that lack a cell of it. A pair
        that no row shows has 0.
    n_threads
        All CPUs if not given.

    Returns
    -------
    (n_attributes, n_attributes) symmetric array, never negative, attributes in column order; the
    diagonal holds the conditional entropies H(X_i | class). The bits depend neither on the order
    of the rows nor on the number of threads.

    Raises
    ------
    DataError
        No rows, or fewer than two classes among them.
    TooLargeError
        Tables of the class with each attribute that would not fit in memory.
    """
    places = np.flatnonzero([node != data.class_name for node in data.nodes])
    given, data = data, _on_a_grid(data)
    totals, alone, is_whole = _single_sums(data, places, n_threads)
    if np.count_nonzero(totals) < 2:
        given.check_learnable()
    scale = _to_one(float(totals.sum()))
    if not is_whole:
        return _of_available(data, places, scale, n_threads)
    joint = np.diag(alone)
    for first, second in _pairs(len(places), 1):
        one, other = places[first], places[second]
        sums = _joint_sums(data, one, other, scale, n_threads)
        joint[first, second] = joint[second, first] = sums
    n, classes = totals.sum() * scale, _n_log_n(totals * scale).sum()
    # In place: this is the largest array there is.
    joint -= alone[:, None]
    joint -= alone
    joint += classes
    joint /= n
    return joint.clip(min=0.0, out=joint)


def class_information(data: Dataset, n_threads: int | None = None) -> FloatArray:
    """I(X_i; class) of each attribute, natural log, from weighted counts.

    Parameters
    ----------
    data, n_threads
        As `conditional_mutual_information`; an attribute that no row shows has 0.

    Returns
    -------
    (n_attributes,) array, never negative, attributes in column order. The bits depend neither on
    the order of the rows nor on the number of threads.

    Raises
    ------
    DataError
        No rows, or fewer than two classes among them.
    TooLargeError
        As there.
    """
    data.check_learnable()
    own = data.nodes.index(data.class_name)
    places = np.flatnonzero(np.arange(len(data.nodes)) != own)
    data = _on_a_grid(data)
    axes = np.column_stack([np.full(len(places), own), places]).ravel()
    laid = _with_class(_cards(data), axes, np.full(len(places), 2))
    counts = count(data, laid, n_threads)
    n_classes = data.cards[data.class_name]
    tables = (
        counts[laid.starts[k] : laid.starts[k + 1]].reshape(1, 1, n_classes, -1)
        for k in range(len(places))
    )
    found = [_information(table * _to_one(float(table.sum())))[0] for table in tables]
    return np.array(found, dtype=np.float64).clip(min=0.0)


def shown_weight(data: Dataset, nodes: Sequence[str]) -> float:
    """Weight of the rows in which none of ``nodes`` is missing."""
    incomplete = [node for node in nodes if node in data.missing_counts]
    if not incomplete:
        return data._total_weight
    return float(data._total(_shown_weight, incomplete))


def _shown_weight(data: Dataset, nodes: Sequence[str]) -> float:
    is_shown = np.logical_and.reduce([data.column(node) >= 0 for node in nodes])
    return float(data.weights[is_shown].sum())


def _cards(data: Dataset) -> IntArray:
    return np.array(list(data.cards.values()), dtype=np.intp)


def _on_a_grid(data: Dataset) -> Dataset:
    """Scale weights so that those of rows with a class sum to [1/2, 1), on multiples of 2^-52.

    No sum of such weights is ever rounded, so all sums are the same in any order. Whole weights
    that sum to less than 2^52 are not changed by the rounding.
    """
    if not data.has_weights:
        return data
    # NumPy's sum depends on the order of the rows, and with it might the power of two.
    _, exponent = np.frexp(fsum(data._total(_twofold_sum)))
    return data._mapped(_rounded, int(exponent))


def _twofold_sum(data: Dataset) -> FloatArray:
    """The weights of rows with a class added up, and what rounding that has left out."""
    weights = data.weights[data.class_codes >= 0].tolist()
    total = fsum(weights)
    return np.array([total, fsum([*weights, -total])])


def _rounded(data: Dataset, exponent: int) -> Dataset:
    rounded: FloatArray = np.ldexp(np.round(np.ldexp(data.weights, 52 - exponent)), -52)
    return replace(data, row_weights=rounded)


def _to_one(total: float) -> float:
    """Power of two that brings a total to [1/2, 1): that of the weights' grid, for any rows."""
    return float(np.ldexp(1.0, -int(np.frexp(total)[1])))


def _n_log_n(counts: FloatArray) -> FloatArray:
    logs: FloatArray = np.log(np.where(counts > 0, counts, 1.0))
    return counts * logs


def _single_sums(
    data: Dataset, places: IntArray, n_threads: int | None
) -> tuple[FloatArray, FloatArray, bool]:
    """Weight of each class, Σ n·log n over each attribute's class × state table, whether all whole.

    States that count fewer cells than there are rows tell of a missing cell, at less cost than a
    look at all cells.
    """
    laid, n = _single_families(data, places), len(places)
    counts = count(data, laid, n_threads, weighted=False)
    n_seen = np.add.reduceat(counts, laid.starts[:-1])
    is_whole = not (n_seen[n + 1 :] < data.n_rows).any()
    if data.has_weights:
        counts = count(data, laid, n_threads)
    totals = counts[: laid.starts[1]]
    scaled = _n_log_n(counts * _to_one(float(totals.sum())))
    return totals, np.add.reduceat(scaled, laid.starts[:-1])[1 : n + 1], is_whole


def _single_families(data: Dataset, places: IntArray) -> Families:
    """Lay out the class; the class with each attribute; each attribute."""
    own, n = data.nodes.index(data.class_name), len(places)
    pairs = np.column_stack([np.full(n, own), places]).ravel()
    axes = np.concatenate([[own], pairs, places])
    return _with_class(_cards(data), axes, np.repeat([1, 2, 1], [1, n, n]))


def _with_class(cards: IntArray, axes: IntArray, lengths: IntArray) -> Families:
    """Lay out the class with each attribute; refuse what would not fit."""
    laid = Families.at(cards, axes, lengths)
    refuse_too_large("the class with each", ("class", "attribute"), int(laid.starts[-1]))
    return laid


def _pair_sizes(data: Dataset, one: IntArray, other: IntArray) -> FloatArray:
    """Cells of each class × pair table; float, as they may be more than an integer holds."""
    cards = _cards(data)
    sizes: FloatArray = cards[one] * (float(data.cards[data.class_name]) * cards[other])
    return sizes


def _pairs(n: int, above: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the pairs (i, j) of 0 to n − 1 with j ≥ i + ``above``, in order, many at a time."""
    step, total = max(_MOST_PAIRS // max(n, 1), 1), n * (n + 1) // 2 - above * n
    done = 0
    with ProgressLine(verbose=0) as line:
        for start in range(0, n, step):
            first, second = np.triu_indices(min(step, n - start), above, n - start)
            yield start + first, start + second
            done += len(first)
            line.write_share(done, total, "pairs of attributes counted")


def _joint_sums(
    data: Dataset,
    one: IntArray,
    other: IntArray,
    scale: float,
    n_threads: int | None,
) -> FloatArray:
    """Σ n·log n over the class × pair table of each pair of columns."""
    sums = np.empty(len(one))
    sizes = _pair_sizes(data, one, other)
    is_wide = _is_mostly_empty(data, sizes, is_sorted=data.has_weights)
    dense, terms = np.flatnonzero(~is_wide), None
    n_looked_up = min(BATCH_CELLS, float(sizes[dense].sum()))
    if not data.has_weights and (data.n_rows < n_looked_up or is_wide.any()):
        terms = _n_log_n(np.arange(data.n_rows + 1.0) * scale)
    for batch in in_batches(sizes[dense]):
        own = dense[batch]
        counts, starts = pair_counts(data, one[own], other[own], n_threads)
        if terms is None or len(terms) > len(counts):
            values = _n_log_n(counts * scale)
        else:
            values = terms.take(counts.astype(np.intp))  # the same, sooner
        sums[own] = np.add.reduceat(values, starts[:-1])
    wide = np.flatnonzero(is_wide)
    if terms is None:
        for k in wide:
            sums[k] = _n_log_n(_occurring(data, [one[k], other[k]]) * scale).sum()
        return sums
    for first in np.unique(one[wide]).tolist():
        own = wide[one[wide] == first]
        sums[own] = occurring_sums(data, first, other[own], terms, n_threads)
    return sums


def _is_mostly_empty(data: Dataset, sizes: FloatArray, *, is_sorted: bool) -> BoolArray:
    """Which tables of so many cells have many more than rows can fill."""
    least, a_row = _SMALL_TABLE, _CELLS_PER_ROW
    if is_sorted:
        least, a_row = _SMALL_IF_SORTED, _CELLS_PER_SORTED_ROW
    most = min(max(least, a_row * data.n_rows), _LARGEST_TABLE)
    wide: BoolArray = sizes > (most if data._at_hand else _LARGEST_TABLE)
    return wide


def _occurring(data: Dataset, columns: list[int]) -> FloatArray:
    """Counts of the class × columns cells that occur, in a table mostly empty."""
    labelled = data.class_codes >= 0
    # Class × attribute has at most 2^27 cells (`_with_class`), and a pair so 2^54.
    cells = np.zeros(int(labelled.sum()), dtype=np.int64)
    for place in (data.nodes.index(data.class_name), *columns):
        cells = cells * len(data.states[data.nodes[place]]) + data.codes[labelled, place]
    _, places = np.unique(cells, return_inverse=True)
    own = None if data.row_weights is None else data.row_weights[labelled]
    return np.bincount(places, own).astype(np.float64)


# Data with holes


def _of_available(
    data: Dataset,
    places: IntArray,
    scale: float,
    n_threads: int | None,
) -> FloatArray:
    """Information of all pairs, each from the rows that show both attributes and the class.

    A pair of an attribute with itself has what the attribute's own rows give: H(X_i | class).
    """
    information = np.zeros((len(places), len(places)))
    for first, second in _pairs(len(places), 0):
        one, other = places[first], places[second]
        sizes = _pair_sizes(data, one, other)
        is_wide = _is_mostly_empty(data, sizes, is_sorted=True)
        found = np.empty(len(one))
        for k in np.flatnonzero(is_wide):
            found[k] = _available_pair(data, int(one[k]), int(other[k]), scale)
        dense = np.flatnonzero(~is_wide)
        for batch in in_batches(sizes[dense]):
            own = dense[batch]
            found[own] = _available_pairs(data, one[own], other[own], scale, n_threads)
        information[first, second] = information[second, first] = found
    return information.clip(min=0.0, out=information)


def _available_pairs(
    data: Dataset,
    one: IntArray,
    other: IntArray,
    scale: float,
    n_threads: int | None,
) -> FloatArray:
    counts, starts = pair_counts(data, one, other, n_threads)
    cards, n_classes = _cards(data), data.cards[data.class_name]
    shapes = np.column_stack([cards[one], cards[other]])
    found = np.empty(len(one))
    # Pairs of the same numbers of states at a time: their tables make one array.
    for shape in np.unique(shapes, axis=0):
        chosen = np.flatnonzero((shapes == shape).all(axis=1))
        cells = starts[chosen, None] + np.arange(n_classes * shape.prod())
        tables = counts[cells].reshape(len(chosen), n_classes, *shape) * scale
        found[chosen] = _information(tables)
    return found


def _information(tables: FloatArray) -> FloatArray:
    """I(i; j | class) of each class × i × j table, (n_tables, n_classes, states, states)."""
    axes = [(), (3,), (2,), (2, 3)]
    joint, first, second, classes = (
        _n_log_n(tables.sum(axis=summed)).reshape(len(tables), -1).sum(axis=1) for summed in axes
    )
    return _shared(joint - first - second + classes, tables.sum(axis=(1, 2, 3)))


def _available_pair(data: Dataset, one: int, other: int, scale: float) -> float:
    """Do the same for one pair whose table is mostly empty."""
    rows = np.flatnonzero((data.codes[:, [one, other]] >= 0).all(axis=1))
    seen = data.take(rows)
    joint, first, second, classes = (
        _occurring(seen, columns) * scale for columns in ([one, other], [one], [other], [])
    )
    total = _n_log_n(joint).sum() - _n_log_n(first).sum() - _n_log_n(second).sum()
    return float(_shared(total + _n_log_n(classes).sum(), classes.sum()))


def _shared(sums: FloatArray, weight: FloatArray) -> FloatArray:
    """Sums for each row, 0 where there are none."""
    return np.divide(sums, weight, out=np.zeros_like(weight), where=weight > 0)

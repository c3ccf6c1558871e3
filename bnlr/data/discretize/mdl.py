"""Cut points by recursive entropy minimisation with the MDL stopping rule.

Fayyad & Irani, "Multi-interval discretization of continuous-valued attributes for classification
learning", IJCAI 1993. A set S of N rows with k classes present is cut at the value T that leaves
the least class entropy

    E(T) = (N_1 Ent(S_1) + N_2 Ent(S_2)) / N,

if the gain Ent(S) - E(T) exceeds the cost of telling the cut,

    (log2(N - 1) + log2(3^k - 2) - k Ent(S) + k_1 Ent(S_1) + k_2 Ent(S_2)) / N,

and both parts are treated alike. All logarithms are to base 2. Only boundary points are candidates:
places between neighbouring values that are not both pure in the same class (their theorem 1 shows
that the least entropy is always at one). Of cuts with equal entropy the lowest is taken.

With h(n) = n log2 n, N Ent(S) = h(N) - Σ_c h(n_c), so a running sum of h(n_c + w) - h(n_c) over the
sorted cells gives all cuts of a set at once, whatever the number of classes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bnlr._typing import BoolArray, FloatArray, IntArray
from bnlr.data.discretize.quantiles import midpoint

_TIE = 1e-11


@dataclass(frozen=True, slots=True)
class _Cells:
    """Distinct (value, class) pairs, sorted by value, then class."""

    values: FloatArray
    classes: IntArray
    weights: FloatArray
    before: FloatArray  # weight of the cell's class in all cells before it
    is_boundary: BoolArray  # whether a cut may follow the cell
    n_classes: int


@dataclass(frozen=True, slots=True)
class _Cut:
    """A set's best cut: after which cell, and what it leaves."""

    cell: int
    left: FloatArray
    right: FloatArray


def mdl_cut_points(
    values: FloatArray,
    classes: IntArray,
    weights: FloatArray | None = None,
    cost: float = 1.0,
) -> FloatArray:
    """Return the cut points of one attribute, increasing.

    Parameters
    ----------
    values : float array of shape (n_rows,)
        NaN is missing; such rows are left out. No infinities.
    classes : int array of shape (n_rows,)
        Class codes from 0.
    weights : float array of shape (n_rows,), optional
        A weight of 2 counts as two rows.
    cost : float
        A cut must gain so many times what the rule has it cost.

    Returns
    -------
    float array
        Midpoints between neighbouring values; an interval includes its upper end.
    """
    counts = np.ones(len(values)) if weights is None else weights
    used = ~np.isnan(values) & (counts > 0)
    if not used.any():
        return np.empty(0)
    cells = _cells(values[used], classes[used], counts[used])
    return np.array([midpoint(*cells.values[k : k + 2]) for k in sorted(_cuts(cells, cost))])


def _cells(values: FloatArray, classes: IntArray, weights: FloatArray) -> _Cells:
    order = np.lexsort((classes, values))
    values, classes = values[order], classes[order]
    starts = np.flatnonzero(_changes(values) | _changes(classes))
    cell_weights = np.add.reduceat(weights[order], starts)
    values, classes = values[starts], classes[starts]
    return _Cells(
        values=values,
        classes=classes,
        weights=cell_weights,
        before=_class_totals_before(classes, cell_weights),
        is_boundary=_boundaries(values, classes),
        n_classes=int(classes.max()) + 1,
    )


def _changes(sorted_values: FloatArray | IntArray) -> BoolArray:
    """Return which entries differ from the one before; the first does."""
    return np.concatenate(([True], sorted_values[1:] != sorted_values[:-1]))


def _class_totals_before(classes: IntArray, weights: FloatArray) -> FloatArray:
    by_class = np.argsort(classes, kind="stable")
    running = np.cumsum(weights[by_class]) - weights[by_class]
    first = np.flatnonzero(_changes(classes[by_class]))
    lengths = np.diff(np.append(first, len(classes)))
    before = np.empty(len(classes))
    before[by_class] = running - np.repeat(running[first], lengths)
    return before


def _boundaries(values: FloatArray, classes: IntArray) -> BoolArray:
    """Return after which cells a cut may come: a new value, unless both values are pure alike."""
    last = np.append(_changes(values)[1:], True)
    starts = np.flatnonzero(_changes(values))
    lengths = np.diff(np.append(starts, len(values)))
    is_pure = np.repeat(lengths == 1, lengths)
    alike = is_pure[:-1] & is_pure[1:] & (classes[:-1] == classes[1:])
    boundaries: BoolArray = last & np.append(~alike, False)
    return boundaries


def _cuts(cells: _Cells, cost: float) -> Iterator[int]:
    """Yield the cell before each accepted cut, in no particular order."""
    n_cells = len(cells.values)
    pending = [(0, n_cells, np.zeros(cells.n_classes), _totals(cells, 0, n_cells))]
    while pending:
        start, stop, base, total = pending.pop()
        cut = _best_cut(cells, start, stop, base, total)
        if cut is None or not _pays(total, cut.left, cut.right, cost):
            continue
        yield cut.cell
        pending.append((start, cut.cell + 1, base, cut.left))
        pending.append((cut.cell + 1, stop, base + cut.left, cut.right))


def _best_cut(
    cells: _Cells, start: int, stop: int, base: FloatArray, total: FloatArray
) -> _Cut | None:
    """Return the cut of cells start..stop with the least entropy; base and total are by class."""
    candidates = start + np.flatnonzero(cells.is_boundary[start : stop - 1])
    if candidates.size == 0:
        return None
    classes, weights = cells.classes[start:stop], cells.weights[start:stop]
    below = np.maximum(cells.before[start:stop] - base[classes], 0.0)
    above = np.maximum(total[classes] - below - weights, 0.0)
    left = np.cumsum(_h(below + weights) - _h(below))
    right = _h(total).sum() + np.cumsum(_h(above) - _h(above + weights))
    n_left = np.cumsum(weights)
    n_right = np.maximum(n_left[-1] - n_left, 0.0)
    entropy = (_h(n_left) - left + _h(n_right) - right)[candidates - start]
    slack = _TIE * max(1.0, float(_h(n_left[-1])))
    cell = int(candidates[np.flatnonzero(entropy <= entropy.min() + slack)[0]])
    return _Cut(cell, _totals(cells, start, cell + 1), _totals(cells, cell + 1, stop))


def _totals(cells: _Cells, start: int, stop: int) -> FloatArray:
    """Return the weight of each class in cells start..stop."""
    part = slice(start, stop)
    totals = np.bincount(cells.classes[part], cells.weights[part], minlength=cells.n_classes)
    return totals.astype(np.float64)


def _pays(total: FloatArray, left: FloatArray, right: FloatArray, cost: float) -> bool:
    """Apply the MDL rule to class weights before and after a cut."""
    n = float(total.sum())
    if n <= 1:
        return False
    k, k_left, k_right = (np.count_nonzero(part) for part in (total, left, right))
    ent, ent_left, ent_right = _entropy(total), _entropy(left), _entropy(right)
    remaining = (left.sum() * ent_left + right.sum() * ent_right) / n
    classes_cost = k * np.log2(3.0) + np.log1p(-2.0 * 3.0**-k) / np.log(2.0)
    delta = classes_cost - k * ent + k_left * ent_left + k_right * ent_right
    return bool(ent - remaining > cost * (np.log2(n - 1.0) + delta) / n)


def _h(n: FloatArray | float) -> FloatArray:
    """Return n log2 n, 0 at 0."""
    return np.asarray(n * np.log2(np.where(np.asarray(n) > 0, n, 1.0)))


def _entropy(weights: FloatArray) -> float:
    n = float(weights.sum())
    return float((_h(n) - _h(weights).sum()) / n)

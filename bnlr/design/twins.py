"""NumPy twins of ``kernels``: the same functions and the same numbers, without a compiler."""

from itertools import pairwise
from math import prod

import numpy as np

from bnlr._typing import CodeArray, FloatArray, IntArray

IS_COMPILED = False


def join(
    axes: IntArray, cards: IntArray, ends: IntArray, largest: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Put families together: each joins the group that grows least, while it stays small enough."""
    groups: list[tuple[list[int], dict[int, int]]] = []
    sizes: list[int] = []
    for k, (start, stop) in enumerate(pairwise(ends.tolist())):
        own = dict(zip(axes[start:stop].tolist(), range(start, stop), strict=True))
        best, least = len(groups), largest + 1
        for place, (_, held) in enumerate(groups):
            growth = prod(int(cards[at]) for axis, at in own.items() if axis not in held)
            if growth < least and sizes[place] * growth <= largest:
                best, least = place, growth
        if best == len(groups):
            groups.append(([], {}))
            sizes.append(0)
        groups[best][0].append(k)
        for axis, at in own.items():
            groups[best][1].setdefault(axis, at)
        sizes[best] = prod(int(cards[at]) for at in groups[best][1].values())
    order = np.array([k for families, _ in groups for k in families], dtype=np.intp)
    joint = np.array([at for _, held in groups for at in held.values()], dtype=np.intp)
    families = np.cumsum([0, *(len(families) for families, _ in groups)], dtype=np.intp)
    return order, families, joint, np.cumsum([0, *(len(h) for _, h in groups)], dtype=np.intp)


def members(
    axes: IntArray,
    cards: IntArray,
    ends: IntArray,
    firsts: IntArray,
    groups: tuple[IntArray, IntArray, IntArray, IntArray],
    offsets: IntArray,
    cells: IntArray,
) -> None:
    """Fill ``cells`` with the family cells that each group cell holds, one a family."""
    order, families, joint, joint_ends = groups
    at = 0
    for g in range(len(offsets) - 1):
        own, shared = order[families[g] : families[g + 1]], joint[joint_ends[g] : joint_ends[g + 1]]
        places = digits(cards[shared])
        strides = np.zeros((len(own), len(shared)), dtype=np.intp)
        for k, family in enumerate(own):
            for a in range(ends[family], ends[family + 1]):
                stride = np.prod(cards[a + 1 : ends[family + 1]], dtype=np.intp)
                strides[k, axes[shared] == axes[a]] = stride
        block = firsts[own] + places.T @ strides.T
        cells[at : at + block.size] = block.ravel()
        at += block.size


def digits(cards: IntArray) -> IntArray:
    """Each axis's state in every cell of a table, C order: (n_axes, n_cells).

    Unlike `numpy.indices`, for any number of axes.
    """
    strides = np.append(np.cumprod(cards[:0:-1])[::-1], 1)[: len(cards)]
    cells = np.arange(np.prod(cards, dtype=np.intp))
    places: IntArray = cells // strides[:, None] % cards[:, None]
    return places


def expand(ends: IntArray, cells: IntArray, tables: FloatArray, grouped: FloatArray) -> None:
    """Fill row j of ``grouped`` with the sum of the rows ``cells[ends[j]:ends[j + 1]]``."""
    grouped[:] = np.add.reduceat(tables[cells], ends[:-1], axis=0)


def collapse(ends: IntArray, cells: IntArray, grouped: FloatArray, tables: FloatArray) -> None:
    """Add row j of ``grouped`` to the rows ``cells[ends[j]:ends[j + 1]]`` of ``tables``."""
    per_cell = np.repeat(grouped, np.diff(ends), axis=0)
    for c in range(tables.shape[1]):
        tables[:, c] += np.bincount(cells, per_cell[:, c], minlength=len(tables))


def gather(
    table: FloatArray,
    offsets: CodeArray,
    codes: CodeArray,
    start: int,
    stop: int,
    scores: FloatArray,
) -> None:
    """Fill ``scores`` (stop − start, width) with the sums of each row's table entries."""
    scores[:] = 0.0
    for offset, code in zip(offsets[:-1], codes[:, start:stop], strict=True):
        scores += table[offset + code.astype(np.intp)]


def _scatter(
    values: FloatArray,
    offsets: CodeArray,
    codes: CodeArray,
    start: int,
    stop: int,
    table: FloatArray,
) -> None:
    """Add each row of ``values`` (stop − start, width) to its cells of ``table``."""
    for offset, end, code in zip(offsets[:-1], offsets[1:], codes[:, start:stop], strict=True):
        for c in range(values.shape[1]):
            table[offset:end, c] += np.bincount(code, values[:, c], minlength=end - offset)


def linearise(
    table: FloatArray,
    offsets: CodeArray,
    codes: CodeArray,
    classes: CodeArray,
    weights: FloatArray,
    start: int,
    stop: int,
    probabilities: FloatArray,
    gradient: FloatArray,
) -> float:
    """Return the rows' CLL; fill P(c | x) of classes 1.. and add to the CLL's gradient."""
    scores = np.empty((stop - start, table.shape[1]))
    gather(table, offsets, codes, start, stop, scores)
    top, log_mass = _log_mass(scores)
    p = np.exp(scores - (top + log_mass)[:, None])
    probabilities[start:stop] = p
    chosen, weight = classes[start:stop].astype(np.intp), _weights(weights, start, stop)
    rows = np.flatnonzero(chosen)
    residual = -weight[:, None] * p
    others = p.copy()
    others[rows, chosen[rows] - 1] = 0.0
    rest = np.exp(-top - log_mass) + others.sum(axis=1)
    residual[rows, chosen[rows] - 1] = (weight * rest)[rows]
    _scatter(residual, offsets, codes, start, stop, gradient)
    return float(weight @ _own_log_shares(scores, chosen))


def curvature(
    table: FloatArray,
    offsets: CodeArray,
    codes: CodeArray,
    probabilities: FloatArray,
    weights: FloatArray,
    start: int,
    stop: int,
    product: FloatArray,
) -> None:
    """Add to ``product`` the Hessian of −CLL times the direction ``table``."""
    scores = np.empty((stop - start, table.shape[1]))
    gather(table, offsets, codes, start, stop, scores)
    p = probabilities[start:stop]
    mean = np.einsum("ic,ic->i", p, scores)
    values = _weights(weights, start, stop)[:, None] * p * (scores - mean[:, None])
    _scatter(values, offsets, codes, start, stop, product)


def cross(
    rows: IntArray,
    values: FloatArray,
    offsets: CodeArray,
    codes: CodeArray,
    ends: CodeArray,
    cells: CodeArray,
    n_families: int,
    table: FloatArray,
) -> None:
    """Add ``values[r]`` to ``table`` (n_cells, n_cells) at all pairs of cells of ``rows[r]``.

    Group cell j holds the family cells ``cells[ends[j]:ends[j + 1]]``. Of each two families only
    one order of the pair is filled.
    """
    if not len(rows):
        return
    groups = [offsets[g] + codes[g, rows].astype(np.intp) for g in range(len(codes))]
    own = [cells[ends[at] + k] for at in groups for k in range(int(ends[at[0] + 1] - ends[at[0]]))]
    assert len(own) == n_families  # noqa: S101
    for a, first in enumerate(own):
        for second in own[: a + 1]:
            np.add.at(table, (first, second), values)


def cross_by_class(
    rows: IntArray,
    values: FloatArray,
    offsets: CodeArray,
    codes: CodeArray,
    ends: CodeArray,
    cells: CodeArray,
    n_families: int,
    table: FloatArray,
) -> None:
    """As ``cross``, for each class: ``values`` (n, n_classes), ``table`` (…, n_classes)."""
    for c in range(values.shape[1]):
        own = table[:, :, c]
        cross(rows, values[:, c], offsets, codes, ends, cells, n_families, own)


def line(
    scores: FloatArray,
    steps: FloatArray,
    classes: CodeArray,
    weights: FloatArray,
    s: float,
    start: int,
    stop: int,
) -> tuple[float, float]:
    """CLL of the rows at ``scores + s·steps``, and its derivative in ``s``."""
    step = steps[start:stop]
    eta = scores[start:stop] + s * step
    top, log_mass = _log_mass(eta)
    p = np.exp(eta - (top + log_mass)[:, None])
    chosen, weight = classes[start:stop].astype(np.intp), _weights(weights, start, stop)
    rows = np.flatnonzero(chosen)
    change = -np.einsum("ic,ic->i", p, step)
    value = _own_log_shares(eta, chosen)
    change[rows] += step[rows, chosen[rows] - 1]
    return float(weight @ value), float(weight @ change)


def count(
    offsets: CodeArray,
    codes: CodeArray,
    classes: CodeArray,
    weights: FloatArray,
    start: int,
    stop: int,
    table: FloatArray,
) -> None:
    """Add each row's weight to its cells of ``table`` (n_group_cells, n_classes)."""
    hot = np.zeros((stop - start, table.shape[1]))
    hot[np.arange(stop - start), classes[start:stop]] = _weights(weights, start, stop)
    _scatter(hot, offsets, codes, start, stop, table)


def spread(
    probabilities: FloatArray,
    offsets: CodeArray,
    codes: CodeArray,
    weights: FloatArray,
    start: int,
    stop: int,
    table: FloatArray,
) -> None:
    """Add Σ w·p·(1 − p) of each class to ``table`` (n_group_cells, n_classes)."""
    q = _with_reference(probabilities[start:stop])
    values = _weights(weights, start, stop)[:, None] * q * (1.0 - q)
    _scatter(values, offsets, codes, start, stop, table)


def correct(
    table: FloatArray,
    offsets: CodeArray,
    codes: CodeArray,
    classes: CodeArray,
    weights: FloatArray,
    start: int,
    stop: int,
    probabilities: FloatArray,
    corrected: FloatArray,
    gradient: FloatArray,
) -> None:
    """Fill ``corrected`` with p·(1 + s − E_p s) kept in [0, 1], s the scores of ``table``.

    Adds to the gradient Σ w·(observed − corrected).
    """
    scores = np.empty((stop - start, table.shape[1]))
    gather(table, offsets, codes, start, stop, scores)
    scores = np.concatenate([np.zeros((len(scores), 1)), scores], axis=1)
    p = _with_reference(probabilities[start:stop])
    q = p * np.maximum(1.0 + scores - np.sum(p * scores, axis=1, keepdims=True), 0.0)
    mass = q.sum(axis=1, keepdims=True)
    # Steps too long leave no mass at all: then nothing is moved.
    q = np.divide(q, mass, out=p, where=mass > 0)
    corrected[start:stop] = q[:, 1:]
    observed = classes[start:stop, None] == np.arange(1, q.shape[1])
    values = _weights(weights, start, stop)[:, None] * (observed - q[:, 1:])
    _scatter(values, offsets, codes, start, stop, gradient)


def entropy(
    probabilities: FloatArray, weights: FloatArray, start: int, stop: int
) -> tuple[float, float]:
    """Σ w·H(p) in natural log over the rows, and the least w·p of any class."""
    q, weight = _with_reference(probabilities[start:stop]), _weights(weights, start, stop)
    sums = -np.sum(q * np.log(np.where(q > 0, q, 1.0)), axis=1)
    return float(weight @ sums), float((weight[:, None] * q).min(initial=np.inf))


def encode(
    columns: CodeArray,
    places: IntArray,
    cards: CodeArray,
    ends: IntArray,
    start: int,
    stop: int,
    codes: CodeArray,
) -> None:
    """Fill ``codes`` (n_groups, n_rows): group g joins ``columns[places[ends[g]:ends[g + 1]]]``.

    ``columns`` (n_columns, n_rows) and ``cards`` are unsigned, without missing cells.
    """
    for g in range(len(ends) - 1):
        code = codes[g, start:stop]
        code[:] = 0
        for k in range(ends[g], ends[g + 1]):
            code *= codes.dtype.type(cards[k])
            code += columns[places[k], start:stop].astype(codes.dtype)


def _weights(weights: FloatArray, start: int, stop: int) -> FloatArray:
    return weights[start:stop] if weights.size else np.ones(stop - start)


def _with_reference(probabilities: FloatArray) -> FloatArray:
    first = np.maximum(1.0 - probabilities.sum(axis=1, keepdims=True), 0.0)
    return np.concatenate([first, probabilities], axis=1)


def _log_mass(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Largest score of each row (the reference's is 0), and log Σ exp(score − largest)."""
    top = np.maximum(scores.max(axis=1, initial=0.0), 0.0)
    return top, np.log(np.exp(-top) + np.exp(scores - top[:, None]).sum(axis=1))


def _own_log_shares(scores: FloatArray, classes: IntArray) -> FloatArray:
    """Log P(own class) of each row; near 1 by what the others have, which 1 would round away."""
    whole = np.concatenate([np.zeros((len(scores), 1)), scores], axis=1)
    whole -= whole.max(axis=1, keepdims=True)
    own = np.arange(len(whole)), classes
    log_odds = whole[own]
    shares = np.exp(whole)
    shares[own] = 0.0
    others = shares.sum(axis=1)
    mass = np.log(others + np.exp(log_odds), out=np.zeros_like(others), where=log_odds < 0)
    result: FloatArray = np.where(log_odds == 0, -np.log1p(others), log_odds - mass)
    return result

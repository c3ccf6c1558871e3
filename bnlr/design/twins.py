"""NumPy twins of ``kernels``: the same functions and the same numbers, without a compiler."""

import numpy as np

from bnlr._typing import CodeArray, FloatArray


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
    for offset, code in zip(offsets, codes[:, start:stop], strict=True):
        scores += table[offset + code.astype(np.intp)]


def scatter(
    values: FloatArray,
    offsets: CodeArray,
    codes: CodeArray,
    start: int,
    stop: int,
    table: FloatArray,
) -> None:
    """Add each row of ``values`` (stop − start, width) to its cells of ``table``."""
    ends = [*offsets[1:], len(table)]
    for offset, end, code in zip(offsets, ends, codes[:, start:stop], strict=True):
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
    chosen, weight = classes[start:stop].astype(np.intp), weights[start:stop]
    rows = np.flatnonzero(chosen)
    residual = -weight[:, None] * p
    others = p.copy()
    others[rows, chosen[rows] - 1] = 0.0
    rest = np.exp(-top - log_mass) + others.sum(axis=1)
    residual[rows, chosen[rows] - 1] = (weight * rest)[rows]
    scatter(residual, offsets, codes, start, stop, gradient)
    value = -top - log_mass
    value[rows] += scores[rows, chosen[rows] - 1]
    return float(weight @ value)


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
    values = weights[start:stop, None] * p * (scores - mean[:, None])
    scatter(values, offsets, codes, start, stop, product)


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
    chosen, weight = classes[start:stop].astype(np.intp), weights[start:stop]
    rows = np.flatnonzero(chosen)
    value = -top - log_mass
    change = -np.einsum("ic,ic->i", p, step)
    value[rows] += eta[rows, chosen[rows] - 1]
    change[rows] += step[rows, chosen[rows] - 1]
    return float(weight @ value), float(weight @ change)


def _log_mass(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Largest score of each row (the reference's is 0), and log Σ exp(score − largest)."""
    top = np.maximum(scores.max(axis=1, initial=0.0), 0.0)
    return top, np.log(np.exp(-top) + np.exp(scores - top[:, None]).sum(axis=1))

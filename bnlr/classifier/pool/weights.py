"""Weights of a logarithmic opinion pool, from what its members predict of rows left out.

They maximise the conditional log-likelihood of the pool, with a prior,

    Σ_i v_i log softmax_c(Σ_m w_m log P_m(c | row i))[class of i] − ½ u Σ_m (w_m − 1/M)²,   w ≥ 0,

which is concave. The rows must not have taught the members (stacking, Wolpert 1992). The prior
counts as little as one row, of weight u; without it the weights grow beyond bounds where every row
left out is predicted right. Newton's method: each step is a quadratic programme over w ≥ 0, solved
exactly as non-negative least squares (Lawson & Hanson 1974).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from bnlr._typing import FloatArray, IntArray
from bnlr.learn.shrinkage.strength import unit_of
from bnlr.machine import one_blas_thread

_TOL = 1e-11
_MAX_ITER, _MAX_HALVINGS = 100, 40
_SUFFICIENT = 1e-4  # of the fall that the slope promises
_ROUNDING = 1e-14
_AT_A_TIME = 2**20

Logs = Sequence[NDArray[np.floating]]


class _Expansion(NamedTuple):
    """The loss a row at some weights, its gradient and its Hessian."""

    loss: float
    gradient: FloatArray
    hessian: FloatArray


def pool_weights(logs: Logs, classes: IntArray, weights: FloatArray) -> FloatArray:
    """Return the members' weights, exact zeros among them.

    Parameters
    ----------
    logs
        Of each member log P(class | row), (n_rows, n_classes), finite.
    classes, weights
        The rows' classes by number, and their weights.

    Returns
    -------
    Array of shape (n_members,). The gradient of the loss a row is 0 to 1e-10 where a weight is
    positive, and not below that elsewhere.
    """

    def expand(w: FloatArray) -> _Expansion:
        return _with_prior(_likelihood(w, logs, classes, weights), w, weights)

    w = np.full(len(logs), 1.0 / len(logs))
    with one_blas_thread():
        here = expand(w)
        for _ in range(_MAX_ITER):
            if _violation(w, here.gradient) <= _TOL:
                break
            found = _searched(w, here, expand)
            if found is None:
                break
            w, here = found
    return w


def pool_loss(w: FloatArray, logs: Logs, classes: IntArray, weights: FloatArray) -> float:
    """Return the pool's mean −log P(class | row)."""
    return _likelihood(w, logs, classes, weights).loss


def _violation(w: FloatArray, gradient: FloatArray) -> float:
    """How far from the optimum: a gradient that the bounds do not excuse."""
    return float(np.where(w > 0, np.abs(gradient), np.maximum(-gradient, 0.0)).max())


def _searched(
    w: FloatArray, here: _Expansion, expand: Callable[[FloatArray], _Expansion]
) -> tuple[FloatArray, _Expansion] | None:
    """The first halving of a Newton step at which the loss falls enough, None if none does."""
    step = _newton_point(w, here) - w
    slope = float(here.gradient @ step)
    for k in range(_MAX_HALVINGS):
        size = 0.5**k
        there = expand(w + size * step)
        needed = _SUFFICIENT * size * slope + _ROUNDING * max(1.0, abs(here.loss))
        if there.loss <= here.loss + needed:
            return w + size * step, there
    return None


def _newton_point(w: FloatArray, here: _Expansion) -> FloatArray:
    """The least of the quadratic expansion over weights from 0 on."""
    root = cholesky(here.hessian)  # upper, Rᵀ R
    shift = solve_triangular(root, here.gradient, trans="T")
    return np.asarray(nnls(root, root @ w - shift)[0])


def _with_prior(likelihood: _Expansion, w: FloatArray, weights: FloatArray) -> _Expansion:
    strength, off = unit_of(weights) / float(weights.sum()), w - 1.0 / len(w)
    return _Expansion(
        likelihood.loss + 0.5 * strength * float(off @ off),
        likelihood.gradient + strength * off,
        likelihood.hessian + strength * np.eye(len(w)),
    )


def _likelihood(w: FloatArray, logs: Logs, classes: IntArray, weights: FloatArray) -> _Expansion:
    loss, gradient, hessian = 0.0, np.zeros(len(w)), np.zeros((len(w), len(w)))
    for rows in _chunks(len(classes), len(w) * logs[0].shape[1]):
        opinions = np.stack([one[rows] for one in logs]).astype(np.float64)
        v, own = weights[rows], opinions[:, np.arange(rows.stop - rows.start), classes[rows]]
        scores = np.tensordot(w, opinions, 1)
        totals = np.logaddexp.reduce(scores, axis=1)
        shares = np.exp(scores - totals[:, None])
        means = (shares * opinions).sum(axis=2)
        spread = (opinions - means[:, :, None]) * np.sqrt(shares * v[:, None])
        loss += float(v @ (totals - w @ own))
        gradient += (means - own) @ v
        hessian += np.tensordot(spread, spread, ((1, 2), (1, 2)))
    total = float(weights.sum())
    return _Expansion(loss / total, gradient / total, hessian / total)


def _chunks(n_rows: int, width: int) -> Iterator[slice]:
    length = max(1, _AT_A_TIME // width)
    for start in range(0, n_rows, length):
        yield slice(start, min(start + length, n_rows))

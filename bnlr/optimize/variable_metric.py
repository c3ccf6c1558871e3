"""The variable metric: an inverse Hessian that learns from every step (BFGS).

Source: Nash (1990), *Compact Numerical Methods for Computers*, chapter 15.
"""

import numpy as np
from scipy.linalg.blas import dsymv, dsyr2

from bnlr._typing import FloatArray
from bnlr.optimize.base import dot


class VariableMetric:
    """Directions d = −B·g, B approximating the inverse Hessian, n × n and dense.

    B starts at I. A step p with the change y of the gradient adds
    [(1 + yᵀBy/pᵀy)·ppᵀ − p(By)ᵀ − (By)pᵀ] / pᵀy (Broyden, Fletcher, Goldfarb, Shanno 1970).
    It is set back to I where pᵀy ≤ 0 and when more than 2n gradients have been taken.
    """

    repeats_gradient = False

    def __init__(self, n: int) -> None:
        # Only the upper triangle is kept up to date; the columns are contiguous, as BLAS asks.
        self._matrix = np.zeros((n, n), order="F")
        self.restart()

    def restart(self) -> None:
        """Set B back to I."""
        self.fresh = True
        self._last: tuple[FloatArray, FloatArray] | None = None

    def propose(self, x: FloatArray, gradient: FloatArray, /) -> FloatArray:
        """Learn from the step that led to ``x`` and return the next direction, shape (n,)."""
        if self._last is not None:
            self._learn(x - self._last[0], gradient - self._last[1])
        self.fresh = self._last is None
        if self._last is None:
            self._matrix.fill(0.0)
            np.fill_diagonal(self._matrix, 1.0)
            self._n_gradients = 0
        self._last = x, gradient
        d: FloatArray = dsymv(-1.0, self._matrix, gradient)
        return d

    def _learn(self, p: FloatArray, y: FloatArray) -> None:
        self._n_gradients += 1
        curvature = dot(p, y)
        if self._n_gradients > 2 * p.size or not curvature > 0:
            self.restart()
            return
        turned = dsymv(1.0, self._matrix, y)
        both = 0.5 * (1.0 + dot(turned, y) / curvature) * p - turned
        self._matrix = dsyr2(1.0 / curvature, p, both, a=self._matrix, overwrite_a=True)

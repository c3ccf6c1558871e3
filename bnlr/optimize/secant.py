"""What the steps already taken tell about the Hessian, as a preconditioner for the next system."""

from math import sqrt

import numpy as np

from bnlr._typing import FloatArray
from bnlr.optimize.base import Operator, dot

MOST_MEMORY = 1000
"""Steps that a solver may be asked to remember, each two vectors of all parameters."""


class SecantPairs:
    """The last ``memory`` pairs (step, change of the gradient), applied as in L-BFGS.

    Successive Newton systems are alike, above all on nearly separable data, where the same
    directions run away at every step: the pairs remove from the system what earlier steps have
    met, which saves most of the Hessian-vector products (Morales & Nocedal 2000, who take the
    pairs from conjugate gradients instead). The update is kept in compact form (Byrd, Nocedal &
    Schnabel 1994, equation 2.6), so that applying it takes two products with a matrix of
    2·memory rows.
    """

    __slots__ = ("_base", "_based", "_changes", "_memory", "_steps")

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._steps: list[FloatArray] = []
        self._changes: list[FloatArray] = []
        # What the operator that was improved last makes of the first changes: it may be dear.
        self._base: Operator | None = None
        self._based: list[FloatArray] = []

    def add(self, step: FloatArray, change: FloatArray) -> None:
        """Remember a pair; one without clear positive curvature is left out."""
        curvature = dot(step, change)
        if self._memory == 0 or not curvature > 1e-10 * sqrt(dot(step, step) * dot(change, change)):
            return
        scale = 1.0 / sqrt(curvature)
        if len(self._steps) == self._memory:
            self._based = self._based[1:]
        self._steps = [*self._steps, step * scale][-self._memory :]
        self._changes = [*self._changes, change * scale][-self._memory :]

    def forget(self) -> None:
        """Drop all pairs."""
        self._steps, self._changes, self._based = [], [], []

    def __bool__(self) -> bool:
        return bool(self._steps)

    def improve(self, base: Operator) -> Operator:
        """Return ``base``, an approximation of H⁻¹, updated by the pairs."""
        if not self._steps:
            return base
        s, y = np.array(self._steps), np.array(self._changes)
        based = np.array(self._changed_by(base))
        middle = _middle(np.einsum("in,jn->ij", s, y), np.einsum("in,jn->ij", y, based))
        both = np.concatenate([s, based])

        def apply(r: FloatArray) -> FloatArray:
            # einsum, not BLAS: its bits do not depend on the number of threads
            inner = np.einsum("ij,j->i", middle, np.einsum("in,n->i", both, r))
            update: FloatArray = np.einsum("i,in->n", inner, both)
            return base(r) + update

        return apply

    def _changed_by(self, base: Operator) -> list[FloatArray]:
        if base is not self._base:
            self._base, self._based = base, []
        self._based += [base(change) for change in self._changes[len(self._based) :]]
        return self._based


def _middle(sy: FloatArray, ymy: FloatArray) -> FloatArray:
    upper = np.linalg.inv(np.triu(sy))
    corner = upper.T @ (np.diag(np.diag(sy)) + ymy) @ upper
    return np.block([[corner, -upper.T], [-upper, np.zeros_like(sy)]])

"""Likelihoods of rows with any holes, in coordinates of all CPTs; missing cells are summed out.

Gradients follow Proposition 3 of Greiner et al. 2005: in log θ the gradient of the conditional
log-likelihood is Σ weight · [P(d, f | c, e) − P(d, f | e)], that of the log-likelihood
Σ weight · P(d, f | row), the expected counts of EM. The coordinates turn it into their own.
"""

from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.pack import absolute, relative
from bnlr.errors import ParameterError
from bnlr.objectives.evidence import (
    EvidenceRows,
    conditional_log_likelihood,
    contrast,
    log_likelihood,
)
from bnlr.objectives.expected_information import inverse_information
from bnlr.objectives.first_order import FirstOrderObjective
from bnlr.objectives.penalty import Penalty
from bnlr.optimize.base import Operator, Preconditioner, dot
from bnlr.spaces.joint import LEAST_LOG, JointSpace

if TYPE_CHECKING:
    from bnlr.inference.engine import Engine

KINDS = ("cll", "ll")

_NUDGE = 1e-6  # the most that a coordinate moves for a difference
_LEAST = 1e-300


class EvidenceObjective(FirstOrderObjective):
    """F(x) = −Σ weight · log P + penalty, to be minimised; P is chosen by ``kind``.

    P is that of the network which ``x`` becomes, whose entries are not below exp(`LEAST_LOG`): as
    entries sink without end, what is found is what can be handed on.

    "cll": P(class | the row's other observed cells), over the rows with a class. "ll": P(observed
    cells, the class included), over all rows. Natural log, weighted sums over the rows. The
    penalty is that of complete rows, on the tables of the class and its children; its
    ``pseudo_counts`` are flat, of all nodes.

    Parameters
    ----------
    engine : Engine
        Inference about the class in ``space.flat``.
    space : JointSpace
    rows : EvidenceRows
    kind
        "cll" or "ll".
    penalty : Penalty or None

    Raises
    ------
    ParameterError
        Another kind.
    """

    no_hessian = (
        "this solver needs second derivatives, which the CLL in space 'softmax' alone has here; "
        "choose solver 'l-bfgs', 'cg', 'cg-brent' or 'bfgs'"
    )

    def __init__(
        self,
        engine: "Engine",
        space: JointSpace,
        rows: EvidenceRows,
        kind: str,
        penalty: Penalty | None = None,
    ) -> None:
        if kind not in KINDS:
            raise ParameterError(f"kind is {kind!r}; choose one of {', '.join(KINDS)}")
        self.engine, self.space, self.kind, self.penalty = engine, space, kind, penalty
        self.rows = rows.labelled if kind == "cll" else rows
        self._count = rows.counter(engine) if kind == "ll" else self._contrast
        self._last: tuple[FloatArray, float, FloatArray] | None = None

    def value(self, x: FloatArray) -> float:
        """F(x); +inf where x gives a row no probability, or is outside the space."""
        log_theta = self.space.log_theta(x)
        if not np.isfinite(log_theta).all():
            return float("inf")
        theta = self.space.entries(log_theta)
        likelihood = conditional_log_likelihood if self.kind == "cll" else log_likelihood
        return self._penalised(log_theta)[0] - likelihood(self.engine, theta, self.rows)

    def value_and_gradient(self, x: FloatArray) -> tuple[float, FloatArray]:
        """F(x) and its gradient, (size,); free where they were the last asked for."""
        if self._last is None or not np.array_equal(self._last[0], x):
            self._last = x.copy(), *self._value_and_gradient(x)
        return self._last[1:]

    def hessian(self, x: FloatArray) -> Operator:
        """v ↦ Hessian of F at ``x`` times v, by a difference of gradients."""
        if not self._has_curvature:
            return super().hessian(x)
        gradient = self.value_and_gradient(x)[1]

        def product(v: FloatArray) -> FloatArray:
            step = _NUDGE / max(float(np.abs(v).max()), _LEAST)
            change: FloatArray = self._value_and_gradient(x + step * v)[1] - gradient
            return change / step

        return product

    def preconditioner(self, x: FloatArray, *, is_hard: bool = False) -> Preconditioner:
        """r ↦ about the inverse of the Hessian at ``x`` times r, see `expected_information`."""
        if not self._has_curvature:
            return super().preconditioner(x, is_hard=is_hard)
        theta = self.space.theta(x)
        return inverse_information(self.engine, self.space, self.rows, theta, self.penalty)

    @property
    def _has_curvature(self) -> bool:
        return self.kind == "cll" and self.space.name == "softmax"

    def _value_and_gradient(self, x: FloatArray) -> tuple[float, FloatArray]:
        log_theta = self.space.log_theta(x)
        if not np.isfinite(log_theta).all():
            return float("inf"), np.zeros_like(x)
        theta = self.space.entries(log_theta)
        counts, value = self._count(theta)
        counts = np.where(log_theta < LEAST_LOG, 0.0, counts)  # they stay where they are
        penalty, slope = self._penalised(log_theta)
        return penalty - value, self.space.pullback(x, theta, slope - counts)

    def _contrast(self, theta: FloatArray) -> tuple[FloatArray, float]:
        counts, cll = self.rows.total(contrast, self.engine, theta)
        return counts, float(cll)

    def _penalised(self, log_theta: FloatArray) -> tuple[float, FloatArray | float]:
        """Penalty and its derivative in log θ, flat."""
        if self.penalty is None:
            return 0.0, 0.0
        cells = self.space.class_cells
        value, slope = self.penalty.value_and_gradient(relative(log_theta[cells]))
        gradient = np.zeros_like(log_theta)
        gradient[cells] = absolute(slope)
        counts = self.penalty.pseudo_counts
        if counts is None:
            return value, gradient
        return value - dot(counts, log_theta), gradient - counts

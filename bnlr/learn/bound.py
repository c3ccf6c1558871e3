"""A proven upper bound on the CLL that any parameters of a structure can reach.

The L-model contains the network's model (Wettig et al. 2003, Theorem 1). For any class
distributions q_i, one per row, whose expected family counts equal the observed ones, weak duality
gives sup CLL ≤ −Σ w_i H(q_i). A numerical maximum lies below the supremum and proves nothing; this
does.
"""

from dataclasses import dataclass

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.tables import Design, Linearisation
from bnlr.optimize.inner import NewtonSystem

_CORRECTIONS = 12
_COUNT_TOLERANCE = 1e-9
_MET = 1e-15
_STALLED = 0.1
_LEAST_CURVATURE = 1e-14
_SOLVED = 1e-8
_MOST_PRODUCTS = 2000


@dataclass(frozen=True)
class DualPoint:
    """Class distributions ``q`` (n_rows, n_classes) and what they prove.

    ``residual`` is the sum of absolute differences between their family counts and the observed
    ones, ``bound`` the upper bound on the CLL, None where the counts are not met.
    """

    q: FloatArray
    residual: float
    bound: float | None


def dual_point(design: Design, tables: FloatArray) -> DualPoint:
    """Move the posteriors of ``tables``, near the L-model's optimum, until the counts are met."""
    total = float(design.weights.sum())
    local = best = design.linearise(tables)
    for _ in range(_CORRECTIONS):
        reached = _residual(best)
        if reached <= _MET * total:
            break
        # Clipping at 0 may raise the residual once; the next correction then meets it.
        local = _corrected(design, local)
        best = min(best, local, key=_residual)
        if reached <= _COUNT_TOLERANCE * total and _residual(best) > _STALLED * reached:
            break
    return _judge(design, tables, best, total)


def _residual(local: Linearisation) -> float:
    """Sum of absolute differences between expected and observed family counts."""
    return float(np.abs(local.relative_gradient).sum())


def _judge(design: Design, tables: FloatArray, local: Linearisation, total: float) -> DualPoint:
    q = local.posteriors
    residual = _residual(local)
    if residual > _COUNT_TOLERANCE * total:
        return DualPoint(q, residual, None)
    entropy = -np.sum(q * np.log(np.where(q > 0, q, 1.0)), axis=1)
    # What the counts still miss enters the duality argument as ⟨tables, residual⟩.
    slack = float(np.abs((tables[:, 1:] - tables[:, :1]) * local.relative_gradient).sum())
    return DualPoint(q, residual, slack - float(design.weights @ entropy))


def _corrected(design: Design, local: Linearisation) -> Linearisation:
    """One linearised correction q ← q · (1 + δη − E_q δη), kept in [0, 1]."""
    step = _with_reference(_newton_step(local))
    scores = design.scores(step)
    q = local.posteriors
    change = 1.0 + scores - np.sum(q * scores, axis=1, keepdims=True)
    q = np.maximum(q * change, 0.0)
    q /= q.sum(axis=1, keepdims=True)
    observed = np.zeros_like(q)
    observed[np.arange(len(q)), design.classes] = 1.0
    gradient = design.sums(design.weights[:, None] * (observed - q))
    return Linearisation(design, local.cll, gradient[:, 1:], q[:, 1:])


def _newton_step(local: Linearisation) -> FloatArray:
    shape = local.relative_gradient.shape

    def product(v: FloatArray) -> FloatArray:
        return local.hessian_product(_with_reference(v.reshape(shape)))[:, 1:].ravel()

    diagonal = local.hessian_diagonal()[:, 1:].ravel()
    scale = np.maximum(diagonal, _LEAST_CURVATURE * max(float(diagonal.max(initial=0.0)), 1.0))
    target = local.relative_gradient.ravel()
    system = NewtonSystem(-target, product, lambda r: r / scale)
    enough = _SOLVED * system.gradient_length
    while not system.ended and system.residual > enough and system.n_products < _MOST_PRODUCTS:
        system.step()
    return system.p.reshape(shape)


def _with_reference(relative: FloatArray) -> FloatArray:
    """Full tables of a direction whose reference column stays 0."""
    return np.concatenate([np.zeros((len(relative), 1)), relative], axis=1)

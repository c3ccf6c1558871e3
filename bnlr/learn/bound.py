"""A proven upper bound on the CLL that any parameters of a structure can reach.

The L-model contains the network's model (Wettig et al. 2003, Theorem 1). For any class
distributions q_i, one per row, whose expected family counts equal the observed ones, weak duality
gives sup CLL ≤ −Σ w_i H(q_i). A numerical maximum lies below the supremum and proves nothing; this
does.
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.tables import Design, Linearisation
from bnlr.objectives.precondition import inverse_curvature
from bnlr.optimize.base import Operator
from bnlr.optimize.inner import NewtonSystem

_CORRECTIONS = 12
_COUNT_TOLERANCE = 1e-9
_MET, _NEAR = 1e-15, 1e-10
_INTERIOR = 5e-4
_STALLED = 0.1
_SOLVED, _LEAST_SOLVED, _SAFETY = 1e-10, 1e-2, 0.3
_MOST_PRODUCTS = 2000
_MOST_LOOKUPS, _LEAST_PRODUCTS = 2e9, 100


@dataclass(frozen=True)
class DualPoint:
    """What the class distributions q_i prove.

    ``residual`` is the sum of absolute differences between their family counts and the observed
    ones, ``least`` the smallest weight · probability of any row and class, ``bound`` the upper
    bound on the CLL, None where the counts are not met.
    """

    residual: float
    least: float
    bound: float | None


def dual_point(
    design: Design,
    tables: FloatArray,
    local: Linearisation | None = None,
    inverse: Operator | None = None,
) -> DualPoint:
    """Move the posteriors of ``tables``, near the L-model's optimum, until the counts are met.

    ``tables`` are differences from the first class. Who knows them already hands over what
    ``design`` is there, ``local``, and about the inverse of the curvature.
    """
    total = design.total_weight
    local = best = design.linearise(tables) if local is None else local
    # As near as telling the smallest probability from 0 takes, if rounding allows that.
    interior = _INTERIOR * local.entropy()[1]
    goal = interior if _MET * total <= interior <= _NEAR * total else _NEAR * total
    products = _products_allowed(design)
    for _ in range(_CORRECTIONS):
        reached = _residual(best)
        if reached <= goal or products <= 0:
            break
        inverse = inverse or inverse_curvature(local)
        # Clipping at 0 may raise the residual once; the next correction then meets it.
        system = _newton_system(local, inverse, goal / _residual(local), products)
        products -= system.n_products
        if system.n_products > getattr(inverse, "renewal", inf):
            inverse = None
        local = local.corrected(system.p.reshape(local.gradient.shape))
        best = min(best, local, key=_residual)
        if reached <= _COUNT_TOLERANCE * total and _residual(best) > _STALLED * reached:
            break
    return _judge(tables, best, total)


def _residual(local: Linearisation) -> float:
    """Sum of absolute differences between expected and observed family counts."""
    return float(np.abs(local.gradient).sum())


def _judge(tables: FloatArray, local: Linearisation, total: float) -> DualPoint:
    residual = _residual(local)
    entropy, least = local.entropy()
    if residual > _COUNT_TOLERANCE * total:
        return DualPoint(residual, least, None)
    # What the counts still miss enters the duality argument as ⟨tables, residual⟩.
    slack = float(np.abs(tables * local.gradient).sum())
    return DualPoint(residual, least, slack - entropy)


def _products_allowed(design: Design) -> int:
    """Hessian products that a proof may cost: a second or two on nearly separable large data."""
    lookups = design.codes.size * (design.layout.n_classes - 1)
    return max(_LEAST_PRODUCTS, int(_MOST_LOOKUPS / max(lookups, 1)))


def _newton_system(
    local: Linearisation, inverse: Operator, ratio: float, most: int
) -> NewtonSystem:
    """Solve for the step that shrinks the residual of the counts by about ``ratio``."""
    shape = local.gradient.shape

    def product(v: FloatArray) -> FloatArray:
        return local.hessian_product(v.reshape(shape)).ravel()

    system = NewtonSystem(-local.gradient.ravel(), product, inverse)
    enough = min(max(_SAFETY * ratio, _SOLVED), _LEAST_SOLVED) * system.gradient_length
    while (
        not system.ended
        and system.residual > enough
        and system.n_products < min(most, _MOST_PRODUCTS)
    ):
        system.step()
    return system

"""A proven upper bound on the CLL that any parameters of a structure can reach.

The L-model contains the network's model (Wettig et al. 2003, Theorem 1). For any class
distributions q_i, one per row, whose expected family counts equal the observed ones, weak duality
gives sup CLL ≤ −Σ w_i H(q_i). A numerical maximum lies below the supremum and proves nothing; this
does. The counts are met up to a residual, and what that is worth depends on tables that attain the
supremum. So there must be some: q has to keep every class clear of probability 0, by more than the
residual. Where classes run away none does, and they have to be made impossible first.
"""

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from bnlr._typing import BoolArray, FloatArray
from bnlr.design.tables import Design, Linearisation
from bnlr.objectives.precondition import inverse_curvature
from bnlr.optimize.base import Operator
from bnlr.optimize.inner import NewtonSystem

_CORRECTIONS = 12
_MET, _NEAR = 1e-15, 1e-10
_INTERIOR = 5e-4
# Coefficients are 0 and ±1, so a separating direction of size 1 has some margin above this.
_CERTAIN_MARGIN = 1e-3
_STALLED_BELOW, _STALLED = 1e-9, 0.1
_SOLVED, _LEAST_SOLVED, _SAFETY = 1e-10, 1e-2, 0.3
_MOST_PRODUCTS = 2000
_MOST_LOOKUPS, _LEAST_PRODUCTS = 2e9, 100
_DROPPED = (1e-9, 1e-7, 1e-5)  # of an average row
_MOST_OF_ONE = 150  # Hessian products until fewer classes are possible
_EPS, _ROUNDING, _TINY = 2.0**-52, 2.0**-50, 1e-300


@dataclass(frozen=True)
class DualPoint:
    """Class distributions q_i that nearly meet the counts, and what they prove.

    ``residual`` is the sum of absolute differences between their family counts and the observed
    ones, ``least`` the smallest weight · probability of any row and possible class, ``bound`` the
    upper bound on the CLL, None unless q is interior. ``is_of_all`` tells whether every class that
    was asked for is possible.
    """

    residual: float
    least: float
    bound: float | None
    is_of_all: bool = True

    @property
    def is_interior(self) -> bool:
        """Whether distributions near q meet the counts and are positive where q is.

        A direction of recession of size 1 would have margins of at most residual / least.
        """
        return self.residual < _CERTAIN_MARGIN * self.least


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
    local = design.linearise(tables) if local is None else local
    local, moved = _corrected(local, local.entropy()[1], inverse)
    return _judged(tables + moved, local, *local.entropy())


def restricted(design: Design, tables: FloatArray, possible: BoolArray | None = None) -> DualPoint:
    """Dual point of ``design`` with fewer classes possible, until it is interior.

    With fewer classes possible no parameters have a smaller CLL, so that the bound is one still.

    Parameters
    ----------
    possible : array of shape (n_rows, n_classes), optional
        The classes to begin with; of these, such of hardly any probability are left out later.
    """
    local = design.linearise(tables)
    if possible is not None:
        local = _only(local, possible)
    dual = _of_possible(local, tables)
    mean = design.total_weight / design.n_rows
    for share in _DROPPED:
        if dual.is_interior:
            break
        faint = design.weights[:, None] * _shares(local) <= share * mean
        local = _only(local, ~faint)
        dual = replace(_of_possible(local, tables), is_of_all=False)
    return dual


def _of_possible(local: Linearisation, tables: FloatArray) -> DualPoint:
    total = local.design.total_weight
    local, moved = _corrected(local, _least_possible(local), None, _MOST_OF_ONE)
    # The first class's share is 1 less the others', which rounding keeps from being 0.
    blurred = _EPS * total * (1.0 + float(np.abs(tables).max(initial=0.0)))
    return _judged(tables + moved, local, local.entropy()[0] - blurred, _least_possible(local))


def _only(local: Linearisation, possible: BoolArray) -> Linearisation:
    """The posteriors with no other classes than the row's own and the ``possible`` ones."""
    design = local.design
    whole = _shares(local)
    own = np.arange(len(whole)), design.classes.astype(np.intp)
    mine = np.maximum(whole[own], _TINY)
    whole[~possible] = 0.0
    whole[own] = mine
    whole /= whole.sum(axis=1, keepdims=True)
    masked = replace(local, probabilities=np.ascontiguousarray(whole[:, 1:]))
    return masked.corrected(np.zeros_like(local.gradient))


def _least_possible(local: Linearisation) -> float:
    """The smallest weight · probability of any row and class that is not impossible."""
    shares = _shares(local)
    masses = local.design.weights[:, None] * shares
    return float(masses.min(where=shares > 4 * _EPS, initial=inf))


def _corrected(
    local: Linearisation, least: float, inverse: Operator | None, most: float = inf
) -> tuple[Linearisation, FloatArray]:
    """Posteriors that meet the counts as nearly as rounding, or telling ``least`` from 0, asks.

    Also the tables, (n_cells, n_classes − 1), by which they differ from those of ``local``.
    """
    design, best, total = local.design, local, local.design.total_weight
    moved = nearest = np.zeros_like(local.gradient)
    # As near as telling the smallest probability from 0 takes, if rounding allows that.
    interior = _INTERIOR * least
    goal = interior if _MET * total <= interior <= _NEAR * total else _NEAR * total
    products = min(_products_allowed(design), most)
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
        step = system.p.reshape(local.gradient.shape)
        local, moved = local.corrected(step), moved + step
        if _residual(local) < reached:
            best, nearest = local, moved
        if reached <= _STALLED_BELOW * total and _residual(best) > _STALLED * reached:
            break
    return best, nearest


def _residual(local: Linearisation) -> float:
    """Sum of absolute differences between expected and observed family counts."""
    return float(np.abs(local.gradient).sum())


def _judged(tables: FloatArray, local: Linearisation, entropy: float, least: float) -> DualPoint:
    residual = _residual(local)
    dual = DualPoint(residual, least, None)
    if not dual.is_interior:
        return dual
    # What the counts still miss enters the duality argument as ⟨optimal tables, residual⟩.
    slack = float(((np.abs(tables) + 1.0) * np.abs(local.gradient)).sum())
    return replace(dual, bound=slack - entropy * (1.0 - _ROUNDING))


def _shares(local: Linearisation) -> FloatArray:
    """Posteriors of all classes, (n_rows, n_classes)."""
    others = local.probabilities
    first = np.maximum(1.0 - others.sum(axis=1, keepdims=True), 0.0)
    return np.concatenate([first, others], axis=1)


def _products_allowed(design: Design) -> int:
    """Hessian products that a proof may cost: a second or two on nearly separable large data."""
    lookups = design.codes.size * (design.layout.n_classes - 1)
    return max(_LEAST_PRODUCTS, int(_MOST_LOOKUPS / max(lookups, 1)))


def _newton_system(
    local: Linearisation, inverse: Operator, ratio: float, most: float
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

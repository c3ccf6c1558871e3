"""A proven upper bound on the CLL that any parameters of a structure can reach.

The L-model contains the network's model (Wettig et al. 2003, Theorem 1). For any class
distributions q_i, one per row, whose expected family counts equal the observed ones, weak duality
gives sup CLL ≤ −Σ w_i H(q_i). A numerical maximum lies below the supremum and proves nothing; this
does. The counts are met up to a residual, and what that is worth depends on tables that attain the
supremum. So there must be some: q has to keep every class clear of probability 0, by more than the
residual. Where classes run away none does, and they have to be made impossible first.

Sums over rows meet the counts to about 1e-16 of all, if the corrections know the Hessian itself:
with less, what runs away and what is faint alone resist in directions that no product shows.
"""

from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

import numpy as np

from bnlr._typing import BoolArray, FloatArray
from bnlr.design.packed_rows import Design, Linearisation
from bnlr.objectives.minimum_norm import least_tables
from bnlr.objectives.precondition import (
    Exact,
    exact_inverse,
    inverse_by_class,
    inverse_curvature,
)
from bnlr.optimize.base import Operator, Preconditioner
from bnlr.optimize.newton_system import NewtonSystem
from bnlr.progress import tell

_CORRECTIONS = 12
_MET, _CLOSE, _NEAR = 1e-15, 1e-13, 1e-10
_INTERIOR = 5e-4
# Coefficients are 0 and ±1, so a separating direction of size 1 has some margin above this.
_CERTAIN_MARGIN = 1e-3
_STALLED_BELOW, _STALLED = 1e-9, 0.1
_SOLVED, _LEAST_SOLVED, _SAFETY = 1e-10, 1e-2, 0.3
_MOST_PRODUCTS = 2000
_FACTOR, _SHARE = 30, 0.2  # products that an inverse may cost where it spares hundreds
_FEW = 60  # products with an inverse that costs less
_GROWN = 30.0  # from the least residual: conjugate gradients have lost their way
_MOST_LOOKUPS, _LEAST_PRODUCTS = 2e9, 100
_FEW_LOOKUPS = 2**18  # a product, which then takes no longer than a projection
_DEAR_LOOKUPS = 2**21  # a product, of which a sharper bound takes a hundred more
# What is left out: of all rows at first, of an average row at most.
_FAINT, _FAINTER, _FAINTEST = 1e-12, 10.0, 1e-5
_FAR_ENOUGH, _FARTHER = 1.5, 4.0  # the latter where to come as near again is dear
_LIFTED, _MOST_LIFTS = 1e-11, 4
_FALLING, _LIGHT = 0.5, 1e3
_FINE = 1e-5
_HARD = 1e-7  # of all, where the corrections still missing are those that resist
_MOST_OF_ONE = 100  # Hessian products of all corrections; where they help, a few dozen do
_OUT_OF_REACH = 1e-15  # of all
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


class Effort(NamedTuple):
    """What a proof may cost, and how sharp it need not be.

    ``products`` : Hessian products that finding the tables took; the proof may take about as many
    ``slack`` : natural log, by about which a bound may be looser if that spares it much
    """

    products: int = 0
    slack: float = 0.0


LEAST_EFFORT = Effort()


def dual_point(
    design: Design,
    tables: FloatArray,
    local: Linearisation | None = None,
    inverse: Preconditioner | None = None,
    effort: Effort = LEAST_EFFORT,
) -> DualPoint:
    """Move the posteriors of ``tables``, near the L-model's optimum, until the counts are met.

    ``tables`` are differences from the first class. Who knows them already hands over what
    ``design`` is there, ``local``, about the inverse of the curvature, and the ``effort`` that a
    proof is worth.
    """
    local = design.linearise(tables) if local is None else local
    local, moved = _corrected(local, local.entropy()[1], inverse, effort)
    return _judged(tables + moved, local, *local.entropy())


class Restricted(NamedTuple):
    """A dual point, and the classes possible in it, (n_rows, n_classes)."""

    dual: DualPoint
    possible: BoolArray


def restricted(
    design: Design,
    tables: FloatArray,
    possible: BoolArray | None = None,
    local: Linearisation | None = None,
    inverse: Preconditioner | None = None,
    effort: Effort = LEAST_EFFORT,
) -> Restricted:
    """Dual point of ``design`` with fewer classes possible, until it is interior.

    With fewer classes possible no parameters have a smaller CLL, so that the bound is one still.
    Every correction lowers the classes that run away by a factor; they are left out as soon as
    the residual, as nearly as rounding lets it come to 0, could not tell them from impossible ones.

    Parameters
    ----------
    possible : array of shape (n_rows, n_classes), optional
        The classes to begin with.
    local, inverse, effort
        As for `dual_point`.
    """
    local = design.linearise(tables) if local is None else local
    is_known = possible is not None
    if possible is None:
        possible = np.ones((design.n_rows, design.layout.n_classes), dtype=np.bool_)
    else:
        possible = possible.copy()
        possible[np.arange(len(possible)), design.classes.astype(np.intp)] = True
        local = _only(local, possible)
    thinning = _Thinning(local, possible, inverse, effort)
    if is_known and design.n_lookups > _DEAR_LOOKUPS:
        thinning.spare()
    return Restricted(thinning.dual(tables), thinning.possible)


def lifted(design: Design, tables: FloatArray, local: Linearisation | None = None) -> DualPoint:
    """Dual point with every class clear of probability 0, near the optimum or not.

    Whether any distributions inside (0, 1) meet the counts does not depend on the optimum. So those
    there that are too near 0 to be told from it are raised, and all corrected for that.
    """
    local = design.linearise(tables) if local is None else local
    least = _LIFTED * design.total_weight
    dual = DualPoint(inf, 0.0, None)
    for k in range(_MOST_LIFTS):
        local = _raised(local, least)
        exact = exact_inverse(local) if k else None
        inverse = exact or _inverse(local, _LEAST_PRODUCTS)
        system = _newton_system(local, inverse, _SOLVED, _LEAST_PRODUCTS)
        local = local.corrected(system.p.reshape(local.gradient.shape))
        dual = _judged(tables, local, *local.entropy())
        if dual.is_interior:
            break
    return dual


def _raised(local: Linearisation, least: float) -> Linearisation:
    """The posteriors with weights · probabilities of ``least`` at least, about."""
    whole = np.maximum(_shares(local), least / local.design.weights[:, None])
    return _renewed(local, whole)


def _renewed(local: Linearisation, whole: FloatArray) -> Linearisation:
    """``local`` at other posteriors, (n_rows, n_classes), which are scaled to sums of 1."""
    whole /= whole.sum(axis=1, keepdims=True)
    other = replace(local, probabilities=np.ascontiguousarray(whole[:, 1:]))
    return other.corrected(np.zeros_like(local.gradient))


def _tilted(local: Linearisation, step: FloatArray) -> Linearisation:
    """The posteriors of tables that differ by ``step``, where ``corrected`` is its first order."""
    scores = np.pad(local.design.scores(step), ((0, 0), (1, 0)))
    shares = _shares(local)
    scores[shares == 0.0] = -inf
    scores -= scores.max(axis=1, keepdims=True)
    return _renewed(local, shares * np.exp(scores))


class _Thinning:
    """Posteriors corrected to meet the counts, fainter classes left out on the way."""

    def __init__(
        self,
        local: Linearisation,
        possible: BoolArray,
        inverse: Preconditioner | None,
        effort: Effort,
    ) -> None:
        self.local, self.possible, self._inverse = local, possible, inverse
        self._moved = np.zeros_like(local.gradient)
        self._faint = _FAINT * local.design.total_weight
        self._most = _FAINTEST * local.design.total_weight / local.design.n_rows
        self._products = max(min(_products_allowed(local.design), _MOST_OF_ONE), effort.products)
        self._slack = effort.slack
        self._is_dear = local.design.n_lookups > _DEAR_LOOKUPS
        self._far_enough = _FARTHER if self._is_dear else _FAR_ENOUGH
        self._is_of_all, self._is_stale, self._is_lost = True, inverse is not None, False
        self._masses = self._weighted(local)

    def spare(self) -> None:
        """Leave out more from the start, if the bound may be looser by that."""
        if self._is_spared:
            self._faint *= _FAINTER

    def dual(self, tables: FloatArray) -> DualPoint:
        """What is proven, near ``tables``, when nothing faint is left."""
        self._leave_out(self._masses <= self._faint)
        while self._products > 0 and not (self._is_dear and self._is_out_of_reach):
            reached, needed = _residual(self.local), _INTERIOR * self._least
            goal = min(needed, _CLOSE * self.local.design.total_weight)
            if reached <= goal:
                break
            before, light = self._masses, self._masses <= _LIGHT * self._faint
            after, step = self._corrected(min(max(_SAFETY * goal / reached, _FINE), _LEAST_SOLVED))
            masses, left = self._weighted(after), _residual(after)
            sinks = masses <= self._faint
            if (sinks & ~light).any():
                # Too long a step for a correction of first order; what is clipped is no guide.
                after = _tilted(self.local, step)
                masses, left = self._weighted(after), _residual(after)
                sinks = masses <= self._faint
            # Along what faint classes alone resist such a step tells which these are.
            if left < reached and not (sinks & ~light).any():
                self.local, self._moved, self._masses = after, self._moved + step, masses
            if self._leave_out(light & (sinks | (masses < _FALLING * before))):
                continue
            if min(reached, left) <= needed:
                if left > _STALLED * reached:
                    break
                continue
            enough = self._far_enough * left / _INTERIOR
            is_near = enough < _FAINTER * self._faint
            if not (left > _STALLED * reached or is_near):
                continue
            if _residual(self.local) < _CERTAIN_MARGIN * self._least:
                break
            if self._is_replaced(is_near):
                continue
            if self._faint < self._most:
                self._faint = max(enough, self._faint) if is_near else _FAINTER * self._faint
                self._leave_out(self._masses <= self._faint)
            else:
                break
        return self._judged(tables)

    def _is_replaced(self, is_near: bool) -> bool:
        """Whether a better inverse can take over from one that leads on no more.

        Where the goal ``is_near``, or the bound may be looser, it is reached more cheaply by
        leaving out a little more.
        """
        if self._is_stale:
            self._inverse = None
            return True
        if isinstance(self._inverse, Exact):
            return False
        is_hard = _residual(self.local) <= _HARD * self.local.design.total_weight
        if is_hard and not is_near and self._is_spared:
            return False
        exact = exact_inverse(self.local, is_needed=is_hard and not is_near)
        self._inverse = exact or self._inverse
        return exact is not None

    @property
    def _is_spared(self) -> bool:
        """Whether what is left out next loosens the bound, by about its mass, no more than it may.

        A class of probability q left out raises the CLL by −log(1 − q), the tables being the same.
        """
        next_out = self._masses[self._masses <= _FAINTER * self._faint]
        return self._faint < self._most and float(next_out.sum()) <= self._slack

    def _corrected(self, share: float) -> tuple[Linearisation, FloatArray]:
        """A correction that leaves about a ``share`` of the residual, and its tables."""
        if self._is_lost and not isinstance(self._inverse, Exact):
            self._inverse = exact_inverse(self.local) or self._inverse
        if self._inverse is None:
            self._inverse = _inverse(self.local, self._products)
            self._is_stale = False
        inverse = self._inverse
        system = _newton_system(self.local, inverse, share, self._products)
        self._products -= max(system.n_products, 1)
        self._is_lost = system.ended == "flat" and not isinstance(inverse, Exact)
        if system.n_products > inverse.renewal:
            self._inverse = None
        step = system.p.reshape(self._moved.shape)
        return self.local.corrected(step), step

    def _leave_out(self, faint: BoolArray) -> bool:
        """Make classes of rows, other than their own, impossible; whether any was possible."""
        faint &= self.possible
        faint[np.arange(len(faint)), self.local.design.classes.astype(np.intp)] = False
        if not faint.any():
            return False
        self._is_of_all = self._is_lost = False
        self.possible &= ~faint
        self.local = _only(self.local, self.possible)
        self._masses, self._is_stale = self._weighted(self.local), True
        return True

    def _weighted(self, local: Linearisation) -> FloatArray:
        """Weight · probability of every row and class, infinite for impossible ones."""
        shares = _shares(local)
        if local.design.row_weights.size:
            shares *= local.design.row_weights[:, None]
        # The first class's share is 1 less the others', which rounding keeps from being 0.
        shares[~self.possible] = inf
        return shares

    @property
    def _least(self) -> float:
        return float(self._masses.min())

    @property
    def _is_out_of_reach(self) -> bool:
        """Whether a row's own class, which has to stay possible, is too faint for any rounding.

        No residual of sums over all rows could be so small beside it.
        """
        own = np.arange(len(self._masses)), self.local.design.classes.astype(np.intp)
        return float(self._masses[own].min()) < _OUT_OF_REACH * self.local.design.total_weight

    def _judged(self, tables: FloatArray) -> DualPoint:
        total = self.local.design.total_weight
        blurred = _EPS * total * (1.0 + float(np.abs(tables).max(initial=0.0)))
        entropy, least = self.local.entropy()[0] - blurred, self._least
        dual = _judged(tables + self._moved, self.local, entropy, least)
        return replace(dual, is_of_all=self._is_of_all)


def _only(local: Linearisation, possible: BoolArray) -> Linearisation:
    """The posteriors with no other classes than the row's own and the ``possible`` ones."""
    design = local.design
    whole = _shares(local)
    own = np.arange(len(whole)), design.classes.astype(np.intp)
    mine = np.maximum(whole[own], _TINY)
    whole[~possible] = 0.0
    whole[own] = mine
    return _renewed(local, whole)


def _corrected(
    local: Linearisation, least: float, inverse: Preconditioner | None, effort: Effort
) -> tuple[Linearisation, FloatArray]:
    """Posteriors that meet the counts as nearly as rounding, or telling ``least`` from 0, asks.

    Also the tables, (n_cells, n_classes − 1), by which they differ from those of ``local``.
    """
    design, best, total = local.design, local, local.design.total_weight
    moved = nearest = np.zeros_like(local.gradient)
    # As near as telling the smallest probability from 0 takes, if rounding allows that.
    interior = _INTERIOR * least
    goal = interior if _MET * total <= interior <= _NEAR * total else _NEAR * total
    products: float = max(_products_allowed(design), effort.products)
    is_raised = False
    for k in range(_CORRECTIONS):
        reached = _residual(best)
        if reached <= goal or products <= 0:
            break
        inverse = inverse or (_inverse(local, products) if k else inverse_curvature(local))
        # Clipping at 0 may raise the residual once; the next correction then meets it.
        enough = min(max(_SAFETY * goal / _residual(local), _SOLVED), _LEAST_SOLVED)
        system = _newton_system(local, inverse, enough, products if k else min(products, _FEW))
        products -= system.n_products
        if system.n_products > min(inverse.renewal, _FEW - 1):
            inverse = None
        step = system.p.reshape(local.gradient.shape)
        local, moved = local.corrected(step), moved + step
        if _residual(local) < reached:
            best, nearest, is_raised = local, moved, False
        elif is_raised:
            # No accident of clipping: the inverse is too rough to lead on.
            local, moved, inverse = best, nearest, None
        else:
            is_raised = True
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
    return max(_LEAST_PRODUCTS, int(_MOST_LOOKUPS / max(design.n_lookups, 1)))


def _newton_system(
    local: Linearisation, inverse: Preconditioner, share: float, most: float
) -> NewtonSystem:
    """Solve for the step that leaves a ``share`` of the residual of the counts."""
    most, n_products = min(most, _MOST_PRODUCTS), 0
    if isinstance(inverse, Exact) or local.design.n_lookups < _FEW_LOOKUPS:
        system = _iterated(local, inverse, share, most)
        if system.ended != "flat" or isinstance(inverse, Exact):
            return system
        n_products = system.n_products
    # What families can trade no row tells, and rounding in it would grow over all else.
    least, shape = least_tables(local.design.layout), local.gradient.shape
    system = _iterated(
        local, lambda r: least.visible(inverse(r).reshape(shape)).ravel(), share, most
    )
    system.n_products += n_products
    return system


def _inverse(local: Linearisation, products: float) -> Preconditioner:
    """The best that is cheap beside the ``products`` still allowed."""
    most = max(_FACTOR, _SHARE * products)
    return inverse_by_class(local, most) or inverse_curvature(local)


def _iterated(local: Linearisation, inverse: Operator, share: float, most: float) -> NewtonSystem:
    """The nearest of the conjugate gradients' iterates until one leaves the ``share``."""
    shape = local.gradient.shape

    def product(v: FloatArray) -> FloatArray:
        return local.hessian_product(v.reshape(shape)).ravel()

    system = NewtonSystem(-local.gradient.ravel(), product, inverse)
    enough = share * system.gradient_length
    lowest, nearest = system.gradient_length, system.p
    while not system.ended and system.residual > enough and system.n_products < most:
        system.step()
        tell(lambda: f"proof of the optimum: {system.n_products:,} products with the Hessian")
        if system.residual <= lowest:
            lowest, nearest = system.residual, system.p
        elif system.residual > _GROWN * lowest:
            system.ended = "flat"
    system.p = nearest
    return system

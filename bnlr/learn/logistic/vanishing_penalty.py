"""Where the CLL has no maximiser: the end of the path of vanishing penalties.

Any large enough parameters come within tol of the supremum, and a solver stops at arbitrary ones
that may reach a thousand and turn CPT entries into exact zeros. The penalised optima for ever
smaller penalties are unique and grow with the logarithm of the penalty's inverse only: they tend to
the direction of the largest margin (Rosset, Zhu & Hastie 2004), which also predicts best. Growing
so they lie nearly on a line over the logarithm: from two of them the next is foreseen, a step or
two of Newton's method from where it is.
"""

from math import log, sqrt
from typing import NamedTuple

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.packed_rows import Design
from bnlr.learn.proof.log_odds import largest_log_odds
from bnlr.learn.runs.solver import find_minimum
from bnlr.network import BayesianNetwork
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import Penalty
from bnlr.optimize.base import Result
from bnlr.spaces.l_model import Free

_APPROACH = (1.0, 1e-1, 1e-2)  # too much to be the end; on the way to the others
_VANISHING = (1e-3, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13, 1e-14)
_PRECISION = 1e-11
_POLISH, _FINEST = 1e-9, 1e-16
_MOST_ITERATIONS = 50
_MOST_PRODUCTS = 100
_LARGEST = 400.0
# Of many classes a product takes so many lookups that thousands would take minutes.
_DEAR, _ROUGH = 5e7, 3e-2
_CLOSE = 4.0  # ratio of strengths
_LEAST_TOLD = 1e-9  # where smaller ones let log-odds run away, rounding does


class PathEnd(NamedTuple):
    """The last penalised optimum: its tables (differences from the first class) and penalty.

    ``n_iter`` are the iterations of the whole path.
    """

    tables: FloatArray
    strength: float
    n_iter: int


def vanishing_penalty(design: Design, start: BayesianNetwork, enough: float) -> PathEnd | None:
    """Follow the penalised optima from ``start`` until the CLL reaches ``enough``.

    One coordinate a table cell lets every penalised optimum be the smallest that there is. The
    path ends earlier where rounding takes over and the log-odds run away after all; None if they
    do at once. Where it `is_dear` it is followed roughly.
    """
    coarsest = _ROUGH if is_dear(design) else _PRECISION
    space = Free(start.structure, start.states)
    x, n_iter, too_small = space.from_network(start), 0, 0.0
    before: PathEnd | None = None
    end: PathEnd | None = None
    while (strength := _next_strength(end, too_small)) is not None:
        x = x if end is None else _foreseen(end, before, strength)
        # Only the end matters: a stage is solved as finely as its own penalty tells points apart.
        result = _penalised_optimum(design, space, x, strength, max(coarsest, strength))
        n_iter, tables = n_iter + result.n_iter, space.differences(result.x)
        if largest_log_odds(tables) > _LARGEST:
            too_small = strength
            continue
        before, end = end, PathEnd(tables, strength, n_iter)
        if _may_end(end) and design.cll(tables) >= enough:
            break
    if end is None or not _may_end(end):
        return None
    return end if is_dear(design) else _polished(design, space, end)


def is_dear(design: Design) -> bool:
    """Whether following the path to all digits would take minutes."""
    return design.n_lookups > _DEAR


def _may_end(end: PathEnd) -> bool:
    return end.strength <= _VANISHING[0]


def _foreseen(end: PathEnd, before: PathEnd | None, strength: float) -> FloatArray:
    """Where the optimum will be, by a line through the last two over log(strength)."""
    x = end.tables.ravel()
    if before is None:
        return x
    further = log(strength / end.strength) / log(end.strength / before.strength)
    return x + further * (x - before.tables.ravel())


def _next_strength(end: PathEnd | None, too_small: float) -> float | None:
    """What comes after ``end``'s strength, above one that was ``too_small``; None if none does."""
    if not too_small:
        path = _APPROACH + _VANISHING
        return next((s for s in path if end is None or s < end.strength), None)
    if (
        end is None
        or not _may_end(end)
        or end.strength <= _CLOSE * too_small
        or too_small < _LEAST_TOLD
    ):
        return None
    return sqrt(end.strength * too_small)


def _penalised_optimum(
    design: Design, space: Free, x: FloatArray, strength: float, tol: float
) -> Result:
    centre = np.zeros((design.layout.n_cells, design.layout.n_classes - 1))
    return find_minimum(
        ConditionalObjective(design, space, Penalty(design.layout, strength, centre)),
        x,
        solver="newton",
        tol=tol,
        max_iter=_MOST_ITERATIONS,
        max_products=_MOST_PRODUCTS,
    )


def _polished(design: Design, space: Free, end: PathEnd) -> PathEnd:
    """The same optimum to more digits, so that what is reported depends on the data alone."""
    tol = max(_FINEST, _POLISH * end.strength)
    result = _penalised_optimum(design, space, end.tables.ravel(), end.strength, tol)
    tables = space.differences(result.x)
    if largest_log_odds(tables) > _LARGEST:
        return end
    return PathEnd(tables, end.strength, end.n_iter + result.n_iter)

"""Where the CLL has no maximiser: the end of the path of vanishing penalties.

Any large enough parameters come within tol of the supremum, and a solver stops at arbitrary ones
that may reach a thousand and turn CPT entries into exact zeros. The penalised optima for ever
smaller penalties are unique and grow with the logarithm of the penalty's inverse only: they tend to
the direction of the largest margin (Rosset, Zhu & Hastie 2004), which also predicts best. Growing
so they lie nearly on a line over the logarithm: from two of them the next is foreseen, a step or
two of Newton's method from where it is.

Where rows of many classes can be told apart there is a shorter road than Newton's method and the
path after it: the first optimum, roughly, that tells them apart, lengthened.
"""

from math import inf, log, sqrt
from typing import NamedTuple

import numpy as np

from bnlr._typing import FloatArray
from bnlr.design.packed_rows import Design
from bnlr.learn.proof.log_odds import largest_log_odds
from bnlr.learn.runs.solver import find_minimum
from bnlr.network import BayesianNetwork
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import Penalty
from bnlr.optimize.base import Objective, OnIteration, Result, State, go_on
from bnlr.optimize.trace import CountingObjective
from bnlr.progress import stage, tell
from bnlr.spaces.l_model import Free

_APPROACH = (1.0, 1e-1, 1e-2)  # too much to be the end; on the way to the others
_VANISHING = (1e-3, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13, 1e-14)
_PRECISION = 1e-11
_POLISH, _FINEST = 1e-9, 1e-16
_MOST_ITERATIONS = 50
_MOST_PRODUCTS = 100
_LARGEST = 400.0
# Thousands of products of so many lookups take seconds, or minutes.
_SLOW, _DEAR = 2**17, 5e7
_ROUGH = 3e-2
# Of a slow path.
_MOST_LOOKUPS, _LEAST_PRODUCTS, _MOST_IN_ALL = 1e10, 300, 3000
_SHORT_PATH = tuple(10.0**-k for k in range(9))
# To be sure of an optimum takes ten times as many as to come near.
_FEWER_PRODUCTS, _FEW_PRODUCTS = 30, 12
_LONGEST, _MOST_STRETCH = 500.0, 8.0  # more is a direction of another kind
_SURELY = 0.5  # of the CLL aimed at, which the last step along a line need not quite reach
_HOPELESS = 0.5  # of the CLL: where a tenth of the penalty leaves more, rows are not told apart
_CLOSE = 4.0  # ratio of strengths
_LEAST_TOLD = 1e-9  # where smaller ones let log-odds run away, rounding does


class PathEnd(NamedTuple):
    """The last penalised optimum: its tables (differences from the first class) and penalty.

    ``n_iter`` are the iterations of the whole path, ``stretch`` is what the tables were lengthened
    by. ``is_cut_off`` tells that the path would have gone on if products cost less.
    """

    tables: FloatArray
    strength: float
    n_iter: int
    stretch: float = 1.0
    is_cut_off: bool = False


def vanishing_penalty(design: Design, start: BayesianNetwork, enough: float) -> PathEnd | None:
    """Follow the penalised optima from ``start`` until the CLL reaches ``enough``.

    One coordinate a table cell lets every penalised optimum be the smallest that there is. The
    path ends earlier where rounding takes over and the log-odds run away after all; None if they
    do at once. Where it `is_slow` it is followed roughly, and no further than some seconds lead.
    """
    with stage():
        end = _followed(design, Free(start.structure, start.states), start, enough)
    return None if end is None or not _may_end(end) else end


def _followed(design: Design, space: Free, start: BayesianNetwork, enough: float) -> PathEnd | None:
    path, x, too_small = _Path(design, space), space.from_network(start), 0.0
    before: PathEnd | None = None
    end: PathEnd | None = None
    while (strength := _next_strength(end, too_small)) is not None:
        x = x if end is None else _foreseen(end, before, strength)
        tables = space.differences(path.optimum(x, strength))
        if largest_log_odds(tables) > _LARGEST:
            too_small = strength
        else:
            before, end = end, PathEnd(tables, strength, path.n_iter)
            if _may_end(end) and design.cll(tables) >= enough:
                break
        if path.products <= 0:
            return None if end is None else end._replace(is_cut_off=True)
    return end if end is None or path.is_slow else _polished(design, space, end)


class _Path:
    """Penalised optima, one after another; ``products`` are those that may be spent still."""

    def __init__(self, design: Design, space: Free) -> None:
        self._design, self._space = design, space
        self.is_slow, self.n_iter, self.products = is_slow(design), 0, inf
        if self.is_slow:
            affordable = min(_MOST_IN_ALL, _MOST_LOOKUPS / design.n_lookups)
            self.products = max(_LEAST_PRODUCTS, affordable)

    def optimum(self, x: FloatArray, strength: float) -> FloatArray:
        """Where F is least under a penalty, found from ``x``, as closely as is worth it."""
        objective = _penalised(self._design, self._space, strength)
        # Only the end matters: a stage is solved as finely as its own penalty tells points apart.
        tol, most = max(_PRECISION, strength), _MOST_PRODUCTS
        if self.is_slow:
            most = _FEWER_PRODUCTS
            value = objective.value(x)
            penalty = value + self._design.cll(self._space.differences(x))
            tol = _ROUGH * penalty / max(1.0, value)
        counting = CountingObjective(objective)

        def go_on(state: State) -> bool:
            tell(lambda: f"penalty {strength:g}, iteration {state.iteration}")
            return counting.counts.hvp >= self.products

        result = _minimum(counting, x, tol, most, go_on)
        self.n_iter += result.n_iter
        self.products -= counting.counts.hvp
        return result.x


def told_apart(design: Design, start: BayesianNetwork, enough: float) -> PathEnd | None:
    """Tables that tell every row's class apart, so long that the CLL reaches ``enough``, below 0.

    From a penalised optimum near ``start``; None where none of moderate size is found.
    """
    space = Free(start.structure, start.states)
    x, n_iter, cll = space.from_network(start), 0, -inf
    before: PathEnd | None = None
    end: PathEnd | None = None
    with stage():
        for strength in _SHORT_PATH:
            x = x if end is None else _foreseen(end, before, strength)
            how = max(_ROUGH, strength), _FEW_PRODUCTS, _shown(strength)
            result = _minimum(_penalised(design, space, strength), x, *how)
            tables, n_iter = space.differences(result.x), n_iter + result.n_iter
            before, end = end, PathEnd(tables, strength, n_iter)
            if stretch := _stretch(design, tables, enough):
                return PathEnd(stretch * tables, strength, n_iter, stretch)
            left, cll = cll, design.cll(tables)
            if cll < _HOPELESS * left:
                break
    return None


def _shown(strength: float) -> OnIteration:
    """Say how far the optimum under a penalty is."""

    def show(state: State) -> None:
        tell(lambda: f"penalty {strength:g}, iteration {state.iteration}")

    return show


def _stretch(design: Design, tables: FloatArray, enough: float) -> float:
    """By what to lengthen ``tables`` for a CLL of ``enough``; 0 if no moderate length leads there.

    Where all rows are told apart the CLL's logarithm is nearly a line.
    """
    line, aim = design.along(tables, tables), _SURELY * enough
    further, longest = 0.0, min(_MOST_STRETCH, _LONGEST / max(largest_log_odds(tables), 1.0)) - 1.0
    while further <= longest:
        cll, slope = line(further)
        if cll >= enough:
            return 1.0 + further
        if not slope > 0:
            break
        further += log(aim / cll) * cll / slope
    return 0.0


def is_slow(design: Design) -> bool:
    """Whether following the path to all digits would take seconds at least."""
    return design.n_lookups > _SLOW


def is_dear(design: Design) -> bool:
    """Whether it would take minutes."""
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


def _penalised(design: Design, space: Free, strength: float) -> ConditionalObjective:
    centre = np.zeros((design.layout.n_cells, design.layout.n_classes - 1))
    return ConditionalObjective(design, space, Penalty(design.layout, strength, centre))


def _minimum(
    objective: Objective,
    x: FloatArray,
    tol: float,
    most: int = _MOST_PRODUCTS,
    on_iteration: OnIteration = go_on,
) -> Result:
    return find_minimum(
        objective,
        x,
        solver="newton",
        tol=tol,
        max_iter=_MOST_ITERATIONS,
        max_products=most,
        on_iteration=on_iteration,
    )


def _polished(design: Design, space: Free, end: PathEnd) -> PathEnd:
    """The same optimum to more digits, so that what is reported depends on the data alone."""
    tol = max(_FINEST, _POLISH * end.strength)
    result = _minimum(_penalised(design, space, end.strength), end.tables.ravel(), tol)
    tables = space.differences(result.x)
    if largest_log_odds(tables) > _LARGEST:
        return end
    return PathEnd(tables, end.strength, end.n_iter + result.n_iter)

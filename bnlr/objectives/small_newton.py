"""Newton's method where rows and tables are few: one compiled call an iteration.

A structure search fits thousands of such models, and Python between the products would take longer
than the products. The walk is ``NewtonWalk``'s, rule by rule; its numbers differ in rounding only.
"""

from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bnlr._typing import FloatArray, IntArray
from bnlr.design.packed_rows import Design, drawn_rows
from bnlr.native import kernels
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.precondition import BLEND, LEAST_CURVATURE, SMALL, sample_size
from bnlr.objectives.smooth_penalty import SmoothPenalty
from bnlr.optimize.base import Objective, OnIteration, Result, State, Status, go_on
from bnlr.optimize.decrement import RESOLVED, SETTLED, product_limit, settled_share
from bnlr.optimize.iteration import walk_on
from bnlr.optimize.line_search import MOST_EVALUATIONS, ROUNDING, SUFFICIENT
from bnlr.optimize.newton import (
    CUT_OFF,
    DOUBTFUL,
    EASY,
    FIRST_RADIUS,
    FLATTEN,
    GROWTH,
    MAX_STALLS,
    MEMORY,
    OVERCONFIDENT,
    RUNAWAY,
    account,
    broken_promise,
    check_options,
    confirmed,
)
from bnlr.optimize.trace import CountingObjective, Counts
from bnlr.spaces.l_model import Free

if TYPE_CHECKING:
    from bnlr.native import signatures

_MOST_CELLS = 512


class Rules(NamedTuple):
    """Numbers of Newton's method, of its line search and of its preconditioner."""

    flatten: float = FLATTEN
    sufficient: float = SUFFICIENT
    rounding: float = ROUNDING
    evaluations: float = MOST_EVALUATIONS
    first_radius: float = FIRST_RADIUS
    growth: float = GROWTH
    overconfident: float = OVERCONFIDENT
    doubtful: float = DOUBTFUL
    resolved: float = RESOLVED
    easy: float = EASY
    blend: float = BLEND
    least_curvature: float = LEAST_CURVATURE
    settled: float = SETTLED
    runaway: float = RUNAWAY
    most_stalls: float = MAX_STALLS


class Told(NamedTuple):
    """What the compiled walk tells of itself, in its order; counts too are floats."""

    value: float
    largest: float
    decrement: float
    gap: float
    decrease: float
    stalls: float
    cut: float
    n_iter: float
    n_cll: float
    n_gradient: float
    n_hvp: float


_RULES = Rules()
_NOTHING = Told(*[0.0] * len(Told._fields))
_GO_ON, _CONVERGED, _LOST = range(3)
_NONE = np.empty((0, 0))
_NO_PLACES = np.empty(0, dtype=np.intp)


def is_small(objective: Objective) -> bool:
    """Whether `newton` takes this objective, or this counted one, and is the faster.

    Its parameters are the tables, Python would take longer than the rows, and there are compiled
    kernels.
    """
    own = objective.objective if isinstance(objective, CountingObjective) else objective
    # A class derived from this one may answer otherwise.
    if type(own) is not ConditionalObjective or not isinstance(own.space, Free):
        return False
    if not (own.penalty is None or type(own.penalty) in {Penalty, SmoothPenalty}):
        return False  # the kernels know no other
    design = own.design
    if not design.at_hand or design.n_lookups > SMALL or design.layout.n_cells > _MOST_CELLS:
        return False
    return kernels() is not None


def newton(
    objective: ConditionalObjective | CountingObjective,
    x0: FloatArray,
    *,
    tol: float,
    max_iter: int,
    on_iteration: OnIteration,
    memory: int = MEMORY,
    max_products: int | None = None,
) -> Result:
    """``bnlr.optimize.newton.newton`` of an objective that `is_small`."""
    check_options(memory, max_products)
    limit = product_limit(x0.size) if max_products is None else max_products
    counting = objective if isinstance(objective, CountingObjective) else None
    own = objective if counting is None else counting.objective
    if not isinstance(own, ConditionalObjective):
        raise TypeError(f"{type(own).__name__} is no objective of tables")
    unseen = max_iter if on_iteration is go_on else 0
    walk = SmallNewton(own.design, own.penalty, x0, tol, limit, memory, counting, unseen)
    return walk_on(walk, max_iter, on_iteration)


class SmallNewton:
    """A ``Walk`` over flat tables relative to the first class, from ``x0``.

    ``tol``, ``limit`` (of products) and ``memory`` are those of ``newton``; what is evaluated is
    added to the ``counting`` objective. Nobody looks at it before iteration ``unseen``, to which it
    may advance at once.
    """

    def __init__(
        self,
        design: Design,
        penalty: Penalty | None,
        x0: FloatArray,
        tol: float,
        limit: int,
        memory: int,
        counting: CountingObjective | None = None,
        unseen: int = 0,
    ) -> None:
        self._kernels: signatures.Newton = kernels().newton
        self._counting, self._unseen = counting, unseen
        own = design.layout.families[0].rows
        strengths = (0.0, 0.0) if penalty is None else (float(penalty.strength), penalty.modulus)
        centre = _NONE if penalty is None else np.ascontiguousarray(penalty.centre)
        x = np.ascontiguousarray(x0).reshape(-1, design.layout.n_classes - 1)
        shrinkage = (*strengths, own.start, own.stop), centre, *_roughness(penalty)
        how = (x, _RULES._replace(settled=settled_share(tol)), float(tol), limit, memory)
        self._walk, told = self._kernels.begin(*packed(design), *shrinkage, *how)
        self._now = _NOTHING
        self._note(told)
        self._decrement: float | None = None
        self._detail = ""
        self._far = RUNAWAY * max(1.0, self._now.largest)

    @property
    def n_iter(self) -> int:
        """Completed iterations."""
        return int(self._now.n_iter)

    def state(self) -> State:
        """Return what is shown of the point."""
        return State(self.n_iter, self._now.value, *self._kernels.point(self._walk))

    def result(self, status: Status) -> Result:
        """Return the point, and why the walk stopped there."""
        x, gradient = self._kernels.point(self._walk)
        now, detail = self._now, account(self._detail, self.n_iter, int(self._now.n_hvp))
        return Result(x, now.value, gradient, status, self.n_iter, self._decrement, detail)

    def trouble(self) -> Status | None:
        """Return the reason not to go on from here, if there is one."""
        now = self._now
        if not (isfinite(now.value) and isfinite(now.largest)):
            return Status.NOT_FINITE
        if now.largest > self._far:
            return Status.UNBOUNDED
        return Status.PRECISION if now.stalls >= MAX_STALLS else None

    def advance(self) -> Status | None:
        """Iterate; the reason to stop, if there is one."""
        outcome, told = self._kernels.advance(self._walk, self._unseen)
        self._note(told)
        self._detail = CUT_OFF if self._now.cut else ""
        self._decrement = self._now.decrement if outcome == _CONVERGED else None
        if self._decrement is not None and self._now.cut:
            self._decrement = None  # as in `newton`
            return Status.CONVERGED
        if self._decrement is not None:
            self._detail += confirmed(self._decrement, self._now.gap)
            return Status.CONVERGED
        if outcome == _LOST:
            self._detail = broken_promise(self._now.decrease)
            return Status.PRECISION
        return self.trouble()

    def _note(self, told: tuple[float, ...]) -> None:
        before, self._now = self._now, Told._make(told)
        if self._counting is not None:
            now = self._now
            cll, gradient = now.n_cll - before.n_cll, now.n_gradient - before.n_gradient
            self._counting.add(Counts(int(cll), int(gradient), int(now.n_hvp - before.n_hvp)))


def _roughness(penalty: Penalty | None) -> tuple[IntArray, IntArray, FloatArray]:
    """Ends, cells and values of the rows of R, empty where the penalty is the plain one."""
    if not isinstance(penalty, SmoothPenalty):
        return _NO_PLACES, _NO_PLACES, np.empty(0)
    matrix = penalty.matrix
    places = matrix.indptr.astype(np.intp), matrix.indices.astype(np.intp)
    return *places, np.asarray(matrix.data, dtype=np.float64)


def packed(design: Design) -> tuple[Any, ...]:
    """Rows as the kernels take them, and those of them that the preconditioner is taken from."""
    packing = design.packing
    places = (packing.ends, packing.cells, packing.offsets)
    rows = (design.codes, design.classes, design.row_weights)
    sample: IntArray = drawn_rows(design.n_rows, sample_size(design.layout.n_cells))
    return (*places, *rows, sample)

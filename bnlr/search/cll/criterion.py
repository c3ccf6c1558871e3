"""Fitted models of a search, and what is asked of a criterion by which they are judged.

All criteria are in units of the CLL, larger is better. Every fit is of a concave function by
Newton's method in the packed tables, from the tables of the model it is a neighbour of.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from bnlr._typing import FloatArray
from bnlr.design.families import TableLayout
from bnlr.design.pack import relative
from bnlr.design.packed_rows import Design, Linearisation
from bnlr.learn.runs.solver import NewtonSteps
from bnlr.learn.shrinkage.centre import smoothed
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import Penalty
from bnlr.optimize.base import Preconditioner
from bnlr.search.cll.chordal import Chordal
from bnlr.search.cll.complete_rows import CompleteRows
from bnlr.spaces.l_model import Free

RIDGE = 1e-3
"""Strength of the penalty that keeps the maximum finite where classes are separated."""

PSEUDOCOUNT = 1.0
_MAX_ITER = 100


@dataclass(frozen=True)
class Model:
    """A graph with its fit: ``tables`` of its ``layout``, and the rows' ``probabilities``.

    ``cll`` is the maximum on all rows and ``peak`` its tables, exact once the model is settled;
    before that, where they are there, enough to decide by. ``df`` are the parameters. ``shifts``
    are how far the tables of the fits without each fold are from the centres of their penalties,
    ``fold_clls`` the CLLs of the rows left out; then ``tables`` are the folds' average and
    ``probabilities`` those of the rows left out.
    """

    graph: Chordal
    layout: TableLayout = field(repr=False)
    tables: FloatArray = field(repr=False)
    probabilities: FloatArray = field(repr=False)
    cll: float
    df: int
    score: float
    peak: FloatArray | None = field(default=None, repr=False)
    is_settled: bool = False
    shifts: tuple[FloatArray, ...] = field(default=(), repr=False)
    fold_clls: tuple[float, ...] = ()


class Criterion(Protocol):
    """How models are fitted and judged."""

    rows: CompleteRows
    is_at_maximum: bool
    """Whether the probabilities of a model are those of the maximum on the same rows."""

    @property
    def penalty(self) -> float | None:
        """Its strength, where there is one to choose."""

    @property
    def n_fits(self) -> int:
        """Models fitted."""

    def strong(self, graph: Chordal) -> "Criterion":
        """What a climb from a graph begins with."""

    def tuned(self, graph: Chordal) -> "Criterion":
        """What suits a graph best."""

    def first(self, graph: Chordal, df: int) -> Model:
        """Fit the model that the search starts from."""

    def neighbour(
        self, graph: Chordal, df: int, near: Model, hoped: float, least: float = 0.0
    ) -> Model | None:
        """Fit a model one move away from ``near``; None as soon as there is no hope for it.

        ``hoped`` is the largest change of the score that is thought possible, ``least`` what it
        must be larger than.
        """

    def settled(self, model: Model, near: Model | None) -> Model:
        """Add what is needed of a model that is climbed to, from ``near``, beyond its score."""

    def price(self, df: int) -> float:
        """What so many parameters are expected to cost."""

    def gain(self, before: Model, after: Model) -> float:
        """What the prediction foretold: a change of the CLL."""

    def believed(self, before: Model, after: Model, n_candidates: int) -> Model | None:
        """The better model if it is believed; so many moves have been looked at."""

    def surpasses(self, one: Model, other: Model) -> bool:
        """Whether another start is clearly better than where a climb has ended."""


def frequency_start(layout: TableLayout, design: Design) -> FloatArray:
    """Half the log-odds of smoothed frequency estimates, which are too large as they are."""
    return relative(smoothed(layout, design.counts(), PSEUDOCOUNT).at(0.5))


def maximum(
    design: Design,
    start: FloatArray,
    strength: float,
    centre: FloatArray,
    tol: float,
) -> tuple[Linearisation, FloatArray]:
    """The penalised maximum of the CLL: what is known around it, and its tables."""
    steps = newton_steps(design, start, strength, centre, tol)
    while not steps.is_done:
        steps.advance()
    tables = steps.x.reshape(start.shape)
    return design.linearise(tables), tables


def newton_steps(
    design: Design,
    start: FloatArray,
    strength: float,
    centre: FloatArray,
    tol: float,
    inverse: Callable[[], Preconditioner] | None = None,
) -> NewtonSteps:
    """The way there."""
    layout = design.layout
    space = Free(layout.structure, _states(layout))
    objective = ConditionalObjective(design, space, Penalty(layout, strength, centre))
    return NewtonSteps(objective, start.ravel(), tol, _MAX_ITER, inverse)


def _states(layout: TableLayout) -> dict[str, tuple[int, ...]]:
    cards = dict(zip(layout.attributes, layout.attribute_cards, strict=True))
    cards[layout.structure.class_name] = layout.n_classes
    return {node: tuple(range(card)) for node, card in cards.items()}

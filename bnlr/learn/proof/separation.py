"""Tell whether the supremum of the CLL is attained by finite tables, and bound it.

It is not exactly when some direction of the tables raises no row's wrong class above its right one
and lowers one somewhere: separation. Whether there is one depends on which rows occur, never on
their weights. Class distributions strictly inside (0, 1) that meet the family counts prove that
there is none, wherever they are; a cell that never shows a class is one. What is left without the
classes that run away gives the bound, and one below 0 proves that some rows follow no direction.
Products with the rows settle all that for more than a few rows of similar weights; else, and for
separation without an empty cell, `recession` finds the classes that run away.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bnlr._typing import BoolArray, FloatArray, IntArray
from bnlr.design.packed_rows import Design, Linearisation
from bnlr.learn.proof.log_odds import largest_log_odds
from bnlr.learn.proof.recession import (
    LARGEST_MATRIX,
    Configurations,
    LimitingModel,
    Optimum,
    is_factored,
    restricted_optimum,
)
from bnlr.learn.proof.upper_bound import (
    LEAST_EFFORT,
    DualPoint,
    Effort,
    dual_point,
    lifted,
    restricted,
)
from bnlr.optimize.base import Preconditioner
from bnlr.printable import printable
from bnlr.progress import stage
from bnlr.spaces.l_model import LinearSpace, cell_names

# The program is run where pairs of configuration and class · cells are no more than this.
_LARGEST_PROGRAM = 3_000_000
_MOST_DISTINCT = 2**17  # that are brought here from other machines
_FEW_ROWS = 64  # for which the exact optimum of what is left is as cheap as any
_RUNAWAY = 20.0
_SPREAD, _WIDE = 100.0, 1e5
_SURE = 0.5 + 1e-9  # a probability that leaves every other class behind
_SHOWN = 3


@dataclass(frozen=True)
class Separation:
    """``verdict`` is "finite", "complete", "quasi" or "unknown"; ``cells`` name what diverges."""

    verdict: str
    cells: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_separated(self) -> bool:
        """Whether the CLL has no finite maximiser."""
        return self.verdict in {"complete", "quasi"}

    @property
    def message(self) -> str:
        """What a user should know, one or two sentences; empty where the optimum is finite."""
        if self.verdict == "unknown" and self.reason:
            return (
                f"The optimum may not be finite: {self.reason}, and the linear program that "
                "would decide is too large. Remedy: penalty=1."
            )
        if not self.is_separated:
            return ""
        shown = "; ".join(self.cells[:_SHOWN])
        more = f"; and {len(self.cells) - _SHOWN} more" if len(self.cells) > _SHOWN else ""
        return (
            f"No finite optimum ({self.verdict} separation): {shown}{more}. The CLL is a limit "
            "that ever larger parameters approach; those reported are finite and come close to it. "
            "Remedy: penalty=1, or merge rare states."
        )


class Proof(NamedTuple):
    """An upper bound on the CLL of any tables, None where there is none, and the verdict."""

    bound: float | None
    separation: Separation


def proof(
    design: Design,
    space: LinearSpace,
    tables: FloatArray,
    local: Linearisation | None = None,
    inverse: Preconditioner | None = None,
    unit: float = 1.0,
    effort: Effort = LEAST_EFFORT,
) -> Proof:
    """Bound the CLL of ``design``, and judge whether it has a maximiser.

    Parameters
    ----------
    space
        Names the cells; its structure may be any graph.
    tables : array of shape (n_cells, n_classes − 1)
        Near the supremum, differences from the first class.
    local, inverse
        What ``design`` is there, and about the inverse of the curvature, where they are known.
    unit
        Rows that a weight of 1 stands for.
    effort
        What it may cost, and by how much its bound may be looser.
    """
    with stage():
        return _proof(_Naming(design, space, unit), tables, local, inverse, effort)


def _proof(
    naming: "_Naming",
    tables: FloatArray,
    local: Linearisation | None,
    inverse: Preconditioner | None,
    effort: Effort,
) -> Proof:
    design, known = naming.design, (local, inverse, effort)
    empty = empty_cells(design)
    if not design.at_hand:
        return _of_parts(naming, tables, empty, *known)
    # Where a direction is known already the bound alone is left, which heavy rows decide.
    is_spread = _is_spread(design, _WIDE if empty.any() else _SPREAD)
    is_few = design.n_rows <= _FEW_ROWS
    is_large = design.n_rows * design.layout.n_cells > LARGEST_MATRIX
    bound = None
    if is_large or not (is_few or is_spread):
        found = _of_rows(naming, tables, empty, *known)
        if is_large or found.separation.verdict != "unknown":
            return found
        # What those products have not led to, as many of other rows' classes hardly will.
        bound, effort = found.bound, effort._replace(products=0)
    elif not empty.any() and not (is_few and is_spread):
        # Else there is a direction already, and no proof of the contrary to look for.
        finite = _finite(dual_point(design, tables, *known))
        if finite is not None:
            return finite
    other = _of_configurations(naming, tables, empty, effort)
    return other if other.bound is not None else other._replace(bound=bound)


def _of_parts(
    naming: "_Naming",
    tables: FloatArray,
    empty: BoolArray,
    local: Linearisation | None,
    inverse: Preconditioner | None,
    effort: Effort,
) -> Proof:
    """Proof where the rows are elsewhere: by sums, else by the distinct rows if these are few."""
    design, cells = naming.design, naming.empty(empty)
    local = design.linearise(tables) if local is None else local
    found = _by_sums(naming, tables, cells, local, inverse, effort)
    if found is not None:
        return found
    rows = design.distinct(_MOST_DISTINCT)
    if rows is not None:
        return proof(rows, naming.space, tables, unit=naming.unit, effort=effort)
    why = f"more than {_MOST_DISTINCT:,} distinct rows are on several machines"
    return Proof(None, Separation("unknown", cells, why))


def _by_sums(
    naming: "_Naming",
    tables: FloatArray,
    cells: tuple[str, ...],
    local: Linearisation,
    inverse: Preconditioner | None,
    effort: Effort,
) -> Proof | None:
    """Proof by an interior dual point or by tables that tell all rows apart, else None.

    ``cells`` are the empty ones: directions, beside which there is no interior dual point.
    """
    if not cells:
        found = _finite(dual_point(naming.design, tables, local, inverse, effort))
        if found is not None:
            return found
    if not _is_classified(local):
        return None
    return Proof(
        0.0, Separation("complete", cells or naming.growing(tables), "all rows are told apart")
    )


def of_cells(design: Design, space: LinearSpace, unit: float = 1.0) -> Separation:
    """Verdict on a class without children, by its cells alone."""
    counts = design.counts()
    empty = (counts.sum(axis=1, keepdims=True) > 0) & (counts == 0)
    if not empty.any():
        return Separation("finite", reason="no empty cells")
    is_contested = ((counts > 0).sum(axis=1) > 1).any()
    cells = _Naming(design, space, unit).empty(empty)
    return Separation("quasi" if is_contested else "complete", cells, "empty cells")


def _finite(dual: DualPoint, bound: float | None = None) -> Proof | None:
    """Proof by an interior dual point, or the sharper ``bound`` known besides."""
    if not dual.is_interior:
        return None
    bounds = [known for known in (dual.bound, bound) if known is not None]
    return Proof(min(bounds), Separation("finite", reason="interior dual point"))


def _of_rows(
    naming: "_Naming",
    tables: FloatArray,
    empty: BoolArray,
    local: Linearisation | None,
    inverse: Preconditioner | None,
    effort: Effort,
) -> Proof:
    """Proof by products with the rows; "unknown" if it takes more."""
    design, cells = naming.design, naming.empty(empty)
    local = design.linearise(tables) if local is None else local
    early = _by_sums(naming, tables, cells, local, inverse, effort)
    if early is not None:
        return early
    kept = _possible(design, empty) if cells else None
    dual, possible = restricted(design, tables, kept, local, inverse, effort)
    if cells:
        # An empty cell is a direction, and below a supremum of 0 some rows do not follow any.
        is_quasi = dual.bound is not None and dual.bound < 0
        if is_quasi or design.n_rows * design.layout.n_cells > LARGEST_MATRIX:
            return Proof(dual.bound, Separation("quasi", cells, "empty cells"))
        return Proof(dual.bound, Separation("unknown"))
    found = _finite(dual) if dual.is_of_all else None
    found = found or _finite(lifted(design, tables, local), dual.bound)
    found = found or _of_the_impossible(naming, tables, dual, possible, effort)
    return found or Proof(dual.bound, Separation("unknown", reason=_runaway(tables)))


def _possible(design: Design, empty: BoolArray) -> BoolArray:
    """The classes whose cells of a row are none of the ``empty`` ones, (n_rows, n_classes)."""
    possible: BoolArray = design.scores(empty.astype(np.float64)) == 0
    return possible


def _of_the_impossible(
    naming: "_Naming", tables: FloatArray, dual: DualPoint, possible: BoolArray, effort: Effort
) -> Proof | None:
    """Proof by a linear program for what an interior ``dual`` leaves out.

    What it leaves in keeps a probability along all directions. None if it takes more.
    """
    design, bound = naming.design, dual.bound
    width = design.layout.n_classes - 1
    if bound is None or bound >= 0 or design.n_rows * design.layout.n_cells > LARGEST_MATRIX:
        return None
    model = LimitingModel.of(Configurations.of(design))
    cells, of_rows = model.given.cells, model.given.of_rows
    if model.size * cells.shape[1] * width > _LARGEST_PROGRAM:
        return None
    kept = np.zeros_like(model.possible)
    rows, classes = np.nonzero(possible)
    kept[of_rows[rows], classes] = True
    settled = model.by_program(kept)
    if settled is None:
        return None
    if not settled.direction.any():
        return Proof(bound, Separation("finite", reason="no direction of recession"))
    diverging = naming.diverging(model.given.shown, settled.direction)
    kept = settled.model.possible[of_rows]
    sharper = restricted(design, tables, kept, effort=effort).dual.bound
    bound = bound if sharper is None else min(bound, sharper)
    return Proof(bound, Separation("quasi", diverging, "directions of recession"))


def _of_configurations(
    naming: "_Naming", tables: FloatArray, empty: BoolArray, effort: Effort
) -> Proof:
    """Proof by the limiting model of the distinct configurations."""
    design, cells = naming.design, naming.empty(empty)
    model = LimitingModel.of(Configurations.of(design)).by_cells()
    optimum = _optimum(design, model, tables, effort, is_quick=True)
    is_decided = optimum is not None and optimum.is_finite
    # Where some classes run away and others cannot, the verdict is known, and a bound is there.
    is_contested = bool((model.observed.sum(axis=1) > 1).any())
    is_known = is_contested and not model.possible.all() and optimum is not None
    is_large = is_known and not is_factored(model)
    n_entries = model.size * model.given.cells.shape[1] * tables.shape[1]
    if not is_decided and not is_large and n_entries <= _LARGEST_PROGRAM:
        settled = model.by_program()
        is_decided = settled is not None
        if settled is not None and settled.direction.any():
            model = settled.model
            cells = cells or naming.diverging(model.given.shown, settled.direction)
        if is_decided:
            optimum = _optimum(design, model, tables, effort, is_known=True)
    if optimum is None and not is_decided and is_factored(model):  # else that was all
        optimum = _optimum(design, model, tables, effort)
    if not model.open.any() or (
        not is_decided and not is_contested and _is_classified(design.linearise(tables))
    ):
        cells = cells or naming.growing(tables)
        return Proof(0.0, Separation("complete", cells, "directions of recession"))
    bound = None if optimum is None else optimum.bound
    if not model.possible.all():
        return Proof(bound, Separation("quasi", cells, "directions of recession"))
    if is_decided:
        return Proof(bound, Separation("finite", reason="no direction of recession"))
    return Proof(bound, Separation("unknown", reason=_runaway(tables)))


def _optimum(
    design: Design,
    model: LimitingModel,
    tables: FloatArray,
    effort: Effort,
    is_known: bool = False,
    is_quick: bool = False,
) -> Optimum | None:
    """Bound of a limiting model, exactly where it is small, else by products with the rows."""
    if is_factored(model):
        scores = model.given.cells @ tables[model.given.shown]
        found = restricted_optimum(model, scores, is_known, is_quick)
        if found is not None or is_quick:
            return found
    possible = model.possible[model.given.of_rows]
    dual = restricted(design, tables, possible, effort=effort).dual
    return None if dual.bound is None else Optimum(dual.bound, is_finite=dual.is_of_all)


def _is_spread(design: Design, most: float) -> bool:
    """Whether weights are so unlike that products with the rows round away the smaller ones."""
    least, largest = design.weight_range
    return largest > most * least


def _is_classified(local: Linearisation) -> bool:
    """Whether every row's own class has the highest score: then the tables are a direction."""
    return local.least_own() > _SURE


def _runaway(tables: FloatArray) -> str:
    """What the size of the log-odds suggests; empty where they are moderate."""
    largest = largest_log_odds(tables)
    return f"log-odds of a single family reach {largest:.0f}" if largest > _RUNAWAY else ""


def empty_cells(design: Design) -> BoolArray:
    """Cells that occur but never with some class, (n_cells, n_classes)."""
    counts = design.counts()
    empty: BoolArray = (counts.sum(axis=1, keepdims=True) > 0) & (counts == 0)
    own = design.layout.families[0]
    if not own.scope:
        empty[own.rows] = False  # that a class never occurs, the others' cells say
    return empty


@dataclass(frozen=True)
class _Naming:
    """Cells in words; a weight of 1 is ``unit`` rows."""

    design: Design
    space: LinearSpace
    unit: float

    def empty(self, cells: BoolArray) -> tuple[str, ...]:
        """'a=x, b=y never occurs with class=z (12 rows)', the best supported first."""
        if not cells.any():
            return ()
        totals = self.design.counts().sum(axis=1)
        names, (class_name, labels) = cell_names(self.space.layout, self.space.states), self._class
        where = sorted(map(tuple, np.argwhere(cells)), key=lambda at: -totals[at[0]])
        return tuple(
            printable(
                f"{names[k]} never occurs with {class_name}={labels[c]} ({self._rows(totals[k])})",
                keep="",
            )
            for k, c in where
        )

    def growing(self, tables: FloatArray) -> tuple[str, ...]:
        """Cells of ``tables`` that tell every row's class apart, and so are a direction."""
        shown = np.flatnonzero(self.design.counts().any(axis=1))
        return self.diverging(shown, tables[shown])

    def diverging(self, shown: IntArray, direction: FloatArray) -> tuple[str, ...]:
        """Cells, of those ``shown``, whose log-odds the direction moves, the farthest first."""
        layout = self.space.layout
        moves = np.zeros((layout.n_cells, layout.n_classes))
        moves[shown, 1:] = direction
        moves -= moves.mean(axis=1, keepdims=True)
        if not layout.families[0].scope:
            moves[layout.families[0].rows] = 0.0
        names, (class_name, labels) = cell_names(layout, self.space.states), self._class
        far = sorted(map(tuple, np.argwhere(np.abs(moves) > 1e-6)), key=lambda at: -abs(moves[at]))
        return tuple(
            printable(f"the log-odds of {class_name}={labels[c]} in {names[k]} tend to ", keep="")
            + f"{'+' if moves[k, c] > 0 else '−'}∞"
            for k, c in far
        )

    @property
    def _class(self) -> tuple[str, tuple[object, ...]]:
        name = self.space.structure.class_name
        return name, self.space.states[name]

    def _rows(self, n: float) -> str:
        rows = n * self.unit
        return "1 row" if rows == 1 else f"{rows:g} rows"

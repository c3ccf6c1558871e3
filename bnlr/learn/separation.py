"""Tell whether the supremum of the CLL is attained by finite tables (no separation).

It is not exactly when some direction of the tables raises no row's wrong class above its right one
and lowers one somewhere. Three tests, cheapest first: class distributions strictly inside (0, 1)
that meet the family counts prove that there is none; a family configuration that occurs, but
never with some class, is one; else the linear program of Konis (2007), for any number of classes:
maximise Σ_i Σ_{c≠y_i} z_i·(b_{y_i} − b_c), every term ≥ 0, abs(b) ≤ 1.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import block_array, csr_array, diags_array

from bnlr._typing import BoolArray, FloatArray
from bnlr.design.tables import Design
from bnlr.learn.bound import DualPoint
from bnlr.learn.path import largest_log_odds
from bnlr.spaces.free import LinearSpace, cell_names
from bnlr.spaces.loglinear import LogLinear

# The program is run where rows · predictors stay below this: well under a second.
_LARGEST_PROGRAM = 3_000_000
_LEAST_MARGIN = 1e-5
# Coefficients are 0 and ±1, so a separating direction of size 1 has some margin above this.
_CERTAIN_MARGIN = 1e-3
_RUNAWAY = 20.0
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


def separation(
    design: Design, space: LinearSpace, tables: FloatArray, dual: DualPoint | None
) -> Separation:
    """Verdict on the data under ``space``; ``tables`` and ``dual`` are those of the fit.

    ``tables`` are differences from the first class.
    """
    if dual is not None and _proves_finite(dual):
        return Separation("finite", reason="interior dual point")
    cll = design.cll(tables)
    empty = _empty_cells(design, space)
    if empty:
        return Separation("complete" if _is_zero(cll, design) else "quasi", empty, "empty cells")
    # Full rank keeps the program small.
    independent = LogLinear(space.structure, space.states) if _may_be_small(design) else None
    if independent is None or _program_size(design, independent) > _LARGEST_PROGRAM:
        return Separation("unknown", reason=_runaway(tables))
    direction, margins = _program(design, independent)
    if margins.max(initial=0.0) <= _LEAST_MARGIN:
        return Separation("finite", reason="linear program")
    verdict = "complete" if _is_zero(cll, design) else "quasi"
    return Separation(verdict, _diverging_cells(design, space, direction), "linear program")


def _proves_finite(dual: DualPoint) -> bool:
    """Compare: a separating direction of size 1 has margins of at most residual / min(w·q)."""
    return dual.bound is not None and dual.residual < _CERTAIN_MARGIN * dual.least


def _may_be_small(design: Design) -> bool:
    """Whether rows · predictors could stay below the limit, a predictor a family at least."""
    least = design.n_rows * (design.layout.n_classes - 1) * len(design.layout.families)
    return least <= _LARGEST_PROGRAM


def _program_size(design: Design, space: LinearSpace) -> int:
    return design.n_rows * (space.layout.n_classes - 1) * space.size


def _runaway(tables: FloatArray) -> str:
    """What the size of the log-odds suggests; empty where they are moderate."""
    largest = largest_log_odds(tables)
    return f"log-odds of a single family reach {largest:.0f}" if largest > _RUNAWAY else ""


def _is_zero(cll: float, design: Design) -> bool:
    """Complete separation is a supremum of 0."""
    return cll > -1e-6 * design.total_weight


def _empty_cells(design: Design, space: LinearSpace) -> tuple[str, ...]:
    counts = design.counts()
    seen = counts.sum(axis=1, keepdims=True) > 0
    empty = seen & (counts == 0)
    own = space.layout.families[0]
    if not own.scope:
        empty[own.rows] = False
    return _described(space, empty, counts.sum(axis=1))


def _described(space: LinearSpace, cells: BoolArray, totals: FloatArray) -> tuple[str, ...]:
    """'a=x, b=y never has class=z (12 rows)', the best supported first."""
    names = cell_names(space.layout, space.states)
    class_name = space.structure.class_name
    labels = space.states[class_name]
    where = sorted(map(tuple, np.argwhere(cells)), key=lambda at: -totals[at[0]])
    return tuple(
        f"{names[k]} never occurs with {class_name}={labels[c]} ({_rows(totals[k])})"
        for k, c in where
    )


def _rows(n: float) -> str:
    return "1 row" if n == 1 else f"{n:g} rows"


def _diverging_cells(design: Design, space: LinearSpace, direction: FloatArray) -> tuple[str, ...]:
    """Cells whose log-odds the direction moves, the farthest first."""
    moves = direction - direction.mean(axis=1, keepdims=True)
    moves[design.counts().sum(axis=1) == 0] = 0.0
    if not space.layout.families[0].scope:
        moves[space.layout.families[0].rows] = 0.0
    names = cell_names(space.layout, space.states)
    class_name = space.structure.class_name
    labels = space.states[class_name]
    where = sorted(map(tuple, np.argwhere(np.abs(moves) > 1e-6)), key=lambda at: -abs(moves[at]))
    return tuple(
        f"the log-odds of {class_name}={labels[c]} in {names[k]} tend to "
        f"{'+' if moves[k, c] > 0 else '−'}∞"
        for k, c in where
    )


def _program(design: Design, space: LinearSpace) -> tuple[FloatArray, FloatArray]:
    """Optimal direction as stacked tables, and the margins z_i·(b_{y_i} − b_c), c ≠ y_i."""
    z = _predictors(design, space)
    margins = _margins(z, design.classes, space.layout.n_classes)
    result = linprog(  # type: ignore[call-overload]  # the stubs know no sparse matrices
        -np.asarray(margins.sum(axis=0)).ravel(),
        A_ub=-margins,
        b_ub=np.zeros(margins.shape[0]),
        bounds=(-1.0, 1.0),
        method="highs",
    )
    b = np.zeros(space.size) if result.x is None else result.x
    return space.to_tables(b), margins @ b


def _predictors(design: Design, space: LinearSpace) -> csr_array:
    """Design matrix of the packed rows, (n_rows, n_predictors)."""
    packing = design.packing
    n_groups, n_rows = design.codes.shape
    cells = (design.codes.astype(np.int64) + packing.offsets[:-1, None]).T
    indptr = np.arange(0, n_rows * n_groups + 1, n_groups)
    hot = csr_array((np.ones(cells.size), cells.ravel(), indptr), shape=(n_rows, packing.n_cells))
    return csr_array(hot @ packing.matrix @ space.basis)


def _margins(z: csr_array, classes: np.ndarray, n_classes: int) -> csr_array:
    """Rows (i, c ≠ y_i), columns (predictor, class 1..): the map from b to the margins."""
    blocks = []
    for c in range(n_classes):
        wrong = np.flatnonzero(classes != c)
        # Coefficient of b_k in b_{y_i} − b_c.
        signs = ((classes[wrong] == k) - float(c == k) for k in range(1, n_classes))
        blocks.append([diags_array(sign) @ z[wrong] for sign in signs])
    by_class = csr_array(block_array(blocks))
    columns = np.arange(by_class.shape[1]).reshape(n_classes - 1, z.shape[1])
    return csr_array(by_class[:, columns.T.ravel()])

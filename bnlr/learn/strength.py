"""How strong the penalty should be: such that rows left out are predicted best.

The candidates are solved one after another, the strongest first, each from the last one's optimum,
which costs a few steps of Newton's method each. The folds are those of `dealing`, so that neither a
seed nor the order of anything is asked.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import ceil
from typing import NamedTuple

import numpy as np

from bnlr._typing import FloatArray, States
from bnlr.data.dataset import Dataset
from bnlr.design.families import TableLayout
from bnlr.design.pack import relative
from bnlr.design.tables import Design
from bnlr.learn.centre import frequency_tables, scaled_centre
from bnlr.learn.dealing import deal_packed
from bnlr.learn.options import amount
from bnlr.machine import one_blas_thread
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import Penalty
from bnlr.optimize.base import minimise
from bnlr.spaces.free import Free
from bnlr.structure.dag import Structure

STRENGTHS = (30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03)
"""The candidates; a row and a state are the unit."""

_MIDDLE = 3.0

# Weaker ones than the first must gain more than the second, in CLL: predictions are then so sure
# that one surprising row costs more than many others gain, and few rows may hold none by chance.
_WEAK, _LEAST_GAIN = 0.3, 1.0

N_FOLDS = 3

_TOL, _MAX_ITER = 1e-4, 50
_ENOUGH = 30_000
# Each of these costs every step of every fit, whatever the number of rows.
_MOST_PARAMETERS = 2**22


class Centre(NamedTuple):
    """``tables`` to shrink to, and by what the log-odds of estimates were scaled, if they were."""

    scale: float | None
    tables: FloatArray


def best_strength(
    structure: Structure,
    data: Dataset,
    penalty_center: str,
    pseudocount: float = 1.0,
    n_threads: int | None = None,
) -> float:
    """Return the one of `STRENGTHS` that predicts best three folds left out in turn.

    The strongest come first, and where the CLL falls the rest are not tried: the weakest cost most.
    Each below 0.3 must raise the CLL of the three folds together by 1 or more, as where classes
    follow a rule without noise; a smaller gain is not worth the cost of one surprising row.
    Of more than 30,000 rows, by weight, a part that is no larger is asked, drawn as the folds are.
    Family tables are free in it, also where the graph is not perfect. The middle one is returned
    untried where the rows with a class are all alike and weigh 1 or less together, so that there is
    nothing to leave out, and where the tables have more than four million parameters.

    The folds are dealt by hashes of the names of columns and states. Others, be it 1 and "1", deal
    the rows otherwise, which on few rows may come to another strength.

    Parameters
    ----------
    structure, data, pseudocount, n_threads
        As in `bnlr.fit`.
    penalty_center
        "zero", "frequencies" or "scaled"; estimated anew without each fold.

    Raises
    ------
    MissingCellsError
        A row lacks a cell of the class's families.
    ParameterError
        ``pseudocount`` is no finite number from 0 on.
    """
    pseudocount = amount("pseudocount", pseudocount)
    layout = TableLayout.of(structure, data.cards)
    design = Design.of(layout, data, n_threads)
    shares = ceil(design.total_weight / _ENOUGH)
    if is_too_large(layout):
        return _MIDDLE
    parts = list(islice(deal_packed(design, data.states, N_FOLDS * shares), N_FOLDS))
    if len(parts) < 2:
        return _MIDDLE
    with one_blas_thread():
        paths = [
            _held_out_clls(
                _joined(design, parts, k), held, data.states, penalty_center, pseudocount
            )
            for k, held in enumerate(parts)
        ]
        return _first_peak(sum(clls) for clls in zip(*paths, strict=True))


def is_too_large(layout: TableLayout) -> bool:
    """Whether the tables have so many parameters that no strength is tried."""
    return layout.n_cells * (layout.n_classes - 1) > _MOST_PARAMETERS


def _first_peak(clls: Iterable[float]) -> float:
    """The strength before the first at which the CLL falls, or hardly rises if it is weak.

    Weaker ones are not solved.
    """
    best, largest = STRENGTHS[0], -np.inf
    for strength, cll in zip(STRENGTHS, clls, strict=False):
        needed = _LEAST_GAIN if strength < _WEAK else 0.0
        if cll < largest + needed:
            break
        best, largest = strength, cll
    return best


def _held_out_clls(
    rest: Design, held: Design, states: States, penalty_center: str, pseudocount: float
) -> Iterator[float]:
    """Yield the CLL of ``held`` at the optimum for ``rest``, one strength after another."""
    centre = centre_of(rest, states, penalty_center, pseudocount)
    return (held.cll(tables) for tables in penalty_path(rest, states, centre, STRENGTHS))


def penalty_path(
    design: Design, states: States, centre: Centre, strengths: Iterable[float]
) -> Iterator[FloatArray]:
    """Yield the tables that are optimal under one strength after another, each from the last.

    Found to four digits of the objective, enough to compare predictions.
    """
    layout = design.layout
    space = Free(layout.structure, {node: states[node] for node in layout.structure.nodes})
    x = centre.tables.ravel()
    for strength in strengths:
        objective = ConditionalObjective(design, space, Penalty(layout, strength, centre.tables))
        x = minimise(objective, x, solver="newton", tol=_TOL, max_iter=_MAX_ITER).x
        yield space.differences(x)


def centre_of(
    design: Design, states: States, penalty_center: str, pseudocount: float = 1.0
) -> Centre:
    """Where a penalty of this name shrinks complete rows' tables to, estimated from them."""
    layout = design.layout
    if penalty_center == "scaled":
        found = scaled_centre(design, states, pseudocount)
        return Centre(found.scale, found.tables)
    if penalty_center == "frequencies":
        return Centre(None, relative(frequency_tables(layout, design.counts(), pseudocount)))
    return Centre(None, np.zeros((layout.n_cells, layout.n_classes - 1)))


def _joined(design: Design, parts: Sequence[Design], left_out: int) -> Design:
    kept = [part for k, part in enumerate(parts) if k != left_out]
    return replace(
        design,
        codes=np.concatenate([part.codes for part in kept], axis=1),
        classes=np.concatenate([part.classes for part in kept]),
        row_weights=np.concatenate([part.row_weights for part in kept]),
    )

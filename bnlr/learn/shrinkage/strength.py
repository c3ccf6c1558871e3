"""How strong the penalty should be, and towards what: such that rows left out are predicted best.

The candidates are solved one after another, the strongest first, each from the last one's optimum,
which costs a few steps of Newton's method each. The folds are those of `folds`, so that neither a
seed nor the order of anything is asked.

What is learnt from all rows, such as a structure or where numbers are cut, has seen the rows left
out: they then speak for it even where it is noise. `bnlr.classifier.auto.trials` learns it anew.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import ceil
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from bnlr._typing import CodeArray, FloatArray, IntArray, States
from bnlr.arguments import amount
from bnlr.data.dataset import Dataset
from bnlr.data.missing_states import add_missing_states
from bnlr.data.parted import PartedDataset
from bnlr.design.families import TableLayout
from bnlr.design.pack import relative
from bnlr.design.packed_rows import Design
from bnlr.learn.choices import SMOOTH
from bnlr.learn.runs.solver import find_minimum
from bnlr.learn.shrinkage.centre import frequency_tables, scaled_centre
from bnlr.learn.shrinkage.folds import packed_folds
from bnlr.machine import one_blas_thread
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.roughness import Roughness
from bnlr.objectives.smooth_penalty import SmoothPenalty
from bnlr.spaces.l_model import Free
from bnlr.structure.dag import Structure

STRENGTHS = (3000.0, 1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
"""The candidates; a row and a state are the unit. Those from 1000 on predict as the centre does."""

_TRIED = f"{STRENGTHS[0]:g} to {STRENGTHS[-1]:g}"
_FAR = 1000.0

MIDDLE = 3.0
"""The strength where none can be tried."""

LATENT = "as folds, which take a hole for a state, tell nothing of latent nodes"
"""Why no strength is tried where a node is latent."""

# Down to it predictions are so near the centre that a fall of their CLL may be chance.
_NEAR = 30.0

# Weaker ones than the first must gain more than the second, in CLL: predictions are then so sure
# that one surprising row costs more than many others gain, and few rows may hold none by chance.
_WEAK = 0.3
LEAST_GAIN = 1.0
"""What a strength below 0.3 must gain, in CLL of all rows left out, on the one before."""

# What any other must gain on the strongest penalty towards zero, the shares of the classes alone:
# the best of twenty candidates gains as much where the attributes tell nothing.
_LEAST_SIGNAL = 2.0

# From it on the rows speak for the centre rather than for their own tables, so that another
# centre may be better still. Below it zero won too seldom to pay for its path.
_STRONG = 10.0

N_FOLDS = 3

_TOL, _MAX_ITER = 1e-4, 50
_ENOUGH = 30_000
# Each of these costs every step of every fit, whatever the number of rows.
_MOST_PARAMETERS = 2**22


class Centre(NamedTuple):
    """``tables`` to shrink to, and by what the log-odds of estimates were scaled, if they were.

    ``roughness`` says what is shrunk to its neighbours, None if nothing is.
    """

    scale: float | None
    tables: FloatArray
    roughness: Roughness | None = None

    def penalty(self, layout: TableLayout, strength: float) -> Penalty:
        """The penalty of this centre."""
        if self.roughness is None:
            return Penalty(layout, strength, self.tables, self.scale)
        how = layout, strength, self.tables, self.scale
        return SmoothPenalty(*how, roughness=self.roughness)


class Chosen(NamedTuple):
    """Strength and centre of a penalty, and a sentence on how they were found."""

    strength: float
    center: str
    note: str


class _Peak(NamedTuple):
    strength: float
    cll: float


def best_penalty(
    structure: Structure,
    data: Dataset,
    penalty_center: str = "auto",
    pseudocount: float = 1.0,
    n_threads: int | None = None,
    strengths: Sequence[float] = STRENGTHS,
) -> Chosen:
    """Return the penalty that predicts best three folds left out in turn.

    The strongest come first. All down to 30 are tried; further on, where the CLL falls, the rest
    are not: the weakest cost most. Each below 0.3 must raise the CLL of the three folds together by
    1 or more, as where classes follow a rule without noise; a smaller gain is not worth the cost of
    one surprising row. Where "scaled" asks for 10 or more, zero is tried beside it for "auto".
    Whatever does not gain 2 on strength 3000 towards zero, if that may be chosen, gives way to it.
    A missing cell is a state of its own in it. Of more than 30,000 rows, by weight, a part that is
    no larger is asked, drawn as the folds are. Family tables are free, also where the graph is not
    perfect. Strength 3 (towards "scaled" for "auto") is returned untried where the rows with a
    class are all alike and weigh 1 or less together, so that there is nothing to leave out, and
    where the tables have more than four million parameters.

    The folds are dealt by hashes of the names of columns and states. Others, be it 1 and "1", deal
    the rows otherwise, which on few rows may come to another strength.

    Parameters
    ----------
    structure, data, pseudocount, n_threads
        As in `bnlr.fit`.
    penalty_center
        "zero", "frequencies", "scaled", "smooth", or "auto" for the better of "scaled" and "zero";
        estimated anew without each fold.
    strengths
        What to try, the strongest first.

    Raises
    ------
    ParameterError
        ``pseudocount`` is no finite number from 0 on.
    """
    pseudocount = amount("pseudocount", pseudocount)
    first = "scaled" if penalty_center == "auto" else penalty_center
    if isinstance(data, PartedDataset):
        data = data.sample(_ENOUGH, 0)
    if data.missing_counts:
        data = add_missing_states(data, structure.attributes)
    layout = TableLayout.of(structure, data.cards)
    if is_too_large(layout):
        return untried(first, "the tables being too large for cross-validation")
    design = Design.of(layout, data, n_threads)
    n_folds = N_FOLDS * ceil(design.total_weight / _ENOUGH)
    parts = list(islice(packed_folds(design, data.states, n_folds), N_FOLDS))
    if len(parts) < 2:
        return untried(first, "there being too few rows to leave any out")

    unit = unit_of(design.weights)
    if holds_too_little(design.classes, design.weights, unit):
        return untried("zero", "the weights leaving too little to choose by")

    def peak(center: str, strengths: Sequence[float]) -> _Peak:
        paths = [
            _held_out_clls(_joined(design, parts, k), held, data, center, pseudocount, strengths)
            for k, held in enumerate(parts)
        ]
        clls = (sum(each) for each in zip(*paths, strict=True))
        return _first_peak(strengths, clls, unit)

    with one_blas_thread():
        best, center = peak(first, strengths), first
        if penalty_center not in ("auto", "zero"):
            return by_folds(best.strength, center)
        shares = peak("zero", strengths[:1])
        if penalty_center == "auto" and wants_centre(best.strength):
            other = peak("zero", strengths)
            best, center = (other, "zero") if other.cll > best.cll else (best, center)
    if tells_nothing(best.cll - shares.cll, unit):
        return by_folds(shares.strength, "zero")
    return by_folds(best.strength, center)


def by_folds(strength: float, center: str) -> Chosen:
    """Say what was chosen of `STRENGTHS` by folds left out."""
    where = "on differences of neighbours" if center == SMOOTH else f"towards {center}"
    note = f"Penalty {strength:g} {where}, of {_TRIED}, by cross-validation."
    if center in ("zero", SMOOTH) and strength >= _FAR:
        note += " Rows left out are hardly better predicted than by the shares of the classes."
    return Chosen(strength, center, note)


def untried(center: str, why: str) -> Chosen:
    """Say why the strength is the middle one."""
    return Chosen(MIDDLE, center, f"Penalty {MIDDLE:g}, {why}.")


def wants_centre(strength: float) -> bool:
    """Whether so strong a penalty predicts best that another centre may predict better."""
    return strength >= _STRONG


def tells_nothing(gain: float, unit: float) -> bool:
    """Whether so much more CLL than the shares of the classes have may be chance."""
    return gain < _LEAST_SIGNAL * unit


def holds_too_little(classes: IntArray | CodeArray, weights: FloatArray, unit: float) -> bool:
    """Whether less than a row's worth of CLL can be gained on the shares of the classes.

    Plain rows of two classes hold more, however few. So little holds what weights make all but
    certain, such as a class of a millionth of the weight: whatever attributes seem to tell of it,
    or against it, no row left out can confirm.
    """
    return _is_too_little(_sums(classes, weights), unit)


def _sums(classes: IntArray | CodeArray, weights: FloatArray, n_classes: int = 0) -> FloatArray:
    """The weight of each class."""
    sums: FloatArray = np.bincount(classes, weights, n_classes).astype(np.float64)
    return sums


def _is_too_little(class_weights: FloatArray, unit: float) -> bool:
    known = class_weights[class_weights > 0]
    # By logarithms, for weights of 1e300 and 1e-300 have no quotient.
    return len(known) > 1 and bool(known @ (np.log(known.sum()) - np.log(known)) < unit)


def learnable_center(data: Dataset, center: str) -> tuple[str, str]:
    """The centre, zero in the place of "scaled" where nothing says how to scale, and a note."""
    if center != "scaled" or not data.has_weights:
        return center, ""
    weights = np.array(data._total(_class_weights))
    unit = min(1.0, data._total_weight / data.n_rows)
    if not _is_too_little(weights, unit):
        return center, ""
    return "zero", (
        "The weights leave less than a row's worth to learn beside the shares of the classes, so "
        "that the penalty shrinks to these."
    )


def _class_weights(data: Dataset) -> tuple[float, ...]:
    counted = data.class_codes >= 0
    n_classes = data.cards[data.class_name]
    sums = _sums(data.class_codes[counted], data.weights[counted], n_classes)
    return tuple(sums.tolist())


def unit_of(weights: FloatArray) -> float:
    """What counts as a row: 1, or the average weight where that is less, as in `deal`."""
    return min(1.0, float(weights.sum()) / len(weights))


def ends_path(strength: float, cll: float, largest: float, least_gain: float = LEAST_GAIN) -> bool:
    """Whether no weaker strength is tried: the CLL falls, or hardly rises if it is weak."""
    needed = least_gain if strength < _WEAK else 0.0
    return strength < _NEAR and cll < largest + needed


def is_too_large(layout: TableLayout) -> bool:
    """Whether the tables have so many parameters that no strength is tried."""
    return layout.n_cells * (layout.n_classes - 1) > _MOST_PARAMETERS


def _first_peak(strengths: Iterable[float], clls: Iterable[float], unit: float) -> _Peak:
    """The best strength before the path ends; weaker ones are not solved."""
    best = _Peak(MIDDLE, -np.inf)
    for strength, cll in zip(strengths, clls, strict=False):
        if ends_path(strength, cll, best.cll, LEAST_GAIN * unit):
            break
        if cll >= best.cll:
            best = _Peak(strength, cll)
    return best


def _held_out_clls(
    rest: Design,
    held: Design,
    data: Dataset,
    penalty_center: str,
    pseudocount: float,
    strengths: Iterable[float],
) -> Iterator[float]:
    """Yield the CLL of ``held`` at the optimum for ``rest``, one strength after another."""
    centre = centre_of(rest, data.states, penalty_center, pseudocount, data.ordered)
    return (held.cll(tables) for tables in penalty_path(rest, data.states, centre, strengths))


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
        objective = ConditionalObjective(design, space, centre.penalty(layout, strength))
        x = find_minimum(objective, x, solver="newton", tol=_TOL, max_iter=_MAX_ITER).x
        yield space.differences(x)


def centre_of(
    design: Design,
    states: States,
    penalty_center: str,
    pseudocount: float = 1.0,
    ordered: Mapping[str, int] = MappingProxyType({}),
) -> Centre:
    """Where a penalty of this name shrinks complete rows' tables to, estimated from them.

    ``ordered`` is the data's, which "smooth" alone looks at.
    """
    layout = design.layout
    if penalty_center == SMOOTH:
        return smooth_centre(layout, ordered)
    if penalty_center == "scaled":
        found = scaled_centre(design, states, pseudocount)
        return Centre(found.scale, found.bounded)
    if penalty_center == "frequencies":
        return Centre(None, relative(frequency_tables(layout, design.counts(), pseudocount)))
    return Centre(None, np.zeros((layout.n_cells, layout.n_classes - 1)))


def smooth_centre(layout: TableLayout, ordered: Mapping[str, int]) -> Centre:
    """Zero, the cells of ``ordered`` attributes shrunk to their neighbours."""
    nothing = np.zeros((layout.n_cells, layout.n_classes - 1))
    return Centre(None, nothing, Roughness(layout, dict(ordered)))


def _joined(design: Design, parts: Sequence[Design], left_out: int) -> Design:
    kept = [part for k, part in enumerate(parts) if k != left_out]
    return replace(
        design,
        codes=np.concatenate([part.codes for part in kept], axis=1),
        classes=np.concatenate([part.classes for part in kept]),
        row_weights=np.concatenate([part.row_weights for part in kept]),
    )

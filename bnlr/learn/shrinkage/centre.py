"""The scaled centre of the penalty: the frequency estimates' log-odds times what they are worth.

Frequency estimates order the classes well, but count what several attributes tell together as
often as they tell it, so that their log-odds are too large; for concepts without noise they are too
small. The centre is a·T: T the log-odds tables of smoothed frequency estimates, and a ≥ 0 the one
number that maximises the conditional likelihood of rows that T has not counted, a concave problem.
Rows that it has counted would flatter T, and leaving one row out at a time would not do: what one
row takes from a small count tells its class. A penalty shrinks to it within bounds (`bounded`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import brentq

from bnlr._typing import FloatArray, States
from bnlr.design.counting import Families, count_codes
from bnlr.design.families import TableLayout
from bnlr.design.pack import relative
from bnlr.design.packed_rows import Design
from bnlr.inference.engine import Engine
from bnlr.learn.shrinkage.folds import Line, evidence_folds_of, folds_of
from bnlr.network import BayesianNetwork
from bnlr.objectives.evidence import EvidenceRows, total

MAX_SCALE = 10.0
"""The scale of estimates that are right about every row, for which there is no largest."""

MOST_EVIDENCE = 6.0
"""As much for or against a class, from the classes' average, may a penalty make of any cell.

Estimates right about every row, ten times over, would have CPT entries of 1e-18. Those that say
more than this themselves are not made to say more.
"""

SHRINKAGE = 5.0
"""P(state | parents, class) gets so many rows' worth of P(state | class)."""

_LEAST = 1e-30
_PRECISION = 1e-10
_AT_A_TIME = 16


@dataclass(frozen=True)
class ScaledCentre:
    """``scale`` is a, ``tables`` the log-odds to the first class, (n_cells, n_classes − 1).

    ``bounded`` are those that a penalty shrinks to: none scaled up beyond `MOST_EVIDENCE`.
    """

    scale: float
    tables: FloatArray
    bounded: FloatArray


@dataclass(frozen=True)
class Smoothed:
    """Log-probabilities of smoothed frequency estimates, stacked, (n_cells, n_classes).

    ``prior`` holds P(class) in the rows of the class's own family, 0 in others, and ``evidence``
    all the rest: only that is scaled, as only that is penalised.
    """

    prior: FloatArray
    evidence: FloatArray

    def at(self, scale: float) -> FloatArray:
        """Tables with the evidence scaled."""
        return self.prior + scale * self.evidence

    def bounded(self, scale: float) -> FloatArray:
        """The same, no cell's evidence scaled up beyond `MOST_EVIDENCE`."""
        told = self.evidence - self.evidence.mean(axis=1, keepdims=True)
        most = np.maximum(np.abs(told), MOST_EVIDENCE)
        excess: FloatArray = scale * told - np.clip(scale * told, -most, most)
        return self.at(scale) - excess


def scaled_centre(design: Design, states: States, pseudocount: float = 1.0) -> ScaledCentre:
    """Centre for complete rows; counting and scoring all folds costs one pass each.

    ``states`` are the labels of the class and of the attributes that the tables look at.
    """
    folds = folds_of(design, states)
    counts = folds.counts(Design.counts)
    tables = [smoothed(design.layout, rest, pseudocount) for rest in _without_each(counts)]
    scale = _scale(folds.along(_design_line, tables))
    return _centre(scale, smoothed(design.layout, np.add.reduce(counts), pseudocount))


def holed_centre(
    engine: Engine, rows: EvidenceRows, frequencies: BayesianNetwork, pseudocount: float = 1.0
) -> ScaledCentre:
    """Centre for rows with holes: each family is counted in the rows that show all of it.

    What is scaled are the log-odds of P(class | observed cells) against P(class). CPTs outside the
    class's families are those of ``frequencies``.
    """
    structure = frequencies.structure
    layout = TableLayout.of(structure, frequencies.cards)
    folds = evidence_folds_of(rows.labelled, structure, frequencies.states)
    counts = folds.counts(partial(_counts, layout, engine))
    estimates = []
    for rest in _without_each(counts):
        tables = smoothed(layout, rest, pseudocount)
        cpts = {**frequencies.cpts, **layout.unstack(np.exp(tables.at(1.0)))}
        estimates.append((tables.prior[:1], engine.flat.flatten(cpts)))
    scale = _scale(folds.along(partial(_evidence_line, engine), estimates))
    return _centre(scale, smoothed(layout, np.add.reduce(counts), pseudocount))


def _scale(lines: Sequence[Line] | Callable[[FloatArray], FloatArray]) -> float:
    return scale_in_batches(lines) if callable(lines) else best_scale(lines)


def scale_in_batches(slopes: Callable[[FloatArray], FloatArray]) -> float:
    """`best_scale` of lines whose summed slopes, at many a at a time, are far away."""
    places = np.linspace(0.0, MAX_SCALE, _AT_A_TIME)
    while True:
        values = slopes(places)
        if values[0] <= 0:
            return float(places[0])
        if values[-1] > 0:
            return float(places[-1])
        last = int(np.flatnonzero(values <= 0)[0])
        (low, high), (above, below) = places[last - 1 : last + 1], values[last - 1 : last + 1]
        nearest = low + (high - low) * above / (above - below)
        if high - low <= _PRECISION:
            return float(nearest)
        # Closer and closer to where the chord says that the root is.
        around = (high - low) * np.geomspace(1e-9, 0.5, _AT_A_TIME // 2)
        places = np.unique(np.concatenate([nearest - around, [nearest], nearest + around]))
        places = np.concatenate([[low], places[(places > low) & (places < high)], [high]])


def best_scale(lines: Sequence[Line]) -> float:
    """Where a sum of concave functions of a is largest, from 0 to `MAX_SCALE`."""

    def slope(a: float) -> float:
        return sum(line(a)[1] for line in lines)

    low, high = 0.0, 1.0
    if slope(low) <= 0:
        return 0.0
    while slope(high) > 0:
        if high == MAX_SCALE:
            return MAX_SCALE
        low, high = high, min(2.0 * high, MAX_SCALE)
    return float(brentq(slope, low, high, xtol=_PRECISION))


def smoothed(layout: TableLayout, counts: FloatArray, pseudocount: float) -> Smoothed:
    """Smoothed frequency estimates from stacked counts, (n_cells, n_classes).

    P(x | parents, class) = (n(x, parents, class) + 5·P(x | class)) / (n(parents, class) + 5), where
    P(x | class) = (n(x, class) + pseudocount) / (n(class) + pseudocount · states); P(class |
    parents) likewise. Zeros, which need pseudocount 0, become 1e-30.
    """
    own, *children = layout.families
    tables, prior = np.empty_like(counts), np.zeros_like(counts)
    shares, marginal = _shrunk(counts[own.rows][:, :, None], pseudocount)
    tables[own.rows], prior[own.rows] = shares[:, :, 0], _log(marginal[:, :, 0])
    for family in children:
        cells = counts[family.rows].reshape(-1, family.shape[-1], layout.n_classes)
        tables[family.rows] = _shrunk(cells, pseudocount)[0].reshape(-1, layout.n_classes)
    return Smoothed(prior, _log(tables) - prior)


def frequency_tables(layout: TableLayout, counts: FloatArray, pseudocount: float) -> FloatArray:
    """Logarithms of (count + pseudocount) / (total + pseudocount · states), stacked."""
    tables = np.empty_like(counts)
    for place, family in enumerate(layout.families):
        own = counts[family.rows] + pseudocount
        cells = own[:, :, None] if place == 0 else own.reshape(-1, family.shape[-1], own.shape[1])
        tables[family.rows] = _to_one(cells).reshape(own.shape)
    return _log(tables)


def _shrunk(counts: FloatArray, pseudocount: float) -> tuple[FloatArray, FloatArray]:
    """Probabilities along axis 1, each configuration's (axis 0) shrunk to all together's."""
    marginal = _to_one(counts.sum(axis=0, keepdims=True) + pseudocount)
    if len(counts) == 1:
        return marginal, marginal
    return _to_one(counts + SHRINKAGE * marginal), marginal


def _to_one(counts: FloatArray) -> FloatArray:
    uniform = np.full_like(counts, 1.0 / counts.shape[1])
    totals = counts.sum(axis=1, keepdims=True)
    shares: FloatArray = np.divide(counts, totals, out=uniform, where=totals > 0)
    return shares


def _log(probabilities: FloatArray) -> FloatArray:
    logs: FloatArray = np.log(np.maximum(probabilities, _LEAST))
    return logs


def _without_each(counts: Sequence[FloatArray]) -> Iterable[FloatArray]:
    """Counts of all parts but one; sums of weights may not quite cancel."""
    together = np.add.reduce(counts)
    return (np.maximum(together - own, 0.0) for own in counts)


def _centre(scale: float, estimates: Smoothed) -> ScaledCentre:
    return ScaledCentre(scale, relative(estimates.at(scale)), relative(estimates.bounded(scale)))


def _counts(layout: TableLayout, engine: Engine, rows: EvidenceRows) -> FloatArray:
    """Stacked counts of the class's families, each from the rows that observe all of it."""
    flat = engine.flat
    places = [flat.names.index(family.node) for family in layout.families]
    scopes = [(*flat.parents[place], place) for place in places]
    axes = np.array([axis for scope in scopes for axis in scope], dtype=np.intp)
    families = Families.at(flat.cards, axes, [len(scope) for scope in scopes])
    cells = count_codes(rows.codes, families, rows.weights, engine.n_threads)
    tables = np.split(cells, families.starts[1:-1])
    return layout.stack(
        {
            flat.names[place]: table.reshape(flat.shape(place))
            for place, table in zip(places, tables, strict=True)
        }
    )


def _design_line(design: Design, tables: Smoothed) -> Line:
    return design.along(relative(tables.prior), relative(tables.evidence))


def _evidence_line(
    engine: Engine, rows: EvidenceRows, estimates: tuple[FloatArray, FloatArray]
) -> Line:
    """Line of rows along P(class | evidence) by CPTs, flat, from log P(class) on, (1, K)."""
    prior, theta = estimates
    posterior, _ = engine.posterior(theta, rows.codes)
    return _EvidenceLine(rows, prior, _log(posterior) - prior)


@dataclass(frozen=True, eq=False)
class _EvidenceLine:
    rows: EvidenceRows
    prior: FloatArray
    evidence: FloatArray

    def __call__(self, a: float) -> tuple[float, float]:
        weights, evidence = self.rows.weights, self.evidence
        own = np.arange(len(weights)), self.rows.classes
        scores = self.prior + a * evidence
        logs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        slopes = evidence[own] - np.einsum("ic,ic->i", np.exp(logs), evidence)
        return total(weights, logs[own]), total(weights, slopes)

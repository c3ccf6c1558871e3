"""What the Hessian of −CLL of rows with holes is expected to be, as a preconditioner.

In log θ the Hessian of −log P(c | e) is Cov(counts | e) − Cov(counts | c, e), which is
Cov_c(E(counts | c, e)), the expected information of the class, and a remainder whose mean over the
classes as the network predicts them is 0. The first is positive semidefinite and holds most of the
curvature. Directions that it hardly sees, those that hole-free rows would not see at all, have the
remainder's, a share of what completed rows would tell of their cells as far as their class is not
fitted, 1 − P(c | e): a small multiple of that is added, lest steps along them are far too long.
"""

from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import FloatArray
from bnlr.objectives.evidence import EvidenceRows, log_conditionals
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.precondition import sample_size
from bnlr.objectives.softmax_curvature import FEW, add_penalty, inverse_in_softmax
from bnlr.optimize.base import Lasting
from bnlr.spaces.joint import JointSpace

if TYPE_CHECKING:
    from bnlr.inference.engine import Engine


def inverse_information(
    engine: "Engine",
    space: JointSpace,
    rows: EvidenceRows,
    theta: FloatArray,
    penalty: Penalty | None,
) -> Lasting:
    """r ↦ about the inverse Hessian of −CLL + penalty in softmax β, at CPTs ``theta``, times r."""
    most, drawn = sample_size(len(theta)), None
    if rows.n_rows > most:
        drawn = most / rows.total_weight
    matrix, counts = rows.total(_told, engine, theta, drawn)
    if penalty is not None:
        add_penalty(matrix, space.class_cells, penalty)
        if penalty.pseudo_counts is not None:
            counts += penalty.pseudo_counts
    starts = space.flat.column_starts
    return inverse_in_softmax(matrix, theta, np.add.reduceat(counts, starts), starts)


def _told(
    rows: EvidenceRows, engine: "Engine", theta: FloatArray, drawn: float | None
) -> tuple[FloatArray, FloatArray]:
    """Expected information, and few expected counts of rows as far as they are not fitted."""
    matrix = _information(rows, engine, theta, drawn)
    left = -rows.weights * np.expm1(log_conditionals(engine, theta, rows))
    counts, _ = engine.expected_counts(theta, rows.codes, FEW * left)
    return matrix, counts


def _information(
    rows: EvidenceRows, engine: "Engine", theta: FloatArray, drawn: float | None
) -> FloatArray:
    """That of all rows, or as much of ``drawn`` a unit of weight, in proportion to it."""
    codes, weights = rows.codes, rows.weights
    if drawn is not None and len(codes):
        ends = np.cumsum(weights)
        most = max(round(drawn * float(ends[-1])), 1)
        at = (np.arange(most) + 0.5) * (ends[-1] / most)
        chosen, times = np.unique(np.searchsorted(ends, at), return_counts=True)
        codes, weights = codes[chosen], times * (ends[-1] / most)
    return engine.information(theta, codes, weights)

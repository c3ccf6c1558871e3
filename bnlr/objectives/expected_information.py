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
from scipy.linalg import cho_factor, cho_solve

from bnlr._typing import FloatArray
from bnlr.inference.cpts import FlatCPTs
from bnlr.objectives.evidence import EvidenceRows, log_conditionals
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.precondition import sample_size
from bnlr.optimize.base import Lasting
from bnlr.spaces.joint import JointSpace

if TYPE_CHECKING:
    from bnlr.inference.engine import Engine

LARGEST = 2048
"""CPT entries beyond which the matrix costs more than it saves."""

COMPLETED = 0.03  # the share of the completed rows' information
_HALF_A_ROW = 0.5


def inverse_information(
    engine: "Engine",
    space: JointSpace,
    rows: EvidenceRows,
    theta: FloatArray,
    penalty: Penalty | None,
) -> Lasting:
    """r ↦ about the inverse Hessian of −CLL + penalty in softmax β, at CPTs ``theta``, times r."""
    flat = space.flat
    matrix = _information(engine, rows, theta)
    left = -rows.weights * np.expm1(log_conditionals(engine, theta, rows))
    counts, _ = engine.expected_counts(theta, rows.codes, COMPLETED * left)
    if penalty is not None:
        _add_on_tables(matrix, space.class_cells, penalty.of_each_class())
        if penalty.pseudo_counts is not None:
            counts += penalty.pseudo_counts
    own = np.diag_indices(len(matrix))
    matrix[own] += theta * flat.column_sums(counts)
    matrix = _within_columns(flat, theta, _within_columns(flat, theta, matrix).T)
    matrix[own] += COMPLETED * _HALF_A_ROW
    factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
    return Lasting(lambda r: np.asarray(cho_solve(factor, r, check_finite=False)))


def _information(engine: "Engine", rows: EvidenceRows, theta: FloatArray) -> FloatArray:
    """That of all rows, or as much of so many as tell enough, drawn in proportion to weight."""
    codes, weights, most = rows.codes, rows.weights, sample_size(len(theta))
    if len(codes) > most:
        ends = np.cumsum(weights)
        at = (np.arange(most) + 0.5) * (ends[-1] / most)
        drawn, times = np.unique(np.searchsorted(ends, at), return_counts=True)
        codes, weights = codes[drawn], times * (ends[-1] / most)
    return engine.information(theta, codes, weights)


def _add_on_tables(matrix: FloatArray, cells: np.ndarray, of_each_class: FloatArray) -> None:
    """Add what a penalty on tables less their class averages adds in log θ."""
    n_classes = cells.shape[1]
    for c, own in enumerate(cells.T):
        for d, other in enumerate(cells.T):
            matrix[np.ix_(own, other)] += ((c == d) - 1.0 / n_classes) * of_each_class


def _within_columns(flat: FlatCPTs, theta: FloatArray, matrix: FloatArray) -> FloatArray:
    """JᵀA, J = ∂ log θ / ∂β."""
    sums = np.add.reduceat(matrix, flat.column_starts, axis=0)
    projected: FloatArray = matrix - theta[:, None] * np.repeat(sums, flat.column_lengths, axis=0)
    return projected

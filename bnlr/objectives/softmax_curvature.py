"""A Hessian in log θ turned into softmax β and inverted, as a preconditioner.

With J = ∂ log θ / ∂β, which is I − 1θᵀ on each CPT column, and A the Hessian in log θ, that in β is
JᵀAJ − Σ_columns s·(diag θ − θθᵀ), s the column's sum of the gradient in log θ. Where rows counted,
−s would be their number: it stands for it where positive, and no less than a few ``counts``, which
keep steps along what A does not see from being far too long.
"""

import numpy as np
from scipy.linalg import blas, lapack

from bnlr._typing import FloatArray, IntArray
from bnlr.design.families import TableLayout
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.precondition import sample_size
from bnlr.optimize.base import Lasting

LARGEST = 2048
"""CPT entries beyond which the matrix costs more than it saves."""

FEW = 0.03
"""The share of rows that counts beside what A tells of them."""

_HALF_A_ROW = 0.5
_FLOPS_PER_SUM = 15


def inverse_in_softmax(
    matrix: FloatArray, theta: FloatArray, counts: FloatArray, starts: IntArray
) -> Lasting:
    """r ↦ (JᵀAJ + Σ_columns N·(diag θ − θθᵀ) + a share of half a row)⁻¹·r.

    Parameters
    ----------
    matrix : A, (n, n), which is overwritten
    theta : the CPT entries, (n,)
    counts : N, (n_columns,)
    starts : the first entry of each column
    """
    own, lengths = np.diag_indices(len(theta)), np.diff(starts, append=len(theta))
    matrix[own] += theta * np.repeat(counts, lengths)
    for _ in range(2):
        sums = np.add.reduceat(matrix, starts, axis=0)
        matrix -= theta[:, None] * np.repeat(sums, lengths, axis=0)
        matrix = matrix.T
    matrix[own] += FEW * _HALF_A_ROW
    diagonal = matrix[own]
    factor, info = lapack.dpotrf(matrix.T, lower=True, overwrite_a=True)
    if info:  # heavy rows have rounded away what makes it positive
        return Lasting(lambda r: r / diagonal)
    # two triangles one after the other take a third of the time of dpotrs
    return Lasting(
        lambda r: blas.dtrsv(factor, blas.dtrsv(factor, r, lower=True), lower=True, trans=True)
    )


def rows_worth_a_factor(layout: TableLayout) -> int:
    """Rows whose sums take no longer than the factor of the matrix, or that tell enough."""
    pairs_of_classes = layout.n_classes * (layout.n_classes - 1) // 2
    sums = len(layout.families) ** 2 * pairs_of_classes
    affordable = (layout.n_cells * layout.n_classes) ** 3 // (_FLOPS_PER_SUM * sums)
    return max(affordable, sample_size(layout.n_cells))


def add_penalty(matrix: FloatArray, cells: IntArray, penalty: Penalty) -> None:
    """Add the curvature of a ``penalty`` on tables less their class averages.

    ``cells`` (n_cells, width) are the places of their entries; the first class may be left out.
    """
    of_each_class, n_classes = penalty.of_each_class(), penalty.layout.n_classes
    for c, own in enumerate(cells.T):
        for d, other in enumerate(cells.T):
            matrix[np.ix_(own, other)] += ((c == d) - 1.0 / n_classes) * of_each_class

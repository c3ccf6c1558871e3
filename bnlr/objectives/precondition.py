"""An approximate inverse of the Hessian of −CLL in linear coordinates of the tables.

The Hessian is Σ_i w_i (diag(p_i) − p_i p_iᵀ) ⊗ z_i z_iᵀ. Taking for every class the mean of the
classes' curvatures gives one matrix A over the cells for all classes, whose factor also knows the
directions in which families can trade what they share, exactly those that conjugate gradients are
slow to find. It is applied to all classes, the reference too, whose column is then subtracted: in
coordinates relative to it alone the classes would be coupled. For two classes A is the Hessian.
"""

import numpy as np
from scipy.linalg import lapack
from scipy.sparse import csr_array

from bnlr._typing import FloatArray
from bnlr.design.pack import absolute, relative
from bnlr.design.tables import Linearisation
from bnlr.optimize.base import Operator

_LARGEST_FACTOR = 1536
_ROWS_PER_CELL, _LEAST_ROWS = 8, 4096
# Keep the approximation positive: along directions without curvature, in cells never seen or
# whose rows are fitted perfectly.
_BLEND, _LEAST_CURVATURE = 1e-4, 1e-10


def inverse_curvature(
    local: Linearisation, basis: csr_array | None = None, penalty: float = 0.0
) -> Operator:
    """Operator on flat vectors (n_predictors · (n_classes − 1)), about the inverse Hessian.

    Parameters
    ----------
    local : the point
    basis : (n_cells, n_predictors), tables = basis @ parameters; None for the identity
    penalty : curvature that every cell's parameters have besides
    """
    n_classes = local.design.layout.n_classes
    # What one class's curvature must be for the joint one of equally probable classes.
    diagonal = local.hessian_diagonal() * (n_classes / (n_classes - 1))
    shape = (-1, n_classes - 1)
    size = local.design.layout.n_cells if basis is None else basis.shape[1]
    scale = lifted((diagonal if basis is None else basis.T @ diagonal) + penalty)

    def by_diagonal(r: FloatArray) -> FloatArray:
        return relative(absolute(r.reshape(shape)) / scale).ravel()

    if size > _LARGEST_FACTOR or local.design.layout.n_cells > 2 * _LARGEST_FACTOR:
        return by_diagonal
    matrix = _matrix(local, diagonal.mean(axis=1))
    if basis is not None:
        matrix = basis.T @ (basis.T @ matrix).T
    _lift(matrix, penalty)
    if n_classes == 2:
        matrix *= 0.5
    factor, info = lapack.dpotrf(matrix, lower=True, overwrite_a=True)
    if info:
        return by_diagonal  # not positive to working precision
    if n_classes == 2:
        return lambda r: np.asarray(lapack.dpotrs(factor, r, lower=True)[0])
    half, _ = lapack.dpotri(factor, lower=True, overwrite_c=True)
    inverse = np.tril(half) + np.tril(half, -1).T
    return lambda r: relative(inverse @ absolute(r.reshape(shape))).ravel()


def _matrix(local: Linearisation, diagonal: FloatArray) -> FloatArray:
    """A from a sample of the rows; cells that it never shows get the ``diagonal`` of all rows."""
    matrix = local.cross_curvature(max(_ROWS_PER_CELL * len(diagonal), _LEAST_ROWS))
    own = np.diag_indices(len(matrix))
    # Rescaling A to the diagonal would undo what makes it good: that families which trade scores
    # cancel exactly in it. A small part of the diagonal covers what the sample got wrong.
    matrix[own] += np.where(matrix[own] > 0, _BLEND * diagonal, diagonal)
    # A cell that no row shows must not leave a basis that combines cells without full rank.
    matrix[own] += _LEAST_CURVATURE * max(float(diagonal.max(initial=0.0)), 1.0)
    return matrix


def _lift(matrix: FloatArray, penalty: float) -> None:
    own = np.diag_indices(len(matrix))
    matrix[own] = lifted(matrix[own] + penalty)


def lifted(diagonal: FloatArray) -> FloatArray:
    """Raise a Hessian's ``diagonal`` (n,) to where a solver can divide by it."""
    raised: FloatArray = np.maximum(
        diagonal, _LEAST_CURVATURE * max(float(diagonal.max(initial=0.0)), 1.0)
    )
    return raised

"""The CLL's maximum in a linear space, and the information that the rows carry about it.

The information of the parameters W (n_predictors, n_classes − 1) is, in Agresti's (2013, section
8.1.4) notation, Σ_i w_i·(diag(p_i) − p_i·p_iᵀ) ⊗ z_i·z_iᵀ, z_i the row's predictors. It does not
hang on the classes seen, so that the observed and the expected information are one. At a finite
maximum every p_i is inside (0, 1); its rank is then that of Z times n_classes − 1, and a linear
combination of parameters is estimable where it is orthogonal to what Z maps to 0.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import eigh, lapack

from bnlr._typing import BoolArray, FloatArray
from bnlr.design.packed_rows import Design, Linearisation
from bnlr.errors import DataError, TooLargeError
from bnlr.spaces.l_model import LinearSpace

_MOST_PARAMETERS = 4000
# Z is 0/1: what is dependent is so to rounding, and what is not stays far above it.
_LEAST_EIGENVALUE = 1e-10
_NOISE = 1e-6
_LEAST_CONDITION = 1e-12
_MOST_STEPS = 20
_STANDS = 1e-7


@dataclass(frozen=True, eq=False)
class Identification:
    """Which combinations of predictors the rows tell apart.

    ``lengths`` (n_predictors,) are those of Z's columns over the packed rows, 1 for a column of
    zeros; ``known`` (n_predictors, rank) and ``unknown`` are orthonormal bases of what Z, its
    columns divided by their lengths, maps to something and to 0.
    """

    lengths: FloatArray
    known: FloatArray
    unknown: FloatArray

    @classmethod
    def of(cls, gram: FloatArray) -> "Identification":
        """Split the predictors' combinations by the eigenvalues of ZᵀZ."""
        squares = np.diagonal(gram)
        lengths = np.sqrt(np.where(squares > 0, squares, 1.0))
        values, vectors = eigh(gram / np.outer(lengths, lengths))
        known = values > _LEAST_EIGENVALUE
        return cls(lengths, vectors[:, known], vectors[:, ~known])

    @property
    def rank(self) -> int:
        """Rank of Z."""
        return int(self.known.shape[1])

    @property
    def basis(self) -> FloatArray | None:
        """Combinations whose coefficients the rows determine; None for the predictors as such."""
        if not self.unknown.size:
            return None
        basis: FloatArray = self.known / self.lengths[:, None]
        return basis

    def estimable(self, weights: FloatArray) -> BoolArray:
        """Whether the rows determine weightsᵀ·W, for each column of (n_predictors, n)."""
        scaled = weights / self.lengths[:, None]
        lost = np.linalg.norm(self.unknown.T @ scaled, axis=0)
        fine: BoolArray = lost <= _NOISE * np.linalg.norm(scaled, axis=0)
        return fine

    @cached_property
    def estimable_predictors(self) -> BoolArray:
        """Whether each predictor's own parameters are estimable, (n_predictors,)."""
        fine: BoolArray = np.linalg.norm(self.unknown, axis=1) <= _NOISE
        return fine


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where the CLL is largest.

    Attributes
    ----------
    space : LinearSpace
    x : array of shape (space.size,)
        The parameters; of those that the rows do not determine one choice of many.
    covariance : array of shape (space.size, space.size)
        Inverse of the information; a generalised one where the rows do not determine all.
    identification : Identification
    cll, null_cll : float
        Of the maximum, and of the class prior alone: natural log, summed over rows with weights.
    rank : float
        Parameters that the rows determine, all classes; under a penalty how many they come to.
    null_rank : int
        The same of the class prior.
    total_weight : float
        Rows with a class, each counted as often as its weight says.
    strength : float
        Of the penalty under which it is the mode, 0 for the maximum itself.
    """

    space: LinearSpace
    x: FloatArray
    covariance: FloatArray
    identification: Identification
    cll: float
    null_cll: float
    rank: float
    null_rank: int
    total_weight: float
    strength: float = 0.0


def maximum(design: Design, space: LinearSpace, x: FloatArray) -> Maximum:
    """Take Newton's steps from ``x``, a solver's last point, until they no longer move.

    A solver stops by the CLL, within whose last digits parameters still differ.

    Raises
    ------
    TooLargeError
        More parameters than a dense matrix should have.
    DataError
        There is no finite maximum near ``x``, or none that double precision can tell.
    """
    check_size(space)
    identification = Identification.of(moments_of(design.co_occurrences(), space))
    for _ in range(_MOST_STEPS):
        local = design.linearise(space.differences(x))
        covariance = _covariance(information_of(local, space), identification.basis)
        step = covariance @ space.pull_differences(x, local.gradient)
        x = x + step
        if _largest(space.differences(step)) <= _STANDS:
            break
    else:
        raise DataError(_no_maximum("Newton's steps do not end"))
    totals = design.class_weights()
    totals = totals[totals > 0]
    return Maximum(
        space=space,
        x=x,
        covariance=covariance,
        identification=identification,
        cll=design.cll(space.differences(x)),
        null_cll=float(totals @ np.log(totals / totals.sum())),
        rank=identification.rank * (design.layout.n_classes - 1),
        null_rank=len(totals) - 1,
        total_weight=design.total_weight,
    )


def check_size(space: LinearSpace) -> None:
    """Refuse more parameters than a dense matrix should have, before it is allocated."""
    n_cells, size = space.layout.n_cells, space.size
    if max(n_cells, size) > _MOST_PARAMETERS:
        raise TooLargeError(
            f"the information of {size:,} parameters in {n_cells:,} table cells takes "
            f"{max(n_cells, size) ** 2 * 8 / 1e6:,.0f} MB, and is inverted for at most "
            f"{_MOST_PARAMETERS:,} of either; take a structure with fewer arcs, or merge states"
        )


def information_of(local: Linearisation, space: LinearSpace) -> FloatArray:
    """Information of W, (n_predictors, width, n_predictors, width), width = n_classes − 1."""
    width = local.design.layout.n_classes - 1
    n = space.size // width
    information = np.empty((n, width, n, width))
    for c in range(width):
        for e in range(c + 1):
            block = moments_of(local.shared_curvature(c, e), space)
            information[:, c, :, e] = information[:, e, :, c] = block
    return information


def moments_of(of_cells: FloatArray, space: LinearSpace) -> FloatArray:
    """Sums over products of predictors, (n_predictors, n_predictors), from those of cells."""
    half = space.basis.T @ of_cells
    return np.asarray((space.basis.T @ half.T).T)


def _covariance(information: FloatArray, basis: FloatArray | None) -> FloatArray:
    """Generalised inverse of the information, through the ``basis`` of what rows determine."""
    n, width = information.shape[:2]
    if basis is None:
        return inverse_of(information.reshape(n * width, n * width))
    known = np.einsum("pi,pcqe,qj->icje", basis, information, basis, optimize=True)
    size = basis.shape[1] * width
    inverse = inverse_of(known.reshape(size, size)).reshape(known.shape)
    whole: FloatArray = np.einsum("pi,icje,qj->pcqe", basis, inverse, basis, optimize=True)
    return whole.reshape(n * width, n * width)


def inverse_of(matrix: FloatArray) -> FloatArray:
    """Inverse of a symmetric positive matrix, scaled to a diagonal of 1 on the way."""
    diagonal = np.diagonal(matrix)
    if not (diagonal > 0).all():
        raise DataError(_no_maximum("a parameter carries no information"))
    scale = 1.0 / np.sqrt(diagonal)
    scaled = matrix * np.outer(scale, scale)
    norm = float(np.abs(scaled).sum(axis=0).max())
    factor, info = lapack.dpotrf(scaled, lower=True)
    if info or lapack.dpocon(factor, norm, uplo="L")[0] < _LEAST_CONDITION:
        raise DataError(_no_maximum("the information is singular to working precision"))
    half, _ = lapack.dpotri(factor, lower=True)
    inverse = np.tril(half) + np.tril(half, -1).T
    return np.asarray(inverse * np.outer(scale, scale))


def _no_maximum(why: str) -> str:
    return (
        f"no standard errors: {why}, as where the optimum is not finite or some probabilities are "
        "nearly 0 or 1. Merge rare states, or take a structure with fewer arcs"
    )


def _largest(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))

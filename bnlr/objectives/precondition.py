"""An approximate inverse of the Hessian of −CLL in linear coordinates of the tables.

The Hessian is Σ_i w_i (diag(p_i) − p_i p_iᵀ) ⊗ z_i z_iᵀ. Taking for every class the mean of the
classes' curvatures gives one matrix A over the cells for all classes, whose factor also knows the
directions in which families can trade what they share, exactly those that conjugate gradients are
slow to find. It is applied to all classes, the reference too, whose column is then subtracted: in
coordinates relative to it alone the classes would be coupled. For two classes A is the Hessian.
"""

from functools import cached_property
from math import inf, sqrt

import numpy as np
from scipy.linalg import lapack
from scipy.sparse import csc_array, csr_array, diags_array
from scipy.sparse.linalg import SuperLU, splu

from bnlr._typing import FloatArray, IntArray
from bnlr.design.pack import absolute, relative, row_sums
from bnlr.design.packed_rows import Linearisation
from bnlr.objectives.minimum_norm import LeastTables, least_tables
from bnlr.optimize.base import Lasting, Preconditioner

_LARGEST_FACTOR = 1536
_ROWS_PER_CELL, _LEAST_ROWS = 8, 4096
_LEAST_PENALTY, _HELD = 0.01, 2
_SUMS_PER_LOOKUP = 40
# Solving with the penalty's neighbours takes as long as a product of so many lookups a parameter,
# and spares up to three of four products where the penalty is strong, none where it is weak.
_FEW_LOOKUPS, _MANY_LOOKUPS = 64, 256
# What a factor for each class may cost.
_CUBE_PER_LOOKUP, _MOST_NUMBERS, _MOST_ROWS = 100, 2**22, 2**15
HARD = 60
"""Products of one system after which each class's own curvature is worth its price."""
SMALL = _LEAST_LOOKUPS = 2**16
"""So many lookups a product, (n_classes − 1) · groups · rows, take less time than Python does."""
# What the exact Hessian's factor may cost, about 50 or 200 products, and costs whatever the rows.
_LARGEST_EXACT = 4096
_ADDS_PER_LOOKUP, _FLOPS_PER_LOOKUP, _FEW_FLOPS, _DEARER = 1000, 10_000, 1e7, 3
_FLAT, _TINY = 1e-12, 1e-300
_FAINT = 0.1  # a cell's curvature, in rows
_FLOPS_PER_PRODUCT, _IMPOSSIBLE, _AT_A_TIME = 150, 1e-14, 16
# Rounding in what no row tells of a class grows by the inverse of this.
_MUCH = 1e-2
_SHARED = 1e-3
# Inverses that take long to read are rounded to single precision, which moves an eigenvalue of a
# matrix of so small a condition by a hundredth at most.
_SINGLE, _MOST_CONDITION = 256, 1e5
# Keep the approximation positive: along directions without curvature, in cells never seen or
# whose rows are fitted perfectly.
BLEND, LEAST_CURVATURE = 1e-4, 1e-10
# Under a penalty that is not quite lost beside the rows it is positive without. Of many rows more
# would outweigh a weak one, and hide it along the directions that nothing else holds.
_LEAST_BLEND, _LOST = 1e-6, 0.1


Curvature = float | csr_array
"""Of a penalty on full tables, for each class: a multiple of the identity, or a matrix."""


def inverse_curvature(
    local: Linearisation,
    basis: csr_array | None = None,
    penalty: Curvature = 0.0,
    inverse: csr_array | None = None,
) -> Preconditioner:
    """Operator on flat vectors (n_predictors · (n_classes − 1)), about the inverse Hessian.

    Parameters
    ----------
    local : the point
    basis : (n_cells, n_predictors), tables = basis @ parameters; None for the identity
    penalty
        Curvature that every cell's parameters have besides: a number for all parameters, or a
        sparse matrix over the cells (n_cells, n_cells), whose blocks are those of the families.
    inverse : (n_predictors, n_cells), parameters of tables = inverse @ tables; with a ``basis``
    """
    n_classes = local.design.layout.n_classes
    # What one class's curvature must be for the joint one of equally probable classes.
    diagonal = local.hessian_diagonal() * (n_classes / (n_classes - 1))
    shape = (-1, n_classes - 1)
    size = local.design.layout.n_cells if basis is None else basis.shape[1]
    if basis is not None and isinstance(penalty, csr_array):
        penalty = csr_array(basis.T @ penalty @ basis)

    is_splitting = (basis is None or inverse is not None) and not isinstance(penalty, csr_array)

    def cheap() -> Preconditioner:
        own = diagonal if basis is None else basis.T @ diagonal
        if isinstance(penalty, csr_array) and local.design.n_codes >= _FEW_LOOKUPS * size:
            return ByFamily(own, penalty)
        least = least_tables(local.design.layout)
        # Where constants are all that families share, two classes of few rows find them as soon.
        is_many = n_classes > 2 or local.design.n_codes >= _MANY_LOOKUPS * size
        # Rows that tables can tell apart leave hardly any curvature: to split it gains nothing.
        is_held = local.design.n_rows >= _HELD * size or _largest(penalty) >= _LEAST_PENALTY
        splits = is_splitting and is_held and (least.share.nnz or is_many)
        if splits and not isinstance(penalty, csr_array):
            return ByInteraction(least, diagonal, penalty, inverse)
        scale = lifted(own + diagonal_of(penalty))
        return Lasting(lambda r: relative(absolute(r.reshape(shape)) / scale).ravel())

    if _has_low_rank(local, penalty):
        return cheap()
    if _is_worth_a_factor_each(local):
        return ByClass.of(local, diagonal, basis, penalty) or cheap()
    if size > _LARGEST_FACTOR or local.design.layout.n_cells > 2 * _LARGEST_FACTOR:
        return cheap()
    if is_splitting and _is_dear(local):
        return cheap()
    matrix = _matrix(local, diagonal.mean(axis=1), _blend(local, diagonal, penalty))
    if basis is not None:
        matrix = basis.T @ (basis.T @ matrix).T
    _lift(matrix, penalty)
    if n_classes == 2:
        matrix *= 0.5
    length = float(np.abs(matrix).sum(axis=0).max())
    factor, info = lapack.dpotrf(matrix.T, lower=True, overwrite_a=True)
    if info:
        return cheap()  # not positive to working precision
    is_first = basis is None and _may_be_hard(local)
    return Factored(factor.T, n_classes, length, HARD if is_first else inf)


def inverse_by_class(local: Linearisation, most_products: float) -> "OfPossible | None":
    """Each class's own curvature inverted, where some classes are nearly or quite impossible.

    None of two classes, or where that costs more than ``most_products`` Hessian products do.
    """
    return OfPossible.of(local) if _is_worth_by_class(local, most_products) else None


def inverse_where_hard(local: Linearisation, penalty: float = 0.0) -> "OfPossible | None":
    """Each class's own curvature inverted for a solver; None where it costs too much.

    Of a cell's curvature a small share of the classes' mean is the least: where a class has next to
    none because parameters run away, steps would lead far beyond where that is so. ``penalty`` is
    as for `inverse_curvature`.
    """
    if not _may_be_hard(local):
        return None
    mean = local.hessian_diagonal().mean(axis=1)
    return OfPossible.of(local, _SHARED * mean + penalty)


def _may_be_hard(local: Linearisation) -> bool:
    if local.design.n_lookups <= _LEAST_LOOKUPS:  # products cost next to nothing
        return False
    n_numbers = local.design.layout.n_cells**2 * local.design.layout.n_classes
    return n_numbers <= 4 * _MOST_NUMBERS and _is_worth_by_class(local, HARD)


def _is_worth_by_class(local: Linearisation, most_products: float) -> bool:
    n_cells, n_classes = local.design.layout.n_cells, local.design.layout.n_classes
    most = _FLOPS_PER_PRODUCT * most_products * local.design.n_lookups
    return n_classes > 2 and n_cells**3 * n_classes <= most


def exact_inverse(local: Linearisation, *, is_needed: bool = True) -> "Exact | None":
    """The inverse of the Hessian in the tables itself; None where it is dear or not to be had.

    Where some classes are nearly impossible curvatures differ by orders of magnitude within every
    class, and nothing less keeps conjugate gradients short. It may cost more if it ``is_needed``.
    """
    layout, width = local.design.layout, local.design.layout.n_classes - 1
    size, families = layout.n_cells * width, len(layout.families)
    lookups = local.design.n_lookups * (_DEARER if is_needed else 1)
    adds = local.design.n_rows * families**2 * width**2
    is_dear = adds > _ADDS_PER_LOOKUP * lookups or size**3 > _FLOPS_PER_LOOKUP * lookups
    largest = _LARGEST_EXACT if is_needed else _LARGEST_FACTOR
    if size > largest or (is_dear and adds + size**3 > _FEW_FLOPS):
        return None
    return Exact.of(local.joint_curvature())


class Exact:
    """r ↦ H⁻·r, which leaves parameters that others stand in for at 0.

    ``lower`` L is the factor of D·H·D at the parameters ``kept``, ``scale`` their D.
    """

    renewal: float = 10

    def __init__(self, lower: FloatArray, kept: IntArray, scale: FloatArray) -> None:
        self._lower, self._kept, self._scale = lower, kept, scale

    @classmethod
    def of(cls, matrix: FloatArray) -> "Exact":
        """From H, which is overwritten."""
        own = np.diag_indices(len(matrix))
        # A scale for each: flat is what is small beside its own parameter, not beside others.
        scale = 1.0 / np.sqrt(np.maximum(matrix[own], _TINY))
        matrix *= scale
        matrix *= scale[:, None]
        factor, order, rank, _ = lapack.dpstrf(matrix.T, tol=_FLAT, lower=True, overwrite_a=True)
        kept = order[:rank].astype(np.intp) - 1
        return cls(np.asfortranarray(factor[:rank, :rank]), kept, scale[kept])

    def __call__(self, r: FloatArray) -> FloatArray:
        """The product with a flat ``r``."""
        whole = np.zeros_like(r)
        scaled = r[self._kept] * self._scale
        whole[self._kept] = lapack.dpotrs(self._lower, scaled, lower=True)[0] * self._scale
        return whole


def _has_low_rank(local: Linearisation, penalty: Curvature) -> bool:
    """Whether the penalty is all but a few directions of the Hessian.

    Conjugate gradients find those of the rows sooner than a factor of all cells is computed.
    """
    return _largest(penalty) >= _LEAST_PENALTY and local.design.n_rows < local.design.layout.n_cells


def _is_dear(local: Linearisation) -> bool:
    """Whether the sums for one factor take longer than the products that it might spare."""
    design = local.design
    n_rows = min(sample_size(design.layout.n_cells), design.n_rows)
    lookups = design.n_lookups
    return n_rows * len(design.layout.families) ** 2 > _SUMS_PER_LOOKUP * lookups


def _largest(penalty: Curvature) -> float:
    return float(np.max(diagonal_of(penalty)))


class Factored:
    """r ↦ A⁻¹·r, from ``upper`` (n, n), UᵀU = A, whose rows are contiguous.

    Of more than two classes the reference takes part, and its column is subtracted. ``length`` is
    A's norm, the largest sum of a column.
    """

    def __init__(
        self, upper: FloatArray, n_classes: int, length: float = inf, renewal: float = inf
    ) -> None:
        self._upper, self._width, self._length = upper, n_classes - 1, length
        self.renewal = renewal

    def __call__(self, r: FloatArray) -> FloatArray:
        """A⁻¹·r of a flat ``r``."""
        if self._width == 1:
            return np.asarray(lapack.dpotrs(self._upper.T, r, lower=True)[0])
        columns = absolute(r.reshape(-1, self._width)).astype(self._inverse.dtype, copy=False)
        return relative((self._inverse @ columns).astype(np.float64, copy=False)).ravel()

    @cached_property
    def _inverse(self) -> np.ndarray:
        """A⁻¹, in single precision where that is as good: then products take half the time."""
        inverse = _inverse(self._upper.T)
        condition = self._length * float(np.abs(inverse).sum(axis=0).max())
        is_single = len(inverse) >= _SINGLE and condition < _MOST_CONDITION
        return inverse.astype(np.float32) if is_single else inverse


class ByInteraction:
    """r ↦ Σ_k R_kᵀ·(D_k + P)⁻¹·R_k·r, a sum over the families, whose curvature D_k is diagonal.

    That is an additive Schwarz method (Toselli & Widlund 2005, chapter 2). In orthonormal
    coefficients of interactions (`minimum_norm`) families overlap in what they share, and nearly
    nowhere else: R_k gives each of m families that have an interaction 1/√m of it, so that the sum
    is again its inverse. Directions in which families trade what they share have the ``penalty``'s
    curvature alone, and are apart. A cell of faint curvature would be drowned in what others hand
    over: as far as it is faint it stands for itself. ``diagonal`` is (n_cells, n_classes),
    ``inverse`` that of ``inverse_curvature``.
    """

    renewal: float = inf

    def __init__(
        self, least: LeastTables, diagonal: FloatArray, penalty: float, inverse: csr_array | None
    ) -> None:
        self._least, self._penalty, self._inverse = least, penalty, inverse
        own = lifted(diagonal + penalty)
        faint = 0.0 if penalty > _FAINT else _FAINT
        self._inverses = 1.0 / (own + faint)
        self._faint = faint / own * self._inverses if faint else None
        self._parts, self._own = np.empty((2, len(own), own.shape[1] - 1))  # new ones cost as much
        self._damping = 1.0 / np.sqrt(np.diff(least.share.indptr))
        self._back = None if inverse is None else csr_array(inverse.T)

    def __call__(self, r: FloatArray) -> FloatArray:
        """The product with a flat ``r``."""
        least, columns = self._least, r.reshape(-1, self._inverses.shape[1] - 1)
        if self._back is not None:
            columns = np.asarray(self._back @ columns)
        parts, own = self._parts, self._own
        parts[:] = columns
        least.turned(parts, forth=True, in_place=True)
        own[:] = parts
        self._spread(parts, own)
        least.scale(least.turned(own, forth=False, in_place=True), self._inverses)
        least.turned(own, forth=True, in_place=True)
        self._spread(parts, own, 1.0 / self._penalty if self._penalty else 0.0)
        if self._penalty:
            self._hand_over(parts[least.constants], own)
        whole = least.turned(own, forth=False)
        if self._faint is not None:
            faint = columns.copy()
            least.scale(faint, self._faint)
            whole += faint
        return (whole if self._inverse is None else np.asarray(self._inverse @ whole)).ravel()

    def _spread(self, parts: FloatArray, values: FloatArray, inverse: float = 0.0) -> None:
        """Give each family its part of what it shares; in place, constants to the class prior."""
        self._least.share_out(parts, values, self._damping, inverse)
        values[self._least.constants[1:]] = 0.0

    def _hand_over(self, constants: FloatArray, solved: FloatArray) -> None:
        """Add the inverse of the penalty along what constants are handed to the class prior."""
        least = self._least
        handed = constants[1:] - least.handed * constants[0]
        handed = (handed + row_sums(handed)[:, None]) / self._penalty
        solved[least.constants[1:]] += handed
        solved[least.constants[0]] -= (least.handed * handed).sum(axis=0)


class ByFamily:
    """r ↦ (D_c + P)⁻¹·r, class by class, D_c the ``diagonal`` (n, n_classes), P the ``penalty``'s.

    Within a family a row shows one cell, so that D_c is its whole curvature; with P, whose blocks
    are the families' too, it costs hardly more than D_c alone: neighbours couple few cells.
    """

    renewal: float = inf

    def __init__(self, diagonal: FloatArray, penalty: csr_array) -> None:
        own = lifted(diagonal)
        self._solvers = [factor_of(csc_array(penalty + diags_array(column))) for column in own.T]

    def __call__(self, r: FloatArray) -> FloatArray:
        """The product with a flat ``r``."""
        columns = absolute(r.reshape(-1, len(self._solvers) - 1))
        solved = [one.solve(column) for one, column in zip(self._solvers, columns.T, strict=True)]
        return relative(np.column_stack(solved)).ravel()


def factor_of(matrix: csc_array) -> SuperLU:
    """Factor of a symmetric positive matrix, which needs no pivots."""
    return splu(
        matrix,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


class ByClass:
    """r ↦ the blocks ``inverses`` (n_classes, n, n) times r, the classes uncoupled.

    Where some classes are certain and others are not, their curvatures differ by orders of
    magnitude, and no one matrix is near all of them. It depends on the point as much: after
    ``renewal`` products one of another point is worth its price.
    """

    renewal: float = 30

    def __init__(self, inverses: FloatArray) -> None:
        self._inverses = inverses

    @classmethod
    def of(
        cls, local: Linearisation, diagonal: FloatArray, basis: csr_array | None, penalty: Curvature
    ) -> "ByClass | None":
        """Blocks at a point, of full tables' ``diagonal``; None if one is not positive."""
        n_classes = diagonal.shape[1]
        # As for one matrix: of two equally probable classes both carry the joint curvature.
        matrices = local.class_curvatures(_MOST_ROWS) * (n_classes / (n_classes - 1))
        inverses = []
        for matrix, own in zip(matrices, diagonal.T, strict=True):
            _complete(matrix, own, _blend(local, own, penalty))
            mine = matrix if basis is None else basis.T @ (basis.T @ matrix).T
            _lift(mine, penalty)
            factor, info = lapack.dpotrf(mine.T, lower=True)
            if info:
                return None
            inverses.append(_inverse(factor))
        return cls(np.array(inverses))

    def __call__(self, r: FloatArray) -> FloatArray:
        """The product with a flat ``r``."""
        columns = absolute(r.reshape(-1, len(self._inverses) - 1)).T
        return relative(np.matmul(self._inverses, columns[:, :, None])[:, :, 0].T).ravel()


class OfPossible:
    """r ↦ H_c⁻¹·r, class by class, which leaves cells where a class is impossible at 0.

    Classes are coupled by what two of them share, little where one is faint. ``blocks`` are each
    class's cells, the scale that makes the diagonal of its curvature 1, and the lower factor then.
    """

    renewal: float = 30

    def __init__(self, blocks: list[tuple[IntArray, FloatArray, FloatArray]]) -> None:
        self._blocks = blocks

    @classmethod
    def of(cls, local: Linearisation, more: float | FloatArray = 0.0) -> "OfPossible | None":
        """At a point, from all rows; None if it is not positive or has too many numbers.

        ``more`` (n_cells,) is added to the diagonal of each class's curvature.
        """
        design, n_classes, numbers = local.design, local.design.layout.n_classes, 0
        blocks, share = [], sqrt((n_classes - 1) / n_classes)
        own, more = np.diag_indices(design.layout.n_cells), share**2 * more
        # The first class's share is 1 less the others', so that rounding keeps it from 0.
        least = _IMPOSSIBLE * design.total_weight
        for start in range(0, n_classes, _AT_A_TIME):
            run = slice(start, start + _AT_A_TIME)
            for matrix in local.class_curvatures(design.n_rows, run):
                matrix[own] += more
                diagonal = np.diag(matrix)
                cells = np.flatnonzero(diagonal > least)
                scale = 1.0 / np.sqrt(diagonal[cells])
                block = matrix[np.ix_(cells, cells)] * scale * scale[:, None]
                block[np.diag_indices(len(cells))] += _MUCH
                factor, info = lapack.dpotrf(block.T, lower=True, overwrite_a=True)
                numbers += block.size
                if info or numbers > 4 * _MOST_NUMBERS:
                    return None
                blocks.append((cells, share * scale, factor))
        return cls(blocks)

    def __call__(self, r: FloatArray) -> FloatArray:
        """The product with a flat ``r``."""
        columns = absolute(r.reshape(-1, len(self._blocks) - 1))
        solved = np.zeros_like(columns)
        for c, (cells, scale, factor) in enumerate(self._blocks):
            if len(cells):
                solution, _ = lapack.dpotrs(factor, columns[cells, c] * scale, lower=True)
                solved[cells, c] = solution * scale
        return relative(solved).ravel()


def _is_worth_a_factor_each(local: Linearisation) -> bool:
    """Whether more than two classes have rows enough to pay for a factor each."""
    n_classes, n_cells = local.design.layout.n_classes, local.design.layout.n_cells
    lookups = local.design.n_codes
    few = n_cells**3 <= _CUBE_PER_LOOKUP * lookups and n_cells**2 * n_classes <= _MOST_NUMBERS
    return n_classes > 2 and lookups * (n_classes - 1) > SMALL and few


def _inverse(factor: FloatArray) -> FloatArray:
    """Symmetric matrix from its inverse's lower factor."""
    half, _ = lapack.dpotri(factor, lower=True)
    inverse: FloatArray = np.tril(half) + np.tril(half, -1).T
    return inverse


def _matrix(local: Linearisation, diagonal: FloatArray, blend: float) -> FloatArray:
    """A from a sample of the rows; cells that it never shows get the ``diagonal`` of all rows."""
    matrix = local.cross_curvature(sample_size(len(diagonal)))
    _complete(matrix, diagonal, blend)
    return matrix


def sample_size(n_cells: int) -> int:
    """How many rows a matrix over so many cells is taken from, if there are as many."""
    return max(_ROWS_PER_CELL * n_cells, _LEAST_ROWS)


def _blend(local: Linearisation, diagonal: FloatArray, penalty: Curvature) -> float:
    """What of the diagonal of all rows a sample's matrix gets; less where a penalty holds it."""
    least = _LOST * _LEAST_BLEND * float(diagonal.mean())
    is_small = local.design.n_lookups <= SMALL
    return BLEND if is_small or _largest(penalty) <= least else _LEAST_BLEND


def _complete(matrix: FloatArray, diagonal: FloatArray, blend: float) -> None:
    """Make A of a sample positive, by a part ``blend`` of the ``diagonal`` of all rows."""
    own = np.diag_indices(len(matrix))
    # Rescaling A to the diagonal would undo what makes it good: that families which trade scores
    # cancel exactly in it. A small part of the diagonal covers what the sample got wrong.
    matrix[own] += np.where(matrix[own] > 0, blend * diagonal, diagonal)
    # A cell that no row shows must not leave a basis that combines cells without full rank.
    matrix[own] += LEAST_CURVATURE * max(float(diagonal.max(initial=0.0)), 1.0)


def _lift(matrix: FloatArray, penalty: Curvature) -> None:
    own = np.diag_indices(len(matrix))
    if isinstance(penalty, csr_array):
        entries = penalty.tocoo()
        matrix[entries.row, entries.col] += entries.data
    else:
        matrix[own] += penalty
    matrix[own] = lifted(matrix[own])


def diagonal_of(curvature: Curvature) -> float | FloatArray:
    """A penalty's curvature of each cell, (n_cells, 1), or that of all."""
    return curvature.diagonal()[:, None] if isinstance(curvature, csr_array) else curvature


def lifted(diagonal: FloatArray) -> FloatArray:
    """Raise a Hessian's ``diagonal`` (n,) to where a solver can divide by it."""
    raised: FloatArray = np.maximum(
        diagonal, LEAST_CURVATURE * max(float(diagonal.max(initial=0.0)), 1.0)
    )
    return raised

"""Conditional log-likelihood of complete rows, in any parameter space."""

from collections.abc import Callable
from math import inf

import numpy as np
from scipy.sparse import csr_array

from bnlr._typing import FloatArray
from bnlr.design.pack import absolute
from bnlr.design.packed_rows import Design, Linearisation
from bnlr.objectives.penalty import Penalty, as_square
from bnlr.objectives.precondition import (
    SMALL,
    Curvature,
    diagonal_of,
    inverse_curvature,
    inverse_where_hard,
    lifted,
)
from bnlr.objectives.remainder import largest_remainder
from bnlr.objectives.softmax_curvature import (
    FEW,
    LARGEST,
    add_penalty,
    inverse_in_softmax,
    rows_worth_a_factor,
)
from bnlr.optimize.base import Lasting, Preconditioner
from bnlr.spaces.base import Space
from bnlr.spaces.l_model import Free, LinearSpace
from bnlr.spaces.softmax import Softmax


class ConditionalObjective:
    """F(x) = −CLL(T(x)) + penalty(T(x)), to be minimised over the coordinates of ``space``.

    Natural log, weighted sums over the rows of ``design``. Value, gradient and curvature at one
    point share one pass over the rows.
    """

    def __init__(self, design: Design, space: Space, penalty: Penalty | None = None) -> None:
        self.design = design
        self.space = space
        self.penalty = penalty
        self._at: FloatArray | None = None
        self._local: Linearisation | None = None
        self.inverse: Preconditioner | None = None
        """The last preconditioner asked for, of tables as parameters."""

    @property
    def floor(self) -> float:
        """0, where products are so dear that it need be known: neither part of F is less."""
        return 0.0 if self.design.n_lookups > SMALL else -inf

    def value(self, x: FloatArray) -> float:
        """F(x)."""
        tables = self.space.differences(x)
        return -self.design.cll(tables) + self._penalised(tables)[0] - self._pseudo_likelihood(x)

    def value_and_gradient(self, x: FloatArray) -> tuple[float, FloatArray]:
        """F(x) and its gradient."""
        local = self._linearise(x)
        penalty, gradient = self._penalised(self.space.differences(x))
        value = penalty - local.cll - self._pseudo_likelihood(x)
        return value, self._pulled(x, gradient - local.gradient)

    def cll(self, x: FloatArray) -> float:
        """CLL at ``x``, without the penalty; free where the gradient there was the last asked."""
        return self._linearise(x).cll

    def at(self, x: FloatArray) -> Linearisation:
        """The CLL around ``x``; free where the gradient there was the last asked."""
        return self._linearise(x)

    def along(self, x: FloatArray, d: FloatArray) -> Callable[[float], tuple[float, float]]:
        """s ↦ (F(x + s·d), slope); in a linear space without a further pass over the tables."""
        if not self.space.is_linear:
            return self._along_curve(x, d)
        tables, step = self.space.differences(x), self.space.push_differences(x, d)
        # Who searches a line is done with the curvature at its start, as large as the scores.
        self._local = None
        cll = self.design.along(tables, step)
        if self.penalty is None:
            return lambda s: _negative(cll(s))
        base, slope, curve = self.penalty.along(tables, step)

        def line(s: float) -> tuple[float, float]:
            value, change = cll(s)
            cost = as_square(base + s * slope + 0.5 * s * s * curve)
            return cost - value, slope + s * curve - change

        return line

    def hessian(self, x: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """v ↦ Hessian of F at ``x`` times v."""
        local = self._linearise(x)
        space, penalty = self.space, self.penalty
        gradient = None
        if not space.is_linear:
            slope = self._penalised(space.differences(x))[1] - local.gradient
            gradient = self._in_tables(slope)

        def product(v: FloatArray) -> FloatArray:
            step = space.push_differences(x, v)
            change = local.hessian_product(step)
            if penalty is not None:
                change += penalty.product(step)
            result = space.pull_differences(x, change)
            return result if gradient is None else result + space.bend(x, v, gradient)

        return product

    def preconditioner(self, x: FloatArray, *, is_hard: bool = False) -> Preconditioner:
        """r ↦ about the inverse of the Hessian at ``x`` times r; of its diagonal in much of β."""
        if isinstance(self.space, LinearSpace):
            curvature = 0.0 if self.penalty is None else self.penalty.curvature
            basis, back = None, None
            if not isinstance(self.space, Free):
                basis, back = self.space.basis, self.space._inverse
            inverse = self._finer(x, curvature) if is_hard else None
            inverse = inverse or inverse_curvature(self._linearise(x), basis, curvature, back)
            self.inverse = inverse if basis is None else None
            return inverse
        if isinstance(self.space, Softmax) and self.is_factored:
            return self._inverse_in_softmax(self.space, x)
        scale = self.diagonal(x)
        return Lasting(lambda r: r / scale)

    def _finer(self, x: FloatArray, curvature: Curvature) -> Preconditioner | None:
        if not isinstance(self.space, Free) or isinstance(curvature, csr_array):
            return None
        return inverse_where_hard(self._linearise(x), curvature)

    @property
    def is_factored(self) -> bool:
        """Whether in β, where curvature may be negative, the preconditioner is a whole matrix."""
        # Without a penalty parameters run away, and saddles attract.
        is_held = self.penalty is not None
        return is_held and isinstance(self.space, Softmax) and self.space.size <= LARGEST

    def remainder(self, x: FloatArray, residual: FloatArray) -> float:
        """At most ½·r'H⁻¹r of a ``residual`` of Newton's system at ``x``; infinite if not known."""
        if self.penalty is None or not isinstance(self.space, Free):
            return inf
        links = self._linearise(x).class_links
        shape = (-1, self.design.layout.n_classes - 1)
        return largest_remainder(residual.reshape(shape), self.penalty, links)

    def decrement_of_prior(self, x: FloatArray) -> float:
        """The largest Newton decrement of a class's prior alone, which no penalty holds."""
        local, own = self._linearise(x), self.design.layout.families[0].rows
        slopes = absolute(np.add.reduce(local.gradient[own], keepdims=True))[0]
        curvatures = np.add.reduce(local.hessian_diagonal()[own])
        held = curvatures > 0
        return 0.5 * float(np.max(np.square(slopes[held]) / curvatures[held], initial=0.0))

    def diagonal(self, x: FloatArray) -> FloatArray:
        """Diagonal of the Hessian at ``x``, about, kept positive."""
        diagonal = self._linearise(x).hessian_diagonal()
        if self.penalty is not None:
            share = 1.0 - 1.0 / self.design.layout.n_classes
            diagonal += diagonal_of(self.penalty.curvature) * share
        if self._counts is not None:
            diagonal += self._counts
        return lifted(self.space.diagonal(x, diagonal))

    def _inverse_in_softmax(self, space: Softmax, x: FloatArray) -> Preconditioner:
        """That of the whole Hessian, but for curvature that is negative."""
        local = self._linearise(x)
        matrix = local.joint_curvature(rows_worth_a_factor(self.design.layout))
        slope = self._in_tables(self._penalised(space.differences(x))[1] - local.gradient)
        if self.penalty is not None:
            n_cells, width = local.gradient.shape
            add_penalty(matrix, np.arange(n_cells * width).reshape(n_cells, width), self.penalty)
        counts = np.maximum(
            -space._column_sums(slope), FEW * space._column_sums(local.hessian_diagonal())
        )
        return inverse_in_softmax(space._in_entries(matrix), space._theta(x), counts, space._starts)

    def _linearise(self, x: FloatArray) -> Linearisation:
        if self._local is None or self._at is None or not np.array_equal(self._at, x):
            self._local = None  # freed first: two of them may not fit
            self._local = self.design.linearise(self.space.differences(x))
            self._at = x.copy()
        return self._local

    def _penalised(self, tables: FloatArray) -> tuple[float, FloatArray | float]:
        return (0.0, 0.0) if self.penalty is None else self.penalty.value_and_gradient(tables)

    @property
    def _counts(self) -> FloatArray | None:
        return None if self.penalty is None else self.penalty.pseudo_counts

    def _pseudo_likelihood(self, x: FloatArray) -> float:
        """Σ counts · log θ of the penalty's rows."""
        if self._counts is None:
            return 0.0
        return float(np.einsum("ic,ic->", self._counts, self.space.to_tables(x)))

    def _pulled(self, x: FloatArray, gradient: FloatArray) -> FloatArray:
        if self._counts is None:
            return self.space.pull_differences(x, gradient)
        return self.space.pullback(x, self._in_tables(gradient))

    def _in_tables(self, gradient: FloatArray) -> FloatArray:
        """Derivative in the full tables from that in the differences, the penalty's rows added."""
        full = absolute(gradient)
        return full if self._counts is None else full - self._counts

    def _along_curve(self, x: FloatArray, d: FloatArray) -> Callable[[float], tuple[float, float]]:
        def line(s: float) -> tuple[float, float]:
            value, gradient = self.value_and_gradient(x + s * d)
            return value, float(gradient @ d)

        return line


def _negative(pair: tuple[float, float]) -> tuple[float, float]:
    return -pair[0], -pair[1]

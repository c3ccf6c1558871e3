"""What objectives without second derivatives share: the line, and the refusal of a Hessian."""

from abc import ABC, abstractmethod
from math import inf
from typing import ClassVar

import numpy as np

from bnlr._typing import FloatArray
from bnlr.errors import ParameterError
from bnlr.optimize.base import Lasting, Line, Operator, Preconditioner


class FirstOrderObjective(ABC):
    """A function F of a flat vector, (size,), of which only the gradient is known.

    Attributes
    ----------
    no_hessian : str
        Why there are no second derivatives, and what to choose instead.
    """

    no_hessian: ClassVar[str]
    floor = -inf

    @abstractmethod
    def value_and_gradient(self, x: FloatArray) -> tuple[float, FloatArray]:
        """F(x) and its gradient, (size,)."""

    def along(self, x: FloatArray, d: FloatArray) -> Line:
        """s ↦ (F(x + s·d), slope)."""

        def line(s: float) -> tuple[float, float]:
            value, gradient = self.value_and_gradient(x + s * d)
            return value, float(np.einsum("i,i->", gradient, d))

        return line

    def hessian(self, x: FloatArray) -> Operator:  # noqa: ARG002  part of every objective
        """Refuse.

        Raises
        ------
        ParameterError
            Always: there is no Hessian.
        """
        raise ParameterError(self.no_hessian)

    def preconditioner(self, x: FloatArray, *, is_hard: bool = False) -> Preconditioner:  # noqa: ARG002
        """Return the identity."""
        return Lasting(lambda r: r)

    def remainder(self, x: FloatArray, residual: FloatArray) -> float:  # noqa: ARG002
        """Return infinity: nothing is known."""
        return inf

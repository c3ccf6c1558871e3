"""What an optimisation spent, iteration by iteration."""

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from bnlr._typing import FloatArray
from bnlr.flops import Costs
from bnlr.optimize.base import (
    Line,
    Objective,
    OnIteration,
    Operator,
    Preconditioner,
    State,
)

if TYPE_CHECKING:
    import pandas as pd


class Counts(NamedTuple):
    """Evaluations of values, gradients and Hessian-vector products."""

    cll: int
    gradient: int
    hvp: int


class CountingObjective:
    """An objective that counts what it is asked for.

    A value counts as one CLL evaluation, ``value_and_gradient`` as one CLL evaluation and one
    gradient. Where the value at that point is known, from a ``value`` since the last gradient
    or from that gradient itself, only the gradient counts, as in the paper's formulas. Building
    a line costs one CLL evaluation, each call of it another.
    Preconditioners cost nothing here. A solver of one kind of objectives, which asks none of
    them, tells by ``add`` what it has spent.

    Attributes
    ----------
    objective : what is counted
    counts : totals since the start
    costs : flops of one evaluation each, or None where they do not matter
    """

    def __init__(self, objective: Objective, costs: Costs | None = None) -> None:
        self.objective, self.costs = objective, costs
        self._n_cll = self._n_gradient = self._n_hvp = 0
        self._valued: set[int] = set()  # hashes: a line search may try many long vectors

    @property
    def counts(self) -> Counts:
        """Totals since the start."""
        return Counts(self._n_cll, self._n_gradient, self._n_hvp)

    def add(self, spent: Counts) -> None:
        """Count evaluations that were made elsewhere."""
        self._n_cll += spent.cll
        self._n_gradient += spent.gradient
        self._n_hvp += spent.hvp

    def value(self, x: FloatArray, /) -> float:
        """F(x), counted."""
        self._n_cll += 1
        self._valued.add(hash(x.tobytes()))
        return self.objective.value(x)

    def value_and_gradient(self, x: FloatArray, /) -> tuple[float, FloatArray]:
        """F(x) and its gradient, counted."""
        point = hash(x.tobytes())
        self._n_cll += point not in self._valued
        self._n_gradient += 1
        self._valued = {point}
        return self.objective.value_and_gradient(x)

    def along(self, x: FloatArray, d: FloatArray, /) -> Line:
        """Return the function along a line, counted when built and when called."""
        line = self.objective.along(x, d)
        self._n_cll += 1
        return self._counted_line(line)

    def hessian(self, x: FloatArray, /) -> Operator:
        """Return the Hessian at x, each product counted."""
        product = self.objective.hessian(x)

        def counted(v: FloatArray) -> FloatArray:
            self._n_hvp += 1
            return product(v)

        return counted

    def preconditioner(self, x: FloatArray, /, *, is_hard: bool = False) -> Preconditioner:
        """Return the preconditioner, not counted."""
        return self.objective.preconditioner(x, is_hard=is_hard)

    @property
    def floor(self) -> float:
        """What F is nowhere less than."""
        return self.objective.floor

    def remainder(self, x: FloatArray, residual: FloatArray, /) -> float:
        """Return the bound, not counted."""
        return self.objective.remainder(x, residual)

    def _counted_line(self, line: Line) -> Callable[[float], tuple[float, float]]:
        def counted(s: float) -> tuple[float, float]:
            self._n_cll += 1
            return line(s)

        return counted


class Row(NamedTuple):
    """The values at the end of an iteration; row 0 is the start.

    ``n_cll``, ``n_grad`` and ``n_hvp`` are what this iteration spent; ``flops`` and ``seconds``
    add up from the start. ``flops`` is NaN without costs. ``value`` is the objective's.
    """

    iteration: int
    value: float
    n_cll: int
    n_grad: int
    n_hvp: int
    flops: float
    seconds: float


class Trace:
    """Records a row an iteration; pass it as ``on_iteration``.

    Parameters
    ----------
    objective : the one that the solver gets
    then : called after each row is written; returning True stops the run

    Notes
    -----
    What a solver spends after its last iteration, as on a linear solve that only confirms the
    end, is in ``objective.counts`` and in no row.
    """

    def __init__(self, objective: CountingObjective, then: OnIteration | None = None) -> None:
        self._objective, self._then = objective, then
        self._last = objective.counts
        self._flops = 0.0
        self._begin = perf_counter()
        self.rows: list[Row] = []

    def __call__(self, state: State) -> bool:
        """Write the row of ``state``; True when the run shall stop."""
        counts = self._objective.counts
        last, self._last = self._last, counts
        spent = Counts(
            counts.cll - last.cll, counts.gradient - last.gradient, counts.hvp - last.hvp
        )
        self._flops += self._flops_of(spent)
        seconds = perf_counter() - self._begin
        self.rows.append(Row(state.iteration, state.value, *spent, self._flops, seconds))
        return bool(self._then is not None and self._then(state))

    def to_frame(self) -> "pd.DataFrame":
        """Return the rows as a pandas frame with the columns of ``Row``."""
        import pandas as pd  # noqa: PLC0415  loaded only when asked for

        return pd.DataFrame(self.rows, columns=list(Row._fields))

    def _flops_of(self, spent: Counts) -> float:
        costs = self._objective.costs
        if costs is None:
            return float("nan")
        return costs.iteration(*spent) if self.rows else costs.start(spent.cll, spent.gradient)

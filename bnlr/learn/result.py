"""What every learner returns."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bnlr._typing import FloatArray
from bnlr.learn.separation import Separation
from bnlr.network import BayesianNetwork
from bnlr.optimize.trace import Row
from bnlr.spaces.base import Space
from bnlr.structure.report import StructureReport

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class FitResult:
    """A fitted network and how it was reached. CLLs are natural logs, weighted sums over rows.

    Attributes
    ----------
    network : BayesianNetwork
        The fitted CPTs.
    cll, start_cll : float
        Conditional log-likelihood of the training rows, at the end and at the start.
    converged : bool
    n_iter : int
    message : str
        Why the learner stopped and what the user should know, in sentences.
    learner, space, solver : str
        What was used, "auto" resolved.
    why : str
        Why "auto" chose this learner.
    upper_bound : float or None
        Proven upper bound on the CLL any CPTs of this structure reach (complete data, no penalty).
    report : StructureReport
    separation : Separation or None
        Whether the optimum is finite, where that was asked (perfect graphs without penalty).
    """

    network: BayesianNetwork
    cll: float
    start_cll: float
    converged: bool
    n_iter: int
    message: str
    learner: str
    space: str
    solver: str
    why: str
    report: StructureReport
    upper_bound: float | None = None
    separation: Separation | None = None
    penalty: float = 0.0
    coordinates: Space | None = field(default=None, repr=False)
    x: FloatArray | None = field(default=None, repr=False)
    rows: tuple[Row, ...] = field(default=(), repr=False)

    @property
    def gap(self) -> float | None:
        """``upper_bound − cll``, never negative; None without a bound."""
        return None if self.upper_bound is None else max(self.upper_bound - self.cll, 0.0)

    @property
    def trace(self) -> "pd.DataFrame":
        """A row an iteration: iteration, cll, n_cll, n_grad, n_hvp, flops, seconds.

        Row 0 is the start; the counts are of that iteration, flops (Feelders & Ivanovs' model)
        and seconds add up. With a penalty the column ``objective`` holds CLL less penalty.
        """
        import pandas as pd  # noqa: PLC0415  heavy, and needed only for display

        closed_form = (Row(0, -self.cll, 0, 0, 0, 0.0, 0.0),)
        frame = pd.DataFrame(list(self.rows or closed_form), columns=list(Row._fields))
        frame["value"] = -frame["value"]
        return frame.rename(columns={"value": "objective" if self.penalty else "cll"})

    @property
    def parameters(self) -> "pd.DataFrame | None":
        """Named parameters in ``space``; None where the learner has none (closed forms)."""
        if self.coordinates is None or self.x is None:
            return None
        return self.coordinates.frame(self.x)

    def summary(self) -> str:
        """The verdict, the road and what was reached, a line each."""
        bound = "none" if self.upper_bound is None else f"{self.upper_bound:.6f}"
        gap = "" if self.gap is None else f"  (gap {self.gap:.2g})"
        lines = [
            f"learner      {self.learner} in {self.space} space, solver {self.solver}: {self.why}",
            f"CLL          {self.start_cll:.6f} at the start → {self.cll:.6f}",
            f"upper bound  {bound}{gap}",
            f"iterations   {self.n_iter}",
            f"message      {self.message}",
        ]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

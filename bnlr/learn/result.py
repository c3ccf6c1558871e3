"""What every learner returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from bnlr._typing import FloatArray, State
from bnlr.data.dataset import Dataset
from bnlr.learn.choices import LIKELIHOOD
from bnlr.learn.proof.separation import Separation
from bnlr.learn.statistics.as_statsmodels import to_statsmodels
from bnlr.learn.statistics.standard_errors import Significance, significance
from bnlr.network import BayesianNetwork
from bnlr.optimize.trace import Row
from bnlr.printable import printable
from bnlr.structure.report import StructureReport

if TYPE_CHECKING:
    import pandas as pd


class Coordinates(Protocol):
    """What names the parameters of a fit: a space."""

    def frame(self, x: FloatArray, /) -> "pd.DataFrame":
        """Parameters with their names, one row each."""


@dataclass(frozen=True)
class FitResult:
    """A fitted network and how it was reached.

    CLL and log-likelihood are natural logs, weighted sums over rows. Rows without a class count in
    the log-likelihood only.

    Attributes
    ----------
    network : BayesianNetwork
        The fitted CPTs.
    cll, start_cll : float
        Conditional log-likelihood of the training rows, at the end and at the start.
    log_likelihood, start_log_likelihood : float or None
        Log-likelihood of the observed cells of all training rows, class included; None where
        neither the learner nor the rows, complete ones, ask for inference.
    converged : bool
        Whether the CLL, or what else was maximised, is estimated to be within max(tol, 1e-7) of its
        size from a maximum, by whatever rule the solver stopped; see ``tol`` of `bnlr.fit`.
    n_iter : int
    message : str
        Why the learner stopped and what the user should know, in sentences.
    learner, space, solver : str
        What was used, "auto" resolved; space and solver are "none" and "closed form", "dfe" or
        "em" where there are no parameters but the CPTs.
    why : str
        Why "auto" chose this learner.
    upper_bound : float or None
        Proven upper bound on the CLL any CPTs of this structure reach (complete data, no penalty).
    report : StructureReport
        The verdict on the structure given, also where arcs were added to it (``nonperfect``).
    separation : Separation or None
        Whether the optimum is finite, where that was asked (perfect graphs without penalty), or
        where a CLL of 0 shows that it is not.
    penalty : float
        Its strength, 0 for none.
    penalty_center : str
        Where the penalty shrinks to; empty where there is none, and in a model that was loaded.
    ordered : dict or None
        Of a "smooth" penalty the attributes whose neighbouring states it held together, with the
        number of their first states that are in order; None of others, and of a loaded model.
    center_scale : float or None
        What the frequency estimates' log-odds are multiplied by to be the penalty's centre, or, at
        a temperature, the network's own; None without either.
    coordinates, x
        The parameter space and the point in it that the solver ended at, one number a parameter,
        see ``parameters``; None where there are none but the CPTs.
    rows
        The iterations, see ``trace``.
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
    coordinates: Coordinates | None = field(default=None, repr=False)
    x: FloatArray | None = field(default=None, repr=False)
    rows: tuple[Row, ...] = field(default=(), repr=False)
    log_likelihood: float | None = None
    start_log_likelihood: float | None = None
    center_scale: float | None = None
    penalty_center: str = ""
    ordered: Mapping[str, int] | None = None

    @property
    def gap(self) -> float | None:
        """``upper_bound − cll``, never negative; None without a bound."""
        return None if self.upper_bound is None else max(self.upper_bound - self.cll, 0.0)

    @property
    def trace(self) -> "pd.DataFrame":
        """A row an iteration: iteration, cll, n_cll, n_grad, n_hvp, flops, seconds.

        Row 0 is the start; the counts are of that iteration, flops (Feelders & Ivanovs' model)
        and seconds add up; flops are NaN where cells are missing. With a penalty the column
        ``objective`` holds CLL less penalty. For "em" and "apn" the column ``ll`` holds the
        log-likelihood, and n_cll counts its evaluations. For "dfe" ``loss`` holds the losses of a
        pass over the rows, summed.
        """
        import pandas as pd  # noqa: PLC0415  heavy, and needed only for display

        name = "objective" if self.penalty else "cll"
        closed_form = (Row(0, -self.cll, 0, 0, 0, 0.0, 0.0),)
        frame = pd.DataFrame(list(self.rows or closed_form), columns=list(Row._fields))
        if self.learner == "dfe":
            return frame.rename(columns={"value": "loss"})
        frame["value"] = -frame["value"]
        return frame.rename(columns={"value": "ll" if self.learner in LIKELIHOOD else name})

    @property
    def parameters(self) -> "pd.DataFrame | None":
        """Named parameters in ``space``; None where the learner has none (closed forms)."""
        if self.coordinates is None or self.x is None:
            return None
        return self.coordinates.frame(self.x)

    def significance(
        self,
        data: Dataset,
        level: float = 0.95,
        space: str = "loglinear",
        reference: Mapping[str, State] | None = None,
    ) -> Significance:
        """Standard errors, tests and intervals of the parameters, from the information.

        For fits by logistic regression (learner "lr"). Without a penalty, where the optimum is
        finite: the estimates are those of the maximum itself, a few of Newton's steps from where
        the solver stopped. They hold for many rows, and if the structure is right.

        With a penalty the covariance is Laplace's approximation, the inverse of the penalised
        information: that of a posterior whose prior is normal about the penalty's centre. It is
        finite also where rows separate the classes or say nothing of a parameter, and says nothing
        of how far the centre is from the truth, to which the estimates are drawn. A centre and a
        strength that the rows chose are taken for given. ``df`` are effective parameters, and
        there is no ``against_prior``.

        Parameters
        ----------
        data : Dataset
            The rows that were fitted, which the result does not keep. Their weights count as
            frequencies: a row of weight 2 is two rows, and doubling all weights halves variances.
        level : float
            Coverage of the intervals.
        space
            "loglinear", whose parameters the rows determine where they show every configuration,
            or "roos", of whose parameters they determine contrasts only. It need not be the
            space of the fit: the model is the same.
        reference : mapping, optional
            ``{attribute: its state coded 0}`` in log-linear space, as in `LogLinear`; each
            attribute's most frequent state if nothing is given.

        Returns
        -------
        Significance
            With ``table``, ``covariance``, ``contrast(weights)``, ``aic``, ``bic``, ``df``,
            ``against_prior`` and ``summary()``.

        Raises
        ------
        ParameterError
            A learner that does not maximise the CLL, a fit that did not converge, or an option
            outside its domain.
        DataError
            Separation without a penalty, or rows that are not those fitted.
        NotPerfectError
            The free tables of a structure that is not perfect.
        TooLargeError
            Thousands of parameters.
        """
        return significance(self, data, level, space, reference)

    def to_statsmodels(self, data: Dataset, reference: Mapping[str, State] | None = None) -> Any:
        """Return the fit as statsmodels' own results, for its margins, tests and summaries.

        For unpenalised fits by logistic regression (learner "lr") whose optimum is finite, of rows
        without weights. Needs statsmodels: ``pip install 'bnlr[stats]'``.

        Parameters
        ----------
        data : Dataset
            The rows that were fitted, which the result does not keep.
        reference : mapping, optional
            As in `significance`.

        Returns
        -------
        statsmodels results
            Of a ``Logit``, or of an ``MNLogit`` for more than two classes, whose ``exog`` is the
            design matrix of log-linear space, intercept included, with named columns
            (`LogLinear.design_frame`), and whose ``endog`` are the class's codes; the parameters
            are those of the CLL's maximum. Nothing is fitted anew.

        Raises
        ------
        ParameterError
            A learner that does not maximise the CLL, a penalty, a fit that did not converge, or
            rows with weights.
        DataError
            Separation, parameters or classes that no row speaks for, or rows that are not those
            fitted.
        InteropExtraError
            statsmodels is not installed.
        TooLargeError
            Thousands of parameters.
        """
        return to_statsmodels(self, data, reference)

    def summary(self) -> str:
        """The verdict, the road and what was reached, a line each."""
        lines = [
            f"learner      {self.learner} in {self.space} space, solver {self.solver}: {self.why}",
            *self._reached(),
            f"iterations   {self.n_iter}",
            f"message      {self.message}",
        ]
        return printable("\n".join(lines))

    def _reached(self) -> tuple[str, ...]:
        bound = "none" if self.upper_bound is None else f"{self.upper_bound:.6f}"
        gap = "" if self.gap is None else f"  (gap {self.gap:.2g})"
        is_shrunk = self.penalty > 0 and self.cll < self.start_cll
        why = "  (lower: the penalty counts too)" if is_shrunk else ""
        return (
            f"CLL          {self.start_cll:.6f} at the start → {self.cll:.6f}{why}",
            *self._log_likelihoods(),
            *self._centre(),
            f"upper bound  {bound}{gap}",
        )

    def _centre(self) -> tuple[str, ...]:
        if self.center_scale is None or self.penalty == 0:
            return ()
        scaled = f"{self.center_scale:.3g} times the frequency estimates' log-odds"
        return (f"penalty      {self.penalty:g} towards {scaled}",)

    def _log_likelihoods(self) -> tuple[str, ...]:
        if self.log_likelihood is None or self.start_log_likelihood is None:
            return ()
        begin, end = self.start_log_likelihood, self.log_likelihood
        return (f"likelihood   {begin:.6f} at the start → {end:.6f} (log, observed cells)",)

    def _repr_html_(self) -> str:
        """Return the structure and the summary for notebooks."""
        from bnlr.notebook import card, words  # noqa: PLC0415  for notebooks alone
        from bnlr.structure.svg import svg  # noqa: PLC0415  as above

        return card(type(self).__name__, svg(self.network.structure), words(self.summary()))

    def __str__(self) -> str:
        return self.summary()


@dataclass(frozen=True)
class QueryResult(FitResult):
    """What was learnt from statistical queries; ``cll``, ``start_cll`` and ``gap`` are None.

    Attributes
    ----------
    error, start_error : float
        Mean squared error of the answers to the queries learnt from, at the end and at the start.
    """

    error: float = float("nan")
    start_error: float = float("nan")

    @property
    def gap(self) -> None:
        """None: there is no bound."""
        return None

    @property
    def trace(self) -> "pd.DataFrame":
        """A row an iteration, as for every fit; ``objective`` is the error.

        Where event rows count, it is less event_weight times their mean log-likelihood.
        """
        import pandas as pd  # noqa: PLC0415  heavy, and needed only for display

        frame = pd.DataFrame(list(self.rows), columns=list(Row._fields))
        return frame.rename(columns={"value": "objective"})

    def _reached(self) -> tuple[str, ...]:
        return (
            f"error        {self.start_error:.6g} at the start → {self.error:.6g} (mean square)",
            *self._log_likelihoods(),
        )

"""What the rows say about each parameter of a fitted logistic network."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from bnlr._typing import BoolArray, FloatArray, State
from bnlr.data.dataset import Dataset
from bnlr.errors import DataError, ParameterError
from bnlr.learn.statistics.fisher_information import Maximum
from bnlr.learn.statistics.likelihood_ratio import LikelihoodRatio
from bnlr.learn.statistics.maximum import Fit, maximum_of, mode_of
from bnlr.learn.statistics.text import printed
from bnlr.printable import printable
from bnlr.words import guess, quoted

if TYPE_CHECKING:
    import pandas as pd

NOT_ESTIMABLE = "not estimable"


class Wald(NamedTuple):
    """An estimate, its standard error, z = estimate / std_err, two-sided p, and the interval."""

    estimate: FloatArray
    std_err: FloatArray
    z: FloatArray
    p: FloatArray
    lower: FloatArray
    upper: FloatArray


class Contrast(NamedTuple):
    """The same of one linear combination of parameters."""

    estimate: float
    std_err: float
    z: float
    p: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False, repr=False)
class Significance:
    """Standard errors, tests and information criteria of a fit; see ``FitResult.significance``.

    Attributes
    ----------
    maximum : Maximum
        The parameters at the CLL's maximum with their information.
    level : float
        Coverage of the intervals, between 0 and 1.
    is_weighted : bool
        Whether the rows had weights.
    solver : str
        What the fit was made by.
    """

    maximum: Maximum
    level: float
    is_weighted: bool
    solver: str

    @property
    def cll(self) -> float:
        """Conditional log-likelihood at the maximum: natural log, weighted sum over rows."""
        return self.maximum.cll

    @property
    def null_cll(self) -> float:
        """The same of the class prior alone, i.e. of the classes' relative frequencies."""
        return self.maximum.null_cll

    @property
    def penalty(self) -> float:
        """Strength of the fit's penalty; above 0 the covariance is Laplace's approximation."""
        return self.maximum.strength

    @property
    def df(self) -> float:
        """Parameters that the rows determine: the rank of the information.

        Under a penalty the effective ones, tr(information · covariance).
        """
        return self.maximum.rank

    @property
    def n_rows(self) -> float:
        """Rows with a class, each counted as often as its weight says."""
        return self.maximum.total_weight

    @property
    def aic(self) -> float:
        """Akaike's criterion of the CLL, −2·cll + 2·df."""
        return 2.0 * (self.df - self.cll)

    @property
    def bic(self) -> float:
        """Schwarz's criterion of the CLL, −2·cll + df·ln(n_rows)."""
        return float(self.df * np.log(self.n_rows) - 2.0 * self.cll)

    @property
    def pseudo_r2(self) -> float:
        """McFadden's 1 − cll / null_cll."""
        return 1.0 - self.cll / self.null_cll

    @property
    def against_prior(self) -> LikelihoodRatio:
        """Likelihood-ratio test of the fit against the class prior alone.

        Raises
        ------
        ParameterError
            Of a fit with a penalty, which is no maximum.
        """
        if self.penalty:
            raise ParameterError(
                f"the fit has a penalty of {self.penalty:g}, so that its CLL is no maximum; fit "
                "with penalty=0"
            )
        df = int(self.df) - self.maximum.null_rank
        return LikelihoodRatio.of(self.null_cll, self.cll, df)

    @property
    def names(self) -> tuple[str, ...]:
        """A name a parameter, 'predictor | class', as in ``FitResult.parameters``."""
        return self.maximum.space.names

    @cached_property
    def estimable(self) -> BoolArray:
        """Whether the rows determine each parameter, (size,)."""
        width = self.maximum.space.layout.n_classes - 1
        return np.repeat(self.maximum.identification.estimable_predictors, width)

    @cached_property
    def covariance(self) -> FloatArray:
        """Covariance of the parameters, (size, size), NaN where one is not estimable.

        The inverse of the information, penalised where the fit is; its order is that of ``names``
        and of ``table``.
        """
        covariance = self.maximum.covariance.copy()
        covariance[~self.estimable] = np.nan
        covariance[:, ~self.estimable] = np.nan
        return covariance

    @cached_property
    def table(self) -> "pd.DataFrame":
        """A row a parameter: parameter, class, estimate, std err, z, p, lower, upper, note.

        ``note`` is "not estimable", and the numbers are NaN, where the rows leave a parameter
        open, for want of rows that show its configuration.
        """
        import pandas as pd  # noqa: PLC0415  heavy, and needed only for display

        space = self.maximum.space
        labels = space.states[space.structure.class_name][1:]
        wald = self._wald(
            np.where(self.estimable, self.maximum.x, np.nan), np.diagonal(self.covariance)
        )
        return pd.DataFrame(
            {
                "parameter": np.repeat(np.array(space.predictor_names, dtype=object), len(labels)),
                "class": list(labels) * len(space.predictor_names),
                "estimate": wald.estimate,
                "std err": wald.std_err,
                **{name: getattr(wald, name) for name in ("z", "p", "lower", "upper")},
                "note": np.where(self.estimable, "", NOT_ESTIMABLE),
            }
        )

    def contrast(self, weights: Mapping[str, float] | ArrayLike) -> Contrast:
        """Test a linear combination of parameters against 0.

        Parameters
        ----------
        weights : mapping or array-like of shape (size,)
            ``{name: weight}``, names as in ``names``, or a weight a parameter.

        Raises
        ------
        ParameterError
            An unknown name, weights of another shape, not finite or all 0.
        DataError
            The rows do not determine the combination. In Roos's space none of a single parameter
            is: compare two cells of one family, such as ``{"a=1 | c=y": 1, "a=0 | c=y": -1}``.
        """
        vector = self._vector(weights)
        # No square of what is computed with is beyond a double then.
        scale = float(np.abs(vector).max())
        vector = vector / scale
        by_class = vector.reshape(-1, self.maximum.space.layout.n_classes - 1)
        if not self.maximum.identification.estimable(by_class).all():
            raise DataError(
                "the combination is not estimable: other parameters with the same probabilities "
                "for every row give it another value; compare cells that the rows show"
            )
        estimate = np.array([vector @ self.maximum.x])
        variance = np.array([vector @ self.maximum.covariance @ vector])
        wald = self._wald(estimate, variance)
        in_its_units = ("estimate", "std_err", "lower", "upper")
        wald = wald._replace(**{name: scale * getattr(wald, name) for name in in_its_units})
        return Contrast(*(float(number[0]) for number in wald))

    def summary(self) -> str:
        """The table and the fit's figures as text, laid out as statsmodels prints its Logit."""
        return printable(printed(self))

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return (
            f"<Significance: {self.df} of {self.maximum.space.size} parameters estimable, "
            f"CLL {self.cll:.6g}>"
        )

    def _wald(self, estimate: FloatArray, variance: FloatArray) -> Wald:
        std_err = np.sqrt(variance)
        z = estimate / std_err
        reach = float(ndtri(0.5 + 0.5 * self.level)) * std_err
        p = 2.0 * ndtr(-np.abs(z))
        return Wald(estimate, std_err, z, p, estimate - reach, estimate + reach)

    def _vector(self, weights: Mapping[str, float] | ArrayLike) -> FloatArray:
        names, size = self.names, self.maximum.space.size
        if isinstance(weights, Mapping):
            vector = np.zeros(size)
            for name, weight in weights.items():
                if names.count(name) != 1:
                    problem = "no parameter" if name not in names else "not the name of one only"
                    raise ParameterError(
                        f"{quoted(name)} is {problem}{guess(name, names)}; see .names, or give "
                        f"an array of {size} weights"
                    )
                vector[names.index(name)] = weight
        else:
            vector = _floats(weights)
        if vector.shape != (size,) or not np.isfinite(vector).all() or not vector.any():
            raise ParameterError(
                f"weights must be {size} finite numbers, not all 0; got the shape {vector.shape}"
            )
        return vector


def _floats(weights: ArrayLike) -> FloatArray:
    try:
        return np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"weights are {quoted(weights)}; give numbers, or {{name: weight}}"
        ) from error


def significance(
    result: Fit,
    data: Dataset,
    level: float = 0.95,
    space: str = "loglinear",
    reference: Mapping[str, State] | None = None,
) -> Significance:
    """Do what ``FitResult.significance`` says."""
    if isinstance(level, bool) or not (isinstance(level, (int, float)) and 0 < level < 1):
        raise ParameterError(f"level is {level!r}; it must lie between 0 and 1, such as 0.95")
    find = mode_of if result.penalty else maximum_of
    found = find(result, data, space, reference)
    return Significance(found, float(level), data.has_weights, result.solver)

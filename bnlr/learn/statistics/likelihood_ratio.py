"""Likelihood-ratio tests between nested structures, on the CLL."""

from dataclasses import dataclass

from scipy.special import chdtrc

from bnlr.data.dataset import Dataset
from bnlr.errors import ParameterError
from bnlr.learn.statistics.maximum import Fit, maximum_of
from bnlr.structure.dag import Structure


@dataclass(frozen=True)
class LikelihoodRatio:
    """A likelihood-ratio test.

    Attributes
    ----------
    statistic : float
        Twice the difference of the CLLs, natural log, never negative.
    df : int
        Parameters that the rows determine in the larger model only.
    p : float
        Probability that χ² with ``df`` degrees of freedom exceeds the statistic: of as large a
        gain if the smaller model were true, for many rows. NaN where ``df`` is 0.
    """

    statistic: float
    df: int
    p: float

    @classmethod
    def of(cls, small: float, large: float, df: int) -> "LikelihoodRatio":
        """The test of two CLLs that are ``df`` parameters apart."""
        statistic = max(2.0 * (large - small), 0.0)
        return cls(statistic, df, float(chdtrc(df, statistic)) if df else float("nan"))

    def __str__(self) -> str:
        return f"χ²({self.df}) = {self.statistic:.4g}, p = {self.p:.4g}"


def likelihood_ratio_test(small: Fit, large: Fit, data: Dataset) -> LikelihoodRatio:
    """Test whether the arcs that ``large`` has more than ``small`` gain more than chance would.

    Parameters
    ----------
    small, large : FitResult
        Unpenalised fits by logistic regression (learner "lr") to the same rows. Every log-linear
        term of ``small``, i.e. every set of attributes that stands in one family of the class or
        a child of it, must be one of ``large``.
    data : Dataset
        The rows of both fits. Weights are frequencies: one of 2 is two rows.

    Returns
    -------
    LikelihoodRatio

    Raises
    ------
    ParameterError
        No results of `bnlr.fit`; structures that are not nested, or are one model; fits that are
        no maximum of the CLL.
    DataError
        Separation, under which χ² is no guide; other rows than those fitted.
    TooLargeError
        Thousands of parameters.
    """
    _check_nested(_structure("small", small), _structure("large", large))
    less, more = maximum_of(small, data), maximum_of(large, data)
    return LikelihoodRatio.of(less.cll, more.cll, int(more.rank - less.rank))


def _structure(name: str, result: object) -> Structure:
    structure = getattr(getattr(result, "network", None), "structure", None)
    if not isinstance(structure, Structure):
        raise ParameterError(
            f"{name} is a {type(result).__name__}; give the result of bnlr.fit(structure, data)"
        )
    return structure


def _check_nested(small: Structure, large: Structure) -> None:
    if small.class_name != large.class_name:
        raise ParameterError(
            f"the class is {small.class_name!r} in one structure and {large.class_name!r} in the "
            "other; compare models of one class"
        )
    beyond, back = _beyond(small, large), _beyond(large, small)
    if beyond is None and back is None:
        raise ParameterError(
            "both structures have the same log-linear terms: there is nothing to test"
        )
    if beyond is None:
        return
    remedy = "exchange the two" if back is None else "add its arcs to the larger structure"
    raise ParameterError(
        f"the structures are not nested: the smaller one has the term {{{', '.join(beyond)}}}, "
        f"the larger one has not; {remedy}"
    )


def _beyond(small: Structure, large: Structure) -> tuple[str, ...] | None:
    """Attributes that stand in one family of ``small`` but in none of ``large``, if any do.

    In a perfect graph each term has a home in a family, so that comparing families is enough.
    """
    homes = _scopes(large)
    return next(
        (tuple(sorted(s)) for s in _scopes(small) if not any(s <= home for home in homes)), None
    )


def _scopes(structure: Structure) -> list[frozenset[str]]:
    own = structure.class_name
    families = [{own, *structure.parents(own)}]
    families += [{child, *structure.parents(child)} for child in structure.children(own)]
    return [frozenset(family - {own}) for family in families]

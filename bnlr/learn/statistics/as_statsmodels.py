"""A fit as statsmodels' own results object: margins, tests and summaries at bnlr's maximum.

A results object is made of a model, its rows and their design matrix, and of the parameters with
their covariance. statsmodels' `fit` finds these two by an ascent of its own; here they are those of
the maximum that bnlr has proven, put where `fit` puts them.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bnlr._typing import FloatArray, State
from bnlr.data.dataset import Dataset
from bnlr.errors import DataError, InteropExtraError, ParameterError
from bnlr.learn.statistics.fisher_information import Maximum
from bnlr.learn.statistics.maximum import Fit, maximum_of

_SHOWN = 3


def to_statsmodels(result: Fit, data: Dataset, reference: Mapping[str, State] | None = None) -> Any:
    """Do what ``FitResult.to_statsmodels`` says."""
    if isinstance(data, Dataset) and data.has_weights:
        raise ParameterError(
            "the rows have weights, which statsmodels' Logit and MNLogit do not know; repeat rows "
            "of whole weights, or take result.significance(data)"
        )
    discrete, base = _statsmodels()
    found = maximum_of(result, data, "loglinear", reference)
    _refuse_open(found)
    space, kept = found.space, np.flatnonzero(data.class_codes >= 0)
    codes = data.class_codes[kept]
    columns: Any = space.design_frame(data.take(kept))
    design = columns.sparse.to_dense()
    width = space.layout.n_classes - 1
    params = found.x.reshape(-1, width)
    if width == 1:
        model = discrete.Logit(_endog(data, codes), design)
        kinds = discrete.LogitResults, discrete.BinaryResultsWrapper
        return _results(base, model, kinds, params[:, 0], found.covariance)
    _refuse_absent(data, codes)
    model = discrete.MNLogit(_endog(data, codes), design)
    kinds = discrete.MultinomialResults, discrete.MultinomialResultsWrapper
    # statsmodels stacks the parameters class by class, bnlr predictor by predictor.
    by_class = np.arange(params.size).reshape(-1, width).T.ravel()
    covariance = found.covariance[np.ix_(by_class, by_class)]
    return _results(base, model, kinds, params, covariance)


def _results(
    base: Any, model: Any, kinds: tuple[Any, Any], params: FloatArray, covariance: FloatArray
) -> Any:
    """What ``model.fit()`` would return, had it ended at ``params``."""
    own, wrapper = kinds
    fitted = base.LikelihoodModelResults(model, params, covariance, scale=1.0)
    fitted.mle_retvals = {"converged": True, "iterations": 0}
    fitted.mle_settings = {"optimizer": "bnlr"}
    return wrapper(own(model, fitted))


def _endog(data: Dataset, codes: "np.ndarray[Any, Any]") -> Any:
    import pandas as pd  # noqa: PLC0415  heavy

    return pd.Series(codes, name=data.class_name)


def _refuse_open(found: Maximum) -> None:
    """Refuse parameters that the rows leave open: statsmodels has no name for them."""
    estimable = found.identification.estimable_predictors
    if not estimable.all():
        names = [found.space.predictor_names[k] for k in np.flatnonzero(~estimable)]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        raise DataError(
            f"the rows determine no value of {'; '.join(names[:_SHOWN])}{more}, and statsmodels "
            "knows no such parameter; merge rare states, take a structure with fewer arcs, or take "
            "result.significance(data), which names them"
        )


def _refuse_absent(data: Dataset, codes: "np.ndarray[Any, Any]") -> None:
    """Refuse classes without a row: statsmodels numbers those that occur."""
    counts = np.bincount(codes, minlength=data.cards[data.class_name])
    if not counts.all():
        label = data.states[data.class_name][int(counts.argmin())]
        raise DataError(
            f"class {label!r} has no row, and statsmodels counts only classes that occur; leave it "
            "out of states="
        )


def _statsmodels() -> tuple[Any, Any]:
    """Its modules of discrete models and of results."""
    try:
        from statsmodels.base import model  # noqa: PLC0415  an extra
        from statsmodels.discrete import discrete_model  # noqa: PLC0415
    except ImportError as error:
        raise InteropExtraError(
            "to_statsmodels needs statsmodels; install it with pip install 'bnlr[stats]'"
        ) from error
    return discrete_model, model

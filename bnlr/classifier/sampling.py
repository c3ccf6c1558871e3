"""Rows drawn from a fitted classifier's network, as far as it knows rows."""

from typing import Any

import pandas as pd

from bnlr.classifier.fitted import Fitted
from bnlr.data.intervals import interval_labels
from bnlr.errors import ParameterError


def sample_rows(fitted: Fitted, n: int, random_state: int | None) -> pd.DataFrame:
    """Return ``n`` rows of the columns that the network has, and the class, last.

    Labels have the types that they had in the fit. Of a number that was cut the network knows only
    the interval, which is what stands there, an ordered category as of the discretizer's
    ``transform``; a hole that is a state is a hole.

    Raises
    ------
    ParameterError
        Several networks predict together, or as `BayesianNetwork.sample`.
    TooLargeError
        As `BayesianNetwork.sample`.
    """
    if len(fitted.weighed) > 1:
        raise ParameterError(
            f"a pool weighs what {len(fitted.weighed)} networks say of the class and has no rows "
            "of its own; draw from one of them, of which the first is the best: "
            f"classifier.pool_.members[0].network.sample({n!r})"
        )
    network = fitted.network
    drawn = network.sample(n, random_state)
    known = set(network.structure.attributes).difference(network.latent)
    columns = {name: _as_in_fit(fitted, drawn[name]) for name in fitted.columns if name in known}
    own = network.structure.class_name
    return pd.DataFrame({**columns, own: drawn[own].astype(fitted.classes.dtype).infer_objects()})


def _as_in_fit(fitted: Fitted, column: "pd.Series[Any]") -> "pd.Series[Any]":
    name = str(column.name)
    holes = fitted.best.missing_states
    if name in holes:
        column = column.mask(column == holes[name])
    if name not in fitted.cut_points:
        return column.infer_objects()
    labels = pd.Categorical(column, interval_labels(fitted.cut_points[name]), ordered=True)
    return pd.Series(labels, column.index, name=name)

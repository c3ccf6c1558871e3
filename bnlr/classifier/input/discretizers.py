"""Numbers cut into intervals: the ways to cut, by name, and what a discretizer has found.

"mdl"         the MDL rule (Fayyad & Irani 1993)
"mdl-5"       the same, and intervals with more than a fifth of the rows cut at quantiles
"quantile-5"  five intervals of equal weight

with any whole number from 2 on in the place of 5.
"""

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from bnlr._typing import FloatArray
from bnlr.data.discretize.discretizer import Discretizer, no_longer_numeric, numeric_columns
from bnlr.data.mdl_discretizer import MDLDiscretizer
from bnlr.data.quantile_discretizer import QuantileDiscretizer
from bnlr.errors import ParameterError
from bnlr.learn.choices import AUTO
from bnlr.words import quoted

_NAME = re.compile(r"(mdl|quantile)-([1-9]\d{0,5})")


def discretizer_of(name: object) -> Discretizer:
    """Return the unfitted discretizer of a name; "auto" is "mdl".

    Raises
    ------
    ParameterError
        No way to cut numbers, with what may be given instead.
    """
    if isinstance(name, str):
        if name in (AUTO, "mdl"):
            return MDLDiscretizer()
        match = _NAME.fullmatch(name)
        if match is not None and int(match[2]) > 1:
            n_bins = int(match[2])
            return MDLDiscretizer(n_bins) if match[1] == "mdl" else QuantileDiscretizer(n_bins)
    raise ParameterError(
        f"discretize is {quoted(name)}; choose 'auto', 'mdl', 'mdl-K' or 'quantile-K' with a whole "
        "number K from 2 to 999999, or None"
    )


def read_numbers(frame: pd.DataFrame, discretizer: Discretizer | None) -> dict[str, FloatArray]:
    """Return the columns that the discretizer knows as floats, NaN where missing.

    Raises
    ------
    DataError
        One is no longer numeric.
    """
    if discretizer is None:
        return {}
    names = list(discretizer.feature_names_in_)
    numbers: dict[str, FloatArray] = {}
    for name, column in zip(names, numeric_columns(frame[names]), strict=True):
        if column is None:
            raise no_longer_numeric(name, frame[name])
        numbers[name] = column
    return numbers


def cut_points(discretizer: Discretizer | None) -> dict[str, FloatArray]:
    """Return the cut points of each column that a discretizer was fitted on."""
    if discretizer is None:
        return {}
    return dict(zip(discretizer.feature_names_in_, discretizer.cut_points_, strict=True))


def discretizer_at(points: Mapping[str, FloatArray]) -> MDLDiscretizer | None:
    """Return a fitted discretizer with given cut points, None without any column."""
    if not points:
        return None
    discretizer = MDLDiscretizer()
    discretizer.cut_points_ = list(points.values())
    discretizer.feature_names_in_ = np.array(list(points), dtype=object)
    discretizer.n_features_in_ = len(points)
    return discretizer

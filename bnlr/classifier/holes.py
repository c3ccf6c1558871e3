"""``missing="state"``: a missing cell as a state of its own, in columns that lack cells in fit."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from bnlr.data.holes import hole_label
from bnlr.errors import ModelFileError, ParameterError
from bnlr.io.models.fields import as_object
from bnlr.network import BayesianNetwork
from bnlr.words import quoted

WAYS = ("sum", "state")


def check_missing(missing: object, expect_missing: object) -> None:
    """Refuse an unknown way, or one that goes with no training for holes to come.

    Raises
    ------
    ParameterError
        With the value and what may be given instead.
    """
    if not (isinstance(missing, str) and missing in WAYS):
        raise ParameterError(f"missing is {quoted(missing)}; choose 'sum' or 'state'")
    if missing == "state" and expect_missing is not None:
        raise ParameterError(
            f"expect_missing is {quoted(expect_missing)}, which trains for summing out, but "
            "missing is 'state'; leave one of them out"
        )


def hole_states(columns: pd.DataFrame) -> dict[str, str]:
    """Return the label that stands for missing cells in each column that has some."""
    return {
        str(name): hole_label(_labels(column))
        for name, column in columns.items()
        if column.isna().any()
    }


def with_states(columns: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return the columns with missing cells of those in ``labels`` filled by these."""
    filled = {
        name: _filled(columns[name], label) for name, label in labels.items() if name in columns
    }
    return columns.assign(**filled) if filled else columns


def content_to_labels(value: object, network: BayesianNetwork, where: str) -> dict[str, str]:
    """Read the labels from a JSON file's content.

    Raises
    ------
    ModelFileError
        A label that is no state of its column in the network.
    """
    labels: dict[str, str] = {}
    for name, label in as_object(value, where).items():
        if not isinstance(label, str) or label not in network.states.get(name, ()):
            raise ModelFileError(f"{where}[{name!r:.60}] must be one of the network's states")
        labels[name] = label
    return labels


def _filled(column: "pd.Series[Any]", label: str) -> "pd.Series[Any]":
    if isinstance(column.dtype, pd.CategoricalDtype):
        categories = column.cat.categories
        wide = column if label in categories else column.cat.add_categories([label])
        return wide.fillna(label)
    return column.astype(object).where(column.notna(), label)


def _labels(column: "pd.Series[Any]") -> tuple[Any, ...]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return tuple(column.cat.categories)
    return tuple(column.dropna().unique())

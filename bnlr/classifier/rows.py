"""Rows to predict become codes of the fitted network, and the user hears what is odd about them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import validate_data

from bnlr.classifier.containers import typed_errors
from bnlr.classifier.features import cut, read_table
from bnlr.classifier.holes import with_states
from bnlr.data import reading
from bnlr.data.checks import check_unseen
from bnlr.data.dataset import Dataset
from bnlr.data.foreign import as_pandas
from bnlr.errors import StateError, UnexpectedMissingWarning, UnseenStateWarning
from bnlr.network.contributions import one_row
from bnlr.structure.dag import Structure
from bnlr.warn import warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bnlr.classifier.estimator import BNClassifier

# They take no penalty, and their CPTs are frequencies, so that holes are no surprise to them.
GENERATIVE = ("frequencies", "dfe", "em", "apn")


def encode(classifier: "BNClassifier", table: Any) -> Dataset:
    """Return the rows in the network's states, the class missing; errors as `predict`."""
    table = as_pandas(table)
    frame = read_table(table)
    _check_columns(classifier, table)
    network = classifier.network_
    structure = network.structure
    frame = frame.set_axis(classifier._feature_names(), axis=1)
    columns = cut(frame, classifier.discretizer_)[list(structure.attributes)]
    columns = with_states(columns, classifier.missing_states_)
    read = reading.read_frame(columns, structure.class_name, network.states)
    if read.unseen:
        _tell_unseen(read.unseen, classifier.unseen)
    data = Dataset(read.codes, read.states, structure.class_name)
    blanket = [node for node in structure.markov_blanket() if node in data.missing_counts]
    # Labels never seen are missing too, but have been told of.
    if not _expects_holes(classifier) and columns[blanket].isna().to_numpy().any():
        _tell_once(classifier)
    return data


def as_row(classifier: "BNClassifier", row: Any) -> Any:
    """Return a dictionary, a Series or a list of cells as a table of one row, else the row itself.

    The columns of a dictionary or a Series may come in any order.
    """
    if isinstance(row, (pd.Series, Mapping)):
        table = one_row(row)
        names = list(getattr(classifier, "feature_names_in_", table.columns))
        return table[names] if set(names) == set(table.columns) else table
    is_flat = isinstance(row, np.ndarray) and row.ndim == 1
    if is_flat or (isinstance(row, (list, tuple)) and not any(map(_holds_cells, row))):
        return one_row(dict(enumerate(row)))
    return row


def _holds_cells(value: object) -> bool:
    return isinstance(value, (list, tuple, Mapping, np.ndarray, pd.Series))


def shown_cells(classifier: "BNClassifier", table: Any) -> dict[str, str]:
    """{column that was cut: the number and its interval}, for one row."""
    frame = read_table(table).set_axis(classifier._feature_names(), axis=1)
    intervals = cut(frame, classifier.discretizer_)
    return {
        name: f"{frame[name].iloc[0]:.12g} in {intervals[name].iloc[0]}"
        for name in classifier._cut_points()
        if frame[name].notna().iloc[0]
    }


def _check_columns(classifier: "BNClassifier", table: Any) -> None:
    """Refuse other columns than those of fit, or another order."""
    with typed_errors():
        try:
            validate_data(classifier, table, reset=False, skip_check_array=True)
        except ValueError as error:
            raise ValueError(
                f"{error}{'' if str(error).endswith(chr(10)) else ' '}Give the columns of fit in "
                "their order, for instance as X[list(classifier.feature_names_in_)]"
            ) from error


def has_blanket(data: Dataset, structure: Structure) -> bool:
    """Whether no row lacks a cell of the class's Markov blanket."""
    return not any(node in data.missing_counts for node in structure.markov_blanket())


def _tell_unseen(clauses: "Sequence[str]", unseen: str) -> None:
    check_unseen(unseen)
    text = "; ".join(clauses)
    if unseen == "error":
        raise StateError(
            f"{text}: not seen in fit; map such cells to a value that fit has seen, fit on a "
            "categorical column whose categories name all values, or take them as missing with "
            "unseen='missing'"
        )
    warn(f"{text}: not seen in fit, taken as missing", UnseenStateWarning)


def _expects_holes(classifier: "BNClassifier") -> bool:
    generative = classifier.result_.learner in GENERATIVE
    return generative or classifier._rows != "complete" or classifier._has_told


def _tell_once(classifier: "BNClassifier") -> None:
    classifier._has_told = True
    warn(
        "cells are missing, but the parameters were trained on complete rows: the probabilities "
        "are exact for this network, yet it may be over-confident where cells are missing; fit "
        "with expect_missing= the share that will be missing (said once)",
        UnexpectedMissingWarning,
    )

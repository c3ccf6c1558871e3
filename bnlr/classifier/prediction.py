"""Rows to predict become codes of the fitted network, and the user hears what is odd about them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bnlr.classifier.fitted import Fitted
from bnlr.classifier.input.discretizers import cut
from bnlr.classifier.missing.as_state import with_missing_states
from bnlr.data.dataset import Dataset
from bnlr.data.frames.frame import read_frame
from bnlr.data.unseen import check_unseen
from bnlr.errors import StateError, UnseenStateWarning
from bnlr.network.contributions import one_row
from bnlr.warn import warn


def encode(fitted: Fitted, frame: pd.DataFrame, unseen: str) -> tuple[Dataset, bool]:
    """Return rows with the columns of the fit in the network's states, the class missing.

    Beside them stands whether cells are missing that the class depends on though those of the fit
    were complete. Labels never seen are missing too, but have been told of.

    Raises
    ------
    StateError
        ``unseen`` is "error" and the fit has not seen a label.
    """
    structure = fitted.network.structure
    columns = cut(frame.set_axis(list(fitted.columns), axis=1), fitted.discretizer)
    columns = with_missing_states(columns[list(structure.attributes)], fitted.missing_states)
    read = read_frame(columns, structure.class_name, fitted.network.states)
    if read.unseen:
        _report_unseen(read.unseen, unseen)
    data = Dataset(read.codes, read.states, structure.class_name)
    blanket = [node for node in structure.markov_blanket() if node in data.missing_counts]
    is_odd = not fitted.expects_holes and bool(columns[blanket].isna().to_numpy().any())
    return data, is_odd


def as_row(row: Any, names: Sequence[str] | None) -> Any:
    """Return a dictionary, a Series or a list of cells as a table of one row, else the row itself.

    ``names`` are those that the columns of the fit had: a dictionary or a Series that has all of
    them may have them in any order.
    """
    if isinstance(row, (pd.Series, Mapping)):
        table = one_row(row)
        return table if names is None or set(names) != set(table.columns) else table[list(names)]
    is_flat = isinstance(row, np.ndarray) and row.ndim == 1
    if is_flat or (isinstance(row, (list, tuple)) and not any(map(_holds_cells, row))):
        return one_row(dict(enumerate(row)))
    return row


def _holds_cells(value: object) -> bool:
    return isinstance(value, (list, tuple, Mapping, np.ndarray, pd.Series))


def shown_cells(fitted: Fitted, frame: pd.DataFrame) -> dict[str, str]:
    """{column that was cut: the number and its interval}, for one row."""
    named = frame.set_axis(list(fitted.columns), axis=1)
    intervals = cut(named, fitted.discretizer)
    return {
        name: f"{named[name].iloc[0]:.12g} in {intervals[name].iloc[0]}"
        for name in fitted.cut_points
        if named[name].notna().iloc[0]
    }


def _report_unseen(clauses: Sequence[str], unseen: str) -> None:
    check_unseen(unseen)
    text = "; ".join(clauses)
    if unseen == "error":
        raise StateError(
            f"{text}: not seen in fit; map such cells to a value that fit has seen, fit on a "
            "categorical column whose categories name all values, or take them as missing with "
            "unseen='missing'"
        )
    warn(f"{text}: not seen in fit, taken as missing", UnseenStateWarning)

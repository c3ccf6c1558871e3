"""A table as the estimator gets it becomes columns with names, and its numbers intervals."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from bnlr._typing import FloatArray, IntArray
from bnlr.data.discretize import MDLDiscretizer
from bnlr.data.labels import listed, shown
from bnlr.errors import BnlrError, CellTypeError, DataError, MissingCellsError

# Whole numbers with more values than this are measurements, with fewer they are labels.
MAX_INTEGER_STATES = 10


@contextmanager
def typed_errors() -> Iterator[None]:
    """Turn scikit-learn's refusals into `DataError`."""
    try:
        yield
    except BnlrError:
        raise
    except TypeError as error:
        raise CellTypeError(str(error)) from error
    except ValueError as error:
        raise DataError(str(error)) from error


def read_table(table: Any) -> pd.DataFrame:
    """Return any two-dimensional table as a frame with distinct text names, its cells untouched.

    Columns of a frame keep their names if they are text; all others are ``x0``, ``x1``, … Columns
    of Python objects that are all of one kind get that kind's type.

    Raises
    ------
    DataError
        Not two-dimensional, sparse, complex, no rows or columns, infinite numbers, mixed or
        repeated column names.
    """
    if not isinstance(table, pd.DataFrame):
        table = table.to_pandas() if hasattr(table, "to_pandas") else _from_array(table)
    if not isinstance(table, pd.DataFrame) or 0 in table.shape:
        with typed_errors():
            check_array(table, dtype=None, input_name="X")
    frame: pd.DataFrame = table.set_axis(_names(table), axis=1).infer_objects()
    _refuse_infinite(frame)
    return frame


def _from_array(table: Any) -> pd.DataFrame:
    # NumPy would turn the numbers of a list with text in it into text.
    keeps_types = isinstance(table, (list, tuple))
    with typed_errors():
        cells = np.array(table, dtype=object) if keeps_types else table
        return pd.DataFrame(check_array(cells, dtype=None, ensure_all_finite=False))


def _names(table: pd.DataFrame) -> list[str]:
    are_text = [isinstance(name, str) for name in table.columns]
    if not any(are_text):
        return [f"x{k}" for k in range(table.shape[1])]
    if not all(are_text):
        raise CellTypeError(
            f"column names are text and other things, {listed(table.columns)}; "
            "make all of them text, for instance with X.columns = X.columns.map(str)"
        )
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()][0]
        raise DataError(f"X has two columns named {shown(twice)}; rename or drop one")
    return [str.__str__(name) for name in table.columns]


def _refuse_infinite(frame: pd.DataFrame) -> None:
    for name, column in frame.items():
        if not pd.api.types.is_float_dtype(column.dtype):
            continue
        rows = np.flatnonzero(np.isinf(column.to_numpy(np.float64, na_value=np.nan)))
        if rows.size:
            raise DataError(
                f"column {shown(name)} holds inf in row {rows[0]}; replace infinities by finite "
                "values"
            )


def refuse_missing(frame: pd.DataFrame, names: Iterable[str]) -> None:
    """Refuse missing cells in the columns ``names``.

    Raises
    ------
    MissingCellsError
        With the first such column, the number of its missing cells and the first row.
    """
    for name in names:
        rows = np.flatnonzero(frame[name].isna())
        if rows.size:
            cells = "1 cell is" if rows.size == 1 else f"{rows.size} cells are"
            raise MissingCellsError(
                f"{cells} missing (NaN) in column {shown(name)}, the first in row {rows[0]}; "
                "impute them, drop these rows, or make missing a value of its own, for instance "
                "with X.fillna('missing') on a text column"
            )


def read_classes(y: Any, n_rows: int) -> NDArray[Any]:
    """Return the class labels as an array (n_rows,).

    Raises
    ------
    DataError
        Absent, not one a row, continuous, missing or infinite.
    """
    if y is None:
        raise DataError("BNClassifier requires y to be passed, but the target y is None")
    with typed_errors():
        labels: NDArray[Any] = np.asarray(column_or_1d(y, warn=True))
        _refuse_bad_classes(labels)
        check_classification_targets(labels)
    if len(labels) != n_rows:
        raise DataError(f"X has {n_rows} rows, y {len(labels)}; give one class a row")
    return labels


def _refuse_bad_classes(labels: NDArray[Any]) -> None:
    rows = np.flatnonzero(pd.isna(labels))
    if rows.size:
        raise MissingCellsError(
            f"y is missing (NaN) in row {rows[0]}; drop rows without a class before the fit"
        )
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        raise DataError(f"y is infinite in row {np.isinf(labels).argmax()}; mend or drop the row")


def number_classes(labels: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """Return the distinct labels, sorted, and each row's position among them.

    Raises
    ------
    DataError
        One label only, or labels of kinds that do not compare.
    """
    with typed_errors():
        classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) == 1:
        raise DataError(
            f"y has one class only, {shown(classes.tolist()[0])}, in all rows that count; "
            "a classifier needs rows of at least two"
        )
    return classes, codes.reshape(-1).astype(np.intp)


def continuous_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns to be cut: floats, and integers with more than 10 values."""
    return [str(name) for name, column in frame.items() if _is_continuous(column)]


def _is_continuous(column: "pd.Series[Any]") -> bool:
    kind = column.dtype
    if pd.api.types.is_bool_dtype(kind) or isinstance(kind, pd.CategoricalDtype):
        return False
    if pd.api.types.is_integer_dtype(kind):
        return column.nunique() > MAX_INTEGER_STATES
    return pd.api.types.is_float_dtype(kind)


def cut(frame: pd.DataFrame, discretizer: MDLDiscretizer | None) -> pd.DataFrame:
    """Replace the columns that the discretizer knows, if they are there, by their intervals."""
    if discretizer is None:
        return frame
    numbers = list(discretizer.feature_names_in_)
    return frame.assign(**dict(discretizer.transform(frame[numbers]).items()))


def make_discretizer(cut_points: dict[str, FloatArray]) -> MDLDiscretizer | None:
    """Return a fitted discretizer with given cut points, None without any column."""
    if not cut_points:
        return None
    discretizer = MDLDiscretizer()
    discretizer.cut_points_ = list(cut_points.values())
    discretizer.feature_names_in_ = np.array(list(cut_points), dtype=object)
    discretizer.n_features_in_ = len(cut_points)
    return discretizer

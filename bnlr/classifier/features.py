"""A table as the estimator gets it becomes columns with names, and its numbers intervals."""

import warnings
from collections.abc import Iterator
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
from bnlr.errors import BnlrError, BnlrWarning, CellTypeError, DataError, MissingCellsError

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
    of Python objects that are all of one kind, missing ones aside, get that kind's type.

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
    holed = {
        str(name): numbers
        for name, column in frame.items()
        if column.dtype == object and (numbers := _numbers_with_holes(column)) is not None
    }
    frame = frame.assign(**holed) if holed else frame
    _refuse_infinite(frame)
    return frame


def _numbers_with_holes(column: "pd.Series[Any]") -> "pd.Series[Any] | None":
    """Return objects that are numbers or missing as nullable numbers, None if they are others."""
    kind = column.dropna().infer_objects().dtype
    if isinstance(kind, np.dtype) and kind.kind in "if":
        return column.astype("Int64" if kind.kind == "i" else "Float64")
    return None


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


def without_empty(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out columns in which every cell is missing, with one warning; categoricals stay."""
    empty = [name for name, column in frame.items() if _is_empty(column)]
    if not empty:
        return frame
    what = "column" if len(empty) == 1 else "columns"
    warnings.warn(
        f"{what} {listed(empty)}: every cell is missing in the rows that count; left out",
        BnlrWarning,
        stacklevel=3,
    )
    return frame.drop(columns=empty)


def _is_empty(column: "pd.Series[Any]") -> bool:
    kind = column.dtype
    can_be = not isinstance(kind, np.dtype) or kind.kind not in "biu"  # as these have no holes
    return can_be and not isinstance(kind, pd.CategoricalDtype) and bool(column.isna().all())


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
    """Return the columns to be cut: floats, and integers with more than 10 values.

    Whole numbers in a float column with missing cells are integers: the holes made them floats.
    """
    return [str(name) for name, column in frame.items() if _is_continuous(column)]


def _is_continuous(column: "pd.Series[Any]") -> bool:
    kind = column.dtype
    if pd.api.types.is_bool_dtype(kind) or isinstance(kind, pd.CategoricalDtype):
        return False
    if pd.api.types.is_integer_dtype(kind) or _are_integers_with_holes(column):
        return column.nunique() > MAX_INTEGER_STATES
    return pd.api.types.is_float_dtype(kind)


def _are_integers_with_holes(column: "pd.Series[Any]") -> bool:
    if not pd.api.types.is_float_dtype(column.dtype) or not column.isna().any():
        return False
    seen = column.dropna().to_numpy(np.float64)
    return seen.size > 0 and bool((seen == np.round(seen)).all())


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

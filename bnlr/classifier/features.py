"""A table as the estimator gets it becomes columns with names, and its numbers intervals."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from bnlr._typing import FloatArray, IntArray
from bnlr.classifier.containers import native, plain_labels, to_frame, typed_errors
from bnlr.data.discretizer import Discretizer
from bnlr.data.foreign import as_pandas
from bnlr.data.labels import as_label, kind_of
from bnlr.data.mdl_discretizer import MDLDiscretizer
from bnlr.errors import BnlrWarning, CellTypeError, DataError, MissingCellsError
from bnlr.warn import warn
from bnlr.words import listed, quoted

# Whole numbers with more values than this are measurements, with fewer they are labels.
MAX_INTEGER_STATES = 10


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
    table = to_frame(as_pandas(table))
    frame = _inferred(native(table.set_axis(_names(table), axis=1)))
    _refuse_infinite(frame)
    return frame


def _inferred(frame: pd.DataFrame) -> pd.DataFrame:
    """Give columns of Python objects that are all of one kind, or missing, that kind's type."""
    objects = [name for name, kind in frame.dtypes.items() if kind == np.dtype(object)]
    found = {str(name): _inferred_column(frame[name]) for name in objects}
    return frame.assign(**found) if found else frame


def _inferred_column(column: "pd.Series[Any]") -> "pd.Series[Any]":
    try:
        with typed_errors():
            inferred = column.infer_objects()
            numbers = _numbers_with_holes(column) if inferred.dtype == object else None
    except DataError as error:
        if isinstance(error.__cause__, UnicodeError):  # lone surrogates, which stay objects
            return column
        raise type(error)(f"column {quoted(column.name)}: {error}") from error
    return inferred if numbers is None else numbers


def _numbers_with_holes(column: "pd.Series[Any]") -> "pd.Series[Any] | None":
    """Return objects that are numbers or missing as nullable numbers, None if they are others."""
    kind = column.dropna().infer_objects().dtype
    if isinstance(kind, np.dtype) and kind.kind in "if":
        return column.astype("Int64" if kind.kind == "i" else "Float64")
    return None


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
        raise DataError(f"X has two columns named {quoted(twice)}; rename or drop one")
    return [_encodable(str.__str__(name)) for name in table.columns]


def _encodable(name: str) -> str:
    if is_text(name):
        return name
    raise DataError(
        f"the column name {quoted(name)} holds half a surrogate pair, which pandas and files "
        "cannot carry; rename the column"
    )


def is_text(name: str) -> bool:
    """Return whether text can be written down: a lone half of a surrogate pair cannot."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_infinite(frame: pd.DataFrame) -> None:
    for name, column in frame.items():
        if not pd.api.types.is_float_dtype(column.dtype):
            continue
        cells = column.to_numpy(np.float64, na_value=np.nan)
        rows = np.flatnonzero(np.isinf(cells))
        if rows.size:
            raise DataError(
                f"column {quoted(name)} holds {cells[rows[0]]} in row {rows[0]}; put finite values "
                "or missing cells in the place of infinities"
            )


def without_empty(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out columns in which every cell is missing, with one warning; categoricals stay."""
    empty = [name for name, column in frame.items() if _is_empty(column)]
    if not empty:
        return frame
    what = "column" if len(empty) == 1 else "columns"
    warn(
        f"{what} {listed(empty)}: every cell is missing in the rows that count; left out",
        BnlrWarning,
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
        labels: NDArray[Any] = np.asarray(column_or_1d(plain_labels(y), warn=True))
        if len(labels) != n_rows:
            raise DataError(f"X has {n_rows} rows, y {len(labels)}; give one class a row")
        _refuse_bad_classes(labels)
        if labels.dtype != object:
            check_classification_targets(labels)
    # One zero, not two that only print differently.
    return labels + np.zeros(1, labels.dtype) if labels.dtype.kind == "f" else labels


def _refuse_bad_classes(labels: NDArray[Any]) -> None:
    if labels.dtype.kind in "VmM":
        raise CellTypeError(
            f"y holds {quoted(labels[0])} in row 0, which is neither text, a boolean nor a number; "
            "turn the classes into text, for instance with y.astype(str)"
        )
    rows = np.flatnonzero(pd.isna(labels))
    if rows.size:
        raise MissingCellsError(
            f"y is missing (NaN) in row {rows[0]}; drop rows without a class before the fit"
        )
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        row = np.isinf(labels).argmax()
        raise DataError(f"y is infinite ({labels[row]}) in row {row}; mend or drop the row")
    if labels.dtype == object and pd.api.types.infer_dtype(labels, skipna=False) != "string":
        _refuse_mixed_classes(labels)


def _refuse_mixed_classes(labels: NDArray[Any]) -> None:
    """Refuse Python objects that are no labels, or labels that do not sort."""
    first: dict[str, object] = {}
    for row, cell in enumerate(labels):
        label = as_label(cell)
        if label is None:
            raise CellTypeError(
                f"y holds {quoted(cell)} in row {row}, which is neither text, a boolean nor a "
                "finite number of at most 1,000 digits; turn the classes into text"
            )
        first.setdefault(kind_of(label), cell)
    if len(first) > 1:
        raise DataError(
            f"y mixes kinds, such as {listed(first.values())}, which do not sort; make all of its "
            "labels text, or all of them numbers"
        )
    check_classification_targets(pd.Series(labels).infer_objects().to_numpy())


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
            f"y has one class only, {quoted(classes.tolist()[0])}, in all rows that count; "
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


def cut(frame: pd.DataFrame, discretizer: Discretizer | None) -> pd.DataFrame:
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

"""y becomes the distinct classes and each row's place among them."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from bnlr._typing import IntArray
from bnlr.classifier.input.containers import plain_labels, typed_errors
from bnlr.classifier.input.features import is_text
from bnlr.data.labels import as_label, kind_of
from bnlr.errors import CellTypeError, DataError, MissingCellsError
from bnlr.words import listed, quoted


def read_classes(y: Any, n_rows: int) -> NDArray[Any]:
    """Return the class labels as an array (n_rows,).

    Raises
    ------
    DataError
        Absent, not one a row, continuous, missing or infinite.
    """
    if y is None:
        raise DataError("BNClassifier requires y to be passed, but the target y is None")
    if isinstance(y, str):
        raise DataError(f"y is {quoted(y)}; give the column itself, such as frame[{quoted(y)}]")
    with typed_errors():
        labels: NDArray[Any] = np.asarray(column_or_1d(plain_labels(y), warn=True))
        if len(labels) != n_rows:
            raise DataError(f"X has {n_rows} rows, y {len(labels)}; give one class a row")
        _refuse_bad_classes(labels)
        if labels.dtype == np.longdouble:  # a label is a Python float
            labels = labels.astype(np.float64)
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


def as_categorical(classes: NDArray[Any], codes: IntArray) -> pd.Categorical:
    """Return the class of each row as a column whose categories are all classes, as labels.

    Raises
    ------
    DataError
        A class that is no label.
    """
    labels = [as_label(label) for label in classes]
    for label, plain in zip(classes, labels, strict=True):
        if plain is None:
            raise DataError(
                f"y holds {quoted(label)}, which is neither text, a boolean nor a finite number; "
                "turn the classes into text"
            )
    return pd.Categorical.from_codes(codes, pd.Index(labels, dtype=object))


def name_of(y: Any) -> str | None:
    """Return y's name if it can be a node's, else None."""
    name = getattr(y, "name", None)
    if isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        name = y.columns[0]
    return str.__str__(name) if isinstance(name, str) and name and is_text(name) else None

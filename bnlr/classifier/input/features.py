"""X, whatever it is handed over in, becomes columns with names: `Features`."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bnlr.classifier.input.containers import to_frame, typed_errors
from bnlr.data.frames.few import are_few_floats
from bnlr.data.frames.foreign import as_pandas
from bnlr.errors import CellTypeError, DataError
from bnlr.words import listed, quoted

_NULLABLE: dict[str, Any] = {"i": "Int64", "u": "UInt64", "f": "Float64"}
_EXACT_INTEGERS = 2.0**53


@dataclass(frozen=True)
class Features:
    """X as a frame with distinct text names, its cells untouched.

    ``are_named``: whether the names are X's; else they are ``x0``, ``x1``, …
    ``index``: that of its rows where X was a frame, else None.
    """

    frame: pd.DataFrame
    are_named: bool
    index: pd.Index | None

    @property
    def as_given(self) -> pd.DataFrame:
        """The frame under X's own names, which are no text where it had none."""
        places = range(self.frame.shape[1])
        return self.frame if self.are_named else self.frame.set_axis(places, axis=1)


def read_features(table: Any) -> Features:
    """Read any two-dimensional table.

    Columns of Python objects that are all of one kind, missing ones aside, get that kind's type.

    Raises
    ------
    DataError
        Not two-dimensional, sparse, complex, no rows or columns, infinite numbers, mixed or
        repeated column names.
    """
    table = as_pandas(table)
    plain = to_frame(table)
    names = _names(plain)
    numbered = [f"x{k}" for k in range(plain.shape[1])]
    frame = _inferred(plain.set_axis(names or numbered, axis=1))
    _refuse_infinite(frame)
    return Features(frame, names is not None, index_of(table))


def index_of(table: Any) -> pd.Index | None:
    """Return a frame's index, None of any other table."""
    return table.index if isinstance(table, pd.DataFrame) else None


def _inferred(frame: pd.DataFrame) -> pd.DataFrame:
    """Give columns of Python objects that are all of one kind, or missing, that kind's type."""
    objects = [name for name, kind in frame.dtypes.items() if kind == np.dtype(object)]
    found = {str(name): _inferred_column(frame[name]) for name in objects}
    return frame.assign(**found) if found else frame


def _inferred_column(column: "pd.Series[Any]") -> "pd.Series[Any]":
    try:
        with typed_errors():
            inferred = column.infer_objects()
            is_undecided = inferred.dtype == object or _may_be_rounded(inferred)
            numbers = _numbers_with_holes(column) if is_undecided else None
    except DataError as error:
        if isinstance(error.__cause__, UnicodeError):  # lone surrogates, which stay objects
            return column
        raise type(error)(f"column {quoted(column.name)}: {error}") from error
    return inferred if numbers is None else numbers


def _may_be_rounded(column: "pd.Series[Any]") -> bool:
    """Whether these may be whole numbers that pandas, for the holes among them, made floats."""
    return column.dtype == np.float64 and bool((column.abs() >= _EXACT_INTEGERS).any())


def _numbers_with_holes(column: "pd.Series[Any]") -> "pd.Series[Any] | None":
    """Return objects that are numbers or missing as nullable numbers, None if they are others."""
    kind = column.dropna().infer_objects().dtype
    if not isinstance(kind, np.dtype) or kind.kind not in _NULLABLE:
        return None
    return column.where(column.notna(), pd.NA).astype(_NULLABLE[kind.kind])  # NaT is none of these


def _names(table: pd.DataFrame) -> list[str] | None:
    """Return the columns' names, None where none is text."""
    are_text = [isinstance(name, str) for name in table.columns]
    if not any(are_text):
        return None
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
    if are_few_floats(frame) and not np.isinf(frame.to_numpy()).any():
        return
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

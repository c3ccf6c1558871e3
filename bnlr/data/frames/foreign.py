"""Tables of other libraries (polars, pyarrow, narwhals) become pandas' own."""

from typing import Any

import numpy as np
import pandas as pd

from bnlr.errors import CellTypeError

_LONGEST = 300
_OF_ARROW = ("polars", "pyarrow")
_WIDE = ("Int128", "UInt128")
_DTYPES = {"Boolean": "boolean", "Float": "float64", "Int": "Int64", "UInt": "UInt64"}


def as_pandas(table: Any) -> Any:
    """Return another library's table as pandas' own, anything else as it is.

    Raises
    ------
    CellTypeError
        Its ``to_pandas`` fails.
    """
    if isinstance(table, pd.DataFrame) or not hasattr(table, "to_pandas"):
        return table
    try:
        return _converted(table)
    except Exception as error:
        if isinstance(error, ImportError) and _is_polars(table):
            return _polars(table)
        raise CellTypeError(
            f"X is a {type(table).__name__} whose to_pandas() fails ({str(error)[:_LONGEST]}); "
            "give a pandas DataFrame"
        ) from error


def _converted(table: Any) -> Any:
    """Do as ``to_pandas`` does, but keep whole numbers beside nulls, which it makes floats."""
    if type(table).__module__.partition(".")[0] not in _OF_ARROW:
        return table.to_pandas()
    frame = table.to_pandas(integer_object_nulls=True)
    for place, kind in enumerate(getattr(frame, "dtypes", ())):
        if kind == np.dtype(object) and pd.api.types.infer_dtype(frame.iloc[:, place]) == "integer":
            frame.isetitem(place, _nullable(frame.iloc[:, place]))
    return frame


def _nullable(column: "pd.Series[Any]") -> "pd.Series[Any]":
    try:
        return column.astype("Int64")
    except OverflowError:
        return column.astype("UInt64")


def _is_polars(table: Any) -> bool:
    """Whether it is polars', whose own ``to_pandas`` needs pyarrow."""
    return type(table).__module__.startswith("polars.") and hasattr(table, "get_columns")


def _polars(table: Any) -> pd.DataFrame:
    """A polars frame column by column; the order of an Enum's categories is kept."""
    columns = [_polars_column(column) for column in table.get_columns()]
    return pd.concat(columns, axis=1) if columns else pd.DataFrame(index=range(len(table)))


def _polars_column(column: Any) -> "pd.Series[Any]":
    kind, cells = str(column.dtype), column.to_list()
    if kind.startswith(("Enum", "Categorical")):
        is_fixed = kind.startswith("Enum")
        used = list(column.dtype.categories) if is_fixed else sorted(set(cells) - {None})
        return pd.Series(pd.Categorical(cells, used, ordered=is_fixed), name=column.name)
    dtype: Any = object if kind in _WIDE else _DTYPES.get(kind.rstrip("0123456789"), object)
    found: pd.Series[Any] = pd.Series(cells, name=column.name, dtype=dtype)
    return found

"""What X and y are handed over in: frames, arrays, lists, other libraries' tables, or no table.

Cells keep their types. A masked cell is a missing one.
"""

from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

from bnlr.errors import BnlrError, CellTypeError, DataError

_LONGEST = 600


@contextmanager
def typed_errors() -> Iterator[None]:
    """Turn scikit-learn's and pandas' refusals into `DataError`, long messages cut."""
    try:
        yield
    except BnlrError:
        raise
    except ArithmeticError as error:
        raise DataError(
            f"a cell cannot be compared with itself ({type(error).__name__}), as decimal's "
            "signalling NaN cannot; replace it by a missing cell"
        ) from error
    except TypeError as error:
        raise CellTypeError(_cut(str(error))) from error
    except ValueError as error:
        raise DataError(_cut(str(error))) from error


def _cut(message: str) -> str:
    half = _LONGEST // 2
    return message if len(message) <= _LONGEST else f"{message[:half]} … {message[-half:]}"


def to_frame(table: Any) -> pd.DataFrame:
    """Return a two-dimensional table as a frame, its cells untouched.

    Raises
    ------
    DataError
        Not two-dimensional, ragged, complex, no rows or no columns.
    CellTypeError
        Sparse, a structured array, or no table at all.
    """
    frame = _native(table) if isinstance(table, pd.DataFrame) else _from_array(table)
    if 0 in frame.shape:
        what, remedy = ("sample", "row") if frame.shape[1] else ("feature", "column")
        raise DataError(
            f"X has 0 {what}(s) (shape={frame.shape}) while a minimum of 1 is required; give it "
            f"at least one {remedy}"
        )
    return frame


def _refuse_other_than_tables(table: Any) -> None:
    """Refuse what NumPy would take for one cell, or for rows that are each one cell."""
    if issparse(table):  # scikit-learn has words for it; some are dictionaries
        return
    remedy = "give a pandas DataFrame or a two-dimensional array"
    if isinstance(table, Mapping) or _has_fields(table):
        remedy = "give pandas.DataFrame(X)"
    elif isinstance(table, pd.MultiIndex):
        remedy = "give X.to_frame()"
    elif isinstance(table, list | tuple):
        _refuse_odd_rows(table)
        return
    elif isinstance(table, Iterator):
        remedy = "give list(X)"
    elif not (table is None or isinstance(table, Set | str | bytes | Number | type)):
        return
    raise CellTypeError(f"X is of type {_type(table)}, which is no table; {remedy}")


def _refuse_odd_rows(rows: "list[Any] | tuple[Any, ...]") -> None:
    if rows and all(isinstance(row, Mapping) for row in rows):
        raise CellTypeError("the rows of X are dictionaries; give pandas.DataFrame(X)")
    lengths = {len(row) for row in rows if isinstance(row, list | tuple)}
    if len(lengths) > 1:
        first, second, *_ = sorted(lengths)
        raise DataError(
            f"X is ragged: some rows have {first} cells, others {second}; give all rows the same "
            "columns, with None where a cell is missing"
        )


def _has_fields(table: Any) -> bool:
    return isinstance(table, np.ndarray) and table.dtype.kind == "V"


def _type(value: object) -> str:
    return f"structured {type(value).__name__}" if _has_fields(value) else type(value).__name__


def _from_array(table: Any) -> pd.DataFrame:
    _refuse_other_than_tables(table)
    if isinstance(table, np.ma.MaskedArray):
        table = _with_none(table)
    with typed_errors():
        cells = _as_array(table)
        least = {"ensure_min_samples": 0, "ensure_min_features": 0}
        checked = check_array(cells, dtype=None, ensure_all_finite=False, **least)
        return _native(pd.DataFrame(checked))


def _with_none(masked: Any) -> NDArray[Any]:
    cells: NDArray[Any] = masked.data.astype(object)
    cells[np.ma.getmaskarray(masked)] = None
    return cells


def _as_array(table: Any) -> Any:
    if isinstance(table, (list, tuple)):
        # NumPy would turn the numbers of a list with text in it into text.
        return np.array(table, dtype=object)
    if isinstance(table, np.ndarray) or not hasattr(type(table), "__array__"):
        return table
    try:
        return np.asarray(table)
    except (TypeError, ValueError):
        return table  # scikit-learn has words for these
    except Exception as error:
        raise CellTypeError(
            f"X is a {type(table).__name__} whose __array__() fails ({_cut(str(error))}); "
            "give a pandas DataFrame or a two-dimensional array"
        ) from error


def _native(frame: pd.DataFrame) -> pd.DataFrame:
    """Return numbers of another byte order in the machine's own, which pandas needs."""
    foreign = {
        name: kind.newbyteorder("=")
        for name, kind in frame.dtypes.items()
        if isinstance(kind, np.dtype) and not kind.isnative
    }
    return frame.astype(foreign) if foreign else frame


def plain_labels(y: Any) -> Any:
    """Return labels with NumPy's type in the place of pandas' or Arrow's; None where masked.

    Nullable integers and booleans become integers and booleans, where scikit-learn would make
    floats of them.
    """
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        return _with_none(y)
    values = y.array if isinstance(y, pd.Series | pd.Index) else y
    if isinstance(values, pd.api.extensions.ExtensionArray):
        kind = getattr(values.dtype, "numpy_dtype", None)
        is_whole = getattr(kind, "kind", "O") in "biuf" and not values.isna().any()
        return values.to_numpy(dtype=kind) if is_whole else np.asarray(values)
    if isinstance(getattr(values, "dtype", None), np.dtypes.StringDType):
        return values.astype(object)
    return y

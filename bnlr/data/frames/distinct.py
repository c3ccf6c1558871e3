"""The distinct values of a column, numbered in whatever order is cheapest.

Whole numbers of a small span are their own numbers, less the smallest: no hashing. Text is hashed
by pandas. Python objects are hashed too, and looked at one by one only where equal objects might be
different labels (``True == 1``). A value given as None stands for none of the cells.

pandas is needed throughout, so this module is loaded when the first frame is read.
"""

from math import isfinite, isnan
from types import NoneType
from typing import Any

import numpy as np
import pandas as pd

from bnlr._typing import BoolArray, CodeArray
from bnlr.data import labels as lab
from bnlr.data.narrow import offsets
from bnlr.data.scan import occurring

Numbered = tuple[CodeArray, list[object]]

_ONE_KIND = ("string", "boolean", "integer", "floating")
_MAX_SPAN = 1024
_MIN_SPAN = 64
_INT8 = np.iinfo(np.int8)
_HOLES = {NoneType, type(pd.NA), type(pd.NaT)}


def distinct(column: "pd.Series[Any]") -> Numbered:
    """Return each cell's number, -1 where missing, and the value that each number stands for."""
    column = _plain(column)
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return column.cat.codes.to_numpy(), column.cat.categories.tolist()
    if isinstance(dtype, np.dtype) and dtype.kind in "biufO":
        return distinct_array(column.to_numpy())
    if dtype.kind in "biu" and hasattr(dtype, "numpy_dtype"):
        filler = dtype.numpy_dtype.type(0)  # Arrow takes no 0 for a boolean
        values = column.to_numpy(dtype=dtype.numpy_dtype, na_value=filler)
        found = distinct_whole(values, column.isna().to_numpy())
        if found is not None:
            return found
    return _hashed(column)


def _plain(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return Arrow's dictionaries and sparse columns as what they stand for, cell for cell.

    Dictionaries may have unsigned indices, of which pandas makes no −1; of sparse cells NumPy makes
    floats where their type and that of the filler have no other in common.
    """
    dtype = column.dtype
    if isinstance(dtype, pd.ArrowDtype) and hasattr(dtype.pyarrow_dtype, "index_type"):
        return column.astype(pd.ArrowDtype(dtype.pyarrow_dtype.value_type))
    if isinstance(dtype, pd.SparseDtype):
        holds = object if is_missing(dtype.fill_value) else dtype.subtype
        return pd.Series(np.asarray(column.array, dtype=holds))
    return column


def distinct_array(values: Any) -> Numbered:
    """Do the same for an array of booleans, numbers or Python objects, NaN being missing."""
    found = None
    if values.dtype.kind in "biu":
        found = distinct_whole(values)
    elif values.dtype.kind == "f":
        found = distinct_floats(values)
    elif values.dtype == object:
        found = _distinct_objects(values)
    return _hashed(values) if found is None else found


def _hashed(values: Any) -> Numbered:
    if isinstance(values, np.ndarray) and not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))  # the only one that pandas hashes
    try:
        numbers, found = pd.factorize(values)
    except (UnicodeEncodeError, NotImplementedError):  # lone surrogates; Arrow's nested types
        return _one_by_one(np.asarray(values, dtype=object))
    return numbers, found.tolist()


def distinct_whole(
    values: CodeArray | BoolArray, holes: BoolArray | None = None
) -> Numbered | None:
    """Number booleans or integers by their distance from the smallest; None for a wide span."""
    if values.dtype.kind == "b":
        return _numbered(values.view(np.int8), 0, holes, [False, True])
    if not len(values):
        return np.zeros(0, np.int8), []
    low, high = int(values.min()), int(values.max())
    if high - low >= _span_limit(len(values)):
        return None
    whole = values
    if _INT8.min <= low and high <= _INT8.max:
        whole = values.astype(np.int8)
    return _numbered(whole, low, holes, list(range(low, high + 1)))


def distinct_floats(values: Any) -> Numbered | None:
    """Do the same for floats, NaN being missing; None unless all are whole and of a small span."""
    if not len(values):
        return None
    low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    if not (isfinite(low) and isfinite(high)) or high - low >= _span_limit(len(values)):
        return None
    if max(-low, high) >= 2**31:
        return None
    with np.errstate(invalid="ignore"):  # NaN becomes some integer, and a hole below
        whole = values.astype(np.int8 if _INT8.min <= low and high <= _INT8.max else np.int32)
    same = whole == values
    holes = None
    if not same.all():
        holes = np.isnan(values)
        if not (same | holes).all():
            return None
    return _numbered(whole, int(low), holes, [low + k for k in range(int(high - low) + 1)])


def _span_limit(n_rows: int) -> int:
    return max(_MIN_SPAN, min(_MAX_SPAN, n_rows))


def _numbered(whole: Any, low: int, holes: BoolArray | None, values: list[Any]) -> Numbered:
    numbers = offsets(whole, low, len(values))
    if holes is not None:
        numbers[holes] = -1
    occurs = occurring(numbers, len(values))
    return numbers, [value if here else None for value, here in zip(values, occurs, strict=True)]


def _distinct_objects(cells: Any) -> Numbered:
    try:
        numbers, found = pd.factorize(cells)
    except (TypeError, UnicodeEncodeError):  # what cannot be hashed, and lone surrogates
        return _one_by_one(cells)
    values = found.tolist()
    if all(type(value) is str for value in values) or _equals_are_one_label(cells):
        return numbers, values
    return _one_by_one(cells)


def _equals_are_one_label(cells: Any) -> bool:
    """Return whether cells that Python calls equal are surely of one kind."""
    if pd.api.types.infer_dtype(cells) in _ONE_KIND:
        return True
    types = set(map(type, cells)) - _HOLES
    return types <= {str, int, float} or types <= {str, bool}


def _one_by_one(cells: Any) -> Numbered:
    """Tell Python objects apart by kind and value; the value alone would merge True and 1."""
    numbers = np.full(len(cells), -1, dtype=np.intp)
    seen: dict[object, int] = {}
    values: list[object] = []
    for row, value in enumerate(cells):
        if is_missing(value):
            continue
        label = lab.as_label(value)
        key = id(value) if label is None else lab.key_of(label)
        if key not in seen:
            seen[key] = len(values)
            values.append(value)
        numbers[row] = seen[key]
    return numbers, values


def is_missing(value: object) -> bool:
    """Return whether a cell with this value is missing: None, NaN, NA or NaT."""
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    return isinstance(value, float | np.floating) and isnan(value)

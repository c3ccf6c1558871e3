"""Columns of a frame become codes, one column at a time.

`read_column` numbers the distinct values of a column in whatever order is cheap and says which
labels these numbers stand for; `choose_states` or a given list of states then says which code each
label has, and `encode` applies it. Labels are looked at one by one, rows never, except in columns
of mixed Python objects.

pandas is needed throughout, so this module is loaded when the first frame is read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import pandas as pd

from bnlr._typing import CodeArray, State
from bnlr.data import labels as lab
from bnlr.data.labels import listed, shown
from bnlr.errors import DataError

_ONE_KIND = ("string", "boolean", "integer", "floating")


@dataclass(frozen=True, slots=True)
class RawColumn:
    """A column as read: ``labels[numbers[row]]`` is a row's label; -1 and None are missing."""

    numbers: CodeArray
    labels: Sequence[State | None]
    is_ordered: bool


def read_column(node: str, column: "pd.Series[Any]") -> RawColumn:
    """Return a column with its distinct values numbered.

    Raises
    ------
    DataError
        A cell that is neither missing nor text, boolean or finite number, with column, row and
        value; booleans beside numbers.
    """
    numbers, values = _distinct(column)
    labels = [None if _is_missing(value) else lab.as_label(value) for value in values]
    for number, value in enumerate(values):
        if labels[number] is None and not _is_missing(value):
            raise _unusable(node, numbers, number, value)
    known = [label for label in labels if label is not None]
    lab.check_kinds(node, known)
    tidied = iter(lab.tidy(known))
    named = [None if label is None else next(tidied) for label in labels]
    return RawColumn(numbers, named, isinstance(column.dtype, pd.CategoricalDtype))


def _distinct(column: "pd.Series[Any]") -> tuple[CodeArray, list[object]]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.codes.to_numpy(), column.cat.categories.tolist()
    if column.dtype == object and pd.api.types.infer_dtype(column) not in _ONE_KIND:
        return _distinct_objects(column)
    try:
        numbers, values = pd.factorize(_native(column))
    except UnicodeEncodeError:  # lone surrogates, which pandas cannot hash
        return _distinct_objects(column)
    return numbers, values.tolist()


def _native(column: "pd.Series[Any]") -> Any:
    """Return the column in this machine's byte order, the only one that pandas hashes."""
    if not isinstance(column.dtype, np.dtype) or column.dtype.isnative:
        return column
    return column.to_numpy().astype(column.dtype.newbyteorder("="))


def _distinct_objects(column: "pd.Series[Any]") -> tuple[CodeArray, list[object]]:
    """Tell Python objects apart by kind and value; the value alone would merge True and 1."""
    cells = column.to_numpy(dtype=object)
    numbers = np.full(len(cells), -1, dtype=np.intp)
    seen: dict[object, int] = {}
    values: list[object] = []
    for row, value in enumerate(cells):
        if _is_missing(value):
            continue
        label = lab.as_label(value)
        key = id(value) if label is None else lab.key_of(label)
        if key not in seen:
            seen[key] = len(values)
            values.append(value)
        numbers[row] = seen[key]
    return numbers, values


def _is_missing(value: object) -> bool:
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    return isinstance(value, float | np.floating) and isnan(value)


def _unusable(node: str, numbers: CodeArray, number: int, value: object) -> DataError:
    rows = np.flatnonzero(numbers == number)
    where = f"row {rows[0]}" if rows.size else "the categories"
    return DataError(
        f"column {shown(node)} holds {shown(value)} in {where}, "
        f"which is neither text, a boolean nor a finite number; {_remedy(value)}"
    )


def _remedy(value: object) -> str:
    if isinstance(value, float | np.floating):
        return "replace infinities by a missing cell or a finite value"
    if isinstance(value, bytes):
        return "decode it, for instance with column.str.decode('utf-8')"
    if isinstance(value, pd.Interval):
        return "name the intervals, for instance with column.cat.rename_categories(str)"
    if hasattr(value, "year") or isinstance(value, pd.Timedelta):
        return "turn it into a few classes first, for instance with column.dt.year"
    return "turn it into text, for instance with column.map(str, na_action='ignore')"


def choose_states(node: str, raw: RawColumn) -> tuple[State, ...]:
    """Return the states that a column defines: its categories in order, else its sorted labels.

    Raises
    ------
    DataError
        No labels at all, or more than `labels.MAX_FLOAT_STATES` numbers with decimals.
    """
    known = [label for label in raw.labels if label is not None]
    if not known:
        raise DataError(
            f"column {shown(node)} has no values, every cell is missing; "
            "drop it or give its states with states="
        )
    if raw.is_ordered:
        return tuple(known)
    n_floats = sum(isinstance(label, float) for label in known)
    if n_floats > lab.MAX_FLOAT_STATES:
        raise DataError(
            f"column {shown(node)} is continuous: {n_floats} different numbers such as "
            f"{shown(known[0])} in {len(raw.numbers)} rows; discretize it first, for instance "
            "with bnlr.MDLDiscretizer"
        )
    return tuple(lab.in_order(known))


def encode(raw: RawColumn, states: tuple[State, ...]) -> tuple[CodeArray, dict[State, int]]:
    """Return a column's codes, and how often each label occurs that is none of the states."""
    place = lab.positions(states)
    dtype = lab.smallest_dtype([len(states)])
    codes = [-1 if label is None else place.get(lab.key_of(label), -1) for label in raw.labels]
    lost = [k for k, label in enumerate(raw.labels) if label is not None and codes[k] < 0]
    unseen = _count(raw, lost) if lost else {}
    if codes == list(range(len(codes))):
        return raw.numbers.astype(dtype, copy=False), unseen
    return np.array([*codes, -1], dtype=dtype)[raw.numbers], unseen


def _count(raw: RawColumn, which: Iterable[int]) -> dict[State, int]:
    counts = np.bincount(raw.numbers[raw.numbers >= 0], minlength=len(raw.labels))
    found = {raw.labels[k]: int(counts[k]) for k in which if counts[k]}
    return {label: n for label, n in found.items() if label is not None}


def describe_unseen(node: str, unseen: dict[State, int], states: Sequence[State]) -> str:
    """Return one clause that names the column, the values, their number and a likely cause."""
    n_cells = sum(unseen.values())
    cells = "cell" if n_cells == 1 else "cells"
    hint = _other_kind(unseen, states)
    return f"column {shown(node)} has {listed(unseen)} in {n_cells} {cells}{hint}"


def _other_kind(unseen: Iterable[State], states: Sequence[State]) -> str:
    """Say so if the values are of a kind that no state is, the usual slip of a file reader."""
    found, known = {lab.kind_of(v) for v in unseen}, {lab.kind_of(s) for s in states}
    if found & known:
        return ""
    return f" (a {' or '.join(sorted(found))}, but its states are such as {shown(states[0])})"

"""Columns of a frame become codes, one column at a time.

`read_column` numbers the distinct values of a column in whatever order is cheap and says which
labels these numbers stand for; `choose_states` or a given list of states then says which code each
label has, and `encode` applies it. Labels are looked at one by one, rows never, except in columns
of mixed Python objects (`distinct`).

pandas is needed throughout, so this module is loaded when the first frame is read.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import Enum
from typing import Any

import numpy as np
import pandas as pd

from bnlr._typing import CodeArray, State
from bnlr.data import labels as lab
from bnlr.data.frames.distinct import distinct, is_missing
from bnlr.data.scan import relabel
from bnlr.errors import CellTypeError, DataError
from bnlr.words import listed, quoted

RowOf = Callable[[int], int]


class Storage(Enum):
    """How a column holds its values, as far as the choice of states depends on it."""

    VALUES = "values of one kind"
    FLOATS = "floats, which integers may have become"
    OBJECTS = "Python objects, which may be of several kinds"
    CATEGORIES = "categories"
    ORDERED = "ordered categories"

    @property
    def is_categorical(self) -> bool:
        """Whether the states are the categories, used or not."""
        return self in {Storage.CATEGORIES, Storage.ORDERED}


@dataclass(frozen=True, slots=True)
class RawColumn:
    """A column as read: ``labels[numbers[row]]`` is a row's label; -1 and None are missing.

    Every label occurs, except that of a category.
    """

    numbers: CodeArray
    labels: Sequence[State | None]
    storage: Storage = Storage.VALUES

    @property
    def known(self) -> list[State]:
        """The labels in the order of their numbers."""
        return [label for label in self.labels if label is not None]


def read_column(node: str, column: "pd.Series[Any]") -> RawColumn:
    """Return a column with its distinct values numbered.

    Raises
    ------
    DataError
        A cell that is neither missing nor text, boolean or finite number, with column, row and
        value; booleans beside numbers.
    """
    if column.array.ndim != 1:  # pandas lets such blocks in
        raise DataError(
            f"column {quoted(node)} is an array of {column.array.ndim} axes; give one value a row"
        )
    return label_column(node, *distinct(column), _storage(column.dtype))


def label_column(
    node: str, numbers: CodeArray, values: Sequence[object], storage: Storage
) -> RawColumn:
    """Return a numbered column with its values as labels; raises as `read_column`."""
    if lab.are_text(values):
        return RawColumn(numbers, list(values), storage)
    labels = [None if is_missing(value) else lab.as_label(value) for value in values]
    for number, value in enumerate(values):
        if labels[number] is None and not is_missing(value):
            raise _unusable(node, numbers, number, value)
    raw = RawColumn(numbers, labels, storage)
    lab.check_kinds(node, raw.known)
    return raw


def _storage(dtype: object) -> Storage:
    if isinstance(dtype, pd.CategoricalDtype):
        return Storage.ORDERED if dtype.ordered else Storage.CATEGORIES
    if isinstance(dtype, np.dtype) and dtype.kind == "O":
        return Storage.OBJECTS
    return Storage.FLOATS if getattr(dtype, "kind", "") == "f" else Storage.VALUES


def tidied(raw: RawColumn) -> RawColumn:
    """Return the column with whole floats as integers where every number is whole."""
    whole = iter(lab.tidy(raw.known))
    return replace(raw, labels=[None if label is None else next(whole) for label in raw.labels])


def _unusable(node: str, numbers: CodeArray, number: int, value: object) -> DataError:
    rows = np.flatnonzero(numbers == number)
    where = f"row {rows[0]}" if rows.size else "the categories"
    is_number = isinstance(value, int | float | np.floating)
    return (DataError if is_number else CellTypeError)(
        f"column {quoted(node)} holds {quoted(value)} in {where}, "
        f"which is neither text, a boolean nor a finite number; {_remedy(value, node)}"
    )


def _remedy(value: object, node: str) -> str:
    """Return what to do with a column of such values, in words to be typed."""
    column = f"frame[{quoted(node)}]"
    if isinstance(value, int):
        return "it has more than 1,000 digits, turn it into text"
    if isinstance(value, float | np.floating):
        return "replace infinities by a missing cell or a finite value"
    if isinstance(value, bytes):
        return f"decode it, for instance with {column}.str.decode('utf-8')"
    if isinstance(value, pd.Interval):
        return f"name the intervals, for instance with {column}.cat.rename_categories(str)"
    if hasattr(value, "year") or isinstance(value, timedelta):
        return f"turn it into a few classes first, for instance with {_part_of_time(value, column)}"
    return f"turn it into text, for instance with {column}.map(str, na_action='ignore')"


def _part_of_time(value: object, column: str) -> str:
    """Return an expression for a number that a column of times is made into."""
    if isinstance(value, timedelta):  # pandas' own too
        return f"pandas.to_timedelta({column}).dt.days"
    if isinstance(value, pd.Period):
        return f"{column}.dt.year"
    return f"pandas.to_datetime({column}).dt.year"


def choose_states(
    node: str,
    labels: Sequence[State],
    is_categorical: bool,
    n_rows: int,
    row_of: RowOf | None = None,
) -> tuple[State, ...]:
    """Return the states that a column of these labels defines: categories in order, else sorted.

    ``row_of`` tells the first row of a label, by its place among them.

    Raises
    ------
    DataError
        No labels at all, or more than `labels.MAX_FLOAT_STATES` numbers with decimals.
    """
    if not labels:
        raise DataError(
            f"column {quoted(node)} has no values, every cell is missing; "
            "drop it or give its states with states="
        )
    if is_categorical:
        return tuple(labels)
    refuse_continuous(node, labels, n_rows, row_of)
    return tuple(lab.in_order(labels))


def refuse_continuous(
    node: str, labels: Sequence[State], n_rows: int, row_of: RowOf | None = None
) -> None:
    """Refuse more than `labels.MAX_FLOAT_STATES` numbers with decimals, also beside text."""
    numbers = [label for label in labels if isinstance(label, float)]
    if len(numbers) <= lab.MAX_FLOAT_STATES:
        return
    texts = [place for place, label in enumerate(labels) if isinstance(label, str)]
    if texts:
        n_more = f" and {len(texts) - 1} texts more" if len(texts) > 1 else ""
        where = "" if row_of is None else f" in row {row_of(texts[0])}"
        raise DataError(
            f"column {quoted(node)} holds numbers but for {quoted(labels[texts[0]])}{where}{n_more}"
            f": {len(numbers)} different numbers such as {quoted(numbers[0])}; mend these cells, "
            "or make them missing: pandas.to_numeric(column, errors='coerce')"
        )
    raise DataError(
        f"column {quoted(node)} is continuous: {len(numbers)} different numbers such as "
        f"{quoted(labels[0])} in {n_rows} rows; discretize it first, for instance "
        "with bnlr.MDLDiscretizer"
    )


def encode(raw: RawColumn, states: tuple[State, ...], out: CodeArray) -> dict[State, int]:
    """Write a column's codes, and return how often each label occurs that is none of the states."""
    place = lab.positions(states)
    if lab.are_text(raw.labels):
        codes = [place.get(key, -1) for key in lab.keys_of(raw.labels)]
    else:
        codes = [-1 if label is None else place.get(lab.key_of(label), -1) for label in raw.labels]
    lost = [k for k, label in enumerate(raw.labels) if label is not None and codes[k] < 0]
    unseen = _count(raw, lost) if lost else {}
    if codes == list(range(len(codes))):
        np.copyto(out, raw.numbers, casting="same_kind")
    else:
        relabel(raw.numbers, np.array([*codes, -1], dtype=out.dtype), out)
    return unseen


def keeps_order(raw: RawColumn, states: Sequence[State]) -> bool:
    """Whether the column has ordered categories, and the states are some of them in their order."""
    if raw.storage is not Storage.ORDERED:
        return False
    place = lab.positions(raw.known)
    places = [place.get(lab.key_of(label), -1) for label in states]
    return -1 not in places and places == sorted(places)


def _count(raw: RawColumn, which: Iterable[int]) -> dict[State, int]:
    counts = np.bincount(raw.numbers[raw.numbers >= 0], minlength=len(raw.labels))
    found = {raw.labels[k]: int(counts[k]) for k in which if counts[k]}
    return {label: n for label, n in found.items() if label is not None}


def describe_unseen(node: str, unseen: dict[State, int], states: Sequence[State]) -> str:
    """Return one clause that names the column, the values, their number and a likely cause."""
    n_cells = sum(unseen.values())
    cells = "cell" if n_cells == 1 else "cells"
    hint = _other_kind(unseen, states)
    return f"column {quoted(node)} has {listed(unseen)} in {n_cells} {cells}{hint}"


def _other_kind(unseen: Iterable[State], states: Sequence[State]) -> str:
    """Say so if the values are of a kind that no state is, the usual slip of a file reader."""
    found, known = {lab.kind_of(v) for v in unseen}, {lab.kind_of(s) for s in states}
    if found & known:
        return ""
    return f" (a {' or '.join(sorted(found))}, but its states are such as {quoted(states[0])})"

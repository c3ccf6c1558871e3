"""What the cells of a data file mean: numbers, or labels of states that are known already."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bnlr._typing import State
from bnlr.arguments import check_kind
from bnlr.data.labels import MAX_FLOAT_STATES
from bnlr.data.numerals import number
from bnlr.errors import DataError
from bnlr.io.files import PathLike
from bnlr.io.tables.read import read_table
from bnlr.io.tables.table import LABELS, MISSING, NUMBERS, Kind, MissingCell, Table
from bnlr.progress import shown
from bnlr.words import quoted

if TYPE_CHECKING:
    import pandas as pd

_Numbers = list[int] | list[float] | None

_EXACT = 2.0**53
_ANY_WHOLE = re.compile(r"0|-?[1-9]\d{0,999}", re.ASCII)
_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)


def typed_frame(table: Table, keep_text: str) -> "tuple[pd.DataFrame, tuple[str, ...]]":
    """Return a frame whose columns are numbers where every cell is one, and the numeric columns.

    Parameters
    ----------
    table
    keep_text
        The class: it becomes whole numbers at most, so that its labels stay as they are written.

    Raises
    ------
    DataError
        The class is continuous.
    """
    import pandas as pd  # noqa: PLC0415  heavy

    columns: dict[str, object] = {}
    numeric = []
    for name in shown(table.columns, "columns"):
        kind = table.kinds.get(name)
        cells, distinct = _known_cells(table, name)
        if name == keep_text:
            is_text = kind is not None and kind.name == LABELS
            numbers: list[int] | list[float] | None = (
                None if is_text else _labels(table, name, cells, distinct)
            )
        elif kind is None:
            numbers = _numbers(cells, distinct, table.has_decimal_commas)
        else:
            numbers = _declared_numbers(kind, cells)
        if numbers is not None:
            columns[name] = _series(numbers, cells)
        elif kind is not None and kind.labels and name != keep_text:
            columns[name] = pd.Categorical(cells, categories=list(kind.labels))
        else:
            columns[name] = pd.Series(cells, dtype=object)
        if numbers is not None and name != keep_text:
            numeric.append(name)
    return pd.DataFrame(columns), tuple(numeric)


def _series(numbers: list[int] | list[float], cells: Sequence[str | None]) -> "pd.Series[Any]":
    """Return numbers as a column; whole ones that floats round, as holes make them, stay whole."""
    import pandas as pd  # noqa: PLC0415  heavy

    is_rounded = any(isinstance(number, float) and abs(number) >= _EXACT for number in numbers)
    if not is_rounded or not all(cell is None or _ANY_WHOLE.fullmatch(cell) for cell in cells):
        return pd.Series(numbers)
    whole = [None if cell is None else int(cell) for cell in cells]
    for dtype in ("Int64", "UInt64"):
        try:
            return pd.Series(whole, dtype=dtype)
        except (OverflowError, TypeError):
            continue
    return pd.Series(whole, dtype=object)


def _known_cells(table: Table, name: str) -> tuple[list[str | None], set[str | None]]:
    """Return a column's cells, None where one is missing, and the distinct ones.

    Declared labels keep their blanks.
    """
    cells = table.columns[name]
    if name in table.kinds:
        known_cells = [None if table.is_missing(cell) else cell for cell in cells]
        return known_cells, set(known_cells)
    known = {cell: None if table.is_missing(cell) else cell.strip() for cell in set(cells)}
    is_plain = all(cell is text for cell, text in known.items())
    return [*cells] if is_plain else [known[cell] for cell in cells], set(known.values())


def _declared_numbers(kind: Kind, cells: Sequence[str | None]) -> list[int] | list[float] | None:
    """Return a column's numbers, whole ones as such if none is missing; None if it is of labels."""
    if kind.name == LABELS:
        return None
    numbers = [float("nan") if cell is None else float(cell) for cell in cells]
    if all(value.is_integer() and abs(value) < _EXACT for value in numbers):
        return [int(value) for value in numbers]
    return numbers


def frame_like(table: Table, states: Mapping[str, tuple[State, ...]]) -> "pd.DataFrame":
    """Return a frame whose cells are the labels in ``states``; other columns are left out.

    A cell that is no label stays text, for the encoder to refuse or to take as missing.
    """
    import pandas as pd  # noqa: PLC0415  heavy

    columns = {}
    for name, labels in states.items():
        if name in table.columns:
            read = _reader(labels, table)
            cells = table.columns[name]
            if name not in table.kinds:
                meant = {cell: read(cell) for cell in set(cells)}
                read = meant.__getitem__
            columns[name] = pd.Series([read(cell) for cell in cells], dtype=object)
    return pd.DataFrame(columns, index=range(table.n_rows))


def numeric_column(table: Table, name: str) -> list[float]:
    """Return a column as numbers, NaN where a cell is missing.

    Raises
    ------
    DataError
        A cell is no number, with its line.
    """
    table.column(name)
    kind = table.kinds.get(name)
    is_declared = kind is not None and kind.name == NUMBERS
    cells, distinct = _known_cells(table, name)
    meant: dict[str | None, float] = {None: float("nan")}
    for cell in distinct - {None}:
        text = "nan" if str(cell).strip() in MISSING else str(cell).strip()
        is_float = is_declared or text == "nan"
        value = float(text) if is_float else number(text, table.has_decimal_commas)
        if value is not None:
            meant[cell] = value
    row = next((k for k, cell in enumerate(cells) if cell not in meant), None)
    if row is not None:
        raise DataError(
            f"{table.source}: column {quoted(name)} holds {quoted(table.columns[name][row])} in "
            f"data row {row + 1}, where the model expects a number; mend it, or count it as "
            "missing (--na in the shell)"
        )
    return [meant[cell] for cell in cells]


def _numbers(
    cells: Sequence[str | None], distinct: set[str | None], commas: bool = False
) -> list[int] | list[float] | None:
    """Return the cells as numbers, None unless all that are not missing are numbers."""
    whole = _whole(cells, distinct)
    if whole is not None:
        return whole
    meant: dict[str | None, float] = {None: float("nan")}
    for cell in distinct - {None}:
        value = number(str(cell), commas)
        if value is None:
            return None
        meant[cell] = value
    return [meant[cell] for cell in cells] if len(meant) > 1 else None


def _labels(
    table: Table, name: str, cells: Sequence[str | None], distinct: set[str | None]
) -> list[int] | None:
    """Return a class's cells as whole numbers or None, but refuse a measurement."""
    whole, n_values = _whole(cells, distinct), len(distinct)
    if n_values > MAX_FLOAT_STATES and whole is None and _numbers(cells, distinct) is not None:
        raise DataError(
            f"{table.source}: the class {quoted(name)} is continuous, {n_values:,} different "
            "numbers; name a column of classes, or make a few classes of it first"
        )
    return whole


def _whole(cells: Sequence[str | None], distinct: set[str | None]) -> list[int] | None:
    """Return the cells as whole numbers, None unless each is written as one and none is missing."""
    meant: dict[str | None, int] = {}
    for cell in distinct:
        if cell is None or not _WHOLE.fullmatch(cell):
            return None
        meant[cell] = int(cell)
    return [meant[cell] for cell in cells]


def _reader(labels: tuple[State, ...], table: Table) -> Callable[[str], State | None]:
    """Return the function from a cell to the label it stands for."""
    by_text: dict[str, State] = {}
    by_value: dict[float, State] = {}
    for label in labels:
        if isinstance(label, bool):
            by_text.setdefault(str(label).lower(), label)
        elif isinstance(label, (int, float)):
            by_value[label] = label
        by_text.setdefault(str(label), label)
    by_text.update({label: label for label in labels if isinstance(label, str)})

    def read(written: str) -> State | None:
        if isinstance(written, MissingCell):
            return None
        cell = written if written in by_text else written.strip()
        if cell in table.further:
            return None
        if cell in by_text or cell in MISSING:
            return by_text.get(cell)
        value = number(cell, table.has_decimal_commas)
        return cell if value is None else by_value.get(value, cell)

    return read


def read_frame(
    path: PathLike,
    class_name: str | None = None,
    *,
    missing: Sequence[str] = (),
    encoding: str | None = None,
) -> "pd.DataFrame":
    """Read a data file into a frame: delimited text, ARFF or Parquet.

    Parameters
    ----------
    path
    class_name
        The column whose labels stay as they are written, whole numbers apart.
    missing
        Texts that stand for missing cells, beside the empty cell, ``?``, ``NA`` and ``NaN``.
    encoding
        That of text; None: UTF-8, or what a byte order mark says.

    Returns
    -------
    Columns of numbers, of categories where the file lists the labels (ARFF), and of text; missing
    cells are None or NaN.

    Raises
    ------
    DataError
        With file, line and remedy, or there is no such column.
    """
    if class_name is not None:
        check_kind("class_name", class_name, str, "the name of a column, or None")
    table = read_table(path, missing=missing, encoding=encoding)
    if class_name is not None:
        table.column(class_name)
    return typed_frame(table, keep_text=class_name or "")[0]

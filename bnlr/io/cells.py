"""What the cells of a data file mean: numbers, or labels of states that are known already."""

import re
from collections.abc import Callable, Mapping, Sequence
from math import isfinite, isnan
from typing import TYPE_CHECKING

from bnlr._typing import State
from bnlr.data.labels import MAX_FLOAT_STATES, shown
from bnlr.errors import DataError
from bnlr.io.table import MISSING, Table

if TYPE_CHECKING:
    import pandas as pd

# Codes such as 007 are names, not numbers.
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
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
    for name, written in table.columns.items():
        cells = [None if cell.strip() in MISSING else cell.strip() for cell in written]
        numbers = _labels(table, name, cells) if name == keep_text else _numbers(cells)
        columns[name] = pd.Series(cells, dtype=object) if numbers is None else pd.Series(numbers)
        if numbers is not None and name != keep_text:
            numeric.append(name)
    return pd.DataFrame(columns), tuple(numeric)


def frame_like(table: Table, states: Mapping[str, tuple[State, ...]]) -> "pd.DataFrame":
    """Return a frame whose cells are the labels in ``states``; other columns are left out.

    A cell that is no label stays text, for the encoder to refuse or to take as missing.
    """
    import pandas as pd  # noqa: PLC0415  heavy

    columns = {}
    for name, labels in states.items():
        if name in table.columns:
            read = _reader(labels)
            columns[name] = pd.Series([read(cell) for cell in table.columns[name]], dtype=object)
    return pd.DataFrame(columns, index=range(table.n_rows))


def numeric_column(table: Table, name: str) -> list[float]:
    """Return a column as numbers, NaN where a cell is missing.

    Raises
    ------
    DataError
        A cell is no number, with its line.
    """
    numbers = []
    for row, cell in enumerate(map(str.strip, table.column(name))):
        value = float("nan") if cell in MISSING else _number(cell)
        if value is None:
            raise DataError(
                f"{table.source}: column {shown(name)} holds {shown(cell)} in data row {row + 1}, "
                "where the model expects a number"
            )
        numbers.append(value)
    return numbers


def _numbers(cells: Sequence[str | None]) -> list[int] | list[float] | None:
    """Return the cells as numbers, None unless all that are not missing are numbers."""
    whole = _whole(cells)
    if whole is not None:
        return whole
    numbers = [float("nan") if cell is None else _number(cell) for cell in cells]
    known = [number for number in numbers if number is not None]
    return known if len(known) == len(cells) and not all(map(isnan, known)) else None


def _labels(table: Table, name: str, cells: Sequence[str | None]) -> list[int] | None:
    """Return a class's cells as whole numbers or None, but refuse a measurement."""
    n_values = len(set(cells))
    if n_values > MAX_FLOAT_STATES and _whole(cells) is None and _numbers(cells) is not None:
        raise DataError(
            f"{table.source}: the class {shown(name)} is continuous, {n_values:,} different "
            "numbers; name a column of classes, or make a few classes of it first"
        )
    return _whole(cells)


def _number(cell: str) -> float | None:
    number = float(cell) if _NUMBER.fullmatch(cell) else float("nan")
    return number if isfinite(number) else None


def _whole(cells: Sequence[str | None]) -> list[int] | None:
    """Return the cells as whole numbers, None unless each is written as one and none is missing."""
    if not all(cell is not None and _WHOLE.fullmatch(cell) for cell in cells):
        return None
    return [int(cell) for cell in cells if cell is not None]


def _reader(labels: tuple[State, ...]) -> Callable[[str], State | None]:
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
        cell = written if written in by_text else written.strip()
        if cell in by_text or cell in MISSING:
            return by_text.get(cell)
        number = _number(cell)
        return cell if number is None else by_value.get(number, cell)

    return read

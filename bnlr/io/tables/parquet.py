"""Parquet files as tables of cells: the file's own types say what is a number and what a label."""

from pathlib import Path
from typing import Any

from bnlr.data.chunks.parquet import opened, without_index
from bnlr.errors import DataError
from bnlr.io.tables.table import LABELS, NUMBERS, Cells, Kind, MissingCell, Table, check_names
from bnlr.words import quoted

NULL = MissingCell("null")


def read_parquet(path: Path) -> Table:
    """Read a Parquet file; it needs pyarrow. pandas' index is no column.

    Raises
    ------
    DataError
        No Parquet file, no rows, or a column that holds neither numbers, text nor booleans.
    ParquetExtraError
        pyarrow is not installed.
    """
    with opened(path) as file:
        return _converted(file.read(), path)


def _converted(table: Any, path: Path) -> Table:
    check_names(table.column_names, path)
    names = without_index(table.schema)
    if table.num_rows == 0 or not names:
        index = " beside pandas' index; reset_index() makes columns of it"
        raise DataError(
            f"{path}: no rows or no columns{index if names != table.column_names else ''}"
        )
    columns, kinds = {}, {}
    for name in names:
        columns[name], kinds[name] = _column(table.column(name), name, path)
    return Table(str(path), columns, kinds)


def _column(column: Any, name: str, path: Path) -> tuple[Cells, Kind]:
    import pyarrow as pa  # noqa: PLC0415  as above

    labels: tuple[str, ...] = ()
    if pa.types.is_dictionary(column.type):
        labels = _categories(column)
        column = column.cast(column.type.value_type)
    kind = column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    is_text = is_text or pa.types.is_boolean(kind) or pa.types.is_null(kind)
    if not is_text and not pa.types.is_integer(kind) and not pa.types.is_floating(kind):
        raise DataError(
            f"{path}: column {quoted(name)} is of type {kind}; only numbers, text and booleans are "
            "read: convert it, or leave it out"
        )
    cells = [NULL if _is_null(value) else str(value) for value in column.to_pylist()]
    infinite = next((cell for cell in cells if cell in ("inf", "-inf")), None)
    if not is_text and infinite is not None:
        raise DataError(
            f"{path}: column {quoted(name)} holds {infinite}; make it missing or finite"
        )
    return cells, Kind(LABELS if is_text else NUMBERS, labels if is_text else ())


def _is_null(value: object) -> bool:
    return value is None or (isinstance(value, float) and value != value)  # noqa: PLR0124  NaN


def _categories(column: Any) -> tuple[str, ...]:
    """Return the dictionary's texts, in its order; chunks may have grown it."""
    found: dict[str, None] = {}
    for chunk in column.chunks:
        found.update(dict.fromkeys(map(str, chunk.dictionary.to_pylist())))
    return tuple(found)

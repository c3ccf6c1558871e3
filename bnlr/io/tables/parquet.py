"""Parquet and Feather as tables of cells: the file's types say what is a number, what a label."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from bnlr.data.chunks.parquet import opened, opened_by_arrow, without_index
from bnlr.errors import DataError
from bnlr.io.tables.limits import check_cells, check_columns
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
        check_columns(file.metadata.num_columns, str(path))
        n_rows, n_columns = file.metadata.num_rows, file.metadata.num_columns
        check_cells(n_rows, n_columns, str(path), path.stat().st_size)
        schema = file.schema_arrow
        texts = [field.name for field in schema if _is_text(field.type)]
    with opened(path, read_dictionary=texts) as file:  # a text of many rows is one object
        return _converted(file.read(), set(texts), path)


def read_feather(path: Path) -> Table:
    """Read a Feather file, Arrow's own format; otherwise as `read_parquet`."""
    with opened_by_arrow(path, "Feather"):
        from pyarrow import feather  # noqa: PLC0415  as in `opened`

        table = feather.read_table(path, memory_map=False)
        check_columns(table.num_columns, str(path))
        check_cells(table.num_rows, table.num_columns, str(path), path.stat().st_size)
        table.validate(full=True)  # a damaged file may point beyond its own texts
        return _converted(table, (), path)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa  # noqa: PLC0415  needed for Parquet only

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _converted(table: Any, texts: Collection[str], path: Path) -> Table:
    check_names(table.column_names, path)
    names = without_index(table.schema)
    if table.num_rows == 0 or not names:
        index = " beside pandas' index; reset_index() makes columns of it"
        raise DataError(
            f"{path}: no rows or no columns{index if names != table.column_names else ''}"
        )
    columns, kinds = {}, {}
    for name in names:
        columns[name], kinds[name] = _column(table.column(name), name, name in texts, path)
    return Table(str(path), columns, kinds)


def _column(column: Any, name: str, is_text: bool, path: Path) -> tuple[Cells, Kind]:
    import pyarrow as pa  # noqa: PLC0415  as above

    kind = column.type
    is_dictionary = pa.types.is_dictionary(kind)
    labels = _categories(column) if is_dictionary and not is_text else ()
    kind = kind.value_type if is_dictionary else kind
    is_label = _is_text(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind)
    if not is_label and not pa.types.is_integer(kind) and not pa.types.is_floating(kind):
        raise DataError(
            f"{path}: column {quoted(name)} is of type {kind}; only numbers, text and booleans are "
            "read: convert it, or leave it out"
        )
    cells = _dictionary_cells(column) if is_dictionary else _cells(column.to_pylist())
    infinite = next((cell for cell in cells if cell in ("inf", "-inf")), None)
    if not is_label and infinite is not None:
        raise DataError(
            f"{path}: column {quoted(name)} holds {infinite}; make it missing or finite"
        )
    return cells, Kind(LABELS if is_label else NUMBERS, labels if is_label else ())


def _cells(values: list[Any]) -> Cells:
    return [NULL if _is_null(value) else str(value) for value in values]


def _dictionary_cells(column: Any) -> Cells:
    cells: Cells = []
    for chunk in column.chunks:
        chunk.validate(full=True)  # a damaged file may have indices beyond the dictionary
        values = [*_cells(chunk.dictionary.to_pylist()), NULL]
        cells += [values[-1 if k is None else k] for k in chunk.indices.to_pylist()]
    return cells


def _is_null(value: object) -> bool:
    return value is None or (isinstance(value, float) and value != value)  # noqa: PLR0124  NaN


def _categories(column: Any) -> tuple[str, ...]:
    """Return the dictionary's texts, in its order; chunks may have grown it."""
    found: dict[str, None] = {}
    for chunk in column.chunks:
        found.update(dict.fromkeys(map(str, chunk.dictionary.to_pylist())))
    return tuple(found)

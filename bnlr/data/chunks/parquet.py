"""Parquet files become codes by record batches; text is never turned into Python objects.

pyarrow comes with the extra ``parquet``, so this module imports it when the first file is read.
"""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from bnlr._typing import CodeArray
from bnlr.arguments import whole
from bnlr.data.chunks.read import Chunk, ReadPlan, located, read_chunks
from bnlr.data.frames.column import RawColumn, Storage, label_column, read_column
from bnlr.data.frames.frame import CodedColumns, no_column
from bnlr.data.scan import occurring
from bnlr.errors import DataError, ParameterError, ParquetExtraError
from bnlr.words import quoted, quoted_path

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet as pq


def read_parquet(
    path: object,
    plan: ReadPlan,
    columns: Sequence[str] | None,
    store: object,
    batch_rows: int,
) -> CodedColumns:
    """Encode one or more Parquet files; see `Dataset.from_parquet`."""
    batch_rows = whole("batch_rows", batch_rows, 1)
    paths = _paths(path)
    wanted = _wanted(plan, columns)
    n_rows = sum(_count_rows(file) for file in paths)
    batches = (chunk for file in paths for chunk in _batches(file, wanted, plan, batch_rows))
    return read_chunks(batches, plan, store, n_rows)


def _paths(path: object) -> list[Path]:
    """Return the files named: one, several in their order, or a directory's by name."""
    if isinstance(path, str | os.PathLike):
        given = [path]
    elif isinstance(path, Iterable):
        given = list(path)
    else:
        raise ParameterError(f"path must be a path or a list of paths, not {quoted(path)}")
    if not given:
        raise ParameterError("path names no file; give at least one")
    return [file for one in given for file in _files_of(one)]


def _files_of(path: object) -> list[Path]:
    if not isinstance(path, str | os.PathLike):
        raise ParameterError(f"a path must be text or a path, not {quoted(path)}")
    one = Path(path)
    if not one.is_dir():
        return [one]
    found = sorted(one.glob("*.parquet"))
    if not found:
        raise DataError(f"the directory {quoted_path(path)} holds no file named *.parquet")
    return found


def _wanted(plan: ReadPlan, columns: Sequence[str] | None) -> set[str] | None:
    """Return the columns to read, None for all; the weights come along in any case."""
    if isinstance(columns, str):
        raise ParameterError(f"columns must be a list of names, not the text {quoted(columns)}")
    names = columns if columns is not None else plan.known
    if names is None:
        return None
    try:
        return {*names} | ({plan.weights} if plan.weights else set())
    except TypeError as error:
        raise ParameterError(f"columns must be a list of names, not {quoted(columns)}") from error


@contextmanager
def opened(path: Path, **options: Any) -> Iterator["pq.ParquetFile"]:
    """Open a file, and turn what pyarrow says of a bad one into an error of ours.

    Raises
    ------
    DataError
        It is no readable Parquet file.
    ParquetExtraError
        pyarrow is not installed.
    """
    with opened_by_arrow(path, "Parquet"):
        from pyarrow import parquet  # noqa: PLC0415  needed for Parquet only

        with parquet.ParquetFile(path, **options) as file:
            yield file


@contextmanager
def opened_by_arrow(path: Path, form: str) -> Iterator[None]:
    """Turn what pyarrow says of a bad file, or that it is not there, into an error as `opened`."""
    try:
        import pyarrow  # noqa: PLC0415  as above
    except ImportError as error:
        raise ParquetExtraError(
            f"reading {form} files needs pyarrow; install it with pip install 'bnlr[parquet]'"
        ) from error
    refuse_pipe(path, form)
    try:
        yield
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or _one_line(error)
        raise DataError(f"cannot read {path} as a {form} file: {reason}") from error


def refuse_pipe(path: Path, form: str) -> None:
    """Raise DataError for a named pipe where a format is read from both ends, as ``form`` is."""
    if path.is_fifo():
        raise DataError(f"{path}: a named pipe, which {form} files cannot be; give a file")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _count_rows(path: Path) -> int:
    with opened(path) as file:
        return int(file.metadata.num_rows)


def _batches(
    path: Path, wanted: set[str] | None, plan: ReadPlan, batch_rows: int
) -> Iterator[Chunk]:
    with opened(path) as file, located(quoted_path(path)):
        schema = file.schema_arrow
        names = _names(schema, wanted, plan)
    texts = [name for name in names if _is_text(schema.field(name).type)]
    with opened(path, read_dictionary=texts, pre_buffer=False) as file:
        start = 0
        for batch in file.iter_batches(batch_rows, columns=names):
            where = f"{quoted_path(path)}, the batch of rows from {start}"
            yield _chunk(batch, set(texts), where)
            start += batch.num_rows
        if start == 0:  # an empty file still says which columns there are
            yield _chunk(schema.empty_table().select(names), set(), quoted_path(path))


def _names(schema: "pa.Schema", wanted: set[str] | None, plan: ReadPlan) -> list[str]:
    """Return the columns to read; those of the states may be absent, which is found out later."""
    twice = {name for name in schema.names if schema.names.count(name) > 1}
    if twice:
        raise DataError(f"there are two columns named {quoted(min(twice))}; rename or drop one")
    names = without_index(schema)
    if wanted is None:
        return names
    absent = sorted(str(name) for name in wanted if name not in names)
    if absent and plan.known is None:
        raise no_column(absent[0], names)
    return [name for name in names if name in wanted]


def without_index(schema: "pa.Schema") -> list[str]:
    """Return the column names less those in which pandas has put its index, named or not."""
    index = _index_columns((schema.metadata or {}).get(b"pandas", b"{}"))
    return [name for name in schema.names if name not in index]


def _index_columns(metadata: bytes) -> list[object]:
    """Return what pandas' notes call the index, nothing where they are damaged: it is no data."""
    try:
        named = json.loads(metadata)["index_columns"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return []
    return named if isinstance(named, list) else []


def _is_text(kind: "pa.DataType") -> bool:
    import pyarrow as pa  # noqa: PLC0415

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _chunk(batch: "pa.RecordBatch | pa.Table", texts: set[str], where: str) -> Chunk:
    import pyarrow as pa  # noqa: PLC0415

    def read(node: str, place: int) -> RawColumn:
        try:
            return _read_array(node, batch.column(place), is_text=node in texts)
        except (pa.ArrowException, UnicodeDecodeError) as error:
            raise DataError(
                f"column {quoted(node)} is damaged ({_one_line(error)}); write the file anew"
            ) from error

    def numbers(place: int) -> Any:
        return batch.column(place).to_pandas().to_numpy()

    return Chunk(where, batch.schema.names, batch.num_rows, read, numbers)


def _read_array(node: str, array: "pa.Array", is_text: bool) -> RawColumn:
    """Return a column as `read_column` does of the pandas column that it would become."""
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_dictionary(array.type):
        return _read_dictionary(node, array, is_text)
    return read_column(node, array.to_pandas(types_mapper=_nullable))


def _nullable(kind: "pa.DataType") -> pd.ArrowDtype | None:
    """Return the type of a column with holes that does not make floats or objects of it."""
    import pyarrow as pa  # noqa: PLC0415

    return pd.ArrowDtype(kind) if pa.types.is_integer(kind) or pa.types.is_boolean(kind) else None


def _read_dictionary(node: str, array: "pa.DictionaryArray", is_text: bool) -> RawColumn:
    """Take the dictionary's numbers; it is a list of categories unless it encodes plain text."""
    import pyarrow as pa  # noqa: PLC0415

    array.validate(full=True)  # a damaged file may have indices beyond the dictionary
    # Indices may be unsigned, and have no −1.
    numbers = array.indices.cast(pa.int64()).fill_null(-1).to_numpy()
    values: list[Any] = array.dictionary.to_pylist()
    if not is_text:
        storage = Storage.ORDERED if array.type.ordered else Storage.CATEGORIES
        return label_column(node, numbers, values, storage)
    return label_column(node, numbers, _used(numbers, values), Storage.VALUES)


def _used(numbers: CodeArray, values: list[Any]) -> list[Any]:
    """Return the values with None for those that no row has."""
    occurs = occurring(numbers, len(values))
    return [value if here else None for value, here in zip(values, occurs, strict=True)]

"""Data files by their names and their content: text, Parquet, and what pandas reads besides.

Text may be packed. What begins with ``@relation`` is ARFF, or KEEL's dialect of it, whatever the
file is called; all other text is delimited.
"""

import csv
from dataclasses import replace
from typing import IO, Any

from bnlr.errors import DataError
from bnlr.io.files import NETWORK_FORMATS, PathLike, checked_path, extension, reason
from bnlr.io.tables.arff import read_arff
from bnlr.io.tables.dated import with_dates
from bnlr.io.tables.delimited import read_delimited
from bnlr.io.tables.foreign import EXTENSIONS, READ, read_foreign
from bnlr.io.tables.limits import memory_told
from bnlr.io.tables.lines import Lines
from bnlr.io.tables.options import ReadOptions, checked
from bnlr.io.tables.parquet import read_feather, read_parquet
from bnlr.io.tables.table import Table
from bnlr.io.tables.text import STANDARD_INPUT, open_text
from bnlr.words import quoted

_PARQUET, _FEATHER = (".parquet", ".pq"), (".feather", ".ftr")
_TEXT = ("", ".csv", ".tsv", ".tab", ".psv", ".txt", ".data", ".dat", ".arff", ".test", ".train")
_OTHERS = {
    "JSON": ('{"', "[{", "[["),
    "HTML": ("<!doctype html", "<html", "<table", "<head"),
    "XML": ("<?xml",),
    "SQL": ("insert into ", "create table ", "drop table ", "-- mysql dump", "pragma "),
}
_RUNS_CODE = "reading it could run code, so it never is"
_REMEDIES = {
    **dict.fromkeys(NETWORK_FORMATS, "it holds a network, not rows"),
    **dict.fromkeys((".pkl", ".pickle", ".joblib", ".npy", ".npz"), _RUNS_CODE),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "make a table of it first"),
    **dict.fromkeys((".rds", ".rda", ".rdata"), "write.csv(data, 'data.csv', row.names=FALSE)"),
    **dict.fromkeys((".h5", ".hdf5", ".hdf", ".mat", ".db", ".sqlite"), "export a table from it"),
    **dict.fromkeys((".por", ".pdf", ".doc", ".docx", ".html", ".numbers"), "export it as CSV"),
    ".xrff": "WEKA writes it as ARFF too",
}


def surely_holds_rows(path: PathLike) -> bool:
    """Return whether a file's name says that it holds rows; ``.txt`` may be a list of arcs."""
    known = {*_PARQUET, *_FEATHER, *_TEXT, *EXTENSIONS}.difference(("", ".txt"))
    return extension(checked_path(path)) in known


def read_table(path: PathLike, options: ReadOptions | None = None, **given: Any) -> Table:
    """Read a data file.

    Parameters
    ----------
    path
        ``-`` is standard input, delimited text or ARFF.
    options
        How to read it; ``given`` makes them if they are None, by the names of `options.checked`.

    Raises
    ------
    DataError
        The file cannot be read, is of another format, has no rows, columns without a name or with
        the same one, or lines of different lengths, with the line; no date where one should be.
    """
    options = checked(**given) if options is None else options
    return with_dates(_read(path, options))


def _read(path: PathLike, options: ReadOptions) -> Table:
    source = checked_path(path)
    kind = extension(source)
    if kind in _PARQUET:
        return replace(read_parquet(source), options=options, layout="Parquet")
    if kind in _FEATHER:
        return replace(read_feather(source), options=options, layout="Feather")
    if kind in EXTENSIONS:
        return read_foreign(source, kind, options)
    if kind in _REMEDIES:
        raise DataError(
            f"{source}: files {kind} are not read as data; {_REMEDIES[kind]}. What is read: {READ}"
        )
    name = "<stdin>" if str(source) == STANDARD_INPUT else str(source)
    try:
        with memory_told(name), open_text(source, options.encoding) as file:
            return replace(_read_text(file, name, kind, options), options=options)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name}: not {error.encoding.upper()} text (byte {error.start:,}); convert it, or "
            f"name its encoding, such as {options.named('encoding', 'latin-1')}"
        ) from error
    except csv.Error as error:
        raise DataError(f"{name}: not a delimited text file: {error}") from error
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"cannot read {name}: {reason(error)}") from error


def _read_text(file: IO[str], source: str, kind: str, options: ReadOptions) -> Table:
    first = _first_line(file)
    if kind == ".arff" or first.startswith("@relation"):
        layout = "KEEL" if kind == ".dat" else "ARFF"
        return replace(read_arff(Lines(file, source), source), layout=layout)
    other = next((name for name, begins in _OTHERS.items() if first.startswith(begins)), None)
    if other is not None:
        raise DataError(
            f"{source}: {other}, by its beginning; make a table of it, such as CSV, first"
        )
    try:
        return read_delimited(file, source, options)
    except DataError as error:
        if kind in _TEXT:
            raise
        raise DataError(
            f"{error}; and no extension {quoted(kind)} is known of data files. What is read: {READ}"
        ) from error


def _first_line(file: IO[str]) -> str:
    """Return the first line that tells what a file is, in lower case; comments of ARFF do not."""
    lines = (line.strip() for line in file.read(2**16).splitlines())
    first = next((line for line in lines if line and not line.startswith("%")), "")
    file.seek(0)
    return first.lower()

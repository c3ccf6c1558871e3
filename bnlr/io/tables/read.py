"""Data files by their names: delimited text, ARFF, both plain or packed, and Parquet.

Delimited text has a header line; its delimiter is found from the first lines.
"""

import csv
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from bnlr.arguments import check_kind
from bnlr.errors import DataError
from bnlr.io.files import PathLike, checked_path, reason
from bnlr.io.packing import inner_name
from bnlr.io.tables.arff import read_arff
from bnlr.io.tables.delimited import read_delimited
from bnlr.io.tables.parquet import read_parquet
from bnlr.io.tables.table import Table
from bnlr.io.tables.text import STANDARD_INPUT, open_text


def read_table(
    path: PathLike, *, missing: Iterable[str] = (), encoding: str | None = None
) -> Table:
    """Read a data file.

    Parameters
    ----------
    path
        ``.arff``; ``.parquet`` or ``.pq``; all else is comma, semicolon, tab or bar separated text
        with a header line. Text may be packed: gz, bz2, xz or a zip of one file, told by content.
        ``-`` is standard input, delimited text or ARFF.
    missing
        Texts that stand for missing cells, beside the empty cell, ``?``, ``NA`` and ``NaN`` (in
        ARFF ``?``, in Parquet null).
    encoding
        That of text; None: UTF-8, or what a byte order mark says.

    Raises
    ------
    DataError
        The file cannot be read, has no rows, columns without a name or with the
        same one, or lines of different lengths, with the line.
    """
    source = checked_path(path)
    further = frozenset(text.strip() for text in _texts(missing))
    kind = Path(inner_name(source)).suffix
    if kind.lower() in (".parquet", ".pq"):
        return replace(read_parquet(source), further=further, layout="Parquet")
    name = "<stdin>" if str(source) == STANDARD_INPUT else str(source)
    try:
        with open_text(source, encoding) as file:
            return replace(_read_text(file, name, kind), further=further)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name}: not {error.encoding.upper()} text (byte {error.start:,}); convert it, or "
            "name its encoding, such as latin-1: encoding= (--encoding in the shell)"
        ) from error
    except csv.Error as error:
        raise DataError(f"{name}: not a delimited text file: {error}") from error
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"cannot read {name}: {reason(error)}") from error


def _texts(missing: object) -> list[str]:
    """Return the texts that stand for missing cells; one alone is no list of its letters."""
    remedy = "a list of texts, such as ['none']"
    check_kind("missing", missing, Iterable, remedy)
    texts: list[Any] = [missing] if isinstance(missing, str | bytes) else [*missing]  # type: ignore[misc]
    for text in texts:
        check_kind("missing holds", text, str, remedy)
    return texts


def _read_text(file: IO[str], source: str, kind: str) -> Table:
    is_unnamed = source == "<stdin>"
    if kind.lower() == ".arff" or (is_unnamed and _begins_as_arff(file)):
        return replace(read_arff(file, source), layout="ARFF")
    return read_delimited(file, source)


def _begins_as_arff(file: IO[str]) -> bool:
    lines = (line.strip() for line in file.read(2**16).splitlines())
    first = next((line for line in lines if line and not line.startswith("%")), "")
    file.seek(0)
    return first.lower().startswith("@relation")

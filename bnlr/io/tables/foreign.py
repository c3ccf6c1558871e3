"""Files of other programs that pandas reads: Excel, OpenDocument, Stata, SPSS, SAS.

There is one way for all: pandas' reader makes a frame, which becomes a table of cells. A sheet is
text, whose first row is the header, as of delimited text; the others declare the kinds of their
columns, as Parquet does.
"""

import warnings
import zipfile
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlr.data.chunks.parquet import refuse_pipe
from bnlr.errors import BnlrError, BnlrWarning, DataError, TableExtraError
from bnlr.io.packing import refuse_bomb
from bnlr.io.tables.doubts import warn_of_doubts
from bnlr.io.tables.limits import check_cells, check_columns, memory_told
from bnlr.io.tables.options import ReadOptions
from bnlr.io.tables.table import (
    LABELS,
    NUMBERS,
    Cells,
    Kind,
    MissingCell,
    Table,
    check_names,
    named_columns,
)
from bnlr.warn import warn
from bnlr.words import listed, quoted

if TYPE_CHECKING:
    import pandas as pd

NULL = MissingCell("null")
_LONGEST = 200
_SHEETS = "sheets"  # attribute of a frame: the names of all sheets, the first of which it is


@dataclass(frozen=True)
class _Format:
    """What a format is called, pandas' function and its arguments, and what it may want besides."""

    name: str
    reader: str
    extra: str
    settings: tuple[tuple[str, object], ...] = ()

    @property
    def is_sheet(self) -> bool:
        """Whether its cells declare nothing."""
        return self.reader == "read_excel"


_AS_TEXT = (("header", None), ("dtype", object), ("na_filter", False))
_EXCEL = _Format("Excel", "read_excel", "pandas[excel]", _AS_TEXT)
_SAS = _Format("SAS", "read_sas", "pandas", (("encoding", "latin-1"),))
_FORMATS = {
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls"), _EXCEL),
    ".ods": replace(_EXCEL, name="OpenDocument"),
    ".dta": _Format("Stata", "read_stata", "pandas"),
    **dict.fromkeys((".sav", ".zsav"), _Format("SPSS", "read_spss", "pandas[spss]")),
    **dict.fromkeys((".sas7bdat", ".xpt"), _SAS),
}
EXTENSIONS = tuple(_FORMATS)
READ = (
    "delimited text (.csv, .tsv, .txt, .data), ARFF (.arff), KEEL (.dat), Parquet (.parquet, .pq), "
    f"Feather (.feather) and, through pandas, {', '.join(EXTENSIONS)}"
)
"""The formats of all data files, in words."""


def read_foreign(path: Path, extension: str, options: ReadOptions) -> Table:
    """Read a file of another program by its extension.

    Raises
    ------
    DataError
        It is damaged, has no rows, or a column that holds neither numbers, text, dates nor
        booleans.
    TableExtraError
        The package that pandas needs for it is not installed.
    """
    form = _FORMATS[extension]
    refuse_pipe(path, form.name)
    try:
        with memory_told(path):
            with warnings.catch_warnings():
                # Of pandas' own plans, and of what dates it leaves be.
                warnings.simplefilter("ignore")
                frame = _read(path, form)
            table = _sheet(frame, path, options) if form.is_sheet else _declared(frame, path)
            return replace(table, options=options, layout=form.name)
    except BnlrError:
        raise
    except ImportError as error:
        raise TableExtraError(
            f"{path}: reading {form.name} files needs a package that is not installed "
            f"({_first_line(error)}); install it with pip install '{form.extra}'"
        ) from error
    except Exception as error:  # whatever the package that reads it says of a bad file
        if form.is_sheet and path.is_file() and not _is_sheet(path):
            raise DataError(
                f"{path}: no {form.name} file by its content; if it is delimited text, let its "
                "name end in .csv, else save it anew as a sheet"
            ) from error
        reason = (error.strerror if isinstance(error, OSError) else None) or _first_line(error)
        raise DataError(f"cannot read {path} as {form.name}: {reason}") from error


def _read(path: Path, form: _Format) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415  heavy

    with path.open("rb") as raw:
        if zipfile.is_zipfile(raw):
            refuse_bomb(raw)
    frame: pd.DataFrame
    if form.is_sheet:
        with pd.ExcelFile(path) as book:
            frame = getattr(pd, form.reader)(book, **dict(form.settings))
            frame.attrs[_SHEETS] = [str(name) for name in book.sheet_names]
    else:
        frame = getattr(pd, form.reader)(path, **dict(form.settings))
    if frame.shape[1] == 0:
        raise DataError(f"{path}: found no columns in this {form.name} file")
    check_columns(frame.shape[1], str(path))
    n_rows, n_columns = frame.shape
    check_cells(n_rows, n_columns, str(path), path.stat().st_size)
    return frame


def _is_sheet(path: Path) -> bool:
    """Whether a file is a zip, as sheets are, or of Excel's before 2007."""
    if zipfile.is_zipfile(path):
        return True
    with path.open("rb") as raw:
        return raw.read(4) == b"\xd0\xcf\x11\xe0"


def _first_line(error: Exception) -> str:
    said = str(error).strip().splitlines()
    return said[0][:_LONGEST] if said else f"damaged, as its reader's {type(error).__name__} says"


def _sheet(frame: "pd.DataFrame", path: Path, options: ReadOptions) -> Table:
    """Return a sheet's cells as text, without rows and columns that are empty at its edges."""
    columns = [[_text(value) for value in frame.iloc[:, k]] for k in range(frame.shape[1])]
    rows = [row for row in zip(*columns, strict=True) if any(map(str.strip, row))]
    if not rows:
        raise DataError(f"{path}: the first sheet is empty")
    filled = {k for row in rows for k, cell in enumerate(row) if cell.strip()}
    rows = [row[min(filled) : max(filled) + 1] for row in rows]
    names = [name.strip() for name in rows[0]]
    if options.header:
        rows = rows[1:]
    else:
        names = [f"column{k + 1}" for k in range(len(names))]
    if not rows:
        raise DataError(f"{path}: no rows below the header of the first sheet")
    cells = [list(column) for column in zip(*rows, strict=True)]
    names, cells = named_columns(names, cells, path)
    check_names(names, path, options)
    first, *others = frame.attrs.get(_SHEETS, [""])
    if others:
        verb = "is" if len(others) == 1 else "are"
        warn(
            f"{path}: the first sheet, {quoted(first)}, is read; {listed(others)} {verb} not: save "
            "another as a file of its own to read it",
            BnlrWarning,
        )
    warn_of_doubts(names, cells, path, options)
    return Table(str(path), dict(zip(names, cells, strict=True)))


def _text(value: Any) -> str:
    """Return a cell of a sheet as one would type it: whole numbers plain, dates as `_as_number`."""
    value = _as_number(value)
    if value is None or value != value:  # noqa: PLR0124  NaN and NaT
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2.0**53:
        return str(int(value))
    return str(value)


def _declared(frame: "pd.DataFrame", path: Path) -> Table:
    names = [str(name) for name in frame.columns]
    check_names(names, path)
    if not len(frame):
        raise DataError(f"{path}: no rows")
    columns, kinds = {}, {}
    for k, name in enumerate(names):
        columns[name], kinds[name] = _column(frame.iloc[:, k], name, path)
    return Table(str(path), columns, kinds)


def _column(column: "pd.Series[Any]", name: str, path: Path) -> tuple[Cells, Kind]:
    import pandas as pd  # noqa: PLC0415  as above

    holes = column.isna().to_numpy(dtype=bool)
    labels: tuple[str, ...] = ()
    if isinstance(column.dtype, pd.CategoricalDtype):
        labels = tuple(dict.fromkeys(map(str, column.cat.categories)))
        column = column.astype(object)
    elif pd.api.types.is_datetime64_any_dtype(column.dtype):
        column = _seconds(column)
    is_number = pd.api.types.is_numeric_dtype(column.dtype)
    is_number = is_number and not pd.api.types.is_bool_dtype(column.dtype)
    values = [_as_number(value) for value in column.tolist()]
    known = [value for value, hole in zip(values, holes, strict=True) if not hole]
    if not is_number and known and all(_is_number(value) for value in known):
        is_number = not labels  # numbers that are kept as objects
    if not is_number:
        odd = next((value for value in known if not isinstance(value, _PLAIN)), None)
        if odd is not None:
            raise DataError(
                f"{path}: column {quoted(name)} holds a {type(odd).__name__}; only numbers, text, "
                "dates and booleans are read: convert it, or leave it out"
            )
    infinite = next((v for v in known if is_number and v in (float("inf"), -float("inf"))), None)
    if infinite is not None:
        raise DataError(
            f"{path}: column {quoted(name)} holds {infinite}; make it missing or finite"
        )
    cells = [NULL if hole else str(v) for v, hole in zip(values, holes, strict=True)]
    return cells, Kind(NUMBERS if is_number else LABELS, labels)


_PLAIN = (str, bool, int, float)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _seconds(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return dates as seconds since 1970, which are numbers to cut."""
    import pandas as pd  # noqa: PLC0415  as above

    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_convert(None)
    ticks = column.to_numpy(dtype="datetime64[us]")  # of any year, which nanoseconds are not
    return pd.Series(np.where(np.isnat(ticks), np.nan, ticks.astype(np.int64) / 1e6))


def _as_number(value: Any) -> Any:
    """Return a date that is kept as an object in seconds, a time as those of its day."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, date):
        return float((value - date(1970, 1, 1)).days * 86_400)
    if isinstance(value, time):
        return (datetime.combine(date.min, value) - datetime.min).total_seconds()
    return value

"""Data files: delimited text with a header line, plain or gzipped.

The delimiter is found from the first lines; empty cells, ``?`` and ``NA`` are missing. What a
column means depends on who asks: `typed_frame` decides from the cells alone, `frame_like` reads
them as states that are known already.
"""

import csv
import gzip
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from pathlib import Path
from typing import IO, TYPE_CHECKING

from bnlr._typing import State
from bnlr.data.labels import closest, listed, shown
from bnlr.errors import DataError
from bnlr.io.files import PathLike, checked_path, reason

if TYPE_CHECKING:
    import pandas as pd

Cells = list[str]

MISSING = ("", "?", "NA", "NaN", "nan")
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 2**16
# Codes such as 007 are names, not numbers.
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)


@dataclass(frozen=True)
class Table:
    """Cells as they are written, column by column."""

    source: str
    columns: dict[str, Cells]

    @property
    def n_rows(self) -> int:
        return len(next(iter(self.columns.values())))

    def missing(self) -> dict[str, int]:
        """Return how many cells are missing, for each way of writing a missing one."""
        counts = Counter(
            cell.strip()
            for cells in self.columns.values()
            for cell in cells
            if cell.strip() in MISSING
        )
        return dict(counts.most_common())

    def keep(self, rows: list[int]) -> "Table":
        """Return the table of the chosen rows."""
        columns = {name: [cells[k] for k in rows] for name, cells in self.columns.items()}
        return Table(self.source, columns)

    def column(self, name: str) -> Cells:
        """Return a column's cells.

        Raises
        ------
        DataError
            There is none of that name.
        """
        if name not in self.columns:
            raise DataError(
                f"{self.source} has no column {shown(name)}, only "
                f"{listed(self.columns)}{closest(name, list(self.columns))}"
            )
        return self.columns[name]


def read_table(path: PathLike) -> Table:
    """Read a delimited file with a header line.

    Parameters
    ----------
    path
        Comma, semicolon, tab or bar separated, UTF-8; gzipped if it ends in ``.gz``.

    Raises
    ------
    DataError
        The file cannot be read, has no rows, one column only, columns without a name or with the
        same one, or lines of different lengths, with the line.
    """
    source = checked_path(path)
    try:
        with _open(source) as file:
            delimiter = _sniff(file.read(_SAMPLE), str(source))
            file.seek(0)
            return _collect(csv.reader(file, delimiter=delimiter, skipinitialspace=True), source)
    except UnicodeDecodeError as error:
        raise DataError(f"{source}: not UTF-8 text (byte {error.start:,}); convert it") from error
    except csv.Error as error:
        raise DataError(f"{source}: not a delimited text file: {error}") from error
    except (OSError, EOFError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"cannot read {source}: {reason(error)}") from error


def typed_frame(table: Table, keep_text: str) -> "tuple[pd.DataFrame, tuple[str, ...]]":
    """Return a frame whose columns are numbers where every cell is one, and the numeric columns.

    Parameters
    ----------
    table
    keep_text
        The class: it becomes whole numbers at most, so that its labels stay as they are written.
    """
    import pandas as pd  # noqa: PLC0415  heavy

    columns: dict[str, object] = {}
    numeric = []
    for name, written in table.columns.items():
        cells = [None if cell.strip() in MISSING else cell.strip() for cell in written]
        numbers = _whole(cells) if name == keep_text else _numbers(cells)
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


def _open(path: Path) -> IO[str]:
    if path.suffix.lower() == ".gz":
        return io.TextIOWrapper(gzip.open(path, "rb"), encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _sniff(sample: str, source: str) -> str:
    """Return the delimiter that cuts the first lines into most columns, all lines alike."""
    whole_lines = sample if len(sample) < _SAMPLE else sample[: sample.rfind("\n") + 1]
    best, most = "", 1
    for delimiter in _DELIMITERS:
        reader = csv.reader(io.StringIO(whole_lines), delimiter=delimiter, skipinitialspace=True)
        widths = [len(record) for record in reader if record]
        alike = len(set(widths)) == 1
        score = (widths[0] if widths else 0) * (2 if alike else 1)
        if widths and widths[0] > 1 and score > most:
            best, most = delimiter, score
    if not best:
        raise DataError(
            f"{source}: found no columns; the first line must name them, separated by commas, "
            "semicolons, tabs or bars"
        )
    return best


def _collect(records: Iterator[list[str]], source: Path) -> Table:
    names = [name.strip() for name in next(records)]
    _check_names(names, source)
    rows = []
    for record in records:
        if not record:
            continue
        if len(record) != len(names):
            line = getattr(records, "line_num", len(rows) + 2)
            raise DataError(
                f"{source}: line {line} has {len(record)} cells, the header {len(names)}"
            )
        rows.append(record)
    if not rows:
        raise DataError(f"{source}: no rows below the header")
    return Table(str(source), dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def _check_names(names: list[str], source: Path) -> None:
    for place, name in enumerate(names, start=1):
        if not name:
            raise DataError(f"{source}: column {place} has no name in the first line; give it one")
        if names.count(name) > 1:
            raise DataError(f"{source}: two columns are named {shown(name)}; rename one")

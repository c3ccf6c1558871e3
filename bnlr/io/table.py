"""Data files: delimited text with a header line, ARFF, both plain or gzipped, and Parquet.

The delimiter is found from the first lines; empty cells, ``?`` and ``NA`` are missing there. ARFF
and Parquet declare the kinds of their columns and which cells are missing. Cells stay text here;
`bnlr.io.cells` says what they mean.
"""

import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from bnlr.data.labels import closest, listed, shown
from bnlr.errors import DataError
from bnlr.io.files import PathLike, checked_path, reason

Cells = list[str]

MISSING = ("", "?", "NA", "NaN", "nan")
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 2**16
NUMBERS = "numbers"
LABELS = "labels"


class Hole(str):
    """A missing cell of a file that has a way of its own to say so, which is its text."""

    __slots__ = ()


@dataclass(frozen=True)
class Kind:
    """What a file declares of a column: NUMBERS or LABELS, and the labels that it lists."""

    name: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Cells as they are written, column by column, and the kinds of columns if declared."""

    source: str
    columns: dict[str, Cells]
    kinds: Mapping[str, Kind] = field(default_factory=dict)

    def is_missing(self, cell: str) -> bool:
        """Return whether a cell is missing."""
        return isinstance(cell, Hole) if self.kinds else cell.strip() in MISSING

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())))

    def missing(self) -> dict[str, int]:
        """Return how many cells are missing, for each way of writing a missing one."""
        counts = Counter(
            cell.strip()
            for cells in self.columns.values()
            for cell in cells
            if self.is_missing(cell)
        )
        return dict(counts.most_common())

    def keep(self, rows: list[int]) -> "Table":
        """Return the table of the chosen rows."""
        columns = {name: [cells[k] for k in rows] for name, cells in self.columns.items()}
        return Table(self.source, columns, self.kinds)

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
    """Read a data file.

    Parameters
    ----------
    path
        ``.arff``; ``.parquet`` or ``.pq``; all else is comma, semicolon, tab or bar separated text
        with a header line. Text is UTF-8, and gzipped if the name ends in ``.gz``.

    Raises
    ------
    DataError
        The file cannot be read, has no rows, columns without a name or with the
        same one, or lines of different lengths, with the line.
    """
    source = checked_path(path)
    kind = source.with_suffix("").suffix if source.suffix.lower() == ".gz" else source.suffix
    if kind.lower() in (".parquet", ".pq"):
        from bnlr.io.columns import read_parquet  # noqa: PLC0415  needs pyarrow

        return read_parquet(source)
    try:
        with _open(source) as file:
            if kind.lower() == ".arff":
                from bnlr.io.arff import read_arff  # noqa: PLC0415  one format a file

                return read_arff(file, str(source))
            return _read_delimited(file, source)
    except UnicodeDecodeError as error:
        raise DataError(f"{source}: not UTF-8 text (byte {error.start:,}); convert it") from error
    except csv.Error as error:
        raise DataError(f"{source}: not a delimited text file: {error}") from error
    except (OSError, EOFError, ValueError, zlib.error) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"cannot read {source}: {reason(error)}") from error


def _read_delimited(file: IO[str], source: Path) -> Table:
    delimiter = _sniff(file.read(_SAMPLE), str(source))
    file.seek(0)
    return _collect(csv.reader(file, delimiter=delimiter, skipinitialspace=True), source)


def _open(path: Path) -> IO[str]:
    if path.suffix.lower() == ".gz":
        return io.TextIOWrapper(gzip.open(path, "rb"), encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _sniff(sample: str, source: str) -> str:
    """Return the delimiter that cuts the first lines into most columns, all lines alike."""
    cut = sample.rfind("\n") + 1
    whole_lines = sample[:cut] if cut and len(sample) == _SAMPLE else sample
    best, most = "", 1
    for delimiter in _DELIMITERS:
        reader = csv.reader(io.StringIO(whole_lines), delimiter=delimiter, skipinitialspace=True)
        widths = [len(record) for record in reader if record]
        alike = len(set(widths)) == 1
        score = (widths[0] if widths else 0) * (2 if alike else 1)
        if widths and widths[0] > 1 and score > most:
            best, most = delimiter, score
    if not whole_lines.strip():
        raise DataError(
            f"{source}: found no columns; the first line must name them, separated by commas, "
            "semicolons, tabs or bars"
        )
    # Nothing cuts the lines: a single column, as of a model with one attribute.
    return best or _DELIMITERS[0]


def _collect(records: Iterator[list[str]], source: Path) -> Table:
    names = [name.strip() for name in next(record for record in records if record)]
    check_names(names, source)
    rows: list[list[str]] = []
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


def check_names(names: Sequence[str], source: Path) -> None:
    """Refuse columns without a name or with the same one.

    Raises
    ------
    DataError
        With the place or the name.
    """
    for place, name in enumerate(names, start=1):
        if not name:
            raise DataError(f"{source}: column {place} has no name in the first line; give it one")
        if names.count(name) > 1:
            raise DataError(f"{source}: two columns are named {shown(name)}; rename one")

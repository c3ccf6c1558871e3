"""Delimited text as a table of cells: its delimiter is found, its first line names the columns."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import IO, Any

from bnlr.errors import BnlrWarning, DataError
from bnlr.io.tables.plain import plain_columns
from bnlr.io.tables.table import Cells, Table, check_names
from bnlr.io.tables.text import bytes_read
from bnlr.progress import ProgressLine
from bnlr.warn import warn
from bnlr.words import counted

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SAMPLE = 2**16
_BLOCK = 2**11  # cells that are still at hand when they are told apart
_LEAST_ROWS = 16


def read_delimited(file: IO[str], source: str) -> Table:
    """Read delimited text.

    Raises
    ------
    DataError
        No columns, no rows, columns without a name or with the same one, or lines of different
        lengths, with the line.

    Warns
    -----
    BnlrWarning
        The first column has no name and numbers the rows, as pandas and R write it: left out.
    """
    delimiter = _sniff(file.read(_SAMPLE), source)
    file.seek(0)
    columns = _collected(file, delimiter, source)
    layout = f"{_DELIMITERS[delimiter]}-separated" if len(columns) > 1 else "one column"
    return Table(source, columns, layout=layout, has_decimal_commas=delimiter == ";")


class _Records:
    """The records of delimited text; ``line_num`` is the last line that was read.

    What a quote may do to lines is checked here: one that is not closed where a cell ends would
    take the lines up to the next one for a part of its cell.
    """

    def __init__(self, lines: Iterable[str], delimiter: str, source: str) -> None:
        self._lines, self._source = lines, source
        self._record_lines: list[str] = []
        self._layout: dict[str, Any] = {"delimiter": delimiter, "skipinitialspace": True}
        self._records = csv.reader(self._noted(), **self._layout)

    @property
    def line_num(self) -> int:
        """The number of lines read so far."""
        return self._records.line_num

    def _noted(self) -> Iterator[str]:
        for line in self._lines:
            self._record_lines.append(line)
            yield line

    def __iter__(self) -> Iterator[list[str]]:
        for record in self._records:
            if len(self._record_lines) > 1:
                self._check_quotes()
            self._record_lines.clear()
            yield record

    def _check_quotes(self) -> None:
        try:
            list(csv.reader(self._record_lines, strict=True, **self._layout))
        except csv.Error as error:
            first = self.line_num - len(self._record_lines) + 1
            raise DataError(
                f"{self._source}: line {first}: a quote that is opened here is not closed where "
                "the cell ends, so that the next lines would be lost; close it, or double a quote "
                "inside a cell"
            ) from error


def _sniff(sample: str, source: str) -> str:
    """Return the delimiter that cuts the first lines into most columns, all lines alike."""
    cut = max(sample.rfind("\n"), sample.rfind("\r")) + 1
    whole_lines = sample[:cut] if cut and len(sample) == _SAMPLE else sample
    best, most = "", 1
    for delimiter in _DELIMITERS:
        lines = io.StringIO(whole_lines, newline="")
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
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
    return best or ","


def _collected(file: IO[str], delimiter: str, source: str) -> dict[str, Cells]:
    records = _Records(file, delimiter, source)
    try:
        names = _header(records)
        cells = plain_columns(file, delimiter, len(names))
        if cells is None:
            file.seek(0)
            records = _Records(file, delimiter, source)
            names = _header(records)
            cells = _by_column(_alike(names, records, source), len(names), file)
    except csv.Error as error:
        raise DataError(
            f"{source}: not a delimited text file: line {records.line_num}: {error}; is a quote "
            "left open above?"
        ) from error
    if not cells[0]:
        raise DataError(f"{source}: no rows below the header")
    if names[0] == "" and len(names) > 1 and _numbers_the_rows(cells[0]):
        warn(
            f"{source}: the first column has no name and numbers the rows; it is left out",
            BnlrWarning,
        )
        names, cells = names[1:], cells[1:]
    check_names(names, source)
    return dict(zip(names, cells, strict=True))


def _header(records: _Records) -> list[str]:
    return [name.strip() for name in next(record for record in records if record)]


def _by_column(rows: Iterator[list[str]], n_columns: int, file: IO[str]) -> list[Cells]:
    """Return columns in which equal cells are one text, which takes less memory and one hash."""
    columns: list[Cells] = [[] for _ in range(n_columns)]
    known: list[dict[str, str]] = [{} for _ in range(n_columns)]
    n_rows = max(_BLOCK // n_columns, _LEAST_ROWS)
    with ProgressLine(verbose=0) as line:
        while block := list(islice(rows, n_rows)):
            for column, seen, cells in zip(columns, known, zip(*block, strict=True), strict=True):
                column.extend(map(seen.setdefault, cells, cells))
            if line.is_due:
                line.write_share(*bytes_read(file), "bytes")
    return columns


def _alike(names: Sequence[str], records: _Records, source: str) -> Iterator[list[str]]:
    """Yield the rows; blank lines are none, but between those of a single column might be."""
    n, blank = len(names), 0
    for record in records:
        if not record:
            blank = blank or records.line_num
            continue
        if blank and n == 1:
            raise DataError(
                f"{source}: line {blank} is blank, which in a single column may be a missing cell "
                'or nothing; write NA or "" for a missing cell, or remove the line'
            )
        blank = 0
        if len(record) != n:
            hint = (
                "; if the first column names the rows, give it a name in the first line too"
                if len(record) == n + 1
                else ""
            )
            cells = counted(len(record), "cell")
            raise DataError(f"{source}: line {records.line_num} has {cells}, the header {n}{hint}")
        yield record


def _numbers_the_rows(cells: Sequence[str]) -> bool:
    starts = (0, 1) if len(cells) > 1 else ()
    return any(
        all(cell.strip() == str(k) for k, cell in enumerate(cells, start)) for start in starts
    )

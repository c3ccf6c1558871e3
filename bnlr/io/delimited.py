"""Delimited text as a table of cells: its delimiter is found, its first line names the columns."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import IO

from bnlr.errors import BnlrWarning, DataError
from bnlr.io.table import Table, check_names
from bnlr.structure.names import counted
from bnlr.warn import warn

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SAMPLE = 2**16


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
    records = csv.reader(file, delimiter=delimiter, skipinitialspace=True)
    columns = _collected(records, source)
    layout = f"{_DELIMITERS[delimiter]}-separated" if len(columns) > 1 else "one column"
    return Table(source, columns, layout=layout, has_decimal_commas=delimiter == ";")


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


def _collected(records: Iterator[list[str]], source: str) -> dict[str, list[str]]:
    try:
        names = [name.strip() for name in next(record for record in records if record)]
        rows = list(_alike(records, names, source))
    except csv.Error as error:
        line = getattr(records, "line_num", 1)
        raise DataError(
            f"{source}: not a delimited text file: line {line}: {error}; is a quote left open "
            "above?"
        ) from error
    if not rows:
        raise DataError(f"{source}: no rows below the header")
    cells = list(map(list, zip(*rows, strict=True)))
    if names[0] == "" and len(names) > 1 and _numbers_the_rows(cells[0]):
        warn(
            f"{source}: the first column has no name and numbers the rows; it is left out",
            BnlrWarning,
        )
        names, cells = names[1:], cells[1:]
    check_names(names, source)
    return dict(zip(names, cells, strict=True))


def _alike(records: Iterator[list[str]], names: Sequence[str], source: str) -> Iterator[list[str]]:
    n = len(names)
    for record in records:
        if not record:
            continue
        if len(record) != n:
            line = getattr(records, "line_num", 0)
            hint = (
                "; if the first column names the rows, give it a name in the first line too"
                if len(record) == n + 1
                else ""
            )
            cells = counted(len(record), "cell")
            raise DataError(f"{source}: line {line} has {cells}, the header {n}{hint}")
        yield record


def _numbers_the_rows(cells: Sequence[str]) -> bool:
    starts = (0, 1) if len(cells) > 1 else ()
    return any(
        all(cell.strip() == str(k) for k, cell in enumerate(cells, start)) for start in starts
    )

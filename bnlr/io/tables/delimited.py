"""Delimited text as a table of cells: its delimiter is found, its first line names the columns.

Beside commas, semicolons, tabs and bars, runs of blanks may separate cells, where nothing else
does. A first line ``sep=;``, as Excel writes it, names the delimiter. Lines that begin with ``#``
are comments above the header or where they are cut otherwise than the rows. A delimiter that ends
every line is none, and a first column without a name that numbers the rows, as pandas and R write
it, is left out.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import IO, Any

from bnlr.data.numerals import number
from bnlr.errors import BnlrWarning, DataError
from bnlr.io.tables.doubts import warn_of_doubts
from bnlr.io.tables.limits import check_columns
from bnlr.io.tables.lines import Lines
from bnlr.io.tables.options import DELIMITERS, ReadOptions
from bnlr.io.tables.plain import plain_columns
from bnlr.io.tables.table import Cells, Table, check_names, named_columns
from bnlr.io.tables.text import bytes_read
from bnlr.progress import ProgressLine
from bnlr.warn import warn
from bnlr.words import counted, quoted

_NAMES = {character: name for name, character in DELIMITERS.items()}
_SAMPLE = 2**16
_BLOCK = 2**11  # cells that are still at hand when they are told apart
_LEAST_ROWS = 16
_COMMENT = "#"
_BACKSLASHED = '\\"'
_SEP_LINE = re.compile(r'"?sep=(?P<delimiter>[^"\r\n])"?[\s,;]*', re.IGNORECASE)
_BLANK = " "
_NOTHING = " \r\n"
_DRAWN = re.compile(r"(?=.*[+|])[+|: ]*-{3}[-+|:= ]*")
_FILLED_UP = re.compile(r"\S {2,}\S")
_SECOND_MARK = "\ufeff"  # of an encoding, where programs have put one each


def read_delimited(file: IO[str], source: str, options: ReadOptions) -> Table:
    """Read delimited text.

    Raises
    ------
    DataError
        No columns, no rows, columns without a name or with the same one, or lines of different
        lengths, with the line.

    Warns
    -----
    BnlrWarning
        The first column has no name and numbers or names the rows, as pandas and R write it: left
        out; lines between the rows are taken for comments; the first line holds numbers, as a row
        does.
    """
    sample = file.read(_SAMPLE)
    named = _SEP_LINE.fullmatch(sample.partition("\n")[0].strip("\r"))
    if named is not None:
        sample = sample[len(sample.partition("\n")[0]) + 1 :]
    sampled = _whole_lines(sample, source)
    if any(_DRAWN.fullmatch(line.strip()) for line in sampled[:2]):
        raise DataError(
            f"{source}: a table drawn with lines between its rows, as the shells of databases and "
            "Markdown have it; export it as CSV"
        )
    delimiter = options.delimiter or (named["delimiter"] if named else _sniff(sampled, options))
    head_width = next(iter(_widths(sampled, delimiter, _COMMENT)), 0)

    def begin() -> _Records:
        file.seek(0)
        lines = Lines(file, source)
        if named is not None:
            next(lines)
        return _Records(lines, delimiter, head_width, source, options)

    columns = _collected(begin, source, file, options)
    layout = f"{_name(delimiter)}-separated" if len(columns) > 1 else "one column"
    decimal = options.decimal or ("," if delimiter == ";" else "")
    return Table(source, columns, layout=layout, decimal=decimal)


def _name(delimiter: str) -> str:
    return _NAMES.get(delimiter, repr(delimiter))


class _Records:
    """The records of delimited text, without comments; ``line_num`` is the last line that was read.

    What a quote may do to lines is checked here: one that is not closed where a cell ends would
    take the lines up to the next one for a part of its cell.
    """

    def __init__(
        self, lines: Lines, delimiter: str, head_width: int, source: str, options: ReadOptions
    ) -> None:
        self._lines, self._source, self._options = lines, source, options
        self.delimiter = delimiter
        self.width: int | None = None
        self.head_width = head_width
        self.comments: list[int] = []
        self.above = ""
        self._record_lines: list[str] = []
        self.layout: dict[str, Any] = {"delimiter": delimiter, "skipinitialspace": True}
        self._records = csv.reader(self._noted(), **self.layout)

    @property
    def line_num(self) -> int:
        """The number of lines read so far."""
        return self._lines.number

    def _noted(self) -> Iterator[str]:
        for line in self._lines:
            if not self._record_lines and self._is_comment(line):
                if self.width is not None:
                    self.comments.append(self._lines.number)
                else:
                    self.above = line.strip().lstrip(_COMMENT).strip()
                continue
            if not self._record_lines and self.width != 1 and not line.strip(_NOTHING):
                line = line.lstrip(" ")  # noqa: PLW2901  blanks alone are no cell of several
            self._record_lines.append(line)
            yield self.without_tabs(line) if self.delimiter == _BLANK else line

    @staticmethod
    def without_tabs(line: str) -> str:
        """Return a line of cells between blanks: a tab is one, and those at its end are nothing."""
        end = line[len(line.rstrip("\r\n")) :]
        return line.replace("\t", _BLANK).rstrip() + end

    def _is_comment(self, line: str) -> bool:
        """Whether a line that begins a record is none, but a comment."""
        if self._options.comment is not None:
            return line.startswith(self._options.comment)
        if not line.startswith(_COMMENT):
            return False
        n_cells = self._n_cells(line)
        if n_cells is None:  # a quoted cell goes on in the next line
            return False
        if self.width is not None:
            return n_cells not in (self.width, self.width + 1)
        # Above the header: a line that is cut as the others are may be the header itself.
        return n_cells != self.head_width

    def _n_cells(self, line: str) -> int | None:
        """Return how many cells a line is cut into, None if a quote is not closed in it."""
        text = self.without_tabs(line) if self.delimiter == _BLANK else line
        try:
            return len(next(csv.reader([text], strict=True, **self.layout), ()))
        except csv.Error:
            return None

    def __iter__(self) -> Iterator[list[str]]:
        for record in self._records:
            if len(self._record_lines) > 1:
                self._check_quotes()
            elif _BACKSLASHED in self._record_lines[0]:
                self._check_backslashes()
            self._record_lines.clear()
            yield record

    def _check_backslashes(self) -> None:
        """Refuse quotes behind backslashes inside a cell in quotes; a path may end with one."""
        if self._n_cells(self._record_lines[0]) is None:
            raise DataError(
                f'{self._source}: line {self.line_num}: a quote inside a cell is written \\" here, '
                'which would cut the cell; double it instead: ""'
            )

    def _check_quotes(self) -> None:
        try:
            list(csv.reader(self._record_lines, strict=True, **self.layout))
        except csv.Error as error:
            first = self.line_num - len(self._record_lines) + 1
            raise DataError(
                f"{self._source}: line {first}: a quote that is opened here is not closed where "
                "the cell ends, so that the next lines would be lost; close it, or double a quote "
                "inside a cell"
            ) from error


def _whole_lines(sample: str, source: str) -> list[str]:
    """Return the first lines of a file."""
    cut = max(sample.rfind("\n"), sample.rfind("\r")) + 1
    whole_lines = sample[:cut] if cut and len(sample) == _SAMPLE else sample
    if not whole_lines.strip():
        raise DataError(
            f"{source}: found no columns; the first line must name them, separated by commas, "
            "semicolons, tabs, bars or blanks"
        )
    return io.StringIO(whole_lines, newline="").readlines()


def _sniff(lines: Sequence[str], options: ReadOptions) -> str:
    """Return the delimiter that cuts the first lines into most columns, all lines alike."""
    mark = options.comment or _COMMENT
    best, most, is_sure = "", 1, False
    for delimiter in (",", ";", "\t", "|"):
        widths = _widths(lines, delimiter, mark)
        alike = len(set(widths)) == 1
        score = (widths[0] if widths else 0) * (2 if alike else 1)
        if widths and widths[0] > 1 and score > most:
            best, most, is_sure = delimiter, score, alike
    # Nothing cuts the lines: blanks may, or it is one column, as of a model with one attribute.
    if not best or (best == "\t" and not is_sure):
        best = _BLANK if _are_cut_by_blanks(lines, mark) else best
    return best or ","


def _widths(lines: Iterable[str], delimiter: str, mark: str) -> list[int]:
    """Return how many cells the records have that do not begin as comments, else all of them."""
    filled = (line for line in lines if line.strip(_NOTHING))
    reader = csv.reader(filled, delimiter=delimiter, skipinitialspace=True)
    records = [(len(record), record[0].startswith(mark)) for record in reader if record]
    return [n for n, is_comment in records if not is_comment] or [n for n, _ in records]


def _are_cut_by_blanks(lines: Sequence[str], mark: str) -> bool:
    """Whether runs of blanks cut all lines alike; R leaves the name of its row names out."""
    widths = _widths(map(_Records.without_tabs, lines), _BLANK, mark)
    head, rest = (widths[0], set(widths[1:])) if widths else (0, set())
    return head > 1 and rest in ({head}, {head + 1})


def _collected(
    begin: Callable[[], _Records], source: str, file: IO[str], options: ReadOptions
) -> dict[str, Cells]:
    records = begin()
    try:
        first = _first_record(records, source)
        cells = _plain(file, records.delimiter, len(first), options)
        names = [name.strip() for name in first]
        if cells is None:
            records = begin()
            names, rows = _header(_first_record(records, source), records, source, options)
            cells = _by_column(rows, len(names), file)
    except csv.Error as error:
        raise DataError(
            f"{source}: not a delimited text file: line {records.line_num}: {error}; is a quote "
            "left open above?"
        ) from error
    if not cells[0]:
        hint = f"; if it is a row: {options.named('header', 'False')}" if options.header else ""
        raise DataError(f"{source}: no rows below the header{hint}")
    names, cells = named_columns(names, cells, source)
    check_names(names, source, options)
    _refuse_fixed_widths(names, cells, source)
    warn_of_doubts(names, cells, source, options)
    _warn_of_comments(records, source)
    if options.header:
        _warn_of_a_header_above(first, records, source)
    return dict(zip(names, cells, strict=True))


def _refuse_fixed_widths(names: list[str], cells: list[Cells], source: str) -> None:
    """Refuse one column that blanks fill up, in its name and in every row, for many."""
    lines = [*names, *cells[0]] if len(names) == 1 else []
    if lines and all(_FILLED_UP.search(line) for line in lines):
        raise DataError(
            f"{source}: one column, {quoted(names[0])}, whose cells blanks fill up as columns of a "
            "fixed width; separate them by commas, as pandas.read_fwf and to_csv do"
        )


def _first_record(records: _Records, source: str) -> list[str]:
    first = next((record for record in records if record), None)
    if first is None:
        raise DataError(f"{source}: found no columns; all lines are blank or comments")
    check_columns(len(first), source)
    first[0] = first[0].removeprefix(_SECOND_MARK)
    return first


def _plain(
    file: IO[str], delimiter: str, n_columns: int, options: ReadOptions
) -> list[Cells] | None:
    """Return the columns below the header if they are plain and the user knows no better."""
    is_plain = options.header and options.comment is None and delimiter in ",;\t| "
    return plain_columns(file, delimiter, n_columns) if is_plain else None


def _header(
    first: list[str], records: _Records, source: str, options: ReadOptions
) -> tuple[list[str], Iterator[list[str]]]:
    """Return the columns' names and the rows, one cell a name.

    R gives the names of rows no name, and some programs end each row with a delimiter: the first
    row tells.
    """
    rest = iter(records)
    names = [name.strip() for name in first]
    if not options.header:
        names = [f"column{k + 1}" for k in range(len(first))]
        rest = chain([first], rest)
    records.width = len(names)
    filled = _filled(rest, len(names), records, source)
    row = next(filled, None)
    if row is None:
        return names, iter(())
    rows = chain([row], filled)
    if len(row) != len(names) + 1 or len(names) == 1:
        return names, _alike(rows, len(names), records, source)
    if not row[-1].strip():
        return names, _without_last(rows, len(names), records, source)
    if _are_numbered(row[0]):
        return ["", *names], _numbered(rows, len(names), records, source)
    raise _of_another_width(row, len(names), records, source)


def _filled(
    rest: Iterator[list[str]], n_columns: int, records: _Records, source: str
) -> Iterator[list[str]]:
    """Yield the rows that are not blank; blank lines of a single column might be rows."""
    blank = 0
    for record in rest:
        if not record:
            blank = blank or records.line_num
            continue
        if n_columns == 1 and len(record) > 1:
            raise _of_another_width(record, n_columns, records, source)
        if blank and n_columns == 1:
            raise DataError(
                f"{source}: line {blank} is blank, which in a single column may be a missing cell "
                'or nothing; write NA or "" for a missing cell, or remove the line'
            )
        blank = 0
        yield record


def _alike(
    rows: Iterator[list[str]], n: int, records: _Records, source: str
) -> Iterator[list[str]]:
    for record in rows:
        if len(record) != n:
            raise _of_another_width(record, records.width or n, records, source)
        yield record


def _without_last(
    rows: Iterator[list[str]], n: int, records: _Records, source: str
) -> Iterator[list[str]]:
    """Yield rows without the empty cell that a delimiter at the end of each line makes."""
    for row in rows:
        if len(row) != n + 1 or row[-1].strip():
            cells = counted(len(row), "cell")
            raise DataError(
                f"{source}: line {records.line_num} has {cells}, the first row {n} and a delimiter "
                f"at its end, the header {n}; end all lines alike"
            )
        yield row[:-1]


def _are_numbered(cell: str) -> bool:
    return cell.strip() in ("0", "1")


def _numbered(
    rows: Iterator[list[str]], n: int, records: _Records, source: str
) -> Iterator[list[str]]:
    """Yield rows whose first cell, for which there is no name, is the row's number."""
    start, k = 0, -1
    for k, row in enumerate(rows):
        if len(row) != n + 1:
            cells, before = counted(len(row), "cell"), counted(n + 1, "cell")
            raise DataError(
                f"{source}: line {records.line_num} has {cells}, the rows above {before}, the "
                f"header {n}; give all of them as many"
            )
        start = int(row[0]) if k == 0 else start
        if row[0].strip() != str(start + k):
            raise _of_another_width(row, n, records, source)
        yield row
    if k == 0:  # a single row may well begin with 1
        raise _of_another_width([""] * (n + 1), n, records, source)


def _of_another_width(record: list[str], n: int, records: _Records, source: str) -> DataError:
    hint = ""
    if len(record) == n + 1:
        hint += "; if the first column names the rows, give it a name in the first line too"
    if n == 1:
        hint += "; if the first line is a title, remove what stands above the names"
    cells = counted(len(record), "cell")
    if len(record) == 1:
        cells += f" ({quoted(record[0])})"
    return DataError(f"{source}: line {records.line_num} has {cells}, the header {n}{hint}")


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


def _warn_of_a_header_above(first: Sequence[str], records: _Records, source: str) -> None:
    """Warn of names in the comment above a header with numbers, as NumPy writes them."""
    names: Sequence[str] = next(csv.reader([records.above], **records.layout), ())
    if not names or len(names) != len(first) or any(number(name) is not None for name in names):
        return
    if any(number(name.strip()) is not None for name in first):
        warn(
            f"{source}: the names seem to stand in the comment above, {quoted(names[0])} first, so "
            f"that a row is taken for the header; remove the {_COMMENT} before them",
            BnlrWarning,
        )


def _warn_of_comments(records: _Records, source: str) -> None:
    lines = records.comments
    if lines and records._options.comment is None:
        places = "line" if len(lines) == 1 else "lines"
        shown = ", ".join(f"{line:,}" for line in lines[:8]) + (" …" if len(lines) > 8 else "")
        verb = "is" if len(lines) == 1 else "are"
        warn(
            f"{source}: {places} {shown} between the rows {verb} taken for comments ({_COMMENT})",
            BnlrWarning,
        )

"""A data file's cells as they are written, and what the file says of its columns.

Empty cells, ``?`` and ``NA`` are missing in delimited text; ARFF and Parquet declare the kinds of
their columns and which cells are missing. What cells mean is said in `bnlr.io.tables.cells`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bnlr.data.numerals import number
from bnlr.errors import BnlrWarning, DataError
from bnlr.io.files import PathLike
from bnlr.io.tables.options import ReadOptions
from bnlr.warn import warn
from bnlr.words import guess, listed, quoted

Cells = list[str]

NUMBERS = "numbers"
LABELS = "labels"


HOLES = ("?", "<null>", "null")
"""How formats that declare their columns write missing cells: `MissingCell` of one of these."""


class MissingCell(str):
    """A missing cell of a file that has a way of its own to say so, which is its text."""

    __slots__ = ()


@dataclass(frozen=True)
class Kind:
    """What a file declares of a column: NUMBERS or LABELS, and the labels that it lists."""

    name: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Cells as they are written, column by column, and the kinds of columns if declared.

    ``options`` are those that it was read by; ``layout`` says how the file is written; ``decimal``
    is the mark of decimals that goes with it, empty if unknown; ``weights`` are those that the file
    gives its rows, empty without any.
    """

    source: str
    columns: dict[str, Cells]
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    options: ReadOptions = field(default=ReadOptions(), compare=False)
    layout: str = ""
    decimal: str = ""
    weights: Sequence[float] = ()

    def is_missing(self, cell: str) -> bool:
        """Return whether a cell is missing."""
        if self.kinds:
            return isinstance(cell, MissingCell) or cell.strip() in self.options.missing
        return cell.strip() in self.options.missing_texts

    def may_be_missing(self, cell: str) -> bool:
        """Return whether a cell that is written alike is missing."""
        return cell in HOLES or self.is_missing(cell)

    @property
    def missing_texts(self) -> tuple[str, ...]:
        """What counts as a missing cell, apart from a declared kind's own."""
        return tuple(sorted(self.options.missing)) if self.kinds else self.options.missing_texts

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())))

    def missing(self) -> dict[str, int]:
        """Return how many cells are missing, for each way of writing a missing one."""
        counts: Counter[str] = Counter()
        for name in self.columns:
            counts.update(self._missing_in(name))
        return dict(counts.most_common())

    def n_missing(self, name: str) -> int:
        """Return how many of a column's cells are missing."""
        return sum(self._missing_in(name).values())

    def _missing_in(self, name: str) -> Counter[str]:
        cells = self.columns[name]
        if self.kinds:
            if not any(map(self.may_be_missing, set(cells))):
                return Counter()
            return Counter(cell.strip() for cell in cells if self.is_missing(cell))
        counts: Counter[str] = Counter()
        for cell, n in Counter(cells).items():
            if self.is_missing(cell):
                counts[cell.strip()] += n
        return counts

    def keep(self, rows: Sequence[int]) -> "Table":
        """Return the table of the chosen rows."""
        if len(rows) == self.n_rows:
            return self
        columns = {name: [cells[k] for k in rows] for name, cells in self.columns.items()}
        weights = tuple(self.weights[k] for k in rows) if self.weights else ()
        return replace(self, columns=columns, weights=weights)

    def without(self, names: Iterable[str]) -> "Table":
        """Return the table without some columns.

        Raises
        ------
        DataError
            There is none of such a name, or none is left.
        """
        dropped = set(names)
        for name in dropped:
            self.column(name)
        columns = {name: cells for name, cells in self.columns.items() if name not in dropped}
        if not columns:
            raise DataError(f"{self.source}: no column is left; ignore fewer")
        kinds = {name: kind for name, kind in self.kinds.items() if name not in dropped}
        return replace(self, columns=columns, kinds=kinds)

    def column(self, name: str) -> Cells:
        """Return a column's cells.

        Raises
        ------
        DataError
            There is none of that name.
        """
        if name not in self.columns:
            hint = guess(name, self.columns)
            if not hint and self._may_have_no_header():
                hint = f"; if the first line is a row: {self.options.named('header', 'False')}"
            raise DataError(
                f"{self.source} has no column {quoted(name)}, only {listed(self.columns)}{hint}"
            )
        return self.columns[name]

    def _may_have_no_header(self) -> bool:
        """Whether a name of delimited text is a number, as a cell may be."""
        return not self.kinds and any(number(name) is not None for name in self.columns)


def named_columns(
    names: list[str], cells: list[Cells], source: PathLike
) -> tuple[list[str], list[Cells]]:
    """Leave out an empty last column without a name, and a nameless first one of rows' names.

    Warns
    -----
    BnlrWarning
        The first column was left out.
    """
    if len(names) > 1 and names[-1] == "" and not any(map(str.strip, cells[-1])):
        names, cells = names[:-1], cells[:-1]
    if len(names) == 1 or names[0] != "":
        return names, cells
    if _are_numbers_of_rows(cells[0]):
        told = "numbers the rows; it is left out"
    elif _are_names_of_rows(cells[0]):
        told = (
            f"another text in each row, such as {quoted(cells[0][0].strip())}: it is taken for "
            "their names and left out; name it in the first line to keep it"
        )
    else:
        return names, cells
    warn(f"{source}: the first column has no name and {told}", BnlrWarning)
    return names[1:], cells[1:]


def _are_numbers_of_rows(cells: Cells) -> bool:
    starts = (0, 1) if len(cells) > 1 else ()
    return any(
        all(cell.strip() == str(k) for k, cell in enumerate(cells, start)) for start in starts
    )


def _are_names_of_rows(cells: Cells) -> bool:
    """Whether no two rows share a cell and none is a measured number, with decimals."""
    names = set(map(str.strip, cells))
    if len(cells) < 2 or len(names) < len(cells) or "" in names:
        return False
    numbers = (number(name, decimal_commas=True) for name in names)
    return all(value is None or value.is_integer() for value in numbers)


def check_names(names: Sequence[str], source: PathLike, options: ReadOptions | None = None) -> None:
    """Refuse columns without a name or with the same one.

    ``options`` are given where the names may be a row that was taken for the header.

    Raises
    ------
    DataError
        With the place or the name.
    """
    seen: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if not name:
            raise DataError(
                f"{source}: column {place} has no name in the first line; give it one, or remove "
                "what stands above the names"
            )
        if name in seen:
            hint = ""
            if options is not None and any(number(other) is not None for other in names):
                hint = f", or if the first line is a row: {options.named('header', 'False')}"
            raise DataError(
                f"{source}: two columns are named {quoted(name)}, columns {seen[name]} and {place}"
                f"; rename one{hint}"
            )
        seen[name] = place

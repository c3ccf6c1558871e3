"""The tables of a foreign file: how they are written, and their cells in the order of a CPT."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import NoReturn

from bnlr.errors import BnlrWarning, ModelFileError
from bnlr.io.tokens import is_decimal
from bnlr.warn import warn
from bnlr.words import joined, listed, quoted

MAX_CELLS = 2**20

# {node: {label as written: its code}}
Labels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class PotentialRow:
    """The probabilities of one configuration of the parents, as written."""

    states: tuple[str, ...]
    cells: Sequence[str]
    line: int


@dataclass(frozen=True)
class Potential:
    """A CPT as written: all cells at once, or a row for each configuration of the parents.

    ``cells`` are in the order of the axes (parents, child), the last fastest; with ``child_first``
    in that of (child, parents).
    """

    child: str
    parents: tuple[str, ...]
    line: int
    cells: Sequence[str] | None = None
    child_first: bool = False
    rows: tuple[PotentialRow, ...] = ()
    default: Sequence[str] | None = None


def in_agrum_s_order(potentials: Sequence[Potential], source: str) -> list[Potential]:
    """Return tables whose first parent is the fastest, as aGrUM takes those of XDSL and UAI.

    A warning tells it where it matters: for others, its own programs included, the last one is.
    """
    if any(len(table.parents) > 1 for table in potentials):
        warn(
            f"{source} is aGrUM's, by its comments: of a table's parents the first one is the "
            "fastest there, against the format, and it is read so",
            BnlrWarning,
        )
    return [replace(table, parents=table.parents[::-1]) for table in potentials]


def flat_cells(table: Potential, labels: Labels, source: str) -> list[str]:
    """Return a table's cells as written, row by row: axes (parents, child), the last fastest.

    Parameters
    ----------
    table
    labels
        {node: {state as written: its code}}, for the child and its parents at least.
    source
        What errors call the file.

    Raises
    ------
    ModelFileError
        With line: too many or too few numbers or rows, or a row of unknown states.
    """
    return _Assembly(table, labels, source).cells()


class _Assembly:
    """One table on its way to a CPT."""

    def __init__(self, table: Potential, labels: Labels, source: str) -> None:
        self._table, self._labels, self._source = table, labels, source
        self._cards = [len(labels[name]) for name in (*table.parents, table.child)]

    def cells(self) -> list[str]:
        table, cards = self._table, self._cards
        if table.cells is None:
            return self._cells_by_row()
        if len(table.cells) != prod(cards):
            self._fail(
                table.line,
                f"P({self._shown()}) has {len(table.cells):,} numbers, its "
                f"states need {prod(cards):,}; is the file complete?{_commas(table.cells)}",
            )
        cells = list(table.cells)
        if table.child_first:
            n_rows = prod(cards[:-1])
            cells = [cells[k] for row in range(n_rows) for k in range(row, len(cells), n_rows)]
        return cells

    def _cells_by_row(self) -> list[str]:
        table, cards = self._table, self._cards
        if prod(cards) > MAX_CELLS and prod(cards) > len(table.rows) * cards[-1]:
            self._fail(
                table.line,
                f"P({self._shown()}) would have {prod(cards):,} cells, more than the "
                f"{MAX_CELLS:,} that a default fills; write all rows, or remove parents",
            )
        found = self._rows_by_place()
        cells: list[str] = []
        for place in range(prod(cards[:-1])):
            row = found.get(place, table.default)
            if row is None:
                self._fail(
                    table.line,
                    f"P({self._shown()}) lacks the row {self._configuration(place)}; "
                    "add it, or a default",
                )
            cells += row
        return cells

    def _rows_by_place(self) -> dict[int, Sequence[str]]:
        table, cards = self._table, self._cards
        found: dict[int, Sequence[str]] = {}
        defaults = [] if table.default is None else [PotentialRow((), table.default, table.line)]
        for row in (*table.rows, *defaults):
            if len(row.cells) != cards[-1]:
                self._fail(
                    row.line,
                    f"a row of P({self._shown()}) has {len(row.cells)} numbers, "
                    f"{quoted(table.child)} has {cards[-1]} states; give one each"
                    f"{_commas(row.cells)}",
                )
        for row in table.rows:
            place = self._place(row)
            if place in found:
                shown = ", ".join(row.states)
                self._fail(
                    row.line,
                    f"the row ({shown:.60}) of {quoted(table.child)} stands there twice; keep one",
                )
            found[place] = row.cells
        return found

    def _place(self, row: PotentialRow) -> int:
        table, cards = self._table, self._cards
        if len(row.states) != len(table.parents):
            self._fail(
                row.line,
                f"a row of P({self._shown()}) names {len(row.states)} states, there are "
                f"{len(table.parents)} parents; name one state each",
            )
        place = 0
        for parent, label, card in zip(table.parents, row.states, cards, strict=False):
            code = self._labels[parent].get(label)
            if code is None:
                known = listed(self._labels[parent])
                self._fail(
                    row.line, f"{quoted(label)} is no state of {quoted(parent)}, which has {known}"
                )
            place = place * card + code
        return place

    def _configuration(self, place: int) -> str:
        labels = []
        for parent in reversed(self._table.parents):
            known = list(self._labels[parent])
            place, code = divmod(place, len(known))
            labels.append(known[code])
        return f"({', '.join(reversed(labels)):.80})"

    def _shown(self) -> str:
        table = self._table
        parents = [f"{name:.40}" for name in table.parents]
        return f"{table.child:.40}{' | ' if parents else ''}{joined(parents, 4)}"

    def _fail(self, line: int, message: str) -> NoReturn:
        raise ModelFileError(f"{self._source}:{line}: {message}")


def _commas(cells: Sequence[str]) -> str:
    """Return a hint where decimals may have been cut at their commas, 0,3 into 0 and 3."""
    are_cut = len(cells) > 1 and "0" in cells and all(cell.isdecimal() for cell in cells)
    return " Decimals are written with points, not commas" if are_cut else ""


def checked_number(cell: str, where: str) -> str:
    """Return a number as written.

    Raises
    ------
    ModelFileError
        It is none, or one of more than 400 characters.
    """
    if not is_decimal(cell):
        hint = ", with a point" if "," in cell else ""
        raise ModelFileError(f"{where}: {quoted(cell)} is not a number; write a decimal one{hint}")
    return cell

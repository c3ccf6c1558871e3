"""What stands in a table without being a row of it, or a name: told where it is all but certain.

Nothing is left out or changed: a total or a second line of names may be a row after all.
"""

from collections.abc import Sequence

from bnlr.data.numerals import number
from bnlr.errors import BnlrWarning
from bnlr.io.files import PathLike
from bnlr.io.tables.options import MISSING, ReadOptions
from bnlr.io.tables.table import Cells
from bnlr.warn import warn
from bnlr.words import listed, quoted

_TOTALS = frozenset(
    (
        *("total", "totals", "totale", "sum", "summe", "gesamt", "insgesamt", "somme", "suma"),
        *("average", "mean", "mittelwert", "moyenne", "subtotal"),
    )
)
_LEAST_ROWS, _LOOKED_AT = 3, 10_000
_OTHER_DELIMITERS = ":~^!¦§\x01\x1e\x1f"


def warn_of_doubts(
    names: Sequence[str], cells: Sequence[Cells], source: PathLike, options: ReadOptions
) -> None:
    """Warn of a header that looks like a row, and of rows that look like something else.

    Warns
    -----
    BnlrWarning
        With the rows and what to do.
    """
    of_headers = (_header_is_row, _header_again, _second_header, _quotes, _one_column)
    for find in (*(of_headers if options.header else ()), _totals):
        said = find(names, cells, options)
        if said:
            warn(f"{source}: {said}", BnlrWarning)


def _header_is_row(
    names: Sequence[str], cells: Sequence[Cells], options: ReadOptions
) -> str | None:
    """Numbers with decimals above numbers, or labels that stand in their own columns too."""
    found = _of_a_row(names, cells)
    if not found:
        return None
    what = "" if number(found) is not None else ", as its column does below"
    return (
        f"the first line, which is taken for the header, holds {quoted(found)}{what}; if it is a "
        f"row: {options.named('header', 'False')}"
    )


def _of_a_row(names: Sequence[str], cells: Sequence[Cells]) -> str:
    """Return a name that shows that they are a row, empty if none does.

    A label that only stands below where the whole header does shows nothing.
    """
    numbers = [
        name
        for name, column in zip(names, cells, strict=True)
        if number(name) is not None and number(column[0].strip()) is not None
    ]
    n_again = len(_rows_again(names, cells))
    labels = [
        name
        for name, column in zip(names, cells, strict=True)
        if number(name) is None and column[:_LOOKED_AT].count(name) > n_again
    ]
    decimals = [name for name in numbers if "." in name]
    if decimals or (labels and len(labels) + len(numbers) > 1):
        return (decimals or labels)[0]
    return ""


def _rows_again(names: Sequence[str], cells: Sequence[Cells]) -> list[int]:
    """Return which of the first rows are the header again, from 1."""
    if len(names) == 1:
        return []
    rows = [k for k, cell in enumerate(cells[0][:_LOOKED_AT]) if cell.strip() == names[0]]
    return [k + 1 for k in rows if [column[k].strip() for column in cells] == [*names]]


def _header_again(names: Sequence[str], cells: Sequence[Cells], _: ReadOptions) -> str | None:
    rows = _rows_again(names, cells)
    is_row = any(number(name) is not None for name in names) or _of_a_row(names, cells)
    if not rows or is_row:  # two equal rows below no header are no second header
        return None
    shown = ", ".join(f"{row:,}" for row in rows[:8]) + (" …" if len(rows) > 8 else "")
    which = f"data row {shown} is" if len(rows) == 1 else f"data rows {shown} are"
    return f"{which} the header again, as where files are joined; remove what is no row"


def _second_header(
    names: Sequence[str], cells: Sequence[Cells], options: ReadOptions
) -> str | None:
    """Units or explanations below the names: no number, and numbers only in the rows below."""
    first = [column[0].strip() for column in cells]
    if len(cells[0]) <= _LEAST_ROWS or any(number(cell) is not None for cell in first):
        return None
    below = [
        name
        for name, cell, column in zip(names, first, cells, strict=True)
        if cell not in options.missing_texts and _are_numbers(column, 1, len(column))
    ]
    if len(below) < 2:  # one odd cell is told of where columns are judged
        return None
    return (
        f"the first row below the header, {listed(filter(None, first))}, is text above numbers in "
        f"{listed(below)}; if it goes on with the header, remove it"
    )


def _are_numbers(column: Cells, begin: int, end: int) -> bool:
    """Whether cells are numbers or missing, and the first of them is a number."""
    if number(column[begin].strip()) is None:
        return False
    texts = set(map(str.strip, column[begin:end])).difference(MISSING)
    return all(number(text) is not None for text in texts)


def _quotes(names: Sequence[str], _: Sequence[Cells], options: ReadOptions) -> str | None:
    if options.delimiter is not None or not all(map(_is_quoted, names)):
        return None
    return (
        "the names stand in single quotes, which are kept, as those of cells are; double quotes "
        "alone hold a cell together and are dropped"
    )


def _is_quoted(name: str) -> bool:
    return len(name) > 2 and name[0] == name[-1] == "'"


def _one_column(names: Sequence[str], cells: Sequence[Cells], options: ReadOptions) -> str | None:
    """A character that stands in the only name and in every cell as often separates cells."""
    if len(names) > 1 or options.delimiter is not None:
        return None
    for mark in _OTHER_DELIMITERS:
        times = names[0].count(mark)
        if times and all(cell.count(mark) == times for cell in cells[0][:_LOOKED_AT]):
            return (
                f"one column, in whose name and cells {quoted(mark)} stands equally often; if it "
                f"separates columns: {options.named('delimiter', mark)}"
            )
    return None


def _totals(names: Sequence[str], cells: Sequence[Cells], options: ReadOptions) -> str | None:
    """A last row that begins with a total's name, or holds a note alone."""
    n_rows = len(cells[0])
    last = [column[-1].strip() for column in cells]
    filled = [cell for cell in last if cell not in options.missing_texts]
    if n_rows < _LEAST_ROWS or not filled:
        return None
    words = filled[0].lower().split()
    place = last.index(filled[0])
    is_total = bool(words) and {words[0].strip(":."), words[-1].strip(":.")} & _TOTALS
    if is_total and filled[0] not in map(str.strip, cells[place][:-1]):
        return (
            f"the last row begins with {quoted(filled[0])}; if it sums up the others, remove it, "
            "or its numbers count as one more row"
        )
    before = [column[-2].strip() for column in cells]
    n_before = sum(cell not in options.missing_texts for cell in before)
    if len(names) > 2 and len(filled) == 1 and filled[0] == last[0] and n_before > 1:
        return (
            f"the last row holds {quoted(filled[0])} alone; if it is a note, remove it, or it "
            "counts as one more row"
        )
    return None

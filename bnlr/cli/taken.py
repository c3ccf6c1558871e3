"""What ``bnlr fit`` says of the rows and columns that it takes from a file."""

import shlex
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from bnlr.errors import BnlrWarning
from bnlr.structure.names import counted, listing, quoted
from bnlr.warn import warn

if TYPE_CHECKING:
    import pandas as pd

    from bnlr.classifier import BNClassifier
    from bnlr.io.table import Table

_SHOWN = 20
_LABELS = 5
_FEWEST_ROWS = 20


class Column(NamedTuple):
    """A column: what its cells are, what became of it, and how many are missing."""

    name: str
    cells: str
    use: str
    n_missing: int


def rows_in_words(table: "Table", kept: "Table", class_name: str) -> str:
    """Return how many rows there are, which count, what is missing, and the classes."""
    layout = f" ({table.layout})" if table.layout else ""
    sizes = f"{counted(table.n_rows, 'row')}, {counted(len(table.columns), 'column')}"
    lines = [f"data         {table.source}: {sizes}{layout}", _missing(table, kept)]
    if left_out := table.n_rows - kept.n_rows:
        lines.append(f"left out     {counted(left_out, 'row')} with a missing cell or class")
    counts = Counter(map(str.strip, kept.column(class_name))).most_common()
    classes = listing([f"{label} {n:,}" for label, n in counts])
    return "\n".join([*lines, f"classes      {classes}"])


def _missing(table: "Table", kept: "Table") -> str:
    missing = table.missing()
    if not missing:
        texts = listing([repr(text) for text in table.missing_texts], 99)
        also = f" ({texts} would count)" if texts else ""
        return f"missing      no cell{also}"
    ways = listing([f"{way!r} {n:,}" for way, n in missing.items()])
    # What becomes of those kept depends on the learner; the summary tells.
    done = "" if kept.missing() else "; their rows are left out"
    return f"missing      {counted(sum(missing.values()), 'cell')}, written {ways}{done}"


def warn_of_text(table: "Table", frame: "pd.DataFrame", class_name: str) -> None:
    """Warn of columns of text that hardly are meant as labels.

    Such are numbers but for a few cells, and texts that are different in every row.

    Warns
    -----
    BnlrWarning
        With the columns' names and the remedy.
    """
    from bnlr.io.cells import beside_numbers  # noqa: PLC0415  loads NumPy

    names = []
    for name in frame.columns:
        if name == class_name or frame[name].dtype != object:
            continue
        known = frame[name].dropna()
        if len(known) < _FEWEST_ROWS:
            continue
        if strange := beside_numbers(table, name):
            _warn_of_strange(table, name, strange)
        elif known.is_unique:
            names.append(name)
    if names:
        shown = listing([quoted(name) for name in names])
        what = "is text that differs" if len(names) == 1 else "are texts that differ"
        warn(
            f"{table.source}: {shown} {what} in every row, as names and numbers of rows do, and "
            f"tells nothing about new rows; --ignore {shlex.quote(names[0])} leaves it out",
            BnlrWarning,
        )


def _warn_of_strange(table: "Table", name: str, strange: "dict[str, int]") -> None:
    """Warn that a few cells make a column of numbers one of labels."""
    cells = listing([f"{quoted(text)} (data row {row:,})" for text, row in strange.items()], 4)
    first = shlex.quote(next(iter(strange)))
    warn(
        f"{table.source}: {quoted(name)} holds numbers but for {cells}, so that all its cells are "
        f"taken for labels; mend these, or make them missing: --na {first}",
        BnlrWarning,
    )


def columns_in_words(
    columns: list[Column], verbose: bool
) -> tuple[list[tuple[str, ...]], str | None]:
    """Return the lines of a table of all columns, or one line about them if they are many."""
    if len(columns) <= _SHOWN or verbose:
        has_holes = any(column.n_missing for column in columns)
        return [
            (
                *(_name(column.name), column.cells, column.use),
                *((f"{column.n_missing:,}" if column.n_missing else "-",) if has_holes else ()),
            )
            for column in columns
        ], None
    kinds = Counter(f"{column.cells.partition(',')[0].partition(' ')[0]}" for column in columns)
    counts = [f"{n:,} of {kind}" for kind, n in kinds.most_common()]
    unused = sum(column.use.startswith("left out") for column in columns)
    more = f"; {unused:,} left out" if unused else ""
    return [], f"columns      {', '.join(counts)}{more} (--verbose lists them)"


def describe_columns(
    table: "Table", frame: "pd.DataFrame", classifier: "BNClassifier", class_name: str
) -> list[Column]:
    """Return each attribute's column as it was read and used."""
    cuts = classifier._cut_points()
    states = classifier.network_.states
    columns = []
    for name in frame.columns:
        if name == class_name:
            continue
        n_missing = table.n_missing(name)
        if name in cuts:
            use = _cut(len(cuts[name]))
        elif name in states:
            use = counted(len(states[name]), "label")
        else:
            use = "left out: empty" if n_missing == table.n_rows else "left out: not in the network"
        columns.append(Column(name, _cells(frame[name]), use, n_missing))
    return columns


def _name(name: str) -> str:
    """Return a column's name as a line of text can show it."""
    return name if name.isprintable() else quoted(name)


def _cut(n_cuts: int) -> str:
    if n_cuts == 0:
        return "not cut: it tells the classes apart nowhere"
    return f"cut into {n_cuts + 1} intervals"


def _cells(column: "pd.Series") -> str:
    """Return what the cells are, with their range or the first of their labels."""
    known = column.dropna()
    if known.empty:
        return "empty"
    if column.dtype.kind in "if":
        return f"numbers, {known.min():g} to {known.max():g}"
    what = "text" if column.dtype == object else "categories"
    labels = sorted(map(str, known.unique()))
    return f"{what}, {listing([quoted(label) for label in labels], _LABELS)}"

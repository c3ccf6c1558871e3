"""What ``bnlr fit`` says of the rows and columns that it takes from a file."""

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from bnlr.data.numerals import number
from bnlr.words import counted, joined, listed, quoted

if TYPE_CHECKING:
    import pandas as pd

    from bnlr._typing import IntArray
    from bnlr.classifier.estimator import BNClassifier
    from bnlr.data.suspects.messages import Phrasing
    from bnlr.io.tables.table import Table

_SHOWN = 20
_LABELS = 5


class ColumnSummary(NamedTuple):
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
    classes = joined([f"{_name(label)} {n:,}" for label, n in counts])
    return "\n".join([*lines, f"classes      {classes}"])


def _missing(table: "Table", kept: "Table") -> str:
    missing = table.missing()
    if not missing:
        texts = listed(table.missing_texts, 99)
        also = f" ({texts} would count)" if texts else ""
        return f"missing      no cell{also}"
    ways = joined([f"{way!r} {n:,}" for way, n in missing.items()])
    # What becomes of those kept depends on the learner; the summary tells.
    done = "" if kept.missing() else "; their rows are left out"
    return f"missing      {counted(sum(missing.values()), 'cell')}, written {ways}{done}"


def voice_of(table: "Table", rows: "IntArray") -> "Phrasing":
    """Return how to speak of a file's columns, of which these rows, counted from 0, were taken."""
    from bnlr.data.suspects.messages import Phrasing  # noqa: PLC0415  loads NumPy
    from bnlr.io.tables.typed import missing_option, option  # noqa: PLC0415

    marks = " or ".join(table.options.named("decimal", mark) for mark in ".,")
    return Phrasing(
        source=lambda _: f"{table.source}: ",
        row=lambda place: f"data row {rows[place] + 1:,}",
        hole=lambda texts, _: " ".join(map(missing_option, texts)),
        numbers=lambda _: f"write them as plain numbers, or say {marks}",
        dates=lambda names: (
            f"which {' '.join(option('--dates', name) for name in names)} reads as numbers"
        ),
        drop=lambda names: " ".join(option("--ignore", name) for name in names),
        decimal_commas=table.decimal == ",",
        meant=[name for name, kind in table.kinds.items() if kind.labels],
    )


def columns_in_words(
    columns: list[ColumnSummary], verbose: bool
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
) -> list[ColumnSummary]:
    """Return each attribute's column as it was read and used."""
    cuts = classifier._fitted.cut_points
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
        columns.append(ColumnSummary(name, _cells(frame[name], table), use, n_missing))
    return columns


def _marked(table: "Table", column: "pd.Series") -> str:
    """Return a number of a column as it is written where that is not plainly."""
    name = str(column.name)
    cells = () if table.kinds else set(map(str.strip, table.columns[name]))
    commas = table.decimal == ","
    known = [cell for cell in cells if not table.is_missing(cell) and number(cell, commas) is None]
    return f" such as {quoted(min(known))}" if known else ""


def _name(name: str) -> str:
    """Return a column's name as a line of text can show it."""
    return name if name.isprintable() else quoted(name)


def _cut(n_cuts: int) -> str:
    if n_cuts == 0:
        return "not cut: it tells the classes apart nowhere"
    return f"cut into {n_cuts + 1} intervals"


def _cells(column: "pd.Series", table: "Table") -> str:
    """Return what the cells are, with their range or the first of their labels."""
    known = column.dropna()
    if known.empty:
        return "empty"
    if column.dtype.kind in "if":
        return f"numbers{_marked(table, column)}, {known.min():g} to {known.max():g}"
    what = "text" if column.dtype == object else "categories"
    labels = sorted(map(str, known.unique()))
    return f"{what}, {listed(labels, _LABELS)}"

"""What the cells of a data file mean: numbers, or labels of states that are known already."""

import re
from collections.abc import Callable, Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlr._typing import State
from bnlr.arguments import check_kind
from bnlr.data.labels import MAX_FLOAT_STATES
from bnlr.data.numerals import column_numbers, looks_marked, number
from bnlr.errors import BnlrWarning, DataError
from bnlr.io.files import PathLike
from bnlr.io.tables.options import checked
from bnlr.io.tables.read import read_table
from bnlr.io.tables.table import LABELS, NUMBERS, Kind, MissingCell, Table
from bnlr.progress import shown
from bnlr.warn import warn
from bnlr.words import quoted

if TYPE_CHECKING:
    import pandas as pd

_Numbers = dict[str | None, int | float]
"""What the cells of a column are, None the missing ones."""

_Column = Any  # of a frame: an array of NumPy, or a Series or Categorical of pandas

_EXACT = 2.0**53
_ANY_WHOLE = re.compile(r"0|-?[1-9]\d{0,999}", re.ASCII)
_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)


def typed_frame(table: Table, keep_text: str) -> "tuple[pd.DataFrame, tuple[str, ...]]":
    """Return a frame whose columns are numbers where every cell is one, and the numeric columns.

    Parameters
    ----------
    table
    keep_text
        The class: it becomes whole numbers at most, so that its labels stay as they are written.

    Raises
    ------
    DataError
        The class is continuous.
    """
    import pandas as pd  # noqa: PLC0415  heavy

    index = pd.RangeIndex(table.n_rows)
    columns: dict[str, _Column] = {}
    dtypes: dict[tuple[str, ...], pd.CategoricalDtype] = {}
    numeric = []
    for name in shown(table.columns, "columns"):
        kind = table.kinds.get(name)
        cells = _known_cells(table, name)
        distinct = set(cells)
        if kind is not None:
            meant = _declared_numbers(kind, distinct)
        elif name == keep_text:
            meant = _class_numbers(table, name, distinct)
        else:
            meant = _numbers(distinct, table)
        if meant is not None:
            columns[name] = _series(meant, cells, index)
        elif kind is not None and kind.labels and name != keep_text:
            if kind.labels not in dtypes:
                dtypes[kind.labels] = pd.CategoricalDtype(list(kind.labels))
            columns[name] = _categories(dtypes[kind.labels], kind.labels, cells, distinct)
        else:
            columns[name] = np.fromiter(cells, object, len(cells))
        if meant is not None and name != keep_text:
            numeric.append(name)
    return _framed(columns, index), tuple(numeric)


def _framed(columns: dict[str, _Column], index: "pd.RangeIndex") -> "pd.DataFrame":
    """Return columns, which are used up, as a frame.

    Those of one dtype become one array, for which pandas takes as long as for one of them.
    """
    import pandas as pd  # noqa: PLC0415  heavy

    order = [*columns]
    alike: dict[np.dtype[Any], list[str]] = {}
    for name, column in columns.items():
        if isinstance(column, np.ndarray):
            alike.setdefault(column.dtype, []).append(name)
    blocks = []
    for dtype, names in alike.items():
        block = np.empty((len(names), len(index)), dtype)
        for row, name in zip(block, names, strict=True):
            row[:] = columns.pop(name)
        blocks.append(pd.DataFrame(block.T, index, names, dtype))
    if columns:
        blocks.append(pd.DataFrame(columns, index))
    frame = pd.concat(blocks, axis=1) if len(blocks) > 1 else blocks[0]
    return frame if [*frame.columns] == order else frame[order]


def _series(meant: _Numbers, cells: Sequence[str | None], index: "pd.RangeIndex") -> "_Column":
    """Return numbers as a column; whole ones that floats round, as holes make them, stay whole."""
    import pandas as pd  # noqa: PLC0415  heavy

    is_rounded = any(isinstance(value, float) and abs(value) >= _EXACT for value in meant.values())
    if not is_rounded or not all(cell is None or _ANY_WHOLE.fullmatch(cell) for cell in meant):
        are_whole = all(isinstance(value, int) for value in meant.values())
        dtype = np.int64 if are_whole else np.float64
        return _mapped(meant, cells, dtype)
    whole = [None if cell is None else int(cell) for cell in cells]
    for nullable in ("Int64", "UInt64"):
        try:
            return pd.Series(whole, index, dtype=nullable)
        except (OverflowError, TypeError):
            continue
    return pd.Series(whole, index, dtype=object)


def _categories(
    dtype: "pd.CategoricalDtype",
    labels: Sequence[str],
    cells: Sequence[str | None],
    distinct: set[str | None],
) -> "pd.Categorical":
    """Return cells as declared labels, by their codes: pandas would look at each cell anew."""
    import pandas as pd  # noqa: PLC0415  heavy

    places = {label: k for k, label in enumerate(labels)}
    codes = {cell: -1 if cell is None else places.get(cell, -1) for cell in distinct}
    mapped = _mapped(codes, cells, np.min_scalar_type(-len(labels)))
    return pd.Categorical.from_codes(mapped, dtype=dtype)


def _mapped(
    meant: Mapping[str | None, int | float], cells: Sequence[str | None], dtype: Any
) -> "np.ndarray[Any, Any]":
    """Return what each cell means; columns of one cell, as sparse rows leave them, at once."""
    if len(meant) == 1:
        return np.full(len(cells), next(iter(meant.values())), dtype)
    return np.fromiter(map(meant.__getitem__, cells), dtype, len(cells))


def _known_cells(table: Table, name: str) -> list[str | None]:
    """Return a column's cells, None where one is missing; declared labels keep their blanks."""
    cells = table.columns[name]
    distinct = set(cells)
    if name in table.kinds:
        # A hole may be written as a label is, and is then the same in a set.
        if not any(table.may_be_missing(cell) for cell in distinct):
            return [*cells]
        return [None if table.is_missing(cell) else cell for cell in cells]
    known = {cell: None if table.is_missing(cell) else cell.strip() for cell in distinct}
    is_plain = all(cell is text for cell, text in known.items())
    return [*cells] if is_plain else [known[cell] for cell in cells]


def _declared_numbers(kind: Kind, distinct: set[str | None]) -> _Numbers | None:
    """Return what cells are, whole ones as such if none is missing; None if they are labels."""
    if kind.name == LABELS:
        return None
    return _tidied({cell: nan if cell is None else float(cell) for cell in distinct})


def _tidied(meant: _Numbers) -> _Numbers:
    """Return numbers as whole ones if all are."""
    are_whole = all(float(v).is_integer() and abs(v) < _EXACT for v in meant.values())
    return {cell: int(value) for cell, value in meant.items()} if are_whole else meant


def frame_like(table: Table, states: Mapping[str, tuple[State, ...]]) -> "pd.DataFrame":
    """Return a frame whose cells are the labels in ``states``; other columns are left out.

    A cell that is no label stays text, for the encoder to refuse or to take as missing.
    """
    import pandas as pd  # noqa: PLC0415  heavy

    columns = {}
    for name, labels in states.items():
        if name in table.columns:
            cells = table.columns[name]
            read = _reader(labels, table, cells)
            if name not in table.kinds:
                meant = {cell: read(cell) for cell in set(cells)}
                read = meant.__getitem__
            columns[name] = pd.Series([read(cell) for cell in cells], dtype=object)
    return pd.DataFrame(columns, index=range(table.n_rows))


def numeric_column(table: Table, name: str) -> list[float]:
    """Return a column as numbers, NaN where a cell is missing.

    Raises
    ------
    DataError
        A cell is no number, with its line.
    """
    table.column(name)
    kind = table.kinds.get(name)
    cells = _known_cells(table, name)
    meant: dict[str | None, float] = dict.fromkeys(
        [None, *table.options.missing_texts], float("nan")
    )
    texts = {cell for cell in cells if cell is not None and cell not in meant}
    if kind is not None and kind.name == NUMBERS:
        meant.update((text, float(text)) for text in texts)
    else:
        meant.update(_numbers_among({text.strip() for text in texts}, table))
        meant.update((text, meant[bare]) for text in texts if (bare := text.strip()) in meant)
    row = next((k for k, cell in enumerate(cells) if cell not in meant), None)
    if row is None:
        return [meant[cell] for cell in cells]
    cell = table.columns[name][row]
    raise DataError(
        f"{table.source}: column {quoted(name)} holds {quoted(cell)} in data row {row + 1}, where "
        f"the model expects a number; {_remedy(cell.strip(), table)}"
    )


def _remedy(cell: str, table: Table) -> str:
    options = table.options
    if looks_marked(cell) and options.decimal is None:
        marks = " or ".join(options.named("decimal", mark) for mark in ".,")
        return f"say which mark decimals have, {marks}, or write plain numbers"
    return f"mend it, or count it as missing: {options.named('missing', cell)}"


def _numbers_among(texts: set[str], table: Table) -> dict[str, float]:
    """Return the numbers that some of a column's texts are, marks read alike in all of them."""
    commas = table.decimal == ","
    plain = {t: v for t in texts if (v := number(t, commas)) is not None}
    if len(plain) == len(texts) and table.options.decimal is None:
        return plain
    marked = [text for text in texts if text in plain or looks_marked(text)]
    return column_numbers(marked, table.options.decimal, table.decimal) or plain


def _numbers(distinct: set[str | None], table: Table) -> _Numbers | None:
    """Return what cells are as numbers, None unless all that are not missing are numbers."""
    whole = _whole(distinct)
    if whole is not None:
        return whole
    texts = [cell for cell in distinct if cell is not None]
    values = column_numbers(texts, table.options.decimal, table.decimal) if texts else None
    if values is None:
        return None
    meant: _Numbers = dict.fromkeys([None] if None in distinct else [], nan)
    meant.update(values)
    return _tidied(meant) if any(number(text) is None for text in texts) else meant


def _class_numbers(table: Table, name: str, distinct: set[str | None]) -> _Numbers | None:
    """Return a class's cells as whole numbers or None, but refuse a measurement."""
    whole, n_values = _whole(distinct), len(distinct)
    if n_values > MAX_FLOAT_STATES and whole is None and _numbers(distinct, table) is not None:
        raise DataError(
            f"{table.source}: the class {quoted(name)} is continuous, {n_values:,} different "
            "numbers; name a column of classes, or make a few classes of it first"
        )
    return whole


def _whole(distinct: set[str | None]) -> _Numbers | None:
    """Return cells as whole numbers, None unless each is written as one and none is missing."""
    meant: _Numbers = {}
    for cell in distinct:
        if cell is None or not _WHOLE.fullmatch(cell):
            return None
        meant[cell] = int(cell)
    return meant


def _reader(
    labels: tuple[State, ...], table: Table, cells: Sequence[str]
) -> Callable[[str], State | None]:
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
    texts = (
        {cell.strip() for cell in set(cells)}.difference(table.missing_texts) if by_value else set()
    )
    values = _numbers_among(texts, table)

    def read(written: str) -> State | None:
        if isinstance(written, MissingCell):
            return None
        cell = written if written in by_text else written.strip()
        if cell in table.options.missing:
            return None
        if cell in by_text or cell in table.options.missing_texts:
            return by_text.get(cell)
        value = values.get(cell)
        return cell if value is None else by_value.get(value, cell)

    return read


def read_frame(
    path: PathLike,
    class_name: str | None = None,
    *,
    missing: Sequence[str] = (),
    encoding: str | None = None,
    header: bool = True,
    keep_na: bool = False,
    delimiter: str | None = None,
    decimal: str | None = None,
    comment: str | None = None,
    dates: Sequence[str] = (),
) -> "pd.DataFrame":
    """Read a data file into a frame.

    Delimited text, ARFF, KEEL's ``.dat``, Parquet, Feather, and what pandas reads: Excel,
    OpenDocument, Stata, SPSS and SAS.

    Parameters
    ----------
    path
        Text may be packed: gz, bz2, xz or a zip of one file.
    class_name
        The column whose labels stay as they are written, whole numbers apart.
    missing
        Texts that stand for missing cells, beside the empty cell, ``?``, ``NA`` and ``NaN``.
    encoding
        That of text; None: UTF-8, or what a byte order mark says.
    header
        Whether the first line of delimited text names the columns; else they are column1, column2
        and so on.
    keep_na
        Whether ``NA`` is a label, as of Namibia, and no missing cell.
    delimiter
        What separates cells: a character, or "blank" for runs of blanks; None: what cuts the first
        lines into most cells.
    decimal
        The mark of decimals, "." or ","; None: ``,`` where semicolons separate, else what all cells
        of a column agree with.
    comment
        The character that begins a comment, lines of which are left out. None: ``#``, above the
        header and where a line is cut otherwise than the rows.
    dates
        Columns of dates, such as 2021-07-02, 2021/7/2 12:00 or 2.7.2021, that are to be numbers:
        the year and the share of it that is over, 2021.4986.

    Returns
    -------
    Columns of numbers, of categories where the file lists the labels, and of text; missing cells
    are None or NaN. Numbers may have a unit, the same in all cells of a column, digits in groups,
    and decimal commas: ``$1,004.04``, ``45 %``. Weights that an ARFF file gives its rows are in
    ``frame.attrs["weights"]``.

    Raises
    ------
    DataError
        With file, line and remedy, or there is no such column.
    TableExtraError
        The package that reads such files is not installed.
    """
    if class_name is not None:
        check_kind("class_name", class_name, str, "the name of a column, or None")
    options = checked(
        missing=missing,
        encoding=encoding,
        header=header,
        keep_na=keep_na,
        delimiter=delimiter,
        decimal=decimal,
        comment=comment,
        dates=dates,
    )
    table = read_table(path, options)
    if class_name is not None:
        table.column(class_name)
    frame = typed_frame(table, keep_text=class_name or "")[0]
    if table.weights:
        frame.attrs["weights"] = list(table.weights)
        warn(
            f"{table.source}: the rows have weights, which are no column of the frame; give "
            "frame.attrs['weights'] to fit as sample_weight",
            BnlrWarning,
        )
    return frame

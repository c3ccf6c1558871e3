"""Columns of dates become numbers, where the user says so: years, with the share that is over."""

from dataclasses import replace

from bnlr.data.dates import are_dates, decimal_year
from bnlr.errors import DataError
from bnlr.io.tables.table import NUMBERS, Kind, Table
from bnlr.words import quoted


def with_dates(table: Table) -> Table:
    """Return the table with the columns that its options call dates as numbers.

    Where the file has numbers there already, as ARFF and sheets have, they stay.

    Raises
    ------
    DataError
        There is no such column, or one holds what is no date, with its row.
    """
    numbers = {name for name, kind in table.kinds.items() if kind.name == NUMBERS}
    names = [name for name in table.options.dates if name not in numbers]
    if not names:
        return table
    columns = {**table.columns, **{name: _years(table, name) for name in names}}
    kinds = {**table.kinds, **(dict.fromkeys(names, Kind(NUMBERS)) if table.kinds else {})}
    return replace(table, columns=columns, kinds=kinds)


def _years(table: Table, name: str) -> list[str]:
    """Return dates as numbers are written in the file; missing cells stay what they are."""
    mark = "." if table.kinds else table.options.decimal or table.decimal or "."
    cells = table.column(name)
    years: dict[str, str] = {}
    for row, cell in enumerate(cells):
        if cell in years or table.is_missing(cell):
            continue
        year = decimal_year(cell)
        if year is None:
            raise DataError(_no_date(table, name, cell, row))
        years[cell] = repr(year).replace(".", mark)
    return [cell if table.is_missing(cell) else years[cell] for cell in cells]


def _no_date(table: Table, name: str, cell: str, row: int) -> str:
    where = f"{table.source}: column {quoted(name)} holds {quoted(cell)} in data row {row + 1:,}"
    if are_dates([cell]):
        return f"{where}, whose day and month may be either; write the year first, as in 2021-07-02"
    return (
        f"{where}, which is no date such as 2021-07-02; mend it, or count it as missing: "
        f"{table.options.named('missing', cell.strip())}"
    )

"""How large a table may be before it is refused, so that a small file cannot take all memory.

What a file holds in so many bytes is never refused for the number of its rows. The environment may
raise each limit, under the name that the error tells.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from bnlr.errors import DataError
from bnlr.io.limits import Limit, limit_of
from bnlr.words import counted


def line_limit() -> Limit:
    """Return the longest line of text that is read, in characters."""
    return limit_of("BNLR_MAX_LINE", 2**25)


def column_limit() -> Limit:
    """Return the largest number of columns, or of labels that a file lists for one of them."""
    return limit_of("BNLR_MAX_COLUMNS", 2**16)


def cell_limit() -> Limit:
    """Return the most cells that are read where a file has fewer bytes."""
    return limit_of("BNLR_MAX_CELLS", 3 * 2**21)


_MOST_SHORT_COLUMNS, _LONG_COLUMN = 2**14, 128  # bytes


def check_columns(n: int, source: str, what: str = "column") -> None:
    """Refuse too many columns, or labels of one.

    Raises
    ------
    DataError
        With the number and the remedy.
    """
    known = column_limit()
    if n > known.most:
        raise DataError(
            f"{source}: {counted(n, what)}, more than {known.most:,}; keep those that matter, or "
            f"{known.remedy}"
        )


def check_declared(n: int, source: str, n_bytes: int) -> None:
    """Refuse many declared columns of few rows: each takes its time, however short it is.

    Raises
    ------
    DataError
        With the numbers and the remedy.
    """
    known = limit_of("BNLR_MAX_COLUMNS", max(_MOST_SHORT_COLUMNS, n_bytes // _LONG_COLUMN))
    if n > known.most:
        raise DataError(
            f"{source}: {counted(n, 'column')} in {n_bytes:,} bytes; more than "
            f"{_MOST_SHORT_COLUMNS:,} are read only where each has {_LONG_COLUMN} bytes: keep "
            f"those that matter, or {known.remedy}"
        )


def check_cells(n_rows: int, n_columns: int, source: str, n_bytes: int) -> None:
    """Refuse a table whose cells are far more than its file has bytes, as few of them are written.

    Raises
    ------
    DataError
        With the numbers and the remedy.
    """
    known = cell_limit()
    if n_rows * n_columns > max(known.most, n_bytes):
        raise DataError(
            f"{source}: {counted(n_rows, 'row')} of {counted(n_columns, 'column')} in "
            f"{n_bytes:,} bytes; more than {known.most:,} cells are read only where there are as "
            f"many bytes: keep fewer columns, or {known.remedy}"
        )


@contextmanager
def memory_told(source: object) -> Iterator[None]:
    """Raise DataError where memory ends while a table is read."""
    try:
        yield
    except MemoryError as error:
        raise DataError(f"{source}: does not fit in memory; keep fewer rows or columns") from error

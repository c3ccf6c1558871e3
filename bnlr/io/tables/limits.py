"""How large a table may be before it is refused, so that a small file cannot take all memory.

What a file holds in so many bytes is never refused for the number of its rows. The environment may
raise each limit, under the name that the error tells.
"""

import os
from typing import NamedTuple

from bnlr.errors import DataError
from bnlr.words import counted


class Limit(NamedTuple):
    """The most that is read, and the environment's word for it."""

    most: int
    variable: str

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return f"set {self.variable} in the environment to allow more"


def line_limit() -> Limit:
    """Return the longest line of text that is read, in characters."""
    return _limit("BNLR_MAX_LINE", 2**25)


def column_limit() -> Limit:
    """Return the largest number of columns, or of labels that a file lists for one of them."""
    return _limit("BNLR_MAX_COLUMNS", 2**16)


def cell_limit() -> Limit:
    """Return the most cells that are read where a file has fewer bytes."""
    return _limit("BNLR_MAX_CELLS", 2**23)


def check_columns(n: int, source: str, what: str = "column") -> None:
    """Refuse too many columns, or labels of one.

    Raises
    ------
    DataError
        With the number and the remedy.
    """
    limit = column_limit()
    if n > limit.most:
        raise DataError(
            f"{source}: {counted(n, what)}, more than {limit.most:,}; keep those that matter, or "
            f"{limit.remedy}"
        )


def check_cells(n_rows: int, n_columns: int, source: str, n_bytes: int) -> None:
    """Refuse a table whose cells are far more than its file has bytes, as few of them are written.

    Raises
    ------
    DataError
        With the numbers and the remedy.
    """
    limit = cell_limit()
    if n_rows * n_columns > max(limit.most, n_bytes):
        raise DataError(
            f"{source}: {counted(n_rows, 'row')} of {counted(n_columns, 'column')} in "
            f"{n_bytes:,} bytes; more than {limit.most:,} cells are read only where there are as "
            f"many bytes: keep fewer columns, or {limit.remedy}"
        )


def _limit(variable: str, most: int) -> Limit:
    asked = os.environ.get(variable, "").strip()
    return Limit(int(asked) if asked.isdecimal() else most, variable)

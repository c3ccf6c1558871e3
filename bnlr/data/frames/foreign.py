"""Tables of other libraries (polars, pyarrow, narwhals) become pandas' own."""

from typing import Any

import pandas as pd

from bnlr.errors import CellTypeError

_LONGEST = 300


def as_pandas(table: Any) -> Any:
    """Return another library's table as pandas' own, anything else as it is.

    Raises
    ------
    CellTypeError
        Its ``to_pandas`` fails.
    """
    if isinstance(table, pd.DataFrame) or not hasattr(table, "to_pandas"):
        return table
    try:
        return table.to_pandas()
    except Exception as error:
        raise CellTypeError(
            f"X is a {type(table).__name__} whose to_pandas() fails ({str(error)[:_LONGEST]}); "
            "give a pandas DataFrame"
        ) from error

"""Plain delimited text: no quotes, and every line has as many cells, so that pandas may cut it.

What looks otherwise is left to the csv module, which tells what is wrong, and in which line.
"""

import csv
import io
from collections.abc import Iterator
from itertools import repeat
from typing import IO

from bnlr.io.tables.limits import line_limit
from bnlr.io.tables.table import Cells
from bnlr.io.tables.text import bytes_read
from bnlr.progress import ProgressLine

_FIRST_BLOCK, _BLOCK = 2**16, 2**23  # characters
_MOST_COLUMNS = 1000
_MARKS = ('"', "\r", "\0", "\n ")
_FIRST = " \ufeff"  # of a block: pandas takes the latter for no letter


def plain_columns(file: IO[str], delimiter: str, n_columns: int) -> list[Cells] | None:
    """Return the columns of the lines from here on, None where they are not plain.

    Equal cells of a block of lines are one text, which takes less memory and one hash.
    """
    import pandas as pd  # noqa: PLC0415  heavy

    if n_columns > _MOST_COLUMNS:  # of many, pandas makes many objects
        return None
    columns: list[Cells] = [[] for _ in range(n_columns)]
    with ProgressLine(verbose=0) as line:
        for text in _blocks(file):
            if text is None or not _is_plain(text, delimiter, n_columns):
                return None
            frame = pd.read_csv(
                io.StringIO(text),
                sep=delimiter,
                header=None,
                dtype=object,
                na_filter=False,
                quoting=csv.QUOTE_NONE,
                skip_blank_lines=n_columns > 1,  # a tab alone may be a column's cell
                low_memory=False,  # else equal cells are one text in some hundred lines only
            )
            for column, name in zip(columns, frame, strict=True):
                column.extend(frame[name].tolist())
            if line.is_due:
                line.write_share(*bytes_read(file), "bytes")
    return columns


def _blocks(file: IO[str]) -> Iterator[str | None]:
    """Yield whole lines, few at first, as the first ones mostly tell that a file is not plain.

    None is a line that is longer than is read.
    """
    size, longest = _FIRST_BLOCK, line_limit().most
    while text := file.read(size):
        rest = file.readline(longest + 1)
        yield (text + rest).replace("\r\n", "\n") if len(rest) <= longest else None
        size = _BLOCK


def _is_plain(text: str, delimiter: str, n_columns: int) -> bool:
    """Whether the csv module, which skips blanks before a cell, would cut lines nowhere else."""
    if any(mark in text for mark in (*_MARKS, f"{delimiter} ")) or text[0] in _FIRST:
        return False
    lines = text.removesuffix("\n").split("\n")
    if n_columns == 1 and "" in lines:  # which may be a missing cell
        return False
    if delimiter == " " and ("\t" in text or " \n" in text or text.endswith(" ")):
        return False
    if set(map(str.count, lines, repeat(delimiter))) != {n_columns - 1}:
        return False
    return max(map(len, lines)) <= min(csv.field_size_limit(), line_limit().most)

"""The lines of a text file one by one, each short enough to be held in memory."""

from typing import IO, Self

from bnlr.errors import DataError
from bnlr.io.tables.limits import line_limit


class Lines:
    """The lines of a file with their ends; ``number`` is that of the last one, from 1.

    Raises
    ------
    DataError
        A line is longer than is read.
    """

    def __init__(self, file: IO[str], source: str) -> None:
        self._file, self._source, self._limit = file, source, line_limit()
        self.number = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        line = self._file.readline(self._limit.most + 1)
        if not line:
            raise StopIteration
        self.number += 1
        if len(line) > self._limit.most:
            raise DataError(
                f"{self._source}: line {self.number:,} has more than {self._limit.most:,} "
                f"characters; is this a table? If so, {self._limit.remedy}"
            )
        return line

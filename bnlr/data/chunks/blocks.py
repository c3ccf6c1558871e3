"""A code table that grows: rows come in chunks of any size, their number unknown before the end.

Chunks are gathered in blocks of a bounded size, each freed as soon as it has been copied into the
table, so that at no time there is much more than the codes once. Where the number of rows is known
beforehand, the first block is the table.
"""

from collections.abc import Sequence

import numpy as np

from bnlr._typing import CodeArray
from bnlr.data.chunks.store import MappedFile, Memory
from bnlr.data.scan import relabel

_MIN_ROWS = 2**12
_MAX_BYTES = 2**26


class Blocks:
    """Rows of codes, one column a node.

    Parameters
    ----------
    n_columns : int
        Number of columns.
    storage : Memory or MappedFile
        Where the table goes.
    expected : int, optional
        The number of rows, if known.
    """

    def __init__(
        self, n_columns: int, storage: Memory | MappedFile, expected: int | None = None
    ) -> None:
        self._n_columns, self._storage, self._expected = n_columns, storage, expected
        self._blocks: list[CodeArray] = []
        self._n_used = 0
        self._is_trimmed = False
        self.n_rows = 0

    def append(self, columns: Sequence[CodeArray]) -> None:
        """Add rows: one array (n,) a column, each in the smallest type for its codes so far."""
        dtype = np.result_type(np.int8, *(codes.dtype for codes in columns))
        n_new, done = len(columns[0]), 0
        while done < n_new:
            block = self._open_block(dtype)
            n = min(n_new - done, len(block) - self._n_used)
            for place, codes in enumerate(columns):
                block[self._n_used : self._n_used + n, place] = codes[done : done + n]
            self._n_used, done = self._n_used + n, done + n
            self.n_rows += n

    def _open_block(self, dtype: np.dtype[np.generic]) -> CodeArray:
        """Return the last block, or a new one if that is full or too narrow."""
        if self._blocks:
            last = self._blocks[-1]
            if self._n_used < len(last) and np.can_cast(dtype, last.dtype):
                return last
            self._close()
        block = self._storage.allocate((self._capacity(dtype.itemsize), self._n_columns), dtype)
        self._blocks.append(block)
        self._n_used = 0
        return block

    def _capacity(self, itemsize: int) -> int:
        if self._expected is not None and self.n_rows < self._expected:
            return self._expected - self.n_rows
        most = max(_MIN_ROWS, _MAX_BYTES // (itemsize * self._n_columns))
        return min(most, max(_MIN_ROWS, self.n_rows))

    def _close(self) -> None:
        if self._blocks and self._n_used < len(self._blocks[-1]):
            self._blocks[-1] = self._blocks[-1][: self._n_used]
            self._is_trimmed = True

    def finish(self, lookups: Sequence[CodeArray | None], dtype: np.dtype[np.generic]) -> CodeArray:
        """Return the table (n_rows, n_columns), column-major, and give up the blocks.

        Parameters
        ----------
        lookups : sequence
            For each column the final code of each code given so far, then -1; None keeps them.
        dtype : dtype
            Signed integers that hold every final code.
        """
        self._close()
        whole = self._blocks[0] if len(self._blocks) == 1 and not self._is_trimmed else None
        if whole is None or whole.dtype != dtype:
            table = self._storage.allocate((self.n_rows, self._n_columns), dtype)
            self._move(lookups, table)
        else:
            table = whole
            self._copy(table, lookups, table)
        self._blocks.clear()
        return self._storage.publish(table)

    def _move(self, lookups: Sequence[CodeArray | None], table: CodeArray) -> None:
        start = 0
        for number, block in enumerate(self._blocks):
            self._copy(block, lookups, table[start : start + len(block)])
            start += len(block)
            self._storage.discard(block)
            self._blocks[number] = block[:0].copy()
        self._blocks.clear()

    @staticmethod
    def _copy(block: CodeArray, lookups: Sequence[CodeArray | None], out: CodeArray) -> None:
        for place, lookup in enumerate(lookups):
            if lookup is not None and not _keeps(lookup):
                relabel(block[:, place], lookup, out[:, place])
            elif block is not out:
                out[:, place] = block[:, place]


def _keeps(lookup: CodeArray) -> bool:
    return bool((lookup[:-1] == np.arange(len(lookup) - 1)).all())

"""Chunks of rows become one table of codes, with no more than the codes and one chunk in memory.

A chunk is a pandas frame or a record batch; both are seen here as a list of column names with
functions that read a column.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bnlr._typing import CodeArray, FloatArray
from bnlr.data.chunks.blocks import Blocks
from bnlr.data.chunks.column import KnownColumn, LearntColumn
from bnlr.data.chunks.store import MappedFile, Memory
from bnlr.data.frames.column import RawColumn, read_column
from bnlr.data.frames.frame import (
    CodedColumns,
    Known,
    check_frame,
    find_columns,
    no_column,
    no_rows,
    nodes_of,
)
from bnlr.data.labels import check_name
from bnlr.data.narrow import smallest_dtype
from bnlr.data.unseen import Unseen, meant_unseen, report_unseen
from bnlr.data.weights import as_weights, check_total
from bnlr.errors import DataError, ParameterError
from bnlr.progress import ProgressLine
from bnlr.words import quoted


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows, by columns.

    Attributes
    ----------
    where : str
        What messages call it.
    names : sequence
        Column names, as they are.
    n_rows : int
        Number of rows.
    read : callable
        ``read(node, place)`` is the column at that place.
    numbers : callable
        ``numbers(place)`` is that column as an array of numbers.
    """

    where: str
    names: Sequence[object]
    n_rows: int
    read: Callable[[str, int], RawColumn]
    numbers: Callable[[int], ArrayLike]


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """What to make of the chunks: see `Dataset.from_chunks`."""

    class_name: str
    known: Known | None
    weights: str | None
    unseen: Unseen

    def __post_init__(self) -> None:
        check_name(self.class_name)
        object.__setattr__(self, "unseen", meant_unseen(self.unseen))
        if self.weights is None:
            return
        if not isinstance(self.weights, str) or not self.weights:
            raise ParameterError(
                "weights must be the name of the column that holds them, not "
                f"{quoted(self.weights)}; add one to each chunk, for instance with frame.assign"
            )
        if self.weights in (self.known or (self.class_name,)):
            raise ParameterError(f"column {quoted(self.weights)} cannot be weights and a node too")


def frame_chunks(frames: object) -> Iterator[Chunk]:
    """Yield data frames as chunks, each freed before the next is asked for.

    Raises
    ------
    DataError
        Not an iterable of data frames, or one of them is unusable.
    """
    if isinstance(frames, pd.DataFrame | str | bytes) or not isinstance(frames, Iterable):
        raise DataError(
            f"chunks must be an iterable of data frames, not {type(frames).__name__}; "
            "Dataset.from_frame takes one frame"
        )
    rest = iter(frames)
    number = 0
    while (frame := next(rest, _END)) is not _END:
        with located(f"chunk {number}"):
            chunk = _frame_chunk(check_frame(frame), f"chunk {number}")
        del frame
        yield chunk
        del chunk
        number += 1


_END = object()


def _frame_chunk(frame: pd.DataFrame, where: str) -> Chunk:
    return Chunk(
        where,
        list(frame.columns),
        len(frame),
        lambda node, place: read_column(node, frame.iloc[:, place]),
        lambda place: frame.iloc[:, place].to_numpy(),
    )


@contextmanager
def located(where: str) -> Iterator[None]:
    """Put the place before the message of any error of ours."""
    try:
        yield
    except (DataError, ParameterError) as error:
        error.args = (f"{where}: {error}",)
        raise


def read_chunks(
    chunks: Iterable[Chunk], plan: ReadPlan, store: object = None, expected: int | None = None
) -> CodedColumns:
    """Encode chunks, in memory or in a file; `expected` is the number of rows, if known.

    Raises
    ------
    BnlrError
        As `Dataset.from_chunks` says.
    """
    with Memory() if store is None else MappedFile(store) as storage, ProgressLine(0) as line:
        table, n_rows = _Encoder(plan, storage, expected), 0
        for chunk in chunks:
            with located(chunk.where):
                table.add(chunk)
            n_rows += chunk.n_rows
            del chunk
            if expected is None:
                line.write(f"{n_rows:,} rows")
            else:
                line.write_share(n_rows, expected, "rows")
        return table.finish()


class _Encoder:
    """The codes and weights gathered so far."""

    def __init__(self, plan: ReadPlan, storage: Memory | MappedFile, expected: int | None) -> None:
        self._plan, self._storage, self._expected = plan, storage, expected
        self._columns: dict[str, KnownColumn | LearntColumn] = {}
        self._first: str | None = None
        if plan.known is not None:
            self._start({node: KnownColumn(node, plan.known[node]) for node in plan.known})

    def _start(self, columns: "dict[str, KnownColumn] | dict[str, LearntColumn]") -> None:
        self._columns = {**columns}
        self._blocks = Blocks(len(columns), self._storage, self._expected)
        self._weights = Blocks(1, Memory(), self._expected)

    def add(self, chunk: Chunk) -> None:
        places = self._places(chunk)
        if chunk.n_rows == 0:
            return
        if self._plan.weights is not None:
            place = list(chunk.names).index(self._plan.weights)
            self._weights.append([as_weights(chunk.numbers(place), chunk.n_rows)])  # type: ignore[list-item]
        coded: list[CodeArray] = []
        for node, column in self._columns.items():
            if node in places:
                coded.append(column.add(chunk.read(node, places[node]), chunk.where))
            else:
                coded.append(np.full(chunk.n_rows, -1, dtype=np.int8))
        if self._plan.unseen == "error":
            report_unseen(self._unseen(), "error")
        self._blocks.append(coded)

    def _places(self, chunk: Chunk) -> dict[str, int]:
        """Return the place of each node's column; the first chunk says what nodes there are."""
        plan = self._plan
        names = [name for name in chunk.names if name != plan.weights]
        if plan.weights is not None and len(names) != len(chunk.names) - 1:
            if len(names) == len(chunk.names):
                raise no_column(plan.weights, chunk.names)
            raise DataError(f"there are two columns of weights {quoted(plan.weights)}; drop one")
        if self._first is None and plan.known is None:
            nodes = nodes_of(names, plan.class_name)
            self._start({node: LearntColumn(node) for node in nodes})
        self._first = self._first or chunk.where
        places = find_columns(chunk.names, list(self._columns), plan.class_name)
        if plan.known is None:
            self._check_same(names, places)
        return places

    def _check_same(self, names: Sequence[object], places: dict[str, int]) -> None:
        extra = [name for name in names if name not in places]
        if extra:
            raise DataError(
                f"there is a column {quoted(extra[0])}, which {self._first} has not; drop it, or "
                "name the columns wanted with states="
            )
        if self._plan.class_name not in places:
            raise no_column(self._plan.class_name, names)

    def _unseen(self) -> dict[str, str]:
        return {node: one.unseen for node, one in self._columns.items() if one.unseen}

    def finish(self) -> CodedColumns:
        """Settle the states and rename the codes."""
        if self._plan.known is None and not (self._columns and self._blocks.n_rows):
            raise no_rows("the chunks have")
        n_rows = self._blocks.n_rows
        done = {node: column.finish(n_rows) for node, column in self._columns.items()}
        states = {node: labels for node, (labels, _) in done.items()}
        weights = self._final_weights()
        dtype = smallest_dtype(map(len, states.values()))
        codes = self._blocks.finish([lookup for _, lookup in done.values()], dtype)
        order = {n: len(states[n]) for n, column in self._columns.items() if column.is_ordered}
        return CodedColumns(codes, states, self._unseen(), weights, order)

    def _final_weights(self) -> FloatArray | None:
        if self._plan.weights is None:
            return None
        weights: FloatArray = self._weights.finish([None], np.dtype(np.float64))[:, 0]  # type: ignore[assignment]
        check_total(weights)
        return weights

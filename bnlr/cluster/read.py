"""A Dask frame becomes a data set in parts: two trips, and the rows stay on the workers.

The first trip learns each partition's labels and number of rows; the second encodes them and cuts
them anew, into blocks of a fixed number of rows and one run of blocks a worker.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from distributed import Client, Future

from bnlr._typing import IntArray, State
from bnlr.cluster.dask_parts import DaskParts, located, reached
from bnlr.cluster.partitions import Partitions
from bnlr.data.chunks.column import LearntColumn
from bnlr.data.dataset import Dataset
from bnlr.data.frames.column import read_column
from bnlr.data.frames.frame import (
    check_frame,
    find_columns,
    no_column,
    no_rows,
    nodes_of,
    read_frame,
)
from bnlr.data.labels import check_states
from bnlr.data.narrow import smallest_dtype
from bnlr.data.parted import PartedDataset
from bnlr.data.parts import BLOCK_ROWS, cuts
from bnlr.data.unseen import ELSEWHERE, report_unseen
from bnlr.data.weights import as_weights, check_total
from bnlr.errors import DataError
from bnlr.words import quoted

_SHARE = 8  # of a worker's memory that a part's codes may take
_UNLIMITED = 2**40  # bytes, of workers that state no limit


def from_dask(
    frame: Any,
    class_name: str,
    states: Mapping[str, Sequence[State]] | None = None,
    weights: str | None = None,
    seconds: float = 600.0,
) -> PartedDataset:
    """See `Dataset.from_dask`."""
    return read_partitions(Partitions.of(frame, seconds), class_name, states, weights)


def read_partitions(
    partitions: Partitions,
    class_name: str,
    states: Mapping[str, Sequence[State]] | None = None,
    weights: str | None = None,
    block_rows: int = BLOCK_ROWS,
) -> PartedDataset:
    """A data set in parts; arguments are those of `Dataset.from_dask`."""
    known = None if states is None else check_states(states, class_name)
    found = partitions.ask(_looked_at, class_name, weights, known)
    first = np.concatenate([[0], np.cumsum([n for n, _ in found])])
    n_rows = int(first[-1])
    if not n_rows:
        raise no_rows("the frame has")
    order: dict[str, int] = {}
    if known is None:
        columns = _merged([(k, columns) for k, (n, columns) in enumerate(found) if n])
        known = {node: column.finish(n_rows)[0] for node, column in columns.items()}
        order = {node: len(known[node]) for node, c in columns.items() if c.is_ordered}
    n_bytes = _bytes_of(n_rows, known, weights)
    n_parts, n_threads = _n_parts(partitions.client, n_bytes)

    def cut() -> list[Future]:
        coded = partitions.each(_coded, class_name, known, weights, order)
        return _in_blocks(partitions.client, coded, first, block_rows, n_parts)

    # Where memory is short, codes leave it once they are packed.
    anew = cut if n_parts > n_threads else None
    none = np.empty((0, len(known)), np.int8, order="F")
    empty = Dataset(none, known, class_name, None if weights is None else np.empty(0), order)
    parts = DaskParts(partitions.client, cut(), partitions.seconds, anew=anew)
    data = PartedDataset(parts, empty)
    # Waits until all are coded, so that what is wrong with a partition is told here.
    check_total(np.array([data._total_weight]))
    return data


@reached()
def _in_blocks(
    client: Client, coded: Sequence[Future], first: IntArray, block_rows: int, n_parts: int
) -> list[Future]:
    """``n_parts`` runs of blocks, from partitions that start at the rows ``first``."""
    n_rows, parts = int(first[-1]), []
    ends = cuts(-(-n_rows // block_rows), n_parts)
    for start, stop in pairwise(ends):
        low, high = start * block_rows, min(stop * block_rows, n_rows)
        among = [k for k in range(len(coded)) if first[k] < high and first[k + 1] > low]
        spans = [
            (max(low - int(first[k]), 0), min(high, int(first[k + 1])) - int(first[k]))
            for k in among
        ]
        own = [coded[k] for k in among]
        parts.append(client.submit(_cut, own, spans, start, block_rows, pure=False))
    return parts


def _bytes_of(n_rows: int, known: Mapping[str, Sequence[State]], weights: str | None) -> int:
    """Memory of all rows' codes and weights."""
    code = smallest_dtype(map(len, known.values())).itemsize
    return n_rows * (len(known) * code + (0 if weights is None else 8))


def _n_parts(client: Client, n_bytes: int) -> tuple[int, int]:
    """How many parts codes of ``n_bytes`` want, one a thread at least; and the threads."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    n_threads = sum(worker["nthreads"] for worker in workers)
    limits = (worker["memory_limit"] or _UNLIMITED for worker in workers)
    memory = min(limits, default=_UNLIMITED)
    return int(max(n_threads, -(-n_bytes * _SHARE // memory), 1)), n_threads


def _looked_at(
    frame: pd.DataFrame, number: int, class_name: str, weights: str | None, known: Any
) -> tuple[int, dict[str, LearntColumn]]:
    """Number of rows, and the labels of each column."""
    if weights is not None and weights not in frame.columns:
        raise no_column(weights, list(frame.columns))
    if known is not None or not len(frame):
        return len(frame), {}
    check_frame(frame)
    names = [name for name in frame.columns if name != weights]
    nodes = nodes_of(names, class_name)
    places = find_columns(list(frame.columns), nodes, class_name)
    columns = {node: LearntColumn(node) for node in nodes}
    for node, column in columns.items():
        column.add(read_column(node, frame.iloc[:, places[node]]), f"partition {number}")
    return len(frame), columns


def _merged(parts: list[tuple[int, dict[str, LearntColumn]]]) -> dict[str, LearntColumn]:
    (_, columns), *others = parts
    for number, other in others:
        if other.keys() != columns.keys():
            raise DataError(
                f"partition {number} has other columns than those before it: "
                f"{quoted(min(other.keys() ^ columns.keys()))} is not in all of them"
            )
        with located(number):
            for node, column in columns.items():
                column.merge(other[node])
    return columns


def _coded(
    frame: pd.DataFrame,
    number: int,  # noqa: ARG001  as of all that partitions are asked
    class_name: str,
    states: Any,
    weights: str | None,
    order: Any,
) -> Dataset:
    own = None if weights is None else as_weights(frame[weights].to_numpy(), len(frame))
    columns = read_frame(check_frame(frame), class_name, states)
    report_unseen(columns.unseen, "error", ELSEWHERE)
    return Dataset(columns.codes, states, class_name, own, order)


def _cut(
    coded: list[Dataset], spans: list[tuple[int, int]], start: int, block_rows: int
) -> tuple[int, list[Dataset]]:
    """Blocks of rows from parts of partitions, one made at a time, and the number of the first."""
    ends = np.cumsum([b - a for a, b in spans])
    before, blocks = [0, *ends[:-1].tolist()], []
    for low in range(0, int(ends[-1]), block_rows):
        own = [
            (data, slice(max(a, a + low - n), min(b, a + low + block_rows - n)))
            for data, (a, b), n in zip(coded, spans, before, strict=True)
        ]
        blocks.append(_joined([(data, rows) for data, rows in own if rows.start < rows.stop]))
    return start, blocks


def _joined(pieces: list[tuple[Dataset, slice]]) -> Dataset:
    like, _ = pieces[0]
    codes = np.concatenate([data.codes[rows] for data, rows in pieces])
    own = None
    if like.has_weights:
        own = np.concatenate([data.weights[rows] for data, rows in pieces])
    return Dataset(np.asfortranarray(codes), like.states, like.class_name, own, like.order)

"""A Dask frame's partitions: recipes for pandas frames, asked one by one on the workers.

Nothing of a partition is kept between two questions, so that a frame larger than all memory can be
asked; it is read anew each time. Who has the memory calls ``frame.persist()`` before.
"""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
from dask import delayed
from distributed import Client, Future, get_client

from bnlr._typing import IntArray
from bnlr.arguments import amount
from bnlr.cluster.dask_parts import gathered, located, reached
from bnlr.data.dataset import is_dask
from bnlr.errors import DataError, ParameterError

Prepare = Callable[[pd.DataFrame], pd.DataFrame]


@dataclass(frozen=True)
class Partitions:
    """What `from_dask` is given, each partition ``prepare``d where it is; a question is a trip."""

    client: Client
    recipes: Sequence[Any]
    seconds: float
    prepare: Prepare | None = None

    @classmethod
    def of(cls, frame: Any, seconds: float) -> Self:
        """Take a `dask.dataframe`'s.

        Raises
        ------
        DataError
            There is no client to ask.
        ParameterError
            No Dask frame, or no time at all.
        """
        if not is_dask(frame) or frame.ndim != 2:
            raise ParameterError(f"expected a frame of dask.dataframe, not {type(frame).__name__}")
        if not amount("seconds", seconds):
            raise ParameterError("seconds is 0, in which no worker answers; give more")
        try:
            client = get_client()
        except ValueError as error:
            raise DataError(
                "there is no Dask client; make one: distributed.Client(address), or Client() for "
                "the processes of this machine"
            ) from error
        gc.collect()  # parts of earlier rows, kept by cycles here alone, fill the workers' memory
        return cls(client, frame.to_delayed(), float(seconds))

    def prepared(self, prepare: Prepare) -> Self:
        """The same, each partition put through a function, the last thing on the worker."""
        return replace(self, prepare=prepare)

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Future]:
        """``function(frame, its number, *arguments)`` of each partition, left where it is."""
        task = delayed(partial(_asked, function, arguments, self.prepare), pure=False)
        return self._sent([task(one, number) for number, one in enumerate(self.recipes)])

    def ask(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """The same, brought here; errors name the partition, counted from 0."""
        futures = self.each(function, *arguments)
        return gathered(self.client, futures, self.seconds, of_partitions=True)

    def sample(self, rows: IntArray, sizes: Sequence[int]) -> pd.DataFrame:
        """Bring the rows of these numbers, in ascending order; ``sizes`` are all partitions'."""
        ends = np.cumsum(sizes)
        starts = ends - sizes
        wanted = [
            rows[np.searchsorted(rows, a) : np.searchsorted(rows, b)] - a
            for a, b in zip(starts, ends, strict=True)
        ]
        task = delayed(partial(_taken, self.prepare), pure=False)
        tasks = [
            task(one, number, places)
            for number, (one, places) in enumerate(zip(self.recipes, wanted, strict=True))
            if len(places)
        ]
        found = gathered(self.client, self._sent(tasks), self.seconds)
        taken: pd.DataFrame = pd.concat(found, ignore_index=True)
        return taken

    @reached()
    def _sent(self, tasks: Sequence[Any]) -> list[Future]:
        futures: list[Future] = self.client.compute(tasks)
        return futures


def _asked(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    prepare: Prepare | None,
    frame: pd.DataFrame,
    number: int,
) -> Any:
    with located(number):
        return function(frame if prepare is None else prepare(frame), number, *arguments)


def _taken(
    prepare: Prepare | None, frame: pd.DataFrame, number: int, places: IntArray
) -> pd.DataFrame:
    taken: pd.DataFrame = _asked(_rows, (places,), prepare, frame, number)
    return taken


def _rows(
    frame: pd.DataFrame,
    number: int,  # noqa: ARG001  as of all that partitions are asked
    places: IntArray,
) -> pd.DataFrame:
    return frame.iloc[places]

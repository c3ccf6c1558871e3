"""``Parts`` on the workers of a Dask cluster.

What a part holds is a pure task of its Dask frame: a worker that dies takes nothing along that
cannot be worked out anew, and the results are the same to the bit.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import Any

from distributed import Client, Future, KilledWorker, wait
from distributed.client import ClosedClientError
from distributed.comm import CommClosedError

from bnlr.data.parts import Combine, Parts, Trips, fold_part, map_part, put_together, top
from bnlr.errors import BnlrError, DataError

_AT_ONCE = 8  # parts whose results a worker puts together before they travel
_ALONE = 60.0  # seconds that a cluster may be without any worker, which nannies start anew
_A_LOOK, _SOON = 2.0, 0.002


class DaskParts(Parts):
    """``Parts``, one a future; a trip may take ``seconds``, and ``anew`` makes them again."""

    def __init__(
        self,
        client: Client,
        parts: Sequence[Future],
        seconds: float,
        trips: Trips | None = None,
        anew: Callable[[], Sequence[Future]] | None = None,
    ) -> None:
        self._client, self._kept, self._seconds = client, parts, seconds
        self.trips, self._anew = trips or Trips(), anew

    @property
    def _parts(self) -> Sequence[Future]:
        if not self._kept and self._anew is not None:
            self._kept = self._anew()
        return self._kept

    def drop(self) -> None:
        """As ``Parts`` says."""
        if self._anew is not None:
            self._kept = ()

    def map(self, function: Callable[..., Any], *arguments: Any) -> "DaskParts":
        """As ``Parts`` says."""
        with reached():
            parts = self._each(map_part, self._parts, function=function, arguments=arguments)
        return DaskParts(self._client, parts, self._seconds, self.trips)

    def _folded(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        combine: Combine,
        *,
        is_numbered: bool,
    ) -> Any:
        self.trips.n += 1
        asked = {"arguments": arguments, "combine": combine, "is_numbered": is_numbered}
        with reached():
            nodes = self._each(fold_part, self._parts, function=function, **asked)
            while len(nodes) > _AT_ONCE:
                runs = [nodes[k : k + _AT_ONCE] for k in range(0, len(nodes), _AT_ONCE)]
                nodes = self._each(_join, runs, combine=combine)
        found = gathered(self._client, nodes, self._seconds)
        return top((node for run in found for node in run), combine)

    def _each(
        self, task: Callable[..., Any], values: Sequence[Any], /, **told: Any
    ) -> list[Future]:
        futures: list[Future] = self._client.map(task, values, pure=False, **told)
        return futures


def _join(runs: list[Any], combine: Combine) -> Any:
    return put_together((node for run in runs for node in run), combine)


@contextmanager
def located(number: int) -> Iterator[None]:
    """Errors of ours name the partition."""
    try:
        yield
    except BnlrError as error:
        raise type(error)(f"partition {number}: {error}") from error


def gathered(
    client: Client, futures: Sequence[Future], seconds: float, *, of_partitions: bool = False
) -> list[Any]:
    """Results of all, waited for no longer than ``seconds``.

    Raises
    ------
    DataError
        Workers are missing, stay silent or keep dying, or the rows cannot be read; the number of
        the partition, if the results are of partitions, each of its own.
    """
    clock = _Clock(seconds)
    gather = partial(client.gather, list(futures), asynchronous=True, errors="skip")
    with reached():
        try:
            while True:
                _await(client, futures, clock)
                for number, future in enumerate(futures):
                    if future.status == "error":
                        _refuse(future, f"partition {number}: " if of_partitions else "")
                results: list[Any] = client.sync(gather, callback_timeout=clock.left)
                if len(results) == len(futures):  # none was lost in between
                    return results
        except TimeoutError as error:
            client.cancel(list(futures), force=True)
            raise DataError(
                f"the workers have not answered within {seconds:g} seconds; see whether they have "
                "died or are busy (client.dashboard_link), take more workers, or, with "
                "Dataset.from_dask, allow more: seconds="
            ) from error


@contextmanager
def reached() -> Iterator[None]:
    """A scheduler that is not reached any more is told of."""
    try:
        yield
    except (CancelledError, CommClosedError, ClosedClientError, OSError) as error:
        raise DataError(
            "the Dask scheduler has gone, or has cancelled what was asked of it; start it, and "
            "read the rows again"
        ) from error


class _Clock:
    """The seconds that are left of a trip."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds

    @property
    def left(self) -> float:
        return max(self._end - monotonic(), 0.001)


def _await(client: Client, futures: Sequence[Future], clock: _Clock) -> None:
    """Wait for all; where there is no worker for a while, no longer than that."""
    alone = _Clock(_ALONE)
    while True:
        try:
            wait(futures, timeout=min(clock.left, _A_LOOK))
        except TimeoutError:
            if client.scheduler_info(n_workers=-1)["workers"]:
                alone = _Clock(_ALONE)
            elif alone.left <= _SOON:
                client.cancel(list(futures), force=True)
                raise DataError(
                    f"the Dask cluster has had no worker for {_ALONE:g} seconds; start some, with "
                    "more memory if they die of these rows, and read the rows again"
                ) from None
            if clock.left <= _SOON:
                raise
        else:
            return


def _refuse(future: Future, where: str) -> None:
    error = future.exception()
    if isinstance(error, BnlrError):
        raise error
    told = f"{where}{type(error).__name__}: {str(error)[:500]}"
    if isinstance(error, KilledWorker | MemoryError):
        raise DataError(
            f"{told}; several workers have died of the same rows: give workers more memory, or the "
            "frame smaller partitions"
        ) from error
    raise DataError(
        f"{told}; the workers could not read or count the rows, mend what the frame is made of"
    ) from error

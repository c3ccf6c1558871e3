"""Tasks on the workers of a Dask cluster, processes of one thread here or on other machines.

Tasks are pure: where a worker dies Dask does its task again elsewhere, and gives up the one of
which several workers have died (``distributed.scheduler.allowed-failures``). As many tasks are
handed out as there are workers: what waits on a worker would be charged with its death too. A
worker first builds the study anew from the same options, so that other data or versions end the
study instead of mixing with its results.
"""

import pickle
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from threading import Event, Thread
from time import monotonic

from distributed import Client, Future, KilledWorker, get_worker
from distributed.client import ClosedClientError
from distributed.comm import CommClosedError

from studies.common.attempt import attempt, failure_of
from studies.common.crew import POLL, Function, pickled
from studies.common.errors import StudyError
from studies.common.journal import differences
from studies.common.study import Failure, Record, Study
from studies.common.task import Task
from studies.common.worker import DIED, TOO_LONG, too_long

ALONE = 60.0
"""Seconds that a cluster may be without any worker."""

_CONNECT, _RESTART = 10.0, 30.0
_A_LOOK = 1.0  # seconds between two looks at which workers there are


class Cluster:
    """The workers of the cluster at ``scheduler``, who may take ``time_limit`` seconds a task.

    What a task does cannot be stopped on a thread: a worker whose task runs longer is started anew.

    Raises
    ------
    StudyError
        No scheduler answers, or the study's function cannot be sent; from `wait` and `news`: no
        workers, or such as cannot do the study.
    """

    def __init__(
        self, study: Study, tasks: Sequence[Task], scheduler: str, time_limit: float | None
    ) -> None:
        self._scheduler, self._time_limit = scheduler, time_limit
        self._job = pickled((study.run, study.anew, _header(study)))
        self._waiting = deque(tasks)
        self._given: dict[Future, tuple[Task, float]] = {}
        self._news = Event()
        self._n_workers, self._next_look, self._last_seen = 0, 0.0, monotonic()
        try:
            self._client = Client(scheduler, timeout=_CONNECT)
        except (OSError, ValueError) as error:
            raise StudyError(
                f"no Dask scheduler answers at {scheduler}; start one with 'dask scheduler', and "
                f"workers with 'dask worker {scheduler} --nthreads 1'"
            ) from error
        try:
            self._look()
        except StudyError:
            self.close()
            raise

    def __str__(self) -> str:
        return f"{self._n_workers} workers of {self._scheduler}, see {self._client.dashboard_link}"

    @property
    def is_busy(self) -> bool:
        """As `Crew` says."""
        return bool(self._waiting or self._given)

    def wait(self) -> None:
        """Hand out tasks to workers that have none, and wait for what they say."""
        self._look()
        with self._reached():
            while self._waiting and len(self._given) < self._n_workers:
                task = self._waiting.popleft()
                future = self._client.submit(_do, self._job, task, self._time_limit, pure=False)
                self._given[future] = task, monotonic()
                future.add_done_callback(self._has_news)
        if self._news.wait(POLL):
            self._news.clear()

    def news(self) -> Iterator[Record]:
        """Records of tasks that ended."""
        for future, (task, since) in tuple(self._given.items()):
            with self._reached():
                record = self._heard(future, task, since)
            if record is not None:
                del self._given[future]
                yield record

    def close(self) -> None:
        """Drop what is not done; what a worker is amid it ends without being heard."""
        with suppress(Exception):  # of a scheduler that has gone
            self._client.cancel(list(self._given), force=True)
        self._client.close()

    def _has_news(self, _: Future) -> None:
        self._news.set()

    def _look(self) -> None:
        """See now and then how many workers there are, and whether they will do."""
        now = monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _A_LOOK
        with self._reached():
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
        for address, worker in workers.items():
            if worker["nthreads"] > 1:
                raise StudyError(
                    f"the worker {address} has {worker['nthreads']} threads; tasks want processes "
                    f"of their own: dask worker {self._scheduler} --nthreads 1 --nworkers "
                    f"{worker['nthreads']}"
                )
            if self._time_limit is not None and not worker["nanny"]:
                raise StudyError(
                    f"the worker {address} has no nanny, which would start it anew when a task "
                    "takes longer than --time-limit; start it without --no-nanny, or leave "
                    "--time-limit out"
                )
        self._n_workers = len(workers)
        if workers:
            self._last_seen = now
        elif now - self._last_seen > ALONE:
            raise StudyError(
                f"the cluster at {self._scheduler} has had no worker for {ALONE:g} seconds; start "
                f"some with 'dask worker {self._scheduler} --nthreads 1', then go on with --resume"
            )

    def _heard(self, future: Future, task: Task, since: float) -> Record | None:
        """The record of a task that ended, None if it has not."""
        if future.status == "cancelled":
            raise CancelledError
        if future.status == "error":
            error = future.exception()
            if not isinstance(error, KilledWorker):
                raise self._unfit("a worker", failure_of(error))
            failure = Failure(DIED, f"{error.allowed_failures + 1} workers died of this task")
            return Record(task, None, failure, {"total": monotonic() - since})
        if future.status != "finished":
            return None
        try:
            address, answer = future.result(timeout=_CONNECT)
        except TimeoutError:  # its worker died with it, another does it again
            return None
        if isinstance(answer, Failure):
            raise self._unfit(f"the worker {address}", answer)
        record: Record = answer
        if record.failure is not None and record.failure.kind == TOO_LONG:
            self._client.restart_workers([address], timeout=_RESTART, raise_for_error=False)
        return record

    @staticmethod
    def _unfit(who: str, failure: Failure) -> StudyError:
        return StudyError(
            f"{who} cannot do this study: {failure}. Scheduler and workers need this checkout "
            "(PYTHONPATH), the same versions, and the same data in the same places, such as an "
            "absolute --data-dir that all machines see"
        )

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Tell of a scheduler that has gone."""
        try:
            yield
        except (CancelledError, CommClosedError, ClosedClientError, OSError) as error:
            raise StudyError(
                f"the Dask scheduler at {self._scheduler} has gone, or was restarted; every task "
                "recorded so far is kept: start it, then go on with --resume"
            ) from error


def _header(study: Study) -> dict[str, object]:
    """What must be equal for a worker to do the study, the list of tasks in any case."""
    return replace(study, may_grow=False).header


def _do(job: bytes, task: Task, time_limit: float | None) -> tuple[str, Record | Failure]:
    """On a worker: its address, and the record, or why it cannot do any task of the study."""
    address: str = get_worker().address
    try:
        function = _loaded(job)
    except Exception as error:
        return address, failure_of(error)
    return address, _limited(lambda: attempt(function, task), task, time_limit)


@cache
def _loaded(job: bytes) -> Function:
    """The study's function, in a process that has the same study."""
    run, anew, wanted = pickle.loads(job)  # noqa: S301  the study's own bytes
    if anew is not None:
        found = differences(_header(anew()), wanted)
        if found:
            raise StudyError("; ".join(found))
    function: Function = run
    return function


def _limited(work: Callable[[], Record], task: Task, time_limit: float | None) -> Record:
    if time_limit is None:
        return work()
    records: list[Record] = []
    thread = Thread(target=lambda: records.append(work()), daemon=True)
    thread.start()
    thread.join(time_limit)
    return (
        records[0] if records else Record(task, None, too_long(time_limit), {"total": time_limit})
    )

"""Processes that do tasks, one at a time each, and may die, hang or fail without harm to others.

Workers are started afresh (``spawn``): a fork of a process with NumPy's or bnlr's threads, or with
the progress bar's, could wait for ever for a lock that no thread will open. Each has a pipe of its
own, so a worker that dies is charged with the one task that it had and replaced; a shared queue, as
that of `concurrent.futures`, would be lost with it. Nothing but the parent touches the disk.
"""

import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from multiprocessing.connection import wait

from studies.common.attempt import attempt
from studies.common.errors import StudyError
from studies.common.signals import Stop, Stopped
from studies.common.study import Failure, Record
from studies.common.task import Task
from studies.common.values import Value
from studies.common.worker import DIED, READY, Worker

Function = Callable[[Task], Value]

_POLL = 0.1  # seconds between two looks at signals, limits and the progress bar
_MAX_START_FAILURES = 3


def do_tasks(
    function: Function,
    tasks: Sequence[Task],
    jobs: int,
    time_limit: float | None,
    stop: Stop,
    tick: Callable[[], None],
) -> Generator[Record, None, None]:
    """Records of all tasks in the order in which they end, or of some if ``stop`` is heard.

    Parameters
    ----------
    function
    tasks
    jobs
        Number of worker processes; 0 does the tasks in this process, for debuggers: without a time
        limit, and a task that kills its process ends the study.
    time_limit
        Seconds a task may take; None for any.
    stop
    tick
        Called about ten times a second.

    Raises
    ------
    StudyError
        The function cannot be sent to a worker, or workers do not start.
    """
    if jobs == 0:
        return _here(function, tasks, stop)
    return _in_workers(_pickled(function), tasks, jobs, time_limit, stop, tick)


def _here(function: Function, tasks: Sequence[Task], stop: Stop) -> Generator[Record, None, None]:
    for task in tasks:
        try:
            with stop.at_once():
                record = attempt(function, task)
        except Stopped:
            return
        yield record


def _in_workers(
    pickled: bytes,
    tasks: Sequence[Task],
    jobs: int,
    time_limit: float | None,
    stop: Stop,
    tick: Callable[[], None],
) -> Generator[Record, None, None]:
    with closing(_Crew(pickled, tasks, jobs, time_limit)) as crew:
        while crew.is_busy and stop.signal is None:
            crew.fill()
            crew.wait()
            tick()
            if stop.signal is None:  # else a worker may have died of the same signal
                yield from crew.news()


def _pickled(function: Function) -> bytes:
    try:
        return pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise StudyError(
            f"the study's function cannot be sent to a worker ({error}); define it at the top "
            "level of a module, with functools.partial for settings"
        ) from error


class _Crew:
    """The workers and the tasks that wait for one."""

    def __init__(
        self, pickled: bytes, tasks: Sequence[Task], jobs: int, time_limit: float | None
    ) -> None:
        self._pickled, self._jobs, self._time_limit = pickled, jobs, time_limit
        self._waiting = deque(tasks)
        self._workers: list[Worker] = []
        self._start_failures = 0

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting) or any(worker.task for worker in self._workers)

    def fill(self) -> None:
        """Start workers as long as there are tasks for them."""
        idle = sum(worker.task is None for worker in self._workers)
        wanted = min(self._jobs - len(self._workers), len(self._waiting) - idle)
        for _ in range(wanted):
            self._workers.append(Worker(self._pickled))

    def wait(self) -> None:
        """Return when a worker has something to say, or soon."""
        signs = [sign for worker in self._workers for sign in worker.signs]
        wait(signs, timeout=_POLL)

    def news(self) -> Iterator[Record]:
        """Records of tasks that ended; their workers get the next task."""
        for worker in tuple(self._workers):
            message = worker.heard(self._time_limit)
            if message is None:
                continue
            if worker.is_started:
                yield from self._ended(worker, message)
            else:
                self._started(worker, message)
            if worker.is_over:
                self._workers.remove(worker)
            elif self._waiting:
                worker.give(self._waiting.popleft())

    def close(self) -> None:
        for worker in self._workers:
            worker.end()

    @staticmethod
    def _ended(worker: Worker, message: "Record | Failure") -> Iterator[Record]:
        task, seconds = worker.task, worker.age
        worker.task = None
        if isinstance(message, Record):
            yield message
        elif task is not None:
            yield Record(task, None, message, {"total": seconds})

    def _started(self, worker: Worker, message: "Record | Failure | str") -> None:
        """Note that a worker is ready, or give up when workers do not come so far."""
        if message == READY:
            worker.is_started = True
            return
        self._start_failures += 1
        broken = isinstance(message, Failure) and message.kind != DIED
        if broken or self._start_failures >= _MAX_START_FAILURES:
            raise StudyError(f"a worker process could not start: {message}")

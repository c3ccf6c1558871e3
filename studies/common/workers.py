"""Processes that do tasks, one at a time each, and may die, hang or fail without harm to others.

Workers are started afresh (``spawn``): a fork of a process with NumPy's or bnlr's threads, or with
the progress bar's, could wait for ever for a lock that no thread will open. Each has a pipe of its
own, so a worker that dies is charged with the one task that it had and replaced; a shared queue, as
that of `concurrent.futures`, would be lost with it. Nothing but the parent touches the disk.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait

from studies.common.crew import POLL, Function, pickled
from studies.common.errors import StudyError
from studies.common.study import Failure, Record
from studies.common.task import Task
from studies.common.worker import DIED, READY, Worker

_MAX_START_FAILURES = 3


class Processes:
    """``jobs`` workers and the tasks that wait for one; each may take ``time_limit`` seconds."""

    def __init__(
        self, function: Function, tasks: Sequence[Task], jobs: int, time_limit: float | None
    ) -> None:
        self._pickled, self._jobs, self._time_limit = pickled(function), jobs, time_limit
        self._waiting = deque(tasks)
        self._workers: list[Worker] = []
        self._start_failures = 0

    @property
    def is_busy(self) -> bool:
        """As `Crew` says."""
        return bool(self._waiting) or any(worker.task for worker in self._workers)

    def wait(self) -> None:
        """Start workers as long as there are tasks for them, and wait for what they say."""
        idle = sum(worker.task is None for worker in self._workers)
        wanted = min(self._jobs - len(self._workers), len(self._waiting) - idle)
        for _ in range(wanted):
            self._workers.append(Worker(self._pickled))
        signs = [sign for worker in self._workers for sign in worker.signs]
        wait(signs, timeout=POLL)

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
        """As `Crew` says."""
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

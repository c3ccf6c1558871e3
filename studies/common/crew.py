"""Who does the tasks of a study: this process, processes of its own, or those of a cluster.

Nobody but the process of the study touches its disk: a crew yields records, the runner keeps them.
"""

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from studies.common.attempt import attempt
from studies.common.errors import StudyError
from studies.common.signals import Stop, Stopped
from studies.common.study import Record
from studies.common.task import Task
from studies.common.values import Value

Function = Callable[[Task], Value]

POLL = 0.1
"""Seconds between two looks at signals, limits and the progress bar."""


class Crew(Protocol):
    """Whoever does the tasks it was made for, in any order, each once unless it dies of it."""

    @property
    def is_busy(self) -> bool:
        """Whether a record is still to come."""

    def wait(self) -> None:
        """Hand out tasks, and return when there may be news, or soon."""

    def news(self) -> Iterable[Record]:
        """Records of tasks that ended since."""

    def close(self) -> None:
        """Drop what is not done."""


def do_tasks(crew: Crew, stop: Stop, tick: Callable[[], None]) -> Iterator[Record]:
    """Records of all tasks in the order in which they end, or of some if ``stop`` is heard.

    Parameters
    ----------
    crew
    stop
    tick
        Called about ten times a second.

    Raises
    ------
    StudyError
        The function cannot be sent to a worker, or workers do not start.
    """
    while crew.is_busy and stop.signal is None:
        crew.wait()
        tick()
        if stop.signal is None:  # else a worker may have died of the same signal
            yield from crew.news()


class Here:
    """The process itself, for debuggers: without a time limit, and mortal."""

    def __init__(self, function: Function, tasks: Sequence[Task], stop: Stop) -> None:
        self._function, self._waiting, self._stop = function, deque(tasks), stop

    @property
    def is_busy(self) -> bool:
        """As `Crew` says."""
        return bool(self._waiting)

    def wait(self) -> None:
        """As `Crew` says."""

    def news(self) -> Iterator[Record]:
        """Do a task."""
        try:
            with self._stop.at_once():
                record = attempt(self._function, self._waiting.popleft())
        except Stopped:
            return
        yield record

    def close(self) -> None:
        """As `Crew` says."""


def pickled(work: Any) -> bytes:
    """The study's function, or what holds it, as bytes.

    Raises
    ------
    StudyError
        It cannot be sent.
    """
    try:
        return pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise StudyError(
            f"the study's function cannot be sent to a worker ({error}); define it at the top "
            "level of a module, with functools.partial for settings"
        ) from error

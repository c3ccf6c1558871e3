"""One worker process: the parent's view of it, and what it runs."""

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

from studies.common.attempt import attempt, failure_of
from studies.common.signals import SIGNALS
from studies.common.study import Failure
from studies.common.task import Task

READY = "ready"
DIED, TOO_LONG = "WorkerDied", "TimeLimit"
_CONTEXT = multiprocessing.get_context("spawn")
# One thread each: workers share the processors already, and sums must not depend on their number.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Worker:
    """A process and what the parent knows of it."""

    def __init__(self, pickled: bytes) -> None:
        self._pipe, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_serve, args=(theirs, pickled), daemon=True)
        with _child_settings():
            self._process.start()
        theirs.close()
        self.task: Task | None = None
        self.is_started = False
        self.is_over = False
        self._since = monotonic()

    @property
    def signs(self) -> tuple[Any, ...]:
        """What becomes ready when the worker speaks or ends."""
        return self._pipe, self._process.sentinel

    @property
    def age(self) -> float:
        """Seconds since the task was given."""
        return monotonic() - self._since

    def give(self, task: Task) -> None:
        """Hand a task over; from now on its time runs."""
        self.task, self._since = task, monotonic()
        with suppress(OSError):  # it died meanwhile, which `heard` will tell
            self._pipe.send(task)

    def heard(self, time_limit: float | None) -> Any:
        """Return the worker's message, a Failure if it will send none, None if all is quiet."""
        try:
            if self._pipe.poll():
                return self._pipe.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            return self._died()
        if not self._process.is_alive():
            return self._died()
        if self.task and time_limit is not None and self.age > time_limit:
            self.end()
            return too_long(time_limit)
        return None

    def end(self) -> None:
        """Kill the process and wait until it is gone."""
        self.is_over = True
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def _died(self) -> Failure:
        self._process.join(1.0)  # its pipe can close a moment before it ends
        code = self._process.exitcode
        self.end()
        return Failure(DIED, _cause(code))


def too_long(time_limit: float) -> Failure:
    """Return the failure of a task that was given up."""
    return Failure(TOO_LONG, f"ran longer than the limit of {time_limit:g} s")


def _cause(code: int | None) -> str:
    if code is None:
        return "the worker process closed its pipe"
    if code >= 0:
        return f"the worker process ended with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = ", perhaps because memory ran out" if name == "SIGKILL" else ""
    return f"the worker process was killed by {name}{hint}"


@contextmanager
def _child_settings() -> Iterator[None]:
    """What a child is to inherit: one thread a library, and signals that wait until it is ready.

    Ctrl-C reaches every process of the terminal; only the parent is to act on it.
    """
    added = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    can_block = hasattr(signal, "pthread_sigmask")
    if can_block:
        resource_tracker.ensure_running()  # it unblocks the signals when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS) if can_block else set()
    try:
        yield
    finally:
        if can_block:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for name in added:
            del os.environ[name]


def _serve(pipe: "Connection[Any, Any]", pickled: bytes) -> None:
    """A worker's life: tasks in, records out, until the pipe closes or the parent is gone."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        function = pickle.loads(pickled)  # noqa: S301  the parent's own bytes
    except Exception as error:
        pipe.send(failure_of(error))
        return
    pipe.send(READY)
    with suppress(EOFError, OSError):
        while True:
            pipe.send(attempt(function, pipe.recv()))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

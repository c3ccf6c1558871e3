"""One call in a process of its own: its CPU seconds and memory, or which limit it ran into.

The process is a fork, so that it has the data and the modules, and what a call leaves behind goes
with it; on systems that can fork.
"""

import io
import json
import os
import resource
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import process_time, sleep
from typing import Any

import bnlr
from benchmarks import memory
from benchmarks.growth import clock

_PATIENCE = 4
"""What is made ready for a call may take so many times its limit."""

TIME, MEMORY, REFUSED, DONE = "time", "memory", "refused", "done"

Call = Callable[[], object]


@dataclass(frozen=True)
class Limits:
    """CPU seconds of a call, bytes beyond what the process has; ``least``: seconds of a batch."""

    seconds: float
    n_bytes: int
    least: float = clock.LEAST


def measured(
    prepare: Callable[[], Call], tell: Callable[[object], dict[str, Any]], limits: Limits
) -> dict[str, Any]:
    """Measure the call that ``prepare`` returns.

    Returns
    -------
    dict
        ``outcome``: "done", "time" or "memory" for the limit that it ran into, "refused" with
        the message of a BnlrError. With "done" also ``seconds``, its CPU time, ``memory``, the
        bytes the first call added at its height, ``shown``, whether it showed progress on what it
        took for a terminal, and what ``tell`` says of its result.
    """

    def here() -> dict[str, Any]:
        _allow(_PATIENCE * limits.seconds)
        call = prepare()
        results: list[object] = []
        _allow(limits.seconds)
        with _terminal() as screen:
            start = process_time()
            added = memory.peak_added(lambda: results.append(call()))
            first = process_time() - start
        told = tell(results.pop())
        _allow(limits.seconds + clock.BATCHES * limits.least)
        best = clock.seconds(call, limits.least, first)
        own = {"outcome": DONE, "seconds": best, "memory": added, "shown": screen.tell() > 0}
        return own | told

    return apart(here, limits.n_bytes)


def apart(function: Callable[[], dict[str, Any]], n_bytes: int) -> dict[str, Any]:
    """Return what a function gives in a fork that may use so many bytes more.

    Raises
    ------
    RuntimeError
        It raised anything but a MemoryError or a BnlrError, or its process died.
    """
    theirs, ours = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads stay behind, without locks
        pid = os.fork()
    if pid == 0:
        os.close(theirs)
        _child(function, n_bytes, ours)
    os.close(ours)
    with os.fdopen(theirs, "rb") as pipe:
        raw = pipe.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
        return {"outcome": TIME}
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return {"outcome": MEMORY}
    found: dict[str, Any] = json.loads(raw) if raw else {"error": f"ended with status {status}"}
    if "error" in found:
        raise RuntimeError(found["error"])
    return found


def _child(function: Callable[[], dict[str, Any]], n_bytes: int, pipe: int) -> None:
    """Do it, say it, end: nothing of the parent's may run here."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    try:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_AS, (memory.read_status("VmSize") + n_bytes, hard))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = function()
    except MemoryError:
        found = {"outcome": MEMORY}
    except bnlr.BnlrError as error:
        found = {"outcome": REFUSED, "message": " ".join(str(error).split())}
    except BaseException as error:
        found = {"error": f"{type(error).__name__}: {error}"}
    with os.fdopen(pipe, "wb") as file:
        file.write(json.dumps(found).encode())
    os._exit(0)


def _allow(seconds: float) -> None:
    """Have the system end this process after so much more CPU time."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        sleep(0.5)
    os._exit(1)


class _Screen(io.StringIO):
    """Standard error that calls itself a terminal."""

    def isatty(self) -> bool:
        return True


@contextmanager
def _terminal() -> Iterator[_Screen]:
    before, screen = sys.stderr, _Screen()
    sys.stderr = screen
    try:
        yield screen
    finally:
        sys.stderr = before

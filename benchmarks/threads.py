"""Limits on threads that hold for every contender, whatever it is told."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from threadpoolctl import threadpool_limits

_TASKS = Path("/proc/self/task")


@contextmanager
def limited(n_threads: int) -> Iterator[None]:
    """Limit thread pools and, on Linux, the CPUs that this process may use, to ``n_threads``.

    The CPUs bind code that starts threads of its own accord, so that a figure for one thread
    is one.
    """
    allowed = _allowed()
    try:
        if allowed:
            _bind(set(sorted(allowed)[-n_threads:]))
        with threadpool_limits(limits=n_threads):
            yield
    finally:
        if allowed:
            _bind(allowed)


def _allowed() -> set[int]:
    can = hasattr(os, "sched_getaffinity") and _TASKS.is_dir()
    return set(os.sched_getaffinity(0)) if can else set()


def _bind(cpus: set[int]) -> None:
    """Bind all threads that there are; later ones inherit it."""
    for task in _TASKS.iterdir():
        try:
            os.sched_setaffinity(int(task.name), cpus)
        except ProcessLookupError:
            continue  # it has ended meanwhile

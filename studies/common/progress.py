"""How far a study is: a bar with the time left on a terminal, else a plain line now and then."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress

_FIRST_LINE, _LATER_LINES = 2.0, 30.0  # seconds after which plain output speaks


def note(text: str) -> None:
    """Write a line about the work to standard error, apart from any result."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


class Reporter(Protocol):
    """What the runner tells of its progress."""

    def done(self, failed: bool) -> None:
        """Count one more task."""

    def tick(self) -> None:
        """Let time pass."""


class Estimate:
    """Tasks done, failed and left; the time left if they last as long as those of this run."""

    def __init__(self, total: int, before: int) -> None:
        self.total, self.n_done, self.n_failed = total, before, 0
        self._before, self._start = before, monotonic()

    def count(self, failed: bool) -> None:
        """Count one more task."""
        self.n_done += 1
        self.n_failed += failed

    @property
    def left(self) -> str:
        """The time left in words, empty before the first task has ended."""
        fresh = self.n_done - self._before
        if not fresh:
            return ""
        seconds = (monotonic() - self._start) / fresh * (self.total - self.n_done)
        return f"{duration(seconds)} left"

    def __str__(self) -> str:
        failed = f", {self.n_failed} failed" if self.n_failed else ""
        left = f", about {self.left}" if self.left and self.n_done < self.total else ""
        return f"{self.n_done} of {self.total} tasks{failed}{left}"


def duration(seconds: float) -> str:
    """Return seconds as people say them: 0.4 s, 12 s, 3 min 05 s, 2 h 10 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, whole = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {whole:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


@contextmanager
def progress(name: str, total: int, before: int, quiet: bool) -> Iterator[Reporter]:
    """Show the progress of a study while in here.

    Parameters
    ----------
    name
    total, before
        Tasks in all, and those that an earlier run has done.
    quiet
        Show nothing.
    """
    estimate = Estimate(total, before)
    if quiet or before == total:
        yield _Silent()
    elif sys.stderr.isatty():
        with _bar(name, estimate) as shown:
            yield shown
    else:
        yield _Lines(name, estimate)


class _Silent:
    def done(self, failed: bool) -> None:
        del failed

    def tick(self) -> None:
        pass


class _Lines:
    def __init__(self, name: str, estimate: Estimate) -> None:
        self._name, self._estimate = name, estimate
        self._next = monotonic() + _FIRST_LINE

    def done(self, failed: bool) -> None:
        self._estimate.count(failed)
        self.tick()

    def tick(self) -> None:
        if monotonic() >= self._next:
            self._next = monotonic() + _LATER_LINES
            note(f"{self._name}: {self._estimate}")


class _Bar:
    def __init__(self, bar: "Progress", name: str, estimate: Estimate) -> None:
        self._bar, self._estimate = bar, estimate
        self._id = bar.add_task(name, total=estimate.total, completed=estimate.n_done, left="")

    def done(self, failed: bool) -> None:
        self._estimate.count(failed)
        self._bar.update(self._id, completed=self._estimate.n_done, left=self._estimate.left)

    def tick(self) -> None:
        self._bar.update(self._id, left=self._estimate.left)


@contextmanager
def _bar(name: str, estimate: Estimate) -> Iterator[_Bar]:
    from rich.console import Console  # noqa: PLC0415  heavy, and workers do without
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Bar(bar, name, estimate)

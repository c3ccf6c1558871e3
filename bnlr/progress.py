"""What a person sees of a computation that runs."""

import logging
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from types import TracebackType
from typing import Self, TypeVar

from bnlr.printable import printable

_PATIENCE, _LONG = 2.0, 60.0
_log = logging.getLogger("bnlr")
_Item = TypeVar("_Item")


class ProgressLine:
    """Shows each text: a line each with ``verbose``, else one line on a terminal after 2 seconds.

    The line is kept up to date on standard error, and wiped at the end. Where nobody would see it,
    as in scripts, work that is found to take more than a minute is logged once, as a warning of
    the logger "bnlr".
    """

    def __init__(self, verbose: int) -> None:
        self._verbose = verbose
        self._begin, self._shown, self._told = perf_counter(), False, False

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return perf_counter() - self._begin

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")

    @property
    def is_due(self) -> bool:
        """Whether a text would be shown now."""
        return bool(self._verbose) or (self.spent > _PATIENCE and sys.stderr.isatty())

    @property
    def is_line(self) -> bool:
        """Whether it would be kept up to date in one line."""
        return self.is_due and not self._verbose

    def write(self, text: str) -> None:
        """Show ``text`` if it is wanted or time."""
        text = printable(text)
        if self._verbose:
            sys.stderr.write(f"{text}\n")
        elif self.is_due:
            self._shown = True
            sys.stderr.write(f"\r\x1b[Kbnlr: {text}")
            sys.stderr.flush()

    def write_share(self, done: int, of_all: int, what: str) -> None:
        """Show how much of ``what`` is done, and the time left if so much more takes as long."""
        if self.spent > _PATIENCE:
            self.foresee(self.left(done, of_all), f"{of_all:,} {what}")
        if self.is_due and done:
            left = shown_time(self.left(done, of_all))
            self.write(f"{done:,} of {of_all:,} {what}   about {left} left")

    def left(self, done: float, of_all: float) -> float:
        """Seconds that the rest takes if so much more takes as long; 0 where nothing is done."""
        return self.spent * (of_all / done - 1.0) if done else 0.0

    def foresee(self, seconds: float, what: str) -> None:
        """Log that ``what`` will take so long, if it is long and nobody is shown how far it is."""
        if self._told or seconds <= _LONG or self._verbose or sys.stderr.isatty():
            return
        self._told = True
        _log.warning("%s: about %s to come, by what is done so far", what, shown_time(seconds))


def shown(items: Collection[_Item], what: str) -> Iterator[_Item]:
    """Yield the items, and show on a terminal how many of ``what`` are done and the time left."""
    with ProgressLine(verbose=0) as line:
        for done, item in enumerate(items):
            line.write_share(done, len(items), what)
            yield item


def shown_time(seconds: float) -> str:
    """Return a time in whole seconds, or minutes."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


_stage: ContextVar[ProgressLine | None] = ContextVar("stage", default=None)


@contextmanager
def stage() -> Iterator[None]:
    """Within, what `tell` is given is shown on one line, from the second second of the stage on."""
    with ProgressLine(verbose=0) as line:
        before = _stage.set(line)
        try:
            yield
        finally:
            _stage.reset(before)


def tell(text: Callable[[], str]) -> None:
    """Show ``text`` if a stage goes on and it is time: for loops far below who began it."""
    line = _stage.get()
    if line is not None and line.is_due:
        line.write(text())

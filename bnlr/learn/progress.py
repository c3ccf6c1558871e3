"""What a person sees of a running fit or search."""

import sys
from collections.abc import Callable
from time import perf_counter
from types import TracebackType
from typing import Self

from bnlr.optimize.base import State

_PATIENCE = 2.0


class Line:
    """Shows each text: a line each with ``verbose``, else one line on a terminal after 2 seconds.

    The line is kept up to date on standard error, and wiped at the end.
    """

    def __init__(self, verbose: int) -> None:
        self._verbose = verbose
        self._begin, self._shown = perf_counter(), False

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

    def write(self, text: str) -> None:
        """Show ``text`` if it is wanted or time."""
        if self._verbose:
            sys.stderr.write(f"{text}\n")
        elif self.is_due:
            self._shown = True
            sys.stderr.write(f"\r\x1b[Kbnlr: {text}")
            sys.stderr.flush()


class Watch(Line):
    """Called after each iteration: shows it, and lets the user's callback stop the run.

    ``what`` names what the learner maximises, minus the objective; ``unit`` is what the solver's
    function counts in, see ``Settings``.
    """

    def __init__(
        self,
        verbose: int,
        callback: Callable[[State], bool | None] | None,
        what: str = "CLL less penalty",
        unit: float = 1.0,
    ) -> None:
        super().__init__(verbose)
        self._callback, self._what, self._unit = callback, what, unit

    def __call__(self, state: State) -> bool:
        """Show ``state``; True when the callback wants to stop."""
        if self._unit != 1:
            value, gradient = self._unit * state.value, self._unit * state.gradient
            state = State(state.iteration, value, state.x, gradient)
        if self.is_due:
            self.write(f"iteration {state.iteration:4d}   {self._what} {-state.value:.9g}")
        return bool(self._callback and self._callback(state))

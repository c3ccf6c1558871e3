"""What a person sees of a running fit."""

import sys
from collections.abc import Callable
from time import perf_counter
from types import TracebackType

from bnlr.optimize.base import State

_PATIENCE = 2.0


class Watch:
    """Called after each iteration: shows it, and lets the user's callback stop the run.

    ``verbose`` > 0 writes a line an iteration to standard error. Otherwise a fit of more than two
    seconds keeps one line up to date there, on a terminal only, and wipes it at the end. ``what``
    names what the learner maximises, minus the objective.
    """

    def __init__(
        self,
        verbose: int,
        callback: Callable[[State], bool | None] | None,
        what: str = "CLL less penalty",
    ) -> None:
        self._verbose, self._callback, self._what = verbose, callback, what
        self._begin, self._shown = perf_counter(), False

    def __enter__(self) -> "Watch":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")

    def __call__(self, state: State) -> bool:
        """Show ``state``; True when the callback wants to stop."""
        text = f"iteration {state.iteration:4d}   {self._what} {-state.value:.9g}"
        if self._verbose:
            sys.stderr.write(f"{text}\n")
        elif perf_counter() - self._begin > _PATIENCE and sys.stderr.isatty():
            self._shown = True
            sys.stderr.write(f"\r\x1b[Kbnlr: {text}")
            sys.stderr.flush()
        return bool(self._callback and self._callback(state))

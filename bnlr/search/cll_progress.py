"""What a person sees of a running search."""

import sys
from time import perf_counter
from types import TracebackType

_PATIENCE = 2.0


class Progress:
    """Shows each step: a line each with ``verbose``, else one line on a terminal after 2 seconds.

    The time left is guessed from the steps so far, and the moves that promise a better score or
    the steps and seconds allowed, if they are fewer.
    """

    def __init__(
        self, verbose: int, max_steps: int | None, max_seconds: float | None, what: str
    ) -> None:
        self._verbose, self._what = verbose, what
        self._max_steps, self._max_seconds = max_steps, max_seconds
        self._begin, self._shown = perf_counter(), False

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")

    def show(self, step: int, score: float, n_promising: int) -> None:
        """Show where the search is; ``n_promising`` moves may be still to come."""
        spent = perf_counter() - self._begin
        left = self._left(step, n_promising)
        text = f"step {step:3d}   {self._what} {score:.9g}   about {left} left"
        if self._verbose:
            sys.stderr.write(f"{text}\n")
        elif spent > _PATIENCE and sys.stderr.isatty():
            self._shown = True
            sys.stderr.write(f"\r\x1b[Kbnlr: {text}")
            sys.stderr.flush()

    def _left(self, step: int, n_promising: int) -> str:
        spent = perf_counter() - self._begin
        more = n_promising if self._max_steps is None else min(n_promising, self._max_steps - step)
        seconds = spent / step * (more + 1)
        if self._max_seconds is not None:
            seconds = min(seconds, max(self._max_seconds - spent, 0.0))
        return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"

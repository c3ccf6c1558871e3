"""Ctrl-C and SIGTERM as a wish to stop, seen between two steps or, where told, at once."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(BaseException):
    """Raised out of code that may be left at any point; no Exception, so that nobody catches it."""


class Stop:
    """Whether, and by which ``signal``, the process was asked to stop."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._at_once = False

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Let a signal raise `Stopped` in here: for a user's code, which does not look at us."""
        if self.signal is not None:
            raise Stopped
        self._at_once = True
        try:
            yield
        finally:
            self._at_once = False

    def _heard(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self.signal is not None:
            raise KeyboardInterrupt  # asked twice: now
        self.signal = number
        if self._at_once:
            raise Stopped


@contextmanager
def listening() -> Iterator[Stop]:
    """Hear the signals while in here; only the main thread can, elsewhere nothing changes."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    # A signal that is ignored, as under nohup, stays so.
    heard = [n for n in SIGNALS if signal.getsignal(n) not in {signal.SIG_IGN, None}]
    before = {number: signal.signal(number, stop._heard) for number in heard}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

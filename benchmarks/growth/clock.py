"""CPU seconds of a call, which other processes leave alone; wall-clock time they do not."""

from collections.abc import Callable
from time import process_time

LEAST = 0.2
"""Seconds of a batch: systems count CPU time in steps of up to 10 ms."""
BATCHES = 3


def timed(call: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    start = process_time()
    call()
    return process_time() - start


def seconds(call: Callable[[], object], least: float = LEAST, first: float | None = None) -> float:
    """CPU seconds of a call: the least mean of batches of enough calls to tell.

    Parameters
    ----------
    call
    least
        Seconds of a batch; three of that many are spent, one batch if it takes as long.
    first
        Seconds that a call took already, which count.
    """
    n, spent = 1, timed(call) if first is None else first
    while spent < least:
        n = 8 * n if spent < least / 10 else int(1.2 * n * least / spent) + 1
        spent = _batch(call, n)
    best, total = spent, spent
    while total < BATCHES * least:
        spent = _batch(call, n)
        best, total = min(best, spent or best), total + spent  # a step may hide a short batch
    return best / n


def _batch(call: Callable[[], object], n: int) -> float:
    return timed(lambda: [call() for _ in range(n)])

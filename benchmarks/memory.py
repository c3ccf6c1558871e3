"""How much resident memory a call adds at its height."""

import ctypes
import resource
import sys
from collections.abc import Callable
from pathlib import Path

_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


def peak_added(run: Callable[[], object]) -> int:
    """Bytes by which the peak of resident memory during ``run`` exceeds what was resident before.

    Elsewhere than on Linux the peak cannot be set back: the growth of the process's highest so
    far is given, which is too small if more memory was used before.
    """
    before = _reset()
    run()
    return max(_peak() - before, 0)


def _reset() -> int:
    """Set the peak back to what is resident now, and return that."""
    _trim()
    try:
        _RESET.write_text(_RESET_PEAK)
        return read_status("VmRSS")
    except OSError:
        return _peak()


def _trim() -> None:
    """Have glibc give freed memory back, which the call would otherwise use unseen."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def _peak() -> int:
    if _STATUS.exists():
        return read_status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def read_status(key: str) -> int:
    """Bytes that the kernel gives for ``key``, such as VmRSS or RssAnon; Linux only."""
    line = next(li for li in _STATUS.read_text().splitlines() if li.startswith(key))
    return int(line.split()[1]) * 1024

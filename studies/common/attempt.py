"""One task in, its record out, whatever the function does."""

import json
import traceback
from collections.abc import Callable
from time import perf_counter

from studies.common.errors import ResultError
from studies.common.signals import Stopped
from studies.common.study import Failure, Record, Timed
from studies.common.task import Task
from studies.common.values import Value, to_text

_LONGEST = 2000


def attempt(function: Callable[[Task], Value], task: Task) -> Record:
    """Call the function; what it raises becomes the record's failure.

    Only `Stopped` passes: a task that calls `sys.exit` has failed like any other.
    """
    start = perf_counter()
    try:
        outcome = function(task)
        timed = outcome if isinstance(outcome, Timed) else Timed(outcome, {})
        # As it will be read from the journal, so that fresh and resumed runs cannot differ.
        result, extra = json.loads(to_text(timed.result)), _seconds(timed)
    except Stopped:
        raise
    except BaseException as error:
        return Record(task, None, failure_of(error), {"total": perf_counter() - start})
    return Record(task, result, None, {"total": perf_counter() - start, **extra})


def failure_of(error: BaseException) -> Failure:
    """Return an exception as text, in one line and with its traceback apart."""
    message = " ".join(_words(error).split())[:_LONGEST]
    lines = traceback.format_exception(error, limit=-8)
    return Failure(type(error).__name__, message, "".join(lines)[-2 * _LONGEST :])


def _words(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "(the exception cannot be shown as text)"


def _seconds(timed: Timed) -> dict[str, float]:
    seconds = {str(name): float(value) for name, value in timed.seconds.items()}
    if "total" in seconds:
        raise ResultError("the seconds of a task may not be called total, which is the runner's")
    to_text(seconds, "the seconds")
    return seconds

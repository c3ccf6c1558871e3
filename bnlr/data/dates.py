"""Text that is a date: as labels each day is one of its own, as a number it may tell something."""

import re
from calendar import isleap
from collections.abc import Iterable
from datetime import datetime, timedelta

from bnlr._typing import State

_TIME = (
    r"([T ](?P<hour>\d{1,2}):(?P<minute>\d\d)(:(?P<second>\d\d(\.\d+)?))?"
    r"\s?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)
_YEAR_FIRST = r"(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})"
_POINTS = r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})"
# Of other dates that end in the year one cannot tell whether the day or the month comes first.
_YEAR_LAST = r"\d{1,2}([-/.])\d{1,2}\1\d{4}"
_READ = [re.compile(form + _TIME, re.ASCII) for form in (_YEAR_FIRST, _POINTS)]
_DATES = [*_READ, re.compile(_YEAR_LAST + _TIME, re.ASCII)]


def are_dates(labels: Iterable[State]) -> bool:
    """Whether all labels are dates, in digits with the year whole, with or without a time."""
    return all(
        isinstance(label, str) and any(form.fullmatch(label.strip()) for form in _DATES)
        for label in labels
    )


def decimal_year(text: str) -> float | None:
    """Return a date as its year and the share of the year that is over: 2021-07-02 is 2021.4986.

    The year is whole and stands first, or last after points: 2.7.2021. A time is that of UTC where
    it names no zone. None for what is no such date.
    """
    match = next(filter(None, (form.fullmatch(text.strip()) for form in _READ)), None)
    if match is None:
        return None
    year, month, day, hour, minute = (
        int(match[name] or 0) for name in ("year", "month", "day", "hour", "minute")
    )
    try:
        moment = datetime(year, month, day, hour, minute) + timedelta(
            seconds=float(match["second"] or 0)
        )
        moment -= _offset(match["zone"])
    except (ValueError, OverflowError):
        return None
    days = 366 if isleap(moment.year) else 365
    return moment.year + (moment - datetime(moment.year, 1, 1)) / timedelta(days)


def _offset(zone: str | None) -> timedelta:
    """Return how far the clocks of a zone, such as +02:00, are before those of UTC."""
    if zone is None or zone == "Z":
        return timedelta()
    size = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
    return -size if zone[0] == "-" else size

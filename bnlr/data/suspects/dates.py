"""Text that is a date: as labels each day is one of its own, as a number it may tell something."""

import re
from collections.abc import Iterable

from bnlr._typing import State

_TIME = r"([T ]\d{1,2}:\d\d(:\d\d(\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?)?"
_DATE = re.compile(
    rf"(\d{{4}}([-/.])\d{{1,2}}\2\d{{1,2}}|\d{{1,2}}([-/.])\d{{1,2}}\3\d{{4}}){_TIME}"
)


def are_dates(labels: Iterable[State]) -> bool:
    """Whether all labels are dates, in digits with the year whole, with or without a time."""
    return all(isinstance(label, str) and _DATE.fullmatch(label.strip()) for label in labels)

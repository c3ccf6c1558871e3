"""Checks of the numbers that structure learners take as options."""

from numbers import Real
from typing import SupportsIndex

from bnlr.errors import ParameterError


def whole(name: str, value: object, least: int, or_else: str = "") -> int:
    """Return a whole number of at least ``least``; ``or_else`` ends the message.

    Raises
    ------
    ParameterError
        Anything else.
    """
    if isinstance(value, bool) or not isinstance(value, SupportsIndex) or value.__index__() < least:
        raise ParameterError(
            f"{name} is {value!r}; it must be a whole number, {least} or larger{or_else}"
        )
    return value.__index__()


def number(name: str, value: object, or_else: str = "") -> float:
    """Return a number that is not NaN; errors as `whole`."""
    if isinstance(value, bool) or not isinstance(value, Real) or float(value) != float(value):
        raise ParameterError(f"{name} is {value!r}; it must be a number{or_else}")
    return float(value)

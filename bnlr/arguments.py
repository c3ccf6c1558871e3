"""Checks of arguments: their kind before anything is asked of them, and numbers given as options.

NumPy's numbers are numbers as Python's are; True and False are none.
"""

from collections.abc import Collection
from math import inf, isnan
from numbers import Real
from typing import Any

from bnlr.errors import ParameterError
from bnlr.spellings import canonical, guess_choice
from bnlr.words import described, quoted


def check_kind(name: str, value: object, kind: type | tuple[type, ...], remedy: str) -> None:
    """Refuse a value of another kind.

    Raises
    ------
    ParameterError
        With the argument's name, what it is, and the ``remedy``: what to give instead.
    """
    if not isinstance(value, kind):
        raise ParameterError(f"{name} is {described(value)}; give {remedy}")


def one_of(name: str, value: object, choices: Collection[str]) -> str:
    """Return the one of some texts that is meant, see `bnlr.spellings`; errors as `check_kind`."""
    meant = canonical(value, choices)
    if not isinstance(meant, str) or meant not in choices:
        known = ", ".join(choices)
        raise ParameterError(
            f"{name} is {described(value)}; choose one of {known}{guess_choice(value, choices)}"
        )
    return meant


def whole(name: str, value: object, least: int, or_else: str = "") -> int:
    """Return a whole number of at least ``least``; ``or_else`` ends the message.

    Raises
    ------
    ParameterError
        Anything else.
    """
    if not is_whole(value) or value.__index__() < least:  # type: ignore[attr-defined]
        raise ParameterError(
            f"{name} is {quoted(value)}; it must be a whole number, {least} or larger{or_else}"
        )
    return int(value.__index__())  # type: ignore[attr-defined]


def number(name: str, value: object, or_else: str = "") -> float:
    """Return a number that is not NaN; errors as `whole`."""
    if not is_number(value) or isnan(_float(value)):
        raise ParameterError(f"{name} is {quoted(value)}; it must be a number{or_else}")
    return _float(value)


def amount(name: str, value: object, or_else: str = "") -> float:
    """Return a finite number, 0 or larger; errors as `whole`."""
    if not is_number(value) or not 0 <= _float(value) < inf:
        raise ParameterError(
            f"{name} is {quoted(value)}; it must be a finite number, 0 or larger{or_else}"
        )
    return _float(value)


def _float(value: Any) -> float:
    """Return a number as a float, infinite if it is a whole one beyond them."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def seed(value: object) -> int | None:
    """Return a ``random_state``: a whole number from 0 on, or None; errors as `whole`."""
    return None if value is None else whole("random_state", value, 0, ", or None")


def verbosity(value: object) -> int:
    """Return ``verbose``: a whole number from 0 on, True or False; errors as `whole`."""
    return int(value) if isinstance(value, bool) else whole("verbose", value, 0)


def is_number(value: object) -> bool:
    """Whether ``value`` is one real number, NaN among them, and no truth value."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object) -> bool:
    """Whether it is a whole number."""
    # An array of one entry has __index__ too, and raises.
    # Asking for the protocol SupportsIndex would take as long as a pass over a few hundred rows.
    return is_number(value) and hasattr(type(value), "__index__")

"""Refusals of arguments of another kind, before anything is asked of them."""

from collections.abc import Collection

from bnlr.errors import ParameterError

_SHOWN = 60


def check_kind(name: str, value: object, kind: type | tuple[type, ...], remedy: str) -> None:
    """Refuse a value of another kind.

    Raises
    ------
    ParameterError
        With the argument's name, what it is, and the ``remedy``: what to give instead.
    """
    if not isinstance(value, kind):
        raise ParameterError(f"{name} is {described(value)}; give {remedy}")


def check_one_of(name: str, value: object, choices: Collection[str]) -> None:
    """Refuse what is none of some texts; errors as `check_kind`."""
    if not isinstance(value, str) or value not in choices:
        known = ", ".join(choices)
        raise ParameterError(f"{name} is {described(value)}; choose one of {known}")


def described(value: object) -> str:
    """Return what a message calls a value: itself where it is short, else its type."""
    if value is None or isinstance(value, str | bytes | int | float):
        text = repr(value) if not isinstance(value, int) or value.bit_length() < 200 else "huge"
        return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
    return f"the {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"

"""Refusals of arguments of another type, before matplotlib meets them."""

from bnlr.data.labels import shown
from bnlr.errors import ParameterError


def check_type(name: str, value: object, kind: type | tuple[type, ...], remedy: str) -> None:
    """Refuse a value of another type.

    Raises
    ------
    ParameterError
        With the value, and the ``remedy``: what to give instead.
    """
    if not isinstance(value, kind):
        raise ParameterError(f"{name} is {shown(value)}; give {remedy}")

"""Limits of what files may hold, which the environment may set under the name that errors tell."""

import os
from typing import NamedTuple


class Limit(NamedTuple):
    """The most that is read, and the environment's word for it."""

    most: int
    variable: str

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return f"set {self.variable} in the environment to allow more"


def limit_of(variable: str, most: int, unit: int = 1) -> Limit:
    """Return what the environment says, in units, or ``most`` if that is no whole number."""
    asked = os.environ.get(variable, "").strip()
    return Limit(int(asked) * unit if asked.isdecimal() else most, variable)

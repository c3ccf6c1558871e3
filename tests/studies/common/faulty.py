"""Disks that fail on command, and the list of every place where they can.

A place is (moment, operation, file): "amid write journal" ends the process when half of a journal
line is written. The k-th place of a run is the same place in every run of the toy study in one
process, so that a sweep over k visits all of them.
"""

from __future__ import annotations

import os
from pathlib import Path

from studies.common.disk import Disk

CRASHED = 77


class Crashing(Disk):
    """Ends the process at the ``fatal``-th place, as a loss of power would; None only lists them.

    "amid" leaves half of the bytes and "almost" all but the last.
    """

    def __init__(self, fatal: int | None = None) -> None:
        self.fatal = fatal
        self.places: list[str] = []

    def at(self, place: str) -> bool:
        self.places.append(place)
        return self.fatal == len(self.places) - 1

    def crash_at(self, place: str) -> None:
        if self.at(place):
            os._exit(CRASHED)

    def write(self, handle: int, raw: bytes, name: str) -> None:
        self.crash_at(f"before write {name}")
        for moment, part in (("amid", raw[: len(raw) // 2]), ("almost", raw[:-1])):
            if self.at(f"{moment} write {name}"):
                super().write(handle, part, name)
                os._exit(CRASHED)
        super().write(handle, raw, name)
        self.crash_at(f"after write {name}")

    def sync(self, handle: int, name: str) -> None:
        del handle
        # Not carried out: the death of a process loses nothing that was written, and it is slow.
        self.crash_at(f"before sync {name}")
        self.crash_at(f"after sync {name}")

    def replace(self, source: Path, target: Path, name: str) -> None:
        self.crash_at(f"before replace {name}")
        super().replace(source, target, name)
        self.crash_at(f"after replace {name}")


class Failing(Disk):
    """Raises ``error`` in place of the ``n``-th operation; a write leaves half of its bytes."""

    def __init__(self, n: int, error: int, operations: tuple[str, ...] = ("write",)) -> None:
        self.n, self.error, self.operations = n, error, operations
        self.count = 0

    def fails(self, operation: str) -> bool:
        self.count += operation in self.operations
        return operation in self.operations and self.count == self.n

    def raise_error(self) -> None:
        raise OSError(self.error, os.strerror(self.error))

    def write(self, handle: int, raw: bytes, name: str) -> None:
        if self.fails("write"):
            super().write(handle, raw[: len(raw) // 2], name)
            self.raise_error()
        super().write(handle, raw, name)

    def sync(self, handle: int, name: str) -> None:
        del handle, name
        if self.fails("sync"):
            self.raise_error()

    def replace(self, source: Path, target: Path, name: str) -> None:
        if self.fails("replace"):
            self.raise_error()
        super().replace(source, target, name)

"""A task: a few named values that say which piece of a study is meant, and nothing else."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from studies.common.errors import StudyError
from studies.common.values import Scalar, fingerprint, to_text


class Task(Mapping[str, Scalar]):
    """An immutable key such as ``Task(data="pima", space="lr", solver="cg", seed=1)``.

    Two tasks are the same if their `text` is; 1, 1.0 and True differ. The order of the fields is
    kept for tables and does not matter otherwise.

    Raises
    ------
    StudyError
        No field, or a value that is no text, finite number, boolean or None.
    """

    __slots__ = ("_fields", "_text")
    _fields: dict[str, Scalar]
    _text: str

    def __init__(self, /, **fields: Scalar) -> None:
        if not fields:
            raise StudyError("a task needs at least one field, e.g. Task(seed=1)")
        for name, value in fields.items():
            if not (value is None or isinstance(value, (str, int, float))):
                raise StudyError(
                    f"task field {name!r} is {value!r:.60}; it must be text, a number or None"
                )
        # By way of JSON, so that a task read from a journal is this very task.
        text = to_text(fields, "the task")
        object.__setattr__(self, "_fields", json.loads(text))
        object.__setattr__(self, "_text", to_text(dict(sorted(self._fields.items())), "the task"))

    @property
    def text(self) -> str:
        """The key in its one stable form: JSON with sorted names."""
        return self._text

    @property
    def seed(self) -> int:
        """A whole number in [0, 2⁶⁴) that depends on the key alone, not on order, time or run."""
        return int(fingerprint(self._text)[:16], 16)

    def part(self, *names: str) -> "Task":
        """Return the task of some fields only.

        ``task.part("data", "seed").seed`` is shared by all solvers that run on one data set.

        Raises
        ------
        StudyError
            A name that is no field.
        """
        missing = [name for name in names if name not in self._fields]
        if missing:
            raise StudyError(f"task {self} has no field {missing[0]!r}")
        return Task(**{name: self._fields[name] for name in names})

    def __getitem__(self, name: str) -> Scalar:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a task cannot be changed; make another ({name}={value!r:.40})")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self._fields,)

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self._fields.items())

    def __repr__(self) -> str:
        return f"Task({', '.join(f'{name}={value!r}' for name, value in self._fields.items())})"


def _rebuilt(fields: dict[str, Scalar]) -> Task:
    return Task(**fields)

"""The public names and how they are called, written out so that changing one is deliberate.

A line that must change here is a line for CHANGELOG.md. ``python -m tests.test_public_api`` prints
what the code says now.
"""

import enum
import inspect
from collections.abc import Iterator

import bnlr

SNAPSHOT = """\
"""


def described() -> str:
    lines: list[str] = []
    for name in bnlr.__all__:
        value = getattr(bnlr, name)
        if not inspect.isclass(value):
            lines.append(name + call(value))
        elif issubclass(value, BaseException):
            lines.append(f"{name}: {', '.join(bases(value))}")
        else:
            lines += [name + call(value), *(f"  .{line}" for line in members(value))]
    return "\n".join(lines) + "\n"


def members(cls: type) -> Iterator[str]:
    """Public attributes that bnlr itself defines: a name, with its call if it is a function."""
    names = {n for base in own_bases(cls) for n in (*vars(base), *annotated(base))}
    for name in sorted(n for n in names if not n.startswith("_")):
        value = inspect.getattr_static(cls, name, None)
        function = getattr(value, "__func__", value)
        yield name + call(function, bound=True) if inspect.isfunction(function) else name


def own_bases(cls: type) -> list[type]:
    return [base for base in cls.__mro__ if base.__module__.partition(".")[0] == "bnlr"]


def annotated(cls: type) -> list[str]:
    return [] if issubclass(cls, enum.Enum) else list(inspect.get_annotations(cls))


def bases(error: type) -> list[str]:
    return [base.__name__ for base in error.__bases__]


def call(function: object, bound: bool = False) -> str:
    """Return the signature without annotations, and without the object it is bound to."""
    parameters = list(inspect.signature(function).parameters.values())  # type: ignore[arg-type]
    kept = parameters[1:] if bound and parameters[:1] and parameters[0].name in SELF else parameters
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in kept]
    return str(inspect.Signature(bare))


SELF = ("self", "cls")


def test_public_names_and_signatures():
    assert described() == SNAPSHOT


def test_names_are_sorted_so_that_two_changes_meet_in_a_merge():
    assert list(bnlr.__all__) == sorted(bnlr.__all__)


if __name__ == "__main__":
    print(described(), end="")  # noqa: T201

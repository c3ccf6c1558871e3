"""What a state label is, and when two labels are the same one.

A label is text, a boolean or a number, always a plain Python object. Labels of different kinds are
never equal: ``'1'``, ``True`` and ``1`` are three labels. Numbers compare by value, so the integer
1 and the float 1.0 are one label. Booleans and numbers do not share a variable, because Python
itself cannot tell ``True`` from ``1`` in a dictionary.
"""

from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence, Set
from itertools import pairwise, repeat
from math import isfinite
from typing import TypeGuard

import numpy as np

from bnlr._typing import State
from bnlr.errors import DataError
from bnlr.words import listed, quoted

MAX_FLOAT_STATES = 20
_EXACT_INTEGERS = 2.0**53
_MAX_BITS = 3321  # a thousand digits, which is what files may hold

Key = tuple[str, State]


def as_label(value: object) -> State | None:
    """Return the value as a plain Python label, None if it cannot be one."""
    if type(value) is str:  # by far the most
        return value
    if isinstance(value, np.floating):
        value = float(value)
    elif isinstance(value, np.generic) and value.dtype.kind in "biuUS":
        value = value.item()
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value.bit_length() <= _MAX_BITS:
        return int(value)
    if isinstance(value, float) and isfinite(value):
        return float(value) + 0.0  # one zero: -0.0 would be the same label, printed differently
    return None


def kind_of(label: State) -> str:
    """Return ``'text'``, ``'boolean'`` or ``'number'``."""
    if isinstance(label, str):
        return "text"
    return "boolean" if isinstance(label, bool) else "number"


def key_of(label: State) -> Key:
    """Return a dictionary key that is equal for equal labels only."""
    return kind_of(label), label


def keys_of(labels: Iterable[State]) -> Iterator[Key]:
    """Yield the key of each label."""
    items = [*labels]
    return zip(repeat("text"), items) if are_text(items) else map(key_of, items)


def are_text(values: Iterable[object]) -> TypeGuard[Iterable[str]]:
    """Whether all values are plain text, as columns of many labels mostly are."""
    return set(map(type, values)) <= {str}


def tidy(labels: Sequence[State]) -> list[State]:
    """Return the labels with whole floats as integers where every number is whole.

    Integers arrive as floats when a column of theirs has a hole.
    """
    if are_text(labels):
        return list(labels)
    floats = [label for label in labels if isinstance(label, float)]
    if not all(x.is_integer() and abs(x) <= _EXACT_INTEGERS for x in floats):
        return list(labels)
    return [int(label) if isinstance(label, float) else label for label in labels]


def in_order(labels: Iterable[State]) -> list[State]:
    """Return the labels sorted: by value within a kind, kinds that do not compare by type name."""
    items: list[State] = list(labels)
    if are_text(items) or len({kind_of(label) for label in items}) <= 1:
        return sorted(items)  # type: ignore[type-var]  # one kind compares
    return sorted(items, key=lambda label: (type(label).__name__, label))


def are_steps(labels: Sequence[State]) -> bool:
    """Whether the labels are numbers, more than one, that rise all the way or fall all the way."""
    if len(labels) < 2 or any(kind_of(label) != "number" for label in labels):
        return False
    rises = {low < high for low, high in pairwise(labels)}  # type: ignore[operator]  # numbers
    return len(rises) == 1


def check_kinds(node: str, labels: Sequence[State]) -> None:
    """Refuse booleans and numbers in one variable.

    Raises
    ------
    DataError
        With the variable and one label of each kind.
    """
    if are_text(labels):
        return
    first: dict[str, State] = {}
    for label in labels:
        first.setdefault(kind_of(label), label)
    if {"boolean", "number"} <= first.keys():
        raise DataError(
            f"variable {quoted(node)} holds the boolean {first['boolean']} and the number "
            f"{quoted(first['number'])}, which Python cannot keep apart (True == 1); "
            "make all of them numbers, booleans or text"
        )


def check_states(states: object, class_name: str) -> dict[str, tuple[State, ...]]:
    """Return a checked copy of a ``{node: labels}`` mapping.

    Raises
    ------
    DataError
        Names that are not text, a class that is not among them, a variable without states,
        a label that is missing, repeated or neither text, boolean nor finite number.
    """
    checked = check_labels(states)
    if check_name(class_name) not in checked:
        raise DataError(
            f"the class {quoted(class_name)} has no entry in states, which name {listed(checked)}"
        )
    return checked


def check_labels(states: object) -> dict[str, tuple[State, ...]]:
    """Return a checked copy of a ``{node: labels}`` mapping, of whichever nodes.

    Raises
    ------
    DataError
        As `check_states`, but that the class may have no entry.
    """
    if not isinstance(states, Mapping):
        raise DataError(
            f"states must map each node to its labels, not be a {type(states).__name__}"
        )
    return {check_name(node): _check_labels(node, labels) for node, labels in states.items()}


def latent_remedy(node: str) -> str:
    """Return how a message on a node without a column ends: with what makes it a latent one."""
    return f"or give the states of a latent node: states={{{quoted(node)}: ['low', 'high']}}"


def are_unordered(labels: object) -> bool:
    """Whether labels come in an order that the next process may not have: a set's."""
    return isinstance(labels, Set) and not isinstance(labels, KeysView)


def check_name(name: object) -> str:
    """Return a variable's name as a plain string.

    Raises
    ------
    DataError
        Not text, or empty.
    """
    if not isinstance(name, str) or not name:
        raise DataError(
            f"the name {quoted(name)} of a variable is not a non-empty text; "
            "rename the columns, for instance with frame.columns = frame.columns.map(str)"
        )
    return str.__str__(name)


def _check_labels(node: str, labels: object) -> tuple[State, ...]:
    is_other = isinstance(labels, (str, bytes, Mapping, Iterator)) or are_unordered(labels)
    if is_other or not isinstance(labels, Iterable):
        raise DataError(
            f"the states of {quoted(node)} must be a sequence, not {quoted(labels)}; give a list"
        )
    values = list(labels)
    if not values:
        raise DataError(f"variable {quoted(node)} has no states; give at least one")
    plain: list[State] = []
    for value in values:
        label = as_label(value)
        if label is None:
            raise DataError(
                f"{quoted(value)} cannot be a state of {quoted(node)}; states are text, booleans "
                "or finite numbers of at most 1,000 digits"
            )
        plain.append(label)
    check_kinds(node, plain)
    _check_distinct(node, plain)
    return tuple(plain)


def _check_distinct(node: str, labels: Sequence[State]) -> None:
    seen: set[Key] = set()
    for label in labels:
        if key_of(label) in seen:
            raise DataError(f"variable {quoted(node)} lists the state {quoted(label)} twice")
        seen.add(key_of(label))


def positions(labels: Iterable[State]) -> dict[Key, int]:
    """Return the code of every label."""
    return {key: code for code, key in enumerate(keys_of(labels))}

"""Rows in parts, each where it is: what is asked of all of them is put together from blocks.

A block is a fixed number of rows in their order, the last one fewer; a part is a run of blocks.
What is asked of a block is put together with its neighbour's, two such with the next two, and so
on: a tree that the number of blocks alone decides. So results are the same, to the bit, however
the blocks are shared out.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

BLOCK_ROWS = 2**16
"""Rows of a block: those of a chunk of packed rows, so that a block is one."""

Combine = Callable[[Any, Any], Any]


class Node(NamedTuple):
    """What 2^level blocks come to, from block ``place`` · 2^level on."""

    level: int
    place: int
    value: Any


class Trips:
    """How many results have been waited for, ``n``, by parts and all that was made of them."""

    n = 0


class Parts(ABC):
    """Values of blocks, kept in parts; functions travel to them, and what blocks come to back.

    Functions are those of a module, and pure: whatever they give may have to be worked out anew.
    """

    trips: Trips

    @abstractmethod
    def map(self, function: Callable[..., Any], *arguments: Any) -> "Parts":
        """``function(value, *arguments)`` of each block, which stays where the block is."""

    def fold(
        self, function: Callable[..., Any], *arguments: Any, combine: Combine | None = None
    ) -> Any:
        """The blocks' ``function(value, *arguments)`` put together, by default added up."""
        return self._folded(function, arguments, combine or added, is_numbered=False)

    def fold_numbered(self, function: Callable[..., Any], *arguments: Any, combine: Combine) -> Any:
        """The same of ``function(value, number of the block, *arguments)``."""
        return self._folded(function, arguments, combine, is_numbered=True)

    @abstractmethod
    def drop(self) -> None:
        """Make room where memory asks for it: what is asked next is worked out anew."""

    @abstractmethod
    def _folded(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        combine: Combine,
        *,
        is_numbered: bool,
    ) -> Any:
        """What both folds come to, one trip."""


def added(one: Any, other: Any) -> Any:
    """Sum of two results; of tuples, of their members."""
    if isinstance(one, tuple):
        return tuple(added(a, b) for a, b in zip(one, other, strict=True))
    return one + other


def added_and_least(one: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
    """Sum of two results' first members, the lesser of their second."""
    return one[0] + other[0], min(one[1], other[1])


def put_together(nodes: Iterable[Node], combine: Combine) -> list[Node]:
    """Neighbours made one as far as the tree joins them; ``nodes`` and result in order."""
    done: list[Node] = []
    for level, place, value in nodes:
        while done and place % 2 and done[-1][:2] == (level, place - 1):
            value = combine(done.pop().value, value)  # noqa: PLW2901  grows with each level
            level, place = level + 1, place // 2  # noqa: PLW2901
        done.append(Node(level, place, value))
    return done


def top(nodes: Iterable[Node], combine: Combine) -> Any:
    """The value of all blocks: those of the last, smaller trees first."""
    *before, last = put_together(nodes, combine)
    value = last.value
    for node in reversed(before):
        value = combine(node.value, value)
    return value


def fold_part(
    part: tuple[int, Sequence[Any]],
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    combine: Combine,
    is_numbered: bool = False,
) -> list[Node]:
    """What the blocks of one part, (number of the first, values), come to."""
    first, values = part
    return put_together(
        (
            Node(
                0, n, function(value, n, *arguments) if is_numbered else function(value, *arguments)
            )
            for n, value in enumerate(values, start=first)
        ),
        combine,
    )


def map_part(
    part: tuple[int, Sequence[Any]], function: Callable[..., Any], arguments: tuple[Any, ...]
) -> tuple[int, list[Any]]:
    """The same part with other values."""
    first, values = part
    return first, [function(value, *arguments) for value in values]


class PartsAtHand(Parts):
    """``Parts`` in this process, one after the other."""

    def __init__(
        self, parts: Sequence[tuple[int, Sequence[Any]]], trips: Trips | None = None
    ) -> None:
        self._parts = parts
        self.trips = trips or Trips()

    def map(self, function: Callable[..., Any], *arguments: Any) -> "PartsAtHand":
        """As ``Parts`` says."""
        mapped = [map_part(part, function, arguments) for part in self._parts]
        return PartsAtHand(mapped, self.trips)

    def drop(self) -> None:
        """Nothing: all memory is one."""

    def _folded(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        combine: Combine,
        *,
        is_numbered: bool,
    ) -> Any:
        self.trips.n += 1
        nodes = [
            node
            for part in self._parts
            for node in fold_part(part, function, arguments, combine, is_numbered)
        ]
        return top(nodes, combine)


def cuts(n_blocks: int, n_parts: int) -> list[int]:
    """Where to cut ``n_blocks`` into about equal parts: at places where the tree's runs end."""
    unit = 2 ** max((n_blocks // (16 * n_parts)).bit_length() - 1, 0)
    places = {round(n_blocks * k / n_parts / unit) * unit for k in range(n_parts)}
    return [*sorted(place for place in places if place < n_blocks), n_blocks]

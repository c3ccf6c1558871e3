"""Where a picture of a structure puts its nodes, and how far it bends its arcs.

The class stands in the middle, the attributes on a circle around it: so every label has a place of
its own, whatever the graph. Neighbours in the graph stand side by side where a walk along its arcs
can have it so.
"""

from collections.abc import Iterator
from math import cos, hypot, pi, sin
from typing import Protocol

from bnlr._typing import Arc

Point = tuple[float, float]

CENTRE = (0.0, 0.0)
_FREE_RADIUS = 0.35
_MOST_BENT = 0.15


class Graph(Protocol):
    """What is drawn; see `bnlr.Structure`."""

    @property
    def nodes(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def edges(self) -> tuple[Arc, ...]: ...  # noqa: D102
    @property
    def class_name(self) -> str: ...  # noqa: D102
    @property
    def attributes(self) -> tuple[str, ...]: ...  # noqa: D102


def layout(structure: Graph) -> dict[str, Point]:
    """Return a place for each node: the class at (0, 0), the others on the unit circle."""
    order = list(_walk(structure))
    places = {structure.class_name: CENTRE}
    for k, node in enumerate(order):
        angle = pi / 2 - 2 * pi * k / len(order)
        places[node] = cos(angle), sin(angle)
    return places


def _walk(structure: Graph) -> Iterator[str]:
    """Yield the attributes in the order of a depth-first walk, arcs of the class left out."""
    neighbours: dict[str, list[str]] = {node: [] for node in structure.attributes}
    for parent, child in structure.edges:
        if structure.class_name not in (parent, child):
            neighbours[parent].append(child)
            neighbours[child].append(parent)
    seen: set[str] = set()
    for start in structure.attributes:
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                yield node
                waiting += reversed(neighbours[node])


def bend(start: Point, end: Point) -> float:
    """Return how much to bend a chord: a little inwards, but around the class in the middle.

    The unit is that of matplotlib's ``arc3``: an arc's middle leaves its chord by half of it times
    the chord's length.
    """
    if CENTRE in (start, end):
        return 0.0
    length = hypot(end[0] - start[0], end[1] - start[1])
    turn = start[0] * end[1] - start[1] * end[0]
    outwards = 1.0 if turn > 0 else -1.0
    distance = abs(turn) / length
    if distance < _FREE_RADIUS:
        return outwards * 2 * (_FREE_RADIUS - distance) / length
    return -outwards * min(_MOST_BENT, 2 * (distance - _FREE_RADIUS) / length)

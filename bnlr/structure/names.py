"""Checks of node names and arcs."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TypeGuard, TypeVar

from bnlr._typing import Arc
from bnlr.errors import StructureError
from bnlr.words import listed, nearest, quoted

_Item = TypeVar("_Item", bound=Hashable)


def unknown(role: str, name: object, known: Iterable[str], where: str = "in the structure") -> str:
    """Return the message for a name that is not among the `known` ones."""
    names = list(known)
    near = nearest(name, names)
    hint = f"its nodes are {listed(names)}" if near is None else f"did you mean {quoted(near)}?"
    return f"{role} {quoted(name)} is not {where}; {hint}"


def checked_name(name: object, role: str) -> str:
    """Return `name` as plain text, or raise `StructureError` if it is no text or empty."""
    if not isinstance(name, str):
        raise StructureError(
            f"{role} must be named by text, got {quoted(name)} ({type(name).__name__}); "
            f"rename it, for example to {quoted(str(name))}"
        )
    if not name:
        raise StructureError(f"{role} has an empty name; give it one")
    return name if type(name) is str else str.__str__(name)


def _are_many(items: object) -> TypeGuard[Iterable[object]]:
    # Arrays without axes have __iter__ too, and raise.
    is_many = isinstance(items, Iterable) and getattr(items, "ndim", 1) != 0
    return is_many and not isinstance(items, str)


def checked_nodes(nodes: object) -> tuple[str, ...]:
    """Return the names in `nodes`, or raise `StructureError` if one is bad or repeated."""
    if not _are_many(nodes):
        raise StructureError(f"nodes must be a list of names, got {quoted(nodes)}")
    names = tuple(checked_name(node, "a node") for node in nodes)
    twice = _first_repeated(names)
    if twice is not None:
        raise StructureError(f"the node {quoted(twice)} is listed twice; list it once")
    return names


def checked_arcs(edges: object) -> tuple[Arc, ...]:
    """Return the (parent, child) pairs in `edges`, or raise `StructureError` naming a bad one."""
    if not _are_many(edges):
        raise StructureError(f"edges must be a list of (parent, child) pairs, got {quoted(edges)}")
    arcs = tuple(_checked_pairs(edges))
    twice = _first_repeated(arcs)
    if twice is not None:
        raise StructureError(
            f"the arc {quoted(twice[0])} → {quoted(twice[1])} is listed twice; list it once"
        )
    return arcs


def _checked_pairs(edges: Iterable[object]) -> Iterator[Arc]:
    for edge in edges:
        if not isinstance(edge, (tuple, list)) or len(edge) != 2:
            raise StructureError(f"an arc must be a (parent, child) pair, got {quoted(edge)}")
        yield checked_name(edge[0], "a node"), checked_name(edge[1], "a node")


def _first_repeated(items: Sequence[_Item]) -> _Item | None:
    if len(set(items)) == len(items):
        return None
    return next(item for item, times in Counter(items).items() if times > 1)

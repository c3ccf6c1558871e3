"""Checks of node names and arcs, and the words in which errors show them."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import TypeGuard, TypeVar

from bnlr._typing import Arc
from bnlr.errors import StructureError

_LONGEST_NAME = 60
_Item = TypeVar("_Item", bound=Hashable)


def quoted(name: object) -> str:
    """Return `name` as an error message shows it: quoted, and cut where it is very long."""
    text = repr(name)
    return text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}…"


def listing(items: Sequence[str], shown: int = 8) -> str:
    """Return the first `shown` items, joined by commas, and how many more there are."""
    more = f" and {len(items) - shown:,} more" if len(items) > shown else ""
    return ", ".join(items[:shown]) + more


def counted(n: int, noun: str, plural: str = "") -> str:
    """Return how many of something there are, in words: 1 arc, 2,000 arcs."""
    return f"1 {noun}" if n == 1 else f"{n:,} {plural or noun + 's'}"


def unknown(role: str, name: object, known: Iterable[str]) -> str:
    """Return the message for a name that is not among the `known` ones."""
    names = list(known)
    close = get_close_matches(name, names, n=1) if isinstance(name, str) else []
    if close:
        hint = f"did you mean {quoted(close[0])}?"
    else:
        hint = f"its nodes are {listing([quoted(node) for node in names])}"
    return f"{role} {quoted(name)} is not in the structure; {hint}"


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

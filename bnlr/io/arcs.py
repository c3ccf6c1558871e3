"""Structures as text: lists of arcs.

One arc stands in a line, ``a -> b``, ``a b`` or ``a,b``, perhaps under a header such as
``from,to``. A name alone is a node without arcs. Names that hold blanks, commas, quotes or arrows
stand in double quotes, a quote doubled. What follows ``#`` is a comment.
"""

import re
from collections.abc import Iterator
from typing import NoReturn

from bnlr._typing import Arc
from bnlr.errors import ModelFileError
from bnlr.io.graph import MAX_ARCS, build_structure, refuse_many_arcs
from bnlr.io.tokens import line_tokens
from bnlr.structure.dag import Structure
from bnlr.words import quoted

_TOKEN = re.compile(
    r"""(?P<blank>\s+)|(?P<comment>\#.*)|(?P<mark>->|→|[,;])
    |(?P<string>"(?:[^"]++|"")*+")|(?P<unclosed>")|(?P<word>(?:(?!->)[^\s",;→])+)""",
    re.VERBOSE | re.DOTALL,
)
_OTHER_ARROW = re.compile("<-|--|=>|←")
# Most lines are two plain words: one step each.
_LINE = re.compile(
    r"(?:[ \t]*([\w.]++)(?:[ \t]*(?:->|→|,|;)[ \t]*|[ \t]+)([\w.]++)[ \t]*|([^\r\n]*+))"
    r"(?:\r\n|\n|\r|\Z)"
)
_SHAPES = ("", "n", "nn", "nsn")
_SHAPES_BEGUN = (*_SHAPES, "ns")
_HEADERS = {("from", "to"), ("source", "target"), ("parent", "child"), ("tail", "head")}
_NO_ATTRIBUTES = re.compile(r"\s+\{\}\s*$")  # as networkx.write_edgelist ends its lines


def parse_arcs(text: str, class_name: str | None, source: str) -> Structure:
    """Read a list of arcs; nodes come in order of appearance.

    A first line such as ``from,to`` is a header unless one of its words is named again.

    Raises
    ------
    ModelFileError
        With line and column.
    """
    arcs: dict[Arc, int] = {}
    nodes: dict[str, None] = {}
    for number, names in _without_header(list(_lines(text, source))):
        nodes.update(dict.fromkeys(names))
        if len(names) == 2:
            arc = (names[0], names[1])
            if arc in arcs:
                raise ModelFileError(
                    f"{source}:{number}:1: the arc {quoted(arc[0])} -> {quoted(arc[1])} stands in "
                    f"line {arcs[arc]} already; list it once"
                )
            arcs[arc] = number
    if not nodes:
        raise ModelFileError(f"{source}: no arcs and no nodes; write one arc a line, 'a -> b'")
    return build_structure(list(arcs), class_name, list(nodes), source)


def _lines(text: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines with names on them, by number."""
    left = MAX_ARCS
    for number, line in enumerate(_LINE.finditer(text), start=1):
        parent, child, other = line.groups()
        if parent:
            names = [parent, child]
        else:
            names = _names_in(_NO_ATTRIBUTES.sub("", other), f"{source}:{number}")
        if names:
            yield number, names
            left -= 1
            if left < 0:
                refuse_many_arcs(source)


def _without_header(lines: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    head = tuple(name.lower() for name in lines[0][1]) if lines else ()
    if head not in _HEADERS or len(lines) == 1:
        return lines
    others = {name for _, names in lines[1:] for name in names}
    return lines if others.intersection(lines[0][1]) else lines[1:]


def _names_in(line: str, where: str) -> list[str]:
    """Return the names of one line: none, a node, or parent and child."""

    def fail(place: int, message: str) -> NoReturn:
        raise ModelFileError(f"{where}:{place + 1}: {message}")

    tokens = list(line_tokens(line, _TOKEN, fail, "close it, or double a quote in a name"))
    for token in tokens:
        if token.kind == "word" and _OTHER_ARROW.search(token.text):
            fail(
                token.start,
                f"{quoted(token.text)}: arcs are written 'parent -> child'; put a name that holds "
                "other arrows in double quotes",
            )
    shape = "".join("n" if token.is_name else "s" for token in tokens)
    if shape not in _SHAPES:
        k = next((k for k in range(len(shape)) if shape[: k + 1] not in _SHAPES_BEGUN), None)
        fail(
            len(line) if k is None else tokens[k].start,
            "expected one arc, 'parent -> child'; put a name that holds blanks, commas or arrows "
            "in double quotes",
        )
    return [token.text.replace('""', '"') for token in tokens if token.is_name]

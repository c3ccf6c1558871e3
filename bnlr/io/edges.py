"""Structures from files: lists of arcs as text, and the graph in JSON files of several kinds.

A text file has one arc a line: ``a -> b``, ``a b`` or ``a,b``. A name alone is a node without
arcs. Names that hold blanks, commas, quotes or arrows stand in double quotes, a quote doubled. What
follows ``#`` is a comment. A JSON file has the fields ``edges``, ``class`` and perhaps ``nodes``
and ``states``; a model that `save` wrote is one. Networks in BIF, XMLBIF and Hugin NET are told by
their extension; their probabilities are not looked at.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from bnlr._typing import Arc
from bnlr.errors import ModelFileError
from bnlr.io.document import FORMAT, check_document
from bnlr.io.fields import Fields, as_object, build_structure, read_graph
from bnlr.io.files import PathLike, checked_path, read_text, refuse_other_formats
from bnlr.io.formats import is_foreign, read_draft
from bnlr.io.strict_json import parse
from bnlr.structure.dag import Structure
from bnlr.structure.names import quoted

_TOKEN = re.compile(
    r"""(?P<blank>\s+)|(?P<comment>\#.*)|(?P<separator>->|→|[,;])
    |(?P<quoted>"(?:[^"]++|"")*+")|(?P<open>")|(?P<name>(?:(?!->)[^\s",;→])+)""",
    re.VERBOSE | re.DOTALL,
)
_OTHER_ARROW = re.compile("<-|--|=>|←")
_LINE_END = re.compile(r"\r\n|\n|\r")
_SHAPES = ("", "n", "nn", "nsn")
_SHAPES_BEGUN = (*_SHAPES, "ns")


class _Token(NamedTuple):
    kind: str
    text: str
    column: int


@dataclass(frozen=True)
class StructureFile:
    """A structure as read, with the number of states of its nodes where the file says so."""

    structure: Structure
    cards: dict[str, int] | None = None


def load_structure(path: PathLike, class_name: str | None = None) -> Structure:
    """Read the graph of a file: a list of arcs, a structure in JSON, or a network of any format.

    Parameters
    ----------
    path
    class_name
        The class node; may be left out where the file names it, and overrides what it says.

    Raises
    ------
    ModelFileError
        With line and column, or the field, and the remedy.
    """
    return read_structure(path, class_name).structure


def read_structure(path: PathLike, class_name: str | None = None) -> StructureFile:
    """Read a structure and, where the file tells the states, their numbers; see `load_structure`.

    Raises
    ------
    ModelFileError
        As `load_structure`.
    """
    source = checked_path(path)
    refuse_other_formats(source)
    if is_foreign(source):
        draft = read_draft(source)
        states = draft.states
        cards = {node: len(labels) for node, labels in states.items()}
        return StructureFile(draft.structure(class_name), cards)
    text = read_text(source)
    if source.suffix.lower() == ".json" or text.lstrip("\ufeff \t\r\n").startswith("{"):
        return _read_json(text.removeprefix("\ufeff"), class_name, str(source))
    return StructureFile(parse_edges(text.removeprefix("\ufeff"), class_name, str(source)))


def parse_edges(text: str, class_name: str | None, source: str) -> Structure:
    """Read a list of arcs; nodes come in order of appearance.

    Raises
    ------
    ModelFileError
        With line and column.
    """
    arcs: dict[Arc, int] = {}
    nodes: dict[str, None] = {}
    for number, line in enumerate(_LINE_END.split(text), start=1):
        names = _names_in(line, f"{source}:{number}")
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


def _names_in(line: str, where: str) -> list[str]:
    """Return the names of one line: none, a node, or parent and child."""
    tokens = list(_tokens(line, where))
    shape = "".join(token.kind[0] for token in tokens)
    if shape not in _SHAPES:
        k = next((k for k in range(len(shape)) if shape[: k + 1] not in _SHAPES_BEGUN), None)
        column = len(line) + 1 if k is None else tokens[k].column
        raise ModelFileError(
            f"{where}:{column}: expected one arc, 'parent -> child'; put a name that holds "
            "blanks, commas or arrows in double quotes"
        )
    return [token.text for token in tokens if token.kind == "name"]


def _tokens(line: str, where: str) -> Iterator[_Token]:
    end = -1
    for match in _TOKEN.finditer(line):
        kind, text, column = str(match.lastgroup), match.group(), match.start() + 1
        if kind == "comment":
            return
        if kind == "blank":
            continue
        if kind == "open":
            raise ModelFileError(f"{where}:{column}: a quoted name has no closing quote")
        if kind == "name" and _OTHER_ARROW.search(text):
            raise ModelFileError(
                f"{where}:{column}: {quoted(text)}: arcs are written 'parent -> child'; put a "
                "name that holds other arrows in double quotes"
            )
        if kind != "separator" and match.start() == end:
            raise ModelFileError(f"{where}:{column}: a quote inside a name; quote the whole name")
        if kind == "quoted":
            kind, text = "name", text[1:-1].replace('""', '"')
        end = match.end() if kind == "name" else -1
        yield _Token(kind, text, column)


def _read_json(text: str, class_name: str | None, source: str) -> StructureFile:
    fields = as_object(parse(text, source), f"{source}: the file")
    if fields.get("format") == FORMAT:
        kind, fields = check_document(fields, text, source)
        if kind == "classifier":
            fields = as_object(fields.get("network"), f"{source}: network")
    structure = read_graph(fields, source, class_name)
    return StructureFile(structure, _cards(fields, structure, source))


def _cards(fields: Fields, structure: Structure, source: str) -> dict[str, int] | None:
    """Return the number of states of every node, None unless the file tells all."""
    states = as_object(fields.get("states", {}), f"{source}: states")
    cards = {}
    for node in structure.nodes:
        labels = states.get(node)
        if not isinstance(labels, list) or not labels:
            return None
        cards[node] = len(labels)
    return cards

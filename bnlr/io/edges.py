"""Structures from files: lists of arcs as text, and the graph in JSON files of several kinds.

A text file has one arc a line: ``a -> b``, ``a b`` or ``a,b``, perhaps under a header such as
``from,to``. A name alone is a node without arcs. Names that hold blanks, commas, quotes or arrows
stand in double quotes, a quote doubled. What follows ``#`` is a comment. Graphviz's DOT and
bnlearn's model strings are known by their first word. A JSON file has the fields ``edges``,
``class`` and perhaps ``nodes`` and ``states``; a model that `save` wrote is one. Networks in BIF,
XMLBIF and Hugin NET are told by their extension, on standard input by their beginning; their
probabilities are not looked at.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bnlr._typing import Arc
from bnlr.errors import ModelFileError
from bnlr.io.dialects import Graph, is_dot, is_model_string, parse_dot, parse_model_string
from bnlr.io.document import FORMAT, check_document
from bnlr.io.fields import Fields, as_object, build_structure, read_graph
from bnlr.io.files import MAX_BYTES, PathLike, checked_path, read_text, refuse_other_formats
from bnlr.io.formats import is_foreign, read_draft
from bnlr.io.strict_json import parse
from bnlr.structure.dag import Structure
from bnlr.words import quoted

if TYPE_CHECKING:
    from bnlr.io.draft import Draft

_TOKEN = re.compile(
    r"""(?P<blank>\s+)|(?P<comment>\#.*)|(?P<separator>->|→|[,;])
    |(?P<quoted>"(?:[^"]++|"")*+")|(?P<open>")|(?P<name>(?:(?!->)[^\s",;→])+)""",
    re.VERBOSE | re.DOTALL,
)
_OTHER_ARROW = re.compile("<-|--|=>|←")
_LINE_END = re.compile(r"\r\n|\n|\r")
_SHAPES = ("", "n", "nn", "nsn")
_SHAPES_BEGUN = (*_SHAPES, "ns")
_HEADERS = {("from", "to"), ("source", "target"), ("parent", "child"), ("tail", "head")}
_NO_ATTRIBUTES = re.compile(r"\s+\{\}\s*$")  # as networkx.write_edgelist ends its lines
_BLANKS = r"(?>\s+|//[^\n]*|/\*.*?\*/|%[^\n]*)*+"
_BEGINNINGS = {
    ".xmlbif": re.compile(r"\s*<"),
    ".bif": re.compile(_BLANKS + r"(?:network|variable|probability)\b[^;{]*\{", re.DOTALL),
    ".net": re.compile(_BLANKS + r"(?:net|class|node)\b[^;{]*\{", re.DOTALL),
}


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
        ``-`` is standard input.
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
    if str(source) == "-":
        return _read_standard_input(class_name)
    refuse_other_formats(source)
    if is_foreign(source):
        return _from_draft(read_draft(source), class_name)
    return _parse(read_text(source), class_name, str(source), source.suffix.lower())


def _read_standard_input(class_name: str | None) -> StructureFile:
    source = "<stdin>"
    raw = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise ModelFileError(f"{source}: larger than {MAX_BYTES >> 20} MiB, which no model file is")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{source}: not UTF-8 text (byte {error.start:,})") from error
    suffix = next((end for end, begins in _BEGINNINGS.items() if begins.match(text)), "")
    if suffix == ".xmlbif":
        from bnlr.io.xmlbif import parse as parse_xmlbif  # noqa: PLC0415  one format a file

        return _from_draft(parse_xmlbif(raw, source), class_name)
    if suffix == ".bif":
        from bnlr.io.bif import parse as parse_bif  # noqa: PLC0415  as above

        return _from_draft(parse_bif(text, source), class_name)
    if suffix == ".net":
        from bnlr.io.hugin import parse as parse_net  # noqa: PLC0415  as above

        return _from_draft(parse_net(text, source), class_name)
    return _parse(text, class_name, source, suffix)


def _from_draft(draft: "Draft", class_name: str | None) -> StructureFile:
    cards = {node: len(labels) for node, labels in draft.states.items()}
    return StructureFile(draft.structure(class_name), cards)


def _parse(text: str, class_name: str | None, source: str, suffix: str) -> StructureFile:
    """Read JSON or a list of arcs, in whatever dialect."""
    text = text.removeprefix("\ufeff")
    if suffix == ".json" or text.lstrip().startswith("{"):
        return _read_json(text, class_name, source)
    graph: Graph | None = None
    if suffix in (".dot", ".gv") or is_dot(text):
        graph = parse_dot(text, source)
    elif is_model_string(text):
        graph = parse_model_string(text, source)
    if graph is None:
        return StructureFile(parse_edges(text, class_name, source))
    return StructureFile(build_structure(graph.arcs, class_name, graph.nodes, source))


def parse_edges(text: str, class_name: str | None, source: str) -> Structure:
    """Read a list of arcs; nodes come in order of appearance.

    A first line such as ``from,to`` is a header unless one of its words is named again.

    Raises
    ------
    ModelFileError
        With line and column.
    """
    arcs: dict[Arc, int] = {}
    nodes: dict[str, None] = {}
    for number, names in _without_header(_lines(text, source)):
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


def _lines(text: str, source: str) -> list[tuple[int, list[str]]]:
    """Return the lines with names on them, by number."""
    lines = []
    for number, line in enumerate(_LINE_END.split(text), start=1):
        names = _names_in(_NO_ATTRIBUTES.sub("", line), f"{source}:{number}")
        if names:
            lines.append((number, names))
    return lines


def _without_header(lines: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    head = tuple(name.lower() for name in lines[0][1]) if lines else ()
    if head not in _HEADERS or len(lines) == 1:
        return lines
    others = {name for _, names in lines[1:] for name in names}
    return lines if others.intersection(lines[0][1]) else lines[1:]


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

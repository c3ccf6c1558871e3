"""Structures from files: lists of arcs, structures in JSON, and the graphs of networks.

A JSON file has the fields ``edges``, ``class`` and perhaps ``nodes`` and ``states``; a model that
`save` wrote is one. Networks of other programs are told by their extension, on standard input by
their beginning; their probabilities are not looked at. All else is a list of arcs.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnlr.errors import ModelFileError
from bnlr.io.arcs import parse_arcs
from bnlr.io.encodings import encoding_of
from bnlr.io.files import (
    PathLike,
    bytes_of_input,
    checked_path,
    decoded,
    extension,
    is_foreign,
    memory_guarded,
    read_text,
    refuse_other_formats,
)
from bnlr.io.models.envelope import FORMAT, check_document
from bnlr.io.models.fields import Fields, as_object, read_graph
from bnlr.io.models.strict_json import parse
from bnlr.io.networks.formats import parse_network, read_network, recognised
from bnlr.io.networks.parsed import ParsedNetwork
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    from bnlr.io.networks.borrowed import BorrowedNetwork

_HEAD = 2**16


@dataclass(frozen=True)
class StructureFile:
    """A structure as read, with the number of states of its nodes where the file says so."""

    structure: Structure
    cards: dict[str, int] | None = None


def load_structure(
    path: PathLike, class_name: str | None = None, encoding: str | None = None
) -> Structure:
    """Read the graph of a file: a list of arcs, a structure in JSON, or a network of any format.

    Parameters
    ----------
    path
        ``-`` is standard input.
    class_name
        The class node; may be left out where the file names it, and overrides what it says.
    encoding
        As in `load`.

    Raises
    ------
    ModelFileError
        With line and column, or the field, and the remedy.
    """
    return read_structure(path, class_name, encoding).structure


def read_structure(
    path: PathLike, class_name: str | None = None, encoding: str | None = None
) -> StructureFile:
    """Read a structure and, where the file tells the states, their numbers; see `load_structure`.

    Raises
    ------
    ModelFileError
        As `load_structure`.
    """
    source = checked_path(path)
    with memory_guarded(source):
        if str(source) == "-":
            return _read_standard_input(class_name, encoding)
        refuse_other_formats(source)
        if is_foreign(source):
            return _counted(read_network(source, encoding), class_name)
        text = read_text(source, encoding)
        return _parse(text, class_name, str(source), extension(source))


def _read_standard_input(class_name: str | None, encoding: str | None) -> StructureFile:
    source = "<stdin>"
    raw = bytes_of_input(source)
    head = raw[:_HEAD]
    known = encoding_of(head[:4], encoding, ModelFileError) or "latin-1"  # formats begin in ASCII
    suffix = recognised(head.decode(known, "replace").removeprefix("\ufeff"))
    if suffix:
        return _counted(parse_network(suffix, raw, source, encoding), class_name)
    return _parse(decoded(raw, source, encoding), class_name, source, suffix)


def _counted(parsed: "ParsedNetwork | BorrowedNetwork", class_name: str | None) -> StructureFile:
    cards = {node: len(labels) for node, labels in parsed.states.items()}
    return StructureFile(parsed.structure(class_name), cards)


def _parse(text: str, class_name: str | None, source: str, suffix: str) -> StructureFile:
    text = text.removeprefix("\ufeff")
    if suffix == ".json" or text.lstrip().startswith("{"):
        return _read_json(text, class_name, source)
    return StructureFile(parse_arcs(text, class_name, source))


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

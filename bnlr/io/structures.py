"""Structures from files: lists of arcs, structures in JSON, and the graphs of networks.

A JSON file has the fields ``edges``, ``class`` and perhaps ``nodes`` and ``states``; a model that
`save` wrote is one. Networks in BIF, XMLBIF and Hugin NET are told by their extension, on standard
input by their beginning; their probabilities are not looked at. All else is a list of arcs.
"""

import sys
from dataclasses import dataclass

from bnlr.errors import ModelFileError
from bnlr.io.arcs import parse_arcs
from bnlr.io.files import (
    MAX_BYTES,
    PathLike,
    checked_path,
    decoded,
    is_foreign,
    read_text,
    refuse_other_formats,
)
from bnlr.io.models.envelope import FORMAT, check_document
from bnlr.io.models.fields import Fields, as_object, read_graph
from bnlr.io.models.strict_json import parse
from bnlr.io.networks.formats import parse_network, read_network, recognised
from bnlr.io.networks.parsed import ParsedNetwork
from bnlr.structure.dag import Structure


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
        return _counted(read_network(source), class_name)
    return _parse(read_text(source), class_name, str(source), source.suffix.lower())


def _read_standard_input(class_name: str | None) -> StructureFile:
    source = "<stdin>"
    raw = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise ModelFileError(f"{source}: larger than {MAX_BYTES >> 20} MiB, which no model file is")
    text = decoded(raw, source).removeprefix("\ufeff")
    suffix = recognised(text)
    if suffix:
        return _counted(parse_network(suffix, raw, source), class_name)
    return _parse(text, class_name, source, suffix)


def _counted(parsed: ParsedNetwork, class_name: str | None) -> StructureFile:
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

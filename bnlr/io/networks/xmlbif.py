"""XMLBIF 0.3 in the dialects of JavaBayes, WEKA, GeNIe, pgmpy and pyAgrum.

    <BIF VERSION="0.3"><NETWORK><NAME>…</NAME>
    <VARIABLE TYPE="nature"><NAME>a</NAME><OUTCOME>no</OUTCOME><PROPERTY>…</PROPERTY></VARIABLE>
    <DEFINITION><FOR>a</FOR><GIVEN>b</GIVEN><TABLE>0.1 0.9 …</TABLE></DEFINITION>

A table's fastest index is the node itself. A document type may declare elements and attributes, as
WEKA's does; entities are refused, and nothing outside the file is ever read. bnlr writes no
document type, because pyAgrum does not read one.
"""

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from bnlr.errors import ModelFileError
from bnlr.io.networks.elements import PREFIX, ElementReader, decoded_xml, is_fit
from bnlr.io.networks.escapes import CLASS, EscapedNode, Properties, encode_name, escaped_nodes
from bnlr.io.networks.parsed import ParsedNetwork, Variable
from bnlr.io.networks.potentials import Potential, checked_number
from bnlr.words import quoted

if TYPE_CHECKING:
    from bnlr.network import BayesianNetwork

BEGINNING = re.compile(PREFIX + r"<BIF\b", re.DOTALL | re.IGNORECASE)
DECLARES_ENCODING = True
_ALIASES = {"VALUE": "OUTCOME", "PROBABILITY": "DEFINITION"}
_PARTS = {
    "NETWORK": ("NAME", "PROPERTY"),
    "VARIABLE": ("NAME", "OUTCOME", "PROPERTY"),
    "DEFINITION": ("FOR", "GIVEN", "TABLE", "PROPERTY"),
}


def parse(raw: bytes | str, source: str) -> ParsedNetwork:
    """Read an XMLBIF file's bytes, or its text where the encoding is known otherwise.

    Raises
    ------
    ModelFileError
        With line and column.
    """
    return _XMLBIFParser(source).parsed(decoded_xml(raw, source) if isinstance(raw, bytes) else raw)


def render(network: "BayesianNetwork") -> str:
    """Return a network as XMLBIF; numbers read back to the last bit.

    Raises
    ------
    ModelFileError
        A state that is neither text, boolean nor finite number.
    """
    s = network.structure
    written = escaped_nodes(network, is_fit, is_fit)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>"]
    lines += ["<NAME>unknown</NAME>", *_properties(((CLASS, encode_name(s.class_name)),))]
    for node in s.nodes:
        lines += _variable(written[node])
    for node in s.nodes:
        lines += _definition(network, node, written)
    return "\n".join([*lines, "</NETWORK>", "</BIF>", ""])


def _element(tag: str, text: str) -> str:
    return f"<{tag}>{escape(text)}</{tag}>"


def _properties(properties: Properties) -> list[str]:
    return [_element("PROPERTY", f"{key} = {value}") for key, value in properties]


def _variable(node: EscapedNode) -> list[str]:
    head = ['<VARIABLE TYPE="nature">', f"  {_element('NAME', node.name)}"]
    states = [f"  {_element('OUTCOME', label)}" for label in node.labels]
    rest = [f"  {line}" for line in _properties(node.properties)]
    return [*head, *states, *rest, "</VARIABLE>"]


def _definition(
    network: "BayesianNetwork", node: str, written: dict[str, EscapedNode]
) -> list[str]:
    cpt = network.cpts[node]
    parents = network.structure.parents(node)
    head = ["<DEFINITION>", f"  {_element('FOR', written[node].name)}"]
    given = [f"  {_element('GIVEN', written[parent].name)}" for parent in parents]
    rows = ["    " + " ".join(map(repr, row)) for row in cpt.reshape(-1, cpt.shape[-1]).tolist()]
    return [*head, *given, "  <TABLE>", *rows, "  </TABLE>", "</DEFINITION>"]


class _XMLBIFParser(ElementReader):
    """What the elements mean, as they end."""

    def __init__(self, source: str) -> None:
        super().__init__(source, "BIF", ignores_case=True)
        self._parts: dict[str, list[str]] = {}
        self._begun = 1
        self._n_networks = 0
        self._variables: list[Variable] = []
        self._potentials: list[Potential] = []
        self._properties: dict[str, str] = {}

    def parsed(self, text: str) -> ParsedNetwork:
        self.read(text)
        if self._n_networks == 0:
            raise ModelFileError(f"{self.source}:1: no <NETWORK> in <BIF>; not an XMLBIF file")
        return ParsedNetwork(self.source, self._variables, self._potentials, self._properties)

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        tag = self.path[-1] = _ALIASES.get(tag, tag)
        if tag == "NETWORK":
            self._n_networks += 1
            if self._n_networks > 1:
                self.fail("a second <NETWORK>; keep one in a file")
        elif tag in ("VARIABLE", "DEFINITION"):
            self._begin_block(tag, attributes)

    def _begin_block(self, tag: str, attributes: dict[str, str]) -> None:
        if self.path[:-1] != ["BIF", "NETWORK"]:
            self.fail(f"<{tag}> stands outside <NETWORK> or inside another element")
        kind = attributes.get("TYPE", "nature")
        if tag == "VARIABLE" and kind.lower() not in ("nature", "discrete"):
            self.fail(f"a variable of type {quoted(kind)}; only those of type nature are read")
        self._begun = self.line
        self._parts = {part: [] for part in _PARTS[tag]}

    def end(self, tag: str, text: str) -> None:
        inside = self.path[-1] if self.path else ""
        if inside == "NETWORK" and tag == "PROPERTY":
            _add_property(self._properties, text)
        elif inside in ("VARIABLE", "DEFINITION") and tag in _PARTS[inside]:
            self._parts[tag].append(text)
        elif tag in ("VARIABLE", "DEFINITION"):
            {"VARIABLE": self._variable, "DEFINITION": self._definition}[tag]()

    def _one(self, part: str, element: str) -> str:
        found = self._parts[part]
        if len(found) != 1:
            self.fail(f"<{element}> from line {self._begun} has {len(found)} <{part}>, not one")
        return found[0]

    def _variable(self) -> None:
        name = self._one("NAME", "VARIABLE")
        properties: dict[str, str] = {}
        for text in self._parts["PROPERTY"]:
            _add_property(properties, text)
        labels = tuple(self._parts["OUTCOME"])
        self._variables.append(Variable(name, labels, self._begun, properties))

    def _definition(self) -> None:
        child, given = self._one("FOR", "DEFINITION"), tuple(self._parts["GIVEN"])
        cells: list[str] | None = None
        if self._parts["TABLE"]:
            where = f"{self.source}:{self._begun}"
            cells = [checked_number(c, where) for c in self._one("TABLE", "DEFINITION").split()]
        self._potentials.append(Potential(child, given, self._begun, cells))


def _add_property(properties: dict[str, str], text: str) -> None:
    key, _, value = text.partition("=")
    properties[key.strip()] = value.strip()

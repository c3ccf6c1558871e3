"""XDSL, the format of GeNIe and SMILE, read and written: networks of chance nodes.

    <smile version="1.0" id="…"><nodes>
    <cpt id="a"><state id="no" /><state id="yes" /><property id="…">…</property>
      <parents>b c</parents><probabilities>0.1 0.9 …</probabilities></cpt>
    <deterministic id="d"> … <resultingstates>no yes …</resultingstates></deterministic>
    </nodes><extensions><genie …><node id="a"><name>…</name></node></genie></extensions></smile>

The node itself is a table's fastest index, then the parents from the last to the first. Identifiers
are words of letters, digits and underscores; what GeNIe shows of a node is written for others and
not read. Decisions, utilities, equations, noisy nodes and temporal arcs are refused.
"""

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from bnlr.errors import ModelFileError
from bnlr.io.networks.elements import PREFIX, ElementReader, decoded_xml, is_fit
from bnlr.io.networks.escapes import CLASS, EscapedNode, Properties, encode_name, escaped_nodes
from bnlr.io.networks.parsed import ParsedNetwork, Variable
from bnlr.io.networks.potentials import Potential, checked_number, in_agrum_s_order
from bnlr.words import listed, quoted

if TYPE_CHECKING:
    from bnlr.network import BayesianNetwork

BEGINNING = re.compile(PREFIX + r"<smile\b", re.DOTALL)
DECLARES_ENCODING = True
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
_CHANCE = ("cpt", "deterministic")
_PLACE = "bnlr_place"  # of a node among the nodes, where parents do not come first there
_LISTS = ("parents", "probabilities", "resultingstates")


def parse(raw: bytes | str, source: str) -> ParsedNetwork:
    """Read an XDSL file's bytes, or its text where the encoding is known otherwise.

    Raises
    ------
    ModelFileError
        With line and column.
    """
    text = decoded_xml(raw, source) if isinstance(raw, bytes) else raw
    return _XDSLParser(source).parsed(text)


def render(network: "BayesianNetwork") -> str:
    """Return a network as XDSL; numbers read back to the last bit.

    Raises
    ------
    ModelFileError
        A state that is neither text, boolean nor finite number.
    """
    s = network.structure
    written = escaped_nodes(network, _is_identifier, _is_identifier)
    order = s.topological_order  # SMILE wants parents first
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<smile version="1.0" id="unknown">']
    lines += ["<properties>", *_properties(((CLASS, encode_name(s.class_name)),)), "</properties>"]
    lines += ["<nodes>"]
    for node in order:
        place = () if order == s.nodes else ((_PLACE, str(s.index(node))),)
        lines += _cpt(network, node, written, place)
    lines += ["</nodes>", "<extensions>", '<genie version="1.0" app="bnlr" name="unknown">']
    for node in order:
        shown = node if is_fit(node) else written[node].name
        lines += [f'<node id="{written[node].name}"><name>{escape(shown)}</name></node>']
    return "\n".join([*lines, "</genie>", "</extensions>", "</smile>", ""])


def _is_identifier(text: str) -> bool:
    return _IDENTIFIER.fullmatch(text) is not None


def _properties(properties: Properties) -> list[str]:
    return [f'  <property id="{key}">{escape(value)}</property>' for key, value in properties]


def _cpt(
    network: "BayesianNetwork", node: str, written: dict[str, EscapedNode], place: Properties
) -> list[str]:
    parents = network.structure.parents(node)
    cpt = network.cpts[node]
    states = [f'  <state id="{label}" />' for label in written[node].labels]
    given = " ".join(written[parent].name for parent in parents)
    numbers = " ".join(map(repr, cpt.ravel().tolist()))  # in one line, as pgmpy wants them
    return [
        *(f'<cpt id="{written[node].name}">', *states),
        *_properties((*written[node].properties, *place)),
        *([f"  <parents>{given}</parents>"] if parents else []),
        *(f"  <probabilities>{numbers}</probabilities>", "</cpt>"),
    ]


class _XDSLParser(ElementReader):
    """What the elements mean, as they end."""

    def __init__(self, source: str) -> None:
        super().__init__(source, "smile", ignores_case=False)
        self._node = ""
        self._begun = 1
        self._is_agrum_s = False
        self._states: list[str] = []
        self._lists: dict[str, list[str]] = {}
        self._key = ""
        self._own: dict[str, str] = {}
        self._variables: list[Variable] = []
        self._potentials: list[Potential] = []
        self._properties: dict[str, str] = {}

    def parsed(self, text: str) -> ParsedNetwork:
        self.read(text)
        variables = sorted(self._variables, key=_place)
        tables = self._potentials
        if self._is_agrum_s:
            tables = in_agrum_s_order(tables, self.source)
        return ParsedNetwork(self.source, variables, tables, self._properties)

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        if self.path[1:-1] == ["nodes"]:
            self._begin_node(tag, attributes)
        elif self._is_in_node(self.path[:-1]) and tag == "state":
            self._states.append(self._id(tag, attributes))
        elif tag == "property":
            self._key = attributes.get("id", "")
        elif tag == "genie":
            self._is_agrum_s = attributes.get("app", "").startswith("aGrUM")
        elif tag == "dynamic":
            self.fail("a network in time slices; unroll it in GeNIe first")

    def _begin_node(self, tag: str, attributes: dict[str, str]) -> None:
        name = self._id(tag, attributes)
        if tag not in _CHANCE:
            self.fail(
                f"{quoted(name)} is a node of type {tag:.40}; only chance nodes with a table, cpt "
                "and deterministic, are read: change its type in GeNIe"
            )
        self._node, self._begun = name, self.line
        self._states, self._lists, self._own = [], {}, {}

    def _id(self, tag: str, attributes: dict[str, str]) -> str:
        name = attributes.get("id", "")
        if not name:
            self.fail(f"<{tag:.40}> has no id")
        return name

    def end(self, tag: str, text: str) -> None:
        if self._is_in_node(self.path):
            if tag in _LISTS:
                if tag in self._lists:
                    self.fail(f"a second <{tag}> of {quoted(self._node)}; keep one")
                self._lists[tag] = text.split()
            elif tag == "property":
                self._own[self._key] = text
        elif self.path[1:] == ["nodes"]:
            self._end_node(tag)
        elif tag == "property" and self.path[1:] == ["properties"]:
            self._properties[self._key] = text

    @staticmethod
    def _is_in_node(path: list[str]) -> bool:
        return len(path) == 3 and path[1] == "nodes"

    def _end_node(self, tag: str) -> None:
        where = f"{self.source}:{self._begun}"
        self._variables.append(Variable(self._node, tuple(self._states), self._begun, self._own))
        parents = tuple(self._lists.get("parents", ()))
        if tag == "deterministic" and "probabilities" not in self._lists:
            cells = self._certain(self._lists.get("resultingstates", []), where)
        else:
            cells = [checked_number(cell, where) for cell in self._lists.get("probabilities", ())]
        self._potentials.append(Potential(self._node, parents, self._begun, cells))

    def _certain(self, states: list[str], where: str) -> list[str]:
        """Return the probabilities, 0 and 1, of the states that parents lead to."""
        places = {state: place for place, state in enumerate(self._states)}
        cells: list[str] = []
        for state in states:
            if state not in places:
                raise ModelFileError(
                    f"{where}: {quoted(state)} is no state of {quoted(self._node)}, which has "
                    f"{listed(places)}"
                )
            row = ["0"] * len(places)
            row[places[state]] = "1"
            cells += row
        return cells


def _place(variable: Variable) -> int:
    place = variable.properties.get(_PLACE, "")
    return int(place) if re.fullmatch(r"\d{1,9}", place, re.ASCII) else 0

"""XMLBIF 0.3 in the dialects of JavaBayes, WEKA, GeNIe, pgmpy and pyAgrum.

    <BIF VERSION="0.3"><NETWORK><NAME>…</NAME>
    <VARIABLE TYPE="nature"><NAME>a</NAME><OUTCOME>no</OUTCOME><PROPERTY>…</PROPERTY></VARIABLE>
    <DEFINITION><FOR>a</FOR><GIVEN>b</GIVEN><TABLE>0.1 0.9 …</TABLE></DEFINITION>

A table's fastest index is the node itself. A document type may declare elements and attributes, as
WEKA's does; entities are refused, and nothing outside the file is ever read. bnlr writes no
document type, because pyAgrum does not read one.
"""

import re
from typing import TYPE_CHECKING, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape

from bnlr.errors import ModelFileError
from bnlr.io.networks.escapes import CLASS, EscapedNode, Properties, encode_name, escaped_nodes
from bnlr.io.networks.parsed import ParsedNetwork, Variable
from bnlr.io.networks.potentials import Potential, checked_number
from bnlr.words import quoted

if TYPE_CHECKING:
    from bnlr.network import BayesianNetwork

_ENCODINGS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "ascii",
    "ascii": "ascii",
    "iso-8859-1": "latin-1",
    "latin-1": "latin-1",
    "windows-1252": "cp1252",
    "utf-16": "utf-16",
}
_DECLARATION = re.compile(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
# The root, after declarations, comments and a document type; possessive, so that time is linear.
BEGINNING = re.compile(
    r"(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE\b[^\[>]*(?:\[.*?\]\s*)?>)*+<BIF\b",
    re.DOTALL | re.IGNORECASE,
)
DECLARES_ENCODING = True
_BLANKS = " \t\r\n"
_MAX_DEPTH = 32
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\ufeff\ufffe\uffff]")
_ALIASES = {"VALUE": "OUTCOME", "PROBABILITY": "DEFINITION"}
_PARTS = {
    "NETWORK": ("NAME", "PROPERTY"),
    "VARIABLE": ("NAME", "OUTCOME", "PROPERTY"),
    "DEFINITION": ("FOR", "GIVEN", "TABLE", "PROPERTY"),
}


def parse(raw: bytes, source: str) -> ParsedNetwork:
    """Read an XMLBIF file's bytes.

    Raises
    ------
    ModelFileError
        With line and column.
    """
    return _XMLBIFParser(source).parsed(_decoded(raw, source))


def render(network: "BayesianNetwork") -> str:
    """Return a network as XMLBIF; numbers read back to the last bit.

    Raises
    ------
    ModelFileError
        A state that is neither text, boolean nor finite number.
    """
    s = network.structure
    written = escaped_nodes(network, _is_fit, _is_fit)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>"]
    lines += ["<NAME>unknown</NAME>", *_properties(((CLASS, encode_name(s.class_name)),))]
    for node in s.nodes:
        lines += _variable(written[node])
    for node in s.nodes:
        lines += _definition(network, node, written)
    return "\n".join([*lines, "</NETWORK>", "</BIF>", ""])


def _is_fit(text: str) -> bool:
    return bool(text) and text == text.strip() and not _UNFIT.search(text)


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


def _decoded(raw: bytes, source: str) -> str:
    """Return the text; only encodings that are known to be harmless are looked up."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        name = "utf-16"
    else:
        declared = _DECLARATION.match(raw.removeprefix(b"\xef\xbb\xbf"))
        name = declared.group(1).decode("ascii").lower() if declared else "utf-8"
    if name not in _ENCODINGS:
        raise ModelFileError(f"{source}:1: the encoding {name!r} is not read; convert it to UTF-8")
    try:
        return raw.decode(_ENCODINGS[name]).removeprefix("\ufeff")
    except UnicodeError as error:
        raise ModelFileError(f"{source}:1: not {name} text; convert it to UTF-8") from error


class _XMLBIFParser:
    """What the elements mean, as they end."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._expat = expat.ParserCreate("utf-8")
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._texts_append
        self._expat.EntityDeclHandler = self._refuse_entity
        self._expat.SkippedEntityHandler = self._refuse_entity
        self._expat.ExternalEntityRefHandler = self._refuse_entity
        self._expat.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self._path: list[str] = []
        self._texts: list[str] = []
        self._parts: dict[str, list[str]] = {}
        self._line = 1
        self._n_networks = 0
        self._variables: list[Variable] = []
        self._potentials: list[Potential] = []
        self._properties: dict[str, str] = {}

    def parsed(self, text: str) -> ParsedNetwork:
        try:
            self._expat.Parse(text.encode("utf-8"), True)
        except expat.ExpatError as error:
            where = f"{self._source}:{error.lineno}:{error.offset + 1}"
            message = expat.ErrorString(error.code)
            raise ModelFileError(f"{where}: not valid XML: {message}; is it complete?") from error
        if self._n_networks == 0:
            raise ModelFileError(f"{self._source}:1: no <NETWORK> in <BIF>; not an XMLBIF file")
        return ParsedNetwork(self._source, self._variables, self._potentials, self._properties)

    def _fail(self, message: str) -> NoReturn:
        line, column = self._expat.CurrentLineNumber, self._expat.CurrentColumnNumber
        raise ModelFileError(f"{self._source}:{line}:{column + 1}: {message}")

    def _texts_append(self, text: str) -> None:
        self._texts.append(text)

    def _refuse_entity(self, *_: object) -> NoReturn:
        self._fail("the file declares or uses entities, which are not read; write the text itself")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = _ALIASES.get(name.upper(), name.upper())
        if not self._path and tag != "BIF":
            self._fail(f"the root is <{name:.40}>, not <BIF>; not an XMLBIF file")
        if len(self._path) >= _MAX_DEPTH:
            self._fail(f"nested more than {_MAX_DEPTH} levels deep")
        self._path.append(tag)
        self._texts.clear()
        if tag == "NETWORK":
            self._n_networks += 1
            if self._n_networks > 1:
                self._fail("a second <NETWORK>; keep one in a file")
        elif tag in ("VARIABLE", "DEFINITION"):
            self._begin(tag, attributes)

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        if self._path[:-1] != ["BIF", "NETWORK"]:
            self._fail(f"<{tag}> stands outside <NETWORK> or inside another element")
        kind = attributes.get("TYPE", "nature")
        if tag == "VARIABLE" and kind.lower() not in ("nature", "discrete"):
            self._fail(f"a variable of type {quoted(kind)}; only those of type nature are read")
        self._line = self._expat.CurrentLineNumber
        self._parts = {part: [] for part in _PARTS[tag]}

    def _end(self, _: str) -> None:
        tag = self._path.pop()
        text = "".join(self._texts).strip(_BLANKS)
        self._texts.clear()
        inside = self._path[-1] if self._path else ""
        if inside == "NETWORK" and tag == "PROPERTY":
            _add_property(self._properties, text)
        elif inside in ("VARIABLE", "DEFINITION") and tag in _PARTS[inside]:
            self._parts[tag].append(text)
        elif tag in ("VARIABLE", "DEFINITION"):
            {"VARIABLE": self._variable, "DEFINITION": self._definition}[tag]()

    def _one(self, part: str, element: str) -> str:
        found = self._parts[part]
        if len(found) != 1:
            self._fail(f"<{element}> from line {self._line} has {len(found)} <{part}>, not one")
        return found[0]

    def _variable(self) -> None:
        name = self._one("NAME", "VARIABLE")
        properties: dict[str, str] = {}
        for text in self._parts["PROPERTY"]:
            _add_property(properties, text)
        labels = tuple(self._parts["OUTCOME"])
        self._variables.append(Variable(name, labels, self._line, properties))

    def _definition(self) -> None:
        child, given = self._one("FOR", "DEFINITION"), tuple(self._parts["GIVEN"])
        cells: list[str] | None = None
        if self._parts["TABLE"]:
            where = f"{self._source}:{self._line}"
            cells = [checked_number(c, where) for c in self._one("TABLE", "DEFINITION").split()]
        self._potentials.append(Potential(child, given, self._line, cells))


def _add_property(properties: dict[str, str], text: str) -> None:
    key, _, value = text.partition("=")
    properties[key.strip()] = value.strip()

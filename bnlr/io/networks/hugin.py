"""Hugin NET, read and written: networks of discrete nodes.

    net { … }
    node a { states = ("no" "yes"); … }
    potential (a | b) { data = ((0.1 0.9) (0.5 0.5)); }

``%`` begins a comment. The data's fastest index is the node itself, then the parents from the last
to the first; a column of weights is divided by its sum. Attributes that do not matter here, such as
positions, are skipped; decisions, utilities, continuous nodes, classes of networks and potentials
given by an expression are refused.
"""

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from bnlr.io.networks.escapes import CLASS, EscapedNode, Properties, encode_name, escaped_nodes
from bnlr.io.networks.parsed import ParsedNetwork, Variable
from bnlr.io.networks.potentials import Potential, checked_number
from bnlr.io.tokens import BLANKS, END, Lexer, Token
from bnlr.words import quoted

if TYPE_CHECKING:
    from bnlr.network import BayesianNetwork

BEGINNING = re.compile(BLANKS + r"(?:net|class|node)\b[^;{]*\{", re.DOTALL)
DECLARES_ENCODING = False
_TOKEN = re.compile(
    r"""(?P<blank>\s+)|(?P<comment>%[^\n]*)|(?P<string>"(?:[^"\\]++|\\.)*+")|(?P<unclosed>")
    |(?P<mark>[{}()=;|])|(?P<word>[^\s{}()=;|"%]+)""",
    re.VERBOSE | re.DOTALL,
)
# Most of a file are numbers: one step for each table.
_NUMBERS = re.compile(r"(?:[0-9eE.+\-\s()]++|%[^\n]*)*+;", re.ASCII)
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_ANYTHING = re.compile(rf'(?:{_STRING.pattern}|%[^\n]*|[^";{{}}%]++)*+;', re.DOTALL)
_COMMENT = re.compile(r"%[^\n]*")
# A list of states without quotes may hold brackets and semicolons, as pyAgrum's intervals do.
_STATES = re.compile(rf"\s*\((?:{_STRING.pattern}|%[^\n]*|(?!\)\s*;)[^\"%])*+\)\s*;", re.DOTALL)
_STATE = re.compile(rf'{_STRING.pattern}|%[^\n]*|[^\s"%]+', re.DOTALL)
_OF_INTERFACE = "HR_"  # attributes that Hugin's windows keep
_VALUE = re.compile(r"[^\s();]+")
_ESCAPED = re.compile(r'\\(["\\])')
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
# Hugin takes more in quotes, but pgmpy neither blanks, commas, parentheses, "//" nor keywords.
_LABEL = re.compile(r"(?!.*//)[!#$&'*+\-./0-9:<=>?@A-Z\[\]^_`a-z|~]+", re.ASCII)
_KEYWORDS = frozenset(
    [
        *("net", "class", "node", "discrete", "continuous", "decision", "utility", "function"),
        *("potential", "states", "label", "data", "position", "subtype", "number", "boolean"),
        *("labeled", "interval", "state_values", "model_data", "model_nodes", "node_size"),
        *("samples_per_interval", "normal", "beta", "gamma", "exponential", "weibull", "uniform"),
        *("if", "and", "or", "not", "min", "max"),
    ]
)
_REFUSED = {
    "continuous": "continuous nodes",
    "decision": "decision nodes",
    "utility": "utility nodes",
    "function": "function nodes",
    "class": "classes of networks",
}

Attributes = dict[str, list[Token]]


def parse(text: str, source: str) -> ParsedNetwork:
    """Read a NET file's text.

    Raises
    ------
    ModelFileError
        With line and column.
    """
    return _NETParser(text, source).parsed()


def render(network: "BayesianNetwork") -> str:
    """Return a network as Hugin NET; numbers read back to the last bit.

    Raises
    ------
    ModelFileError
        A state that is neither text, boolean nor finite number.
    """
    s = network.structure
    written = escaped_nodes(network, _is_name, _is_label)
    lines = ["net", "{", *_properties(((CLASS, encode_name(s.class_name)),)), "}"]
    for node in s.nodes:
        lines += _node(written[node])
    for node in s.nodes:
        lines += _potential(network, node, written)
    return "\n".join([*lines, ""])


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None and text.lower() not in _KEYWORDS


def _is_label(text: str) -> bool:
    return _LABEL.fullmatch(text) is not None and text not in ("net", "node", "potential")


def _properties(properties: Properties) -> list[str]:
    return [f'  {key} = "{value}";' for key, value in properties]


def _node(node: EscapedNode) -> list[str]:
    states = " ".join(f'"{label}"' for label in node.labels)
    return [f"node {node.name}", "{", f"  states = ({states});", *_properties(node.properties), "}"]


def _potential(network: "BayesianNetwork", node: str, written: dict[str, EscapedNode]) -> list[str]:
    parents = network.structure.parents(node)
    given = f" | {' '.join(written[parent].name for parent in parents)}" if parents else ""
    head = [f"potential ({written[node].name}{given})", "{"]
    return [*head, f"  data = {_nested(network.cpts[node].tolist())};", "}"]


def _nested(cells: object) -> str:
    if not isinstance(cells, list):
        return repr(cells)
    are_rows = any(isinstance(cell, list) for cell in cells)
    inner = ("\n    " if are_rows else " ").join(map(_nested, cells))
    return f"({inner})"


class _NETParser:
    """One pass over the text; each method takes one construct of the grammar."""

    def __init__(self, text: str, source: str) -> None:
        self._lexer = Lexer(text, source, _TOKEN)
        self._variables: list[Variable] = []
        self._potentials: list[Potential] = []
        self._properties: dict[str, str] = {}

    def parsed(self) -> ParsedNetwork:
        blocks = {
            "net": self._net,
            "potential": self._potential,
            "node": self._node,
            "discrete": self._discrete,
        }
        while (token := self._lexer.next()).kind != END:
            word = token.text.lower() if token.kind == "word" else ""
            if word in _REFUSED:
                self._lexer.fail(
                    token, f"{_REFUSED[word]} cannot be read, only networks of discrete nodes"
                )
            if word not in blocks:
                seen = self._lexer.seen(token)
                self._lexer.fail(token, f"expected net, node or potential, found {seen}")
            blocks[word](token)
        return ParsedNetwork(
            *(self._lexer.source, self._variables, self._potentials, self._properties),
            are_weights=True,
        )

    def _net(self, _: Token) -> None:
        self._properties.update(_texts(self._attributes("net")))

    def _discrete(self, _: Token) -> None:
        self._node(self._lexer.next())

    def _node(self, start: Token) -> None:
        if start.kind != "word" or start.text.lower() != "node":
            self._lexer.fail(start, f"expected node, found {self._lexer.seen(start)}")
        name = self._lexer.expect_name("the node's name").text
        attributes = self._attributes("a node")
        labels = self._labels(attributes.get("states", []))
        if not any(labels):
            labels = _by_values(attributes, len(labels))
        if not labels:
            self._lexer.fail(start, f"node {name!r:.60} has no states; give states = (…);")
        self._variables.append(Variable(name, labels, self._lexer.line(start), _texts(attributes)))

    def _labels(self, tokens: list[Token]) -> tuple[str, ...]:
        """Return the states of one list in parentheses."""
        if not tokens:
            return ()
        text = tokens[0].text
        is_list = len(tokens) == 1 and tokens[0].kind == "raw" and "(" in text
        words = _STATE.findall(text, text.index("(") + 1, text.rindex(")")) if is_list else []
        words = [word for word in words if not word.startswith("%")]
        if not is_list or any(word[0] != '"' and _n_brackets(word) % 2 for word in words):
            self._lexer.fail(tokens[0], "states must be one list, (… …)")
        return tuple(map(_unquoted, words))

    def _potential(self, start: Token) -> None:
        self._lexer.expect("(", "after potential")
        child = self._lexer.expect_name("a node's name").text
        if not self._lexer.peek().is_mark("|)"):
            self._lexer.fail(
                self._lexer.peek(), "a potential of several nodes; give one node, then | parents"
            )
        parents = self._parents()
        attributes = self._attributes("a potential")
        for key in ("model_data", "model_nodes"):
            if key in attributes:
                self._lexer.fail(
                    start,
                    f"the potential of {child!r:.60} is an expression ({key}); save it as a table",
                )
        if "data" not in attributes:
            self._lexer.fail(start, f"the potential of {child!r:.60} has no data; give data = (…);")
        cells = self._cells(attributes["data"])
        self._potentials.append(Potential(child, parents, self._lexer.line(start), cells))

    def _parents(self) -> tuple[str, ...]:
        parents = []
        if self._lexer.next().is_mark("|"):
            while not self._lexer.peek().is_mark(")"):
                parents.append(self._lexer.expect_name("a parent or ')'").text)
            self._lexer.next()
        return tuple(parents)

    def _cells(self, tokens: list[Token]) -> list[str]:
        """Return the numbers of nested lists; how they are nested says nothing new."""
        where = f"{self._lexer.source}:{self._lexer.line(tokens[0]) if tokens else 1}"
        if len(tokens) == 1 and tokens[0].kind == "raw":
            text = _COMMENT.sub(" ", tokens[0].text[:-1])
            if text.count("(") != text.count(")"):
                self._lexer.fail(tokens[0], "the data's lists are not closed as often as opened")
            cells = text.replace("(", " ").replace(")", " ").split()
        else:
            cells = [token.text for token in tokens if token.is_name]
        return [checked_number(cell, where) for cell in cells]

    def _attributes(self, where: str) -> Attributes:
        """Take ``{ key = value; … }``; a value is all that stands before its semicolon."""
        self._lexer.expect("{", f"before the attributes of {where}")
        attributes: Attributes = {}
        while not (token := self._lexer.next()).is_mark("}"):
            if token.kind != "word":
                seen = self._lexer.seen(token)
                self._lexer.fail(token, f"expected an attribute or '}}' in {where}, found {seen}")
            if token.text in attributes and not token.text.startswith(_OF_INTERFACE):
                self._lexer.fail(
                    token, f"the attribute {quoted(token.text)} stands twice; keep one"
                )
            self._lexer.expect("=", "after the attribute's name")
            pattern = {"states": _STATES, "data": _NUMBERS}.get(token.text, _ANYTHING)
            raw = self._lexer.raw_if(pattern)
            attributes[token.text] = self._value() if raw is None else [_text_in(raw)]
        return attributes

    def _value(self) -> list[Token]:
        tokens, depth = [], 0
        while not (token := self._lexer.next()).is_mark(";"):
            depth += token.is_mark("(") - token.is_mark(")")
            if depth < 0 or token.is_mark("{}=|") or token.kind == END:
                self._lexer.fail(token, f"expected ';', found {self._lexer.seen(token)}")
            tokens.append(token)
        if depth:
            self._lexer.fail(token, "a list is not closed before ';'")
        return tokens


def _text_in(raw: Token) -> Token:
    """Return the quoted text that is all of a raw value, else the value."""
    text = raw.text[:-1].strip()
    return Token("string", text[1:-1], raw.start) if _STRING.fullmatch(text) else raw


def _plain(token: Token) -> str:
    return _ESCAPED.sub(r"\1", token.text) if token.kind == "string" else token.text


def _unquoted(word: str) -> str:
    return _ESCAPED.sub(r"\1", word[1:-1]) if word.startswith('"') else word


def _n_brackets(word: str) -> int:
    return sum(map(word.count, "()[]"))


def _by_values(attributes: Attributes, n: int) -> tuple[str, ...]:
    """Return the states of booleans, numbers and intervals whose n labels are left out."""
    words = {
        key: [word for token in attributes.get(key, []) for word in _VALUE.findall(token.text)]
        for key in ("subtype", "state_values")
    }
    values = words["state_values"]
    by_subtype: dict[str, list[str]] = {
        "boolean": ["false", "true"],
        "number": values,
        "interval": [f"{low} - {high}" for low, high in pairwise(values)],
    }
    states = by_subtype.get("".join(words["subtype"]).lower(), [])
    return tuple(states) if n in (0, len(states)) else ("",) * n


def _texts(attributes: Attributes) -> dict[str, str]:
    """Return the attributes that are one text."""
    return {
        key: _plain(tokens[0])
        for key, tokens in attributes.items()
        if len(tokens) == 1 and tokens[0].is_name
    }

"""BIF, the Bayesian Interchange Format 0.15, in the dialects of JavaBayes, bnlearn, pgmpy, pyAgrum.

    network name { property …; }
    variable a { type discrete [2] { no, yes }; property …; }
    probability ( a | b ) { (x) 0.1, 0.9; default 0.5, 0.5; }      or  { table …; }

Names are words or stand in double quotes; commas are blanks, comments ``//`` and ``/* */``. A
``table`` with parents lists the node's states as the slowest index, as JavaBayes defines it. The
bar may be missing (JavaBayes): the first name is the child.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bnlr.io.networks.escapes import CLASS, EscapedNode, Properties, encode_name, escaped_nodes
from bnlr.io.networks.parsed import ParsedNetwork, Variable
from bnlr.io.networks.potentials import Potential, PotentialRow, checked_number
from bnlr.io.tokens import BLANKS, END, Lexer, Token

if TYPE_CHECKING:
    from bnlr.network import BayesianNetwork

BEGINNING = re.compile(BLANKS + r"(?:network|variable|probability)\b[^;{]*\{", re.DOTALL)
DECLARES_ENCODING = False
_TOKEN = re.compile(
    r"""(?P<blank>[\s,]+)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"[^"]*")|(?P<unclosed>"|/\*)
    |(?P<mark>[{}()\[\];|])|(?P<word>(?:(?!//|/\*)[^\s,{}()\[\];|"])+)""",
    re.VERBOSE | re.DOTALL,
)
_PROPERTY = re.compile(r'(?:[^;"{}]|"[^"]*")*+;')
# Most of a file are rows of numbers: one step each.
_NUMBERS = re.compile(r"[0-9eE.+\-\s,]*+;", re.ASCII)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_LABEL = re.compile(r"\d+|[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*", re.ASCII)
_KEYWORDS = frozenset(
    ["network", "variable", "probability", "property", "type", "discrete", "default", "table"]
)


def parse(text: str, source: str) -> ParsedNetwork:
    """Read a BIF file's text.

    Raises
    ------
    ModelFileError
        With line and column.
    """
    return _BIFParser(text, source).parsed()


def render(network: "BayesianNetwork") -> str:
    """Return a network as BIF; numbers read back to the last bit.

    Raises
    ------
    ModelFileError
        A state that is neither text, boolean nor finite number.
    """
    s = network.structure
    # pgmpy takes names in any case for the same.
    written = escaped_nodes(network, _is_name, _is_label, ignores_case=True)
    head = ["network unknown {", *_properties(((CLASS, encode_name(s.class_name)),)), "}"]
    variables = [line for node in s.nodes for line in _variable(written[node])]
    tables = [line for node in s.nodes for line in _probability(network, node, written)]
    return "\n".join([*head, *variables, *tables, ""])


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None and text.lower() not in _KEYWORDS


def _is_label(text: str) -> bool:
    return _LABEL.fullmatch(text) is not None and text.lower() not in _KEYWORDS


def _properties(properties: Properties) -> list[str]:
    return [f"  property {key} = {value};" for key, value in properties]


def _variable(node: EscapedNode) -> list[str]:
    labels = ", ".join(node.labels)
    kind = f"  type discrete [ {len(node.labels)} ] {{ {labels} }};"
    return [f"variable {node.name} {{", kind, *_properties(node.properties), "}"]


def _probability(
    network: "BayesianNetwork", node: str, written: dict[str, EscapedNode]
) -> Iterator[str]:
    parents = [written[parent] for parent in network.structure.parents(node)]
    given = f" | {', '.join(parent.name for parent in parents)}" if parents else ""
    yield f"probability ( {written[node].name}{given} ) {{"
    cpt = network.cpts[node]
    rows = cpt.reshape(-1, cpt.shape[-1]).tolist()
    for place, row in enumerate(rows):
        numbers = ", ".join(map(repr, row))
        yield f"  {_configuration(parents, place) if parents else 'table'} {numbers};"
    yield "}"


def _configuration(parents: list[EscapedNode], place: int) -> str:
    labels = []
    for parent in reversed(parents):
        place, code = divmod(place, len(parent.labels))
        labels.append(parent.labels[code])
    return f"({', '.join(reversed(labels))})"


class _BIFParser:
    """One pass over the text; each method takes one construct of the grammar."""

    def __init__(self, text: str, source: str) -> None:
        self._lexer = Lexer(text, source, _TOKEN)
        self._variables: list[Variable] = []
        self._potentials: list[Potential] = []
        self._properties: dict[str, str] = {}

    def parsed(self) -> ParsedNetwork:
        blocks = {
            "network": self._network,
            "variable": self._variable,
            "probability": self._probability,
        }
        while (token := self._lexer.next()).kind != END:
            block = blocks.get(token.text.lower()) if token.kind == "word" else None
            if block is None:
                self._lexer.fail(
                    token,
                    f"expected network, variable or probability, found {self._lexer.seen(token)}",
                )
            block(token)
        return ParsedNetwork(
            self._lexer.source, self._variables, self._potentials, self._properties
        )

    def _network(self, _: Token) -> None:
        while self._lexer.peek().is_name:
            self._lexer.next()
        self._lexer.expect("{", "after network and its name")
        while not (token := self._lexer.next()).is_mark("}"):
            self._property(token, self._properties, "network")

    def _property(self, token: Token, properties: dict[str, str], block: str) -> None:
        """Take ``property key = value;``, also in quotes, whatever else stands up to the ';'."""
        if token.kind != "word" or token.text.lower() != "property":
            seen = self._lexer.seen(token)
            self._lexer.fail(token, f"expected '}}' or a property in {block}, found {seen}")
        text = self._lexer.raw(_PROPERTY, "the property")[:-1].strip().strip('"')
        key, _, value = text.partition("=")
        properties[key.strip()] = value.strip()

    def _variable(self, start: Token) -> None:
        name = self._lexer.expect_name("the variable's name").text
        line = self._lexer.line(start)
        self._lexer.expect("{", "after the variable's name")
        labels: tuple[str, ...] | None = None
        properties: dict[str, str] = {}
        while not (token := self._lexer.next()).is_mark("}"):
            if token.kind == "word" and token.text.lower() == "type":
                if labels is not None:
                    self._lexer.fail(token, f"variable {name!r:.60} has two types; keep one")
                labels = self._type()
            else:
                self._property(token, properties, "variable")
        if labels is None:
            self._lexer.fail(
                start, f"variable {name!r:.60} has no type; give 'type discrete [n] {{ states }};'"
            )
        self._variables.append(Variable(name, labels, line, properties))

    def _type(self) -> tuple[str, ...]:
        kind = self._lexer.next()
        if kind.text.lower() != "discrete":
            self._lexer.fail(
                kind,
                f"the type is {self._lexer.seen(kind)}; only discrete variables can be read: cut "
                "it into intervals first",
            )
        self._lexer.expect("[", "before the number of states")
        count = self._lexer.expect_name("the number of states")
        self._lexer.expect("]", "after the number of states")
        self._lexer.expect("{", "before the states")
        labels = tuple(token.text for token in self._names("}", "a state"))
        self._lexer.expect(";", "after the states")
        if count.text != str(len(labels)):
            self._lexer.fail(
                count,
                f"{count.text[:20]} states are announced, {len(labels)} are listed; mend one",
            )
        return labels

    def _names(self, end: str, what: str) -> list[Token]:
        names = []
        while not self._lexer.peek().is_mark(end):
            names.append(self._lexer.expect_name(f"{what} or '{end}'"))
        self._lexer.next()
        return names

    def _probability(self, start: Token) -> None:
        line = self._lexer.line(start)
        self._lexer.expect("(", "after probability")
        child = self._lexer.expect_name("a variable's name").text
        if self._lexer.peek().is_mark("|"):
            self._lexer.next()
        parents = tuple(token.text for token in self._names(")", "a parent"))
        self._lexer.expect("{", "before the probabilities")
        cells: list[str] | None = None
        default: list[str] | None = None
        rows: list[PotentialRow] = []
        while not (token := self._lexer.next()).is_mark("}"):
            word = token.text.lower() if token.kind == "word" else ""
            if word == "table":
                cells = self._numbers(cells is not None, token)
            elif word == "default":
                default = self._numbers(default is not None, token)
            elif token.is_mark("("):
                states = tuple(name.text for name in self._names(")", "a parent's state"))
                rows.append(
                    PotentialRow(states, self._numbers(False, token), self._lexer.line(token))
                )
            else:
                self._property(token, {}, "probability")
        if cells is not None and (rows or default is not None):
            self._lexer.fail(start, f"probability of {child!r:.60} has a table and rows; keep one")
        if cells is None and default is not None and not parents:
            cells, default = default, None
        self._potentials.append(Potential(child, parents, line, cells, True, tuple(rows), default))

    def _numbers(self, is_second: bool, start: Token) -> list[str]:
        if is_second:
            self._lexer.fail(start, f"a second {self._lexer.seen(start)}; keep one")
        raw = self._lexer.raw_if(_NUMBERS)
        if raw is not None:
            cells = raw.text[:-1].replace(",", " ").split()
        else:
            cells = []
            while not self._lexer.peek().is_mark(";"):
                cells.append(self._lexer.expect_name("a number or ';'").text)
            self._lexer.next()
        where = f"{self._lexer.source}:{self._lexer.line(start)}"
        return [checked_number(cell, where) for cell in cells]

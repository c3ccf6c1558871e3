"""Graphs as other tools print them: Graphviz's DOT, and the model strings of R's bnlearn.

DOT: ``digraph { a -> b -> c; a -> {d e}; "a b" [label="x"] }``; attributes are not looked at,
subgraphs with statements of their own are refused. bnlearn: ``[class][a|class][b|class:a]``.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from bnlr._typing import Arc
from bnlr.errors import ModelFileError
from bnlr.words import quoted

_SKIPPED = r"(?>\s+|//[^\n]*|/\*.*?\*/|\#[^\n]*)*+(?:strict\s+)?"
_DIGRAPH = re.compile(_SKIPPED + r"digraph\b", re.DOTALL | re.IGNORECASE)
_GRAPH = re.compile(_SKIPPED + r"graph\b[^{\n]*\{", re.DOTALL | re.IGNORECASE)
_DOT = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)|(?P<arrow>->)|(?P<sign>--|[{}\[\];,=:+])
    |"(?P<quoted>(?:[^"\\]|\\.)*+)"|(?P<name>-?[^\W\d][\w.]*|-?(?:\d+\.?\d*|\.\d+)|\w[\w.]*)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_FACTOR = re.compile(r"\s*\[([^\[\]|]+)(?:\|([^\[\]|]+))?\]\s*")
_DEFAULTS = ("graph", "node", "edge")


class Graph(NamedTuple):
    """Arcs and the names of all nodes, in order of appearance."""

    arcs: list[Arc]
    nodes: list[str]


class _Token(NamedTuple):
    kind: str
    text: str
    place: int


def is_dot(text: str) -> bool:
    """Return whether a text is a graph in DOT, as its first word says."""
    return bool(_DIGRAPH.match(text) or _GRAPH.match(text))


def is_model_string(text: str) -> bool:
    """Return whether a text is one of bnlearn's model strings."""
    return re.match(r"\s*\[\s*[^\[\]{\"'\s]", text) is not None


def parse_model_string(text: str, source: str) -> Graph:
    """Read ``[a][b|a]``: each node once, its parents after a bar, joined by colons.

    Raises
    ------
    ModelFileError
        With the column, or the node that stands twice.
    """
    place = 0
    parents: dict[str, list[str]] = {}
    while place < len(text):
        match = _FACTOR.match(text, place)
        if match is None:
            raise ModelFileError(
                f"{_where(text, place, source)}: expected '[node]' or '[node|parent:parent]'"
            )
        node = match[1].strip()
        if node in parents:
            raise ModelFileError(f"{source}: the node {quoted(node)} stands twice; list it once")
        parents[node] = [name.strip() for name in (match[2] or "").split(":") if match[2]]
        place = match.end()
    arcs = [(parent, node) for node, of_node in parents.items() for parent in of_node]
    return Graph(list(dict.fromkeys(arcs)), list(parents))


def parse_dot(text: str, source: str) -> Graph:
    """Read a directed graph in DOT.

    Raises
    ------
    ModelFileError
        With line and column.
    """
    return _Dot(text, source).graph()


class _Dot:
    """One pass over the tokens; a statement at a time."""

    def __init__(self, text: str, source: str) -> None:
        self._text, self._source = text, source
        self._tokens = [*self._split(), _Token("end", "", len(text))]
        self._k = 0
        self._arcs: dict[Arc, None] = {}
        self._nodes: dict[str, None] = {}

    def graph(self) -> Graph:
        while self._now.text != "{":
            if self._now.text.lower() == "graph":
                self._fail("the graph is undirected; write 'digraph' and arcs 'parent -> child'")
            if self._now.kind == "end":
                self._fail("expected '{' after digraph")
            self._k += 1
        self._k += 1
        while self._now.text != "}" or self._now.kind == "quoted":
            self._statement()
        if self._tokens[self._k + 1].kind != "end":
            self._fail_at(
                self._tokens[self._k + 1].place,
                "the graph ends before this; give one graph a file, all arcs within its braces",
            )
        return Graph(list(self._arcs), list(self._nodes))

    def _split(self) -> Iterator[_Token]:
        place = 0
        while place < len(self._text):
            match = _DOT.match(self._text, place)
            if match is None:
                self._fail_at(place, "this is no DOT that is understood here")
            if match.lastgroup != "blank":
                kind = str(match.lastgroup)
                yield _Token(kind, _unescaped(match[kind]) if kind == "quoted" else match[0], place)
            place = match.end()

    @property
    def _now(self) -> _Token:
        return self._tokens[self._k]

    def _statement(self) -> None:
        token = self._now
        if token.kind == "sign" and token.text in ";,":
            self._k += 1
        elif token.kind == "name" and token.text.lower() in _DEFAULTS:
            self._k += 1
            self._skip_attributes()
        elif self._tokens[min(self._k + 1, len(self._tokens) - 1)].text == "=":
            self._k += 3
            self._k = min(self._k, len(self._tokens) - 1)
        else:
            self._chain()

    def _chain(self) -> None:
        before = self._operand()
        while self._now.kind == "arrow":
            self._k += 1
            after = self._operand()
            self._arcs.update(dict.fromkeys((a, b) for a in before for b in after))
            before = after
        if self._now.kind == "sign" and self._now.text == "--":
            self._fail("an undirected edge; arcs are written 'parent -> child'")
        self._skip_attributes()

    def _operand(self) -> list[str]:
        """Return the nodes at one end of an arrow: a name, or names in braces."""
        token = self._now
        names = []
        if token.kind == "sign" and token.text == "{":
            self._k += 1
            while self._now.text != "}":
                names.append(self._name())
                while self._now.kind == "sign" and self._now.text in ";,":
                    self._k += 1
            self._k += 1
        else:
            names.append(self._name())
        self._nodes.update(dict.fromkeys(names))
        return names

    def _name(self) -> str:
        token = self._now
        if token.kind not in ("name", "quoted") or token.text == "":
            self._fail("expected the name of a node")
        if token.kind == "name" and token.text.lower() == "subgraph":
            self._fail("subgraphs are not read; list the arcs without them")
        self._k += 1
        if self._now.kind == "sign" and self._now.text == ":":  # a port, where the arrow ends
            self._k = min(self._k + 2, len(self._tokens) - 1)
        return token.text

    def _skip_attributes(self) -> None:
        while self._now.kind == "sign" and self._now.text == "[":
            while not (self._now.kind == "sign" and self._now.text == "]"):
                if self._now.kind == "end":
                    self._fail("'[' is never closed")
                self._k += 1
            self._k += 1

    def _fail(self, message: str) -> NoReturn:
        self._fail_at(self._now.place, message)

    def _fail_at(self, place: int, message: str) -> NoReturn:
        raise ModelFileError(f"{_where(self._text, place, self._source)}: {message}")


def _unescaped(text: str) -> str:
    return text.replace("\\\n", "").replace('\\"', '"')


def _where(text: str, place: int, source: str) -> str:
    line = text.count("\n", 0, place) + 1
    return f"{source}:{line}:{place - text.rfind(chr(10), 0, place)}"

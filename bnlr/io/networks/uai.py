"""UAI, the format of the inference competitions: networks of numbered nodes and states.

    BAYES
    2           nodes
    2 3         their numbers of states
    2           tables: of how many nodes and which, the child last
    1 0
    2 0 1
    2           numbers in the first table, and they; the last node is the fastest index
    0.3 0.7
    6
    …

Nodes are named by their numbers from 0, and so are their states. ``#`` begins a comment, as in
aGrUM's files, which list parents the other way round; in comments at the end bnlr keeps what the
format has no place for.
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, NoReturn

from bnlr.errors import ModelFileError
from bnlr.io.networks.escapes import CLASS, encode_name, numbered_nodes
from bnlr.io.networks.parsed import ParsedNetwork, Variable
from bnlr.io.networks.potentials import Potential, checked_number, in_agrum_s_order
from bnlr.io.tokens import LineCounter
from bnlr.words import quoted

if TYPE_CHECKING:
    from bnlr.network import BayesianNetwork

BEGINNING = re.compile(r"(?>\s+|#[^\n]*)*+(?:BAYES|MARKOV)\b")
DECLARES_ENCODING = False
_WORD = re.compile(r"#[^\n]*|[^\s#]+")
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_NAME = re.compile(r"#\s*[^\s(|]+\s*")
_PROPERTY = re.compile(r"# (?:(\d{1,9}) )?(bnlr_\w+) = ([^;\n]*);$", re.ASCII)


def parse(text: str, source: str) -> ParsedNetwork:
    """Read a UAI file's text.

    Raises
    ------
    ModelFileError
        With line.
    """
    return _UAIParser(text, source).parsed()


def render(network: "BayesianNetwork") -> str:
    """Return a network as UAI; numbers read back to the last bit.

    Raises
    ------
    ModelFileError
        A state that is neither text, boolean nor finite number.
    """
    s = network.structure
    cards = [str(len(network.states[node])) for node in s.nodes]
    families = [[s.index(member) for member in (*s.parents(node), node)] for node in s.nodes]
    lines = ["BAYES", str(len(s.nodes)), " ".join(cards), str(len(s.nodes))]
    lines += [" ".join(map(str, (len(family), *family))) for family in families]
    for node in s.nodes:
        cpt = network.cpts[node]
        rows = [" ".join(map(_decimal, row)) for row in cpt.reshape(-1, cpt.shape[-1]).tolist()]
        lines += ["", str(cpt.size), *rows]
    return "\n".join([*lines, "", *_comments(network), ""])


def _decimal(number: float) -> str:
    """Return a number without an exponent, which pgmpy would not read."""
    written = repr(number)
    return format(Decimal(written), "f") if "e" in written else written


def _comments(network: "BayesianNetwork") -> Iterator[str]:
    """Yield names and states that are no numbers from 0, and the class, with which a file ends."""
    for node in numbered_nodes(network).values():
        for key, value in node.properties:
            yield f"# {node.name} {key} = {value};"
    yield f"# {CLASS} = {encode_name(network.structure.class_name)};"


def _product_up_to(limit: int, factors: Iterable[int]) -> int:
    """Return a product, or what it is when it first exceeds a limit."""
    product = 1
    for factor in factors:
        product *= factor
        if product > limit:
            break
    return product


class _UAIParser:
    """One pass over the words, which are counted before they are believed."""

    def __init__(self, text: str, source: str) -> None:
        self._text, self._source = text, source
        self._place, self._line_of = 0, LineCounter(text)
        self._own: dict[str, dict[str, str]] = {}
        self._n_names = 0
        self._words = self._without_comments()

    def parsed(self) -> ParsedNetwork:
        kind = self._next("BAYES")
        if kind.upper() != "BAYES":
            self._fail(f"a network of type {quoted(kind)}; only BAYES is read")
        cards = [self._card() for _ in range(self._whole("how many nodes"))]
        n_tables = self._whole("how many tables")
        self._n_names = 0
        scopes = [self._scope(len(cards)) for _ in range(n_tables)]
        potentials = [self._potential(scope, cards) for scope in scopes]
        if self._n_names == n_tables:  # aGrUM says which each table's child is
            potentials = in_agrum_s_order(potentials, self._source)
        rest = next(self._words, None)
        if rest is not None:
            self._fail(f"{quoted(rest)} after the last table; are the counts right?")
        children = {table.child: table.line for table in potentials}
        variables = [
            self._variable(str(place), card if str(place) in children else 1)
            for place, card in enumerate(cards)
        ]
        return ParsedNetwork(self._source, variables, potentials, self._own.get("", {}))

    def _variable(self, name: str, card: int) -> Variable:
        # what has no table has not shown that there are so many states, and will be refused
        return Variable(name, tuple(map(str, range(card))), 1, self._own.get(name, {}))

    def _without_comments(self) -> Iterator[str]:
        for match in _WORD.finditer(self._text):
            self._place = match.start()
            word = match.group()
            if not word.startswith("#"):
                yield word
            elif (told := _PROPERTY.match(word)) is not None:
                place, key, value = told.groups(default="")
                self._own.setdefault(place, {})[key] = value
            else:
                self._n_names += _NAME.fullmatch(word) is not None

    def _next(self, what: str) -> str:
        word = next(self._words, None)
        if word is None:
            self._place = len(self._text)
            self._fail(f"expected {what}, found the end of the file; is it complete?")
        return word

    def _whole(self, what: str) -> int:
        word = self._next(what)
        if not _WHOLE.fullmatch(word):
            self._fail(f"expected {what}, found {quoted(word)}")
        return int(word)

    def _card(self) -> int:
        card = self._whole("a number of states")
        if not card:
            self._fail("a node of no states")
        return card

    def _scope(self, n_nodes: int) -> list[int]:
        size = self._whole("of how many nodes a table is")
        if not size:
            self._fail("a table of no node; each has one at least")
        scope = [self._whole("a table's node") for _ in range(size)]
        unknown = next((node for node in scope if node >= n_nodes), None)
        if unknown is not None:
            self._fail(
                f"a table of the node {unknown:,}; nodes have the numbers 0 to {n_nodes - 1:,}"
            )
        return scope

    def _potential(self, scope: list[int], cards: list[int]) -> Potential:
        size = self._whole("how many numbers a table has")
        line = self._line()
        if size != _product_up_to(size, (cards[node] for node in scope)):
            self._fail(f"a table of {size:,} numbers, which are not what its nodes' states need")
        cells = [self._next("a number") for _ in range(size)]
        where = f"{self._source}:{line}"
        *parents, child = map(str, scope)
        numbers = [checked_number(cell, where) for cell in cells]
        return Potential(child, tuple(parents), line, numbers)

    def _line(self) -> int:
        return self._line_of(self._place)

    def _fail(self, message: str) -> NoReturn:
        raise ModelFileError(f"{self._source}:{self._line()}: {message}")

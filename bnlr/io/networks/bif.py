"""BIF, the Bayesian Interchange Format 0.15, in the dialects of JavaBayes, bnlearn, pgmpy, pyAgrum.

    network name { property …; }
    variable a { type discrete [2] { no, yes }; property …; }
    probability ( a | b ) { (x) 0.1, 0.9; default 0.5, 0.5; }      or  { table …; }

Names stand in double quotes or as they are, with whatever they hold (`bnlr.io.networks.unquoted`);
commas are blanks, comments ``//`` and ``/* */``. A ``table`` with parents lists the node's states
as the slowest index, as JavaBayes defines it. The bar may be missing (JavaBayes): the first name is
the child.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnlr.errors import ModelFileError
from bnlr.io.networks.escapes import CLASS, EscapedNode, Properties, encode_name, escaped_nodes
from bnlr.io.networks.parsed import ParsedNetwork, Variable
from bnlr.io.networks.potentials import Potential, PotentialRow, checked_number
from bnlr.io.networks.unquoted import (
    STRING,
    Vocabulary,
    matches,
    plain,
    readings,
    turned_readings,
)
from bnlr.io.tokens import BLANKS, END, Lexer, Token
from bnlr.machine import MOST_AXES
from bnlr.words import quoted

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
_COMMENT = r"//[^\n]*|/\*(?:[^*]++|\*(?!/))*+\*/"
_COMMENTS = re.compile(f"({STRING})|{_COMMENT}")
_RAW = rf'(?:{STRING}|{_COMMENT}|[^{{}};"/]++|["/])*+'
_NAMES = re.compile(_RAW)  # up to a brace or a semicolon
_ROW = re.compile(f"{_RAW};")
_STATES = re.compile(rf'(?:{STRING}|{_COMMENT}|[^{{}}"/]++|["/])*+')  # up to a brace
_GLUED = re.compile(r"[^\s,;{}()\"]//")  # a comment where a name goes on
_INTERVAL = re.compile(r"[\[\](][^,;\[\]()]+[,;][^,;\[\]()]+[\[\])]")  # of two numbers, or so
_ROW_END = re.compile(r"\)[\s,]*+[0-9.+-][^();]*+;\Z", re.ASCII)
_COUNT = re.compile(r"\d{1,12}", re.ASCII)
_MOST_BARS = 16  # that may stand in names
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


@dataclass(frozen=True)
class _Block:
    """A block of probabilities before the names in it are known."""

    family: str
    line: int
    cells: list[str] | None
    default: list[str] | None
    rows: Sequence[tuple[str, list[str], int]]


class _BIFParser:
    """One pass over the text, each method taking one construct of the grammar, then its names."""

    def __init__(self, text: str, source: str) -> None:
        self._lexer = Lexer(text, source, _TOKEN)
        self._variables: list[Variable] = []
        self._blocks: list[_Block] = []
        self._properties: dict[str, str] = {}
        self._has_semicolons = False  # in states

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
        families = _Families(self._lexer.source, self._variables)
        potentials = [families.potential(block) for block in self._blocks]
        return ParsedNetwork(self._lexer.source, self._variables, potentials, self._properties)

    def _network(self, _: Token) -> None:
        self._raw()
        self._lexer.expect("{", "after network and its name")
        while not (token := self._lexer.next()).is_mark("}"):
            self._property(token, self._properties, "network")

    def _raw(self) -> str:
        """Take what stands before the next brace or semicolon, without comments."""
        return self._without_comments(self._lexer.raw(_NAMES, ""))

    def _without_comments(self, text: str) -> str:
        if "/" in text:
            text = _COMMENTS.sub(lambda match: match.group(1) or " ", text)
            if "/*" in text:
                self._lexer.fail(self._lexer.peek(), "a comment before this is not closed")
        return text.strip()

    def _property(self, token: Token, properties: dict[str, str], block: str) -> None:
        """Take ``property key = value;``, also in quotes, whatever else stands up to the ';'."""
        if token.kind != "word" or token.text.lower() != "property":
            seen = self._lexer.seen(token)
            self._lexer.fail(token, f"expected '}}' or a property in {block}, found {seen}")
        text = self._lexer.raw(_PROPERTY, "the property")[:-1].strip().strip('"')
        key, _, value = text.partition("=")
        properties[key.strip()] = value.strip()

    def _variable(self, start: Token) -> None:
        line = self._lexer.line(start)
        name = plain(self._raw())
        if not name:
            self._lexer.expect_name("the variable's name")
        self._lexer.expect("{", "after the variable's name")
        labels: tuple[str, ...] | None = None
        properties: dict[str, str] = {}
        while not (token := self._lexer.next()).is_mark("}"):
            if token.kind == "word" and token.text.lower() == "type":
                if labels is not None:
                    self._lexer.fail(token, f"variable {quoted(name)} has two types; keep one")
                labels = self._type()
            else:
                self._property(token, properties, "variable")
        if labels is None:
            self._lexer.fail(
                start,
                f"variable {quoted(name)} has no type; give 'type discrete [n] {{ states }};'",
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
        if self._lexer.peek().text == "=":  # of old files
            self._lexer.next()
        self._lexer.expect("{", "before the states")
        raw = self._lexer.raw(_STATES, "")
        hint = "; a // begins a comment: put states with it in quotes" if _GLUED.search(raw) else ""
        self._lexer.expect("}", f"after the states{hint}")
        self._lexer.expect(";", f"after the states{hint}")
        return self._labels(self._without_comments(raw), count, hint)

    def _labels(self, text: str, count: Token, hint: str) -> tuple[str, ...]:
        """Return the states of a list; how many there are is what tells them apart."""
        n = int(count.text) if _COUNT.fullmatch(count.text) else -1
        every = readings(text, max(n, 0) + 1)
        found = [labels for labels in every if len(labels) == n]
        turned = [labels for labels in turned_readings(text, max(n, 0) + 1) if len(labels) == n]
        if not found or all(_INTERVAL.fullmatch(label) for labels in turned for label in labels):
            found = turned or found
        found = [labels for labels in found if len(set(labels)) == len(labels)] or found[:1]
        if not found:
            listed = len(every[0]) if len(every[0]) < n else "more"
            self._lexer.fail(
                count,
                f"{count.text:.20} states are announced, {listed} are listed; mend one{hint}",
            )
        if len(found) > 1:
            self._lexer.fail(count, _ambiguous("the states", found))
        labels = found[0]
        if any(";" in label for label in labels):
            if any(label.endswith(";") for label in labels):
                self._lexer.fail(count, "a ';' between states; commas set them apart")
            self._has_semicolons = True
        half = next((label for label in labels if label.startswith('"')), None)
        if half is not None:
            self._lexer.fail(count, f"the state {quoted(half)} has a quote that is not closed")
        return labels

    def _probability(self, start: Token) -> None:
        line = self._lexer.line(start)
        self._lexer.expect("(", "after probability")
        family = self._raw()
        if not family.endswith(")"):
            self._lexer.fail(self._lexer.peek(), "expected ')' after the child and its parents")
        self._lexer.expect("{", "before the probabilities")
        cells: list[str] | None = None
        default: list[str] | None = None
        rows: list[tuple[str, list[str], int]] = []
        while not (token := self._lexer.next()).is_mark("}"):
            word = token.text.lower() if token.kind == "word" else ""
            if word == "table":
                cells = self._numbers(cells is not None, token)
            elif word == "default":
                default = self._numbers(default is not None, token)
            elif token.is_mark("("):
                rows.append(self._row(token))
            else:
                self._property(token, {}, "probability")
        if cells is not None and (rows or default is not None):
            shown = quoted(family[:-1].strip())
            self._lexer.fail(start, f"probability of {shown} has a table and rows; keep one")
        self._blocks.append(_Block(family[:-1].strip(), line, cells, default, rows))

    def _row(self, start: Token) -> tuple[str, list[str], int]:
        """Take the rest of a row: states, a closing parenthesis, which no number holds, numbers."""
        pieces = [self._lexer.raw(_ROW, "the row")]
        while self._has_semicolons and not _ROW_END.search(pieces[-1]):
            further = self._lexer.raw_if(_ROW)
            if further is None:
                break
            pieces.append(further.text)
        text = self._without_comments("".join(pieces)[:-1])
        states, mark, numbers = text.rpartition(")")
        if not mark:
            self._lexer.fail(start, "expected ')' after the parents' states of a row")
        line = self._lexer.line(start)
        return states, self._checked(numbers.replace(",", " ").split(), line), line

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
        return self._checked(cells, self._lexer.line(start))

    def _checked(self, cells: list[str], line: int) -> list[str]:
        where = f"{self._lexer.source}:{line}"
        return [checked_number(cell, where) for cell in cells]


class _Families:
    """The names and states that are known, by which heads and rows without quotes are read."""

    def __init__(self, source: str, variables: Sequence[Variable]) -> None:
        self._source = source
        self._vocabularies = {each.name: Vocabulary(each.labels) for each in variables}

    def potential(self, block: _Block) -> Potential:
        where = f"{self._source}:{block.line}"
        child, *parents = self._family(block.family, where)
        cells, default = block.cells, block.default
        if cells is None and default is not None and not parents:
            cells, default = default, None
        known = [self._vocabularies.get(parent, Vocabulary(())) for parent in parents]
        rows = tuple(
            PotentialRow(self._states(text, known, line), numbers, line)
            for text, numbers, line in block.rows
        )
        return Potential(child, tuple(parents), block.line, cells, True, rows, default)

    def _family(self, text: str, where: str) -> tuple[str, ...]:
        """Return the child and its parents; names that nobody knows are told apart by words."""
        found = [names for names in readings(text) if self._are_known(names)]
        bars = [place for place, letter in enumerate(text) if letter == "|"][:_MOST_BARS]
        for bar in bars:
            child = plain(text[:bar])
            if child in self._vocabularies:
                every = [(child, *names) for names in readings(text[bar + 1 :])]
                found += [names for names in every if self._are_known(names)]
        found = list(dict.fromkeys(found))
        if len(found) > 1:
            raise ModelFileError(f"{where}: {_ambiguous('the names', found)}")
        if found:
            return found[0]
        child, _, parents = text.partition("|") if bars else text.partition(" ")
        return (plain(child), *readings(parents)[-1])

    def _are_known(self, names: Sequence[str]) -> bool:
        return bool(names) and all(name in self._vocabularies for name in names)

    def _states(self, text: str, known: Sequence[Vocabulary], line: int) -> tuple[str, ...]:
        pieces = tuple(piece.strip() for piece in text.split(","))
        is_simple = len(pieces) == len(known) and not any(each.is_odd for each in known)
        if is_simple and all(p in each for p, each in zip(pieces, known, strict=True)):
            return pieces
        found = matches(text, known) if len(known) < MOST_AXES else []
        if len(found) > 1:
            raise ModelFileError(f"{self._source}:{line}: {_ambiguous('the row', found)}")
        every = readings(text)
        return (found or [each for each in every if len(each) == len(known)] or every)[0]


def _ambiguous(what: str, found: Sequence[Sequence[str]]) -> str:
    first, second = (", ".join(map(quoted, names)) for names in found[:2])
    return f"{what} can be read as {first:.120} or as {second:.120}; put each in double quotes"

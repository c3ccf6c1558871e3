"""ARFF, WEKA's data format: nominal and numeric attributes, dense or sparse rows.

    @relation name
    @attribute outlook {sunny, 'very cloudy'}
    @attribute temperature numeric
    @data
    sunny, 21.5          or sparse: {0 sunny, 1 21.5}

Keywords in any case; ``%`` begins a comment; an unquoted ``?`` is a missing cell; names and values
with blanks stand in single or double quotes, with backslash escapes. The first row may stand behind
``@data``; a comma after a row's last value, as MOA writes it, is no cell. Texts of an attribute of
type string are taken as labels, with a warning. Dates, relations and instance weights are refused,
and so is what stands behind a declaration, lest a row or a column is lost.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import NoReturn

from bnlr.errors import BnlrWarning, DataError
from bnlr.io.tables.table import LABELS, NUMBERS, Cells, Kind, MissingCell, Table
from bnlr.io.tokens import Token, line_tokens
from bnlr.warn import warn
from bnlr.words import guess, listed, quoted

MISSING_CELL = MissingCell("?")
_TOKEN = re.compile(
    r"""(?P<blank>\s+)|(?P<comment>%.*)|(?P<mark>[,{}])
    |(?P<string>'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+")|(?P<unclosed>['"])|(?P<word>[^\s,{}'"%]+)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_NUMERIC = ("numeric", "real", "integer")
_DECLARATIONS = ("@attribute", "@data")
_HEADER = "expected @relation, @attribute or @data"


@dataclass
class _Attribute:
    name: str
    is_number: bool
    labels: tuple[str, ...] = ()
    is_string: bool = False
    known: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.known = frozenset(self.labels)


def read_arff(lines: Iterable[str], source: str) -> Table:
    """Read the lines of an ARFF file.

    Returns
    -------
    Table
        Its kinds are those that the header declares, states in the declared order.

    Raises
    ------
    DataError
        With file, line and remedy.
    """
    return _ARFFReader(source).read(enumerate(lines, start=1))


class _ARFFReader:
    """One pass over the lines."""

    def __init__(self, source: str) -> None:
        self._source, self._line = source, 0
        self._attributes: list[_Attribute] = []

    def read(self, lines: Iterator[tuple[int, str]]) -> Table:
        first = self._header(lines)
        rows: list[Cells] = [self._row(first)] if first else []
        for self._line, line in lines:
            tokens = self._tokens(line)
            if tokens:
                rows.append(self._row(tokens))
        if not rows:
            raise DataError(f"{self._source}: no rows below @data")
        columns = map(list, zip(*rows, strict=True))
        names = [attribute.name for attribute in self._attributes]
        kinds = {
            a.name: Kind(NUMBERS if a.is_number else LABELS, a.labels) for a in self._attributes
        }
        table = Table(self._source, dict(zip(names, columns, strict=True)), kinds)
        self._warn_of_strings(table)
        return table

    def _fail(self, message: str) -> NoReturn:
        raise DataError(f"{self._source}:{self._line}: {message}")

    def _tokens(self, line: str) -> list[Token]:
        def fail(_: int, message: str) -> NoReturn:
            self._fail(message)

        tokens = line_tokens(line, _TOKEN, fail, "quotes in a text need a \\")
        return [
            token._replace(text=_ESCAPE.sub(_unescaped, token.text))
            if token.kind == "string"
            else token
            for token in tokens
        ]

    def _header(self, lines: Iterator[tuple[int, str]]) -> list[Token]:
        """Read the declarations; return what stands behind @data in its line."""
        for self._line, line in lines:
            tokens = self._tokens(line)
            keyword = tokens[0].text.lower() if tokens else ""
            if keyword == "@data":
                if not self._attributes:
                    self._fail("no @attribute before @data; name the columns")
                return tokens[1:]
            if keyword == "@attribute":
                self._attribute(tokens[1:])
            elif keyword == "@relation":
                self._refuse_declarations(tokens[1:])
            elif tokens:
                self._fail(f"{_HEADER}, found {quoted(tokens[0].text)}")
        raise DataError(f"{self._source}: no @data line; not an ARFF file, or one that was cut")

    def _refuse_declarations(self, name: Sequence[Token]) -> None:
        """A relation's name tells nothing, however many words it has, but columns would."""
        for token in name:
            if token.kind == "word" and token.text.lower() in _DECLARATIONS:
                self._fail(f"{token.text} behind @relation; put it in a line of its own")

    def _attribute(self, tokens: Sequence[Token]) -> None:
        if len(tokens) < 2 or tokens[0].kind == "mark" or not tokens[0].text.strip():
            self._fail("expected @attribute NAME TYPE; a name with blanks stands in quotes")
        name, kind = tokens[0].text.strip(), tokens[1]
        if any(attribute.name == name for attribute in self._attributes):
            self._fail(f"two attributes are named {quoted(name)}; rename one")
        word = kind.text.lower()
        if kind.kind == "mark" and kind.text == "{":
            self._attributes.append(_Attribute(name, False, self._labels(name, tokens[2:])))
        elif kind.kind == "word" and word in _NUMERIC:
            self._refuse_rest(name, tokens[2:])
            self._attributes.append(_Attribute(name, True))
        elif kind.kind == "word" and word == "string":
            self._refuse_rest(name, tokens[2:])
            self._attributes.append(_Attribute(name, False, is_string=True))
        else:
            self._fail(
                f"attribute {quoted(name)} is of type {quoted(kind.text)}; only nominal {{…}}, "
                "numeric, real, integer and string are read: convert or remove it"
            )

    def _refuse_rest(self, name: str, rest: Sequence[Token]) -> None:
        """Refuse what stands behind a type, but a range [from, to], which tells nothing new."""
        ends = [k for k, token in enumerate(rest, start=1) if token.text.endswith("]")]
        is_range = ends[:1] == [len(rest)] and rest[0].text.startswith("[")
        if rest and not is_range:
            self._fail(
                f"unexpected {quoted(rest[0].text)} behind the type of attribute {quoted(name)}; "
                "each declaration and each row stands in a line of its own"
            )

    def _labels(self, name: str, tokens: Sequence[Token]) -> tuple[str, ...]:
        if not tokens or tokens[-1].kind != "mark" or tokens[-1].text != "}":
            self._fail(f"the values of attribute {quoted(name)} must end with '}}' in its line")
        labels = tuple(token.text for token in self._values(tokens[:-1]))
        if not labels:
            self._fail(f"attribute {quoted(name)} has no values; list them")
        if len(set(labels)) < len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            self._fail(f"attribute {quoted(name)} lists the value {quoted(twice)} twice; once")
        return labels

    def _values(self, tokens: Sequence[Token]) -> list[Token]:
        """Return the values between single commas or blanks."""
        values: list[Token] = []
        after_comma = True
        for token in tokens:
            if token.kind != "mark":
                values.append(token)
            elif token.text != ",":
                self._fail(f"unexpected {token.text!r}; put a value that holds braces in quotes")
            elif after_comma:
                self._fail("an empty cell between commas; write ? for a missing one, '' for empty")
            after_comma = token.kind == "mark"
        if after_comma and tokens:
            self._fail("an empty cell after the last comma; write ? for a missing one")
        return values

    def _row(self, tokens: Sequence[Token]) -> Cells:
        if tokens[0].text == "{" and tokens[0].kind == "mark":
            return self._sparse_row(tokens)
        if tokens[-1].text == "}" and tokens[-1].kind == "mark":
            self._fail("instance weights {…} are not read; make them a column, or remove them")
        if tokens[-1].text == "," and tokens[-1].kind == "mark":
            tokens = self._without_last_comma(tokens)
        values = self._values(tokens)
        if len(values) != len(self._attributes):
            self._fail(
                f"{len(values)} values, the header names {len(self._attributes)} attributes; a "
                "value with blanks or commas stands in quotes"
            )
        return [self._cell(a, token) for a, token in zip(self._attributes, values, strict=True)]

    def _without_last_comma(self, tokens: Sequence[Token]) -> Sequence[Token]:
        """Drop the comma that ends a row whose values are all there."""
        n_values = sum(token.kind != "mark" for token in tokens)
        return tokens[:-1] if n_values == len(self._attributes) else tokens

    def _sparse_row(self, tokens: Sequence[Token]) -> Cells:
        """Read {index value, …}, indices from 0; what is left out is 0 or the first value."""
        if tokens[-1].kind != "mark" or tokens[-1].text != "}" or len(tokens) < 2:
            self._fail("a sparse row must end with '}' in its line, without a weight")
        strings = [a.name for a in self._attributes if a.is_string]
        if strings:
            self._fail(f"a sparse row, but {quoted(strings[0])} is of type string; make it nominal")
        values = self._values(tokens[1:-1])
        if len(values) % 2:
            self._fail("a sparse row holds pairs 'index value'; one has no value")
        row: Cells = ["0" if a.is_number else a.labels[0] for a in self._attributes]
        last = -1
        for index, value in zip(values[::2], values[1::2], strict=True):
            place = int(index.text) if re.fullmatch("[0-9]{1,9}", index.text) else -1
            if not last < place < len(row):
                self._fail(
                    f"the index {quoted(index.text)} of a sparse row must be a whole number, "
                    f"larger than the one before and below {len(row)}"
                )
            row[place] = self._cell(self._attributes[place], value)
            last = place
        return row

    def _cell(self, attribute: _Attribute, token: Token) -> str:
        text = token.text
        if text == "?" and token.kind == "word":
            return MISSING_CELL
        if attribute.is_number:
            if not _NUMBER.fullmatch(text) or len(text) > 400 or not isfinite(float(text)):
                self._fail(f"{quoted(text)} in {quoted(attribute.name)} is no finite number")
        elif not attribute.is_string and text not in attribute.known:
            self._fail(
                f"{quoted(text)} is no value of {quoted(attribute.name)}, which has "
                f"{listed(attribute.labels)}{guess(text, attribute.labels)}"
            )
        return text

    def _warn_of_strings(self, table: Table) -> None:
        for attribute in self._attributes:
            if attribute.is_string:
                n = len(
                    {c for c in table.columns[attribute.name] if not isinstance(c, MissingCell)}
                )
                warn(
                    f"{self._source}: attribute {quoted(attribute.name)} is of type string; its "
                    f"{n:,} different texts are taken as labels (leave it out if they are none)",
                    BnlrWarning,
                )


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1)
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, code)

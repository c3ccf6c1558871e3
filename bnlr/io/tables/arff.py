"""ARFF, WEKA's data format, and KEEL's: nominal, numeric and date attributes, dense or sparse rows.

    @relation name
    @attribute outlook {sunny, 'very cloudy'}
    @attribute temperature numeric
    @attribute day date "yyyy-MM-dd"
    @data
    sunny, 21.5, 2001-04-03        or sparse: {0 sunny, 1 21.5}; with a weight: …, {0.5}

Keywords in any case; ``%`` begins a comment; an unquoted ``?``, KEEL's ``<null>`` too, is a missing
cell; names and values with blanks stand in single or double quotes, with backslash escapes. The
first row may stand behind ``@data``; one comma after the last value of a row or a list, as MOA
writes it, is no cell. KEEL puts ranges behind types, and ``@inputs`` and ``@outputs`` above
``@data``. Dates are read as seconds since 1970, texts of an attribute of type string as labels,
with a warning. Relational attributes are refused, and so is what stands behind a declaration, lest
a row or a column is lost.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import isfinite
from typing import NoReturn

from bnlr.errors import BnlrWarning, DataError
from bnlr.io.tables.dates import DEFAULT, date_reader
from bnlr.io.tables.limits import (
    cell_limit,
    check_cells,
    check_columns,
    check_declared,
    column_limit,
)
from bnlr.io.tables.table import LABELS, NUMBERS, Cells, Kind, MissingCell, Table
from bnlr.io.tokens import Token, is_decimal, line_tokens
from bnlr.warn import warn
from bnlr.words import guess, listed, quoted

MISSING_CELL = MissingCell("?")
NULL_CELL = MissingCell("<null>")
_HOLES = {"?": MISSING_CELL, "<null>": NULL_CELL}
_TOKEN = re.compile(
    r"""(?P<blank>\s+)|(?P<comment>%.*)|(?P<mark>[,{}])
    |(?P<string>'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+")|(?P<unclosed>['"])|(?P<word>[^\s,{}'"%]+)""",
    re.VERBOSE | re.DOTALL,
)
_WORD = r"""[^\s,{}'"%]++"""
# Most declarations: one step each.
_PLAIN_ATTRIBUTE = re.compile(
    rf"\s*@attribute\s+({_WORD})\s+(?:numeric|real|integer|{{\s*({_WORD}(?:\s*,\s*{_WORD})*+)\s*}})\s*",
    re.IGNORECASE,
)
_SPECIAL = re.compile(r"""['"{}%\\]""")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_NUMERIC = ("numeric", "real", "integer")
_DECLARATIONS = ("@attribute", "@data")
_ROLES = ("@inputs", "@input", "@outputs", "@output")  # KEEL's
_HEADER = "expected @relation, @attribute or @data"

_MOST_KNOWN, _LONGEST_KNOWN = 4096, 4096  # rows that are kept for equal ones; characters of each

_SparseCells = dict[int, str]


@dataclass
class _Attribute:
    name: str
    is_number: bool
    labels: tuple[str, ...] = ()
    is_string: bool = False
    date: Callable[[str], float | None] | None = None
    known: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.known = {label: label for label in self.labels}

    @property
    def left_out(self) -> str:
        """What a cell is that a sparse row leaves out."""
        return "0" if self.is_number else self.labels[0]


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
        self._names: set[str] = set()
        self._weighted: list[str] = []
        self._weights: dict[int, float] = {}
        self._rows: list[Cells | _SparseCells] = []
        self._strings: list[_Attribute] = []
        self._known: dict[str, Cells | _SparseCells] = {}
        self._n_declared, self._n_characters = 0, 0
        self._most_cells = cell_limit().most
        self._most_columns = column_limit().most

    def read(self, lines: Iterator[tuple[int, str]]) -> Table:
        first = self._header(lines)
        self._strings = [attribute for attribute in self._attributes if attribute.is_string]
        if first:
            self._row(first)
        for self._line, line in lines:
            self._n_characters += len(line)
            self._line_of_data(line)
        if not self._rows:
            raise DataError(f"{self._source}: no rows below @data")
        n_characters = self._n_declared + self._n_characters
        check_declared(len(self._attributes), self._source, n_characters)
        names = [attribute.name for attribute in self._attributes]
        kinds = {
            a.name: Kind(NUMBERS if a.is_number else LABELS, a.labels) for a in self._attributes
        }
        columns = self._columns()
        weights = (self._weights.get(k, 1.0) for k in range(len(self._rows)))
        table = Table(
            self._source,
            dict(zip(names, columns, strict=True)),
            kinds,
            weights=tuple(weights) if self._weights else (),
        )
        self._warn_of_strings(table)
        self._warn_of_weights()
        return table

    def _line_of_data(self, line: str) -> None:
        """Add the row of a line, if it holds one; many are as one before."""
        row = self._known.get(line)
        if row is not None:
            self._check_sparse(row)
            self._rows.append(row)
            return
        n_rows, n_weights = len(self._rows), len(self._weights)
        cells = self._plain_row(line)
        if cells is not None:
            self._rows.append(cells)
        elif tokens := self._tokens(line, 4 * len(self._attributes) + 16):
            self._row(tokens)
        is_row = len(self._rows) > n_rows and len(self._weights) == n_weights
        if is_row and len(self._known) < _MOST_KNOWN and len(line) <= _LONGEST_KNOWN:
            self._known[line] = self._rows[-1]

    def _check_sparse(self, row: Cells | _SparseCells) -> None:
        """Refuse one more sparse row where few bytes hold too many cells."""
        n_rows, n_columns = len(self._rows) + 1, len(self._attributes)
        if n_rows * n_columns > self._most_cells and isinstance(row, dict):
            check_cells(n_rows, n_columns, self._source, self._n_characters)

    def _columns(self) -> list[Cells]:
        if not any(isinstance(row, dict) for row in self._rows):
            return list(map(list, zip(*self._rows, strict=True)))
        n_rows = len(self._rows)
        columns = [[attribute.left_out] * n_rows for attribute in self._attributes]
        for k, row in enumerate(self._rows):
            for place, cell in row.items() if isinstance(row, dict) else enumerate(row):
                columns[place][k] = cell
        return columns

    def _fail(self, message: str) -> NoReturn:
        raise DataError(f"{self._source}:{self._line}: {message}")

    def _tokens(self, line: str, most: int) -> list[Token]:
        def fail(_: int, message: str) -> NoReturn:
            self._fail(message)

        found = line_tokens(line, _TOKEN, fail, "quotes in a text need a \\")
        tokens = list(islice(found, most + 1))
        if len(tokens) > most:
            n = len(self._attributes)
            self._fail(f"many more values than the {n} attributes of the header; one row a line")
        return [
            token._replace(text=_ESCAPE.sub(_unescaped, token.text))
            if token.kind == "string"
            else token
            for token in tokens
        ]

    def _header(self, lines: Iterator[tuple[int, str]]) -> list[Token]:
        """Read the declarations; return what stands behind @data in its line."""
        most = 2 * self._most_columns + 16
        for self._line, line in lines:
            self._n_declared += len(line)
            self._check_columns(line.count(","), "label")
            if self._plain_attribute(line):
                continue
            tokens = self._tokens(line, most)
            keyword = tokens[0].text.lower() if tokens else ""
            if keyword == "@data":
                if not self._attributes:
                    self._fail("no @attribute before @data; name the columns")
                return tokens[1:]
            if keyword == "@attribute":
                self._attribute(tokens[1:])
            elif keyword == "@relation":
                self._refuse_declarations(tokens[1:])
            elif keyword in _ROLES:
                self._check_role(tokens[1:])
            elif tokens:
                self._fail(f"{_HEADER}, found {quoted(tokens[0].text)}")
        raise DataError(f"{self._source}: no @data line; not an ARFF file, or one that was cut")

    def _refuse_declarations(self, name: Sequence[Token]) -> None:
        """A relation's name tells nothing, however many words it has, but columns would."""
        for token in name:
            if token.kind == "word" and token.text.lower() in _DECLARATIONS:
                self._fail(f"{token.text} behind @relation; put it in a line of its own")

    def _check_role(self, tokens: Sequence[Token]) -> None:
        """Which attribute KEEL takes for the class is no matter; that all are declared is."""
        for token in tokens:
            if token.kind != "mark" and token.text not in self._names:
                self._fail(
                    f"{quoted(token.text)} is no attribute declared above"
                    f"{guess(token.text, self._names)}"
                )

    def _plain_attribute(self, line: str) -> bool:
        """Add the attribute of a line if it is declared plainly and without fault."""
        match = _PLAIN_ATTRIBUTE.fullmatch(line)
        if match is None or match[1] in self._names:
            return False
        name, listed_labels = match.groups()
        labels = tuple(map(str.strip, listed_labels.split(","))) if listed_labels else ()
        if len(set(labels)) < len(labels):
            return False
        self._add(_Attribute(name, not labels, labels))
        return True

    def _add(self, attribute: _Attribute) -> None:
        self._names.add(attribute.name)
        self._attributes.append(attribute)
        self._check_columns(len(self._attributes), "attribute")

    def _attribute(self, tokens: Sequence[Token]) -> None:
        if len(tokens) < 2 or tokens[0].kind == "mark" or not tokens[0].text.strip():
            self._fail("expected @attribute NAME TYPE; a name with blanks stands in quotes")
        name, kind = tokens[0].text.strip(), tokens[1]
        if name in self._names:
            self._fail(f"two attributes are named {quoted(name)}; rename one")
        is_list = kind.is_mark("{")
        rest = self._without_weight(name, is_list, tokens[2:])
        if is_list:
            made = _Attribute(name, False, self._labels(name, rest))
        else:
            made = self._typed(name, kind, rest)
        self._add(made)

    def _check_columns(self, n: int, what: str) -> None:
        if n > self._most_columns:
            check_columns(n, f"{self._source}:{self._line}", what)

    def _typed(self, name: str, kind: Token, rest: Sequence[Token]) -> _Attribute:
        word, bracket, begun = kind.text.partition("[")
        word = word.lower() if kind.kind == "word" else ""
        if bracket:  # KEEL writes real[0,1] as well
            rest = [kind._replace(text=f"[{begun}"), *rest]
        if word == "date":
            return self._date(name, rest)
        if word == "relational":
            self._fail(
                f"attribute {quoted(name)} is relational, a table in each cell, which no fit here "
                "takes; remove it, or make columns of it first"
            )
        if word not in (*_NUMERIC, "string"):
            self._fail(
                f"attribute {quoted(name)} is of type {quoted(kind.text)}; only nominal {{…}}, "
                "numeric, real, integer, date and string are read: convert or remove it"
            )
        self._refuse_rest(name, rest)
        return _Attribute(name, word != "string", is_string=word == "string")

    def _date(self, name: str, rest: Sequence[Token]) -> _Attribute:
        form = rest[0].text if rest and rest[0].kind != "mark" else DEFAULT
        self._refuse_rest(name, rest[1:])
        read = date_reader(form)
        if read is None:
            self._fail(
                f"the date format {quoted(form)} of attribute {quoted(name)} has letters that are "
                "not known; write the dates otherwise, such as yyyy-MM-dd"
            )
        return _Attribute(name, True, date=read)

    def _without_weight(self, name: str, is_list: bool, tokens: Sequence[Token]) -> list[Token]:
        """Return what follows a type or '{' without an attribute's weight, which no fit heeds."""
        end = next((k for k, token in enumerate(tokens, 1) if token.is_mark("}")), 0)
        end = end if is_list else 0
        rest, weight = self._split_weight(tokens[end:])
        if weight not in (None, 1.0):
            self._weighted.append(name)
        return [*tokens[:end], *rest]

    def _split_weight(self, tokens: Sequence[Token]) -> tuple[Sequence[Token], float | None]:
        """Return tokens without the {weight} that ends them, and it; None if there is none."""
        if len(tokens) < 3 or not (tokens[-1].is_mark("}") and tokens[-3].is_mark("{")):
            return tokens, None
        text = tokens[-2].text
        weight = float(text) if is_decimal(text) else -1.0
        if not 0.0 <= weight < float("inf"):
            self._fail(f"{{{text}}} is no weight; weights are finite numbers, 0 or larger")
        return tokens[:-3], weight

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
        if not tokens or not tokens[-1].is_mark("}"):
            self._fail(f"the values of attribute {quoted(name)} must end with '}}' in its line")
        inside = tokens[:-1]
        if len(inside) > 1 and inside[-1].is_mark(","):
            inside = inside[:-1]
        labels = tuple(token.text for token in self._values(inside))
        if not labels:
            self._fail(f"attribute {quoted(name)} has no values; list them")
        twice, n = Counter(labels).most_common(1)[0]
        if n > 1:
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

    def _plain_row(self, line: str) -> Cells | None:
        """Return the cells of a row between commas, without quotes or braces; None for others."""
        if line.count(",") != len(self._attributes) - 1 or _SPECIAL.search(line):
            return None
        texts = [text.strip() for text in line.split(",")]
        if any(not text or len(text.split(None, 1)) > 1 for text in texts):
            return None
        return [self._cell(a, text, True) for a, text in zip(self._attributes, texts, strict=True)]

    def _row(self, tokens: Sequence[Token]) -> None:
        """Add a row."""
        is_sparse = tokens[0].is_mark("{")
        end = next((k for k, t in enumerate(tokens) if t.is_mark("}")), -1) if is_sparse else 0
        head, tail = tokens[: end + 1], tokens[end + 1 :]
        rest, weight = self._split_weight(tail)
        if weight is not None:
            self._weights[len(self._rows)] = weight
        if is_sparse:
            if [token.text for token in rest] not in ([], [","]):
                self._fail("a sparse row must end with '}' in its line, or with a weight behind it")
            self._rows.append(self._sparse_row(head))
        else:
            self._rows.append(self._dense_row([*head, *rest]))

    def _dense_row(self, tokens: Sequence[Token]) -> Cells:
        if tokens[-1].is_mark(","):
            tokens = self._without_last_comma(tokens)
        values = self._values(tokens)
        if len(values) != len(self._attributes):
            self._fail(
                f"{len(values)} values, the header names {len(self._attributes)} attributes; a "
                "value with blanks or commas stands in quotes"
            )
        return [
            self._cell(a, token.text, token.kind == "word")
            for a, token in zip(self._attributes, values, strict=True)
        ]

    def _without_last_comma(self, tokens: Sequence[Token]) -> Sequence[Token]:
        """Drop the comma that ends a row whose values are all there."""
        n_values = sum(token.kind != "mark" for token in tokens)
        return tokens[:-1] if n_values == len(self._attributes) else tokens

    def _sparse_row(self, tokens: Sequence[Token]) -> _SparseCells:
        """Read {index value, …}, indices from 0; what is left out is 0 or the first value."""
        if len(tokens) < 2:
            self._fail("a sparse row must end with '}' in its line, or with a weight behind it")
        if self._strings:
            name = self._strings[0].name
            self._fail(f"a sparse row, but {quoted(name)} is of type string; make it nominal")
        self._check_sparse({})
        inside = tokens[1:-1]
        if len(inside) > 1 and inside[-1].is_mark(","):
            inside = inside[:-1]
        values = self._values(inside)
        if len(values) % 2:
            self._fail("a sparse row holds pairs 'index value'; one has no value")
        row: _SparseCells = {}
        last, n = -1, len(self._attributes)
        for index, value in zip(values[::2], values[1::2], strict=True):
            place = int(index.text) if re.fullmatch("[0-9]{1,9}", index.text) else -1
            if not last < place < n:
                self._fail(
                    f"the index {quoted(index.text)} of a sparse row must be a whole number, "
                    f"larger than the one before and below {n}"
                )
            row[place] = self._cell(self._attributes[place], value.text, value.kind == "word")
            last = place
        return row

    def _cell(self, attribute: _Attribute, text: str, is_word: bool) -> str:
        known = attribute.known.get(text)
        if is_word and text in _HOLES and (known is None or text == "?"):
            return _HOLES[text]
        if known is not None:
            return known
        if attribute.date is not None:
            seconds = attribute.date(text)
            if seconds is None:
                self._fail(
                    f"{quoted(text)} in {quoted(attribute.name)} is no date of its format; write ? "
                    "for a missing one"
                )
            return repr(seconds)
        if attribute.is_number:
            if not is_decimal(text) or not isfinite(float(text)):
                self._fail(f"{quoted(text)} in {quoted(attribute.name)} is no finite number")
        elif not attribute.is_string:
            self._fail(
                f"{quoted(text)} is no value of {quoted(attribute.name)}, which has "
                f"{listed(attribute.labels)}{guess(text, attribute.labels)}"
            )
        return text

    def _warn_of_strings(self, table: Table) -> None:
        for attribute in self._strings:
            n = len({c for c in table.columns[attribute.name] if not isinstance(c, MissingCell)})
            warn(
                f"{self._source}: attribute {quoted(attribute.name)} is of type string; its "
                f"{n:,} different texts are taken as labels (leave it out if they are none)",
                BnlrWarning,
            )

    def _warn_of_weights(self) -> None:
        if self._weighted:
            verb = "has a weight" if len(self._weighted) == 1 else "have weights"
            warn(
                f"{self._source}: {listed(self._weighted)} {verb} among the attributes, which no "
                "classifier here heeds",
                BnlrWarning,
            )


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1)
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, code)

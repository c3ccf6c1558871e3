"""Words, strings and marks of text formats, with the place for every complaint.

A pattern's groups are blank, comment, unclosed, string (with its quotes), mark and word; it matches
at least one character anywhere.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, NoReturn

from bnlr.errors import ModelFileError
from bnlr.words import quoted

END = "end"
_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,6})?", re.ASCII)
_LONGEST_NUMBER = 400
BLANKS = r"(?>\s+|//[^\n]*|/\*.*?\*/|%[^\n]*)*+"
"""Blanks and comments of any of the formats."""


class Token(NamedTuple):
    """A piece of text; ``kind`` is "word", "string", "mark", "raw" or "end"."""

    kind: str
    text: str
    start: int

    def is_mark(self, marks: str) -> bool:
        """Return whether it is one of these punctuation marks."""
        return self.kind == "mark" and self.text in marks

    @property
    def is_name(self) -> bool:
        """Whether it can name a node or a state."""
        return self.kind in ("word", "string")


def is_decimal(text: str) -> bool:
    """Whether a text is a number as formats write it; of cells see `bnlr.data.numerals`."""
    return len(text) <= _LONGEST_NUMBER and _DECIMAL.fullmatch(text) is not None


class LineCounter:
    """The lines of places in a text, each counted from the last one asked for."""

    def __init__(self, text: str) -> None:
        self._text, self._counted = text, (0, 1)

    def __call__(self, place: int) -> int:
        """Return the line of a place, from 1."""
        start, line = self._counted if self._counted[0] <= place else (0, 1)
        self._counted = (place, line + self._text.count("\n", start, place))
        return self._counted[1]


class Lexer:
    """Tokens on demand, so that a parser may also take raw text where its format says so.

    Parameters
    ----------
    text
    source
        What errors call the file.
    pattern
        As above.
    """

    def __init__(self, text: str, source: str, pattern: re.Pattern[str]) -> None:
        self.text, self.source, self._pattern = text, source, pattern
        self._place = 0
        self._ahead: Token | None = None
        self._line_of = LineCounter(text)

    def peek(self) -> Token:
        """Return the next token and leave it there."""
        if self._ahead is None:
            self._ahead = self._scan()
        return self._ahead

    def next(self) -> Token:
        """Return the next token; at the end of the text one of kind "end"."""
        token = self.peek()
        self._ahead = None
        return token

    def expect(self, mark: str, why: str) -> Token:
        """Take a mark that must come next.

        Raises
        ------
        ModelFileError
            Something else does.
        """
        token = self.next()
        if not token.is_mark(mark):
            self.fail(token, f"expected '{mark}' {why}, found {self.seen(token)}")
        return token

    def expect_name(self, what: str) -> Token:
        """Take a word or a string that must come next.

        Raises
        ------
        ModelFileError
            Something else does.
        """
        token = self.next()
        if not token.is_name:
            self.fail(token, f"expected {what}, found {self.seen(token)}")
        return token

    def raw(self, pattern: re.Pattern[str], what: str) -> str:
        """Take raw text that matches at the next token, which has not been peeked at.

        Raises
        ------
        ModelFileError
            Nothing matches.
        """
        match = pattern.match(self.text, self._place)
        if match is None:
            self.fail(self._place, f"{what} does not end; close it with ';'")
        self._place = match.end()
        return match.group()

    def raw_if(self, pattern: re.Pattern[str]) -> Token | None:
        """Take raw text if it matches at the next token, which has not been peeked at."""
        match = pattern.match(self.text, self._place)
        if match is None:
            return None
        self._place = match.end()
        return Token("raw", match.group(), match.start())

    def line(self, where: Token | int) -> int:
        """Return the line of a token or an offset, from 1."""
        return self._line_of(where if isinstance(where, int) else where.start)

    def fail(self, where: Token | int, message: str) -> NoReturn:
        """Raise ModelFileError with line and column."""
        start = where if isinstance(where, int) else where.start
        column = start - (self.text.rfind("\n", 0, start) + 1) + 1
        raise ModelFileError(f"{self.source}:{self.line(start)}:{column}: {message}")

    @staticmethod
    def seen(token: Token) -> str:
        """Return how errors show a token."""
        return "the end of the file; is it complete?" if token.kind == END else quoted(token.text)

    def _scan(self) -> Token:
        while self._place < len(self.text):
            match = self._pattern.match(self.text, self._place)
            if match is None:
                self.fail(self._place, f"unexpected {quoted(self.text[self._place])}")
            start, self._place = self._place, match.end()
            kind, found = str(match.lastgroup), match.group()
            if kind == "unclosed":
                self.fail(start, "a quoted text or a comment that is not closed")
            if kind == "string":
                return Token(kind, found[1:-1], start)
            if kind not in ("blank", "comment"):
                return Token(kind, found, start)
        return Token(END, "", len(self.text))


def line_tokens(
    line: str, pattern: re.Pattern[str], fail: Callable[[int, str], NoReturn], remedy: str
) -> Iterator[Token]:
    """Yield the tokens of a format in which nothing goes on beyond a line.

    Parameters
    ----------
    line
    pattern
        As above.
    fail
        Called with the place in the line, from 0, and what is wrong there.
    remedy
        What to do about a quote that is not closed.
    """
    end = -1
    for match in pattern.finditer(line):
        kind, text, start = str(match.lastgroup), match.group(), match.start()
        if kind == "comment":
            return
        if kind == "unclosed":
            fail(start, f"a quoted text is not closed in its line; {remedy}")
        if kind in ("word", "string"):
            if start == end:
                fail(start, "a quote inside a text; put all of it in quotes")
            end = match.end()
        if kind != "blank":
            yield Token(kind, text[1:-1] if kind == "string" else text, start)

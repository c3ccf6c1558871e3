"""Names and states without quotes, as R's bnlearn, pgmpy and pandas leave them in BIF.

They may hold blanks, brackets, parentheses, bars and signs: ``very low``, ``(0.0, 1.5]``,
``_1_2]``. Commas or blanks set them apart, and an opening bracket of either kind goes with the next
closing one of either kind; one alone is a letter. Where no such reading fits, any bracket may begin
a name and end it, as of ``[0,1[`` and ``]1,2]``. Where several are left, the caller knows how many
names there must be, or which: more than one that fits is for it to refuse.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

STRING = r'(?<![^\s,({\[|])"[^"]*"(?=[\s,)};|]|\Z)'
"""A quoted text that is all of a name: it begins and ends where names do."""

_MARK = re.compile(rf"{STRING}|[()\[\],]|[ \t\r\n\f\v]+")
_STRING = re.compile(STRING)
_BLANKS = " \t\r\n\f\v"
_BLANK = re.compile(r"[ \t\r\n\f\v]+")
_SEPARATOR = re.compile(r"[ ,]*")


def plain(text: str) -> str:
    """Return a name without its quotes, or with its runs of blanks made one."""
    text = text.strip(_BLANKS)
    return text[1:-1] if _STRING.fullmatch(text) else _BLANK.sub(" ", text)


def readings(text: str, most: int | None = None) -> list[tuple[str, ...]]:
    """Return the different lists of names that a text may be, up to so many names of each.

    Those apart by commas come before those apart by commas or blanks, and those whose brackets hold
    together what is in them before those whose do not.
    """
    holding = (True, False) if "(" in text or "[" in text else (False,)
    ways = [(by_blanks, holds) for by_blanks in (False, True) for holds in holding]
    return list(dict.fromkeys(tuple(islice(_split(text, *way), most)) for way in ways))


def turned_readings(text: str, most: int | None = None) -> list[tuple[str, ...]]:
    """Return the list of names of which brackets turned either way begin and end some."""
    return [tuple(islice(_split(text, False, True, ")]", "(["), most))]


def _split(
    text: str, by_blanks: bool, holds: bool, opening: str = "", closing: str = ""
) -> Iterator[str]:
    """Yield names; further brackets may open one where it begins, and close it."""
    last_closing = max(map(text.rfind, f")]{closing}"))
    start, is_open = 0, False
    for match in _MARK.finditer(text):
        mark = match.group()
        if is_open and mark in closing:
            is_open = False
        elif mark in "([":
            is_open = is_open or (holds and match.start() < last_closing)
        elif mark in ")]":
            begins = mark in opening and not text[start : match.start()].strip(_BLANKS)
            is_open = not is_open and begins and match.start() < last_closing
        elif not is_open and (mark == "," or (by_blanks and mark[0] in _BLANKS)):
            if name := text[start : match.start()].strip(_BLANKS):
                yield plain(name)
            start = match.end()
    if name := text[start:].strip(_BLANKS):
        yield plain(name)


class Vocabulary:
    """The states of a variable, to be found at the beginning of a text."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels = frozenset(labels)
        self._lengths = sorted({len(label) for label in labels})
        self.is_odd = any(mark in label for label in labels for mark in '"(),[]')
        """Whether commas alone may not tell the states apart."""

    def __contains__(self, label: str) -> bool:
        return label in self._labels

    def at(self, text: str, place: int) -> Iterator[tuple[str, int]]:
        """Yield each state that stands at a place of a text, quoted or not, and its end."""
        string = _STRING.match(text, place)
        if string is not None and string.group()[1:-1] in self._labels:
            yield string.group()[1:-1], string.end()
        for length in self._lengths:
            if place + length > len(text):
                return
            label = text[place : place + length]
            if length and label in self._labels:
                yield label, place + length


def matches(text: str, vocabularies: Sequence[Vocabulary]) -> list[tuple[str, ...]]:
    """Return up to two ways in which a text is one state of each vocabulary, in their order."""
    text = _BLANK.sub(" ", text.strip(_BLANKS))
    found: dict[int, list[tuple[str, ...]]] = {_after(text, 0): [()]}
    for vocabulary in vocabularies:
        further: dict[int, list[tuple[str, ...]]] = {}
        for place, ways in found.items():
            for label, end in vocabulary.at(text, place):
                following = _after(text, end)
                if following > end or end == len(text):
                    known = further.setdefault(following, [])
                    known += [(*way, label) for way in ways][: 2 - len(known)]
        found = further
    return found.get(len(text), [])


def _after(text: str, place: int) -> int:
    """Return where what separates names ends."""
    match = _SEPARATOR.match(text, place)
    return match.end() if match else place

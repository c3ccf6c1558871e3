"""Words of messages: values in quotes, enumerations, numbers with their nouns, and guesses."""

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from math import log10

_LONGEST = 60
_MOST_BITS = 200  # of a number that a message shows
_MOST_NAMES = 10_000  # among which a mistyped one is looked for: each takes 20 µs
_LARGEST_COUNT = 10**15


def quoted(value: object) -> str:
    """Return ``repr(value)`` cut to a length that fits a message."""
    try:
        text = repr(value)
    except Exception:  # an object whose __repr__ fails, an integer of too many digits
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def quoted_path(path: object) -> str:
    """Return a path in quotes, cut at its beginning where it is long."""
    text = str(path)
    return repr(text if len(text) <= _LONGEST else f"…{text[1 - _LONGEST :]}")


def described(value: object) -> str:
    """Return what a message calls a value: itself where it is plain, else its type."""
    if isinstance(value, int) and value.bit_length() >= _MOST_BITS:
        return "huge"
    if value is None or isinstance(value, str | bytes | int | float):
        return quoted(value)
    return f"the {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"


def joined(items: Sequence[str], limit: int = 8, n_more: int = 0) -> str:
    """Return the first items, joined by commas, and how many more there are."""
    n_more += max(len(items) - limit, 0)
    return ", ".join(items[:limit]) + (f" and {n_more:,} more" if n_more else "")


def listed(values: Iterable[object], limit: int = 8) -> str:
    """Return the first values, each as `quoted` shows it, and how many more there are."""
    items = list(values)
    return joined([quoted(item) for item in items[:limit]], limit, max(len(items) - limit, 0))


def counted(n: int, noun: str, plural: str = "") -> str:
    """Return how many of something there are, in words: 1 arc, 2,000 arcs."""
    return f"1 {noun}" if n == 1 else f"{n:,} {plural or noun + 's'}"


def in_words(count: int) -> str:
    """Return ``count`` with thousands set apart, or as a power of ten where it is huge."""
    return f"{count:,}" if count < _LARGEST_COUNT else f"about 10^{log10(count):.1f}"


def nearest(name: object, names: Iterable[object], cutoff: float = 0.6) -> str | None:
    """Return the text among the first ``names`` that a mistyped one was meant to be, or None."""
    texts = [other for other in islice(names, _MOST_NAMES) if isinstance(other, str)]
    near = get_close_matches(name, texts, n=1, cutoff=cutoff) if isinstance(name, str) else []
    return near[0] if near else None


def guess(name: object, names: Iterable[object], show: Callable[[object], str] = quoted) -> str:
    """Return how a message on a mistyped name ends: with what was meant, if anything is near."""
    near = nearest(name, names)
    return "" if near is None else f"; did you mean {show(near)}?"

"""JSON from strangers: what is ambiguous, not finite, too deep or too large is refused."""

import json
import re
from math import isfinite
from typing import NoReturn

from bnlr.errors import ModelFileError

MAX_DEPTH = 64
MAX_DIGITS = 1000
# Strings are matched whole, so that brackets inside them do not count; possessive, so linear.
_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def parse(text: str, source: str) -> object:
    """Parse one JSON value.

    Parameters
    ----------
    text
        The whole file.
    source
        What errors call it, usually the path.

    Raises
    ------
    ModelFileError
        Not JSON (with line and column); a key twice in one object; NaN, an infinity or a number
        beyond double precision; more than 1,000 digits or 64 levels.
    """
    _check_depth(text, source)

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        return _unique(pairs, source)

    def number(digits: str) -> float:
        return _number(digits, source)

    def integer(digits: str) -> int:
        return _integer(digits, source)

    def constant(name: str) -> NoReturn:
        raise ModelFileError(f"{source}: {name} is no JSON number; only finite numbers are valid")

    try:
        value: object = json.loads(
            text,
            object_pairs_hook=unique,
            parse_float=number,
            parse_int=integer,
            parse_constant=constant,
        )
    except json.JSONDecodeError as error:
        where = f"{source}:{error.lineno}:{error.colno}"
        raise ModelFileError(f"{where}: not valid JSON: {error.msg}") from error
    return value


def render(value: object) -> str:
    """Return ``value`` in the one form in which bnlr writes JSON: ASCII, one line, no blanks.

    Raises
    ------
    ModelFileError
        It holds something that JSON cannot carry or that would not read back the same.
    """
    try:
        text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"the model cannot be written as JSON: {error}") from error
    if parse(text, "the model") != value:
        raise ModelFileError(
            "the model would not read back as it is: a name, a state or a key is no plain text or "
            "number (text must not hold both halves of a surrogate pair as two characters)"
        )
    return text


def _check_depth(text: str, source: str) -> None:
    depth = 0
    for match in _BRACKETS.finditer(text):
        bracket = match.group()
        if bracket in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise ModelFileError(f"{source}: nested more than {MAX_DEPTH} levels deep")
        elif bracket in "]}":
            depth -= 1


def _unique(pairs: list[tuple[str, object]], source: str) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ModelFileError(f"{source}: the key {twice!r:.80} stands twice in one object")
    return fields


def _number(digits: str, source: str) -> float:
    value = float(digits) if len(digits) <= MAX_DIGITS else float("inf")
    if not isfinite(value):
        raise ModelFileError(f"{source}: the number {digits[:40]} is beyond double precision")
    return value


def _integer(digits: str, source: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ModelFileError(
            f"{source}: a number has {len(digits):,} digits; at most {MAX_DIGITS:,} are read"
        )
    return int(digits)

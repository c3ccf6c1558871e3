"""What results are made of: values that JSON gives back exactly.

Text, whole numbers, finite floats (written so that every bit returns), booleans, None, lists and
dictionaries with text keys.
"""

import hashlib
import json
from math import isfinite
from typing import Any

from studies.common.errors import ResultError

Scalar = str | int | float | bool | None
Value = Any  # a Scalar, or lists and dictionaries of values; recursive aliases need Python 3.12

_MAX_DEPTH = 64


def to_text(value: Value, what: str = "the result") -> str:
    """Return ``value`` in the one form in which studies write JSON: ASCII, one line, no blanks.

    Parameters
    ----------
    value
    what
        How errors name it.

    Raises
    ------
    ResultError
        A NaN or an infinity, a NumPy array or whole number, a set, a key that is no text, …
    """
    clean = _clean(value, what, 0)
    text = json.dumps(clean, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    if json.loads(text) != clean:
        raise ResultError(f"{what} holds text with both halves of a surrogate pair as two letters")
    return text


def fingerprint(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes, 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def _clean(value: Value, where: str, depth: int) -> Value:
    """Return ``value`` made of the plain types; ``where`` leads to it, for errors."""
    if depth > _MAX_DEPTH:
        raise ResultError(f"{where} lies more than {_MAX_DEPTH} levels deep")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, float):
        return _finite(value, where)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, (list, tuple)):
        return [_clean(item, f"{where}[{k}]", depth + 1) for k, item in enumerate(value)]
    if isinstance(value, dict):
        return {
            _text_key(key, where): _clean(item, f"{where}[{key!r:.40}]", depth + 1)
            for key, item in value.items()
        }
    raise ResultError(
        f"{where} is a {type(value).__name__}, which JSON cannot carry; turn arrays into lists "
        "(.tolist()) and NumPy numbers into plain ones (.item())"
    )


def _finite(value: float, where: str) -> float:
    if not isfinite(value):
        raise ResultError(
            f"{where} is {value}; results are finite, use None for what does not exist"
        )
    return float(value)


def _text_key(key: object, where: str) -> str:
    if not isinstance(key, str):
        raise ResultError(f"{where} has the key {key!r:.60}; keys must be text")
    return key

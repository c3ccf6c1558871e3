"""How any name and any state travel in formats that know plain words only.

A node or state that the format cannot carry gets a plain name in its place, and the truth stands
in properties that other programs ignore, percent-encoded in ASCII:

    bnlr_class    of the network: its class; written always
    bnlr_name     of a node: its name
    bnlr_states   of a node: its states, each with its type: s: text, i: whole number, f: decimal,
                  b: boolean
    bnlr_latent   of a node: yes where rows do not show it
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING
from urllib.parse import quote_from_bytes, unquote_to_bytes

from bnlr.errors import ModelFileError
from bnlr.words import quoted

if TYPE_CHECKING:
    from bnlr._typing import State
    from bnlr.network import BayesianNetwork

CLASS = "bnlr_class"
NAME = "bnlr_name"
STATES = "bnlr_states"
LATENT = ("bnlr_latent", "yes")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_]+", re.ASCII)
_BLOCK = re.compile("probability|variable|network|potential|node")
_WHOLE = re.compile(r"-?\d{1,1000}", re.ASCII)
_LONGEST_WORD = 60

Accepts = Callable[[str], bool]
Properties = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class EscapedNode:
    """A node as a format carries it: plain name and states, and the properties with the truth."""

    name: str
    labels: tuple[str, ...]
    properties: Properties


def escaped_nodes(
    network: "BayesianNetwork",
    name_is_plain: Accepts,
    label_is_plain: Accepts,
    *,
    ignores_case: bool = False,
) -> dict[str, EscapedNode]:
    """Return what to write for each node.

    Parameters
    ----------
    network
    name_is_plain, label_is_plain
        Whether the format carries a text as it is. Words of letters, digits and underscores that
        begin with a letter and end with a digit must be.
    ignores_case
        Whether names that differ in case only are one to other readers of the format.

    Raises
    ------
    ModelFileError
        A state that is neither text, boolean nor finite number.
    """
    nodes = network.structure.nodes
    names = _plain_words(nodes, name_is_plain, str.lower if ignores_case else str)
    return {
        node: _escaped(
            network,
            node,
            name,
            _plain_words([_text(state) for state in network.states[node]], label_is_plain),
        )
        for node, name in zip(nodes, names, strict=True)
    }


def numbered_nodes(network: "BayesianNetwork") -> dict[str, EscapedNode]:
    """Return what to write where nodes and states have numbers alone.

    Raises
    ------
    ModelFileError
        A state that is neither text, boolean nor finite number.
    """
    return {
        node: _escaped(network, node, str(place), [*map(str, range(len(network.states[node])))])
        for place, node in enumerate(network.structure.nodes)
    }


def _escaped(network: "BayesianNetwork", node: str, name: str, labels: list[str]) -> EscapedNode:
    properties, states = [], network.states[node]
    if name != node:
        properties.append((NAME, encode_name(node)))
    if labels != list(states):
        properties.append((STATES, " ".join(_encode_label(state, node) for state in states)))
    if node in network.latent:
        properties.append(LATENT)
    return EscapedNode(name, tuple(labels), tuple(properties))


def encode_name(name: str) -> str:
    """Return a name in ASCII without blanks; empty for the empty text only.

    Words that open a block are encoded too: pgmpy looks for them everywhere.
    """
    quoted_name = quote_from_bytes(name.encode("utf-8", "surrogatepass"), safe="")
    return _BLOCK.sub(lambda word: f"%{ord(word.group()[0]):02X}{word.group()[1:]}", quoted_name)


def decode_name(written: str, where: str) -> str:
    """Return the name that `encode_name` wrote.

    Raises
    ------
    ModelFileError
        It wrote no such thing.
    """
    try:
        return unquote_to_bytes(written).decode("utf-8", "surrogatepass")
    except UnicodeError as error:
        raise ModelFileError(
            f"{where}: {quoted(written)} is no percent-encoded text; write it as bnlr does, or "
            "remove the property"
        ) from error


def _encode_label(state: "State", node: str) -> str:
    if isinstance(state, str):
        return f"s:{encode_name(state)}"
    if isinstance(state, bool):
        return f"b:{int(state)}"
    if isinstance(state, int):
        return f"i:{state}"
    if isinstance(state, float) and isfinite(state):
        return f"f:{state!r}"
    raise ModelFileError(
        f"{quoted(state)} cannot be a state of {quoted(node)} in a file; states are text, "
        "booleans or finite numbers"
    )


def decode_label(written: str, where: str) -> "State":
    """Return the state that a word of ``bnlr_states`` stands for.

    Raises
    ------
    ModelFileError
        It stands for none.
    """
    kind, _, text = written.partition(":")
    if kind == "s":
        return decode_name(text, where)
    if kind == "b" and text in ("0", "1"):
        return text == "1"
    if kind == "i" and _WHOLE.fullmatch(text):
        return int(text)
    if kind == "f" and (value := _decimal(text)) is not None:
        return value
    raise ModelFileError(
        f"{where}: {quoted(written)} in {STATES} is no state; write s:, i:, f: or b: and the "
        "value, or remove the property"
    )


def _decimal(text: str) -> float | None:
    try:
        value = float(text) if len(text) < 400 else float("inf")
    except ValueError:
        return None
    return value if isfinite(value) else None


def _text(state: "State") -> str:
    return state if isinstance(state, str) else str(state)


def _plain_words(
    texts: Sequence[str], is_plain: Accepts, key: Callable[[str], str] = str
) -> list[str]:
    """Return the texts with those that are not plain, or there twice, replaced by unique words."""
    reserved = {key(text) for text in texts if is_plain(text)}
    used: set[str] = set()
    numbers: dict[str, int] = {}
    words: list[str] = []
    for text in texts:
        word = text
        if not is_plain(text) or key(text) in used:
            stem = _stem(text)
            word = stem
            while key(word) in reserved or not is_plain(word):
                numbers[stem] = numbers.get(stem, 1) + 1
                word = f"{stem}_{numbers[stem]}"
        reserved.add(key(word))
        used.add(key(word))
        words.append(word)
    return words


def _stem(text: str) -> str:
    """Return letters, digits and underscores that remind of the text, a letter first."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    stem = _NOT_PLAIN.sub("_", ascii_text).strip("_")[:_LONGEST_WORD]
    return stem if stem and stem[0].isalpha() else f"n{stem}"

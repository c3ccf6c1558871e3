"""The reader and the writer of a network in a foreign format, by a file's extension."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnlr.errors import ModelFileError
from bnlr.io.files import NETWORK_FORMATS, decoded, read_bytes, write_text

if TYPE_CHECKING:
    from bnlr.io.networks.parsed import ParsedNetwork
    from bnlr.network import BayesianNetwork


def read_network(path: Path) -> "ParsedNetwork":
    """Read a file in the format of its extension, which `is_foreign` knows.

    Raises
    ------
    ModelFileError
        With line, column and remedy.
    """
    return parse_network(path.suffix.lower(), read_bytes(path), str(path))


def parse_network(extension: str, raw: bytes, source: str) -> "ParsedNetwork":
    """Read a file's bytes in the format of an extension; errors as `read_network`.

    Formats that declare their encoding get the bytes; all others are UTF-8.
    """
    module = _module(extension)
    text = raw if module.DECLARES_ENCODING else decoded(raw, source).removeprefix("\ufeff")
    parsed: ParsedNetwork = module.parse(text, source)
    return parsed


def recognised(text: str) -> str:
    """Return the extension of the format in which a text begins, empty if there is none."""
    return next((end for end in NETWORK_FORMATS if _module(end).BEGINNING.match(text)), "")


def write_network(network: "BayesianNetwork", path: Path) -> None:
    """Write a network in the format of the path's extension, replacing an old file in one step.

    Raises
    ------
    ModelFileError
        A state that no file carries, or a file that cannot be written.
    """
    if not path.parent.is_dir():
        raise ModelFileError(f"cannot write {path}: there is no folder {path.parent}")
    render: Callable[[BayesianNetwork], str] = _module(path.suffix.lower()).render
    write_text(path, render(network))


def _module(extension: str) -> Any:
    return import_module(f"bnlr.io.networks.{NETWORK_FORMATS[extension]}")

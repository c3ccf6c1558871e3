"""The reader and the writer of a network in a foreign format, by a file's extension."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnlr.errors import ModelFileError
from bnlr.io.files import (
    NETWORK_FORMATS,
    THROUGH_PYAGRUM,
    decoded,
    extension,
    read_bytes,
    write_text,
)
from bnlr.io.packing import SUFFIXES

if TYPE_CHECKING:
    from bnlr.io.networks.borrowed import BorrowedNetwork
    from bnlr.io.networks.parsed import ParsedNetwork
    from bnlr.network import BayesianNetwork


_HEAD = 4096  # bytes that tell a format


def read_network(path: Path, encoding: str | None = None) -> "ParsedNetwork | BorrowedNetwork":
    """Read a file in the format of its extension, which `is_foreign` knows.

    Parameters
    ----------
    path
    encoding
        Of text; None: what the file says, else UTF-8.

    Raises
    ------
    ModelFileError
        With line, column and remedy.
    """
    end = extension(path)
    if end in THROUGH_PYAGRUM:
        from bnlr.io.networks.borrowed import BorrowedNetwork  # noqa: PLC0415  loads NumPy

        return BorrowedNetwork(end, decoded(read_bytes(path), str(path), encoding), str(path))
    return parse_network(end, read_bytes(path), str(path), encoding)


def parse_network(
    end: str, raw: bytes, source: str, encoding: str | None = None
) -> "ParsedNetwork":
    """Read a file's bytes in the format of an extension; errors as `read_network`.

    Formats that declare their encoding get the bytes unless another is asked for.
    """
    module = _module(end)
    is_told = module.DECLARES_ENCODING and encoding is None
    text = raw if is_told else decoded(raw, source, encoding).removeprefix("\ufeff")
    if isinstance(text, str) and "\n" not in text:
        text = text.replace("\r", "\n")  # the ends of lines once, which end comments too
    try:
        parsed: ParsedNetwork = module.parse(text, source)
    except ModelFileError as error:
        other = recognised(raw[:_HEAD].decode("latin-1").removeprefix("ï»¿"))
        if other and NETWORK_FORMATS[other] != NETWORK_FORMATS[end]:
            raise ModelFileError(
                f"{error}; it begins as files {other} do: rename it so if it is one"
            ) from error
        raise
    return parsed


def recognised(text: str) -> str:
    """Return the extension of the format in which a text begins, empty if there is none."""
    return next((end for end in NETWORK_FORMATS if _module(end).BEGINNING.match(text)), "")


def write_network(network: "BayesianNetwork", path: Path) -> None:
    """Write a network in the format of the path's extension, replacing an old file in one step.

    Raises
    ------
    ModelFileError
        A format that is only read, a state that no file carries, or a file that cannot be written.
    """
    if path.suffix.lower() in (*SUFFIXES, *THROUGH_PYAGRUM):
        raise ModelFileError(
            f"{path}: {path.suffix} is read but not written; write {', '.join(NETWORK_FORMATS)}"
        )
    if not path.parent.is_dir():
        raise ModelFileError(f"cannot write {path}: there is no folder {path.parent}")
    render: Callable[[BayesianNetwork], str] = _module(extension(path)).render
    write_text(path, render(network))


def _module(end: str) -> Any:
    return import_module(f"bnlr.io.networks.{NETWORK_FORMATS[end]}")

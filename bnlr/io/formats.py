"""Which file holds a network in a foreign format, and its reader and writer.

By extension: ``.bif``; ``.xmlbif``, ``.bifxml`` (pyAgrum's name) and ``.xml``; ``.net``.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bnlr.errors import ModelFileError
from bnlr.io.files import read_bytes, read_text, write_text

if TYPE_CHECKING:
    from bnlr.io.draft import Draft
    from bnlr.network import BayesianNetwork

_XMLBIF = (".xmlbif", ".bifxml", ".xml")
EXTENSIONS = (".bif", ".net", *_XMLBIF)


def is_foreign(path: Path) -> bool:
    """Return whether the extension is one of a foreign format that is read and written."""
    return path.suffix.lower() in EXTENSIONS


def read_draft(path: Path) -> "Draft":
    """Read a file in the format of its extension, which `is_foreign` knows.

    Raises
    ------
    ModelFileError
        With line, column and remedy.
    """
    suffix = path.suffix.lower()
    if suffix in _XMLBIF:
        from bnlr.io.xmlbif import parse as parse_xmlbif  # noqa: PLC0415  one format a file

        return parse_xmlbif(read_bytes(path), str(path))
    text = read_text(path).removeprefix("\ufeff")
    if suffix == ".bif":
        from bnlr.io.bif import parse as parse_bif  # noqa: PLC0415  as above

        return parse_bif(text, str(path))
    from bnlr.io.hugin import parse as parse_net  # noqa: PLC0415  as above

    return parse_net(text, str(path))


def write_foreign(network: "BayesianNetwork", path: Path) -> None:
    """Write a network in the format of the path's extension, replacing an old file in one step.

    Raises
    ------
    ModelFileError
        A state that no file carries, or a file that cannot be written.
    """
    if not path.parent.is_dir():
        raise ModelFileError(f"cannot write {path}: there is no folder {path.parent}")
    write_text(path, _rendered(network, path.suffix.lower()))


def _rendered(network: "BayesianNetwork", suffix: str) -> str:
    if suffix in _XMLBIF:
        from bnlr.io.xmlbif import render as to_xmlbif  # noqa: PLC0415  one format a file

        return to_xmlbif(network)
    if suffix == ".bif":
        from bnlr.io.bif import render as to_bif  # noqa: PLC0415  as above

        return to_bif(network)
    from bnlr.io.hugin import render as to_net  # noqa: PLC0415  as above

    return to_net(network)

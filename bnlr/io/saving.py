"""The doors ``save`` and ``load``: a file's extension tells its format."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from bnlr.errors import ParameterError
from bnlr.io.files import PathLike, checked_path, is_foreign, memory_guarded
from bnlr.io.models.envelope import read_document, write_document
from bnlr.io.models.fields import as_object
from bnlr.io.models.network import content_to_network, network_to_content
from bnlr.io.networks.formats import read_network, write_network

if TYPE_CHECKING:
    from bnlr.network import BayesianNetwork


@runtime_checkable
class Document(Protocol):
    """An object that writes itself: its kind, and its content in JSON's types."""

    _document_kind: str

    def _to_content(self) -> dict[str, object]: ...


def save(model: "BayesianNetwork | Document", path: PathLike) -> None:
    """Write a network or a classifier to a file, replacing an old one in one step.

    Parameters
    ----------
    model : BayesianNetwork or BNClassifier
    path
        A network's ends in ``.json``, ``.bif``, ``.xmlbif`` (``.bifxml``, ``.xml``), ``.net``
        (Hugin), ``.xdsl`` (GeNIe) or ``.uai``; a classifier's in ``.json``. All carry any name and
        state, and doubles to the last bit; where a format has no word for a name, other programs
        see a plain one in its place, in UAI numbers alone.

    Raises
    ------
    ModelFileError
        Another extension, a state that no file can carry, or a file that cannot be written.
    ParameterError
        ``model`` is neither.
    """
    from bnlr.network import BayesianNetwork  # noqa: PLC0415  checking a structure needs none

    if isinstance(model, BayesianNetwork):
        target = checked_path(path)
        if is_foreign(target):
            write_network(model, target)
        else:
            write_document("network", network_to_content(model), target)
    elif isinstance(model, Document) and not isinstance(model, type):
        write_document(model._document_kind, model._to_content(), path)
    else:
        hint = "; save its network" if hasattr(model, "network") else ""
        raise ParameterError(
            f"save takes a BayesianNetwork or a BNClassifier, got {type(model).__name__}{hint}"
        )


def load(
    path: PathLike, class_name: str | None = None, encoding: str | None = None
) -> "BayesianNetwork":
    """Read a network that `save` or another program wrote. Nothing in the file is executed.

    Parameters
    ----------
    path
        The extension tells the format, as in `save`; ``.dsl`` and ``.o3prm`` are read by pyAgrum
        where it is installed, with its seven digits. A file packed by gzip, bzip2, xz or zip
        (alone in it) is unpacked, to at most 4 MiB or 50 times its size unless
        ``BNLR_MAX_UNPACKED_MIB`` in the environment says otherwise.
    class_name
        The class node; needed where the file names none, as those of other programs do not, and
        overrides what it says.
    encoding
        Of a foreign format's text, such as "latin-1"; None: what the file itself or its byte order
        mark says, else UTF-8.

    Raises
    ------
    ModelFileError
        Not a valid network, with line and remedy; a model file that was changed after it was
        saved; or a classifier's, which ``BNClassifier.load`` reads.
    """
    return _load(path, class_name, encoding, kind="network")


def load_any(
    path: PathLike, class_name: str | None = None, encoding: str | None = None
) -> "BayesianNetwork":
    """Read a network as `load` does, also that of a saved classifier.

    Raises
    ------
    ModelFileError
        As `load`.
    """
    return _load(path, class_name, encoding, kind=None)


def _load(
    path: PathLike, class_name: str | None, encoding: str | None, kind: str | None
) -> "BayesianNetwork":
    source = checked_path(path)
    with memory_guarded(source):
        if is_foreign(source):
            return read_network(source, encoding).network(class_name)
        return _own(source, class_name, kind)


def _own(source: Path, class_name: str | None, kind: str | None) -> "BayesianNetwork":
    found, content = read_document(source, kind=kind)
    if found == "classifier":
        content = as_object(content.get("network"), f"{source}: network")
    if class_name is not None:
        content = {**content, "class": class_name}
        if isinstance(latent := content.get("latent"), list):
            content["latent"] = [node for node in latent if node != class_name]
    return content_to_network(content, str(source))

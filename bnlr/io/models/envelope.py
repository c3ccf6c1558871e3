"""The model file: one envelope for every kind of model.

    {"format":"bnlr","version":1,"kind":"network","sha256":"…","content":{…}}

``sha256`` is that of the content as written. A file is accepted only if it is, byte for byte, what
`write_document` would write for its content; so every truncation and every changed byte shows.
"""

import hashlib
from pathlib import Path

from bnlr.errors import ModelFileError
from bnlr.io.files import (
    PathLike,
    checked_path,
    decoded,
    extension,
    is_foreign,
    memory_guarded,
    read_bytes,
    refuse_other_formats,
    refuse_unknown,
    write_text,
)
from bnlr.io.models.strict_json import parse, render

FORMAT = "bnlr"
VERSION = 1
KINDS = ("network", "classifier")
_KEYS = ("format", "version", "kind", "sha256", "content")


def write_document(kind: str, content: dict[str, object], path: PathLike) -> None:
    """Write ``content`` atomically: after a crash the old file or the new one is there, whole.

    Parameters
    ----------
    kind : {"network", "classifier"}
    content
        Dictionaries with text keys, lists, text, booleans, None and finite numbers.
    path
        Must end in ``.json``.

    Raises
    ------
    ModelFileError
        Another extension, content that JSON cannot carry, or a file that cannot be written.
    """
    target = checked_target(path)
    if kind not in KINDS:
        raise ModelFileError(f"there is no kind of model {kind!r:.60}; known: {', '.join(KINDS)}")
    write_text(target, _envelope(kind, render(content)))


def checked_target(path: PathLike) -> Path:
    """Return the path of a model to be written, so that a bad one is refused before the work.

    Raises
    ------
    ModelFileError
        Another extension than ``.json``, or a folder that does not exist.
    """
    target = checked_path(path)
    refuse_other_formats(target)
    if target.suffix.lower() != ".json":
        raise ModelFileError(
            f"{target}: the file name must end in .json; a network's, such as "
            "classifier.network_, also in .bif, .xmlbif or .net"
        )
    if not target.parent.is_dir():
        raise ModelFileError(f"cannot write {target}: there is no folder {target.parent}")
    return target


def read_document(path: PathLike, kind: str | None = None) -> tuple[str, dict[str, object]]:
    """Read what `write_document` wrote.

    Parameters
    ----------
    path
    kind
        The kind expected; None takes any.

    Returns
    -------
    kind, content
        The content is valid JSON whose hash is right; what it means is for the caller to check.

    Raises
    ------
    ModelFileError
        No model file, of another version or kind, or changed since it was saved.
    """
    source = checked_path(path)
    with memory_guarded(source):
        return _read_document(source, kind)


def _read_document(source: Path, kind: str | None) -> tuple[str, dict[str, object]]:
    refuse_other_formats(source)
    if is_foreign(source):
        raise ModelFileError(
            f"{source}: not bnlr's JSON; a network in {extension(source)} is read by "
            "bnlr.load(path), or turned into JSON by 'bnlr convert'"
        )
    remedy = "bnlr writes UTF-8, so it was changed since; save the model again"
    text = decoded(read_bytes(source), str(source), "utf-8", remedy)
    if not text.lstrip().startswith("{"):
        refuse_unknown(source)
    document = parse(text, str(source))
    if not isinstance(document, dict):
        raise ModelFileError(f"{source}: not a bnlr model file")
    found, content = check_document(document, text, str(source))
    if kind is not None and found != kind:
        raise ModelFileError(f"{source}: holds a {found}, not a {kind}{_hint(found)}")
    return found, content


def check_document(
    document: dict[str, object], text: str, source: str
) -> tuple[str, dict[str, object]]:
    """Return kind and content of a parsed file, ``text``, after checking its envelope.

    Raises
    ------
    ModelFileError
        As `read_document`.
    """
    if document.get("format") != FORMAT:
        raise ModelFileError(f'{source}: not a bnlr model file (it lacks "format":"{FORMAT}")')
    version = document.get("version")
    if version != VERSION or isinstance(version, bool):
        raise ModelFileError(
            f"{source}: model format version {version!r:.40}; this bnlr reads version {VERSION}, "
            "another release may read it"
        )
    kind, content = document.get("kind"), document.get("content")
    if kind not in KINDS or not isinstance(kind, str):
        raise ModelFileError(f"{source}: unknown kind of model {kind!r:.60}")
    if tuple(document) != _KEYS or not isinstance(content, dict):
        raise ModelFileError(f"{source}: the fields of a model file are {', '.join(_KEYS)}")
    if text != _envelope(kind, render(content)):
        raise ModelFileError(
            f"{source}: the file was changed or damaged after it was saved (its hash does not "
            "match); restore it or save the model again"
        )
    return kind, content


def _envelope(kind: str, content: str) -> str:
    digest = hashlib.sha256(content.encode("ascii")).hexdigest()
    return (
        f'{{"format":"{FORMAT}","version":{VERSION},"kind":"{kind}","sha256":"{digest}",'
        f'"content":{content}}}\n'
    )


def _hint(kind: str) -> str:
    loaders = {"classifier": "bnlr.BNClassifier.load(path)", "network": "bnlr.load(path)"}
    return f"; read it with {loaders[kind]}"

"""Typed access to parsed JSON: every complaint names the file and the place in it."""

from collections.abc import Collection
from sys import float_info
from typing import TypeGuard

from bnlr.errors import ModelFileError
from bnlr.io.graph import build_structure
from bnlr.structure.dag import Structure
from bnlr.words import listed, quoted

Fields = dict[str, object]


def as_object(value: object, where: str) -> Fields:
    """Return ``value`` if it is a JSON object, else raise ModelFileError."""
    if not isinstance(value, dict):
        raise ModelFileError(f"{where} must be an object, got {quoted(value)}")
    return value


def require_keys(fields: Fields, keys: Collection[str], where: str) -> None:
    """Raise ModelFileError unless the keys are exactly ``keys``."""
    lacking = [key for key in keys if key not in fields]
    if lacking:
        raise ModelFileError(f"{where} lacks {listed(lacking)}")
    extra = [key for key in fields if key not in keys]
    if extra:
        raise ModelFileError(f"{where} has the unknown field {listed(extra)}")


def as_list(value: object, where: str) -> list[object]:
    """Return ``value`` if it is a JSON array, else raise ModelFileError."""
    if not isinstance(value, list):
        raise ModelFileError(f"{where} must be a list, got {quoted(value)}")
    return value


def as_names(value: object, where: str) -> list[str]:
    """Return a list of texts, or raise ModelFileError with the place of what is none."""
    return [_as_text(item, f"{where}[{k}]") for k, item in enumerate(as_list(value, where))]


def _as_text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise ModelFileError(f"{where} must be text, got {quoted(value)}")
    return value


def is_double(value: object) -> TypeGuard[float]:
    """Whether ``value`` is a number that a double can hold; JSON's whole numbers know no bounds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= float_info.max


def read_graph(fields: Fields, source: str, class_name: str | None = None) -> Structure:
    """Build the structure from the fields ``edges``, ``class`` and ``nodes``; the last is optional.

    Parameters
    ----------
    fields
    source
        What errors call the file.
    class_name
        Overrides the field ``class``.

    Raises
    ------
    ModelFileError
        A field of the wrong form, or a graph that is no valid structure, with the reason.
    """
    if "edges" not in fields:
        raise ModelFileError(
            f'{source}: no field "edges"; a structure is written as '
            '{"nodes": ["c", "a"], "edges": [["c", "a"]], "class": "c"}'
        )
    arcs = [
        _as_arc(item, f"{source}: edges[{k}]")
        for k, item in enumerate(as_list(fields["edges"], f"{source}: edges"))
    ]
    nodes = as_names(fields.get("nodes", []), f"{source}: nodes")
    if class_name is None and fields.get("class") is not None:
        class_name = _as_text(fields["class"], f"{source}: class")
    return build_structure(arcs, class_name, nodes, source)


def _as_arc(value: object, where: str) -> tuple[str, str]:
    names = as_names(value, where)
    if len(names) != 2:
        raise ModelFileError(f"{where} must be [parent, child], got {quoted(value)}")
    return names[0], names[1]

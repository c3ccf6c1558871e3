"""The graph that a file tells, before it is believed."""

from typing import NoReturn

from bnlr.errors import BnlrError, ClassNotNamedError, ModelFileError
from bnlr.structure.dag import Structure
from bnlr.words import listed

MAX_ARCS = 250_000
"""Arcs or nodes that a file may list."""


def refuse_many_arcs(source: str) -> NoReturn:
    """Raise ModelFileError for a longer list than `MAX_ARCS`."""
    raise ModelFileError(
        f"{source}: more than {MAX_ARCS:,} arcs or nodes, which are not read; build so large a "
        "graph in Python with bnlr.Structure"
    )


def build_structure(
    arcs: list[tuple[str, str]], class_name: str | None, nodes: list[str], source: str
) -> Structure:
    """Return the structure, or raise ModelFileError with the file and the reason."""
    if max(len(arcs), len(nodes)) > MAX_ARCS:
        refuse_many_arcs(source)
    if class_name is None:
        names = list(dict.fromkeys([*nodes, *(node for arc in arcs for node in arc)]))
        raise ClassNotNamedError(
            f"{source} does not say which node is the class; give class_name= (--class in the "
            f"shell), one of {listed(names)}"
        )
    try:
        return Structure(arcs, class_name, nodes)
    except BnlrError as error:
        raise ModelFileError(f"{source}: {error}") from error

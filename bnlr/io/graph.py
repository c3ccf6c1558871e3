"""The graph that a file tells, before it is believed."""

from bnlr.errors import BnlrError, ClassNotNamedError, ModelFileError
from bnlr.structure.dag import Structure
from bnlr.words import listed


def build_structure(
    arcs: list[tuple[str, str]], class_name: str | None, nodes: list[str], source: str
) -> Structure:
    """Return the structure, or raise ModelFileError with the file and the reason."""
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

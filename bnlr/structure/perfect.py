"""Perfect graphs: any two parents of a common child are adjacent.

Where the canonical form of a network classifier is perfect, the network is a log-linear model
of its undirected graph, and so a logistic regression (Feelders and Ivanovs 2006, section 3).
The whole graph may be imperfect all the same; it decides nothing.
"""

from collections.abc import Iterator, Sequence

from bnlr.structure.bits import members, neighbour_masks, refuse_long_list
from bnlr.structure.canonical import canonical_masks
from bnlr.structure.dag import Structure


def is_perfect(structure: Structure) -> bool:
    """Return whether the canonical form of `structure` is a perfect graph."""
    return not _any_unmarried(canonical_masks(structure))


def whole_graph_is_perfect(structure: Structure) -> bool:
    """Return whether the graph itself, all nodes and arcs, is perfect."""
    return not _any_unmarried(structure.parent_masks)


def count_violations(structure: Structure) -> int:
    """Return the number of pairs of unmarried parents in the canonical form, over all children."""
    pairs = _unmarried(canonical_masks(structure))
    return sum(strangers.bit_count() for _, _, strangers in pairs) // 2


def violations(structure: Structure) -> tuple[tuple[str, str, str], ...]:
    """Return the triples (child, parent, parent) of the canonical form with unmarried parents.

    They are sorted by child, first parent and second parent in node order.

    Raises
    ------
    TooLargeError
        If there are more than ten million.
    """
    refuse_long_list("the list of violations", "triples", count_violations(structure))
    nodes = structure.nodes
    return tuple(
        (nodes[child], nodes[parent], nodes[stranger])
        for child, parent, strangers in _unmarried(canonical_masks(structure))
        for stranger in members(strangers >> parent << parent)
    )


def _any_unmarried(parent_masks: Sequence[int]) -> bool:
    return any(strangers for _, _, strangers in _unmarried(parent_masks))


def _unmarried(parent_masks: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield child, parent and the child's parents that are not adjacent to that parent."""
    joined = [mask | 1 << node for node, mask in enumerate(neighbour_masks(parent_masks))]
    for child, parents in enumerate(parent_masks):
        for parent in members(parents):
            strangers = parents & ~joined[parent]
            if strangers:
                yield child, parent, strangers

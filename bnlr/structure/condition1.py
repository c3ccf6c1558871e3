"""Condition 1 of Wettig, Grünwald, Roos, Myllymäki and Tirri (IJCAI 2003).

It asks of the graph as given: every child X_j of the class has a parent X_i with

    Pa_j ⊆ Pa_i ∪ {X_i}.

Then, by their Theorem 3, the conditional distributions of the network are those of a logistic
regression with free weights, and every local maximum of the conditional likelihood is global.

X_i, the witness of X_j, is unique and is the last parent of X_j in any topological order: the
other parents of X_j are parents of X_i, so they come before it. One subset test per child is
enough therefore.
"""

from bnlr.structure.bits import members
from bnlr.structure.dag import Structure


def witnesses(structure: Structure) -> dict[str, str | None]:
    """Return each child of the class, in node order, with its witness.

    A child without one, for which Condition 1 fails, has None.
    """
    place = {node: at for at, node in enumerate(structure.nodes)}
    masks = structure.parent_masks
    found: dict[str, str | None] = {}
    for child, last in last_parents(structure).items():
        i = place[last]
        found[child] = None if masks[place[child]] & ~(masks[i] | 1 << i) else last
    return found


def satisfies_condition_1(structure: Structure) -> bool:
    """Return whether every child of the class has a witness."""
    return None not in witnesses(structure).values()


def last_parents(structure: Structure) -> dict[str, str]:
    """Return each child of the class with its last parent, the only possible witness."""
    rank = {node: rank for rank, node in enumerate(structure.topological_order)}
    children = structure.children(structure.class_name)
    return {child: max(structure.parents(child), key=rank.__getitem__) for child in children}


def strangers(structure: Structure, child: str, parent: str) -> tuple[str, ...]:
    """Return Pa_child − (Pa_parent ∪ {parent}), empty if `parent` is the witness of `child`."""
    return tuple(structure.nodes[i] for i in members(_outside(structure, child, parent)))


def _outside(structure: Structure, child: str, parent: str) -> int:
    place, masks = structure.index(parent), structure.parent_masks
    return masks[structure.index(child)] & ~(masks[place] | 1 << place)

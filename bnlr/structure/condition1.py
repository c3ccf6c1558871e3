"""Condition 1 of Wettig, Grünwald, Roos, Myllymäki and Tirri (IJCAI 2003).

It asks of the graph as given: every child X_j of the class has a parent X_i with

    Pa_j ⊆ Pa_i ∪ {X_i}.

Then, by their Theorem 3, the conditional distributions of the network are those of a logistic
regression with free weights, and every local maximum of the conditional likelihood is global.

X_i, the witness of X_j, is unique and is the last parent of X_j in any topological order: the
other parents of X_j are parents of X_i, so they come before it. One subset test per child is
enough therefore.
"""

from bnlr.structure.dag import Structure


def witnesses(structure: Structure) -> dict[str, str | None]:
    """Return each child of the class, in node order, with its witness.

    A child without one, for which Condition 1 fails, has None.
    """
    rank = {node: rank for rank, node in enumerate(structure.topological_order)}
    return {
        child: _witness(structure, child, rank)
        for child in structure.children(structure.class_name)
    }


def satisfies_condition_1(structure: Structure) -> bool:
    """Return whether every child of the class has a witness."""
    return None not in witnesses(structure).values()


def _witness(structure: Structure, child: str, rank: dict[str, int]) -> str | None:
    last = max(structure.parents(child), key=rank.__getitem__)
    place, masks = structure.index(last), structure.parent_masks
    outside = masks[structure.index(child)] & ~(masks[place] | 1 << place)
    return None if outside else last

"""How many parameters a network classifier has in each parameter space."""

from math import prod

from bnlr._typing import Cards
from bnlr.structure.bits import members
from bnlr.structure.canonical import canonical_masks
from bnlr.structure.dag import Structure


def count_beta(structure: Structure, cards: Cards) -> int:
    """Return the number of CPT cells of the class and its children."""
    families = (structure.class_name, *structure.children(structure.class_name))
    return sum(
        cards[node] * prod(cards[parent] for parent in structure.parents(node)) for node in families
    )


def count_roos(structure: Structure, cards: Cards) -> int:
    """Return the predictors of Roos et al. per class but the reference.

    One indicator per configuration of the class's parents, and one per configuration of every
    child of the class with its other parents (Feelders and Ivanovs 2006, section 3.1).
    """
    target = structure.class_name
    total = prod(cards[parent] for parent in structure.parents(target))
    for child in structure.children(target):
        others = (cards[node] for node in structure.parents(child) if node != target)
        total += cards[child] * prod(others)
    return total


def count_loglinear(structure: Structure, cards: Cards) -> int:
    """Return the log-linear predictors per class but the reference, the intercept included.

    Only for structures whose canonical form is perfect. There is one indicator per complete set
    C of canonical attributes and configuration without the coded-0 states: Π_{i∈C} (d_i − 1)
    (Feelders and Ivanovs 2006, section 3.2). Each set is counted at its last node j, in the
    order of the arcs. The rest of it is any subset of j's parents, which are complete together,
    and Σ_{S⊆pa(j)} Π_{i∈S} (d_i − 1) = Π_{i∈pa(j)} d_i.
    """
    target = structure.index(structure.class_name)
    sizes = [cards[node] for node in structure.nodes]
    blanket = map(structure.index, structure.markov_blanket())
    masks = canonical_masks(structure)
    return 1 + sum(
        (sizes[node] - 1) * prod(sizes[i] for i in members(masks[node] & ~(1 << target)))
        for node in blanket
    )

"""The canonical form of a network classifier: all that P(class | attributes) depends on.

It is the class with its Markov blanket, the arcs among these nodes, and the class's parents
joined pairwise (Roos et al. 2005; Feelders and Ivanovs 2006, section 3.1). Factors that the
class does not enter cancel in P(class | attributes), and so does any distribution given to the
class's parents: the conditional distributions that the network can represent stay the same.
"""

from bnlr.structure.bits import mask_of, refuse_long_list
from bnlr.structure.dag import Structure


def canonical_masks(structure: Structure) -> list[int]:
    """Return the parents in the canonical form as bit masks over the structure's nodes.

    Nodes outside of the class's Markov blanket keep their place, without parents or children.
    """
    index = structure.index
    blanket = [index(node) for node in structure.markov_blanket()]
    kept = mask_of(blanket) | 1 << index(structure.class_name)
    masks = [
        parents & kept if kept >> place & 1 else 0
        for place, parents in enumerate(structure.parent_masks)
    ]
    married = 0
    for place in _class_parents_in_order(structure):
        masks[place] |= married
        married |= 1 << place
    return masks


def canonical_form(structure: Structure) -> Structure:
    """Return the canonical form as a structure, nodes in the order of the original.

    Every node's original parents come first; class parents that were not joined before get arcs
    along the topological order of the original structure.

    Raises
    ------
    TooLargeError
        If it has more than ten million arcs.
    """
    n_arcs = sum(mask.bit_count() for mask in canonical_masks(structure))
    refuse_long_list("the canonical form", "arcs", n_arcs)
    blanket = set(structure.markov_blanket()) | {structure.class_name}
    nodes = tuple(node for node in structure.nodes if node in blanket)
    in_order = [structure.nodes[place] for place in _class_parents_in_order(structure)]
    before = {node: tuple(in_order[:rank]) for rank, node in enumerate(in_order)}
    families = []
    for node in nodes:
        kept = (parent for parent in structure.parents(node) if parent in blanket)
        families.append(tuple(dict.fromkeys((*kept, *before.get(node, ())))))
    return Structure._from_parents(nodes, families, structure.class_name)


def _class_parents_in_order(structure: Structure) -> list[int]:
    parents = set(structure.parents(structure.class_name))
    return [structure.index(node) for node in structure.topological_order if node in parents]

"""The canonical form and perfectness, from the definitions of Feelders & Ivanovs 2006."""

from __future__ import annotations

from itertools import combinations

from tests.oracles.model import Model

Parents = dict[str, set[str]]
Violation = tuple[str, frozenset[str]]


def markov_blanket(model: Model) -> set[str]:
    """Parents, children and the children's other parents of the class."""
    blanket = set(model.parents[model.class_name]) | set(model.children)
    for child in model.children:
        blanket |= set(model.parents[child])
    return blanket - {model.class_name}


def canonical_graph(model: Model) -> Parents:
    """Parents in the canonical form: class and blanket, the class's parents married."""
    kept = markov_blanket(model) | {model.class_name}
    parents = {node: set(model.parents[node]) & kept for node in model.nodes if node in kept}
    order = model.topological_order()
    for a, b in combinations(sorted(model.parents[model.class_name], key=order.index), 2):
        if a not in parents[b]:
            parents[b].add(a)
    return parents


def adjacency(parents: Parents) -> set[frozenset[str]]:
    return {frozenset((parent, node)) for node, above in parents.items() for parent in above}


def violations(parents: Parents) -> set[Violation]:
    """(child, pair of its parents that are not adjacent), for every such pair."""
    edges = adjacency(parents)
    return {
        (node, frozenset(pair))
        for node, above in parents.items()
        for pair in combinations(sorted(above), 2)
        if frozenset(pair) not in edges
    }


def is_perfect(model: Model) -> bool:
    """Whether any two parents of a common child are adjacent in the canonical form."""
    return not violations(canonical_graph(model))


def whole_graph_is_perfect(model: Model) -> bool:
    return not violations({node: set(above) for node, above in model.parents.items()})


def blocks(model: Model) -> list[tuple[str, ...]]:
    """pa(0), then φ(i) = {i} and its parents without the class, for the children i."""
    phi = [
        tuple(member for member in model.family(child) if member != model.class_name)
        for child in model.children
    ]
    return [model.parents[model.class_name], *phi]


def complete_subsets(model: Model) -> list[tuple[str, ...]]:
    """Complete subsets of the canonical form's attributes, the empty one first."""
    parents = canonical_graph(model)
    edges = adjacency(parents)
    attributes = [node for node in model.attributes if node in parents]
    return [
        subset
        for size in range(len(attributes) + 1)
        for subset in combinations(attributes, size)
        if all(frozenset(pair) in edges for pair in combinations(subset, 2))
    ]

"""The junction tree of an elimination: its maximal cliques, joined where they overlap.

Read backwards, an elimination gives the tree: the clique of a node hangs on the clique of the first
of its neighbours to be summed out, and swallows it where it holds all of it (Blair and Peyton
1993).
Each node then stands in the cliques of one connected part of the tree: the running intersection
property.
"""

from typing import NamedTuple

from bnlr.inference.elimination import Elimination, bits


class JunctionTree(NamedTuple):
    """Cliques in an order in which every clique comes after those that hang on it.

    Attributes
    ----------
    cliques : list of int
        Sets of nodes; the last is the root.
    parents : list of int
        The clique that each hangs on, −1 for the root.
    separators : list of int
        What each shares with that clique.
    homes : dict
        For each node summed out, a clique that holds every family of which it goes first.
    """

    cliques: list[int]
    parents: list[int]
    separators: list[int]
    homes: dict[int, int]


def junction_tree(elimination: Elimination, target: int | None) -> JunctionTree:
    """Join the maximal cliques; the root is the smallest that holds `target`.

    Parts of the graph without a connection hang on each other by empty separators. Without a
    target, or where it is not in the tree, the last clique is the root.
    """
    cliques, links, homes = _maximal_cliques(elimination)
    if not cliques:
        return JunctionTree([0], [-1], [0], {})
    around: list[list[int]] = [[] for _ in cliques]
    for clique, above in enumerate(links):
        if above >= 0:
            around[clique].append(above)
            around[above].append(clique)
    holding = [k for k, clique in enumerate(cliques) if target is not None and clique >> target & 1]
    root = min(holding, key=lambda k: (cliques[k].bit_count(), k), default=0)
    return _rooted(cliques, around, homes, root)


def _maximal_cliques(elimination: Elimination) -> tuple[list[int], list[int], dict[int, int]]:
    rank = {node: k for k, node in enumerate(elimination.order)}
    cliques: list[int] = []
    links: list[int] = []
    homes: dict[int, int] = {}
    for node, clique in zip(
        reversed(elimination.order), reversed(elimination.cliques), strict=True
    ):
        others = clique & ~(1 << node)
        if not others:
            homes[node] = len(cliques)
            cliques.append(clique)
            links.append(homes[node] - 1 if homes[node] else -1)
            continue
        above = homes[min(bits(others), key=rank.__getitem__)]
        if cliques[above] == others:
            cliques[above] = clique
            homes[node] = above
        else:
            homes[node] = len(cliques)
            cliques.append(clique)
            links.append(above)
    return cliques, links, homes


def _rooted(
    cliques: list[int], around: list[list[int]], homes: dict[int, int], root: int
) -> JunctionTree:
    """Turn the tree so that it hangs on `root`, and put every clique after those on it."""
    above = {root: -1}
    order = [root]
    for clique in order:
        for other in around[clique]:
            if other not in above:
                above[other] = clique
                order.append(other)
    order.reverse()
    place = {clique: k for k, clique in enumerate(order)}
    parents = [place[above[clique]] if above[clique] >= 0 else -1 for clique in order]
    ordered = [cliques[clique] for clique in order]
    separators = [
        clique & ordered[parent] if parent >= 0 else 0
        for clique, parent in zip(ordered, parents, strict=True)
    ]
    return JunctionTree(
        ordered, parents, separators, {node: place[home] for node, home in homes.items()}
    )

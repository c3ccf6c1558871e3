"""Orders in which nodes are summed out: greedy min-fill, plain and weighted by numbers of states.

Summing out a node joins its neighbours; the joins that are new are its fill. Min-fill takes the
node with the least fill next, or the least Σ d_u d_v over the new joins u, v (Kjærulff 1990; Koller
and Friedman 2009, section 9.4.3.2). Of nodes with equal fill, the one with the smaller clique goes
first, then the first in node order. Sets of nodes are integers whose bit i is the node at place i.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from typing import NamedTuple, NoReturn

from bnlr.errors import TooLargeError

_Cost = tuple[int, int, int]


class Elimination(NamedTuple):
    """An order and the cliques it makes.

    Attributes
    ----------
    order : list of int
        The nodes in the order in which they are summed out.
    cliques : list of int
        The clique of each of them, as a set: the node and its neighbours at that time.
    cells : int
        Cells of all these cliques together.
    """

    order: list[int]
    cliques: list[int]
    cells: int


def bits(members: int) -> Iterator[int]:
    """Yield the nodes of a set, in node order."""
    while members:
        lowest = members & -members
        yield lowest.bit_length() - 1
        members ^= lowest


def moral_graph(families: Iterable[int], outside: int, n_nodes: int) -> list[int]:
    """Return each node's neighbours: nodes that share one of the `families`, without `outside`."""
    neighbours = [0] * n_nodes
    for family in families:
        members = family & ~outside
        for node in bits(members):
            neighbours[node] |= members
    return [around & ~(1 << node) for node, around in enumerate(neighbours)]


def cheapest_elimination(
    neighbours: Sequence[int],
    cards: Sequence[int],
    nodes: int,
    most_cells: int,
    names: Sequence[str],
) -> Elimination:
    """Return the cheaper of the two greedy orders of the set `nodes`, by total cells.

    Raises
    ------
    TooLargeError
        Both orders make a clique of more than `most_cells` cells; it names the smaller.
    """
    tried = [_greedy(neighbours, cards, nodes, most_cells, weighted) for weighted in (False, True)]
    fitting = [found for found in tried if isinstance(found, Elimination)]
    if not fitting:
        too_large = [clique for clique in tried if isinstance(clique, int)]
        refuse_clique(min(too_large, key=_cells_of(cards)), cards, names)
    return min(fitting, key=lambda found: found.cells)


def refuse_clique(clique: int, cards: Sequence[int], names: Sequence[str]) -> NoReturn:
    """Raise the error about a clique whose table would not fit."""
    cells = clique_cells(clique, cards)
    members = [repr(names[node]) for node in bits(clique)]
    shown = ", ".join(members[:8]) + (f" and {len(members) - 8} more" if len(members) > 8 else "")
    raise TooLargeError(
        f"exact inference needs a table over the clique {{{shown}}}: {_count(cells)} cells, "
        f"{_count(8 * cells)} bytes, more than fit; observe some of these nodes, or give them "
        f"fewer parents or states"
    )


def clique_cells(clique: int, cards: Sequence[int]) -> int:
    """Return the number of cells of a table over a set of nodes."""
    return prod(cards[node] for node in bits(clique))


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"10^{len(str(number)) - 1}"


def _cells_of(cards: Sequence[int]) -> Callable[[int], int]:
    return lambda clique: clique_cells(clique, cards)


class _Graph:
    """The graph while nodes are summed out, and what each would cost next."""

    def __init__(self, neighbours: Sequence[int], cards: Sequence[int], weighted: bool) -> None:
        self.around = list(neighbours)
        self.cards = cards
        self.of_card: dict[int, int] = {}
        for node, card in enumerate(cards):
            kind = card if weighted else 1
            self.of_card[kind] = self.of_card.get(kind, 0) | 1 << node
        self.weight = list(cards) if weighted else [1] * len(cards)

    def cost(self, node: int) -> _Cost:
        """(fill, cells of the clique, node) of summing out this node; smaller is better."""
        around, twice = self.around[node], 0
        for other in bits(around):
            apart = around & ~self.around[other] & ~(1 << other)
            if apart:
                twice += self.weight[other] * self._heaviness(apart)
        return twice // 2, self.cards[node] * clique_cells(around, self.cards), node

    def cost_without(self, node: int, cost: _Cost) -> _Cost:
        """What ``cost`` becomes when a neighbour, all of whose neighbours are joined, is gone.

        A hub with many such neighbours would be looked at as a whole after each of them.
        """
        fill, cells, other = cost
        apart = self.around[other] & ~self.around[node] & ~(1 << node)
        return fill - self.weight[node] * self._heaviness(apart), cells // self.cards[node], other

    def _heaviness(self, members: int) -> int:
        return sum(weight * (members & kind).bit_count() for weight, kind in self.of_card.items())

    def sum_out(self, node: int) -> int:
        """Join the node's neighbours and drop it; return the nodes whose costs may have changed."""
        around, new = self.around[node], 0
        for other in bits(around):
            new |= around & ~self.around[other] & ~(1 << other)
            self.around[other] = (self.around[other] | around) & ~(1 << node | 1 << other)
        self.around[node] = 0
        changed = around
        for other in bits(new):
            changed |= self.around[other]
        return changed


def _greedy(
    neighbours: Sequence[int], cards: Sequence[int], nodes: int, most_cells: int, weighted: bool
) -> Elimination | int:
    """Return the greedy order of the set `nodes`, or the first clique that is too large."""
    graph = _Graph(neighbours, cards, weighted)
    costs = {node: graph.cost(node) for node in bits(nodes)}
    queue = list(costs.values())
    heapq.heapify(queue)
    order, cliques, total = [], [], 0
    while costs:
        cost = heapq.heappop(queue)
        node = cost[2]
        if costs.get(node) != cost:
            continue
        clique = graph.around[node] | 1 << node
        if cost[1] > most_cells:
            return clique
        order.append(node)
        cliques.append(clique)
        total += cost[1]
        del costs[node]
        for other, renewed in _renewed(graph, cost, costs).items():
            if renewed != costs[other]:
                costs[other] = renewed
                heapq.heappush(queue, renewed)
    return Elimination(order, cliques, total)


def _renewed(graph: _Graph, cost: _Cost, costs: dict[int, _Cost]) -> dict[int, _Cost]:
    """Sum out the node of ``cost``; return the costs that may have changed, of those in `costs`."""
    fill, _, node = cost
    if not fill:
        around = bits(graph.around[node])
        less = {k: graph.cost_without(node, costs[k]) for k in around if k in costs}
        graph.sum_out(node)
        return less
    return {k: graph.cost(k) for k in bits(graph.sum_out(node)) if k in costs}

"""A plan: which cliques are worked through in which order, and what a row costs.

A plan is made for nodes that are observed in every row it serves, which leave the graph, and for
nodes that are observed in none and have no observed descendants (barren: they sum to 1), which
leave it too. It serves every row in between: what else a row observes only makes its tables
smaller.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from bnlr.errors import TooLargeError
from bnlr.inference.cpts import FlatCPTs
from bnlr.inference.elimination import bits, cheapest_elimination, clique_cells, moral_graph
from bnlr.inference.junction import JunctionTree, junction_tree
from bnlr.inference.schedule import Schedule, schedule_of

MOST_CELLS = 2**25
_SHOWN = 12


@dataclass(frozen=True, eq=False)
class Plan:
    """How rows are worked through that observe at least the nodes `observed`.

    Attributes
    ----------
    flat : FlatCPTs
    target : int
        The node whose posterior the root gives.
    observed : frozenset of int
        Nodes observed in every row.
    pruned : frozenset of int
        Barren nodes, left out.
    order : tuple of int
        The nodes in the order in which they are summed out.
    tree : JunctionTree
    """

    flat: FlatCPTs
    target: int
    observed: frozenset[int]
    pruned: frozenset[int]
    order: tuple[int, ...]
    tree: JunctionTree

    @cached_property
    def cells(self) -> int:
        """Cells of all cliques, when a row observes nothing beyond `observed`."""
        return sum(self.sizes)

    @cached_property
    def flops(self) -> int:
        """Multiplications and additions for a row that observes nothing beyond `observed`.

        Once towards the root; expected counts take about three times as many.
        """
        sizes = zip(self.sizes, self.factors, strict=True)
        return sum(cells * max(len(factors), 1) for cells, factors in sizes)

    @cached_property
    def schedule(self) -> Schedule:
        """The plan as arrays."""
        return schedule_of(self.flat, self.pruned, self.axes, self.separators, self.factors)

    @cached_property
    def axes(self) -> tuple[tuple[int, ...], ...]:
        """Nodes of each clique, the separator's first."""
        return tuple(
            (*own, *(node for node in bits(clique) if node not in own))
            for clique, own in zip(self.tree.cliques, self.separators, strict=True)
        )

    @cached_property
    def separators(self) -> tuple[tuple[int, ...], ...]:
        """Nodes of the message that each clique sends: the root's is about the target alone."""
        root = self.tree.cliques[-1] & (1 << self.target)
        return tuple(tuple(bits(own)) for own in (*self.tree.separators[:-1], root))

    @cached_property
    def sizes(self) -> list[int]:
        """Cells of each clique."""
        cards = self.flat.cards.tolist()
        return [clique_cells(clique, cards) for clique in self.tree.cliques]

    @cached_property
    def factors(self) -> list[list[int]]:
        """Sources multiplied in each clique: the CPTs of the families at home there, messages."""
        n = self.flat.n_nodes
        factors: list[list[int]] = [[] for _ in self.tree.cliques]
        rank = {node: k for k, node in enumerate(self.order)}
        for node in range(n):
            family = [m for m in (*self.flat.parents[node], node) if m in rank]
            if family and node not in self.pruned:
                factors[self.tree.homes[min(family, key=rank.__getitem__)]].append(node)
        for clique, parent in enumerate(self.tree.parents[:-1]):
            factors[parent].append(n + clique)
        return factors

    def __str__(self) -> str:
        names = self.flat.names
        cliques = [
            f"  {{{_some([repr(names[node]) for node in bits(clique)])}}}: {cells:,} cells"
            for clique, cells in zip(self.tree.cliques, self.sizes, strict=True)
        ]
        hidden = f"; {len(cliques) - _SHOWN} more" if len(cliques) > _SHOWN else ""
        return "\n".join(
            [
                f"Plan for {names[self.target]!r}, {len(self.observed)} of {len(names)} nodes "
                f"always observed, {len(self.pruned)} barren",
                f"order: {_some([repr(names[node]) for node in self.order])}",
                f"{len(cliques)} cliques, {self.cells:,} cells, at most {self.flops:,} flops a "
                f"row, {8 * self.cells:,} bytes{hidden}",
                *cliques[-_SHOWN:],
            ]
        )


def make_plan(
    flat: FlatCPTs, target: int, observed: frozenset[int], ever: frozenset[int] | None = None
) -> Plan:
    """Plan for rows that all observe `observed`, and none a node outside `ever` (None: any).

    With None no node is taken for barren, so that every family's posterior can be had.

    Raises
    ------
    TooLargeError
        A clique, or all together, would not fit; raised before any table is allocated.
    """
    pruned = frozenset() if ever is None else barren_nodes(flat, {target, *observed, *ever})
    cards = flat.cards.tolist()
    families = [
        _set((*parents, node)) for node, parents in enumerate(flat.parents) if node not in pruned
    ]
    outside = _set((*observed, *pruned))
    graph = moral_graph(families, outside, flat.n_nodes)
    free = (1 << flat.n_nodes) - 1 & ~outside
    elimination = cheapest_elimination(graph, cards, free, MOST_CELLS, flat.names)
    tree = junction_tree(elimination, target)
    plan = Plan(flat, target, observed, pruned, tuple(elimination.order), tree)
    if plan.cells > MOST_CELLS:
        _refuse(plan)
    return plan


def barren_nodes(flat: FlatCPTs, wanted: set[int]) -> frozenset[int]:
    """Nodes that are not wanted and have no wanted descendant."""
    waiting, kept = list(wanted), set(wanted)
    while waiting:
        for parent in flat.parents[waiting.pop()]:
            if parent not in kept:
                kept.add(parent)
                waiting.append(parent)
    return frozenset(range(flat.n_nodes)) - kept


def _refuse(plan: Plan) -> None:
    cards, names = plan.flat.cards.tolist(), plan.flat.names
    largest = max(plan.tree.cliques, key=lambda clique: clique_cells(clique, cards))
    members = _some([repr(names[node]) for node in bits(largest)])
    raise TooLargeError(
        f"exact inference needs tables of {plan.cells:,} cells, {8 * plan.cells:,} bytes, more "
        f"than fit; the largest clique is {{{members}}} with {clique_cells(largest, cards):,} "
        f"cells: observe some of these nodes, or give them fewer parents or states"
    )


def _set(nodes: Sequence[int]) -> int:
    members = 0
    for node in nodes:
        members |= 1 << node
    return members


def _some(items: Sequence[str]) -> str:
    more = len(items) - _SHOWN
    return ", ".join(items[:_SHOWN]) + (f" and {more} more" if more > 0 else "")

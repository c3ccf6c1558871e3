"""A directed acyclic graph with one node marked as the class."""

import heapq
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from bnlr._typing import Arc
from bnlr.arguments import check_kind
from bnlr.errors import CyclicStructureError, StructureError
from bnlr.structure.bits import mask_of
from bnlr.structure.names import checked_arcs, checked_name, checked_nodes, unknown
from bnlr.words import counted, quoted

if TYPE_CHECKING:
    import networkx as nx

_SHOWN_ARCS = 20
_SHOWN_CYCLE = 12


class Structure:
    """The graph of a Bayesian network classifier: immutable, hashable and picklable.

    Two structures are equal if nodes, class and the ordered parents of every node are.

    Parameters
    ----------
    edges : iterable of (parent, child)
        The arcs. Parents of a node keep the order in which their arcs are listed.
    class_name : str
        The node to predict.
    nodes : iterable of str, optional
        Nodes that come first, in this order; nodes without arcs must be named here. Nodes that
        occur in `edges` only follow in order of appearance.

    Attributes
    ----------
    nodes : tuple of str
        All nodes. Wherever ties are broken "by node order", it is this one.
    class_name : str
        The class.

    Raises
    ------
    CyclicStructureError
        If the arcs contain a directed cycle; the message and ``cycle`` name its nodes.
    StructureError
        If a name is no text or empty, an arc or node is listed twice, or the class is unknown.

    Examples
    --------
    >>> s = Structure([("class", "a"), ("class", "b"), ("a", "b")], class_name="class")
    >>> s.parents("b")
    ('class', 'a')
    """

    nodes: tuple[str, ...]
    class_name: str
    _parents: tuple[tuple[str, ...], ...]

    def __init__(self, edges: Iterable[Arc], class_name: str, nodes: Iterable[str] = ()) -> None:
        class_name = checked_name(class_name, "the class")
        listed = checked_nodes(nodes)
        arcs = checked_arcs(edges)
        ordered = dict.fromkeys((*listed, *(node for arc in arcs for node in arc)))
        if class_name not in ordered:
            if ordered:
                raise StructureError(unknown("the class", class_name, ordered))
            ordered[class_name] = None
        parents: dict[str, list[str]] = {node: [] for node in ordered}
        for parent, child in arcs:
            parents[child].append(parent)
        self.__dict__.update(
            nodes=tuple(ordered),
            class_name=class_name,
            edges=arcs,
            _parents=tuple(map(tuple, parents.values())),
        )
        self._refuse_cycle()

    @classmethod
    def _from_parents(
        cls, nodes: tuple[str, ...], parents: Iterable[tuple[str, ...]], class_name: str
    ) -> "Structure":
        """Build from parents known to be valid, without checking them again."""
        structure = cls.__new__(cls)
        structure.__dict__.update(nodes=nodes, class_name=class_name, _parents=tuple(parents))
        return structure

    @classmethod
    def naive_bayes(cls, attributes: Iterable[str], class_name: str) -> "Structure":
        """Return the graph in which the class is the only parent of every attribute.

        Raises
        ------
        StructureError
            If an attribute is listed twice or is the class itself.
        """
        class_name = checked_name(class_name, "the class")
        names = checked_nodes(attributes)
        if class_name in names:
            raise StructureError(
                f"the class {quoted(class_name)} is among the attributes; leave it out of them"
            )
        return cls([(class_name, name) for name in names], class_name, (class_name, *names))

    @classmethod
    def from_networkx(cls, graph: "nx.DiGraph[str]", class_name: str) -> "Structure":
        """Return the structure of a networkx ``DiGraph`` whose nodes are text.

        Raises
        ------
        StructureError
            If the graph is not directed, has parallel arcs, or breaks a rule of `Structure`.
        """
        if not getattr(graph, "is_directed", bool)():
            raise StructureError(
                f"from_networkx needs a directed graph (networkx.DiGraph), got "
                f"{type(graph).__name__}"
            )
        arcs = [(parent, node) for node in graph for parent in graph.predecessors(node)]
        if len(arcs) != graph.number_of_edges():
            raise StructureError(
                "the networkx graph has parallel arcs; convert it with networkx.DiGraph(graph)"
            )
        return cls(arcs, class_name, graph)

    def to_networkx(self) -> "nx.DiGraph[str]":
        """Return a networkx ``DiGraph`` with the same nodes and arcs, in the same order."""
        import networkx as nx  # noqa: PLC0415  heavy, and needed here only

        graph = nx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.edges)
        return graph

    def with_arcs(self, arcs: Iterable[Arc]) -> "Structure":
        """Return a structure with `arcs` added after the present ones."""
        return Structure((*self.edges, *checked_arcs(arcs)), self.class_name, self.nodes)

    @cached_property
    def edges(self) -> tuple[Arc, ...]:
        """The arcs as (parent, child), in the order given."""
        families = zip(self.nodes, self._parents, strict=True)
        return tuple((parent, node) for node, parents in families for parent in parents)

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """All nodes but the class."""
        return tuple(node for node in self.nodes if node != self.class_name)

    def index(self, node: str) -> int:
        """Return the position of `node` in ``nodes``."""
        place = self._places.get(node) if isinstance(node, str) else None
        if place is None:
            raise StructureError(unknown("the node", node, self.nodes))
        return place

    def parents(self, node: str) -> tuple[str, ...]:
        """Return the parents of `node`, in the order in which their arcs are listed."""
        found = self._parents_of.get(node) if isinstance(node, str) else None
        return self._parents[self.index(node)] if found is None else found

    def children(self, node: str) -> tuple[str, ...]:
        """Return the children of `node`, in node order."""
        return tuple(self.nodes[child] for child in self._children[self.index(node)])

    def markov_blanket(self, latent: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the class's parents, children and children's other parents, in node order.

        ``latent`` nodes, which nobody observes, give way to blankets of their own: what is returned
        are the other nodes that P(class | all others) may depend on.
        """
        unseen, shown = set(latent), set[str]()
        waiting, reached = [self.class_name], {self.class_name}
        while waiting:
            around = self._neighbours(waiting.pop()) - reached
            reached |= around
            waiting += around & unseen
            shown |= around - unseen
        return tuple(node for node in self.attributes if node in shown)

    def _neighbours(self, node: str) -> set[str]:
        """A node's parents, children and children's other parents."""
        around = set(self.parents(node))
        for child in self.children(node):
            around.update((child, *self.parents(child)))
        return around - {node}

    @cached_property
    def topological_order(self) -> tuple[str, ...]:
        """Parents before children; of the nodes that could come next, the first in node order."""
        return tuple(self.nodes[place] for place in self._sorted_places())

    @cached_property
    def parent_masks(self) -> tuple[int, ...]:
        """One integer per node, whose bit i tells whether node i is a parent."""
        places = self._places
        return tuple(mask_of([places[p] for p in parents]) for parents in self._parents)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {node: place for place, node in enumerate(self.nodes)}

    @cached_property
    def _parents_of(self) -> dict[str, tuple[str, ...]]:
        return dict(zip(self.nodes, self._parents, strict=True))

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        places = self._places
        children: list[list[int]] = [[] for _ in self.nodes]
        for child, parents in enumerate(self._parents):
            for parent in parents:
                children[places[parent]].append(child)
        return tuple(map(tuple, children))

    def _sorted_places(self) -> list[int]:
        waiting = [len(parents) for parents in self._parents]
        ready = [place for place, count in enumerate(waiting) if not count]
        order = []
        while ready:
            place = heapq.heappop(ready)
            order.append(place)
            for child in self._children[place]:
                waiting[child] -= 1
                if not waiting[child]:
                    heapq.heappush(ready, child)
        return order

    def _refuse_cycle(self) -> None:
        done = self.topological_order
        if len(done) == len(self.nodes):
            return
        cycle = self._cycle_outside(set(done))
        path = [quoted(node) for node in (*cycle, cycle[0])]
        if len(cycle) > _SHOWN_CYCLE:
            path[_SHOWN_CYCLE - 1 : -2] = [f"… {len(cycle) - _SHOWN_CYCLE} more …"]
        raise CyclicStructureError(
            f"the arcs form a cycle: {' → '.join(path)}; remove or turn one of them", cycle
        )

    def _cycle_outside(self, done: set[str]) -> tuple[str, ...]:
        # Every node that the sort left over has a left-over parent, so walking up must loop.
        node = next(node for node in self.nodes if node not in done)
        seen: dict[str, int] = {}
        while node not in seen:
            seen[node] = len(seen)
            node = next(parent for parent in self.parents(node) if parent not in done)
        cycle = list(seen)[seen[node] :][::-1]
        first = cycle.index(min(cycle, key=self.index))
        return (*cycle[first:], *cycle[:first])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Structure):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return self._hash

    @property
    def _key(self) -> tuple[object, ...]:
        return self.nodes, self.class_name, self._parents

    @cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Structure is immutable; build a new one to change {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Structure is immutable; {name!r} cannot be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        return Structure, (self.edges, self.class_name, self.nodes)

    def _repr_html_(self) -> str:
        """Return a picture for notebooks."""
        from bnlr.notebook import card  # noqa: PLC0415  for notebooks alone
        from bnlr.structure.svg import svg  # noqa: PLC0415  as above

        size = f"{counted(len(self.nodes), 'node')}, {counted(len(self.edges), 'arc')}"
        return card(f"Structure: {size}, class {self.class_name}", svg(self))

    def __repr__(self) -> str:
        n_arcs = sum(map(len, self._parents))
        if n_arcs > _SHOWN_ARCS:
            size = f"{counted(len(self.nodes), 'node')}, {counted(n_arcs, 'arc')}"
            return f"<Structure: {size}, class {quoted(self.class_name)}>"
        return f"Structure({list(self.edges)}, class_name={self.class_name!r}, nodes={self.nodes})"


def check_structure(structure: object) -> None:
    """Refuse what is no `Structure`.

    Raises
    ------
    ParameterError
        With the type, and how to come by one.
    """
    remedy = "a bnlr.Structure, such as bnlr.learn_structure(data) finds or bnlr.Structure makes"
    check_kind("structure", structure, Structure, remedy)

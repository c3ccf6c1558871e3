"""Chordal graphs over the attributes: what a perfect classifier is, the class left aside.

The class is adjacent to every attribute that P(class | attributes) depends on, and may be taken as
the root, so a perfect network is a chordal graph over those attributes. Two vertices may be joined
iff they lie in different components or their common neighbours separate them (Giudici & Green
1999; Deshpande, Garofalakis & Jordan 2001): these are then the separator S, and S ∪ {u, v} is the
only new clique. An edge may be taken away iff it lies in one maximal clique alone, i.e. iff the
common neighbours of its ends are a clique.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from bnlr.errors import StructureError
from bnlr.structure.bits import mask_of, members, neighbour_masks
from bnlr.structure.canonical import canonical_form
from bnlr.structure.dag import Structure
from bnlr.structure.perfect import is_perfect


@dataclass(frozen=True)
class Chordal:
    """A chordal graph on the vertices ``present``; sets of vertices are bit masks.

    Vertex i is the i-th attribute by name; ``neighbours[i]`` is empty if i is not present.
    """

    present: int
    neighbours: tuple[int, ...]

    @classmethod
    def of(
        cls, n_vertices: int, present: Iterable[int], pairs: Iterable[tuple[int, int]]
    ) -> "Chordal":
        """Build from vertices and edges known to be chordal."""
        masks = [0] * n_vertices
        for u, v in pairs:
            masks[u] |= 1 << v
            masks[v] |= 1 << u
        return cls(mask_of(present), tuple(masks))

    @cached_property
    def vertices(self) -> list[int]:
        """The vertices present, ascending."""
        return members(self.present)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The edges, each as (smaller, larger), in order."""
        return [
            (u, v) for u in self.vertices for v in members(self.neighbours[u] >> u << u) if v > u
        ]

    @cached_property
    def strangers(self) -> list[tuple[int, int]]:
        """The pairs of present vertices without an edge, in order."""
        return [
            (u, v) for u, v in combinations(self.vertices, 2) if not self.neighbours[u] >> v & 1
        ]

    def joined(self, u: int, v: int) -> "Chordal":
        """Return the graph with one edge more; a vertex not present yet comes with it."""
        return Chordal(self.present | 1 << u | 1 << v, self._toggled(u, v))

    def parted(self, u: int, v: int) -> "Chordal":
        """Return the graph with one edge less."""
        return Chordal(self.present, self._toggled(u, v))

    def with_vertex(self, vertex: int) -> "Chordal":
        """Return the graph with one more vertex, without edges."""
        return Chordal(self.present | 1 << vertex, self.neighbours)

    def without_vertex(self, vertex: int) -> "Chordal":
        """Return the graph with a vertex and its edges gone."""
        kept = tuple(
            0 if i == vertex else mask & ~(1 << vertex) for i, mask in enumerate(self.neighbours)
        )
        return Chordal(self.present & ~(1 << vertex), kept)

    def separator(self, u: int, v: int) -> int | None:
        """Common neighbours of two vertices that may be joined; None if the graph forbids it."""
        common = self.neighbours[u] & self.neighbours[v]
        return None if self._reach(u, common) >> v & 1 else common

    def can_part(self, u: int, v: int) -> bool:
        """Whether the edge between them may be taken away."""
        return self.is_clique(self.neighbours[u] & self.neighbours[v])

    def is_simplicial(self, vertex: int) -> bool:
        """Whether the vertex's neighbours are a clique."""
        return self.is_clique(self.neighbours[vertex])

    def is_clique(self, mask: int) -> bool:
        """Whether all vertices of ``mask`` are adjacent to one another."""
        return all(not mask & ~(self.neighbours[i] | 1 << i) for i in members(mask))

    @cached_property
    def families(self) -> list[tuple[int, int]]:
        """Each vertex with its neighbours among those before it, which form a clique.

        Maximum cardinality search (Tarjan & Yannakakis 1984): next is the vertex with the most
        neighbours already there, the first of several; each component starts at its first.
        """
        found, done = [], 0
        while done != self.present:
            rest = members(self.present & ~done)
            vertex = max(rest, key=lambda i: ((self.neighbours[i] & done).bit_count(), -i))
            found.append((vertex, self.neighbours[vertex] & done))
            done |= 1 << vertex
        return found

    def _toggled(self, u: int, v: int) -> tuple[int, ...]:
        masks = list(self.neighbours)
        masks[u] ^= 1 << v
        masks[v] ^= 1 << u
        return tuple(masks)

    def _reach(self, start: int, barred: int) -> int:
        """Vertices that paths from ``start`` lead to, around those of ``barred``."""
        reached, fresh = 0, 1 << start
        while fresh:
            reached |= fresh
            around = 0
            for i in members(fresh):
                around |= self.neighbours[i]
            fresh = around & ~reached & ~barred
        return reached


def chordal_of(structure: Structure, names: list[str]) -> Chordal:
    """Chordal graph of a structure whose canonical form is perfect, over ``names``.

    Raises
    ------
    StructureError
        The canonical form is not perfect.
    """
    if not is_perfect(structure):
        raise StructureError(
            "start is not perfect, so that its conditional likelihood may have several maxima; "
            "add the arcs that bnlr.analyze(start).embedding lists"
        )
    canonical = canonical_form(structure)
    place = {name: i for i, name in enumerate(names)}
    joined = neighbour_masks(canonical.parent_masks)
    own = canonical.index(canonical.class_name)
    known = {i: place[node] for i, node in enumerate(canonical.nodes) if i != own}
    present = [known[i] for i in members(joined[own])]
    pairs = [
        (known[i], known[j])
        for i in members(joined[own])
        for j in members(joined[i])
        if own != j > i
    ]
    return Chordal.of(len(names), present, pairs)


def structure_of(
    graph: Chordal, names: list[str], class_name: str, attributes: Iterable[str]
) -> Structure:
    """Perfect network of ``graph``: the class above all, then along the elimination order.

    ``attributes`` are the nodes' order; those not in the graph have no arc.
    """
    arcs = [(class_name, names[vertex]) for vertex in graph.vertices]
    for vertex, parents in sorted(graph.families):
        arcs += [(names[parent], names[vertex]) for parent in members(parents)]
    return Structure(arcs, class_name, (class_name, *attributes))

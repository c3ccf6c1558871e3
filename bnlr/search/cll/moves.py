"""The moves of the search: from one chordal graph to the next.

An addition brings in the terms of one new clique. Simple ones add an attribute, alone or with one
neighbour, or an edge. Compound ones add up to three edges at once, so that a dependence that no
pair shows alone, such as a parity, can be seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import prod

from bnlr.search.cll.chordal import Chordal
from bnlr.structure.bits import mask_of, members

ADD_ATTRIBUTE, ADD_ARC, ADD_CLIQUE = "add attribute", "add arc", "add clique"
DROP_ATTRIBUTE, DELETE_ARC = "drop attribute", "delete arc"
ADDITIONS = (ADD_ATTRIBUTE, ADD_ARC, ADD_CLIQUE)


@dataclass(frozen=True)
class Interaction:
    """What one vertex or one edge brings in: (u, v) given the separator; v is None for a vertex.

    A vertex joined to a clique at once has that as its separator.
    """

    u: int
    v: int | None
    separator: int

    @property
    def clique(self) -> int:
        """The clique that it makes."""
        return self.separator | 1 << self.u | (0 if self.v is None else 1 << self.v)


@dataclass(frozen=True)
class Move:
    """The terms that come in or go, and the graph that this leads to."""

    kind: str
    terms: tuple[Interaction, ...]
    graph: Chordal = field(repr=False)

    @property
    def clique(self) -> int:
        """The new clique of an addition; the clique that a deletion splits."""
        return self.terms[-1].clique

    @property
    def is_addition(self) -> bool:
        """Whether its terms come in."""
        return self.kind in ADDITIONS


@dataclass(frozen=True)
class Limits:
    """The largest clique allowed: attributes less one, and cells times classes.

    ``alone`` are the vertices that are joined to no other, a bit mask.
    """

    max_parents: int
    max_cells: int
    cards: tuple[int, ...]
    n_classes: int
    alone: int = 0

    def allow(self, clique: int) -> bool:
        """Whether a clique of attributes is small enough; one attribute alone always is."""
        if clique.bit_count() > self.max_parents + 1:
            return False
        if clique.bit_count() <= 1:
            return True
        if clique & self.alone:
            return False
        return prod(self.cards[i] for i in members(clique)) * self.n_classes <= self.max_cells


def additions(graph: Chordal, limits: Limits) -> Iterator[Move]:
    """Yield the moves that add one attribute, alone or with one neighbour, or one edge."""
    absent = [i for i in range(len(limits.cards)) if not graph.present >> i & 1]
    for vertex in absent:
        for base in (0, *(1 << i for i in graph.vertices)):
            yield from _attached(graph, vertex, base, limits, ADD_ATTRIBUTE)
    for u, v in graph.strangers:
        term = _joining(graph, u, v, limits)
        if term is not None:
            yield Move(ADD_ARC, (term,), graph.joined(u, v))


def deletions(graph: Chordal) -> Iterator[Move]:
    """Yield the moves that take away an edge of one clique, or a vertex of one clique."""
    for vertex in graph.vertices:
        if graph.is_simplicial(vertex):
            term = Interaction(vertex, None, graph.neighbours[vertex])
            yield Move(DROP_ATTRIBUTE, (term,), graph.without_vertex(vertex))
    for u, v in graph.pairs:
        if graph.can_part(u, v):
            term = Interaction(u, v, graph.neighbours[u] & graph.neighbours[v])
            yield Move(DELETE_ARC, (term,), graph.parted(u, v))


def compounds(graph: Chordal, limits: Limits) -> Iterator[Move]:
    """Yield additions of several terms whose last clique holds all that they join.

    Two attributes that are not there yet; one of them joined to both ends of an edge; a vertex
    joined to both ends of an edge; three vertices without edges between them.
    """
    absent = [i for i in range(len(limits.cards)) if not graph.present >> i & 1]
    for u, v in combinations(absent, 2):
        first = graph.with_vertex(u)
        for move in _attached(first, v, 1 << u, limits, ADD_CLIQUE):
            yield Move(ADD_CLIQUE, (Interaction(u, None, 0), *move.terms), move.graph)
    for vertex in absent:
        for pair in graph.pairs:
            yield from _attached(graph, vertex, mask_of(pair), limits, ADD_CLIQUE)
    for u, v in graph.pairs:
        for w in graph.vertices:
            if w not in {u, v} and not graph.neighbours[w] & (1 << u | 1 << v):
                yield from _in_turn(graph, ((u, w), (v, w)), limits)
    apart = graph.strangers
    for u, v in apart:
        for w in graph.vertices:
            if w > v and not graph.neighbours[w] & (1 << u | 1 << v):
                yield from _in_turn(graph, ((u, v), (u, w), (v, w)), limits)


def _attached(graph: Chordal, vertex: int, base: int, limits: Limits, kind: str) -> Iterator[Move]:
    term = Interaction(vertex, None, base)
    if limits.allow(term.clique):
        grown = graph.with_vertex(vertex)
        for i in members(base):
            grown = grown.joined(vertex, i)
        yield Move(kind, (term,), grown)


def _joining(graph: Chordal, u: int, v: int, limits: Limits) -> Interaction | None:
    separator = graph.separator(u, v)
    if separator is None:
        return None
    term = Interaction(u, v, separator)
    return term if limits.allow(term.clique) else None


def _in_turn(graph: Chordal, pairs: tuple[tuple[int, int], ...], limits: Limits) -> Iterator[Move]:
    """Join the pairs in turn, if each may be, and the last clique holds them all."""
    terms: list[Interaction] = []
    for u, v in pairs:
        term = _joining(graph, u, v, limits)
        if term is None:
            return
        terms.append(term)
        graph = graph.joined(u, v)
    if all(not term.clique & ~terms[-1].clique for term in terms):
        yield Move(ADD_CLIQUE, tuple(terms), graph)

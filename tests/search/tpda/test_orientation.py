"""Directions against the definition: all acyclic graphs of the same edges and colliders."""

import itertools

import networkx as nx
import pytest
from hypothesis import given

from bnlr.search.tpda.orientation import PartialGraph, add_colliders, complete, propagate
from tests.search.tpda.test_cutset import near_of
from tests.strategies import structures


def graph_of(edges, n=None):
    return PartialGraph(near_of(edges, 1 + max(max(edge) for edge in edges) if n is None else n))


def arcs_of(graph):
    return {(x, y) for y, above in enumerate(graph.above) for x in range(20) if above >> x & 1}


def colliders_of(arcs):
    joined = {frozenset(arc) for arc in arcs}
    parents = {}
    for x, y in arcs:
        parents.setdefault(y, set()).add(x)
    return {
        (x, w, y)
        for w, above in parents.items()
        for x, y in itertools.combinations(sorted(above), 2)
        if frozenset((x, y)) not in joined
    }


def equivalent(arcs):
    """All acyclic graphs of the same edges and colliders."""
    wanted = colliders_of(arcs)
    for turns in itertools.product((False, True), repeat=len(arcs)):
        other = [arc[::-1] if turn else arc for arc, turn in zip(sorted(arcs), turns, strict=True)]
        if colliders_of(other) == wanted and nx.is_directed_acyclic_graph(nx.DiGraph(other)):
            yield set(other)


@pytest.mark.slow
@given(structures(max_nodes=5))
def test_from_the_colliders_of_a_graph_to_what_all_its_equivalents_share(structure):
    place = {node: k for k, node in enumerate(sorted(structure.nodes))}
    arcs = {(place[x], place[y]) for x, y in structure.edges}
    graph = graph_of(arcs, len(place))
    add_colliders(graph, sorted(colliders_of(arcs)))
    propagate(graph)
    same = list(equivalent(arcs))
    assert arcs_of(graph) == set.intersection(*same)
    root = place[structure.class_name]
    open_at_root = [edge for edge in graph.open_edges() if root in edge]
    complete(graph, root)
    assert arcs_of(graph) in same
    assert all(graph.above[x + y - root] >> root & 1 for x, y in open_at_root)
    assert not graph.open_edges()


def test_an_edge_would_close_a_cycle_and_turns():
    graph = graph_of([(0, 1), (1, 2), (0, 2)])
    graph.direct(0, 1)
    graph.direct(1, 2)
    assert graph.reaches(0, 2)
    assert not graph.reaches(2, 0)
    graph.direct(2, 0)
    assert arcs_of(graph) == {(0, 1), (1, 2), (0, 2)}


def test_of_two_colliders_that_disagree_the_first_stays():
    edges = [(0, 1), (1, 2), (2, 3)]
    for triples, kept in [
        ([(0, 1, 2), (1, 2, 3)], {(0, 1), (2, 1)}),
        ([(1, 2, 3), (0, 1, 2)], {(1, 2), (3, 2)}),
    ]:
        graph = graph_of(edges)
        add_colliders(graph, triples)
        assert arcs_of(graph) == kept


def test_colliders_close_no_cycle():
    # 0 → 1 ← 4, 1 → 2 ← 5, and 2 → 0 ← 6 would close 0 → 1 → 2 → 0.
    graph = graph_of([(0, 1), (1, 2), (0, 2), (1, 4), (2, 5), (0, 6)])
    add_colliders(graph, [(0, 1, 4), (1, 2, 5), (2, 0, 6)])
    assert arcs_of(graph) == {(0, 1), (4, 1), (1, 2), (5, 2)}


def test_rule_two():
    graph = graph_of([(0, 1), (1, 2), (0, 2)])
    graph.direct(0, 1)
    graph.direct(1, 2)
    propagate(graph)
    assert arcs_of(graph) == {(0, 1), (1, 2), (0, 2)}


def test_rule_four():
    """Meek's fourth rule acts only where more is directed than the colliders: k → l → y."""
    x, k, middle, y = range(4)
    graph = graph_of([(x, k), (x, middle), (x, y), (k, middle), (middle, y)])
    graph.direct(k, middle)
    graph.direct(middle, y)
    propagate(graph)
    assert (x, y) in arcs_of(graph)


def test_what_is_open_points_away_from_the_root_the_nearest_edges_first():
    path = graph_of([(0, 1), (1, 2), (2, 3), (3, 4)])
    complete(path, 2)
    assert arcs_of(path) == {(2, 1), (1, 0), (2, 3), (3, 4)}
    circle = graph_of([(0, 1), (1, 2), (2, 3), (0, 3)])  # no direction is without a collider
    complete(circle, 2)
    assert {(2, 1), (2, 3)} < arcs_of(circle)
    assert nx.is_directed_acyclic_graph(nx.DiGraph(arcs_of(circle)))


@pytest.mark.parametrize("root", range(5))
def test_parts_without_the_root_are_directed_too(root):
    graph = graph_of([(0, 1), (2, 3)], 5)
    complete(graph, root)
    arcs = arcs_of(graph)
    assert {frozenset(arc) for arc in arcs} == {frozenset((0, 1)), frozenset((2, 3))}
    assert all(root not in arc or arc[0] == root for arc in arcs)

"""Chordal graphs and moves against networkx's own test of chordality, on random walks."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import bnlr
from bnlr.errors import StructureError
from bnlr.search.cll.chordal import Chordal, chordal_of, structure_of
from bnlr.search.cll.moves import (
    ADD_ARC,
    ADD_CLIQUE,
    DELETE_ARC,
    Limits,
    additions,
    compounds,
    deletions,
)
from bnlr.structure.bits import members
from tests.strategies import perfect_structures

N = 7
ANY = Limits(N, 10**9, (2,) * N, 2)


def plain(graph):
    result = nx.Graph()
    result.add_nodes_from(graph.vertices)
    result.add_edges_from(graph.pairs)
    return result


def walk(seed, n_steps=60, limits=ANY):
    """Graphs that random moves lead to."""
    rng, graph = np.random.default_rng(seed), Chordal.of(N, range(N), [])
    for _ in range(n_steps):
        yield graph
        moves = [*additions(graph, limits), *deletions(graph), *compounds(graph, limits)]
        graph = moves[rng.integers(len(moves))].graph


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_moves_are_the_single_edges_that_keep_a_graph_chordal(seed):
    for graph in walk(seed):
        flat = plain(graph)
        wanted = set()
        for u, v in combinations(graph.vertices, 2):
            other = flat.copy()
            (other.remove_edge if flat.has_edge(u, v) else other.add_edge)(u, v)
            if nx.is_chordal(other):
                wanted.add((u, v, flat.has_edge(u, v)))
        joins = {m.terms[0] for m in additions(graph, ANY) if m.kind == ADD_ARC}
        parts = {m.terms[0] for m in deletions(graph) if m.kind == DELETE_ARC}
        found = {(s.u, s.v, False) for s in joins} | {(s.u, s.v, True) for s in parts}
        assert found == wanted


@pytest.mark.parametrize("seed", range(3))
def test_families_are_a_perfect_elimination_order(seed):
    for graph in walk(seed):
        flat = plain(graph)
        done = set()
        for vertex, above in graph.families:
            assert set(members(above)) == set(flat[vertex]) & done
            assert all(flat.has_edge(u, v) for u, v in combinations(members(above), 2))
            done.add(vertex)
        assert done == set(flat)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_an_addition_makes_one_new_clique_and_a_deletion_splits_one(seed):
    for graph in walk(seed, 30):
        for move in [*additions(graph, ANY), *compounds(graph, ANY)]:
            after = plain(move.graph)
            assert nx.is_chordal(after)
            before = plain(graph)
            new = {
                frozenset(c)
                for c in nx.find_cliques(after)
                if not set(c) <= set(before)
                or any(not before.has_edge(u, v) for u, v in combinations(c, 2))
            }
            assert new == {frozenset(members(move.clique))}
        for move in deletions(graph):
            assert nx.is_chordal(plain(move.graph))
            assert graph.is_clique(move.clique)


def test_compounds_join_three_vertices_that_no_single_move_joins():
    empty = Chordal.of(3, range(3), [])
    limits = Limits(5, 100, (2, 2, 2), 2)
    assert [m.kind for m in compounds(empty, limits)] == [ADD_CLIQUE]
    (move,) = compounds(empty, limits)
    assert move.graph.pairs == [(0, 1), (0, 2), (1, 2)]
    edge = Chordal.of(3, range(3), [(0, 2)])
    assert [m.graph.pairs for m in compounds(edge, limits)] == [[(0, 1), (0, 2), (1, 2)]]
    nothing = Chordal.of(2, [], [])
    assert [m.graph.pairs for m in compounds(nothing, Limits(5, 100, (2, 2), 2))] == [[(0, 1)]]


def test_limits_bound_cliques_and_cells():
    graph = Chordal.of(3, range(3), [(0, 1)])
    assert all(m.clique.bit_count() <= 2 for m in additions(graph, Limits(1, 10**6, (2,) * 3, 2)))
    # Two states, three states, two classes: 12 cells.
    sizes = {m.clique for m in additions(Chordal.of(2, range(2), []), Limits(3, 12, (2, 3), 2))}
    assert sizes == {0b11}
    assert not list(additions(Chordal.of(2, range(2), []), Limits(3, 11, (2, 3), 2)))


@given(perfect_structures(min_attributes=1))
def test_a_perfect_structure_and_its_graph_reach_the_same_conditionals(structure):
    """Same canonical skeleton about the class, rooted at it: the same log-linear model."""
    names = sorted(structure.attributes)
    graph = chordal_of(structure, names)
    back = structure_of(graph, names, structure.class_name, structure.attributes)
    report = bnlr.analyze(back)
    assert report.is_perfect
    assert set(back.children(back.class_name)) == set(structure.markov_blanket())
    wanted = bnlr.analyze(structure).canonical
    assert {frozenset(arc) for arc in back.edges} == {frozenset(arc) for arc in wanted.edges}


def test_an_imperfect_start_is_refused():
    arcs = [("c", "x"), ("c", "a"), ("c", "b"), ("a", "x"), ("b", "x")]
    with pytest.raises(StructureError, match="not perfect"):
        chordal_of(bnlr.Structure(arcs, "c"), ["a", "b", "x"])

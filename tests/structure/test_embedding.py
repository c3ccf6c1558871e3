"""The embedding: Condition 1 holds with it, no cycle arises, and no arc of it is idle."""

from itertools import pairwise

import pytest
from hypothesis import given

from bnlr.structure.bits import members
from bnlr.structure.condition1 import satisfies_condition_1
from bnlr.structure.dag import Structure
from bnlr.structure.embedding import embedding
from tests.width import examples, in_full

from .graphs import is_acyclic_with, labelled_dags, literal_condition_1, structures, subsets


@pytest.mark.parametrize("n", [3, *in_full(4)])
def test_inclusion_minimal_on_every_labelled_dag(n):
    n_embedded = 0
    for nodes, arcs in labelled_dags(n):
        for target in nodes:
            s = Structure(arcs, target, nodes)
            added = embedding(s)
            assert satisfies_condition_1(s.with_arcs(added))
            assert not any(satisfies_condition_1(s.with_arcs(few)) for few in subsets(added))
            n_embedded += bool(added)
    assert n_embedded == {3: 3 * 2, 4: 4 * 123}[n]


@given(structures())
@examples(150)
def test_makes_condition_1_hold_on_random_graphs(s):
    added = embedding(s)
    assert (added == ()) == satisfies_condition_1(s)
    assert not set(added) & set(s.edges)
    assert is_acyclic_with(s, added)
    larger = s.with_arcs(added)
    assert all(literal_condition_1(larger).values())
    assert embedding(larger) == ()
    assert list(added) == sorted(added, key=lambda arc: (s.index(arc[1]), s.index(arc[0])))


@given(structures(max_nodes=7))
@examples(150)
def test_no_proper_subset_does_on_random_graphs(s):
    added = embedding(s)
    if len(added) <= 8:
        assert not any(satisfies_condition_1(s.with_arcs(few)) for few in subsets(added))


@given(structures())
def test_neither_the_order_of_arcs_nor_of_parents_matters(s):
    turned = Structure(s.edges[::-1], s.class_name, s.nodes)
    assert embedding(turned) == embedding(s)


def test_the_collider_of_theorem_4_gets_an_arc_from_the_class():
    arcs = [("X0", "X2"), ("X1", "X2")]
    for nodes in (["X0", "X1", "X2"], ["X2", "X1", "X0"], []):
        assert embedding(Structure(arcs, "X0", nodes)) == (("X0", "X1"),)


def test_a_child_with_many_strangers_makes_them_parents_of_the_class():
    strangers = [f"x{i}" for i in range(40)]
    s = Structure([("c", "y"), *((x, "y") for x in strangers)], "c")
    assert embedding(s) == tuple((x, "c") for x in strangers)


def test_small_tables_are_preferred_to_a_class_with_many_parents():
    pairs = [(f"x{i}", f"y{i}") for i in range(10)]
    s = Structure([arc for x, y in pairs for arc in [("c", x), (y, x)]], "c")
    assert embedding(s) == tuple(("c", y) for _, y in pairs)


def test_ancestors_of_a_stranger_are_spared():
    chain = [f"a{i}" for i in range(9)]
    arcs = [*pairwise(chain), ("c", "y"), (chain[-1], "y")]
    assert embedding(Structure(arcs, "c")) == ((chain[-1], "c"),)


@pytest.mark.parametrize("places", [[], [0], [3, 64, 200], list(range(0, 500, 3))])
def test_members_lists_the_bits(places):
    assert members(sum(1 << place for place in places)) == places

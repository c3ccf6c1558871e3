"""Structure: order, equality, immutability, exchange with networkx, errors."""

import copy
import pickle
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from bnlr.errors import CyclicStructureError, ParameterError, StructureError
from bnlr.structure.dag import Structure, check_structure

from .graphs import FIGURE_1, structures


def test_nodes_come_as_listed_then_as_they_appear():
    s = Structure([("b", "z"), ("a", "z"), ("z", "y")], "z", nodes=["y", "q"])
    assert s.nodes == ("y", "q", "b", "z", "a")
    assert s.attributes == ("y", "q", "b", "a")
    assert s.edges == (("b", "z"), ("a", "z"), ("z", "y"))
    assert s.parents("z") == ("b", "a")
    assert [s.index(node) for node in s.nodes] == [0, 1, 2, 3, 4]


def test_children_are_in_node_order_whatever_the_order_of_arcs():
    one = Structure([("c", "a"), ("c", "b"), ("a", "b")], "c", nodes=["a", "b", "c"])
    two = Structure([("c", "b"), ("c", "a"), ("a", "b")], "c", nodes=["a", "b", "c"])
    assert one == two
    assert one.children("c") == two.children("c") == ("a", "b")


def test_topological_order_takes_the_first_node_that_is_ready():
    s = Structure([("d", "a"), ("c", "b")], "a", nodes=["a", "b", "c", "d"])
    assert s.topological_order == ("c", "b", "d", "a")


def test_markov_blanket_holds_parents_children_and_their_other_parents():
    arcs = [("far", "p"), ("p", "c"), ("c", "k"), ("q", "k"), ("k", "below"), ("lone", "below")]
    assert Structure(arcs, "c").markov_blanket() == ("p", "k", "q")


def test_a_class_alone_is_a_structure():
    s = Structure([], "c")
    assert (s.nodes, s.attributes, s.markov_blanket()) == (("c",), (), ())


def test_naive_bayes():
    s = Structure.naive_bayes(["a", "b"], class_name="c")
    assert s == Structure([("c", "a"), ("c", "b")], "c")
    assert Structure.naive_bayes([], "c").nodes == ("c",)


def test_equality_looks_at_nodes_parents_and_class():
    base = Structure([("a", "c"), ("b", "c")], "c", nodes=["a", "b", "c"])
    assert base == Structure([("a", "c"), ("b", "c")], "c", nodes=["a", "b"])
    assert base != Structure([("b", "c"), ("a", "c")], "c", nodes=["a", "b", "c"])
    assert base != Structure([("a", "c"), ("b", "c")], "a", nodes=["a", "b", "c"])
    assert base != Structure([("a", "c"), ("b", "c")], "c", nodes=["b", "a", "c"])
    assert base != "a structure"


@given(structures())
def test_exchange_keeps_the_structure(s):
    graph = s.to_networkx()
    assert set(graph.edges) == set(s.edges)
    assert Structure.from_networkx(graph, s.class_name) == s
    for twin in (pickle.loads(pickle.dumps(s)), copy.deepcopy(s), copy.copy(s)):  # noqa: S301
        assert twin == s
        assert hash(twin) == hash(s)
        assert twin.edges == s.edges
    if len(s.edges) <= 20:
        assert eval(repr(s)) == s  # noqa: S307  the repr is Python


@given(structures())
def test_order_and_masks_say_what_the_arcs_say(s):
    rank = {node: place for place, node in enumerate(s.topological_order)}
    assert sorted(rank) == sorted(s.nodes)
    assert all(rank[parent] < rank[child] for parent, child in s.edges)
    for node in s.nodes:
        bits = s.parent_masks[s.index(node)]
        assert {p for p in s.nodes if bits >> s.index(p) & 1} == set(s.parents(node))
        assert set(s.children(node)) == {c for p, c in s.edges if p == node}


def test_with_arcs_adds_after_the_present_ones():
    s = Structure([("a", "c")], "c").with_arcs([("b", "c")])
    assert s.parents("c") == ("a", "b")
    with pytest.raises(CyclicStructureError, match="'a' → 'c' → 'a'"):
        s.with_arcs([("c", "a")])


def test_immutable():
    s = Structure([("a", "c")], "c")
    with pytest.raises(AttributeError, match="immutable"):
        s.class_name = "a"
    with pytest.raises(AttributeError, match="immutable"):
        s.extra = 1
    with pytest.raises(AttributeError, match="immutable"):
        del s.nodes
    assert s == Structure([("a", "c")], "c")


@pytest.mark.parametrize("other", [[("c", "a")], None, "c -> a"])
def test_what_is_no_structure_is_refused_with_a_way_to_one(other):
    with pytest.raises(ParameterError, match=r"structure is .*; give a bnlr\.Structure, such as"):
        check_structure(other)


def test_large_structures_have_a_short_repr():
    s = Structure.naive_bayes([f"x{i}" for i in range(50)], "c")
    assert repr(s) == "<Structure: 51 nodes, 50 arcs, class 'c'>"


def test_names_become_plain_text():
    s = Structure([(np.str_("c"), np.str_("a"))], np.str_("c"))
    assert {type(name) for name in (*s.nodes, s.class_name)} == {str}


def test_a_cycle_is_named_and_nothing_else():
    arcs = [("in", "a"), ("a", "b"), ("b", "d"), ("d", "a"), ("d", "out"), ("c", "out")]
    with pytest.raises(CyclicStructureError, match="'a' → 'b' → 'd' → 'a'; remove") as caught:
        Structure(arcs, "c")
    assert caught.value.cycle == ("a", "b", "d")


def test_a_self_loop_is_a_cycle_of_one():
    with pytest.raises(CyclicStructureError, match="'a' → 'a'") as caught:
        Structure([("c", "a"), ("a", "a")], "c")
    assert caught.value.cycle == ("a",)


def test_a_long_cycle_is_shown_in_part_and_held_in_full():
    nodes = [f"x{i}" for i in range(3000)]
    arcs = list(zip(nodes, nodes[1:] + nodes[:1], strict=True))
    with pytest.raises(
        CyclicStructureError, match="'x10' → … 2988 more … → 'x2999' → 'x0'"
    ) as caught:
        Structure(arcs, "x7")
    assert caught.value.cycle == tuple(nodes)
    assert len(str(caught.value)) < 300


@given(structures(max_nodes=6))
def test_every_reported_cycle_is_one(s):
    for parent, child in s.edges:
        turned = [*s.edges, (child, parent)]
        with pytest.raises(CyclicStructureError) as caught:
            Structure(turned, s.class_name, s.nodes)
        cycle = caught.value.cycle
        arcs = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
        assert set(arcs) <= set(turned)
        assert len(set(cycle)) == len(cycle)


BAD = [
    ([("a", "b")], "klass", (), "the class 'klass' is not in the structure.*'a', 'b'"),
    ([("colour", "b")], "color", (), "did you mean 'colour'"),
    ([], "c", ("a",), "the class 'c' is not in the structure"),
    ([("a", "c"), ("a", "c")], "c", (), "the arc 'a' → 'c' is listed twice"),
    ([("a", "c")], "c", ("a", "a"), "the node 'a' is listed twice"),
    ([("a", "")], "a", (), "a node has an empty name"),
    ([("a", "c")], "", (), "the class has an empty name"),
    ([("a", "c")], None, (), r"the class must be named by text, got None \(NoneType\)"),
    ([("a", 3)], "a", (), r"a node must be named by text, got 3 \(int\).*'3'"),
    ([("a", "c")], "c", (1.5,), r"a node must be named by text, got 1.5 \(float\)"),
    ([("a", "c")], "c", "ac", "nodes must be a list of names, got 'ac'"),
    ([("a", "c")], "c", None, "nodes must be a list of names, got None"),
    (["ab"], "a", (), r"an arc must be a \(parent, child\) pair, got 'ab'"),
    ([("a", "b", "c")], "a", (), r"pair, got \('a', 'b', 'c'\)"),
    ([None], "a", (), "pair, got None"),
    ("ab", "a", (), "edges must be a list .* got 'ab'"),
    (5, "a", (), "edges must be a list .* got 5"),
    ({"a": ["b"]}, "a", (), "pair, got 'a'"),
]


@pytest.mark.parametrize(("edges", "class_name", "nodes", "message"), BAD)
def test_bad_input_is_one_clear_error(edges, class_name, nodes, message):
    with pytest.raises(StructureError, match=message):
        Structure(edges, class_name, nodes)


@pytest.mark.parametrize("node", ["z", 1, None, ["a"]])
def test_asking_for_an_unknown_node(node):
    s = Structure([("a", "c")], "c")
    for ask in (s.parents, s.children, s.index):
        with pytest.raises(StructureError, match="is not in the structure; its nodes are 'a', 'c'"):
            ask(node)


@pytest.mark.parametrize("array", [np.array("x"), np.array(1), np.array(None, dtype=object)])
def test_arrays_without_axes_are_no_lists(array):
    with pytest.raises(StructureError, match="edges must be a list"):
        Structure(array, "a")
    with pytest.raises(StructureError, match="nodes must be a list"):
        Structure([("a", "b")], "a", array)


def test_a_very_long_name_is_cut_in_messages():
    with pytest.raises(StructureError) as caught:
        Structure([("a", "x" * 1_000_000)], "c")
    assert len(str(caught.value)) < 300


def test_naive_bayes_refuses_bad_attributes():
    with pytest.raises(StructureError, match="'c' is among the attributes"):
        Structure.naive_bayes(["a", "c"], "c")
    with pytest.raises(StructureError, match="'a' is listed twice"):
        Structure.naive_bayes(["a", "a"], "c")
    with pytest.raises(StructureError, match="list of names, got 'abc'"):
        Structure.naive_bayes("abc", "c")


def test_networkx_graphs_that_are_no_structure():
    with pytest.raises(StructureError, match=r"directed graph .* got Graph"):
        Structure.from_networkx(nx.path_graph(["a", "b"]), "a")
    with pytest.raises(StructureError, match=r"directed graph .* got list"):
        Structure.from_networkx([("a", "b")], "a")
    with pytest.raises(StructureError, match="parallel arcs"):
        Structure.from_networkx(nx.MultiDiGraph([("a", "b"), ("a", "b")]), "a")
    with pytest.raises(StructureError, match="must be named by text, got 0"):
        Structure.from_networkx(nx.DiGraph([(0, 1)]), 0)
    with pytest.raises(CyclicStructureError):
        Structure.from_networkx(nx.DiGraph([("a", "b"), ("b", "a")]), "a")


@pytest.mark.slow
def test_analysis_loads_no_heavy_package():
    code = (
        "import sys, bnlr\n"
        f"r = bnlr.analyze(bnlr.Structure({FIGURE_1!r}, 'c'))\n"
        "str(r), r.to_dict()\n"
        "heavy = {'networkx', 'pandas', 'sklearn', 'numba', 'statsmodels', 'scipy', 'matplotlib'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""Graphs for the structure tests, and literal readings of the definitions."""

from itertools import combinations, product

import networkx as nx
from hypothesis import strategies as st

from bnlr.errors import CyclicStructureError
from bnlr.structure.dag import Structure

FIGURE_1 = [
    ("x1", "c"),
    ("x2", "c"),
    ("c", "x3"),
    ("x1", "x3"),
    ("c", "x4"),
    ("x3", "x4"),
    ("c", "x5"),
]


def labelled_dags(n):
    """Every DAG on n labelled nodes, as nodes and arcs."""
    nodes = tuple("abcde"[:n])
    pairs = list(combinations(nodes, 2))
    for directions in product((0, 1, 2), repeat=len(pairs)):
        arcs = [
            pair if way == 1 else pair[::-1]
            for pair, way in zip(pairs, directions, strict=True)
            if way
        ]
        try:
            Structure(arcs, nodes[0], nodes)
        except CyclicStructureError:
            continue
        yield nodes, arcs


@st.composite
def structures(draw, max_nodes=9):
    """A random DAG, its nodes and arcs listed in random order, any node the class."""
    n = draw(st.integers(1, max_nodes))
    order = draw(st.permutations([f"x{i}" for i in range(n)]))
    pairs = list(combinations(order, 2))
    density = draw(st.sampled_from([0.15, 0.35, 0.6]))
    keep = draw(st.lists(st.floats(0, 1), min_size=len(pairs), max_size=len(pairs)))
    arcs = [pair for pair, chance in zip(pairs, keep, strict=True) if chance < density]
    nodes = draw(st.permutations(order))
    return Structure(draw(st.permutations(arcs)), draw(st.sampled_from(nodes)), nodes)


def literal_condition_1(s):
    """Condition 1 as printed: witnesses found by trying every parent."""
    found = {}
    for child in s.children(s.class_name):
        family = set(s.parents(child))
        found[child] = [i for i in family if family <= set(s.parents(i)) | {i}]
    return found


def literal_canonical(s):
    """The canonical form by networkx: blanket, induced subgraph, class parents married."""
    graph = s.to_networkx()
    target = s.class_name
    blanket = set(graph.pred[target]) | set(graph.succ[target])
    blanket |= {parent for child in graph.succ[target] for parent in graph.pred[child]}
    canonical = graph.subgraph(blanket | {target}).copy()
    order = [n for n in s.topological_order if n in graph.pred[target]]
    for first, second in combinations(order, 2):
        if not canonical.has_edge(first, second):
            canonical.add_edge(first, second)
    return canonical


def literal_violations(s):
    graph = literal_canonical(s)
    joined = graph.to_undirected()
    return {
        (child, *sorted(pair, key=s.index))
        for child in graph
        for pair in combinations(graph.pred[child], 2)
        if not joined.has_edge(*pair)
    }


def subsets(items):
    """Every proper subset, as a tuple."""
    return (chosen for size in range(len(items)) for chosen in combinations(items, size))


def is_acyclic_with(s, arcs):
    return nx.is_directed_acyclic_graph(nx.DiGraph([*s.edges, *arcs]))

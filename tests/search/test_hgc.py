"""Hill climbing against enumeration of all moves, a literal search, and pyAgrum."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.errors import DataError, MissingCellsError, ParameterError, StructureError, TooLargeError
from bnlr.search.climb import Graph
from bnlr.search.score import FamilyScores, bdeu
from tests.oracles.scores import hill_climb, moves, network_score
from tests.strategies import problems, structures

KINDS = ("k2", "bdeu", "bic", "aic")
NODES = ("c", "b", "a", "e", "d")


def dataset(seed, n_rows=150, cards=(2, 3, 2, 3, 2), nodes=NODES, weighted=False):
    """Each column leans on one or two of those before it."""
    rng = np.random.default_rng(seed)
    columns = {}
    for node, card in zip(NODES, cards, strict=True):
        noise = rng.integers(0, card, n_rows)
        above = [columns[other] for other in list(columns)[-2:]]
        leaning = rng.random(n_rows) < 0.6
        columns[node] = np.where(leaning, sum(above) % card, noise) if above else noise
    states = {node: tuple(range(cards[NODES.index(node)])) for node in nodes}
    weights = rng.uniform(0, 3, n_rows) if weighted else None
    codes = np.column_stack([columns[node] for node in nodes])
    return bnlr.Dataset.from_codes(codes, states, "c", weights)


def start_arcs(data, start):
    if start == "empty":
        return set()
    return {(data.class_name, node) for node in data.nodes if node != data.class_name}


@pytest.mark.parametrize("start", ["empty", "naive-bayes"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("seed", "max_parents", "weighted"), [(0, 2, False), (1, 3, True)])
def test_goes_the_way_of_a_literal_search(kind, start, seed, max_parents, weighted):
    data = dataset(seed, weighted=weighted)
    learnt = bnlr.learn_structure(data, "hgc", score=kind, max_parents=max_parents, start=start)
    expected = hill_climb(kind, data, start_arcs(data, start), max_parents)
    assert set(learnt.edges) == expected
    assert expected


def test_all_three_kinds_of_move_are_taken():
    """From a start far off: what ends elsewhere without reversals shows that there was one."""
    data = dataset(2)
    start = bnlr.Structure([("d", "c"), ("e", "c"), ("d", "b"), ("a", "b")], "c", NODES)
    learnt = bnlr.learn_structure(data, "hgc", start=start)
    expected = hill_climb("k2", data, start.edges, 2)
    assert set(learnt.edges) == expected
    kept, turned = set(start.edges) & expected, {(c, p) for p, c in start.edges} & expected
    assert turned
    assert len(kept) + len(turned) < len(start.edges)
    assert len(expected) > len(kept) + len(turned)


@given(
    problems(structures(max_nodes=5), n_rows=(2, 60)),
    st.sampled_from(KINDS),
    st.sampled_from(["empty", "naive-bayes"]),
    st.sampled_from([1, 2, 3]),
)
def test_no_single_legal_move_scores_better(problem, kind, start, max_parents):
    _, data = problem
    learnt = bnlr.learn_structure(data, "hgc", score=kind, start=start, max_parents=max_parents)
    arcs = frozenset(learnt.edges)
    assert max(len(learnt.parents(node)) for node in data.nodes) <= max_parents
    now = network_score(kind, data, arcs)
    assert now >= network_score(kind, data, start_arcs(data, start)) - 1e-9
    for *_, after in moves(data.nodes, arcs, max_parents):
        assert network_score(kind, data, after) <= now + 1e-8


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("start", ["empty", "naive-bayes"])
def test_the_order_of_columns_and_rows_does_not_matter(kind, start):
    found = set()
    for nodes in itertools.islice(itertools.permutations(NODES), 0, 120, 17):
        data = dataset(4, nodes=nodes)
        data = data.take(np.random.default_rng(len(found)).permutation(data.n_rows))
        learnt = bnlr.learn_structure(data, "hgc", score=kind, start=start)
        assert learnt.nodes == ("c", *(node for node in nodes if node != "c"))
        found.add(tuple((node, learnt.parents(node)) for node in NODES))
    assert len(found) == 1


def test_ties_go_to_the_class_then_to_names():
    rows = [[i, i, i, j] for i in (0, 1) for j in (0, 1)] * 10
    for names in (("z", "b", "a", "d"), ("a", "b", "z", "d"), ("b", "z", "a", "d")):
        states = dict.fromkeys(names, (0, 1))
        data = bnlr.Dataset.from_codes(rows, states, "z")
        learnt = bnlr.learn_structure(data, "hgc", score="bic", start="empty")
        assert learnt.edges == (("z", "a"), ("z", "b"))


def test_max_parents_none_is_no_limit():
    """The class is the parity of four attributes: no single arc gains, all four do."""
    codes = np.array(list(itertools.product((0, 1), repeat=4)) * 8)
    codes = np.column_stack([codes.sum(axis=1) % 2, codes])
    data = bnlr.Dataset.from_codes(codes, dict.fromkeys("cabde", (0, 1)), "c")
    start = bnlr.Structure([("a", "c"), ("b", "c"), ("d", "c")], "c", tuple("cabde"))
    learnt = bnlr.learn_structure(data, "hgc", max_parents=None, start=start)
    assert set(learnt.parents("c")) == set("abde")
    assert bnlr.learn_structure(data, "hgc", start="empty").edges == ()


def test_a_class_that_tells_nothing_is_left_alone():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 200)
    frame = pd.DataFrame({"a": a, "b": a, "class": ["no", "yes"] * 100})
    learnt = bnlr.learn_structure(bnlr.Dataset.from_frame(frame, "class"), "hgc")
    assert learnt.edges == (("a", "b"),)


def test_options_of_the_score():
    data = dataset(5)
    plain = bnlr.learn_structure(data, "hgc", score="bdeu")
    assert bnlr.learn_structure(data, "hgc", score="bdeu", ess=1.0) == plain
    small = bnlr.learn_structure(data, "hgc", score="bdeu", ess=1e-6, start="empty")
    assert set(small.edges) == hill_climb("bdeu", data, (), 2, ess=1e-6)
    own = bnlr.learn_structure(
        data, "hgc", score=lambda tables: bdeu(tables, ess=1e-6), start="empty"
    )
    assert own == small
    assert small != bnlr.learn_structure(data, "hgc", score="bdeu", ess=50.0, start="empty")


@pytest.mark.parametrize(("kind", "theirs"), [("k2", "K2"), ("bdeu", "BDeu"), ("bic", "BIC")])
@pytest.mark.parametrize("seed", range(3))
def test_scores_no_worse_than_pyagrum(kind, theirs, seed):
    """Its greedy search from the empty graph, with the same moves and limit."""
    gum = pytest.importorskip("pyagrum")
    data = dataset(seed, n_rows=400)
    learner = gum.BNLearner(data.to_frame().astype(str))
    learner.useGreedyHillClimbing()
    getattr(learner, f"useScore{theirs}")()
    if kind != "bdeu":
        learner.useNoPrior()
    learner.setMaxIndegree(2)
    arcs = [(data.nodes[a], data.nodes[b]) for a, b in learner.learnDAG().arcs()]
    scores = FamilyScores(data, kind)
    own = bnlr.learn_structure(data, "hgc", score=kind, start="empty")
    assert scores.total(own) >= scores.total(bnlr.Structure(arcs, "c", data.nodes)) - 1e-6


@given(structures(max_nodes=7), st.data())
def test_the_graph_knows_paths_and_legal_moves(structure, draw):
    nodes = structure.nodes
    arcs = np.zeros((len(nodes), len(nodes)), dtype=bool)
    for parent, child in structure.edges:
        arcs[nodes.index(parent), nodes.index(child)] = True
    graph = Graph.of(arcs)
    for _ in range(4):
        listed = frozenset(
            (nodes[p], nodes[c]) for p, c in zip(*np.nonzero(graph.arcs), strict=True)
        )
        closed = nx.transitive_closure(nx.DiGraph([*listed]))
        reached = {(nodes[p], nodes[c]) for p, c in zip(*np.nonzero(graph.reach), strict=True)}
        assert reached == set(closed.edges)
        legal = moves(nodes, listed, len(nodes))
        added = {(nodes[p], nodes[c]) for p, c in zip(*np.nonzero(graph.addable()), strict=True)}
        turned = {(nodes[p], nodes[c]) for p, c in zip(*graph.reversible(), strict=True)}
        assert added == {(p, c) for kind, p, c, _ in legal if kind == 0}
        assert turned == {(p, c) for kind, p, c, _ in legal if kind == 2}
        if legal:
            kind, parent, child, _ = draw.draw(st.sampled_from(sorted(legal, key=str)))
            p, c = nodes.index(parent), nodes.index(child)
            if kind:
                graph.remove(p, c)
            if kind != 1:
                graph.add(*((p, c) if kind == 0 else (c, p)))


def test_rows_without_a_class_are_left_out():
    data = dataset(6)
    codes = np.array(data.codes)
    codes[100:, 0] = -1
    holed = bnlr.Dataset.from_codes(codes, data.states, "c")
    assert bnlr.learn_structure(holed, "hgc") == bnlr.learn_structure(
        data.take(np.arange(100)), "hgc"
    )


def test_one_node_and_constant_columns():
    alone = bnlr.Dataset.from_codes([[0], [1]], {"c": (0, 1)}, "c")
    assert bnlr.learn_structure(alone, "hgc").nodes == ("c",)
    flat = bnlr.Dataset.from_codes([[0, 0], [1, 0]] * 9, {"c": (0, 1), "a": (0,)}, "c")
    for score in KINDS:
        # The arc costs and gains nothing, so it is neither taken nor left.
        empty = bnlr.learn_structure(flat, "hgc", score=score, start="empty")
        assert empty.edges == ()


def test_errors_name_the_trouble_and_a_remedy():
    data = dataset(7)
    many = bnlr.Structure([(n, "d") for n in "abe"], "c", NODES)
    cases = [
        ({"score": "mdl"}, ParameterError, "score is 'mdl'; choose one of"),
        ({"score": 3}, ParameterError, "score is 3; choose one of"),
        ({"ess": 2.0}, ParameterError, r"ess is 2\.0, but score 'k2' has none"),
        ({"ess": -1.0, "score": "bdeu"}, ParameterError, r"ess is -1\.0"),
        ({"ess": "a", "score": "bdeu"}, ParameterError, r"ess is 'a'; .* rows above 0"),
        ({"ess": True, "score": "bdeu"}, ParameterError, "ess is True"),
        ({"max_parents": 0}, ParameterError, "max_parents is 0; .*1 or larger, or None"),
        ({"max_parents": 1.5}, ParameterError, r"max_parents is 1\.5"),
        ({"max_parents": True}, ParameterError, "max_parents is True"),
        ({"start": "full"}, ParameterError, "start is 'full'; choose one of naive-bayes, empty"),
        ({"start": None}, ParameterError, "start is None"),
        ({"start": bnlr.Structure([("c", "x")], "c")}, StructureError, "'x'.*those of the data"),
        ({"start": bnlr.Structure([], "a", NODES)}, StructureError, "class 'a'"),
        ({"start": many}, StructureError, "node 'd' 3 parents.*raise max_parents"),
    ]
    for options, error, message in cases:
        with pytest.raises(error, match=message):
            bnlr.learn_structure(data, "hgc", **options)
    codes = np.array(data.codes)
    codes[0, 1] = -1
    with pytest.raises(MissingCellsError, match=r"'b'.*fill or drop the cells, or learn a 'tan'"):
        bnlr.learn_structure(bnlr.Dataset.from_codes(codes, data.states, "c"), "hgc")
    codes[:, 0], codes[0, 1] = -1, 0
    with pytest.raises(DataError, match="no row has a class"):
        bnlr.learn_structure(bnlr.Dataset.from_codes(codes, data.states, "c"), "hgc")


@pytest.mark.slow
def test_a_table_too_large_is_refused():
    states = {"c": (0, 1), **{f"x{k}": tuple(range(20_000)) for k in range(3)}}
    data = bnlr.Dataset.from_codes(np.zeros((3, 4), dtype=int), states, "c")
    with pytest.raises(TooLargeError, match=r"x0.*lower max_parents, which is 2$"):
        bnlr.learn_structure(data, "hgc")
    with pytest.raises(TooLargeError, match=r"lower max_parents, which is None$"):
        bnlr.learn_structure(data, "hgc", max_parents=None)


def test_whole_numbers_of_numpy_are_numbers():
    data = dataset(7)
    own = bnlr.learn_structure(data, "hgc", score="bdeu", ess=2.0, max_parents=3)
    options = {"score": "bdeu", "ess": np.int64(2), "max_parents": np.int64(3)}
    assert bnlr.learn_structure(data, "hgc", **options) == own


def test_light_rows_are_not_paid_for_parameters_under_bic():
    """Independent columns: with a negative price any arc would gain, without one it is noise."""
    codes = [(c, a) for c in (0, 1) for a in (0, 1)]
    states = {"c": (0, 1), "a": (0, 1)}
    light = bnlr.Dataset.from_codes(codes, states, "c", weights=np.full(4, 0.01))
    for start in ("empty", "naive-bayes"):
        found = bnlr.learn_structure(light, "hgc", score="bic", start=start)
        assert found.edges == (() if start == "empty" else (("c", "a"),))

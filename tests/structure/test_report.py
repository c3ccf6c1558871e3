"""The report: parameter counts, words, JSON, errors."""

import json
import pickle
from math import prod

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.errors import ParameterError, StructureError, TooLargeError
from bnlr.structure.dag import Structure
from bnlr.structure.report import StructureReport, analyze
from tests.width import examples

from .graphs import FIGURE_1, structures

COLLIDER = Structure([("c", "y"), ("x", "y")], "c")


def counts(arcs, cards=None, class_name="c"):
    s = Structure(arcs, class_name)
    return analyze(s, cards or dict.fromkeys(s.nodes, 2)).parameter_counts


def test_figure_1_of_feelders_and_ivanovs():
    assert counts(FIGURE_1) == {"beta": 28, "roos": 14, "loglinear": 9}


def test_the_same_undirected_graph_with_the_class_as_root():
    arcs = [("c", f"x{i}") for i in range(1, 6)] + [("x1", "x2"), ("x1", "x3"), ("x3", "x4")]
    assert counts(arcs) == {"beta": 34, "roos": 17, "loglinear": 9}


def test_naive_bayes_counts():
    cards = {"c": 3, "x": 2, "y": 5}
    expected = {"beta": 3 + 6 + 15, "roos": 1 + 2 + 5, "loglinear": 1 + 1 + 4}
    assert counts([("c", "x"), ("c", "y")], cards) == expected


def test_diagnostic_counts():
    cards = {"c": 3, "x": 2, "y": 5, "z": 4}
    expected = {"beta": 120, "roos": 40, "loglinear": 40}
    assert counts([("x", "c"), ("y", "c"), ("z", "c")], cards) == expected


def test_two_db_counts():
    cards = {"c": 2, "x": 3, "y": 4, "z": 5}
    arcs = [("c", "x"), ("c", "y"), ("c", "z"), ("x", "y"), ("x", "z"), ("y", "z")]
    expected = {"beta": 2 + 2 * (3 + 12 + 60), "roos": 1 + 3 + 12 + 60, "loglinear": 60}
    assert counts(arcs, cards) == expected


def test_an_isolated_class_has_an_intercept():
    report = analyze(Structure([], "c", ["c", "a"]), {"c": 4, "a": 3})
    assert report.parameter_counts == {"beta": 4, "roos": 1, "loglinear": 1}


def test_predictors_are_counted_for_perfect_graphs_only():
    report = analyze(COLLIDER, {"c": 2, "x": 3, "y": 2})
    assert report.parameter_counts == {"beta": 2 + 12, "roos": None, "loglinear": None}
    assert analyze(COLLIDER).parameter_counts is None


@pytest.mark.slow
def test_counts_do_not_overflow():
    n = 1999
    s = Structure([(f"x{i}", "c") for i in range(n)], "c")
    cards = dict.fromkeys(s.nodes, np.int8(3)) | {"c": np.int64(2)}
    report = analyze(s, cards)
    assert report.parameter_counts == {"beta": 2 * 3**n, "roos": 3**n, "loglinear": 3**n}
    assert "about 10^953.8 log-linear" in str(report)


@pytest.mark.slow
def test_counts_too_long_to_write_become_text():
    s = Structure([(f"x{i}", "c") for i in range(300)], "c")
    report = analyze(s, dict.fromkeys(s.nodes, 10**15))
    assert json.loads(json.dumps(report.to_dict()["parameter_counts"]))["roos"] == "about 10^4500.0"


@pytest.mark.slow
@given(structures(), st.data())
@examples(150)
def test_counts_agree_with_clique_enumeration(s, data):
    cards = {node: data.draw(st.integers(1, 5)) for node in s.nodes}
    found = analyze(s.with_arcs(analyze(s).embedding), cards)
    target = s.class_name
    graph = found.canonical.to_networkx().to_undirected()
    graph.remove_node(target)
    cliques = nx.enumerate_all_cliques(graph)
    loglinear = 1 + sum(prod(cards[i] - 1 for i in clique) for clique in cliques)
    network = found.structure
    cells = {n: cards[n] * prod(cards[p] for p in network.parents(n)) for n in network.nodes}
    children = network.children(target)
    roos = cells[target] // cards[target] + sum(cells[n] // cards[target] for n in children)
    beta = cells[target] + sum(cells[n] for n in children)
    assert found.parameter_counts == {"beta": beta, "roos": roos, "loglinear": loglinear}


def test_words_for_a_perfect_graph():
    s = Structure([*FIGURE_1, ("x5", "outside")], "c")
    text = str(analyze(s, dict.fromkeys(s.nodes, 2)))
    assert text.splitlines() == [
        "Learning P('c' | attributes) is convex: the network is a logistic regression.",
        "The canonical form is perfect and Condition 1 holds: every local optimum is global.",
        "P('c' | attributes) does not depend on 'outside'.",
        "Predictors per class but the reference: 9 log-linear, 14 Roos.",
        "CPT cells of the class and its children: 28.",
    ]


def test_words_for_an_imperfect_graph():
    assert str(analyze(COLLIDER)).splitlines() == [
        "Learning P('c' | attributes) may have local optima: no free logistic regression.",
        "Condition 1 fails at 1 child of the class:",
        "  'y': its parent 'x' is not joined to its other parents 'c'",
        "With this arc added it is convex: 'c' → 'x'.",
    ]


def test_words_stay_short_for_large_graphs():
    arcs = [arc for i in range(300) for arc in [("c", f"x{i}"), (f"y{i}", f"x{i}")]]
    text = str(analyze(Structure(arcs, "c")))
    assert "Condition 1 fails at 300 children of the class:" in text
    assert "… and 295 more" in text
    assert "With these 300 arcs added it is convex: 'c' → 'y0'" in text
    assert len(text) < 1500


def test_to_dict_is_json():
    report = analyze(COLLIDER, {"c": 2, "x": 2, "y": 2})
    assert json.loads(json.dumps(report.to_dict())) == {
        "class": "c",
        "is_perfect": False,
        "satisfies_condition_1": False,
        "whole_graph_is_perfect": False,
        "markov_blanket": ["y", "x"],
        "canonical": [["c", "y"], ["x", "y"]],
        "violations": [["y", "c", "x"]],
        "witnesses": {"y": None},
        "embedding": [["c", "x"]],
        "parameter_counts": {"beta": 10, "roos": None, "loglinear": None},
    }
    assert analyze(COLLIDER).to_dict()["parameter_counts"] is None


@pytest.mark.slow
def test_lists_that_would_fill_memory_are_refused():
    roots, leaves = [f"r{i}" for i in range(260)], [f"k{i}" for i in range(320)]
    arcs = [("c", k) for k in leaves] + [(r, k) for r in roots for k in leaves]
    report = analyze(Structure(arcs, "c"))
    assert report.n_violations == 320 * (261 * 260 // 2)
    with pytest.raises(TooLargeError, match=r"violations would have 10,857,600 triples"):
        _ = report.violations
    assert report.to_dict()["violations"] is None
    assert len(report.embedding) == 260


def test_a_canonical_form_that_would_fill_memory_is_refused():
    s = Structure([(f"x{i}", "c") for i in range(4500)], "c")
    with pytest.raises(TooLargeError, match="canonical form would have 10,127,250 arcs"):
        _ = analyze(s).canonical


@pytest.mark.slow
def test_a_remedy_that_would_fill_memory_is_told_of_without_its_arcs():
    children = [f"x{i}" for i in range(4500)]
    arcs = [("c", x) for x in [*children, "k"]] + [(x, "k") for x in children]
    report = analyze(Structure(arcs, "c"))
    with pytest.raises(TooLargeError, match="arcs"):
        _ = report.embedding
    *_, remedy = str(report).splitlines()
    assert remedy == "Arcs would mend it, but more than can be listed: simplify the structure."


def test_report_is_a_value():
    report = analyze(COLLIDER, {"c": 2, "x": 2, "y": 2})
    assert report == analyze(COLLIDER, {"y": 2, "x": 2, "c": 2, "unused": 9})
    assert report != analyze(COLLIDER)
    assert hash(report) == hash(analyze(COLLIDER, {"c": 2, "x": 2, "y": 2}))
    twin = pickle.loads(pickle.dumps(report))  # noqa: S301
    assert twin == report
    assert twin.violations == report.violations
    assert repr(report).startswith("<StructureReport: not perfect, 1 violation; Structure(")
    with pytest.raises(AttributeError):
        report.structure = None
    report.witnesses.clear()
    report.parameter_counts.clear()
    assert report.witnesses == {"y": None}
    assert report.parameter_counts["beta"] == 10
    assert isinstance(report, StructureReport)


BAD_CARDS = [
    ({"c": 2, "x": 2}, "cards lacks the number of states of 'y'"),
    ({}, "cards lacks the number of states of 'c', 'y', 'x'"),
    ({"c": 2, "x": 2, "y": 0}, r"cards\['y'\] is 0; it must be a whole number, 1 or larger"),
    ({"c": 2, "x": -1, "y": 2}, r"cards\['x'\] is -1; "),
    ({"c": 2, "x": 2.0, "y": 2}, r"cards\['x'\] is 2.0; "),
    ({"c": True, "x": 2, "y": 2}, r"cards\['c'\] is True; "),
    ({"c": "2", "x": 2, "y": 2}, r"cards\['c'\] is '2'; "),
    ([2, 2, 2], r"cards must map every node .* got \[2, 2, 2\]"),
]


@pytest.mark.parametrize(("cards", "message"), BAD_CARDS)
def test_bad_cards_are_one_clear_error(cards, message):
    with pytest.raises(ParameterError, match=message):
        analyze(COLLIDER, cards)


def test_analyze_wants_a_structure():
    with pytest.raises(StructureError, match=r"needs a bnlr\.Structure, got list"):
        analyze([("a", "b")])

"""Condition 1 and perfectness of the canonical form: two tests, one answer."""

from itertools import combinations

import pytest
from hypothesis import given

from bnlr.structure import condition1, perfect
from bnlr.structure.canonical import canonical_form
from bnlr.structure.dag import Structure
from bnlr.structure.report import analyze
from tests.width import examples, in_full

from .graphs import (
    FIGURE_1,
    labelled_dags,
    literal_canonical,
    literal_condition_1,
    literal_violations,
    structures,
)

# nodes: labelled DAGs, and those among them that satisfy both for one given class
ENUMERATED = {1: (1, 1), 2: (3, 3), 3: (25, 23), 4: (543, 420), 5: (29_281, 17_737)}


# All graphs of five nodes are slow: 146,405 pairs of one and a class.
@pytest.mark.parametrize(
    "n", [pytest.param(n, marks=[pytest.mark.slow] if n == 5 else []) for n in ENUMERATED]
)
def test_both_agree_on_every_labelled_dag_and_class(n):
    n_dags, satisfying = 0, dict.fromkeys("abcde"[:n], 0)
    for nodes, arcs in labelled_dags(n):
        n_dags += 1
        for target in nodes:
            s = Structure(arcs, target, nodes)
            holds = condition1.satisfies_condition_1(s)
            assert holds == perfect.is_perfect(s), (arcs, target)
            satisfying[target] += holds
    assert n_dags == ENUMERATED[n][0]
    assert set(satisfying.values()) == {ENUMERATED[n][1]}
    if n == 5:
        assert (sum(satisfying.values()), n_dags * n) == (88_685, 146_405)


def test_the_whole_graph_may_be_imperfect_where_the_canonical_form_is_not():
    verdicts = [
        perfect.whole_graph_is_perfect(s)
        for nodes, arcs in labelled_dags(4)
        if perfect.is_perfect(s := Structure(arcs, "a", nodes))
    ]
    assert (len(verdicts), verdicts.count(False)) == (420, 91)


@pytest.mark.parametrize("n", [3, *in_full(4)])
def test_both_agree_with_their_literal_readings(n):
    for nodes, arcs in labelled_dags(n):
        s = Structure(arcs, nodes[-1], nodes)
        literal = literal_condition_1(s)
        assert all(len(found) <= 1 for found in literal.values())
        expected = {child: found[0] if found else None for child, found in literal.items()}
        assert condition1.witnesses(s) == expected
        assert perfect.is_perfect(s) == (not literal_violations(s))


@given(structures())
@examples(150)
def test_verdict_witnesses_and_violations_on_random_graphs(s):
    report = analyze(s)
    expected = literal_condition_1(s)
    assert report.witnesses == {c: found[0] if found else None for c, found in expected.items()}
    assert report.satisfies_condition_1 == all(expected.values())
    assert report.satisfies_condition_1 == report.is_perfect
    assert set(report.violations) == literal_violations(s)
    assert len(report.violations) == report.n_violations
    in_order = sorted(report.violations, key=lambda triple: [s.index(node) for node in triple])
    assert list(report.violations) == in_order
    broken = {child for child, witness in report.witnesses.items() if witness is None}
    assert broken <= {child for child, _, _ in report.violations}
    whole = s.to_networkx()
    assert report.whole_graph_is_perfect == all(
        whole.to_undirected().has_edge(*pair)
        for child in whole
        for pair in combinations(whole.pred[child], 2)
    )


@given(structures())
@examples(150)
def test_canonical_form_is_the_literal_one(s):
    canonical = canonical_form(s)
    literal = literal_canonical(s)
    assert set(canonical.edges) == set(literal.edges)
    assert set(canonical.nodes) == set(literal)
    assert list(canonical.nodes) == sorted(canonical.nodes, key=s.index)
    assert canonical.class_name == s.class_name
    assert Structure(canonical.edges, s.class_name, canonical.nodes) == canonical
    assert canonical_form(canonical).to_networkx().edges == canonical.to_networkx().edges
    for node in canonical.nodes:
        kept = [parent for parent in s.parents(node) if parent in literal]
        assert list(canonical.parents(node)[: len(kept)]) == kept


def test_class_parents_are_married_along_the_topological_order():
    s = Structure([("z", "a"), ("b", "c"), ("a", "c"), ("z", "c")], "c", nodes=["a", "b", "z"])
    assert s.topological_order == ("b", "z", "a", "c")
    assert canonical_form(s).parents("a") == ("z", "b")
    assert canonical_form(s).parents("z") == ("b",)


ATTRIBUTES = [f"x{i}" for i in range(8)]
NAIVE = [("c", x) for x in ATTRIBUTES]
FAMILIES = {
    "naive Bayes": NAIVE,
    "TAN": [*NAIVE, *((f"x{(i - 1) // 2}", f"x{i}") for i in range(1, 8))],
    "FAN": [*NAIVE, ("x0", "x1"), ("x1", "x2"), ("x4", "x5")],
    "2-DB, nested": [
        *NAIVE,
        *((f"x{i - k}", f"x{i}") for i in range(1, 8) for k in (2, 1) if i >= k),
    ],
    "diagnostic": [(x, "c") for x in ATTRIBUTES],
    "figure 1 of Feelders and Ivanovs": FIGURE_1,
    "no arcs at the class": [("x0", "x2"), ("x1", "x2")],
}


@pytest.mark.parametrize("name", FAMILIES)
def test_families_that_are_logistic_regressions(name):
    report = analyze(Structure(FAMILIES[name], "c", nodes=["c"]))
    assert report.is_perfect
    assert report.satisfies_condition_1
    assert report.violations == report.embedding == ()


def test_k_db_whose_parents_are_strangers_is_none():
    arcs = [*NAIVE, ("x0", "x2"), ("x1", "x2")]
    report = analyze(Structure(arcs, "c"))
    assert not report.is_perfect
    assert not report.satisfies_condition_1
    assert report.violations == (("x2", "x0", "x1"),)
    assert report.witnesses["x2"] is None
    assert report.witnesses["x1"] == "c"


def test_a_violation_need_not_sit_at_a_child_of_the_class():
    s = Structure([("c", "k"), ("s", "k"), ("u", "s"), ("w", "s"), ("u", "k"), ("w", "k")], "c")
    assert ("s", "u", "w") in perfect.violations(s)
    assert not condition1.satisfies_condition_1(s)

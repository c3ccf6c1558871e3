"""The analyzer against the reference cases of kind structure."""

from __future__ import annotations

import networkx as nx
import pytest

import bnlr
from tests import cases
from tests.cases import Case

structure_cases = pytest.mark.parametrize("case", cases.of_kind("structure"))


@structure_cases
def test_canonical_form(case: Case) -> None:
    structure, expected = case.structure, case.expected
    canonical = bnlr.analyze(structure).canonical
    assert set(structure.markov_blanket()) == set(expected["markov_blanket"])
    assert set(canonical.nodes) == {case.class_name, *expected["markov_blanket"]}
    adjacent = sorted(sorted(arc) for arc in canonical.edges)
    assert adjacent == sorted(sorted(edge) for edge in expected["canonical_adjacency"])
    assert nx.is_directed_acyclic_graph(canonical.to_networkx())


@structure_cases
def test_verdicts(case: Case) -> None:
    report = bnlr.analyze(case.structure)
    assert report.is_perfect is case.expected["is_perfect"]
    assert report.satisfies_condition_1 is case.expected["satisfies_condition_1"]
    assert dict(report.witnesses) == case.expected["witnesses"]


@structure_cases
def test_violations(case: Case) -> None:
    found = bnlr.analyze(case.structure).violations
    expected = {(child, frozenset(pair)) for child, *pair in case.expected["violations"]}
    assert len(found) == len(expected)
    assert {(child, frozenset(pair)) for child, *pair in found} == expected


@structure_cases
def test_parameter_counts(case: Case) -> None:
    report = bnlr.analyze(case.structure, cards=case.cards)
    assert dict(report.parameter_counts) == case.expected["parameter_counts"]


@structure_cases
def test_spaces_have_the_counted_parameters(case: Case) -> None:
    """`size` counts all classes: k predictors are k·(d_0 − 1) parameters in the LR spaces."""
    counts, free = case.expected["parameter_counts"], case.cards[case.class_name] - 1
    assert bnlr.Softmax(case.structure, case.states).size == counts["beta"]
    if not case.expected["is_perfect"]:
        return
    assert bnlr.Roos(case.structure, case.states).size == counts["roos"] * free
    assert bnlr.LogLinear(case.structure, case.states).size == counts["loglinear"] * free


@structure_cases
@pytest.mark.parametrize("space", [bnlr.LogLinear, bnlr.Roos])
def test_lr_spaces_refuse_what_is_not_perfect(case: Case, space: type) -> None:
    if case.expected["is_perfect"]:
        assert space(case.structure, case.states).size > 0
        return
    with pytest.raises(bnlr.NotPerfectError) as refusal:
        space(case.structure, case.states)
    named = {(child, frozenset(pair)) for child, *pair in refusal.value.violations}
    assert named == {(child, frozenset(pair)) for child, *pair in case.expected["violations"]}
    message = str(refusal.value)
    names = {name for triple in case.expected["violations"] for name in triple}
    assert all(name in message for name in names)
    assert all(name in message for arc in refusal.value.embedding for name in arc)


@structure_cases
def test_embedding_mends(case: Case) -> None:
    """With the proposed arcs Condition 1 holds, and with any one of them left out it does not."""
    structure, arcs = case.structure, bnlr.analyze(case.structure).embedding
    assert (arcs == ()) is case.expected["satisfies_condition_1"]
    if arcs:
        assert bnlr.analyze(structure.with_arcs(arcs)).satisfies_condition_1
    for left_out in arcs:
        fewer = [arc for arc in arcs if arc != left_out]
        assert not bnlr.analyze(structure.with_arcs(fewer)).satisfies_condition_1

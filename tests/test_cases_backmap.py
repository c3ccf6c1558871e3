"""Theorem 3 against the reference cases of kind backmap: L-model tables to CPTs."""

from __future__ import annotations

import pytest

import bnlr
from tests import cases
from tests.cases import Case

backmap_cases = pytest.mark.parametrize("case", cases.of_kind("backmap"))
lr_spaces = pytest.mark.parametrize("space", [bnlr.LogLinear, bnlr.Roos])


@backmap_cases
@lr_spaces
def test_cpts_have_the_tables_posterior(case: Case, space: type) -> None:
    chart, rows = space(case.structure, case.states), case.dataset()
    w = chart.from_tables(case.aligned(case.family_weights))
    case.check(chart.to_network(w).predict_proba(rows), case.expected["posterior"])


@backmap_cases
@lr_spaces
def test_the_gauge_does_not_move_the_posterior(case: Case, space: type) -> None:
    chart, rows = space(case.structure, case.states), case.dataset()
    w = chart.from_tables(case.aligned(case.family_weights))
    like = case.network(case.expected["one_valid_cpts"])
    case.check(chart.to_network(w, like=like).predict_proba(rows), case.expected["posterior"])


@backmap_cases
@lr_spaces
def test_the_gauge_gives_the_likes_own_cpts_back(case: Case, space: type) -> None:
    """Tables with `like`'s posterior, moved to `like`'s gauge, are `like`'s tables again."""
    chart = space(case.structure, case.states)
    like = case.network(case.expected["one_valid_cpts"])
    again = chart.to_network(chart.from_network(like), like=like)
    case.check(again.predict_proba(case.dataset()), case.expected["posterior"])
    for node in (case.class_name, *case.structure.children(case.class_name)):
        assert again.cpts[node] == pytest.approx(like.cpts[node], abs=1e-9)


@backmap_cases
@lr_spaces
def test_the_cases_own_cpts(case: Case, space: type) -> None:
    chart, rows = space(case.structure, case.states), case.dataset()
    network = case.network(case.expected["one_valid_cpts"])
    case.check(network.predict_proba(rows), case.expected["posterior"])
    w = chart.from_network(network)
    case.check(chart.to_network(w).predict_proba(rows), case.expected["posterior"])


@backmap_cases
def test_any_reference_holds_the_tables(case: Case) -> None:
    reference = {node: case.states[node][-1] for node in case.structure.attributes}
    chart = bnlr.LogLinear(case.structure, case.states, reference=reference)
    w = chart.from_tables(case.aligned(case.family_weights))
    network = chart.to_network(w)
    case.check(network.predict_proba(case.dataset()), case.expected["posterior"])


@backmap_cases
def test_witnesses(case: Case) -> None:
    assert dict(bnlr.analyze(case.structure).witnesses) == case.expected["witnesses"]

"""Theorem 4 against the reference cases of kind multimodal: local maxima and the bound on them."""

from __future__ import annotations

import pytest

import bnlr
from tests import cases
from tests.cases import Case

multimodal_cases = pytest.mark.parametrize("case", cases.of_kind("multimodal"))
N_STARTS = 12


@multimodal_cases
def test_cll_near_the_local_maxima(case: Case) -> None:
    data = case.dataset()
    for near in case.expected["near_local_maxima"]:
        network = case.network(case.own_axes(near["cpts"]))
        case.check(network.conditional_log_likelihood(data), near["cll"], "near_local_maxima")


@multimodal_cases
def test_best_of_several_starts_is_the_best_local_maximum(case: Case) -> None:
    best = max(case.expected["local_maxima_cll"])
    result = bnlr.fit(
        case.structure, case.dataset(), learner="elr", n_starts=N_STARTS, random_state=0
    )
    case.check(result.cll, best, "solver")


@multimodal_cases
def test_every_start_ends_at_one_of_the_local_maxima(case: Case) -> None:
    """Random starts find the four of them and nothing else; one start is not enough."""
    data, maxima = case.dataset(), case.expected["local_maxima_cll"]
    found = set()
    for seed in range(8):
        start = case.random_network(seed)
        result = bnlr.fit(case.structure, data, learner="elr", start=start)
        assert result.start_cll == pytest.approx(start.conditional_log_likelihood(data))
        nearest = min(maxima, key=lambda cll: abs(cll - result.cll))
        case.check(result.cll, nearest, "solver")
        assert result.cll <= case.expected["upper_bound_cll"]
        found.add(nearest)
    assert len(found) > 1


@multimodal_cases
def test_upper_bound(case: Case) -> None:
    result = bnlr.fit(case.structure, case.dataset(), learner="auto", random_state=0)
    bound = case.expected["upper_bound_cll"]
    assert result.learner == "elr"
    assert result.upper_bound is not None, result.message
    assert bound - 1e-9 * abs(bound) <= result.upper_bound <= bound + 1e-6 * abs(bound)
    assert result.gap == pytest.approx(result.upper_bound - result.cll, abs=1e-9)


@multimodal_cases
def test_embedding(case: Case) -> None:
    """The case's arcs mend the graph, and the analyzer proposes the same adjacencies."""
    report = bnlr.analyze(case.structure)
    assert report.is_perfect is case.expected["is_perfect"]
    given = [(a, b) for a, b in case.expected["embedding"]]
    assert bnlr.analyze(case.structure.with_arcs(given)).is_perfect
    assert {frozenset(arc) for arc in report.embedding} == {frozenset(arc) for arc in given}


@multimodal_cases
def test_embedding_reaches_the_bound(case: Case) -> None:
    maximum, data = case.expected["embedding_maximal_cll"], case.dataset()
    proposed = bnlr.analyze(case.structure).embedding
    for arcs in (proposed, [(a, b) for a, b in case.expected["embedding"]]):
        result = bnlr.fit(case.structure.with_arcs(arcs), data, learner="lr")
        case.check(result.cll, maximum)
        case.check(result.network.conditional_log_likelihood(data), maximum)

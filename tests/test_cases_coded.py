"""The integer-coded reference cases without missing cells: networks, Theorems 3 and 4, maxima."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bnlr
from tests import cases
from tests.cases import Case

networks = cases.coded_of_kind("network")

complete_cases = pytest.mark.parametrize(
    "case", [p for p in networks if len(p.values[0].complete_rows) == len(p.values[0].rows)]
)
theorem3_cases = pytest.mark.parametrize("case", cases.coded_of_kind("theorem3"))
theorem4_cases = pytest.mark.parametrize("case", cases.coded_of_kind("theorem4"))
max_cll_cases = pytest.mark.parametrize("case", cases.coded_of_kind("max_cll"))
every_case = pytest.mark.parametrize(
    "case",
    [
        p
        for kind in ("network", "theorem3", "theorem4", "max_cll")
        for p in cases.coded_of_kind(kind)
    ],
)
# Some of these suprema lie at infinity, of which the library warns.
runs_away = pytest.mark.filterwarnings("ignore::bnlr.SeparationWarning")
lr_spaces = pytest.mark.parametrize("space", [bnlr.LogLinear, bnlr.Roos])


@every_case
def test_structure(case: Case) -> None:
    report = bnlr.analyze(case.structure, cards=case.cards)
    assert set(case.structure.markov_blanket()) == set(case.expected["class_markov_blanket"])
    assert report.satisfies_condition_1 is case.expected["condition1"]
    assert report.is_perfect is case.expected["condition1"]
    assert dict(report.witnesses) == case.expected["witnesses"]


# network


@complete_cases
def test_likelihoods(case: Case) -> None:
    network, data, expected = case.network(), case.dataset(), case.expected
    cll = network.conditional_log_likelihood(data)
    case.check(cll, expected["cll_sum"])
    case.check(cll / data.n_rows, expected["cll_mean"])
    case.check(network.log_likelihood(data), expected["ll_sum"])
    guesses = network.predict_proba(data).argmax(axis=1)
    case.check(np.mean(guesses != data.class_codes), expected["zero_one_error"])


@complete_cases
def test_gradient_in_beta(case: Case) -> None:
    structure, expected = case.structure, case.aligned(case.expected["grad_cll_beta"])
    space = bnlr.Softmax(structure, case.states)
    _, gradient = space.cll_and_gradient(space.from_network(case.network()), case.dataset())
    inside = [case.class_name, *(n for n in case.nodes if n in structure.children(case.class_name))]
    case.check(gradient, np.concatenate([expected[node].ravel() for node in inside]))


# Theorem 3


@theorem3_cases
@lr_spaces
def test_tables_to_cpts(case: Case, space: type) -> None:
    chart, rows = space(case.structure, case.states), case.dataset()
    w = chart.from_tables(case.aligned(case.family_weights))
    case.check(chart.to_network(w).predict_proba(rows), case.expected["posterior"])
    like = case.network()
    case.check(chart.to_network(w, like=like).predict_proba(rows), case.expected["posterior"])


@theorem3_cases
@lr_spaces
def test_the_papers_own_cpts(case: Case, space: type) -> None:
    """Equations (11)-(14) give CPTs of the same posterior; their gauge leads back to them."""
    chart, like = space(case.structure, case.states), case.network()
    case.check(like.predict_proba(case.dataset()), case.expected["posterior"])
    w = chart.from_tables(case.aligned(case.family_weights))
    again = chart.to_network(w, like=like)
    for node in (case.class_name, *case.structure.children(case.class_name)):
        case.check(again.cpts[node], like.cpts[node])


# Theorem 4


@theorem4_cases
def test_best_of_several_starts_is_the_best_supremum(case: Case) -> None:
    suprema = case.expected["suprema_sorted"]
    result = bnlr.fit(case.structure, case.dataset(), learner="elr", n_starts=12, random_state=0)
    case.check(result.cll, max(suprema), "solver")


@theorem4_cases
@pytest.mark.parametrize("seed", range(3))
def test_every_start_ends_at_one_of_the_suprema(case: Case, seed: int) -> None:
    start = case.random_network(seed)
    result = bnlr.fit(case.structure, case.dataset(), learner="elr", start=start)
    nearest = min(case.expected["suprema_sorted"], key=lambda cll: abs(cll - result.cll))
    case.check(result.cll, nearest, "solver")


@theorem4_cases
def test_upper_bound(case: Case) -> None:
    """Where the L-model's maximum is finite the bound is close to it; it is never below it."""
    bound = case.expected["lmodel_max_cll"]
    result = bnlr.fit(case.structure, case.dataset(), learner="elr", random_state=0)
    assert result.upper_bound is not None, result.message
    assert bound - float(case.bound()(bound)) <= result.upper_bound
    assert result.upper_bound <= bound + 1e-6 * max(1.0, abs(bound))


@theorem4_cases
@runs_away
def test_perfect_embedding_reaches_the_l_models_maximum(case: Case) -> None:
    added = case.expected["perfect_embedding"]
    for arc in (added["added_arc"], added["also"]):
        larger = case.structure.with_arcs([tuple(arc)])
        assert bnlr.analyze(larger).is_perfect
        result = bnlr.fit(larger, case.dataset(), learner="lr")
        case.check(result.cll, added["max_cll"], "solver")


@theorem4_cases
def test_a_maximum_of_0_is_reported_as_separation(case: Case) -> None:
    """A CLL of 0 is every class with probability 1: no finite parameters."""
    larger = case.structure.with_arcs([tuple(case.expected["perfect_embedding"]["added_arc"])])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = bnlr.fit(larger, case.dataset(), learner="lr")
    is_warned = any(issubclass(w.category, bnlr.SeparationWarning) for w in caught)
    assert is_warned is (case.expected["perfect_embedding"]["max_cll"] == 0)
    assert all(np.all(np.isfinite(cpt)) for cpt in result.network.cpts.values())


@theorem4_cases
def test_cll_at_the_bounded_maxima(case: Case) -> None:
    for bounded in case.expected["gamma"].values():
        for local in bounded:
            cll = case.network(local["cpts"]).conditional_log_likelihood(case.dataset())
            case.check(cll, local["cll"])


# maxima


@max_cll_cases
@runs_away
@pytest.mark.parametrize("space", ["loglinear", "roos", "softmax"])
@pytest.mark.parametrize("solver", ["newton", "l-bfgs"])
def test_maximal_cll(case: Case, space: str, solver: str) -> None:
    data = case.dataset()
    result = bnlr.fit(case.structure, data, learner="lr", space=space, solver=solver)
    case.check(result.cll, case.expected["max_cll"], "solver")
    # The file holds the first rows' posteriors; a CLL within ε of its maximum fixes them to √ε.
    posterior = np.array(case.expected["posterior_at_max"])
    reached = result.network.predict_proba(data)[: len(posterior)]
    assert reached == pytest.approx(posterior, abs=1e-4)


@max_cll_cases
@runs_away
def test_upper_bound_of_a_maximum(case: Case) -> None:
    maximum = case.expected["max_cll"]
    result = bnlr.fit(case.structure, case.dataset(), learner="lr")
    assert result.upper_bound is not None, result.message
    rounding = float(case.bound()(maximum))
    assert maximum - rounding <= result.upper_bound <= maximum + 1e-6 * abs(maximum)

"""Complete rows against the reference cases of kind complete: from counts to the optimum."""

from __future__ import annotations

import numpy as np
import pytest

import bnlr
from tests import cases
from tests.cases import Case

every = cases.of_kind("complete")
perfect = [p for p in every if p.values[0].expected["is_perfect"]]
imperfect = [p for p in every if not p.values[0].expected["is_perfect"]]

complete_cases = pytest.mark.parametrize("case", every)
perfect_cases = pytest.mark.parametrize("case", perfect)
imperfect_cases = pytest.mark.parametrize("case", imperfect)
holed = [*cases.of_kind("incomplete"), *cases.coded_of_kind("network")]
blanket_cases = pytest.mark.parametrize("case", [p for p in holed if p.values[0].rows_with_blanket])
lr_spaces = pytest.mark.parametrize("space", [bnlr.LogLinear, bnlr.Roos])
space_names = pytest.mark.parametrize("space", ["loglinear", "roos", "softmax"])


def maximum_of(case: Case) -> float:
    """The most that the structure's L-model can reach; what CPTs reach where it is perfect."""
    return case.expected["maximal_cll" if case.expected["is_perfect"] else "upper_bound_cll"]


@complete_cases
def test_probabilities(case: Case) -> None:
    network, data, expected = case.network(), case.dataset(), case.expected
    case.check(network.predict_proba(data), expected["posterior"])
    case.check(network.conditional_log_likelihood(data), expected["cll"])
    case.check(network.log_likelihood(data), expected["ll"])


@pytest.mark.parametrize("case", [*every, *cases.of_kind("incomplete")])
def test_prediction_does_not_look_at_the_class(case: Case) -> None:
    at = case.nodes.index(case.class_name)
    rows = [[None if k == at else cell for k, cell in enumerate(row)] for row in case.rows]
    case.check(case.network().predict_proba(case.dataset(rows)), case.expected["posterior"])


@blanket_cases
def test_posterior_where_the_blanket_is_observed(case: Case) -> None:
    """Cells outside the Markov blanket, and the class, may be missing: they have no say."""
    kept = case.rows_with_blanket
    posterior = case.network().predict_proba(case.dataset([case.rows[i] for i in kept]))
    case.check(posterior, np.array(case.expected["posterior"])[kept])


@complete_cases
def test_gradient_in_beta(case: Case) -> None:
    """Proposition 3: class and children as given; every other node's cells have gradient 0."""
    structure, expected = case.structure, case.aligned(case.expected["grad_cll_beta"])
    space = bnlr.Softmax(structure, case.states)
    cll, gradient = space.cll_and_gradient(space.from_network(case.network()), case.dataset())
    inside = [case.class_name, *(n for n in case.nodes if n in structure.children(case.class_name))]
    case.check(cll, case.expected["cll"])
    case.check(gradient, np.concatenate([expected[node].ravel() for node in inside]))
    for node in set(case.nodes) - set(inside):
        case.check(np.zeros_like(expected[node]), expected[node])


@complete_cases
def test_beta_is_named_in_the_same_order(case: Case) -> None:
    """So that the gradient above is compared cell by cell with the right ones."""
    structure = case.structure
    space = bnlr.Softmax(structure, case.states)
    inside = [case.class_name, *(n for n in case.nodes if n in structure.children(case.class_name))]
    cells = [
        (node, [case.states[m][k] for m, k in zip(family, index, strict=True)])
        for node in inside
        for family in [(*structure.parents(node), node)]
        for index in np.ndindex(*(case.cards[member] for member in family))
    ]
    assert len(space.names) == space.size == len(cells)
    assert len(set(space.names)) == space.size
    for name, (node, labels) in zip(space.names, cells, strict=True):
        assert node in name
        assert all(label in name for label in labels)


@complete_cases
def test_frequencies(case: Case) -> None:
    data = case.dataset()
    result = bnlr.fit(case.structure, data, learner="frequencies")
    for node, table in case.aligned(case.expected["laplace_cpts"]).items():
        case.check(result.network.cpts[node], table)
    case.check(result.cll, case.expected["laplace_cll"])
    case.check(result.network.conditional_log_likelihood(data), case.expected["laplace_cll"])


@perfect_cases
@lr_spaces
def test_lr_spaces_hold_the_network(case: Case, space: type) -> None:
    chart, data = space(case.structure, case.states), case.dataset()
    w = chart.from_network(case.network())
    case.check(chart.cll(w, data), case.expected["cll"])
    case.check(chart.to_network(w).predict_proba(data), case.expected["posterior"])


@perfect_cases
@space_names
@pytest.mark.parametrize("solver", ["newton", "l-bfgs"])
def test_maximal_cll(case: Case, space: str, solver: str) -> None:
    data = case.dataset()
    result = bnlr.fit(case.structure, data, learner="lr", space=space, solver=solver)
    assert (result.space, result.solver) == (space, solver)
    assert result.converged, result.message
    case.check(result.cll, case.expected["maximal_cll"], "maximal_cll")
    reached = result.network.conditional_log_likelihood(data)
    case.check(reached, case.expected["maximal_cll"], "maximal_cll")


@perfect_cases
@space_names
def test_fit_starts_at_the_frequency_estimates(case: Case, space: str) -> None:
    result = bnlr.fit(case.structure, case.dataset(), learner="lr", space=space)
    case.check(result.trace["cll"].iloc[0], case.expected["laplace_cll"])


@complete_cases
def test_upper_bound(case: Case) -> None:
    """Proven: not below the L-model's maximum, and close to it, for these have a finite one."""
    result = bnlr.fit(case.structure, case.dataset(), learner="auto", random_state=0)
    maximum = maximum_of(case)
    rounding = float(case.bound()(maximum))
    assert result.upper_bound is not None, result.message
    assert maximum - rounding <= result.upper_bound <= maximum + 1e-6 * max(1.0, abs(maximum))
    assert result.cll <= result.upper_bound
    assert result.gap == pytest.approx(result.upper_bound - result.cll, abs=1e-9)
    assert result.gap >= 0


@imperfect_cases
def test_elr_stays_between_its_start_and_the_bound(case: Case) -> None:
    data = case.dataset()
    result = bnlr.fit(case.structure, data, learner="elr", n_starts=3, random_state=0)
    assert case.expected["laplace_cll"] < result.cll
    assert result.cll <= case.expected["upper_bound_cll"] + 1e-8
    case.check(result.network.conditional_log_likelihood(data), result.cll)


@imperfect_cases
def test_embedding_reaches_the_bound_or_more(case: Case) -> None:
    """The larger model is perfect: it holds all that the smaller one's L-model holds."""
    arcs = bnlr.analyze(case.structure).embedding
    larger = case.structure.with_arcs(arcs)
    result = bnlr.fit(larger, case.dataset(), learner="lr")
    assert result.cll >= case.expected["upper_bound_cll"] - 1e-7

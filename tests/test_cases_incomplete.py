"""The reference cases with missing cells: what their networks say of them."""

from __future__ import annotations

import numpy as np
import pytest

import bnlr
from tests import cases
from tests.cases import Case

incomplete_cases = pytest.mark.parametrize("case", cases.of_kind("incomplete"))
coded_networks = pytest.mark.parametrize("case", cases.coded_of_kind("network"))


@incomplete_cases
def test_probabilities(case: Case) -> None:
    network, data, expected = case.network(), case.dataset(), case.expected
    case.check(network.predict_proba(data), expected["posterior"])
    case.check(np.exp(network.predict_log_proba(data)), expected["posterior"])
    case.check(network.conditional_log_likelihood(data), expected["cll"])
    case.check(network.log_likelihood(data), expected["ll"])
    assert (data.class_codes >= 0).sum() == expected["rows_with_class"]


@incomplete_cases
def test_other_cpts(case: Case) -> None:
    """The start of footnote 8, and the likelihood after one step of EM."""
    data, expected = case.dataset(), case.expected
    laplace = case.network(expected["laplace_cpts"])
    case.check(laplace.conditional_log_likelihood(data), expected["laplace_cll"])
    stepped = case.network(expected["em_step_cpts"])
    case.check(stepped.log_likelihood(data), expected["em_step_ll"])


@coded_networks
def test_coded_networks(case: Case) -> None:
    network, data, expected = case.network(), case.dataset(), case.expected
    posterior = network.predict_proba(data)
    case.check(posterior, expected["posterior"])
    cll = network.conditional_log_likelihood(data)
    case.check(cll, expected["cll_sum"])
    case.check(cll / data.n_rows, expected["cll_mean"])
    case.check(network.log_likelihood(data), expected["ll_sum"])
    case.check(np.mean(posterior.argmax(axis=1) != data.class_codes), expected["zero_one_error"])


@coded_networks
def test_the_class_is_a_node_like_any_other(case: Case) -> None:
    """Asked of a network whose class is another node, the posterior is the same."""
    network, data = case.network(), case.dataset()
    structure = network.structure
    other = next(node for node in structure.nodes if node != structure.class_name)
    turned = bnlr.BayesianNetwork(
        bnlr.Structure(structure.edges, other, structure.nodes), network.states, network.cpts
    )
    frame = data.to_frame()
    case.check(turned.posterior(frame, structure.class_name), case.expected["posterior"])

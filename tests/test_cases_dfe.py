"""Discriminative frequency estimates against the reference cases of kinds dfe and dfe_example."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

import numpy as np
import pytest

import bnlr
from tests import cases
from tests.cases import Case
from tests.oracles import dfe as oracle
from tests.oracles import normalised

epochs = [p for p in cases.of_kind("dfe") if "loss" in p.values[0].expected]
probed = [p for p in cases.of_kind("dfe") if "posterior_first_50" in p.values[0].expected]
Where = Callable[[bnlr.BayesianNetwork], float]

smoothings = pytest.mark.parametrize("added", [0.0, 1.0])


def dfe(case: Case, rows: list[Any] | None = None, **options: Any) -> bnlr.FitResult:
    return bnlr.fit(case.structure, case.dataset(rows), learner="dfe", **options)


def check_counts(
    case: Case, network: bnlr.BayesianNetwork, counts: dict[str, Any], added: float = 0.0
) -> None:
    tables = {node: np.asarray(table, float) for node, table in counts.items()}
    for node, cpt in case.aligned(normalised(tables, added)).items():
        case.check(network.cpts[node], cpt)


def check_first_updates(
    case: Case, posteriors: list[float], losses: list[float], where: Where, added: float = 0.0
) -> None:
    """After as many updates as there are numbers: fits to the first of the rows, taken in turn."""
    rows = list(islice(cycle(case.rows), len(losses)))
    first = next(t for t in range(len(rows)) if rows[t] != rows[0])
    for t in range(first + 1, len(rows) + 1):
        result = dfe(case, rows[:t], max_iter=1, pseudocount=added)
        case.check(result.trace["loss"][1], sum(losses[:t]), "default")
        case.check(where(result.network), posteriors[t - 1])


def at_zeros(case: Case, label: str) -> Where:
    """P(label | all attributes in state 0); a row that cannot be is uniform, as in the paper."""
    row = [[case.states[node][0] for node in case.nodes]]
    place = case.states[case.class_name].index(label)

    def posterior(network: bnlr.BayesianNetwork) -> float:
        data = case.dataset(row)
        if np.isneginf(network.log_likelihood(data_without_class(data))):
            return 1 / len(network.class_states)
        return float(network.predict_proba(data)[0, place])

    return posterior


def data_without_class(data: bnlr.Dataset) -> bnlr.Dataset:
    codes = np.array(data.codes)
    codes[:, data.nodes.index(data.class_name)] = -1
    return bnlr.Dataset.from_codes(codes, data.states, data.class_name)


@pytest.mark.parametrize("case", epochs)
def test_losses_counts_and_posteriors_by_epoch(case: Case) -> None:
    expected, n_epochs = case.expected, len(case.expected["loss"])
    result = dfe(case, max_iter=n_epochs)
    case.check(result.trace["loss"][1:], np.sum(expected["loss"], axis=1))
    for epoch, counts in enumerate(expected["class_counts_after_epoch"], 1):
        check_counts(case, dfe(case, max_iter=epoch).network, {case.class_name: counts})
    check_counts(case, result.network, expected["final_counts"])
    for node, cpt in case.aligned(expected["final_cpts"]).items():
        case.check(result.network.cpts[node], cpt)
    case.check(result.network.predict_proba(case.dataset()), expected["final_posterior"])
    fe = bnlr.fit(case.structure, case.dataset(), learner="frequencies", pseudocount=0.0)
    check_counts(case, fe.network, expected["fe_counts"])


@pytest.mark.parametrize("case", epochs)
def test_the_oracle_meets_the_epochs(case: Case) -> None:
    expected = case.expected
    counts, losses = oracle.learn(case.model, case.codes, passes=len(expected["loss"]))
    case.check(losses, expected["loss"])
    for node, table in expected["final_counts"].items():
        case.check(counts[node], table)
    counts, _ = oracle.learn(case.model, case.codes, passes=1, constant=1.0)
    for node, table in expected["fe_counts"].items():
        case.check(counts[node], table)


@pytest.mark.parametrize("case", probed)
def test_five_instances(case: Case) -> None:
    """Section 5 of the paper: duplicates of an attribute mislead frequencies, not DFE."""
    expected, where = case.expected, at_zeros(case, "+")
    updates = expected["posterior_first_50"], expected["loss_first_50"]
    check_first_updates(case, *updates, where)
    rounds = len(updates[0]) // len(case.rows)
    check_counts(case, dfe(case, max_iter=rounds).network, expected["counts_after_50"])
    late = where(dfe(case, max_iter=20_000 // len(case.rows)).network)
    case.check(late, expected["posterior_after_20000"], "posterior_after_20000")
    case.check(late, expected["limit"], "limit")
    fe = bnlr.fit(case.structure, case.dataset(), learner="frequencies", pseudocount=0.0)
    case.check(where(fe.network), expected["fe_posterior"])


@pytest.mark.parametrize("case", cases.coded_of_kind("dfe_example"))
@smoothings
def test_five_instances_in_codes(case: Case, added: float) -> None:
    expected = case.expected["dfe"][f"pseudocount{added:.0f}"]
    where, n = at_zeros(case, "1"), len(case.rows)
    posteriors, losses = expected["posterior_plus_given_000_after_update"], expected["loss"]
    check_first_updates(case, posteriors, losses, where, added)
    for updates in (20, 50):
        network = dfe(case, max_iter=updates // n, pseudocount=added).network
        check_counts(case, network, expected[f"frequencies_after_{updates}"], added)
    late = dfe(case, max_iter=5_000 // n, pseudocount=added).network
    case.check(where(late), expected["posterior_plus_given_000_after_5000"])


@pytest.mark.parametrize("case", cases.coded_of_kind("dfe"))
@smoothings
def test_a_class_with_a_parent_and_arcs_between_attributes(case: Case, added: float) -> None:
    expected = case.expected["dfe"][f"pseudocount{added:.0f}"]
    n = len(case.rows)
    losses = np.reshape(expected["loss"], (-1, n))
    result = dfe(case, max_iter=len(losses), pseudocount=added)
    case.check(result.trace["loss"][1:], losses.sum(axis=1))
    check_counts(case, result.network, expected["frequencies"], added)
    for node, cpt in case.aligned(expected["cpts"]).items():
        case.check(result.network.cpts[node], cpt)
    case.check(result.network.predict_proba(case.dataset()), expected["posterior_rows"])
    _, found = oracle.learn(case.model, case.codes, passes=len(losses), pseudocount=added)
    case.check(found, losses)

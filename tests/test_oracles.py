"""The oracles against the reference cases: validated outside the library before it meets them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import minimize

import bnlr
from tests import cases, oracles, strategies
from tests.cases import Case
from tests.oracles.graphs import adjacency
from tests.oracles.model import Tables

complete = pytest.mark.parametrize("case", cases.of_kind("complete"))
with_probabilities = pytest.mark.parametrize(
    "case", [*cases.of_kind("complete"), *cases.of_kind("incomplete")]
)
incomplete = pytest.mark.parametrize("case", cases.of_kind("incomplete"))
structure = pytest.mark.parametrize("case", cases.of_kind("structure"))
backmap = pytest.mark.parametrize("case", cases.of_kind("backmap"))
multimodal = pytest.mark.parametrize("case", cases.of_kind("multimodal"))
network = pytest.mark.parametrize("case", cases.coded_of_kind("network"))
theorem3 = pytest.mark.parametrize("case", cases.coded_of_kind("theorem3"))
theorem4 = pytest.mark.parametrize("case", cases.coded_of_kind("theorem4"))
max_cll = pytest.mark.parametrize("case", cases.coded_of_kind("max_cll"))


def check_tables(case: Case, actual: Tables, expected: dict, key: str = "default") -> None:
    for node, table in expected.items():
        case.check(actual[node], table, key)


def maximum(case: Case, design: np.ndarray) -> float:
    """The maximal CLL of logistic regression on a dense design, by BFGS with a plain gradient."""
    weights = np.ones(len(case.rows)) if case.weights is None else np.asarray(case.weights)
    n_classes = case.model.n_classes
    labels = np.array([row[case.nodes.index(case.class_name)] for row in case.codes], dtype=int)
    one_hot = np.eye(n_classes)[labels]

    def negative(flat: np.ndarray) -> tuple[float, np.ndarray]:
        eta = design @ flat.reshape(-1, n_classes)
        eta -= eta.max(axis=1, keepdims=True)
        log_p = eta - np.log(np.exp(eta).sum(axis=1, keepdims=True))
        slope = design.T @ (weights[:, None] * (np.exp(log_p) - one_hot))
        return -float(weights @ (one_hot * log_p).sum(axis=1)), slope.ravel()

    start = np.zeros(design.shape[1] * n_classes)
    return -minimize(negative, start, jac=True, method="BFGS", options={"gtol": 1e-7}).fun


def roos_maximum(case: Case) -> float:
    """The L-model's maximum: its tables for the class and a child are the Roos indicators."""
    return maximum(case, oracles.roos_design(case.model, case.codes)[1])


# structure


@structure
def test_structure(case: Case) -> None:
    model, expected = case.model, case.expected
    canonical = oracles.canonical_graph(model)
    assert oracles.markov_blanket(model) == set(expected["markov_blanket"])
    assert adjacency(canonical) == {frozenset(e) for e in expected["canonical_adjacency"]}
    assert oracles.is_perfect(model) == expected["is_perfect"]
    assert oracles.whole_graph_is_perfect(model) == expected["whole_graph_is_perfect"]
    assert oracles.violations(canonical) == {(j, frozenset(p)) for j, *p in expected["violations"]}
    assert oracles.witnesses(model) == expected["witnesses"]


@structure
def test_parameter_counts(case: Case) -> None:
    model, counts = case.model, case.expected["parameter_counts"]
    n_cells = sum(int(np.prod(model.shape(node))) for node in model.class_families)
    assert n_cells == counts["beta"]
    if case.expected["is_perfect"]:
        assert len(oracles.roos_design(model, [])[0]) == counts["roos"]
        assert len(oracles.loglinear_design(model, [])[0]) == counts["loglinear"]


@structure
def test_maximal_blocks(case: Case) -> None:
    blocks = [frozenset(block) for block in oracles.blocks(case.model)]
    maximal = [block for block in blocks if not any(block < other for other in blocks)]
    cells = sum(int(np.prod([case.cards[node] for node in block])) for block in maximal)
    if case.expected["is_perfect"]:
        assert cells == case.expected["roos_maximal_blocks_only"]


@network
def test_structure_of_coded_networks(case: Case) -> None:
    assert oracles.markov_blanket(case.model) == set(case.expected["class_markov_blanket"])
    assert oracles.witnesses(case.model) == case.expected["witnesses"]
    assert oracles.is_perfect(case.model) == case.expected["condition1"]


# probabilities, counts, gradients: complete and incomplete rows


@with_probabilities
def test_probabilities(case: Case) -> None:
    at = (case.model, case.cpts, case.codes)
    case.check(oracles.posteriors(*at), case.expected["posterior"])
    case.check(oracles.cll(*at, case.weights), case.expected["cll"])
    case.check(oracles.ll(*at, case.weights), case.expected["ll"])
    gradient = oracles.cll_gradient(*at, case.weights)
    check_tables(case, gradient, case.expected["grad_cll_beta"])
    laplace = oracles.normalised(oracles.family_counts(case.model, case.codes, case.weights))
    check_tables(case, laplace, case.expected["laplace_cpts"])
    laplace_cll = oracles.cll(case.model, laplace, case.codes, case.weights)
    case.check(laplace_cll, case.expected["laplace_cll"])


@complete
def test_maximal_cll(case: Case) -> None:
    """Both designs reach the maximum over CPTs; the L-model's is the bound where none are free."""
    if case.expected["is_perfect"]:
        loglinear = oracles.loglinear_design(case.model, case.codes)[1]
        case.check(maximum(case, loglinear), case.expected["maximal_cll"], "maximal_cll")
        case.check(roos_maximum(case), case.expected["maximal_cll"], "maximal_cll")
    else:
        case.check(roos_maximum(case), case.expected["upper_bound_cll"], "upper_bound_cll")


@max_cll
def test_maximal_cll_of_coded_problems(case: Case) -> None:
    last = {node: case.cards[node] - 1 for node in case.model.attributes}
    loglinear = oracles.loglinear_design(case.model, case.codes, reference=last)[1]
    case.check(maximum(case, loglinear), case.expected["max_cll"])
    case.check(roos_maximum(case), case.expected["max_cll"])


@incomplete
def test_expected_counts(case: Case) -> None:
    at = (case.model, case.cpts, case.codes, case.weights)
    counts = oracles.expected_counts(*at)
    check_tables(case, counts, case.expected["expected_counts"])
    check_tables(case, oracles.ll_gradient(*at), case.expected["grad_ll_beta"])
    step = oracles.normalised(counts, pseudocount=0)
    check_tables(case, step, case.expected["em_step_cpts"])
    step_ll = oracles.ll(case.model, step, case.codes, case.weights)
    case.check(step_ll, case.expected["em_step_ll"])
    counts = oracles.family_counts(case.model, case.codes, case.weights)
    check_tables(case, counts, case.expected["family_counts"])


@network
def test_coded_networks(case: Case) -> None:
    at, expected = (case.model, case.cpts, case.codes), case.expected
    case.check(oracles.posteriors(*at), expected["posterior"])
    case.check(oracles.cll(*at), expected["cll_sum"])
    case.check(oracles.ll(*at), expected["ll_sum"])
    check_tables(case, oracles.cll_gradient(*at), expected["grad_cll_beta"])
    check_tables(case, oracles.ll_gradient(*at), expected["grad_ll_beta"])
    expected_counts = oracles.expected_counts(*at)
    check_tables(case, expected_counts, expected["em_expected_counts"])
    check_tables(case, oracles.normalised(expected_counts, 0), expected["em_step"])
    check_tables(case, oracles.normalised(expected_counts, 1), expected["em_step_pseudocount1"])
    counts = oracles.family_counts(case.model, case.codes)
    check_tables(case, counts, expected["ofe_counts"])
    check_tables(case, oracles.normalised(counts, 0), expected["ofe"])
    check_tables(case, oracles.normalised(counts, 1), expected["ofe_pseudocount1"])


# the L-model and the way back to CPTs


def check_back_map(case: Case, expected_cpts: dict) -> None:
    """The tables' posterior is the case's, and so is that of the CPTs they are mapped to."""
    model, codes, expected = case.model, case.codes, case.expected["posterior"]
    case.check(oracles.posteriors_of_tables(model, case.family_weights, codes), expected)
    back = oracles.back_map(model, case.family_weights)
    outside = oracles.normalised(model.zeros())
    case.check(oracles.posteriors(model, {**outside, **back}, codes), expected)
    given = {node: np.asarray(table) for node, table in expected_cpts.items()}
    case.check(oracles.posteriors(model, {**outside, **given}, codes), expected)


@backmap
def test_back_map(case: Case) -> None:
    check_back_map(case, case.expected["one_valid_cpts"])
    assert oracles.witnesses(case.model) == case.expected["witnesses"]


@backmap
def test_back_map_is_the_cases_own_choice(case: Case) -> None:
    """Equations (11)-(14) leave no freedom: each normaliser moves to the witness's family."""
    back = oracles.back_map(case.model, case.family_weights)
    check_tables(case, back, case.expected["one_valid_cpts"])


@theorem3
def test_back_map_of_coded_networks(case: Case) -> None:
    assert case.cpts is not None
    check_back_map(case, case.cpts)
    assert oracles.witnesses(case.model) == case.expected["witnesses"]


@complete
def test_log_cpts_are_tables_with_the_networks_cll(case: Case) -> None:
    assert case.cpts is not None
    tables = {node: np.log(cpt) for node, cpt in case.cpts.items()}
    cll = oracles.cll_of_tables(case.model, tables, case.codes, case.weights)
    case.check(cll, case.expected["cll"])


# Theorem 4


@multimodal
def test_local_maxima(case: Case) -> None:
    outside = oracles.normalised(case.model.zeros())
    for near in case.expected["near_local_maxima"]:
        cpts = case.own_axes(near["cpts"])
        cll = oracles.cll(case.model, {**outside, **cpts}, case.codes, case.weights)
        case.check(cll, near["cll"], "near_local_maxima")
    case.check(roos_maximum(case), case.expected["upper_bound_cll"])
    assert not oracles.is_perfect(case.model)


@theorem4
def test_bounded_maxima(case: Case) -> None:
    for bounded in case.expected["gamma"].values():
        for local in bounded:
            cpts = {node: np.asarray(table) for node, table in local["cpts"].items()}
            case.check(oracles.cll(case.model, cpts, case.codes), local["cll"])


# the two ways to perfectness, and the strategies' promise


def model_of(structure: bnlr.Structure) -> oracles.Model:
    return oracles.Model.of(structure, dict.fromkeys(structure.nodes, (0, 1)))


@given(strategies.structures())
def test_perfect_is_condition_1(structure: bnlr.Structure) -> None:
    model = model_of(structure)
    assert oracles.is_perfect(model) == (None not in oracles.witnesses(model).values())


@given(strategies.perfect_structures(max_nodes=8))
def test_perfect_structures_are_perfect(structure: bnlr.Structure) -> None:
    assert oracles.is_perfect(model_of(structure))

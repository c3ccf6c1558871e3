"""What learners make of the cases with missing cells, and ELR's iterates on complete ones."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import bnlr
from bnlr.inference.engine import Engine
from bnlr.learn.missing.em import m_step
from bnlr.objectives.evidence import EvidenceRows
from bnlr.objectives.incomplete import EvidenceObjective
from bnlr.optimize.base import State, minimise
from bnlr.spaces.joint import JointSoftmax
from tests import cases
from tests.cases import Case

incomplete_cases = pytest.mark.parametrize("case", cases.of_kind("incomplete"))
network_cases = pytest.mark.parametrize("case", cases.coded_of_kind("network"))
every_case = pytest.mark.parametrize(
    "case", [*cases.of_kind("incomplete"), *cases.coded_of_kind("network")]
)
elr_cases = pytest.mark.parametrize("case", cases.coded_of_kind("elr"))
sat_cases = pytest.mark.parametrize("case", cases.of_kind("sat"))


class Asked:
    """A case's rows and CPTs, as learners see them."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.space = JointSoftmax(case.structure, case.states)
        target = case.structure.index(case.class_name)
        self.engine = Engine(self.space.flat, target)
        self.rows = EvidenceRows.of(case.structure, case.dataset())

    def objective(self, kind: str) -> EvidenceObjective:
        return EvidenceObjective(self.engine, self.space, self.rows, kind)

    def flat(self, tables: Any) -> np.ndarray:
        return self.space.flat.flatten(self.case.aligned(tables))


@every_case
@pytest.mark.parametrize("kind", ["cll", "ll"])
def test_value_and_gradient_in_beta(case: Case, kind: str) -> None:
    asked, expected = Asked(case), case.expected
    x = asked.space.from_network(case.network())
    value, gradient = asked.objective(kind).value_and_gradient(x)
    case.check(-value, expected[kind] if kind in expected else expected[f"{kind}_sum"])
    case.check(-gradient, asked.flat(expected[f"grad_{kind}_beta"]))


@every_case
def test_expected_counts_and_a_step_of_em(case: Case) -> None:
    asked, expected = Asked(case), case.expected
    theta = asked.space.flat.flatten(case.network().cpts)
    counts, _ = asked.engine.expected_counts(theta, asked.rows.codes, asked.rows.weights)
    known = expected["expected_counts" if "expected_counts" in expected else "em_expected_counts"]
    case.check(counts, asked.flat(known))
    known = expected["em_step_cpts" if "em_step_cpts" in expected else "em_step"]
    case.check(m_step(asked.space.flat, counts, 0.0), asked.flat(known))
    if "em_step_pseudocount1" in expected:
        stepped = m_step(asked.space.flat, counts, 1.0)
        case.check(stepped, asked.flat(expected["em_step_pseudocount1"]))


@every_case
@pytest.mark.parametrize("pseudocount", [0.0, 1.0])
def test_fit_makes_that_step(case: Case, pseudocount: float) -> None:
    result = bnlr.fit(
        case.structure, case.dataset(), learner="em", start=case.network(), max_iter=1,
        m_step_pseudocount=pseudocount, random_state=0,
    )  # fmt: skip
    step = case.expected.get("em_step_cpts") or case.expected["em_step"]
    if pseudocount:
        if "em_step_pseudocount1" not in case.expected:
            return
        step = case.expected["em_step_pseudocount1"]
    for node, table in case.aligned(step).items():
        case.check(result.network.cpts[node], table)
    if "em_step_ll" in case.expected:
        case.check(result.log_likelihood, case.expected["em_step_ll"])
        case.check(result.start_log_likelihood, case.expected["ll"])


@incomplete_cases
def test_start_of_footnote_8(case: Case) -> None:
    result = bnlr.fit(case.structure, case.dataset(), learner="frequencies")
    for node, table in case.aligned(case.expected["laplace_cpts"]).items():
        case.check(result.network.cpts[node], table)
    case.check(result.cll, case.expected["laplace_cll"])


@network_cases
@pytest.mark.parametrize(("pseudocount", "key"), [(1.0, "ofe_pseudocount1"), (0.0, "ofe")])
def test_frequencies_of_the_rows_that_observe_a_family(
    case: Case, pseudocount: float, key: str
) -> None:
    result = bnlr.fit(
        case.structure, case.dataset(), learner="frequencies", pseudocount=pseudocount
    )
    for node, table in case.aligned(case.expected[key]).items():
        case.check(result.network.cpts[node], table)


# ELR's iterates


@elr_cases
@pytest.mark.parametrize("holes", [False, True])
def test_iterates_of_conjugate_gradients_with_exact_line_search(case: Case, holes: bool) -> None:
    """By the packed rows and by inference: a cell nobody looks at makes no difference."""
    expected = case.expected
    n_iter = len(expected["cll_sum"]) - 1
    clls: list[float] = []

    def note(state: State) -> None:
        clls.append(-state.value)

    if holes:
        asked = Asked(case)
        x = asked.space.from_network(case.network(expected["start_cpts_frequencies_pseudocount1"]))
        result = minimise(
            asked.objective("cll"), x, solver="cg-brent", precision=1e-7, max_iter=n_iter,
            on_iteration=note,
        )  # fmt: skip
        network = asked.space.to_network(result.x)
    else:
        network = bnlr.fit(
            case.structure, case.dataset(), learner="elr", solver="cg-brent", precision=1e-7,
            max_iter=n_iter, callback=note,
        ).network  # fmt: skip
    case.check(clls, expected["cll_sum"])
    for node, table in case.aligned(expected["cpts_after_last"]).items():
        case.check(network.cpts[node], table)


@elr_cases
def test_errors_of_the_iterates(case: Case) -> None:
    data = case.dataset()
    for n_iter, expected in enumerate(case.expected["zero_one_error"]):
        result = bnlr.fit(
            case.structure, data, learner="elr", solver="cg-brent", precision=1e-7, max_iter=n_iter
        )
        guesses = result.network.predict_proba(data).argmax(axis=1)
        case.check(np.mean(guesses != data.class_codes), expected)


# Theorem 2


@sat_cases
@pytest.mark.filterwarnings("ignore::bnlr.SeparationWarning")
def test_elr_climbs_from_the_construction_towards_the_supremum(case: Case) -> None:
    start, data = case.network(), case.dataset()
    result = bnlr.fit(case.structure, data, learner="elr", start=start)
    case.check(result.start_cll, case.expected["cll"])
    assert result.start_cll <= result.cll <= case.expected["sup_cll"] + 1e-9
    assert result.cll >= case.expected["sup_cll"] - 1e-3


# P_m


def _blocks() -> list[Any]:
    raws = [json.loads(p.read_text("utf-8")) for p in (cases.CASES / "coded").glob("p13*.json")]
    return [
        pytest.param(block, id=f"m={block['m']}, k={block['k']}")
        for raw in raws
        for block in raw["expected"]["blocks"]
    ]


@pytest.mark.parametrize("block", _blocks())
def test_what_naive_bayes_reaches_on_p_m(block: dict[str, Any]) -> None:
    """All configurations, weighted by their probability: the limit of ever more rows."""
    table = np.array(block["joint_C_E1_to_Ek"])
    names = [f"e{i}" for i in range(1, block["k"] + 1)]
    structure = bnlr.Structure.naive_bayes(names, class_name="c")
    states = dict.fromkeys(("c", *names), ("-", "+"))
    rows = np.array(list(np.ndindex(table.shape)))
    data = bnlr.Dataset.from_codes(rows, states, "c", weights=table.ravel())

    def error(network: bnlr.BayesianNetwork) -> float:
        guesses = network.predict_proba(data).argmax(axis=1)
        return float(data.weights @ (guesses != data.class_codes))

    ofe = bnlr.fit(structure, data, learner="frequencies", pseudocount=0.0)
    assert error(ofe.network) == pytest.approx(block["nb_ofe_limit_error"], abs=1e-9)
    assert ofe.cll == pytest.approx(block["nb_ofe_limit_expected_lcl"], abs=1e-9)
    for learner in ("em", "apn"):
        generative = bnlr.fit(structure, data, learner=learner, tol=1e-14)
        assert generative.cll == pytest.approx(block["nb_ofe_limit_expected_lcl"], abs=1e-6)
    elr = bnlr.fit(structure, data, learner="elr", tol=1e-12)
    assert elr.cll == pytest.approx(block["bayes_expected_lcl"], abs=1e-6)
    assert error(elr.network) == pytest.approx(block["bayes_error"], abs=1e-9)

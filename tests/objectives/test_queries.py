"""Answers, errors and gradients of queries against the reference cases and enumeration."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.inference.engine import Engine
from bnlr.objectives.evidence import EvidenceRows
from bnlr.objectives.queries import LabelledQueries, QueryErrors
from bnlr.objectives.query_error import QueryObjective
from bnlr.spaces.joint import JointSoftmax
from tests.oracles.joint import log_probability
from tests.oracles.model import Model
from tests.query_cases import query_cases
from tests.strategies import networks, structures
from tests.width import examples

CASES = [pytest.param(case, id=case.name) for case in query_cases()]


def labelled(network, queries, **options):
    return LabelledQueries.of(network.structure, network.states, bnlr.QuerySet(queries), **options)


def answers(network, queries, **options):
    found = labelled(network, queries, **options)
    engine = Engine(found.flat, network.structure.index(network.structure.class_name))
    return QueryErrors(engine, found).answers(found.flat.flatten(network.cpts))


def test_there_are_cases_of_both_formats():
    assert len(CASES) >= 2


@pytest.mark.parametrize("case", CASES)
def test_answers_and_error(case):
    expected = case.expected
    case.case.check(
        answers(case.network, case.queries, may_be_impossible=True), expected["answers"]
    )
    if all((cpt > 0).all() for cpt in case.network.cpts.values()):
        case.case.check(answers(case.network, case.queries), expected["answers"])
    if "error" in expected:
        case.case.check(bnlr.query_error(case.network, case.queries), expected["error"])


@pytest.mark.parametrize("case", CASES)
def test_which_queries_need_no_inference(case):
    if "is_markov_blanket_query" in case.expected:
        found = labelled(case.network, case.queries).is_blanket
        assert found.tolist() == case.expected["is_markov_blanket_query"]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("wrt", ["beta", "theta"])
def test_gradients(case, wrt):
    if f"grad_error_{wrt}" not in case.expected:
        pytest.skip("the case has no gradient")
    found = bnlr.query_error_gradient(case.network, case.queries, wrt=wrt)
    for node, table in case.case.aligned(case.expected[f"grad_error_{wrt}"]).items():
        case.case.check(found[node], table)


@pytest.mark.parametrize("case", CASES)
def test_gradient_of_the_blanket_queries_alone(case):
    key = "grad_error_theta_markov_blanket_queries"
    if key not in case.expected:
        pytest.skip("the case has no such gradient")
    alone = [
        query
        for query, is_blanket in zip(
            case.queries, case.expected["is_markov_blanket_query"], strict=True
        )
        if is_blanket
    ]
    found = bnlr.query_error_gradient(case.network, alone, wrt="theta")
    for node, table in case.case.aligned(case.expected[key]).items():
        case.case.check(found[node], table)


# Random networks and queries


@st.composite
def asked(draw):
    """A network with positive CPTs and queries of every shape, blanket queries among them."""
    network = draw(networks(structures(max_nodes=6, min_nodes=2)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    queries = [_random_query(network, rng) for _ in range(draw(st.integers(1, 6)))]
    weights = rng.choice([0.5, 1.0, 3.0], len(queries))
    return network, bnlr.QuerySet(queries, weights)


def _random_query(network, rng):
    nodes = list(network.structure.nodes)
    rng.shuffle(nodes)
    n_targets = 1 if rng.random() < 0.6 else int(rng.integers(1, len(nodes) + 1))
    most = len(nodes) - n_targets
    n_evidence = most if rng.random() < 0.5 else int(rng.integers(0, most + 1))
    state = {n: network.states[n][rng.integers(len(network.states[n]))] for n in nodes}
    targets, evidence = nodes[:n_targets], nodes[n_targets : n_targets + n_evidence]
    return bnlr.Query(
        {n: state[n] for n in targets}, {n: state[n] for n in evidence}, float(rng.random())
    )


def enumerated(network, query):
    model, own = Model.of(network.structure, network.states), network.structure.nodes
    both = {**query.targets, **query.evidence}

    def row(cells):
        return [network.states[n].index(cells[n]) if n in cells else None for n in own]

    with_targets = log_probability(model, network.cpts, row(both))
    return np.exp(with_targets - log_probability(model, network.cpts, row(query.evidence)))


@pytest.mark.slow
@given(asked())
@examples(80)
def test_equals_enumeration(drawn):
    network, queries = drawn
    expected = np.array([enumerated(network, query) for query in queries])
    np.testing.assert_allclose(answers(network, queries), expected, rtol=0, atol=1e-10)
    inferred = answers(network, queries, may_be_impossible=True)
    np.testing.assert_allclose(inferred, expected, rtol=0, atol=1e-10)
    mean = np.average((expected - queries.labels) ** 2, weights=queries.weights)
    assert bnlr.query_error(network, queries) == pytest.approx(mean, abs=1e-10)


@pytest.mark.slow
@given(asked())
@examples(40)
def test_the_gradient_equals_differences(drawn):
    network, queries = drawn
    space = JointSoftmax(network.structure, network.states)
    found = bnlr.query_error_gradient(network, queries)
    beta = space.from_network(network)
    gradient = space.flat.flatten(found)
    step = 1e-6
    for k in range(space.size):
        ends = []
        for sign in (1, -1):
            moved = beta.copy()
            moved[k] += sign * step
            ends.append(bnlr.query_error(space.to_network(moved), queries))
        assert gradient[k] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-7)


@st.composite
def asked_of_a_blanket(draw):
    """A network with positive CPTs, and a node asked about given its whole Markov blanket."""
    network = draw(networks(structures(max_nodes=4, min_nodes=2)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    structure = network.structure
    target = str(rng.choice(structure.nodes))
    family = {target, *structure.parents(target)}
    blanket = family.union(*({c, *structure.parents(c)} for c in structure.children(target)))
    state = {n: network.states[n][rng.integers(len(network.states[n]))] for n in blanket}
    asked = bnlr.Query({target: state.pop(target)}, state, float(rng.random()))
    return network, asked


def equation_4(network, query):
    """{(node, cell): the printed derivative}, of the entries that equation 4 is said to hold for.

    Entries of families with the queried node, all of whose members have the query's states.
    """
    (target,) = query.targets
    state = {**query.targets, **query.evidence}
    answer = enumerated(network, query)
    found = {}
    for node, cpt in network.cpts.items():
        family = (*network.structure.parents(node), node)
        if target in family:
            cell = tuple(network.states[n].index(state[n]) for n in family)
            found[node, cell] = 2 * (answer - query.p) / cpt[cell] * answer * (1 - answer)
    return found


def difference(network, query, node, cell):
    """The error's derivative in one entry, the others held, by enumeration."""
    step, errors = 1e-6, []
    for sign in (1, -1):
        table = network.cpts[node].copy()
        table[cell] += sign * step
        moved = SimpleNamespace(
            structure=network.structure,
            states=network.states,
            cpts={**network.cpts, node: table},
        )
        errors.append((enumerated(moved, query) - query.p) ** 2)
    return (errors[0] - errors[1]) / (2 * step)


@given(asked_of_a_blanket())
@examples(25)
def test_equation_4_is_the_gradient_but_for_the_entries_that_it_leaves_out(drawn):
    """What is left out is consistent with the evidence alone: there the target has another state.

    By equation 3 its slope is −2 (B(x | y) − p) / e · B(x | y) B(x′ | y), as differences say.
    """
    network, query = drawn
    found = bnlr.query_error_gradient(network, [query], wrt="theta")
    printed = equation_4(network, query)
    ((target, asked),) = query.targets.items()
    answer = enumerated(network, query)
    for node, cpt in network.cpts.items():
        family = (*network.structure.parents(node), node)
        for cell in np.ndindex(cpt.shape):
            own = dict(zip(family, cell, strict=True))
            other = {n: network.states[n][k] for n, k in own.items()}
            given = {n: state for n, state in other.items() if n != target}
            expected = 0.0
            if (node, cell) in printed:
                expected = printed[node, cell]
            elif target in own and given.items() <= query.evidence.items():
                assert other[target] != asked
                rest = enumerated(network, bnlr.Query({target: other[target]}, query.evidence))
                expected = -2 * (answer - query.p) / cpt[cell] * answer * rest
            assert found[node][cell] == pytest.approx(expected, abs=1e-9)
            by_steps = difference(network, query, node, cell)
            assert by_steps == pytest.approx(expected, rel=1e-4, abs=1e-7)


def test_the_mixed_objective_equals_differences():
    rng = np.random.default_rng(3)
    structure = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b")], class_name="c")
    states = dict.fromkeys(structure.nodes, ("no", "yes"))
    space = JointSoftmax(structure, states)
    beta = rng.standard_normal(space.size)
    events = space.to_network(beta).sample(30, random_state=0)
    events.loc[::4, "a"] = None
    data = bnlr.Dataset.from_frame(events, "c", states=states)
    queries = bnlr.QuerySet([bnlr.Query({"c": "yes", "a": "no"}, {"b": "no"}, p=0.9)])
    engine = Engine(space.flat, structure.index("c"))
    errors = QueryErrors(engine, LabelledQueries.of(structure, states, queries))
    objective = QueryObjective(errors, space, EvidenceRows.of(structure, data), 0.3)
    value, gradient = objective.value_and_gradient(beta)
    network = space.to_network(beta)
    mean = network.log_likelihood(data) / 30
    assert value == pytest.approx(bnlr.query_error(network, queries) - 0.3 * mean, abs=1e-12)
    for k in range(space.size):
        ends = [objective.value(beta + s * 1e-6 * np.eye(space.size)[k]) for s in (1, -1)]
        assert gradient[k] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-7)


# Bad input


def small(a=((0.5, 0.5), (0.5, 0.5))):
    structure = bnlr.Structure([("c", "a")], class_name="c")
    states = {"c": ("no", "yes"), "a": ("no", "yes")}
    return bnlr.BayesianNetwork(structure, states, {"c": [0.25, 0.75], "a": a})


def test_impossible_evidence_names_the_query():
    network = small([[1.0, 0.0], [1.0, 0.0]])
    query = bnlr.Query({"c": "yes"}, {"a": "yes"}, p=0.5)
    for ask in (bnlr.query_error, bnlr.query_error_gradient):
        with pytest.raises(bnlr.ImpossibleEvidenceError, match=r"a='yes'; p=0\.5"):
            ask(network, [query])


def test_impossible_targets_are_answered_with_zero():
    network = small([[1.0, 0.0], [1.0, 0.0]])
    query = bnlr.Query({"a": "yes"}, {"c": "yes"}, p=0.5)
    assert bnlr.query_error(network, query) == 0.25


def test_queries_without_labels():
    with pytest.raises(bnlr.ParameterError, match="none of the 1 queries has a label"):
        bnlr.query_error(small(), [bnlr.Query({"a": "yes"})])
    with pytest.raises(bnlr.ParameterError, match="none of the 1 queries"):
        bnlr.query_error(small(), bnlr.QuerySet([bnlr.Query({"a": "yes"}, p=1.0)], [0.0]))
    with pytest.raises(bnlr.ParameterError, match="none of the 0 queries"):
        bnlr.query_error(small(), [])


def test_unknown_nodes_and_states():
    with pytest.raises(bnlr.DataError, match="names 'b', which is no node"):
        bnlr.query_error(small(), bnlr.Query({"b": "yes"}, p=0.5))
    with pytest.raises(bnlr.StateError, match="'perhaps' is no state of 'a'"):
        bnlr.query_error(small(), bnlr.Query({"a": "perhaps"}, p=0.5))


def test_no_network():
    with pytest.raises(bnlr.ParameterError, match=r"network is .net., not a bnlr\.BayesianNetwork"):
        bnlr.query_error("net", [bnlr.Query({"a": "yes"}, p=0.5)])


def test_unknown_coordinates():
    with pytest.raises(bnlr.ParameterError, match="wrt is 'x'; choose"):
        bnlr.query_error_gradient(small(), bnlr.Query({"a": "yes"}, p=0.5), wrt="x")

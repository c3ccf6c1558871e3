"""BayesianNetwork with any cells missing, against enumeration of the joint distribution."""

from __future__ import annotations

import copy
import math
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.data.discretize.discretizer import bins
from tests.oracles import Model, joint
from tests.strategies import frames, networks, perfect_structures, seeds, structures, weights_of

SMALL = structures(max_nodes=6) | perfect_structures(max_nodes=7)
CLOSE = {"rtol": 1e-10, "atol": 1e-10}


@st.composite
def asked(draw, with_zeros=False):
    """A network, rows with holes of all nodes, the class included, and the oracle's model."""
    network = draw(networks(SMALL))
    if with_zeros:
        network = zeroed(network, draw(seeds))
    structure, states = network.structure, dict(network.states)
    frame = draw(frames(structure, states, n_rows=(1, 12)))
    rng = np.random.default_rng(draw(seeds))
    share = rng.choice([0.0, 0.2, 0.5, 0.9], size=frame.shape[1])
    frame = frame.mask(rng.random(frame.shape) < share, None)
    data = bnlr.Dataset.from_frame(
        frame, structure.class_name, states=states, weights=draw(weights_of(len(frame)))
    )
    return network, frame, data, Model.of(structure, states)


def zeroed(network, seed):
    """The network with about a third of the CPT entries exactly 0, and some columns all on one."""
    rng = np.random.default_rng(seed)
    cpts = {}
    for node, cpt in network.cpts.items():
        kept = np.where(rng.random(cpt.shape) < 0.35, 0.0, cpt)
        kept[..., 0] = np.where(kept.sum(axis=-1) == 0, 1.0, kept[..., 0])
        cpts[node] = kept / kept.sum(axis=-1, keepdims=True)
    return bnlr.BayesianNetwork(network.structure, network.states, cpts)


# Enumeration


@given(asked())
def test_probabilities_are_those_of_enumeration(case):
    network, frame, data, model = case
    expected = joint.posteriors(model, network.cpts, data.codes)
    np.testing.assert_allclose(network.predict_proba(data), expected, **CLOSE)
    np.testing.assert_allclose(network.predict_proba(frame), expected, **CLOSE)
    np.testing.assert_allclose(network.predict_log_proba(data), np.log(expected), **CLOSE)


@given(asked())
def test_likelihoods_are_those_of_enumeration(case):
    network, _, data, model = case
    expected = joint.ll(model, network.cpts, data.codes, data.weights)
    assert network.log_likelihood(data) == pytest.approx(expected, rel=1e-10, abs=1e-10)
    if (data.class_codes[data.weights > 0] >= 0).any():
        expected = joint.cll(model, network.cpts, data.codes, data.weights)
        found = network.conditional_log_likelihood(data)
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-10)
    else:
        with pytest.raises(bnlr.DataError, match="no row has a value of the class"):
            network.conditional_log_likelihood(data)


@pytest.mark.slow
@given(asked())
def test_posteriors_of_any_node_are_those_of_enumeration(case):
    network, frame, data, model = case
    for node in network.structure.nodes:
        about = Model(model.nodes, model.cards, model.parents, node)
        expected = joint.posteriors(about, network.cpts, data.codes)
        np.testing.assert_allclose(network.posterior(data, node), expected, **CLOSE)
        without = frame.drop(columns=node)
        np.testing.assert_allclose(network.posterior(without, node), expected, **CLOSE)


@st.composite
def questions(draw, with_zeros=False):
    """A network, targets in any order, and codes of evidence on other nodes."""
    network = draw(networks(SMALL))
    network = zeroed(network, draw(seeds)) if with_zeros else network
    rng = np.random.default_rng(draw(seeds))
    nodes = [network.structure.nodes[k] for k in rng.permutation(len(network.structure.nodes))]
    n_targets = int(rng.integers(1, min(3, len(nodes)) + 1))
    n_seen = int(rng.integers(0, len(nodes) - n_targets + 1))
    seen = nodes[n_targets : n_targets + n_seen]
    return network, nodes[:n_targets], {n: int(rng.integers(network.cards[n])) for n in seen}


def enumerated(network, targets, codes):
    """P(targets, evidence), an axis a target, and P(evidence)."""
    model = Model.of(network.structure, network.states)
    row = [codes.get(node) for node in model.nodes]
    table = np.zeros([network.cards[node] for node in targets])
    for values in model.completions(row):
        logs = joint.log_joint(model, network.cpts, values)
        table[tuple(values[node] for node in targets)] += math.exp(logs)
    return table, table.sum()


@given(questions())
def test_queries_are_those_of_enumeration(question):
    network, targets, codes = question
    table, total = enumerated(network, targets, codes)
    evidence = {node: network.states[node][code] for node, code in codes.items()}
    found = network.query(targets, evidence=evidence)
    np.testing.assert_allclose(found, table / total, **CLOSE)
    turned = network.query(targets[::-1], evidence)
    np.testing.assert_allclose(turned, found.T, **CLOSE)


@given(questions(with_zeros=True))
def test_impossible_evidence_is_named_and_nothing_else_is(question):
    network, targets, codes = question
    table, total = enumerated(network, targets, codes)
    evidence = {node: network.states[node][code] for node, code in codes.items()}
    if total > 0:
        np.testing.assert_allclose(network.query(targets, evidence), table / total, **CLOSE)
        return
    with pytest.raises(bnlr.ImpossibleEvidenceError, match="has probability 0") as caught:
        network.query(targets, evidence)
    assert all(f"{node}={label!r}" in str(caught.value) for node, label in evidence.items())


@given(asked(with_zeros=True))
def test_exact_zeros(case):
    """Possible rows as enumerated; impossible ones get the class given its observed parents."""
    network, _, data, model = case
    logs = np.array([joint.log_probability(model, network.cpts, r) for r in others(model, data)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found, found_logs = network.predict_proba(data), network.predict_log_proba(data)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert not np.isnan(found_logs).any()
    possible = np.isfinite(logs)
    expected = [joint.posterior(model, network.cpts, row) for row in data.codes[possible]]
    np.testing.assert_allclose(found[possible], np.reshape(expected, (-1, found.shape[1])), **CLOSE)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(found_logs, np.log(found), **CLOSE)
    told = [w for w in caught if "of probability 0" in str(w.message)]
    # A row that is whole in the blanket is judged by the blanket alone.
    assert len(told) in (0, 2)
    assert told or possible[rows_with_holes(network, data)].all()
    ll = joint.ll(model, network.cpts, data.codes, data.weights)
    assert network.log_likelihood(data) == pytest.approx(ll, rel=1e-10, abs=1e-10)


def others(model, data):
    return [model.without_class(row) for row in data.codes]


def rows_with_holes(network, data):
    blanket = [data.nodes.index(node) for node in network.structure.markov_blanket()]
    return (data.codes[:, blanket] < 0).any(axis=1)


# Impossible rows, by hand


def collider():
    """P(c | a) is certain where a = 1, and b is there to be missing."""
    s = bnlr.Structure([("a", "c"), ("c", "b"), ("c", "d")], "c", ("c", "a", "b", "d"))
    cpts = {
        "a": [0.25, 0.75], "c": [[0.5, 0.5], [0.0, 1.0]],
        "b": [[0.5, 0.5], [0.1, 0.9]], "d": [[0.3, 0.7], [0.0, 1.0]],
    }  # fmt: skip
    return bnlr.BayesianNetwork(s, dict.fromkeys(s.nodes, (0, 1)), cpts)


@pytest.mark.parametrize("hole", [None, 1])
def test_an_impossible_row_gets_the_class_given_its_parents_with_one_warning(hole):
    rows = pd.DataFrame({"a": [1, 0], "b": [hole, 1], "d": [0, 0]})
    with pytest.warns(bnlr.BnlrWarning, match=r"1 row \(0\) of probability 0") as caught:
        found = collider().predict_proba(rows)
    assert len(caught) == 1
    np.testing.assert_allclose(found, [[0.0, 1.0], [1.0, 0.0]])


def test_an_impossible_row_without_its_parents_gets_the_class_alone():
    net = collider()
    cpts = {**net.cpts, "d": [[0.0, 1.0], [0.0, 1.0]]}
    dead = bnlr.BayesianNetwork(net.structure, net.states, cpts)
    rows = pd.DataFrame({"a": [None, 0], "b": [1, None], "d": [0, 0]})
    with pytest.warns(bnlr.BnlrWarning, match=r"2 rows \(0, 1\)"):
        found = dead.predict_proba(rows)
    # P(c = 0) = 0.25 · 0.5 without a; P(c | a = 0) where a is seen.
    np.testing.assert_allclose(found, [[0.125, 0.875], [0.5, 0.5]])
    assert dead.log_likelihood(rows) == -np.inf


def test_impossible_parents_that_are_seen_still_say_what_the_class_is():
    s = bnlr.Structure([("a", "c"), ("c", "b")], "c", ("c", "a", "b"))
    cpts = {"a": [1.0, 0.0], "c": [[0.5, 0.5], [0.2, 0.8]], "b": [[0.5, 0.5], [0.1, 0.9]]}
    network = bnlr.BayesianNetwork(s, dict.fromkeys(s.nodes, (0, 1)), cpts)
    rows = pd.DataFrame({"a": [1, 0], "b": [None, 0]})
    with pytest.warns(bnlr.BnlrWarning, match=r"1 row \(0\)"):
        found = network.predict_proba(rows)
    np.testing.assert_allclose(found, [[0.2, 0.8], [5 / 6, 1 / 6]])


# What rows that are whole have always been given


@given(asked())
def test_rows_without_holes_beside_rows_with_holes_keep_their_numbers(case):
    network, _, data, _ = case
    together = network.predict_proba(data)
    alone = [network.predict_proba(data.take([k]))[0] for k in range(data.n_rows)]
    np.testing.assert_allclose(together, alone, rtol=1e-13)


def test_no_inference_where_the_blanket_is_observed():
    """Neither an engine nor a plan, so that a network too dense for inference still predicts."""
    rng = np.random.default_rng(0)
    names = [f"a{k}" for k in range(80)]
    arcs = [
        (names[p], names[k])
        for k in range(1, 80)
        for p in rng.choice(k, size=min(k, 6), replace=False)
    ]
    s = bnlr.Structure([("c", "a0"), *arcs], "c", ("c", *names))
    cpts = {n: rng.dirichlet(np.ones(3), [3] * len(s.parents(n))) for n in s.nodes}
    network = bnlr.BayesianNetwork(s, dict.fromkeys(s.nodes, (0, 1, 2)), cpts)
    row = pd.DataFrame([dict.fromkeys(names, 1)])
    expected = cpts["c"] * cpts["a0"][:, 1]
    np.testing.assert_allclose(network.predict_proba(row)[0], expected / expected.sum())
    assert network._inference is None
    with pytest.raises(bnlr.TooLargeError, match=r"clique|tables"):
        network.predict_proba(row.assign(**dict.fromkeys(names[:-1])))


# Extremes


def test_log_odds_of_800_neither_under_nor_overflow():
    names = [f"a{k}" for k in range(8)]
    s = bnlr.Structure.naive_bayes(names, "c")
    tiny = math.exp(-100.0)
    cpts = {"c": [0.5, 0.5]} | {n: [[1.0 - tiny, tiny], [tiny, 1.0 - tiny]] for n in names}
    network = bnlr.BayesianNetwork(s, dict.fromkeys(s.nodes, (0, 1)), cpts)
    rows = pd.DataFrame([dict.fromkeys(names, 1), dict.fromkeys(names, 0)])
    logs = network.predict_log_proba(rows.assign(a0=[None, 0]))
    np.testing.assert_allclose(logs, [[-700.0, 0.0], [0.0, -800.0]], atol=1e-9)
    data = rows.assign(a0=None, c=[0, 1])
    assert network.conditional_log_likelihood(data) == pytest.approx(-1400.0)
    assert network.log_likelihood(data) == pytest.approx(-1400.0 + 2 * math.log(0.5))


def test_log_probabilities_below_the_least_float():
    names = [f"a{k}" for k in range(9)]
    s = bnlr.Structure.naive_bayes(names, "c")
    tiny = math.exp(-300.0)
    cpts = {"c": [0.5, 0.5]} | {n: [[1.0 - tiny, tiny], [0.5, 0.5]] for n in names}
    network = bnlr.BayesianNetwork(s, dict.fromkeys(s.nodes, (0, 1)), cpts)
    logs = network.predict_log_proba(pd.DataFrame([{**dict.fromkeys(names, 1), "a4": None}]))
    np.testing.assert_allclose(logs, [[-2400.0 + 8 * math.log(2), 0.0]], rtol=1e-12)


@pytest.mark.slow
def test_two_thousand_nodes():
    rng = np.random.default_rng(4)
    names = [f"a{k}" for k in range(2000)]
    s = bnlr.Structure.naive_bayes(names, "c")
    cpts = {"c": rng.dirichlet([1.0, 1.0])} | {n: rng.dirichlet(np.ones(3), 2) for n in names}
    network = bnlr.BayesianNetwork(s, {"c": (0, 1)} | dict.fromkeys(names, (0, 1, 2)), cpts)
    codes = rng.integers(0, 3, (3, 2001))
    codes[:, 0] = 0
    codes[1:, 1:][rng.random((2, 2000)) < 0.5] = -1
    data = bnlr.Dataset.from_codes(codes, network.states, "c")
    expected = [
        math.fsum(
            math.log(network.cpts[node][(0, code) if node != "c" else 0])
            for node, code in zip(s.nodes, row, strict=True)
            if code >= 0
        )
        for row in codes
    ]
    assert network.log_likelihood(data) == pytest.approx(sum(expected), rel=1e-12)


def test_columns_in_another_order_and_others_beside_them():
    network = collider()
    rows = pd.DataFrame({"d": [1, 1], "x": [7, 8], "b": [1, None], "c": [0, 1], "a": [None, 0]})
    states = {"d": (0, 1), "x": (7, 8), "b": (0, 1), "c": (0, 1), "a": (0, 1)}
    data = bnlr.Dataset.from_frame(rows, "c", states=states)
    np.testing.assert_array_equal(network.predict_proba(data), network.predict_proba(rows))
    np.testing.assert_array_equal(network.posterior(data, "a"), network.posterior(rows, "a"))
    assert network.log_likelihood(data) == network.log_likelihood(rows)


def test_all_attributes_missing_gives_the_prior():
    network = collider()
    found = network.predict_proba(pd.DataFrame({"a": [None], "b": [None], "d": [None]}))
    np.testing.assert_allclose(found, [[0.125, 0.875]], rtol=1e-14)


# What is asked wrongly


@pytest.mark.parametrize(
    ("targets", "evidence", "error", "message"),
    [
        (["q"], {}, bnlr.ParameterError, r"no node 'q', only 'c', 'a', 'b', 'd'"),
        (["a"], {"bb": 1}, bnlr.ParameterError, r"no node 'bb'.*did you mean 'b'\?"),
        (["a"], {"b": 2}, bnlr.StateError, r"2 is no state of 'b', which has 0, 1"),
        (["a"], {"b": "1"}, bnlr.StateError, r"'1' is no state of 'b'"),
        (["a"], {"b": None}, bnlr.StateError, r"None is no state of 'b'.*leave"),
        (["a"], {"b": math.nan}, bnlr.StateError, r"nan is no state of 'b'"),
        (["a"], {"b": [1]}, bnlr.StateError, r"\[1\] is no state of 'b'"),
        (["a", "b", "a"], {}, bnlr.ParameterError, r"'a' is named twice"),
        ([], {}, bnlr.ParameterError, "no targets"),
        ("a", {}, bnlr.ParameterError, r"targets is 'a'; give a list"),
        (3, {}, bnlr.ParameterError, r"targets is 3"),
        ([3], {}, bnlr.ParameterError, r"no node 3"),
        (["a"], ["b"], bnlr.ParameterError, r"evidence is \['b'\]; give a dictionary"),
        (["b"], {"a": 1, "d": 0}, bnlr.ImpossibleEvidenceError, "the evidence a=1, d=0 has"),
    ],
)
def test_unusable_questions_get_one_error(targets, evidence, error, message):
    with pytest.raises(error, match=message) as caught:
        collider().query(targets, evidence)
    assert isinstance(caught.value, (bnlr.BnlrError, ValueError))


@pytest.mark.parametrize(
    ("number", "interval"),
    [(1.5, "(-inf, 1.5]"), (np.float64(1.6), "(1.5, 4]"), (10**400, "(4, inf)")],
)
def test_a_number_is_told_the_interval_that_holds_it(number, interval):
    values, cuts = np.array([min(number, 1e300)]), np.array([1.5, 4.0])
    place = int(bins(values, cuts)[0])  # as fit cuts
    assert ("(-inf, 1.5]", "(1.5, 4]", "(4, inf)")[place] == interval
    for beside in ((), ("missing",)):
        states = {"c": (0, 1), "v": ("(-inf, 1.5]", "(1.5, 4]", "(4, inf)", *beside)}
        tables = {"c": [0.5, 0.5], "v": np.full((2, 3 + len(beside)), 1 / (3 + len(beside)))}
        network = bnlr.BayesianNetwork(bnlr.Structure([("c", "v")], "c"), states, tables)
        told = f"is no state of 'v'.*; give the interval that holds it, '{re.escape(interval)}'"
        with pytest.raises(bnlr.StateError, match=told):
            network.query(["c"], {"v": number})
        for other in (math.nan, True, "2"):
            with pytest.raises(bnlr.StateError, match="leave a node that was not observed"):
                network.query(["c"], {"v": other})


def test_a_target_that_is_known_has_its_state_for_certain():
    found = collider().query(["b", "c"], {"c": np.int64(1)})
    np.testing.assert_allclose(found, [[0.0, 0.1], [0.0, 0.9]])


def test_posterior_of_an_unknown_node_is_refused():
    with pytest.raises(bnlr.ParameterError, match="no node 'q'"):
        collider().posterior(pd.DataFrame({"a": [1]}), "q")


# The object


def test_pickles_and_copies_carry_no_engine():
    network = collider()
    before = len(pickle.dumps(network))
    rows = pd.DataFrame({"a": [None, 1], "b": [1, 1], "d": [1, None]})
    expected = network.predict_proba(rows)
    network.posterior(rows, "a")
    assert network._inference is not None
    assert len(pickle.dumps(network)) == before
    for again in (pickle.loads(pickle.dumps(network)), copy.deepcopy(network)):  # noqa: S301
        assert again._inference is None
        np.testing.assert_array_equal(again.predict_proba(rows), expected)


def test_one_engine_a_target(monkeypatch):
    from bnlr.network import exact

    built = []

    class Counting(exact.Engine):
        def __init__(self, flat, target):
            built.append(target)
            super().__init__(flat, target)

    monkeypatch.setattr(exact, "Engine", Counting)
    network, rows = collider(), pd.DataFrame({"a": [None], "b": [1], "d": [1]})
    for _ in range(3):
        network.predict_proba(rows)
        network.log_likelihood(rows)
        network.query(["a"])
        network.posterior(rows, "b")
    assert built == [0, 2]


def test_samples_agree_with_queries():
    network = collider()
    drawn = network.sample(40_000, random_state=1)
    seen = drawn[(drawn["b"] == 1) & (drawn["d"] == 1)]
    counts = np.zeros((2, 2))
    np.add.at(counts, (seen["a"].to_numpy(int), seen["c"].to_numpy(int)), 1 / len(seen))
    np.testing.assert_allclose(counts, network.query(["a", "c"], {"b": 1, "d": 1}), atol=0.015)


# Another program


@pytest.mark.slow
def test_agrees_with_pyagrum_on_twenty_nodes():
    gum = pytest.importorskip("pyagrum")
    rng = np.random.default_rng(20)
    names = [f"x{k}" for k in range(20)]
    arcs = [
        (names[p], names[k])
        for k in range(20)
        for p in rng.choice(k, size=min(k, int(rng.integers(0, 4))), replace=False)
    ]
    s = bnlr.Structure(arcs, "x7", names)
    cards = {name: int(rng.integers(2, 5)) for name in names}
    cpts = {n: rng.dirichlet(np.ones(cards[n]), [cards[p] for p in s.parents(n)]) for n in names}
    network = bnlr.BayesianNetwork(s, {n: tuple(range(d)) for n, d in cards.items()}, cpts)
    other = gum.BayesNet()
    for name in names:
        other.add(gum.RangeVariable(name, "", 0, cards[name] - 1))
    for parent, child in arcs:
        other.addArc(parent, child)
    for name in names:
        # A tensor's array has its variables in the reverse of their order.
        family, axes = [*s.parents(name), name], other.cpt(name).names[::-1]
        turned = np.transpose(cpts[name], [family.index(axis) for axis in axes])
        other.cpt(name)[:] = np.ascontiguousarray(turned)
    codes = np.column_stack([rng.integers(0, cards[n], 30) for n in names])
    codes[rng.random(codes.shape) < 0.4] = -1
    found = network.predict_proba(bnlr.Dataset.from_codes(codes, network.states, "x7"))
    engine = gum.LazyPropagation(other)
    for row, probabilities in zip(codes, found, strict=True):
        seen = {n: int(c) for n, c in zip(names, row, strict=True) if c >= 0 and n != "x7"}
        engine.setEvidence(seen)
        engine.makeInference()
        np.testing.assert_allclose(probabilities, engine.posterior("x7").toarray(), atol=1e-9)
        assert network.log_likelihood(
            bnlr.Dataset.from_codes([[seen.get(n, -1) for n in names]], network.states, "x7")
        ) == pytest.approx(math.log(engine.evidenceProbability()), abs=1e-9)
    pair = gum.LazyPropagation(other)
    pair.addJointTarget({"x1", "x12"})
    pair.setEvidence({"x5": 1, "x18": 0})
    pair.makeInference()
    table = pair.jointPosterior({"x1", "x12"})
    found = network.query(list(table.names[::-1]), {"x5": 1, "x18": 0})
    np.testing.assert_allclose(found, table.toarray(), atol=1e-9)

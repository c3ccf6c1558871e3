"""The logarithmic opinion pool of networks, against sums over the joint distribution."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.network.opinion_pool import Opinion, explain_pool, joint_blanket, pooled_posteriors
from tests.network.test_posteriors import zeroed
from tests.oracles import Model, joint
from tests.strategies import frames, networks, seeds, structures


@st.composite
def opinions(draw, with_zeros=False):
    """Networks over the same nodes, weights, and one row with holes."""
    first = draw(networks(structures(max_nodes=5)))
    rng = np.random.default_rng(draw(seeds))
    nodes, states = first.structure.nodes, dict(first.states)
    pool = [first]
    for _ in range(draw(st.integers(0, 2))):
        order = [*rng.permutation(nodes)]
        arcs = [(a, b) for k, a in enumerate(order) for b in order[k + 1 :] if rng.random() < 0.5]
        structure = bnlr.Structure(arcs, first.structure.class_name, nodes=nodes)
        cpts = {}
        for node in nodes:
            shape = [len(states[axis]) for axis in (*structure.parents(node), node)]
            cpts[node] = rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])
        pool.append(bnlr.BayesianNetwork(structure, states, cpts))
    if with_zeros:
        pool = [zeroed(network, draw(seeds)) for network in pool]
    frame = draw(frames(first.structure, states, n_rows=(1, 1))).iloc[[0]]
    frame = frame.mask(rng.random(frame.shape) < rng.choice([0.0, 0.3, 0.6]), None)
    data = bnlr.Dataset.from_frame(frame, first.structure.class_name, states=states)
    weights = rng.uniform(0.1, 1.5, len(pool))
    return [Opinion(one, data, float(w)) for one, w in zip(pool, weights, strict=True)]


def literal(pool):
    """P(class | row) of the pool, from each network's joint distribution."""
    scores = 0.0
    for one in pool:
        model = Model.of(one.network.structure, one.network.states)
        row = [int(one.data.column(node)[0]) for node in one.network.structure.nodes]
        logs = joint.log_posterior(model, one.network.cpts, model.without_class(np.array(row)))
        scores = scores + one.weight * logs
    shares = np.exp(scores - scores.max())
    return shares / shares.sum()


@given(opinions())
def test_the_pool_is_the_weighted_product_of_posteriors(pool):
    expected = literal(pool)
    np.testing.assert_allclose(pooled_posteriors(pool, in_logs=False)[0], expected, rtol=1e-9)
    np.testing.assert_allclose(
        pooled_posteriors(pool, in_logs=True)[0], np.log(expected), atol=1e-9
    )


@given(opinions())
def test_terms_sum_to_the_log_odds(pool):
    explanation = explain_pool(pool)
    logs = pooled_posteriors(pool, in_logs=True)[0]
    terms = explanation.contributions.iloc[:, 1:].to_numpy(float).sum(axis=0)
    np.testing.assert_allclose(explanation.prior + terms, logs - logs[0], atol=1e-12)
    assert explanation.contributions.index.is_unique


@given(opinions())
def test_a_column_has_the_weighted_sum_of_its_terms(pool):
    """Of rows without holes; the order of the columns in a term is any network's."""
    if not pool[0].data.is_complete:
        return
    expected = {}
    for one in pool:
        terms = one.network.explain(one.data).contributions
        for label, term in zip(terms.index, terms.iloc[:, 1:].to_numpy(float), strict=True):
            column = label.split(" | ")[0]
            expected[column] = expected.get(column, 0.0) + one.weight * term
    found = explain_pool(pool).contributions
    assert {label.split(" | ")[0] for label in found.index} == set(expected)
    for label, term in zip(found.index, found.iloc[:, 1:].to_numpy(float), strict=True):
        np.testing.assert_allclose(term, expected[label.split(" | ")[0]], atol=1e-12)


@given(opinions(with_zeros=True))
def test_impossible_rows_have_probabilities_all_the_same(pool):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        shares = pooled_posteriors(pool, in_logs=False)[0]
        explanation = explain_pool(pool)
    assert np.isfinite(shares).all()
    assert shares.sum() == pytest.approx(1.0)
    np.testing.assert_array_equal(explanation.probabilities, shares)
    assert str(explanation)


def pair(p, q):
    structure = bnlr.Structure([("c", "a")], "c")
    states = {"c": ("no", "yes"), "a": ("x", "y")}
    return [
        bnlr.BayesianNetwork(structure, states, {"c": [0.5, 0.5], "a": [[1 - r, r], [r, 1 - r]]})
        for r in (p, q)
    ]


def rows(network, labels):
    import pandas as pd

    return network.encode(pd.DataFrame({"a": labels}))


def test_one_network_of_weight_1_is_as_it_was():
    network, _ = pair(0.3, 0.4)
    data = rows(network, ["x", None, "y"])
    only = [Opinion(network, data)]
    np.testing.assert_array_equal(
        pooled_posteriors(only, in_logs=False), network.predict_proba(data)
    )
    np.testing.assert_array_equal(
        pooled_posteriors(only, in_logs=True), network.predict_log_proba(data)
    )
    for k in range(3):
        one = [only[0].take(np.array([k]))]
        assert str(explain_pool(one)) == str(network.explain(data.take([k])))


def test_opinions_that_exclude_each_other_leave_the_first():
    one, other = pair(0.0, 1.0)
    data = rows(one, ["x"])
    pool = [Opinion(one, data, 0.5), Opinion(other, data, 2.0)]
    np.testing.assert_array_equal(pooled_posteriors(pool, in_logs=False), [[1.0, 0.0]])
    np.testing.assert_array_equal(explain_pool(pool).probabilities, [1.0, 0.0])


def test_a_term_names_the_parents_of_all_networks():
    states = {"c": (0, 1), "a": ("x", "y"), "b": ("p", "q"), "d": ("u", "v")}
    arcs = [("c", "a"), ("c", "b"), ("c", "d")]
    pool = []
    for more in ([], [("a", "d")], [("b", "d"), ("b", "a")]):
        structure = bnlr.Structure([*arcs, *more], "c")
        rng = np.random.default_rng(len(pool))
        cpts = {
            node: rng.dirichlet([1, 1], size=[2] * len(structure.parents(node))) for node in states
        }
        pool.append(bnlr.BayesianNetwork(structure, states, cpts))
    row = pool[0].encode(bnlr.BayesianNetwork.sample(pool[0], 1, 0))
    assert joint_blanket([Opinion(one, row) for one in pool]) == ("a", "b", "d")
    explanation = explain_pool([Opinion(one, row, 0.5) for one in pool], {"a": "1.5"})
    assert sorted(explanation.contributions.index) == ["a | c, b", "b | c", "d | c, a, b"]
    value = explanation.contributions["value"]
    assert value["a | c, b"].startswith("a = 1.5, b = ")
    holed = row.codes.copy()
    holed[:, row.nodes.index("a")] = -1
    blind = [Opinion(one, bnlr.Dataset(holed, row.states, "c"), 0.5).without("b") for one in pool]
    (label,) = explain_pool(blind).contributions.index
    assert label == "d | c (a, b missing)"


def test_what_any_network_depends_on():
    states = {"c": (0, 1), "a": (0, 1), "b": (0, 1), "d": (0, 1)}
    pool = []
    for arcs in ([("c", "b")], [("a", "c")], [("d", "a")]):
        structure = bnlr.Structure(arcs, "c", nodes=list(states))
        cpts = {node: np.full([2] * (1 + len(structure.parents(node))), 0.5) for node in states}
        network = bnlr.BayesianNetwork(structure, states, cpts)
        pool.append(Opinion(network, network.encode(network.sample(2, 0))))
    assert joint_blanket(pool) == ("a", "b")
    assert joint_blanket(pool[2:]) == ()


def test_explain_takes_one_row():
    one, other = pair(0.2, 0.4)
    data = rows(one, ["x", "y"])
    with pytest.raises(bnlr.DataError, match="one row, but was given 2"):
        explain_pool([Opinion(one, data, 0.5), Opinion(other, data, 0.5)])

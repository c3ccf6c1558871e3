"""Contributions of a row's families: each against literal products and sums over the CPTs."""

import itertools
import math
import pickle
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from tests.network.test_posteriors import zeroed
from tests.oracles import Model, joint
from tests.strategies import frames, networks, perfect_structures, seeds, structures


@st.composite
def asked(draw, with_zeros=False):
    """A network, a row with holes, as frame and as data, and the oracle's model."""
    network = draw(networks(structures(max_nodes=7) | perfect_structures(max_nodes=7)))
    network = zeroed(network, draw(seeds)) if with_zeros else network
    structure, states = network.structure, dict(network.states)
    frame = draw(frames(structure, states, n_rows=(1, 1))).iloc[[0]]
    rng = np.random.default_rng(draw(seeds))
    frame = frame.mask(rng.random(frame.shape) < rng.choice([0.0, 0.3, 0.6, 0.9]), None)
    data = bnlr.Dataset.from_frame(frame, structure.class_name, states=states)
    return network, frame, data, Model.of(structure, states)


def log(p):
    return math.log(p) if p > 0 else -math.inf


def less(logs, reference=0):
    """Differences to the reference class's, 0 where both are −inf."""
    base = logs[reference]
    return [0.0 if one == base == -math.inf else one - base for one in logs]


def literal_terms(network, row):
    """{child(ren), in node order: a log a class}; `row` is {node: code or None}, without the class.

    Families that missing cells join are components of a graph; loops sum the missing cells out.
    """
    structure, own = network.structure, network.structure.class_name
    graph = structure.to_networkx()
    while barren := [n for n in graph if n != own and row[n] is None and not graph.adj[n]]:
        graph.remove_nodes_from(barren)
    families = {n: {n, *structure.parents(n)} for n in structure.nodes if n in graph}
    missing = {n for n in graph if n != own and row[n] is None}
    links = nx.Graph()
    links.add_nodes_from(missing)
    for family in families.values():
        links.add_edges_from(itertools.pairwise(sorted(family & missing)))
    groups = [(set(), [n]) for n, family in families.items() if not family & missing]
    groups += [
        (group, [n for n, family in families.items() if family & group])
        for group in nx.connected_components(links)
    ]
    return {
        tuple(n for n in touched if n not in group): [
            log(summed(network, {**row, own: c}, sorted(group), touched))
            for c in range(len(network.class_states))
        ]
        for group, touched in groups
        if any(own in families[n] for n in touched)
    }


def summed(network, cells, group, nodes):
    fillings = itertools.product(*(range(network.cards[node]) for node in group))
    return math.fsum(
        product(network, {**cells, **dict(zip(group, filling, strict=True))}, nodes)
        for filling in fillings
    )


def product(network, cells, nodes):
    families = {node: (*network.structure.parents(node), node) for node in nodes}
    return math.prod(
        network.cpts[node][tuple(cells[member] for member in family)]
        for node, family in families.items()
    )


def quietly(network, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        return network.explain(data)


def sums(explanation):
    return explanation.prior + explanation.contributions.iloc[:, 1:].sum().to_numpy(float)


@given(asked())
def test_terms_sum_to_the_enumerated_log_odds(case):
    network, frame, data, model = case
    explanation = network.explain(frame)
    logs = joint.log_posterior(model, network.cpts, model.without_class(data.codes[0]))
    np.testing.assert_allclose(explanation.log_odds, logs - logs[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(sums(explanation), explanation.log_odds, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(explanation.probabilities, np.exp(logs), rtol=1e-12, atol=1e-12)
    reference = network.class_states[-1]
    again = explanation.against(reference)
    np.testing.assert_allclose(
        again.iloc[:, 1:].sum().to_numpy(float), logs - logs[-1], rtol=1e-12, atol=1e-12
    )


@given(asked())
def test_each_term_is_the_product_of_its_families(case):
    network, _, data, model = case
    structure, own = network.structure, network.structure.class_name
    row = {
        n: c if c >= 0 else None for n, c in zip(data.nodes, data.codes[0].tolist(), strict=True)
    }
    above = [row[n] if n in structure.parents(own) else None for n in model.nodes]
    prior = joint.log_posterior(model, network.cpts, above)
    explanation = network.explain(data)
    np.testing.assert_allclose(explanation.prior, prior - prior[0], rtol=1e-12, atol=1e-12)
    expected = literal_terms(network, row)
    if all(row[n] is not None for n in structure.parents(own)):
        del expected[(own,)]
    for children in [key for key in expected if own in key]:
        rest = np.array(expected.pop(children)) - prior
        expected[tuple(n for n in children if n != own) or (own,)] = list(rest)
    found = {
        tuple(label.split(" | ")[0].split(", ")): values
        for label, values in zip(
            explanation.contributions.index,
            explanation.contributions.iloc[:, 1:].to_numpy(float),
            strict=True,
        )
    }
    for children, logs in expected.items():
        values = found.pop(children, np.zeros(len(logs)))
        np.testing.assert_allclose(values, less(logs), rtol=1e-12, atol=1e-12)
    assert not found


@given(asked(with_zeros=True))
def test_zeros_are_infinite_and_never_nan(case):
    network, frame, data, model = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        explanation = network.explain(frame)
        shares = network.predict_proba(frame)[0]
    np.testing.assert_array_equal(explanation.probabilities, shares)
    terms = np.vstack([explanation.prior, explanation.contributions.iloc[:, 1:].to_numpy(float)])
    assert not np.isnan(terms).any()
    with np.errstate(divide="ignore"):
        log_odds = less(np.log(shares))
    np.testing.assert_allclose(explanation.log_odds, log_odds, rtol=1e-12, atol=1e-12)
    is_finite = np.isfinite(terms).all(axis=0) & (shares[0] > 0)
    if np.isfinite(joint.log_probability(model, network.cpts, model.without_class(data.codes[0]))):
        total = terms.sum(axis=0, where=is_finite)
        np.testing.assert_allclose(total[is_finite], np.array(log_odds)[is_finite], atol=1e-12)
        assert {c for c in range(len(shares)) if shares[c] == 0} == {
            c
            for c, label in enumerate(network.class_states)
            if f"{label!r} is impossible: " in str(explanation)
        }


# By hand


@pytest.fixture
def smoke():
    """Two children of the class with a common parent that is none of its children."""
    s = bnlr.Structure([("fire", "smoke"), ("fire", "alarm"), ("wind", "smoke")], "fire")
    states = {"fire": ("no", "yes"), "wind": (0, 1), "smoke": (False, True), "alarm": ("-", "!")}
    cpts = {
        "fire": [0.75, 0.25], "wind": [0.5, 0.5], "alarm": [[0.9, 0.1], [0.2, 0.8]],
        "smoke": [[[1.0, 0.0], [0.8, 0.2]], [[0.3, 0.7], [0.9, 0.1]]],
    }  # fmt: skip
    return bnlr.BayesianNetwork(s, states, cpts)


def test_a_table_by_hand(smoke):
    explanation = smoke.explain({"smoke": False, "alarm": "!", "wind": 1})
    assert explanation.classes == ("no", "yes")
    assert list(explanation.contributions.columns) == ["value", "no", "yes"]
    assert explanation.contributions["value"].to_dict() == {
        "alarm | fire": "alarm = !", "smoke | fire, wind": "smoke = False, wind = 1",
    }  # fmt: skip
    expected = [math.log(8), math.log(0.9 / 0.8)]
    np.testing.assert_allclose(explanation.contributions["yes"], expected, rtol=1e-12)
    assert (explanation.contributions["no"] == 0).all()
    np.testing.assert_allclose(explanation.prior, [0, -math.log(3)], rtol=1e-12)
    assert str(explanation).splitlines() == [
        "P(fire | row): 'yes' 0.75, 'no' 0.25",
        "What speaks for 'yes' (+) and for 'no' (-), in natural logarithms:",
        "",
        "log-odds  odds ×  family              cells",
        "  +2.079       8  alarm | fire        alarm = !",
        "  -1.099  0.3333  prior",
        "  +0.118   1.125  smoke | fire, wind  smoke = False, wind = 1",
        "  +1.099       3  sum",
    ]
    assert repr(explanation) == str(explanation)
    html = explanation._repr_html_()
    assert html.count("<tr>") == 5
    assert ">alarm = !</td>" in html


def test_missing_cells_are_summed_out_or_left_out(smoke):
    explanation = smoke.explain({"smoke": True, "alarm": None, "wind": None})
    assert explanation.contributions["value"].to_dict() == {
        "smoke | fire (wind missing)": "smoke = True, wind missing"
    }
    assert explanation.contributions["yes"].item() == pytest.approx(math.log(0.4 / 0.1))
    assert len(smoke.explain({"smoke": None, "alarm": None, "wind": 1}).contributions) == 0


def test_zeros_are_named(smoke):
    explanation = smoke.explain({"smoke": True, "alarm": "!", "wind": 0})
    assert explanation.contributions.loc["smoke | fire, wind", "yes"] == math.inf
    assert explanation.against("yes").loc["smoke | fire, wind", "no"] == -math.inf
    assert list(explanation.log_odds) == [0, math.inf]
    assert str(explanation).splitlines()[-2:] == [
        "    +inf     inf  sum",
        "'no' is impossible: smoke | fire, wind has probability 0.",
    ]


def test_a_row_that_cannot_be_says_so():
    s = bnlr.Structure.naive_bayes(["a", "b"], "c")
    cpts = {"c": [0.3, 0.7], "a": [[1.0, 0.0], [0.5, 0.5]], "b": [[0.5, 0.5], [1.0, 0.0]]}
    network = bnlr.BayesianNetwork(s, {"c": (0, 1), "a": (0, 1), "b": (0, 1)}, cpts)
    with pytest.warns(bnlr.BnlrWarning, match="probability 0"):
        explanation = network.explain({"a": 1, "b": 1})
    np.testing.assert_allclose(explanation.log_odds, [0, math.log(7 / 3)])
    assert str(explanation).splitlines()[-3:] == [
        "0 is impossible: a | c has probability 0.",
        "1 is impossible: b | c has probability 0.",
        "The row has probability 0 under the network; the probabilities are those of c given its "
        "parents alone.",
    ]


def test_parents_of_the_class_are_in_its_own_family():
    s = bnlr.Structure([("a", "c"), ("c", "x"), ("a", "x")], "c")
    cpts = {
        "a": [0.5, 0.5], "c": [[0.9, 0.1], [0.2, 0.8]],
        "x": np.full((2, 2, 2), 0.5),
    }  # fmt: skip
    network = bnlr.BayesianNetwork(s, dict.fromkeys("acx", ("n", "y")), cpts)
    whole = network.explain({"a": "y", "x": "n"})
    np.testing.assert_allclose(whole.prior, [0, math.log(4)])
    assert "  +1.386       4  c | a     a = y\n" in str(whole)
    holed = network.explain({"a": None, "x": "n"})
    np.testing.assert_allclose(holed.prior, [0, math.log(0.45 / 0.55)])
    assert list(holed.contributions.index) == ["x | c (a missing)"]


def test_many_terms_are_cut_in_print_and_none_in_the_table():
    names = [f"x{k}" for k in range(30)]
    cpts = {"c": [0.5, 0.5]} | {
        n: [[0.5, 0.5], [0.5 - k / 99, 0.5 + k / 99]] for k, n in enumerate(names)
    }
    states = dict.fromkeys(["c", *names], (0, 1))
    network = bnlr.BayesianNetwork(bnlr.Structure.naive_bayes(names, "c"), states, cpts)
    explanation = network.explain(dict.fromkeys(names, 0))
    assert len(explanation.contributions) == 30
    assert [line.split()[2:] for line in str(explanation).splitlines()[-2:]] == [
        ["11", "more"],
        ["sum"],
    ]
    assert explanation.contributions.index[0] == "x29 | c"


def test_many_classes_and_labels_of_any_kind():
    states = {"c": tuple(range(12)), "value": (" ", "a\nb", "<b>" + 80 * "x")}
    rng = np.random.default_rng(0)
    cpts = {"c": rng.dirichlet(np.ones(12)), "value": rng.dirichlet(np.ones(3), 12)}
    network = bnlr.BayesianNetwork(bnlr.Structure.naive_bayes(["value"], "c"), states, cpts)
    cells = [network.explain({"value": v}).contributions["value"].item() for v in states["value"]]
    assert cells[:2] == ["value = ' '", "value = 'a\\nb'"]
    assert len(cells[2]) < 80
    assert "4 more" in str(network.explain({"value": " "}))
    assert "&lt;b&gt;" in network.explain({"value": states["value"][2]})._repr_html_()


def test_a_class_of_one_state_and_one_called_value():
    s = bnlr.Structure.naive_bayes(["a"], "c")
    for labels in (("value",), ("value", "other")):
        cpts = {"c": np.full(len(labels), 1 / len(labels)), "a": np.full((len(labels), 2), 0.5)}
        explanation = bnlr.BayesianNetwork(s, {"c": labels, "a": (0, 1)}, cpts).explain({"a": 1})
        assert list(explanation.contributions.columns) == ["value", *labels]
        assert (explanation.contributions.iloc[:, 1:] == 0).all(axis=None)
        assert "'value'" in str(explanation)


def test_rows_come_in_many_forms(smoke):
    frame = pd.DataFrame({"smoke": [True, False], "alarm": ["!", "-"], "wind": [1, 0]})
    data = smoke.encode(frame)
    forms = [frame[:1], frame.iloc[0], frame.iloc[0].to_dict(), data.take(np.array([0]))]
    forms += [frame[:1].assign(fire="yes", more=3), {"fire": "no", **frame.iloc[0]}]
    for form in forms:
        found = smoke.explain(form)
        pd.testing.assert_frame_equal(found.contributions, smoke.explain(forms[0]).contributions)
    for rows in (frame, frame[:0], data):
        with pytest.raises(bnlr.DataError, match=r"one row|no rows"):
            smoke.explain(rows)
    with pytest.raises(bnlr.DataError, match="'wind'"):
        smoke.explain({"smoke": True, "alarm": "!"})
    with pytest.raises(bnlr.StateError, match=r"'alarm'.*'\?'"):
        smoke.explain({"smoke": True, "alarm": "?", "wind": 0})
    for empty in ({}, pd.Series(dtype=object)):
        with pytest.raises(bnlr.DataError, match="the row is empty; give every attribute"):
            smoke.explain(empty)
    for nothing in (None, 3, [True, "!", 1]):
        with pytest.raises(bnlr.BnlrError):
            smoke.explain(nothing)


def test_is_immutable_and_picklable(smoke):
    explanation = smoke.explain({"smoke": True, "alarm": "!", "wind": 1})
    with pytest.raises(AttributeError):
        explanation.prior = None
    for values in (explanation.prior, explanation.log_odds, explanation.probabilities):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1
    assert str(pickle.loads(pickle.dumps(explanation))) == str(explanation)  # noqa: S301
    with pytest.raises(bnlr.ParameterError, match=r"'yess' is no class.*mean 'yes'"):
        explanation.against("yess")


def test_made_by_hand_it_prints_the_same(smoke):
    for wind in (0, 1):
        made = smoke.explain({"smoke": True, "alarm": "!", "wind": wind})
        again = bnlr.Explanation(
            made.class_name, made.classes, made.contributions, made.prior, made.log_odds,
            made.probabilities,
        )  # fmt: skip
        assert str(again) == str(made)


@pytest.mark.slow
def test_probabilities_too_small_for_a_double():
    """Log-odds of thousands stay exact, with holes and without."""
    names = [f"x{k}" for k in range(400)]
    s = bnlr.Structure([("c", n) for n in names] + [("h", n) for n in names] + [("c", "h")], "c")
    cpts = {"c": [0.5, 0.5], "h": [[0.5, 0.5], [0.5, 0.5]]}
    cpts |= {n: [[[1 - 1e-9, 1e-9], [1 - 1e-9, 1e-9]], [[0.5, 0.5]] * 2] for n in names}
    order = s.parents(names[0])
    assert order == ("c", "h")
    network = bnlr.BayesianNetwork(s, dict.fromkeys(["c", "h", *names], (0, 1)), cpts)
    expected = 400 * math.log(0.5 / 1e-9)
    for hidden in (None, 1):
        explanation = network.explain({**dict.fromkeys(names, 1), "h": hidden})
        assert explanation.log_odds[1] == pytest.approx(expected, rel=1e-12)
        assert f"e^{expected:.0f}  sum" in str(explanation)

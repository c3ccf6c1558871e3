"""Discriminative frequency estimates against literal loops, and what ``fit`` makes of options."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.learn.dfe import estimates as module
from tests.oracles import counts as frequencies
from tests.oracles import dfe as oracle
from tests.oracles.model import Model
from tests.strategies import perfect_structures, problems, structures

SEED = 3


def model_and_rows(structure, data):
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})
    return model, list(zip(*(data.column(node) for node in model.nodes), strict=True))


def learnable(data):
    weights = np.bincount(data.class_codes, data.weights, minlength=1)
    return np.count_nonzero(weights) > 1


def fitted(structure, data, **options):
    return bnlr.fit(structure, data, learner="dfe", **options)


any_problem = problems(structures(max_nodes=5), n_rows=(2, 25))


@given(any_problem, st.sampled_from([0.0, 0.0, 0.5, 1.0, 1, 0]), st.integers(1, 5))
def test_equal_the_literal_loop(problem, pseudocount, passes):
    structure, data = problem
    if not learnable(data):
        return
    model, rows = model_and_rows(structure, data)
    counts, losses = oracle.learn(model, rows, data.weights, passes, pseudocount)
    result = fitted(structure, data, pseudocount=pseudocount, max_iter=passes)
    expected = frequencies.normalised(counts, pseudocount)
    for node in structure.nodes:
        np.testing.assert_allclose(result.network.cpts[node], expected[node], rtol=1e-7, atol=1e-12)
    summed = np.array(losses) @ data.weights
    np.testing.assert_allclose(result.trace["loss"][1:], summed, rtol=1e-8, atol=1e-12)
    with np.errstate(divide="ignore"):
        own = result.network.conditional_log_likelihood(data)
    np.testing.assert_allclose(result.cll, own, rtol=1e-8, atol=1e-9)


@given(problems(perfect_structures(max_nodes=5), n_rows=(2, 25)))
def test_a_constant_loss_gives_the_frequency_estimates(problem):
    """One pass of the literal loop, as the paper says; so the loop is that of the estimates."""
    structure, data = problem
    if not learnable(data):
        return
    counts, _ = oracle.learn(*model_and_rows(structure, data), data.weights, 1, constant=1.0)
    expected = frequencies.normalised(counts, 0.0)
    network = bnlr.fit(structure, data, learner="frequencies", pseudocount=0.0).network
    for node in structure.nodes:
        np.testing.assert_allclose(network.cpts[node], expected[node], rtol=1e-12, atol=1e-15)


def random_data(n_rows=40, cards=(3, 2, 4, 3), weights=None):
    rng = np.random.default_rng(SEED)
    names = ("c", "a", "b", "d")
    codes = np.column_stack([rng.integers(card, size=n_rows) for card in cards])
    states = {name: tuple(range(card)) for name, card in zip(names, cards, strict=True)}
    return bnlr.Dataset.from_codes(codes, states, "c", weights)


general = bnlr.Structure([("a", "c"), ("c", "b"), ("b", "d"), ("c", "d")], class_name="c")


@pytest.mark.parametrize(
    "structure", [general, bnlr.Structure([], class_name="c", nodes=list("cabd"))]
)
def test_the_defaults_are_four_passes_and_no_pseudocount(structure):
    data = random_data()
    result = fitted(structure, data)
    told = fitted(structure, data, max_iter=4, pseudocount=0.0)
    assert result.n_iter == 4
    assert result.converged
    assert result.learner == result.solver == "dfe"
    assert result.trace["iteration"].tolist() == [0, 1, 2, 3, 4]
    assert result.trace["loss"][0] == pytest.approx(40 * 2 / 3)
    assert result.start_cll == pytest.approx(-40 * np.log(3))
    for node in structure.nodes:
        np.testing.assert_array_equal(result.network.cpts[node], told.network.cpts[node])
    one = fitted(structure, data, max_iter=1)
    assert one.trace["loss"][1] == result.trace["loss"][1]


def test_blocks_of_rows_change_nothing(monkeypatch):
    data = random_data(300)
    whole = fitted(general, data)
    monkeypatch.setattr(module, "_MOST_KEPT", 7 * 5)
    parts = fitted(general, data)
    assert parts.cll == whole.cll
    for node in general.nodes:
        np.testing.assert_array_equal(parts.network.cpts[node], whole.network.cpts[node])


def test_shuffling_takes_the_rows_in_the_generators_order():
    data = random_data()
    result = fitted(general, data, shuffle=True, random_state=5, max_iter=2)
    rng = np.random.default_rng(5)
    order = np.concatenate([rng.permutation(40) for _ in range(2)])
    once = fitted(general, data.take(order), max_iter=1)
    assert result.trace["loss"][1:].sum() == pytest.approx(once.trace["loss"][1], rel=1e-12)
    for node in general.nodes:
        np.testing.assert_allclose(result.network.cpts[node], once.network.cpts[node], rtol=1e-10)
    other = fitted(general, data, shuffle=True, random_state=6, max_iter=2)
    assert any((other.network.cpts[n] != result.network.cpts[n]).any() for n in general.nodes)


def test_a_weight_multiplies_the_loss_and_none_is_no_row():
    weights = np.random.default_rng(SEED).integers(0, 3, 40) * 0.5
    data = random_data(weights=weights)
    kept = data.take(weights > 0)
    a, b = fitted(general, data), fitted(general, kept)
    for node in general.nodes:
        np.testing.assert_allclose(a.network.cpts[node], b.network.cpts[node], rtol=1e-12)
    scaled = fitted(general, random_data(weights=weights * 8))
    for node in general.nodes:  # without a pseudocount only proportions matter
        np.testing.assert_array_equal(scaled.network.cpts[node], a.network.cpts[node])


@pytest.mark.slow
def test_two_thousand_attributes_neither_vanish_nor_overflow():
    """Copies of one attribute: P(c | x) is the prior's times a power, known in logarithms."""
    n = 2_000
    structure = bnlr.Structure.naive_bayes([f"x{k}" for k in range(n)], class_name="c")
    states = {"c": ("n", "y"), **{f"x{k}": ("0", "1", "2") for k in range(n)}}
    rng = np.random.default_rng(SEED)
    cells = rng.integers(3, size=(4, n))
    classes = rng.permutation([0, 1] * 2)
    cells[:, : n // 2] = np.where(
        rng.random((4, n // 2)) < 0.5, classes[:, None], cells[:, : n // 2]
    )
    data = bnlr.Dataset.from_codes(np.column_stack([classes, cells]), states, "c")
    model, rows = model_and_rows(structure, data)
    result = fitted(structure, data, max_iter=1, pseudocount=1.0)
    _, losses = oracle.learn(model, rows, passes=1, pseudocount=1.0)
    assert result.trace["loss"][1] == pytest.approx(sum(losses[0]), rel=1e-9)
    assert np.isfinite(result.cll)
    bare = fitted(structure, data, max_iter=2)
    _, losses = oracle.learn(model, rows, passes=2)
    np.testing.assert_allclose(bare.trace["loss"][1:], np.sum(losses, axis=1), rtol=1e-9)


def test_rows_without_a_class_are_left_out():
    data = random_data()
    codes = np.array(data.codes)
    codes[::4, 0] = -1
    holed = bnlr.Dataset.from_codes(codes, data.states, "c")
    result = fitted(general, holed)
    rest = fitted(general, holed.take(codes[:, 0] >= 0))
    assert "10 rows without a class left out" in result.message
    for node in general.nodes:
        np.testing.assert_allclose(result.network.cpts[node], rest.network.cpts[node], rtol=1e-12)


def test_the_callback_sees_the_passes_and_stops_them():
    seen = []

    def stop(state):
        seen.append((state.iteration, state.value))
        return state.iteration == 2

    result = fitted(general, random_data(), callback=stop, max_iter=9)
    assert not result.converged
    assert result.n_iter == 2
    assert [value for _, value in seen] == result.trace["loss"][1:].tolist()
    assert "callback" in result.message


def test_holes_are_refused_in_the_structures_columns():
    data = random_data()
    codes = np.array(data.codes)
    codes[3, 2] = -1
    holed = bnlr.Dataset.from_codes(codes, data.states, "c")
    with pytest.raises(bnlr.MissingCellsError, match=r"'b' has 1 .*'elr', 'em' or 'frequencies'"):
        fitted(general, holed)
    outside = bnlr.Structure([("c", "a"), ("a", "b")], class_name="c")
    with pytest.raises(bnlr.MissingCellsError, match="'b' has 1"):
        fitted(outside, holed)
    ignored = bnlr.Structure([("c", "a")], class_name="c")
    whole, partly = fitted(ignored, data), fitted(ignored, holed)
    np.testing.assert_array_equal(partly.network.cpts["a"], whole.network.cpts["a"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": 1.0}, "takes no penalty"),
        ({"start": random_data}, "leave start out"),
        ({"n_starts": 2}, "leave n_starts out"),
        ({"max_iter": 0}, "max_iter is 0"),
        ({"max_iter": 2.5}, r"max_iter is 2\.5"),
        ({"pseudocount": -1.0}, "pseudocount is -1"),
        ({"pseudocount": True}, "pseudocount is True"),
        ({"pseudocount": "x"}, "pseudocount is 'x'"),
        ({"shuffle": True, "random_state": "x"}, "random_state is 'x'"),
        ({"shuffle": True, "random_state": -1}, "random_state is -1"),
        ({"space": "roos"}, "no space"),
        ({"solver": "newton"}, "no solver"),
        ({"parabola": "half"}, "no option 'parabola'"),
        ({"cross_tuning": "error"}, "stops learner 'elr'"),
        ({"m_step_pseudocount": 1.0}, "belongs to learner 'em'"),
    ],
)
def test_what_it_has_no_use_for_is_refused(options, message):
    with pytest.raises(bnlr.ParameterError, match=message):
        fitted(general, random_data(), **options)


@pytest.mark.parametrize("whole", [0, 1, np.int64(2), np.float32(2)])
def test_whole_pseudocounts_are_what_floats_are(whole):
    data = random_data()
    found, wanted = (fitted(general, data, pseudocount=added) for added in (whole, float(whole)))
    assert found.cll == wanted.cll
    assert np.isfinite(found.cll) or whole == 0
    for node, cpt in wanted.network.cpts.items():
        np.testing.assert_array_equal(found.network.cpts[node], cpt)


def test_shuffling_is_for_no_other():
    with pytest.raises(bnlr.ParameterError, match="shuffle belongs to learner 'dfe'"):
        bnlr.fit(general, random_data(), learner="frequencies", shuffle=True)


def frame():
    rng = np.random.default_rng(SEED)
    y = rng.integers(3, size=120)
    columns = {
        name: np.where(rng.random(120) < 0.4, y, rng.integers(3, size=120)) for name in "abd"
    }
    return pd.DataFrame(columns).astype(str), pd.Series(y, name="class").map(str)


def test_the_classifier_learns_it_and_is_saved(tmp_path):
    X, y = frame()
    classifier = bnlr.BNClassifier("naive-bayes", learner="dfe").fit(X, y)
    data = bnlr.Dataset.from_frame(X.assign(**{"class": y}), "class")
    expected = fitted(bnlr.Structure.naive_bayes(list(X), class_name="class"), data)
    assert classifier.n_iter_ == 4
    assert classifier.result_.cll == expected.cll
    np.testing.assert_array_equal(classifier.predict_proba(X), expected.network.predict_proba(data))
    classifier.save(tmp_path / "dfe.json")
    again = bnlr.BNClassifier.load(tmp_path / "dfe.json")
    assert again.get_params() == classifier.get_params()
    np.testing.assert_array_equal(again.predict_proba(X), classifier.predict_proba(X))


def test_the_classifier_passes_the_options_on():
    X, y = frame()
    options = {"pseudocount": 1.0, "max_iter": 2}
    classifier = bnlr.BNClassifier("naive-bayes", learner="dfe", **options).fit(X, y)
    data = bnlr.Dataset.from_frame(X.assign(**{"class": y}), "class")
    structure = bnlr.Structure.naive_bayes(list(X), class_name="class")
    assert classifier.result_.cll == fitted(structure, data, **options).cll
    assert classifier.result_.n_iter == 2

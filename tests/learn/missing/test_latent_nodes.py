"""Nodes without a column: enumeration, differences, permuted states, and data that have one."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.data.latent import with_latent
from bnlr.inference.engine import Engine
from bnlr.objectives.evidence import EvidenceRows
from bnlr.objectives.incomplete import EvidenceObjective
from bnlr.spaces.joint import JointSoftmax
from tests.data.test_parted import in_parts
from tests.oracles import gradients, joint
from tests.oracles.model import Model
from tests.strategies import problems, seeds, structures
from tests.width import examples

SUMS_OUT = ("elr", "em", "apn")


def parity(n_rows=400, noise=0.05, seed=0):
    """Two fair bits and a class that is their parity, but for noise: no arc alone tells of it."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, (2, n_rows))
    c = a ^ b ^ (rng.random(n_rows) < noise)
    return pd.DataFrame({"c": c, "a": a, "b": b})


PARITY = bnlr.Structure([("h", "c"), ("h", "a"), ("h", "b")], class_name="c")
FOUR = {"h": ("i", "ii", "iii", "iv")}


def noisy(n_rows=120, seed=1, holes=0.0):
    """Rows of a class, a cause that no row shows, and its three signs."""
    rng = np.random.default_rng(seed)
    c = rng.integers(0, 2, n_rows)
    h = (rng.random(n_rows) < np.where(c == 1, 0.8, 0.3)).astype(int)
    signs = {f"a{k}": np.where(rng.random(n_rows) < 0.85, h, 1 - h) for k in range(3)}
    frame = pd.DataFrame({"c": c, **signs}).astype(object)
    return frame.mask(rng.random(frame.shape) < np.array([0.0, holes, holes, holes]))


SIGNS = bnlr.Structure([("c", "h"), *(("h", f"a{k}") for k in range(3)), ("c", "a0")], "c")


def encoded(frame):
    return bnlr.Dataset.from_frame(frame, "c")


@examples(25)
@given(problems(structures(max_nodes=4), n_rows=(2, 10), missing=True), seeds, st.integers(1, 3))
def test_likelihoods_posteriors_and_gradients_are_those_of_enumeration(problem, seed, n_states):
    """One or two latent nodes anywhere in a random graph, on rows with holes."""
    (_, data), rng = problem, np.random.default_rng(seed)
    names = ("latent 1", "latent 2")[: rng.integers(1, 3)]
    order = rng.permutation([*data.nodes, *names]).tolist()
    arcs = [(p, c) for k, c in enumerate(order) for p in order[:k] if rng.random() < 0.5]
    structure = bnlr.Structure(arcs, data.class_name, order)
    states = dict.fromkeys(names, tuple(range(n_states)))
    whole = with_latent(data, states)
    assert not (whole.codes[:, len(data.nodes) :] >= 0).any()
    model = Model.of(structure, {node: whole.states[node] for node in structure.nodes})
    rows = np.column_stack([whole.column(node) for node in structure.nodes])
    cpts = {
        node: rng.dirichlet(np.full(model.cards[node], 2.0), model.shape(node)[:-1])
        for node in structure.nodes
    }
    network = bnlr.BayesianNetwork(structure, whole.states, cpts, latent=names)
    expected = joint.posteriors(model, cpts, rows)
    np.testing.assert_allclose(network.predict_proba(data), expected, atol=1e-10)
    cll, ll = (f(model, cpts, rows, data.weights) for f in (joint.cll, joint.ll))
    assert network.log_likelihood(data) == pytest.approx(ll, rel=1e-9, abs=1e-9)
    if ((data.class_codes >= 0) & (data.weights > 0)).any():
        assert network.conditional_log_likelihood(data) == pytest.approx(cll, rel=1e-9, abs=1e-9)
    space = JointSoftmax(structure, {node: whole.states[node] for node in structure.nodes})
    engine = Engine(space.flat, structure.index(data.class_name))
    objective = EvidenceObjective(engine, space, EvidenceRows.of(structure, whole), "cll")
    x = np.log(space.flat.flatten(cpts))
    _, gradient = objective.value_and_gradient(x)
    step = 1e-5 * rng.standard_normal(x.size)
    slope = objective.value(x + step) - objective.value(x - step)
    assert slope == pytest.approx(2 * gradient @ step, rel=1e-4, abs=1e-8)
    literal = gradients.cll_gradient(model, cpts, rows, data.weights)
    np.testing.assert_allclose(gradient, -space.flat.flatten(literal), atol=1e-8)


@pytest.mark.parametrize("learner", SUMS_OUT)
@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_a_node_without_a_column_is_learnt_and_predicts_without_it(learner, holes):
    frame = noisy(holes=holes)
    data = encoded(frame)
    result = bnlr.fit(SIGNS, data, learner, states={"h": ("lo", "hi")}, random_state=0)
    network = result.network
    assert network.latent == ("h",)
    assert network.states["h"] == ("lo", "hi")
    assert "No row observes 'h'" in result.message
    # the same as a column of missing cells, which a file may have
    column = with_latent(data, {"h": ("lo", "hi")})
    again = bnlr.fit(SIGNS, column, learner, random_state=0)
    assert {n: t.tobytes() for n, t in network.cpts.items()} == {
        n: t.tobytes() for n, t in again.network.cpts.items()
    }
    assert again.network.latent == ()
    # a frame, a data set, one of all columns and one row, with the class and without it
    told = network.predict_proba(data)
    for rows in (frame, frame.drop(columns="c"), column):
        np.testing.assert_array_equal(network.predict_proba(rows), told)
    assert result.cll == pytest.approx(network.conditional_log_likelihood(frame), rel=1e-9)
    assert result.log_likelihood == pytest.approx(network.log_likelihood(frame), rel=1e-9)
    row = frame.iloc[0].to_dict()
    np.testing.assert_allclose(network.explain(row).probabilities, told[0], atol=1e-12)
    share = network.posterior(data, "h")
    np.testing.assert_allclose(share, network.posterior(frame, "h"))
    np.testing.assert_allclose(share[0], network.query(["h"], frame.iloc[0].dropna().to_dict()))


def test_a_column_of_a_latent_node_is_looked_at_where_there_is_one():
    network = bnlr.fit(SIGNS, encoded(noisy()), "em", states={"h": (0, 1)}, random_state=0).network
    drawn = network.sample(50, random_state=0)
    seen = network.log_likelihood(drawn)
    assert seen < network.log_likelihood(drawn.drop(columns="h"))
    plain = bnlr.BayesianNetwork(network.structure, network.states, network.cpts)
    assert seen == plain.log_likelihood(drawn)


def test_em_rises_at_every_step():
    reached = []
    bnlr.fit(
        *(SIGNS, encoded(noisy(holes=0.1)), "em"), states={"h": range(3)}, random_state=0,
        max_iter=60, callback=lambda state: reached.append(-state.value),
    )  # fmt: skip
    assert len(reached) > 5
    assert (np.diff(reached) >= -1e-9 * abs(reached[0])).all()
    assert reached[-1] > reached[0] + 1


@pytest.mark.parametrize("learner", SUMS_OUT)
def test_states_in_another_order_are_the_same_model(learner):
    data = encoded(noisy())
    found = bnlr.fit(SIGNS, data, learner, states={"h": ("p", "q", "r")}, random_state=2)
    turn = [2, 0, 1]
    cpts = dict(found.network.cpts)
    cpts["h"] = cpts["h"][:, turn]
    for k in range(3):
        axis = SIGNS.parents(f"a{k}").index("h")
        cpts[f"a{k}"] = np.take(cpts[f"a{k}"], turn, axis)
    states = {**found.network.states, "h": ("r", "p", "q")}
    other = bnlr.BayesianNetwork(SIGNS, states, cpts, latent=["h"])
    assert other.conditional_log_likelihood(data) == pytest.approx(found.cll, rel=1e-12)
    # from there the learner stays: it was an optimum of the turned model as well
    stays = bnlr.fit(SIGNS, data, learner, states={"h": ("r", "p", "q")}, start=other)
    kind = "cll" if learner == "elr" else "log_likelihood"
    assert getattr(stays, kind) == pytest.approx(getattr(found, kind), rel=1e-6)


@pytest.mark.parametrize("learner", SUMS_OUT)
def test_one_state_is_no_node(learner):
    data = encoded(noisy())
    with_one = bnlr.fit(SIGNS, data, learner, states={"h": ("only",)}, random_state=0)
    rest = [arc for arc in SIGNS.edges if "h" not in arc]
    without = bnlr.fit(bnlr.Structure(rest, "c", ["c", "a0", "a1", "a2"]), data, learner)
    assert with_one.cll == pytest.approx(without.cll, abs=1e-6)
    assert "perturbed" not in with_one.message
    if learner != "elr":
        assert with_one.log_likelihood == pytest.approx(without.log_likelihood, rel=1e-9)


@pytest.mark.parametrize("learner", SUMS_OUT)
def test_a_latent_class_behind_a_parity_is_found(learner):
    """No tree of the columns tells of the class; four states reach what any table could."""
    frame = parity()
    data = encoded(frame)
    blind = bnlr.fit(bnlr.Structure.naive_bayes(["a", "b"], "c"), data).cll
    counts = np.zeros((4, 2))
    np.add.at(counts, (2 * frame["a"] + frame["b"], frame["c"]), 1)
    best = float((counts * np.log(counts / counts.sum(axis=1, keepdims=True))).sum())
    found = bnlr.fit(PARITY, data, learner, states=FOUR, n_starts=3, random_state=0)
    assert blind < best - 100
    assert found.cll == pytest.approx(best, rel=1e-4)
    assert found.message.startswith("Best of 3 starts.")


@pytest.mark.slow
def test_a_start_is_seeded_and_others_end_elsewhere():
    data = encoded(noisy(seed=3))

    def fitted(seed, **options):
        return bnlr.fit(
            *(SIGNS, data, "em"), states={"h": range(3)}, random_state=seed, max_iter=40, **options
        )

    reached = [fitted(seed).log_likelihood for seed in range(4)]
    assert len({round(value, 6) for value in reached}) > 1
    assert fitted(0).log_likelihood == reached[0]
    low = int(np.argmin(reached))
    assert fitted(low, n_starts=5).log_likelihood > reached[low]


def test_a_latent_node_beyond_the_class_leaves_the_optimum_as_it_is():
    """h above a, which is observed: the class's tables do not look at it; em learns it."""
    structure = bnlr.Structure([("h", "a0"), ("h", "a1"), ("a0", "c")], "c")
    data = encoded(noisy())
    result = bnlr.fit(structure, data, states={"h": (0, 1)})
    plain = bnlr.fit(bnlr.Structure([("a0", "c")], "c", ["c", "a0", "a1"]), data)
    assert result.learner == "lr"
    assert result.cll == pytest.approx(plain.cll, rel=1e-12)
    assert result.upper_bound == pytest.approx(plain.upper_bound)
    assert "do not look at 'h'" in result.message
    assert result.network.latent == ("h",)


def test_the_blanket_goes_on_through_latent_nodes():
    arcs = [("c", "h"), ("h", "a"), ("a", "b"), ("z", "a"), ("w", "h"), ("h", "k"), ("k", "m")]
    structure = bnlr.Structure(arcs, "c")
    assert set(structure.markov_blanket()) == {"h", "w"}
    assert set(structure.markov_blanket(["h"])) == {"w", "a", "z", "k"}
    assert set(structure.markov_blanket(["h", "k"])) == {"w", "a", "z", "m"}


def test_penalties_find_zero_where_no_row_tells_of_another_centre():
    data = encoded(noisy())
    options = {"states": {"h": (0, 1)}, "random_state": 0}
    by_folds = bnlr.fit(SIGNS, data, penalty="cv", penalty_center="auto", **options)
    assert by_folds.penalty == 3
    assert "tell nothing of latent nodes" in by_folds.message
    same = bnlr.fit(SIGNS, data, penalty=3, penalty_center="zero", **options)
    assert by_folds.cll == pytest.approx(same.cll, rel=1e-12)
    assert same.cll < bnlr.fit(SIGNS, data, **options).cll


@pytest.mark.parametrize("learner", ["lr", "dfe", "frequencies"])
def test_learners_of_observed_cells_refuse(learner):
    with pytest.raises(bnlr.MissingCellsError, match=r"'h' is latent.*learner='elr', 'em' or 'ap"):
        bnlr.fit(SIGNS, encoded(noisy()), learner, states={"h": (0, 1)})


@pytest.mark.parametrize(
    ("states", "error", "words"),
    [
        (None, bnlr.StateError, r"node 'h' .* is not a column .*states=\{'h': \['low', 'high'\]\}"),
        ({"hh": (0, 1)}, bnlr.ParameterError, "'hh', which is no node .* did you mean 'h'"),
        ({"h": (0, 1), "c": (0, 1, 2)}, bnlr.ParameterError, "the class 'c', which cannot be"),
        ({"h": (0, 1), "a0": (0, 1, 2)}, bnlr.ParameterError, "'a0', which has a column"),
        ({"h": ()}, bnlr.DataError, "'h' has no states"),
        ({"h": ("x", "x")}, bnlr.DataError, "'h' lists the state 'x' twice"),
        ({"h": "xy"}, bnlr.DataError, "states of 'h' must be a sequence"),
        ({"h": 2}, bnlr.DataError, "states of 'h' must be a sequence"),
        ([("h", (0, 1))], bnlr.DataError, "states must map each node"),
        ({1: (0, 1)}, bnlr.DataError, "the name 1 of a variable"),
    ],
)
def test_states_that_cannot_be_meant(states, error, words):
    with pytest.raises(error, match=words):
        bnlr.fit(SIGNS, encoded(noisy()), states=states)


def test_a_mistyped_column_is_no_latent_node():
    data = encoded(noisy().rename(columns={"a0": "a0 "}))
    with pytest.raises(bnlr.StateError, match=r"node 'a0' .* did you mean 'a0 '\?"):
        bnlr.fit(SIGNS, data, states={"h": (0, 1)})
    network = bnlr.fit(SIGNS, encoded(noisy()), "em", states={"h": (0, 1)}).network
    with pytest.raises(bnlr.DataError, match=r"no column 'a0'.* did you mean 'a0 '\?"):
        network.predict_proba(noisy().rename(columns={"a0": "a0 "}))
    with pytest.raises(bnlr.StateError, match="'a0' of the network is not a column"):
        network.predict_proba(data)


def test_states_of_columns_may_be_told_again():
    data = encoded(noisy())
    one = bnlr.fit(SIGNS, data, states={"h": (0, 1)}, random_state=0)
    all_told = bnlr.fit(SIGNS, data, states={**data.states, "h": (0, 1)}, random_state=0)
    assert one.cll == all_told.cll


@pytest.mark.parametrize(
    ("latent", "words"), [(["c"], "'c', which is no attr"), (["x"], "'x', which"), ("h", "a list")]
)
def test_a_network_s_latent_nodes_are_attributes(latent, words):
    states = dict.fromkeys(SIGNS.nodes, (0, 1))
    cpts = {n: np.full((2,) * (len(SIGNS.parents(n)) + 1), 0.5) for n in SIGNS.nodes}
    with pytest.raises(bnlr.ParameterError, match=words):
        bnlr.BayesianNetwork(SIGNS, states, cpts, latent=latent)


@pytest.mark.parametrize("learner", SUMS_OUT)
def test_rows_in_parts_stay_where_they_are(learner):
    data = encoded(noisy())
    options = {"states": {"h": (0, 1)}, "random_state": 0}
    here = bnlr.fit(SIGNS, data, learner, **options)
    parted = in_parts(data, 3)
    there = bnlr.fit(SIGNS, parted, learner, **options)
    kind = "cll" if learner == "elr" else "log_likelihood"
    assert getattr(there, kind) == pytest.approx(getattr(here, kind), rel=1e-6)
    assert there.network.latent == ("h",)
    told = here.network.log_likelihood(parted)
    assert told == pytest.approx(here.network.log_likelihood(data), rel=1e-12)


def test_a_data_set_of_all_states_wants_a_column_of_holes_and_gets_it():
    """As the states of a network have latent nodes among them."""
    network = bnlr.fit(SIGNS, encoded(noisy()), "em", states={"h": (0, 1)}, random_state=0).network
    rows = noisy(20, seed=5)
    with pytest.raises(bnlr.DataError, match=r"no column 'h'.*add it, with missing cells where"):
        bnlr.Dataset.from_frame(rows, "c", states=network.states)
    data = bnlr.Dataset.from_frame(rows.assign(h=None), "c", states=network.states)
    np.testing.assert_array_equal(network.predict_proba(data), network.predict_proba(rows))

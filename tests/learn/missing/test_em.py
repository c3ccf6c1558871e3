"""EM and APN: literal steps, ascent, frequencies on complete rows, latents, and their agreement."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from tests.oracles import counts as count_oracle
from tests.oracles import gradients, joint
from tests.oracles.model import Model
from tests.strategies import cpts_of, problems, structures
from tests.width import examples, in_full

STATES = {"c": ("n", "y"), "a": (0, 1), "b": (0, 1), "h": (0, 1)}
LATENT = bnlr.Structure([("c", "h"), ("h", "a"), ("h", "b")], class_name="c")


def literal(structure, data):
    """The oracle's model, and the rows over its nodes."""
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})
    return model, np.column_stack([data.column(node) for node in model.nodes])


def holed_rows(seed, n_rows=150, rate=0.25, structure=None, cards=(2, 3, 2, 2)):
    """Rows drawn from a random network over ``structure``, with holes; the class is never one."""
    rng = np.random.default_rng(seed)
    if structure is None:
        edges = [("c", "a"), ("c", "b"), ("c", "h"), ("a", "b"), ("b", "h")]
        structure = bnlr.Structure(edges, class_name="c")
    states = dict(zip(structure.nodes, (tuple(range(d)) for d in cards), strict=True))
    shape = {n: [len(states[p]) for p in structure.parents(n)] for n in structure.nodes}
    cpts = {n: rng.dirichlet(np.ones(len(states[n])), shape[n]) for n in structure.nodes}
    frame = bnlr.BayesianNetwork(structure, states, cpts).sample(n_rows, random_state=seed)
    full = bnlr.Dataset.from_frame(frame, "c", states=states)
    codes = np.array(full.codes)
    holes = rng.random(codes.shape) < rate
    holes[:, full.nodes.index("c")] = False
    codes[holes] = -1
    return structure, full, bnlr.Dataset.from_codes(codes, full.states, "c")


@pytest.mark.slow
@examples(40)
@given(
    problems(structures(max_nodes=4), n_rows=(4, 12), missing=True),
    st.data(),
    st.sampled_from([0.0, 1.0]),
)
def test_every_step_is_the_literal_one(problem, draw, pseudocount):
    structure, data = problem
    data = data.take(np.flatnonzero(data.weights > 0))  # others may become impossible
    model, rows = literal(structure, data)
    cpts = draw.draw(cpts_of(structure, data.states))
    states = {node: data.states[node] for node in structure.nodes}
    start = bnlr.BayesianNetwork(structure, states, cpts)
    trace = []
    result = bnlr.fit(
        structure, data, learner="em", start=start, max_iter=3, tol=0.0, random_state=0,
        m_step_pseudocount=pseudocount, callback=lambda state: trace.append(-state.value),
        acceleration=None,
    )  # fmt: skip
    if "perturbed" in result.message:
        return
    for step, ll in enumerate(trace):
        assert ll == pytest.approx(joint.ll(model, cpts, rows, data.weights), rel=1e-9, abs=1e-9)
        if step < len(trace) - 1:
            counts = gradients.expected_counts(model, cpts, rows, data.weights)
            cpts = count_oracle.normalised(counts, pseudocount)
    for node, cpt in result.network.cpts.items():
        np.testing.assert_allclose(cpt, cpts[node], atol=1e-8)
    assert result.trace["ll"].tolist() == pytest.approx(trace)


@pytest.mark.slow
@examples(40)
@given(problems(structures(max_nodes=5), n_rows=(5, 40), missing=True), st.integers(1, 3))
def test_em_never_lowers_the_likelihood_and_apn_ends_above_its_start(problem, n_starts):
    structure, data = problem
    model, rows = literal(structure, data)
    options = {"n_starts": n_starts, "random_state": 1}
    em = bnlr.fit(structure, data, learner="em", max_iter=200, **options)
    assert (np.diff(em.trace["ll"]) >= 0).all()
    apn = bnlr.fit(structure, data, learner="apn", max_iter=200, **options)
    for result in (em, apn):
        assert result.log_likelihood >= result.start_log_likelihood - 1e-9
        cpts = dict(result.network.cpts)
        expected = joint.ll(model, cpts, rows, data.weights)
        assert result.log_likelihood == pytest.approx(expected, rel=1e-8, abs=1e-8)
        assert result.cll == pytest.approx(
            joint.cll(model, cpts, rows, data.weights), rel=1e-8, abs=1e-8
        )


@examples(30)
@given(problems(structures(max_nodes=5), n_rows=(10, 60)))
def test_on_complete_rows_em_and_apn_meet_the_frequencies(problem):
    structure, data = problem
    frequencies = bnlr.fit(structure, data, learner="frequencies", pseudocount=0.0)
    model, rows = literal(structure, data)
    best = joint.ll(model, dict(frequencies.network.cpts), rows, data.weights)
    em = bnlr.fit(structure, data, learner="em")
    for node, cpt in em.network.cpts.items():
        np.testing.assert_allclose(cpt, frequencies.network.cpts[node], atol=1e-12)
    assert em.log_likelihood == pytest.approx(best, rel=1e-12)
    assert em.n_iter <= 2
    apn = bnlr.fit(structure, data, learner="apn", tol=1e-12)
    assert apn.log_likelihood == pytest.approx(best, rel=1e-7, abs=1e-6)


@pytest.mark.parametrize("space", ["softmax", "theta"])
@pytest.mark.parametrize("seed", range(4))
def test_em_and_apn_end_at_the_same_likelihood(seed, space):
    """MCAR holes, a TAN: one basin on these seeds; the tail of EM is slow, hence its tol."""
    structure, _, data = holed_rows(seed)
    em = bnlr.fit(structure, data, learner="em", tol=1e-13, max_iter=20_000)
    apn = bnlr.fit(structure, data, learner="apn", space=space, tol=1e-12, max_iter=5_000)
    # θ keeps a millionth from 0.
    precise = 1e-6 if space == "softmax" else 1e-4
    assert apn.log_likelihood == pytest.approx(em.log_likelihood, rel=precise)
    assert (apn.space, em.space) == (space, "none")


@pytest.mark.slow
def test_rows_without_a_class_count_in_the_likelihood_only():
    structure, _, data = holed_rows(3)
    codes = np.array(data.codes)
    codes[:20, data.nodes.index("c")] = -1
    partly = bnlr.Dataset.from_codes(codes, data.states, "c")
    labelled = partly.take(np.flatnonzero(partly.class_codes >= 0))
    for learner in ("em", "apn"):
        result = bnlr.fit(structure, partly, learner=learner)
        without = bnlr.fit(structure, labelled, learner=learner)
        assert abs(result.log_likelihood - without.log_likelihood) > 1
        assert "20 rows without a class count in the likelihood" in result.message
        cll = result.network.conditional_log_likelihood(labelled)
        assert result.cll == pytest.approx(cll, rel=1e-9)
    elr = bnlr.fit(structure, partly, learner="elr", max_iter=50)
    assert "20 rows without a class left out of the CLL" in elr.message


def latent_rows(seed=0, n_rows=300):
    """Two attributes that share a cause which no row shows."""
    rng = np.random.default_rng(seed)
    c = rng.integers(0, 2, n_rows)
    h = (rng.random(n_rows) < np.where(c == 1, 0.8, 0.3)).astype(int)
    a, b = ((rng.random(n_rows) < np.where(h == 1, 0.9, 0.1)).astype(int) for _ in range(2))
    codes = np.column_stack([c, a, b, np.full(n_rows, -1)])
    return bnlr.Dataset.from_codes(codes, STATES, "c")


@pytest.mark.parametrize("learner", ["em", "apn", "elr"])
def test_a_node_never_observed_is_told_apart_by_a_seeded_perturbation(learner):
    data = latent_rows()
    result = bnlr.fit(LATENT, data, learner=learner, random_state=0, max_iter=500)
    assert "No row observes 'h'" in result.message
    assert "random_state=0" in result.message
    child = result.network.cpts["a"]
    assert abs(child[0] - child[1]).max() > 0.3
    again = bnlr.fit(LATENT, data, learner=learner, random_state=0, max_iter=500)
    for node, cpt in result.network.cpts.items():
        assert cpt.tobytes() == again.network.cpts[node].tobytes()
    # What the attributes share cannot be said with the states of h alike.
    alike = bnlr.fit(LATENT, data, learner="frequencies")
    kind = "cll" if learner == "elr" else "log_likelihood"
    assert getattr(result, kind) > getattr(alike, kind) + 1


def test_a_latent_root_is_told_apart_by_its_children():
    """Its own CPT moved alone would leave their columns alike for ever."""
    structure = bnlr.Structure([("h", "a"), ("h", "b"), ("a", "c")], class_name="c")
    rows = latent_rows().codes
    data = bnlr.Dataset.from_codes(rows, STATES, "c")
    result = bnlr.fit(structure, data, learner="em", random_state=0)
    child = result.network.cpts["b"]
    assert abs(child[0] - child[1]).max() > 0.3


@pytest.mark.slow
def test_three_states_of_a_latent_and_several_starts():
    """Basins of unlike heights: the highest of several is kept, and one start is not enough."""
    names = [f"a{k}" for k in range(4)]
    edges = [("c", "h"), *(("h", name) for name in names)]
    structure = bnlr.Structure(edges, class_name="c")
    states = {"c": (0, 1), "h": (0, 1, 2)} | dict.fromkeys(names, (0, 1, 2))
    _, full, data = holed_rows(1, 200, 0.2, structure, (2, 3, 3, 3, 3, 3))
    codes = np.array(data.codes)
    codes[:, full.nodes.index("h")] = -1
    data = bnlr.Dataset.from_codes(codes, states, "c")
    for learner in ("em", "apn"):
        options = {"learner": learner, "max_iter": 300}
        ones = [bnlr.fit(structure, data, random_state=k, **options) for k in range(6)]
        reached = [one.log_likelihood for one in ones]
        assert max(reached) > min(reached) + 0.1
        low = int(np.argmin(reached))
        many = bnlr.fit(structure, data, random_state=low, n_starts=6, **options)
        assert many.log_likelihood > min(reached) + 0.1
        assert many.message.startswith("Best of 6 starts.")


def test_a_start_of_ones_own_is_not_perturbed_where_it_tells_the_states_apart():
    data = latent_rows()
    cpts = {
        "c": [0.5, 0.5],
        "h": [[0.6, 0.4], [0.3, 0.7]],
        "a": [[0.7, 0.3], [0.2, 0.8]],
        "b": [[0.7, 0.3], [0.2, 0.8]],
    }
    start = bnlr.BayesianNetwork(LATENT, STATES, cpts)
    result = bnlr.fit(LATENT, data, learner="em", start=start)
    assert "No row observes" not in result.message
    alike = bnlr.BayesianNetwork(
        LATENT, STATES, {**cpts, "a": [[0.5] * 2] * 2, "b": [[0.5] * 2] * 2}
    )
    by_class = bnlr.fit(LATENT, data, learner="em", start=alike)
    assert "No row observes" not in by_class.message  # h leans on the class, which tells it apart
    child = by_class.network.cpts["a"]
    assert abs(child[0] - child[1]).max() > 0.1
    assert result.start_cll == pytest.approx(start.conditional_log_likelihood(data), rel=1e-10)


@pytest.mark.parametrize("learner", ["em", "apn", *in_full("elr")])
def test_threads_change_no_byte(learner):
    structure, _, data = holed_rows(7, n_rows=3000)
    runs = [
        bnlr.fit(structure, data, learner=learner, max_iter=15, n_threads=n, n_starts=2,
                 random_state=0)
        for n in (1, 2, 3)
    ]  # fmt: skip
    for run in runs[1:]:
        assert run.log_likelihood == runs[0].log_likelihood
        for node, cpt in runs[0].network.cpts.items():
            assert cpt.tobytes() == run.network.cpts[node].tobytes()


def test_limits_callback_and_messages():
    structure, _, data = holed_rows(1)
    limited = bnlr.fit(structure, data, learner="em", max_iter=2)
    assert (limited.n_iter, limited.converged) == (2, False)
    assert "max_iter" in limited.message
    stopped = bnlr.fit(structure, data, learner="em", callback=lambda state: state.iteration == 1)
    assert (stopped.n_iter, stopped.converged) == (1, False)
    assert "callback" in stopped.message
    assert "likelihood" in limited.summary()
    assert limited.parameters is None
    assert list(limited.trace["iteration"]) == [0, 1, 2]


def test_an_impossible_row_is_refused():
    structure = bnlr.Structure.naive_bayes(["a"], class_name="c")
    states = {"c": ("n", "y"), "a": (0, 1)}
    cpts = {"c": [0.5, 0.5], "a": [[1.0, 0.0], [1.0, 0.0]]}
    start = bnlr.BayesianNetwork(structure, states, cpts)
    data = bnlr.Dataset.from_codes(np.array([[0, 1], [1, 0]]), states, "c")
    with pytest.raises(bnlr.ParameterError, match="impossible under the start"):
        bnlr.fit(structure, data, learner="em", start=start)


def test_the_prior_and_not_the_likelihood_rises_with_a_pseudocount():
    structure, _, data = holed_rows(2)
    scores = []

    def note(state):
        # state.x are the CPTs, flat
        scores.append(-state.value + float(np.log(state.x).sum()))

    # A start so near the likelihood's maximum that the prior has to lower the likelihood.
    options = {"learner": "em", "m_step_pseudocount": 1.0, "pseudocount": 0.01, "tol": 1e-13}
    result = bnlr.fit(structure, data, callback=note, **options)
    assert (np.diff(scores) >= -1e-9).all()
    assert result.converged
    model, rows = literal(structure, data)
    counts = gradients.expected_counts(model, dict(result.network.cpts), rows, data.weights)
    for node, cpt in count_oracle.normalised(counts, 1.0).items():
        np.testing.assert_allclose(cpt, result.network.cpts[node], atol=1e-5)


@pytest.mark.parametrize("acceleration", ["squarem", None])
@pytest.mark.parametrize("seed", [8, 12, 16, 18])
def test_rounding_lowers_no_likelihood_either(seed, acceleration):
    """Steps that rounding would make go down, found by search."""
    structure, _, data = holed_rows(seed, n_rows=800, rate=0.3)
    options = {"tol": 0.0, "max_iter": 3000, "acceleration": acceleration}
    result = bnlr.fit(structure, data, learner="em", **options)
    assert (np.diff(result.trace["ll"]) >= 0).all()
    assert result.log_likelihood == result.trace["ll"].iloc[-1]


@pytest.mark.parametrize("tol", [1e-6, *in_full(1e-9)])
def test_both_ways_end_within_tol_of_the_limit_and_the_accelerated_one_sooner(tol):
    spent = {None: 0, "squarem": 0}
    for seed in range(4):
        structure, _, data = holed_rows(seed, n_rows=400, rate=0.5)
        exactly = {"acceleration": None, "tol": 1e-15, "max_iter": 20_000}
        limit = bnlr.fit(structure, data, learner="em", **exactly).log_likelihood
        for way in spent:
            run = bnlr.fit(structure, data, learner="em", acceleration=way, tol=tol)
            assert run.converged
            # An estimate of the gap, not a bound.
            assert limit - run.log_likelihood <= 10 * tol * abs(limit)
            assert run.trace["n_cll"].sum() == run.n_iter + 1
            assert run.trace["iteration"].iloc[-1] == run.n_iter
            spent[way] += run.n_iter
    assert 2 * spent["squarem"] < spent[None]


def test_steps_that_grow_are_no_convergence():
    """Away from a start next to a saddle every step is longer than the one before."""
    data = latent_rows()
    child = [[0.51, 0.49], [0.5, 0.5]]
    cpts = {"c": [0.5, 0.5], "h": [[0.5, 0.5]] * 2, "a": child, "b": child}
    start = bnlr.BayesianNetwork(LATENT, STATES, cpts)
    far = bnlr.fit(LATENT, data, learner="em", random_state=0)
    for way in ("squarem", None):
        result = bnlr.fit(LATENT, data, learner="em", start=start, acceleration=way)
        assert result.log_likelihood == pytest.approx(far.log_likelihood, rel=1e-6)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"learner": "em", "acceleration": "anderson"}, "acceleration is 'anderson'.*'squarem'"),
        ({"learner": "em", "acceleration": np.array([1, 2])}, "acceleration is array"),
        ({"learner": "em", "tol": "x"}, "tol is 'x'"),
        ({"learner": "em", "tol": -1}, "tol is -1"),
        ({"learner": "em", "tol": float("nan")}, "tol is nan"),
        ({"learner": "em", "max_iter": 1.5}, r"max_iter is 1\.5"),
        ({"learner": "em", "max_iter": -1}, "max_iter is -1"),
        ({"learner": "em", "pseudocount": "x"}, "pseudocount is 'x'"),
        ({"learner": "em", "n_starts": 2, "random_state": "x"}, "random_state is 'x'"),
        ({"learner": "em", "solver": "cg"}, "'em' has no solver"),
        ({"learner": "em", "space": "roos"}, "'em' has no space"),
        ({"learner": "em", "precision": 1e-3}, "'em' has no option 'precision'"),
        ({"learner": "em", "penalty": 1.0}, "no penalty.*m_step_pseudocount"),
        ({"learner": "em", "m_step_pseudocount": -1}, "m_step_pseudocount is -1"),
        ({"learner": "apn", "m_step_pseudocount": 1}, "belongs to learner 'em'"),
        ({"learner": "apn", "penalty": 1.0}, "'apn' maximises a likelihood"),
        ({"learner": "apn", "space": "roos"}, "'apn' works in space 'softmax' or 'theta'"),
        ({"learner": "apn", "space": "theta", "solver": "cg"}, "'theta' works with.*'l-bfgs'"),
        ({"learner": "apn", "solver": "newton"}, "second derivatives.*'l-bfgs'"),
    ],
)
def test_bad_calls_are_named(options, text):
    structure, _, data = holed_rows(0, n_rows=40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(bnlr.ParameterError, match=text):
            bnlr.fit(structure, data, **options)

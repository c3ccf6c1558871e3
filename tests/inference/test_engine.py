"""The engine against the joint distribution, differences, pyAgrum, and arithmetic by hand."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.errors import ParameterError, StateError, TooLargeError
from bnlr.inference import engine as engine_module
from bnlr.inference import propagate
from bnlr.inference.engine import Engine
from bnlr.inference.plan import make_plan
from tests.inference.networks import (
    cases,
    flat_of,
    large_case,
    random_codes,
    random_network,
    random_theta,
)
from tests.oracles.enumeration import query, without
from tests.strategies import seeds

CLOSE = {"rtol": 1e-10, "atol": 1e-10}
WAYS = ("junction tree", "as chosen")


def engine_of(flat, target, way="as chosen", n_threads=1):
    with pytest.MonkeyPatch.context() as patch:
        if way == "junction tree":
            patch.setattr(engine_module, "tree_plan", lambda *_: None)
        return Engine(flat, target, n_threads)


@pytest.fixture(params=WAYS)
def way(request):
    return request.param


ways = st.sampled_from(WAYS)


# The joint distribution


@given(cases(), ways)
def test_posterior_is_that_of_the_joint(case, way):
    joint, hidden = case.joint(), [without(row, case.target) for row in case.codes]
    posterior, logs = engine_of(case.flat, case.target, way).posterior(case.theta, case.codes)
    wanted = [joint.posterior([case.target], row) for row in hidden]
    np.testing.assert_allclose(posterior, wanted, **CLOSE)
    np.testing.assert_allclose(logs, [joint.log_evidence(row) for row in hidden], **CLOSE)


@given(cases(), ways)
def test_log_evidence_is_that_of_the_joint(case, way):
    logs = engine_of(case.flat, case.target, way).log_evidence(case.theta, case.codes)
    joint = case.joint()
    np.testing.assert_allclose(logs, [joint.log_evidence(row) for row in case.codes], **CLOSE)


@given(cases(), ways)
def test_expected_counts_of_a_row_are_its_family_posteriors(case, way):
    engine, joint = engine_of(case.flat, case.target, way), case.joint()
    for row in case.codes:
        counts, logs = engine.expected_counts(case.theta, row[None])
        np.testing.assert_allclose(counts, joint.families(row), **CLOSE)
        np.testing.assert_allclose(logs, [joint.log_evidence(row)], **CLOSE)


@given(cases(), ways)
def test_expected_counts_are_weighted_sums(case, way):
    engine, joint = engine_of(case.flat, case.target, way), case.joint()
    counts, _ = engine.expected_counts(case.theta, case.codes, case.weights)
    rows = zip(case.weights, case.codes, strict=True)
    np.testing.assert_allclose(counts, sum(w * joint.families(row) for w, row in rows), **CLOSE)


@pytest.mark.slow
@given(cases(), ways)
def test_contrast_is_the_difference_of_family_posteriors(case, way):
    engine, joint = engine_of(case.flat, case.target, way), case.joint()
    counts, logs = engine.contrast(case.theta, case.codes, case.weights)
    wanted, wanted_logs = np.zeros(case.flat.n_cells), np.zeros(len(case.codes))
    for k, row in enumerate(case.codes):
        if row[case.target] >= 0:
            hidden = without(row, case.target)
            wanted_logs[k] = joint.log_evidence(row)
            if wanted_logs[k] > -np.inf:
                wanted_logs[k] -= joint.log_evidence(hidden)
                wanted += case.weights[k] * (joint.families(row) - joint.families(hidden))
    np.testing.assert_allclose(logs, wanted_logs, **CLOSE)
    np.testing.assert_allclose(counts, wanted, **CLOSE)


@pytest.mark.slow
@given(cases(), ways)
def test_information_is_the_covariance_of_what_the_classes_expect(case, way):
    engine, joint = engine_of(case.flat, case.target, way), case.joint()
    wanted = np.zeros((case.flat.n_cells, case.flat.n_cells))
    for row, weight in zip(case.codes, case.weights, strict=True):
        hidden = without(row, case.target)
        shares = joint.posterior([case.target], hidden)
        own = [np.where(np.arange(len(row)) == case.target, c, hidden) for c in range(len(shares))]
        counts = np.array([joint.families(each) for each in own])
        moved = counts - shares @ counts
        wanted += weight * (moved.T * shares) @ moved
    found = engine.information(case.theta, case.codes, case.weights)
    np.testing.assert_allclose(found, wanted, **CLOSE)
    np.testing.assert_array_equal(found, found.T)


@pytest.mark.slow
@given(cases(), st.data())
def test_query_is_the_joint_posterior(case, data):
    n = case.flat.n_nodes
    targets = data.draw(st.permutations(range(n)))[: data.draw(st.integers(0, min(n, 3)))]
    evidence = {k: int(code) for k, code in enumerate(case.codes[0]) if code >= 0}
    answer = Engine(case.flat, case.target).query(case.theta, targets, evidence)
    wanted = query(case.joint(), targets, evidence)
    assert answer.shape == tuple(case.flat.cards[list(targets)])
    np.testing.assert_allclose(answer, wanted, **CLOSE)


def softmax(flat, beta):
    shares = np.exp(beta)
    return shares / flat.column_sums(shares)


def difference(function, beta, direction, h=1e-4):
    """A fourth-order central difference along a direction."""
    near, far = (function(beta + s * h * direction) for s in (1, -1)), []
    far = [function(beta + 2 * s * h * direction) for s in (1, -1)]
    up, down = near
    return (8 * (up - down) - (far[0] - far[1])) / (12 * h)


@given(cases(zeros=(0.0,)), seeds, ways)
def test_gradients_in_beta_are_differences(case, seed, way):
    flat, engine = case.flat, engine_of(case.flat, case.target, way)
    rng = np.random.default_rng(seed)
    beta, direction = rng.standard_normal(flat.n_cells), rng.standard_normal(flat.n_cells)
    direction /= np.linalg.norm(direction)
    theta = softmax(flat, beta)
    for method, logs in ((engine.expected_counts, engine.log_evidence), (engine.contrast, None)):
        counts, _ = method(theta, case.codes, case.weights)
        slope = direction @ (counts - theta * flat.column_sums(counts))

        def value(at, method=method, logs=logs):
            here = softmax(flat, at)
            own = method(here, case.codes)[1] if logs is None else logs(here, case.codes)
            return case.weights @ own

        assert slope == pytest.approx(difference(value, beta, direction), abs=1e-7)


# pyAgrum


def agrum_of(flat, theta):
    gum = pytest.importorskip("pyagrum")
    net = gum.BayesNet()
    for name, card in zip(flat.names, flat.cards, strict=True):
        net.add(gum.LabelizedVariable(name, name, int(card)))
    for name, above in zip(flat.names, flat.parents, strict=True):
        for parent in above:
            net.addArc(flat.names[parent], name)
    for name, table in flat.unflatten(theta).items():
        axes = [*(flat.names[p] for p in flat.parents[flat.names.index(name)]), name]
        own = list(net.cpt(name).names)  # last name first in the array's axes
        turned = table.transpose([axes.index(axis) for axis in own[::-1]])
        net.cpt(name)[:] = np.ascontiguousarray(turned)
    return gum, net


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", ["asia", "alarm"])
def test_agrees_with_pyagrum(seed, size):
    rng = np.random.default_rng(seed)
    asia = size == "asia"
    flat = random_network(rng, 8, 2, (2,)) if asia else large_case(seed).flat
    theta, codes = random_theta(rng, flat), random_codes(rng, flat, 6, 0.4)
    target = int(rng.integers(flat.n_nodes))
    engine = engine_of(flat, target, "junction tree")
    posterior, logs = engine.posterior(theta, codes)
    gum, net = agrum_of(flat, theta)
    for k, row in enumerate(codes):
        lazy = gum.LazyPropagation(net)
        seen = {n: int(c) for n, c in zip(flat.names, without(row, target), strict=True) if c >= 0}
        lazy.setEvidence(seen)
        for node, above in enumerate(flat.parents):
            lazy.addJointTarget({flat.names[m] for m in (node, *above)})
        lazy.makeInference()
        own = lazy.posterior(flat.names[target]).toarray()
        np.testing.assert_allclose(posterior[k], own, rtol=1e-9, atol=1e-9)
        assert logs[k] == pytest.approx(np.log(lazy.evidenceProbability()), rel=1e-9)
        hidden = np.array(without(row, target))
        counts, _ = engine.expected_counts(theta, hidden[None])
        check_families(flat, lazy, counts, hidden)


def check_families(flat, lazy, counts, row):
    for node, table in enumerate(flat.unflatten(counts).values()):
        family = (*flat.parents[node], node)
        free = [k for k, member in enumerate(family) if row[member] < 0]
        own = table[tuple(slice(None) if row[m] < 0 else int(row[m]) for m in family)]
        if len(free) == 1:
            wanted = lazy.posterior(flat.names[family[free[0]]]).toarray()
            np.testing.assert_allclose(own, wanted, rtol=1e-9, atol=1e-9)
        assert table.sum() == pytest.approx(own.sum(), abs=1e-12) == pytest.approx(1.0)


# Large and extreme


def chain(n, stay, target=0):
    """x0 → x1 → …, two states; each keeps its parent's with probability `stay`."""
    flat = flat_of([(), *((k,) for k in range(n - 1))], [2] * n, target)
    step = [stay, 1 - stay, 1 - stay, stay]
    return flat, np.array([0.5, 0.5, *step * (n - 1)])


def test_chain_of_2000_nodes(way):
    n, stay = 2_000, 0.9
    flat, theta = chain(n, stay)
    codes = np.full((3, n), -1)
    codes[0, 1:] = 0
    codes[1, 1] = 1
    codes[2, -1] = 1
    posterior, logs = engine_of(flat, 0, way).posterior(theta, codes)
    far = 0.5 - 0.5 * (2 * stay - 1) ** (n - 1)
    np.testing.assert_allclose(posterior, [[0.9, 0.1], [0.1, 0.9], [far, 1 - far]], rtol=1e-12)
    wanted = np.log(0.5) + np.array([(n - 2) * np.log(stay), 0.0, 0.0])
    np.testing.assert_allclose(logs, wanted, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.5])
def test_naive_bayes_with_2000_attributes(way, missing):
    rng = np.random.default_rng(1)
    n = 2_000
    flat = flat_of([(), *((0,),) * n], [3, *[2] * n])
    theta, codes = random_theta(rng, flat), random_codes(rng, flat, 5, missing)
    tables = list(flat.unflatten(theta).values())
    wanted = np.tile(np.log(tables[0]), (5, 1))
    for k, row in enumerate(codes):
        for node in np.flatnonzero(row[1:] >= 0) + 1:
            wanted[k] += np.log(tables[node][:, row[node]])
    engine = engine_of(flat, 0, way)
    posterior, logs = engine.posterior(theta, codes)
    totals = np.logaddexp.reduce(wanted, axis=1)
    np.testing.assert_allclose(logs, totals, rtol=1e-12)
    np.testing.assert_allclose(posterior, np.exp(wanted - totals[:, None]), rtol=1e-9, atol=1e-300)
    counts, _ = engine.expected_counts(theta, codes)
    assert np.isfinite(counts).all()
    assert counts.sum() == pytest.approx(5 * (n + 1), rel=1e-12)


def test_log_odds_far_beyond_a_double(way):
    # Each attribute says e^±690 to 1; one state gains all the odd ones, the other the even ones.
    n, tiny = 7, 1e-300
    flat = flat_of([(), *((0,),) * n], [2, *[2] * n])
    weak, strong = [tiny, 1 - tiny, 1.0, 0.0], [1.0, 0.0, tiny, 1 - tiny]
    theta = np.array([0.5, 0.5, *(value for k in range(n) for value in (weak, strong)[k % 2])])
    codes = np.zeros((1, n + 1), dtype=int)
    engine = engine_of(flat, 0, way)
    posterior, logs = engine.posterior(theta, codes)
    np.testing.assert_allclose(posterior, [[0.0, 1.0]], atol=1e-290)
    assert logs[0] == pytest.approx(np.log(0.5) + 3 * np.log(tiny), rel=1e-12)
    _, conditional = engine.contrast(theta, codes)
    assert conditional[0] == pytest.approx(np.log(tiny), rel=1e-12)


@given(cases(max_nodes=6), seeds)
def test_probabilities_down_to_the_smallest_are_exact(case, seed):
    flat, rng = case.flat, np.random.default_rng(seed)
    scaled = case.theta * 10.0 ** -rng.choice([0, 150, 300], flat.n_cells)
    theta = scaled / flat.column_sums(scaled)
    joint = case.joint(theta)
    engine = engine_of(flat, case.target, "junction tree")
    hidden = [without(row, case.target) for row in case.codes]
    posterior, logs = engine.posterior(theta, case.codes)
    np.testing.assert_allclose(logs, [joint.log_evidence(row) for row in hidden], **CLOSE)
    wanted = [joint.posterior([case.target], row) for row in hidden]
    np.testing.assert_allclose(posterior, wanted, **CLOSE)
    for row in case.codes:
        counts, _ = engine.expected_counts(theta, row[None])
        np.testing.assert_allclose(counts, joint.families(row), **CLOSE)
        if row[case.target] >= 0:
            counts, own = engine.contrast(theta, row[None])
            ratio = joint.log_evidence(row)
            if ratio > -np.inf:
                ratio -= joint.log_evidence(without(row, case.target))
                wanted = joint.families(row) - joint.families(without(row, case.target))
                np.testing.assert_allclose(counts, wanted, **CLOSE)
            assert own[0] == pytest.approx(ratio, rel=1e-10, abs=1e-10)


def test_many_strong_messages_into_one_clique():
    # 60 hidden children of the target, each with an observed child: (1/2)^60 a state, and rescaled.
    n, share = 60, Fraction(3, 4)
    parents = [(), *((0,),) * n, *((k, 0) for k in range(1, n + 1))]
    flat = flat_of(parents, [2] * (2 * n + 1))
    leaf = [[[1e-9, 1 - 1e-9], [1e-9, 1 - 1e-9]], [[1 - 1e-9, 1e-9], [2e-9, 1 - 2e-9]]]
    tables = {"x0": [0.5, 0.5]}
    tables |= {f"x{k}": [[0.25, 0.75], [0.25, 0.75]] for k in range(1, n + 1)}
    tables |= {f"x{n + k}": leaf for k in range(1, n + 1)}
    codes = np.full((1, 2 * n + 1), -1)
    codes[0, n + 1 :] = 0
    posterior, logs = engine_of(flat, 0, "junction tree").posterior(flat.flatten(tables), codes)
    tiny, none = Fraction(1e-9), 1 - share
    one = (none * tiny + share * (1 - tiny)) ** n
    other = (none * tiny + share * 2 * tiny) ** n
    assert logs[0] == pytest.approx(np.log(float(one / 2)), rel=1e-12)
    assert posterior[0, 1] == pytest.approx(float(other / one), rel=1e-6)


def test_impossible_rows_are_recognised(way):
    # x1 copies the target, x2 copies x1; another part of the graph cannot be either.
    flat = flat_of([(), (0,), (1,), (), (3,)], [2] * 5)
    copy = [[1.0, 0.0], [0.0, 1.0]]
    theta = flat.flatten({"x0": [0.5, 0.5], "x1": copy, "x2": copy, "x3": [1.0, 0.0], "x4": copy})
    rows = [
        [0, 0, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [1, 0, -1, 0, 0],
        [0, -1, 0, -1, 1],
        [-1, -1, 1, 0, 0],
    ]
    engine, codes = engine_of(flat, 0, way), np.array(rows)
    posterior, logs = engine.posterior(theta, codes)
    wanted = [[1, 0], [0, 0], [1, 0], [0, 0], [0, 1]]
    np.testing.assert_array_equal(posterior, wanted)
    np.testing.assert_allclose(logs, np.log([0.5, 1, 0.5, 1, 0.5]) - [0, np.inf, 0, np.inf, 0])
    counts, logs = engine.expected_counts(theta, codes)
    np.testing.assert_array_equal(np.isinf(logs), [False, True, True, True, False])
    assert counts.sum() == pytest.approx(10)
    counts, logs = engine.contrast(theta, codes)
    np.testing.assert_array_equal(logs, [0, -np.inf, -np.inf, -np.inf, 0])
    for evidence in ({0: 0, 2: 1}, {4: 1}, {3: 1}):
        np.testing.assert_array_equal(engine.query(theta, [1], evidence), [0, 0])
    np.testing.assert_array_equal(counts, np.zeros(flat.n_cells))


# Rows, weights, threads, plans


@pytest.mark.parametrize("method", ["expected_counts", "contrast", "information"])
def test_threads_change_no_byte(method, way, monkeypatch):
    monkeypatch.setattr(propagate, "_LEAST_ROWS", 64)
    case = large_case(4, n_rows=400)
    first, second = (
        getattr(engine_of(case.flat, case.target, way, n), method)(
            case.theta, case.codes, case.weights
        )
        for n in (1, 2)
    )
    assert [part.tobytes() for part in first] == [part.tobytes() for part in second]


def test_rows_do_not_influence_each_other():
    case = large_case(5)
    engine = Engine(case.flat, case.target, 1)
    posterior, logs = engine.posterior(case.theta, case.codes)
    order = np.random.default_rng(0).permutation(len(case.codes))
    turned = engine.posterior(case.theta, case.codes[order])
    np.testing.assert_allclose(turned[0], posterior[order], rtol=1e-12)
    np.testing.assert_allclose(turned[1], logs[order], rtol=1e-12)
    for k in (0, 7):
        alone = engine.posterior(case.theta, case.codes[k : k + 1])
        np.testing.assert_allclose(alone[0][0], posterior[k], rtol=1e-12)


@pytest.mark.parametrize("method", ["expected_counts", "contrast"])
def test_weights_repeat_rows(method):
    case = large_case(6, n_rows=40)
    run = getattr(Engine(case.flat, case.target, 1), method)
    times = np.arange(len(case.codes)) % 3
    counts, _ = run(case.theta, case.codes, times.astype(float))
    repeated, _ = run(case.theta, np.repeat(case.codes, times, axis=0))
    np.testing.assert_allclose(counts, repeated, rtol=1e-11, atol=1e-12)


@pytest.mark.slow
def test_few_patterns_have_plans_of_their_own_and_the_same_results(monkeypatch):
    case = large_case(7, n_rows=4_000, missing=0.0)
    rng = np.random.default_rng(0)
    patterns = rng.random((3, case.flat.n_nodes)) < 0.4
    case.codes[patterns[rng.integers(0, 3, len(case.codes))]] = -1
    engine, other = (Engine(case.flat, case.target, 1) for _ in range(2))
    monkeypatch.setattr(other, "_has_few_patterns", lambda *_: False)
    assert len(list(engine._groups(case.codes, hidden=True, all_families=True))) == 3
    assert len(list(other._groups(case.codes, hidden=True, all_families=True))) == 1
    for method in ("posterior", "log_evidence", "expected_counts", "contrast"):
        for one, two in zip(
            np.atleast_2d(*getattr(engine, method)(case.theta, case.codes)),
            np.atleast_2d(*getattr(other, method)(case.theta, case.codes)),
            strict=True,
        ):
            np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-10)


@pytest.mark.slow
def test_rows_whose_own_plans_fit_are_served_where_the_common_plan_does_not():
    rng = np.random.default_rng(0)
    flat = random_network(rng, 120, 8, (2, 3))
    theta, codes = random_theta(rng, flat), random_codes(rng, flat, 6, 0.0)
    for k, row in enumerate(codes):
        row[rng.choice(120, 110 if k == 5 else 18, replace=False)] = -1
    engine = Engine(flat, 0)
    with pytest.raises(TooLargeError, match="clique"):
        make_plan(flat, 0, frozenset(np.flatnonzero((codes[:5] >= 0).all(axis=0)).tolist()))
    with pytest.raises(TooLargeError, match="clique"):
        engine.expected_counts(theta, codes)
    counts, logs = engine.expected_counts(theta, codes[:5])
    assert np.isfinite(logs).all()
    assert counts.sum() == pytest.approx(5 * 120)


def test_empty_batches(way):
    case = large_case(8)
    engine, none = engine_of(case.flat, case.target, way), case.codes[:0]
    posterior, logs = engine.posterior(case.theta, none)
    assert posterior.shape == (0, case.flat.cards[case.target])
    assert logs.shape == engine.log_evidence(case.theta, none).shape == (0,)
    for run in (engine.expected_counts, engine.contrast):
        counts, logs = run(case.theta, none)
        np.testing.assert_array_equal(counts, np.zeros(case.flat.n_cells))
        assert logs.shape == (0,)


def test_a_single_node_with_one_state_or_more(way):
    for card, theta in ((1, [1.0]), (3, [0.2, 0.3, 0.5])):
        engine = engine_of(flat_of([()], [card]), 0, way)
        codes = np.array([[-1], [0], [card - 1]])
        posterior, logs = engine.posterior(np.array(theta), codes)
        np.testing.assert_allclose(posterior, [theta] * 3, rtol=1e-15)
        np.testing.assert_allclose(logs, 0.0, atol=1e-15)
        counts, logs = engine.expected_counts(np.array(theta), codes)
        np.testing.assert_allclose(logs, np.log([1, theta[0], theta[-1]]), atol=1e-15)
        assert counts.sum() == pytest.approx(3)


def test_codes_of_any_type_and_order_mean_the_same(way):
    case = large_case(9, n_rows=50)
    engine = engine_of(case.flat, case.target, way)
    wanted = engine.posterior(case.theta, case.codes)[0].tobytes()
    far = np.where(case.codes < 0, np.int64(-(2**40)), case.codes)
    kinds = (np.int8, np.int16, np.int64)
    for codes in (*map(case.codes.astype, kinds), np.asfortranarray(case.codes), far):
        assert engine.posterior(case.theta, codes)[0].tobytes() == wanted


def test_plans_are_kept():
    case = large_case(10)
    engine = Engine(case.flat, case.target)
    assert engine.plan([1, 2]) is engine.plan((2, 1))
    assert engine.plan([1, 2, case.target]) is engine.plan([1, 2])


def test_an_engine_can_be_pickled():
    case = large_case(11, n_rows=20)
    engine = Engine(case.flat, case.target, 1)
    again = pickle.loads(pickle.dumps(engine))  # noqa: S301
    one, two = (e.posterior(case.theta, case.codes)[0] for e in (engine, again))
    np.testing.assert_array_equal(one, two)


# Errors


@pytest.fixture
def small():
    flat = flat_of([(), (0,), (0, 1), (1, 2)], [2, 3, 2, 2])
    return Engine(flat, 0), random_theta(np.random.default_rng(0), flat)


@pytest.mark.parametrize("target", [-1, 4, "x0", True, 1.0])
def test_a_target_that_is_no_place(small, target):
    with pytest.raises(ParameterError, match="the target is"):
        Engine(small[0].flat, target)


def test_bad_arrays(small):
    engine, theta = small
    codes = np.zeros((2, 4), dtype=int)
    with pytest.raises(ParameterError, match=r"theta has shape \(3,\)"):
        engine.posterior(theta[:3], codes)
    for wrong in (np.nan, np.inf, -0.5):
        theta_with = np.where(np.arange(len(theta)) == 3, wrong, theta)
        with pytest.raises(ParameterError, match=f"the CPT of 'x1' holds {wrong}; probabilities"):
            engine.log_evidence(theta_with, codes)
    with pytest.raises(ParameterError, match=r"codes have shape \(2, 3\)"):
        engine.contrast(theta, codes[:, :3])
    with pytest.raises(ParameterError, match="type float64"):
        engine.contrast(theta, codes.astype(float))
    with pytest.raises(ParameterError, match=r"weights have shape \(3,\)"):
        engine.expected_counts(theta, codes, np.ones(3))
    with pytest.raises(ParameterError, match="NaN or infinite"):
        engine.expected_counts(theta, codes, np.array([1, np.inf]))


def test_a_code_that_is_no_state_is_named(small):
    engine, theta = small
    codes = np.zeros((4, 4), dtype=int)
    codes[2, 1] = 3
    with pytest.raises(StateError, match="row 2 has the code 3 for 'x1'; its states are 0 to 2"):
        engine.posterior(theta, codes)


def test_bad_queries(small):
    engine, theta = small
    with pytest.raises(ParameterError, match="name each of them once"):
        engine.query(theta, [1, 1], {})
    with pytest.raises(ParameterError, match="a node asked for is 9"):
        engine.query(theta, [9], {})
    with pytest.raises(ParameterError, match="an observed node is 'x1'"):
        engine.query(theta, [0], {"x1": 0})
    with pytest.raises(StateError, match="code 5 for 'x2'"):
        engine.query(theta, [0], {2: 5})
    with pytest.raises(ParameterError, match="an observed node is 4"):
        engine.plan([4])


def test_a_query_too_large_to_answer_is_refused():
    flat = flat_of([()] * 40, [2] * 40)
    with pytest.raises(TooLargeError, match=r"clique .* 1,099,511,627,776 cells"):
        Engine(flat, 0).query(np.full(80, 0.5), list(range(40)), {})

"""Trees given the class against the joint distribution, differences, hand formulas and pyAgrum."""

import itertools
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

import bnlr
from bnlr.errors import DataError, ParameterError
from bnlr.inference import tree_twins, trees
from bnlr.inference.cpts import FlatCPTs
from bnlr.inference.trees import tree_plan
from tests import oracles
from tests.kernels import EVERY, all_kernels, compiled
from tests.strategies import seeds, sizes
from tests.width import in_full

CODE = all_kernels("trees", tree_twins)
kinds = st.sampled_from(sorted(CODE))


@contextmanager
def in_kind(kind):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "_kernels", lambda: CODE[kind])
        yield


@pytest.fixture(params=EVERY)
def kind(request, monkeypatch):
    if request.param not in CODE:
        pytest.skip("not for this CPU")
    monkeypatch.setattr(trees, "_kernels", lambda: CODE[request.param])
    return request.param


# Networks


def flat_of(parents, cards, target=0):
    """FlatCPTs of nodes 0 … n − 1 with these parents."""
    names = [f"x{v}" for v in range(len(cards))]
    arcs = [(names[p], names[v]) for v, above in enumerate(parents) for p in above]
    structure = bnlr.Structure(arcs, class_name=names[target], nodes=names)
    return FlatCPTs.of(structure, dict(zip(names, map(int, cards), strict=True)))


def random_forest(rng, n, *, class_first=False, max_card=4):
    """Random parents, cards and target of a network that is a forest given the target."""
    order, parents = rng.permutation(n), [()] * n
    target = int(order[0] if class_first else rng.choice(order))
    for k, v in enumerate(order):
        others = [p for p in order[:k] if p != target]
        above = [int(rng.choice(others))] if others and rng.random() < 0.8 else []
        if target in order[:k] and rng.random() < 0.7:
            above.append(target)
        parents[v] = tuple(int(p) for p in rng.permutation(above))
    return flat_of(parents, rng.integers(1, max_card + 1, n), target), target


def random_theta(rng, flat, *, zeros=0.0, exponent=0.0):
    """Dirichlet columns; a share of cells is 0, others are scaled by 10 to minus up to exponent."""
    columns = []
    for length in flat.cards.repeat(np.diff(flat.offsets) // flat.cards):
        column = rng.dirichlet(np.ones(length)) * 10.0 ** -rng.uniform(0, exponent, length)
        column[rng.random(length) < zeros] = 0.0
        column[rng.integers(length)] += not column.any()
        columns.append(column / column.sum())
    return np.concatenate(columns)


def random_codes(rng, flat, n_rows, missing):
    codes = np.column_stack([rng.integers(0, card, n_rows) for card in flat.cards])
    codes[rng.random(codes.shape) < missing] = -1
    return codes.astype(np.int8)


def tan(n, card=2, n_classes=2):
    """A class at place 0, and nodes below it in a binary tree."""
    parents = [(), (0,), *((0, max(1, v // 2)) for v in range(2, n + 1))]
    return flat_of(parents, [n_classes, *[card] * n])


# The joint distribution in full, with logarithms


class Joint:
    def __init__(self, flat, target, theta):
        self.flat, self.target = flat, target
        self.n = len(flat.cards)
        with np.errstate(divide="ignore"):
            logs = np.log(theta)
        self.logs = np.zeros(tuple(flat.cards))
        for v in range(self.n):
            self.logs = self.logs + self._spread(logs[flat.offsets[v] : flat.offsets[v + 1]], v)

    def _spread(self, table, v):
        axes = (*self.flat.parents[v], v)
        ordered = table.reshape(self.flat.shape(v)).transpose(np.argsort(axes))
        shape = [self.flat.cards[k] if k in axes else 1 for k in range(self.n)]
        return ordered.reshape(shape)

    def agreeing(self, row):
        """Logs of the joint, −inf where a configuration disagrees with the row."""
        kept = np.full(self.logs.shape, -np.inf)
        at = tuple(slice(None) if code < 0 else slice(code, code + 1) for code in row)
        kept[at] = self.logs[at]
        return kept

    def log_evidence(self, row):
        return logsumexp(self.agreeing(row))

    def family_posteriors(self, row):
        log_evidence = self.log_evidence(row)
        if log_evidence == -np.inf:
            return np.zeros(self.flat.n_cells)
        posterior, tables = np.exp(self.agreeing(row) - log_evidence), []
        for v in range(self.n):
            axes = (*self.flat.parents[v], v)
            rest = tuple(k for k in range(self.n) if k not in axes)
            summed = posterior.sum(axis=rest)
            tables.append(summed.transpose(np.argsort(np.argsort(axes))).ravel())
        return np.concatenate(tables)

    def class_posterior(self, row):
        logs = self.agreeing(self.without_class(row))
        rest = tuple(k for k in range(self.n) if k != self.target)
        totals = logsumexp(logs, axis=rest)
        top = logsumexp(totals)
        return np.zeros(len(totals)) if top == -np.inf else np.exp(totals - top)

    def without_class(self, row):
        hidden = np.array(row)
        hidden[self.target] = -1
        return hidden


def check_everything(flat, target, theta, codes, weights, tolerance=1e-10):
    plan, joint = tree_plan(flat, target, 1), Joint(flat, target, theta)
    used = np.ones(len(codes)) if weights is None else weights
    close = {"rtol": tolerance, "atol": tolerance}

    posterior, log_evidence = plan.posterior(theta, codes)
    wanted = [joint.log_evidence(joint.without_class(row)) for row in codes]
    np.testing.assert_allclose(log_evidence, wanted, **close)
    wanted = [joint.class_posterior(row) for row in codes]
    np.testing.assert_allclose(posterior, wanted, **close)

    seen = np.array([joint.log_evidence(row) for row in codes])
    np.testing.assert_allclose(plan.log_evidence(theta, codes), seen, **close)

    counts, log_evidence = plan.expected_counts(theta, codes, weights)
    np.testing.assert_allclose(log_evidence, seen, **close)
    per_row = np.array([joint.family_posteriors(row) for row in codes])
    np.testing.assert_allclose(counts, used @ per_row, **close)

    counts, log_conditional = plan.contrast(theta, codes, weights)
    known = (codes[:, target] >= 0) & (seen > -np.inf)
    hidden = np.array([joint.family_posteriors(joint.without_class(row)) for row in codes])
    np.testing.assert_allclose(counts, (used * known) @ (per_row - hidden), **close)
    wanted = np.zeros(len(codes))
    for i in np.flatnonzero(codes[:, target] >= 0):
        below = joint.log_evidence(joint.without_class(codes[i]))
        wanted[i] = seen[i] - below if known[i] else -np.inf
    np.testing.assert_allclose(log_conditional, wanted, **close)


# Equality with the joint distribution


@given(
    kinds,
    seeds,
    sizes(1, 8),
    st.sampled_from((0.0, 0.3)),
    st.sampled_from((0.0, 0.25, 0.6, 1.0)),
    st.booleans(),
)
def test_all_methods_equal_enumeration(kind, seed, n, zeros, missing, weighted):
    rng = np.random.default_rng(seed)
    flat, target = random_forest(rng, n)
    codes = random_codes(rng, flat, 8, missing)
    weights = rng.uniform(0, 3, 8) * (rng.random(8) < 0.8) if weighted else None
    with in_kind(kind):
        check_everything(flat, target, random_theta(rng, flat, zeros=zeros), codes, weights)


@given(kinds, seeds, sizes(2, 7), st.sampled_from((20.0, 140.0, 290.0)), st.booleans())
def test_extreme_cpts_equal_enumeration(kind, seed, n, exponent, zeros):
    rng = np.random.default_rng(seed)
    flat, target = random_forest(rng, n, max_card=3)
    theta = random_theta(rng, flat, zeros=0.2 * zeros, exponent=exponent)
    with in_kind(kind):
        check_everything(flat, target, theta, random_codes(rng, flat, 8, 0.5), None)


@given(seeds, sizes(2, 5), st.booleans())
def test_gradients_equal_the_oracles(seed, n, weighted):
    rng = np.random.default_rng(seed)
    flat, target = random_forest(rng, n, max_card=3)
    theta, codes = random_theta(rng, flat), random_codes(rng, flat, 4, 0.4)
    weights = rng.uniform(0, 3, 4) if weighted else None
    parents = {
        name: tuple(flat.names[p] for p in flat.parents[v]) for v, name in enumerate(flat.names)
    }
    cards = dict(zip(flat.names, map(int, flat.cards), strict=True))
    model = oracles.Model(flat.names, cards, parents, flat.names[target])
    plan, cpts = tree_plan(flat, target), flat.unflatten(theta)
    for (counts, _), literal in (
        (plan.contrast(theta, codes, weights), oracles.cll_gradient),
        (plan.expected_counts(theta, codes, weights), oracles.ll_gradient),
    ):
        gradient = flat.unflatten(counts - theta * flat.column_sums(counts))
        wanted = literal(model, cpts, codes, weights)
        for name in flat.names:
            np.testing.assert_allclose(gradient[name], wanted[name], atol=1e-10)


@given(kinds, seeds, sizes(2, 8))
def test_gradients_equal_differences(kind, seed, n):
    rng = np.random.default_rng(seed)
    flat, target = random_forest(rng, n, max_card=3)
    plan = tree_plan(flat, target)
    codes, weights = random_codes(rng, flat, 6, 0.3), rng.uniform(0, 2, 6)
    beta, direction = rng.normal(size=(2, flat.n_cells))

    def theta_at(step):
        raised = np.exp(beta + step * direction)
        return raised / flat.column_sums(raised)

    theta = theta_at(0.0)
    with in_kind(kind):
        for counts, value in (
            (plan.contrast(theta, codes, weights)[0], lambda t: plan.contrast(t, codes)[1]),
            (plan.expected_counts(theta, codes, weights)[0], lambda t: plan.log_evidence(t, codes)),
        ):
            slope = direction @ (counts - theta * flat.column_sums(counts))
            up, down = (weights @ value(theta_at(step)) for step in (1e-5, -1e-5))
            assert slope == pytest.approx((up - down) / 2e-5, rel=1e-7, abs=1e-7)


def test_class_posteriors_of_a_tan_equal_pyagrum(kind):
    gum = pytest.importorskip("pyagrum")
    rng = np.random.default_rng(3)
    flat = tan(20, card=3, n_classes=3)
    theta, codes = random_theta(rng, flat), random_codes(rng, flat, 10, 0.4)
    net = gum.BayesNet()
    for name, card in zip(flat.names, flat.cards, strict=True):
        net.add(gum.RangeVariable(name, name, 0, int(card) - 1))
    for v, above in enumerate(flat.parents):
        for p in above:
            net.addArc(flat.names[p], flat.names[v])
    for name, table in flat.unflatten(theta).items():
        own = [*(flat.names[p] for p in flat.parents[flat.names.index(name)]), name]
        cpt = net.cpt(name)
        shown = table.transpose([own.index(member) for member in cpt.names[::-1]])
        cpt[:] = np.ascontiguousarray(shown)
    posterior, log_evidence = tree_plan(flat, 0).posterior(theta, codes)
    for i, row in enumerate(codes):
        engine = gum.LazyPropagation(net)
        pairs = zip(flat.names[1:], row[1:], strict=True)
        engine.setEvidence({name: int(code) for name, code in pairs if code >= 0})
        engine.makeInference()
        np.testing.assert_allclose(posterior[i], engine.posterior("x0").toarray(), atol=1e-10)
        assert log_evidence[i] == pytest.approx(np.log(engine.evidenceProbability()), rel=1e-9)


# Compiled loops and twins, threads


@compiled
@pytest.mark.parametrize("n_classes", [2, *in_full(3, 11)])
@pytest.mark.parametrize("exponent", [0.0, 200.0, 320.0])  # beyond 308 some are subnormal or 0
def test_compiled_loops_equal_their_twins_and_one_another_to_the_bit(exponent, n_classes):
    rng = np.random.default_rng(5)
    flat = tan(40, card=3, n_classes=n_classes)
    theta = random_theta(rng, flat, zeros=0.05, exponent=exponent)
    codes, plan = random_codes(rng, flat, 300, 0.3), tree_plan(flat, 0)
    weights = rng.uniform(0, 2, 300)
    results = {}
    for kind in CODE:
        with in_kind(kind):
            results[kind] = [
                *plan.posterior(theta, codes),
                plan.log_evidence(theta, codes),
                *plan.expected_counts(theta, codes, weights),
                *plan.contrast(theta, codes, weights),
            ]
    twins = results.pop("twins")
    first, *others = results.values()
    for one, other in zip(twins, first, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)
    for other in others:
        assert [array.tobytes() for array in other] == [array.tobytes() for array in first]


@pytest.mark.parametrize("exponent", [0.0, 200.0])
def test_threads_change_no_bit(kind, exponent, monkeypatch):
    monkeypatch.setattr(trees, "_CHUNK_CODES", 2**10)
    rng = np.random.default_rng(7)
    flat, target = random_forest(rng, 8, class_first=True)
    theta = random_theta(rng, flat, exponent=exponent)
    codes, weights = random_codes(rng, flat, 3_001, 0.3), rng.uniform(0, 2, 3_001)
    results = []
    for n_threads in (1, 2, 5):
        plan = tree_plan(flat, target, n_threads)
        results.append([
            *plan.posterior(theta, codes),
            plan.log_evidence(theta, codes),
            *plan.expected_counts(theta, codes, weights),
            *plan.contrast(theta, codes, weights),
        ])  # fmt: skip
    for one, other in itertools.product(results[:1], results[1:]):
        assert [array.tobytes() for array in one] == [array.tobytes() for array in other]


def test_chunks_make_up_the_whole(kind, monkeypatch):
    rng = np.random.default_rng(8)
    flat, target = random_forest(rng, 5, class_first=True)
    theta, codes = random_theta(rng, flat), random_codes(rng, flat, 500, 0.3)
    plan = tree_plan(flat, target, 1)
    at_once = [*plan.contrast(theta, codes), *plan.expected_counts(theta, codes)]
    monkeypatch.setattr(trees, "_CHUNK_CODES", 1)
    monkeypatch.setattr(trees, "_LEAST_ROWS", 7)
    in_parts = [*plan.contrast(theta, codes), *plan.expected_counts(theta, codes)]
    for one, other in zip(at_once, in_parts, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_the_twins_work_in_parts(monkeypatch):
    rng = np.random.default_rng(15)
    flat, target = random_forest(rng, 6)
    theta, codes = random_theta(rng, flat), random_codes(rng, flat, 30, 0.4)
    monkeypatch.setattr(trees, "_kernels", lambda: tree_twins)
    plan = tree_plan(flat, target)
    wanted = [*plan.posterior(theta, codes), *plan.contrast(theta, codes)]
    monkeypatch.setattr(tree_twins, "_MOST_NUMBERS", 200)
    for one, other in zip(
        [*plan.posterior(theta, codes), *plan.contrast(theta, codes)], wanted, strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


# Large and extreme


@pytest.mark.slow
def test_two_thousand_attributes_of_log_odds_up_to_800_in_naive_bayes(kind):
    rng, n = np.random.default_rng(9), 2_000
    flat = flat_of([(), *[(0,)] * n], [2] * (n + 1))
    odds = rng.uniform(-700, 700, (n, 2))
    theta = np.concatenate([[0.5, 0.5], _two_states(odds).ravel()])
    codes = random_codes(rng, flat, 4, 0.1)
    codes[0, 1:], codes[:, 0] = -1, [0, 1, 1, 0]
    posterior, log_evidence = tree_plan(flat, 0).posterior(theta, codes)
    logs = np.log(theta[2:]).reshape(n, 2, 2)
    for i, row in enumerate(codes):
        seen = np.flatnonzero(row[1:] >= 0)
        totals = np.log(0.5) + logs[seen, :, row[1 + seen]].sum(axis=0)
        np.testing.assert_allclose(log_evidence[i], logsumexp(totals), rtol=1e-12, atol=1e-11)
        np.testing.assert_allclose(posterior[i], np.exp(totals - logsumexp(totals)), atol=1e-9)
        conditional = tree_plan(flat, 0).contrast(theta, codes[i : i + 1])[1][0]
        assert conditional == pytest.approx((totals - logsumexp(totals))[row[0]], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.5, 700.0])
def test_a_missing_parent_of_two_thousand_observed_nodes(kind, spread):
    """P(c), P(h|c) and two thousand P(x|h): one sum over the states of h."""
    rng, n = np.random.default_rng(10), 2_000
    flat = flat_of([(), (0,), *[(1,)] * n], [2] * (n + 2))
    theta = _two_states(rng.uniform(-spread, spread, (2 * n + 3,)))
    codes = random_codes(rng, flat, 3, 0.0)
    codes[:, 1] = -1
    posterior, log_evidence = tree_plan(flat, 0).posterior(theta.ravel(), codes)
    counts, _ = tree_plan(flat, 0).expected_counts(theta.ravel(), codes)
    logs = np.log(theta)
    below = logs[3:].reshape(n, 2, 2)
    total = np.zeros((2, 2))
    for i, row in enumerate(codes):
        own = below[np.arange(n), :, row[2:]].sum(axis=0)
        joint = logs[0][:, None] + logs[1:3] + own
        np.testing.assert_allclose(log_evidence[i], logsumexp(joint), rtol=1e-12)
        wanted = np.exp(logsumexp(joint, axis=1) - logsumexp(joint))
        np.testing.assert_allclose(posterior[i], wanted, atol=1e-9)
        total[row[0]] += np.exp(joint[row[0]] - logsumexp(joint[row[0]]))
    np.testing.assert_allclose(counts[2:6].reshape(2, 2), total, atol=1e-9)


@pytest.mark.parametrize(
    ("prior", "likelihoods"),
    [
        # The second state is ruled out at last, after the first fell below all floating point.
        ((0.5, 0.5, 0.0), [(1e-200, 1, 1), (1e-130, 1, 1), (1, 0, 1)]),
        ((0.5, 0.5, 0.0), [(1e-130, 1, 1)] * 3 + [(1, 0, 1)]),
        ((0.5, 0.5, 0.0), [(1e-310, 1, 1), (1, 0, 1)]),
        ((1e-200, 0.0, 1.0), [(1e-130, 1, 0)]),
        ((1e-320, 0.0, 1.0), [(1e-320, 1, 0)]),
    ],
)
@pytest.mark.parametrize("parent", [0, 1])
def test_what_alone_is_possible_is_never_lost(prior, likelihoods, parent, kind):
    """A missing node of three states and children that make its first one all but impossible."""
    m = len(likelihoods)
    # x2 hangs on the class, which is observed, or on x1, which is missing too.
    flat = flat_of([(), (0,), (parent,), *[(2,)] * m], [2, 2, 3, *[2] * m])
    codes = np.array([[0, -1, -1, *[0] * m]])
    with np.errstate(divide="ignore"):
        joint = np.log(prior) + sum(np.log(np.array(part, dtype=float)) for part in likelihoods)
    for order in itertools.permutations(likelihoods):
        columns = [np.stack([part, 1 - np.array(part)], axis=1).ravel() for part in order]
        theta = np.concatenate([[0.5, 0.5], [0.5] * 4, prior, prior, *columns])
        plan = tree_plan(flat, 0)
        wanted = np.log(0.5) + logsumexp(joint)
        assert plan.log_evidence(theta, codes)[0] == pytest.approx(wanted, rel=1e-12)
        counts, _ = plan.expected_counts(theta, codes)
        tables = flat.unflatten(counts)
        np.testing.assert_allclose(tables["x2"].sum(axis=0), [1, 0, 0], atol=1e-12)


@pytest.mark.slow
def test_a_missing_chain_of_two_thousand_nodes(kind):
    """Only the two ends are observed: a product of two thousand matrices for each class."""
    rng, n = np.random.default_rng(11), 2_000
    flat = flat_of([(), (0,), *((v - 1, 0) for v in range(2, n + 1))], [2, *[3] * n])
    theta = random_theta(rng, flat)
    codes = np.full((1, n + 1), -1)
    codes[0, [1, n]] = 2, 1
    tables = flat.unflatten(theta)
    wanted = []
    for c in range(2):
        vector = np.zeros(3)
        vector[2] = tables["x0"][c] * tables["x1"][c, 2]
        for v in range(2, n + 1):
            vector = vector @ tables[f"x{v}"][:, c]
        wanted.append(vector[1])
    posterior, log_evidence = tree_plan(flat, 0).posterior(theta, codes)
    np.testing.assert_allclose(posterior[0], wanted / np.sum(wanted), rtol=1e-10)
    np.testing.assert_allclose(log_evidence[0], np.log(np.sum(wanted)), rtol=1e-10)
    counts, _ = tree_plan(flat, 0).expected_counts(theta, codes)
    assert sum(counts) == pytest.approx(n + 1)


def _two_states(odds):
    """Columns of two states whose log-odds these are."""
    first = -np.logaddexp(0.0, np.stack([odds, -odds], axis=-1))
    return np.exp(first)


def test_impossible_rows_count_nothing(kind):
    flat = flat_of([(), (0,)], [2, 2])
    theta = np.array([0.5, 0.5, 1.0, 0.0, 1.0, 0.0])
    codes = np.array([[0, 1], [-1, 1], [1, 0]])
    plan = tree_plan(flat, 0)
    posterior, log_evidence = plan.posterior(theta, codes)
    np.testing.assert_allclose(posterior, [[0, 0], [0, 0], [0.5, 0.5]])
    np.testing.assert_allclose(log_evidence, [-np.inf, -np.inf, 0.0])
    counts, _ = plan.expected_counts(theta, codes)
    np.testing.assert_allclose(counts, [0, 1, 0, 0, 1, 0])
    counts, log_conditional = plan.contrast(theta, codes)
    np.testing.assert_allclose(counts, [-0.5, 0.5, -0.5, 0, 0.5, 0])
    np.testing.assert_allclose(log_conditional, [-np.inf, 0.0, np.log(0.5)])


# Forms of input


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_any_type_and_memory_order(dtype, kind):
    rng = np.random.default_rng(12)
    flat, target = random_forest(rng, 6)
    theta, codes = random_theta(rng, flat), random_codes(rng, flat, 50, 0.3)
    plan = tree_plan(flat, target)
    wanted = plan.contrast(theta, codes)
    wide = np.full((100, 12), -1, dtype=dtype)
    wide[::2, ::2] = codes
    for form in (
        codes.astype(dtype),
        codes.astype(dtype, order="F"),
        wide[::2, ::2],
        np.where(codes < 0, np.iinfo(dtype).min, codes.astype(dtype)),
    ):
        for one, other in zip(plan.contrast(theta, form), wanted, strict=True):
            assert one.tobytes() == other.tobytes()


def test_unsigned_codes(kind):
    rng = np.random.default_rng(13)
    flat, target = random_forest(rng, 4)
    theta, codes = random_theta(rng, flat), random_codes(rng, flat, 9, 0.0)
    plan = tree_plan(flat, target)
    wanted = plan.log_evidence(theta, codes)
    for dtype in (np.uint8, np.uint32, np.uint64):
        np.testing.assert_array_equal(plan.log_evidence(theta, codes.astype(dtype)), wanted)


def test_no_rows(kind):
    flat = tan(3)
    theta, codes = random_theta(np.random.default_rng(1), flat), np.empty((0, 4), dtype=np.int8)
    plan = tree_plan(flat, 0)
    assert [part.shape for part in plan.posterior(theta, codes)] == [(0, 2), (0,)]
    assert plan.log_evidence(theta, codes).shape == (0,)
    for counts, logs in (plan.expected_counts(theta, codes), plan.contrast(theta, codes)):
        assert not counts.any()
        assert counts.shape == theta.shape
        assert logs.shape == (0,)


def test_codes_are_not_changed(kind):
    rng = np.random.default_rng(14)
    flat, target = random_forest(rng, 5)
    codes = random_codes(rng, flat, 20, 0.3)
    before = codes.copy()
    tree_plan(flat, target).contrast(random_theta(rng, flat), codes)
    np.testing.assert_array_equal(codes, before)


# Which networks


@pytest.mark.parametrize(
    ("parents", "target"),
    [
        ([(), (0,), (0,), (0, 1, 2)], 0),  # two parents besides the class
        ([(), (), (0, 1)], 2),  # the class has two parents
        ([(), (0,), (0,), (1, 2)], 0),
    ],
)
def test_no_plan_where_the_network_is_no_forest(parents, target):
    assert tree_plan(flat_of(parents, [2] * len(parents), target), target) is None


@pytest.mark.parametrize(
    ("parents", "target"),
    [
        ([()], 0),
        ([(), (0,), (0,), (0, 2)], 0),
        ([(), (), (1,), (2, 0)], 0),  # nodes off the class
        ([(), (0,), (1, 0), (1, 2)], 1),  # a class with a parent
    ],
)
def test_a_plan_where_it_is_one(parents, target):
    flat = flat_of(parents, [2] * len(parents), target)
    assert sorted(tree_plan(flat, target).order) == list(range(len(parents)))


def test_no_plan_where_the_tables_would_be_too_large():
    flat = flat_of([(), (), (1,)], [20_000, 100, 100])
    assert tree_plan(flat, 0) is None


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"theta": np.ones(3)}, ParameterError, r"theta has shape \(3,\)"),
        ({"codes": np.zeros((2, 3), int)}, ParameterError, r"codes have shape \(2, 3\)"),
        ({"codes": np.zeros((2, 4))}, ParameterError, "type float64; they must be integers"),
        ({"codes": np.array([[0, 0, 0, 0], [0, 0, 2, 0]])}, DataError, "row 1 .* 2 for 'x2'"),
        ({"codes": np.array([[2**32 + 1, 0, 0, 0]] * 2)}, DataError, "row 0 .*'x0'"),
        ({"weights": np.ones(3)}, ParameterError, r"weights have shape \(3,\)"),
    ],
)
def test_bad_input_is_refused(change, error, words, kind):
    flat = tan(3)
    arguments = {
        "theta": np.full(flat.n_cells, 0.5),
        "codes": np.zeros((2, 4), int),
        "weights": np.ones(2),
    }
    plan = tree_plan(flat, 0)
    plan.contrast(**arguments)
    for method in (plan.contrast, plan.expected_counts):
        with pytest.raises(error, match=words):
            method(**{**arguments, **change})
    if "weights" not in change:
        del arguments["weights"]
        for method in (plan.posterior, plan.log_evidence):
            with pytest.raises(error, match=words):
                method(**{**arguments, **change})


def test_threads_below_one_are_refused():
    with pytest.raises(ParameterError, match="n_threads is 0"):
        tree_plan(tan(2), 0, 0)

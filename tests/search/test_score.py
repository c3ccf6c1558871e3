"""Family scores against literal loops, integrals, pyAgrum, and themselves rearranged."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

import bnlr
from bnlr.errors import DataError, MissingCellsError, ParameterError, StructureError, TooLargeError
from bnlr.search import batches, score
from bnlr.search.score import SCORES, FamilyScores, bdeu
from tests.oracles.scores import family_score, network_score, table
from tests.width import in_full

NODES = ("c", "a", "b", "d")
FAMILIES = [("a", ()), ("c", ()), ("b", ("c",)), ("d", ("c", "a")), ("d", ("a", "b", "c"))]


def dataset(seed, n_rows=120, cards=(3, 4, 2, 3), weighted=False, nodes=NODES):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, cards[0], n_rows)
    first = np.where(rng.random(n_rows) < 0.5, classes % cards[1], rng.integers(0, 2, n_rows))
    second = np.where(rng.random(n_rows) < 0.6, first % cards[2], rng.integers(0, 2, n_rows))
    columns = dict(zip(NODES, (classes, first, second, rng.integers(0, 2, n_rows)), strict=True))
    states = {node: tuple(range(cards[NODES.index(node)])) for node in nodes}
    weights = rng.uniform(0, 3, n_rows) if weighted else None
    return bnlr.Dataset.from_codes(
        np.column_stack([columns[node] for node in nodes]), states, "c", weights
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", SCORES)
def test_equals_the_definition(kind, weighted):
    data = dataset(1, weighted=weighted)
    found = FamilyScores(data, kind).scores(FAMILIES)
    expected = [family_score(kind, data, *family) for family in FAMILIES]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_bdeu_with_another_sample_size():
    data = dataset(2)
    found = FamilyScores(data, partial(bdeu, ess=7.5)).score("d", ("a", "c"))
    assert found == pytest.approx(family_score("bdeu", data, "d", ("a", "c"), 7.5), rel=1e-12)
    for ess in (0, -1, math.inf, math.nan, "a", True, np.array([1.0, 2.0])):
        with pytest.raises(ParameterError, match="ess"):
            FamilyScores(data, partial(bdeu, ess=ess)).score("d")


def test_k2_is_the_marginal_likelihood():
    # One binary node, 3 ones in 5 rows: the integral of θ^3 (1 − θ)^2 over (0, 1).
    states = {"c": (0, 1)}
    data = bnlr.Dataset.from_codes([[1], [0], [1], [1], [0]], states, "c")
    integral, _ = integrate.quad(lambda theta: theta**3 * (1 - theta) ** 2, 0, 1)
    assert FamilyScores(data, "k2").score("c") == pytest.approx(math.log(integral), abs=1e-10)
    # A Beta(1/2, 1/2) prior: two pseudo rows of half a count.
    prior, _ = integrate.quad(lambda t: math.sin(t) ** 6 * math.cos(t) ** 4, 0, math.pi / 2)
    expected = math.log(2 * prior / math.pi)
    assert FamilyScores(data, "bdeu").score("c") == pytest.approx(expected, abs=1e-10)


def pyagrum_scores(data, kind, ess=None):
    """Natural logarithms; pyAgrum's are to base 2."""
    gum = pytest.importorskip("pyagrum")
    template = gum.BayesNet()
    for node in data.nodes:
        labels = [str(label) for label in data.states[node]]
        template.add(gum.LabelizedVariable(node, node, labels))
    learner = gum.BNLearner(data.to_frame().astype(str), template)
    getattr(learner, f"useScore{kind}")()
    if ess is None:
        learner.useNoPrior()
    else:
        learner.useBDeuPrior(ess)
    return [learner.score(node, list(parents)) * math.log(2) for node, parents in FAMILIES]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["BIC", "Log2Likelihood"])
def test_equals_pyagrum(kind, seed):
    data = dataset(seed, cards=(3, 4, 2, 2))
    own = "bic" if kind == "BIC" else "log-likelihood"
    found = FamilyScores(data, own).scores(FAMILIES)
    np.testing.assert_allclose(found, pyagrum_scores(data, kind), atol=1e-9, rtol=0)


@pytest.mark.parametrize("seed", range(3))
def test_equals_pyagrum_as_closely_as_its_gamma_function_is(seed):
    # Its ln Γ is good to some 7 digits, at small arguments only at multiples of 0.01: hence ess 8.
    data = dataset(seed, cards=(2, 4, 2, 2))
    for kind, own, ess in (("K2", "k2", None), ("BD", partial(bdeu, ess=8), 8.0)):
        found = FamilyScores(data, own).scores(FAMILIES)
        np.testing.assert_allclose(found, pyagrum_scores(data, kind, ess), atol=2e-5, rtol=0)


def test_the_total_is_the_largest_log_likelihood_of_the_structure():
    data = dataset(5)
    structure = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b"), ("b", "d")], "c", NODES)
    found = FamilyScores(data, "log-likelihood").total(structure)
    counts = {node: table(data, node, structure.parents(node)) for node in NODES}
    expected = 0.0
    for row in range(data.n_rows):
        code = {node: int(data.column(node)[row]) for node in NODES}
        for node in NODES:
            states = counts[node][tuple(code[p] for p in structure.parents(node))]
            expected += math.log(states[code[node]] / sum(states))
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kind", ["bic", "bdeu", "log-likelihood"])
def test_equivalent_structures_have_equal_scores(kind):
    scores = FamilyScores(dataset(6), kind)
    chain = bnlr.Structure([("a", "b"), ("b", "c")], "c", NODES)
    fork = bnlr.Structure([("b", "a"), ("b", "c")], "c", NODES)
    collider = bnlr.Structure([("a", "b"), ("c", "b")], "c", NODES)
    assert scores.total(chain) == pytest.approx(scores.total(fork), rel=1e-12)
    assert abs(scores.total(chain) - scores.total(collider)) > 0.1


def every_family():
    return [
        (node, parents)
        for node in NODES
        for size in range(4)
        for parents in itertools.combinations([other for other in NODES if other != node], size)
    ]


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_bits_alone_together_in_batches_and_in_any_order(monkeypatch, kind, weighted):
    families = every_family()
    data = dataset(7, weighted=weighted)
    together = FamilyScores(data, kind).scores(families)
    alone = FamilyScores(data, kind)
    one_by_one = [alone.score(node, parents[::-1]) for node, parents in families]
    assert together.tolist() == one_by_one
    turned = dataset(7, weighted=weighted, nodes=NODES[::-1])
    monkeypatch.setattr(batches, "BATCH_CELLS", 20)
    assert FamilyScores(turned, kind).scores(families[::-1]).tolist() == together[::-1].tolist()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", SCORES)
def test_the_same_bits_by_places(monkeypatch, kind, weighted):
    data = dataset(11, weighted=weighted)
    scores = FamilyScores(data, kind)
    assert scores.nodes == ("a", "b", "c", "d")
    families = [
        [*sorted(map(scores.nodes.index, parents)), scores.nodes.index(node)]
        for node, parents in every_family()
    ]
    axes, lengths = np.concatenate(families).astype(int), np.array([len(f) for f in families])
    expected = scores.scores(every_family()).tolist()
    assert scores.scores_at(axes, lengths).tolist() == expected
    monkeypatch.setattr(batches, "BATCH_CELLS", 50)
    assert scores.scores_at(axes, lengths).tolist() == expected


@pytest.mark.parametrize("name", ["corral", *in_full("mofn-3-7-10", "tic-tac-toe")])
@pytest.mark.parametrize("kind", ["k2", "bdeu"])
def test_totals_of_networks_are_the_hand_values(name, kind):
    """The naive-Bayes, TAN and hill-climbed networks of built-in data, by math.lgamma."""
    data = bnlr.Dataset.from_frame(bnlr.load_dataset(name), "class")
    for method in ("naive-bayes", "tan", "hgc"):
        structure = bnlr.learn_structure(data, method)
        expected = network_score(kind, data, structure.edges)
        assert FamilyScores(data, kind).total(structure) == pytest.approx(expected, abs=1e-9)


def test_each_family_is_counted_once(monkeypatch):
    counted = []
    scores = FamilyScores(dataset(8))

    def noted(codes, laid, *rest):
        counted.append(len(laid))
        return count(codes, laid, *rest)

    count = score.count
    monkeypatch.setattr(score, "count", noted)
    first = scores.scores([("a", ["c", "b"]), ("a", ["b", "c"]), ("b", [])])
    assert counted == [2]
    assert scores.scores([("a", iter(("b", "c"))), ("b", ())]).tolist() == first[1:].tolist()
    assert scores.scores([]).shape == (0,)
    scores.scores([("b", ()), ("d", ())])
    assert counted == [2, 1]


@given(st.integers(0, 10_000))
def test_weights_are_repeated_rows(seed):
    rng = np.random.default_rng(seed)
    data = dataset(seed, n_rows=30)
    repeats = rng.integers(0, 4, 30)
    repeats[0] = 1
    weighted = bnlr.Dataset.from_codes(data.codes, data.states, "c", weights=repeats)
    repeated = data.take(np.repeat(np.arange(30), repeats))
    for kind in SCORES:
        found = FamilyScores(weighted, kind).scores(FAMILIES)
        expected = FamilyScores(repeated, kind).scores(FAMILIES)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("total", [1.0, 0.3])
def test_parameters_are_never_paid_for_under_bic(total):
    data = dataset(4, n_rows=30)
    light = bnlr.Dataset.from_codes(data.codes, data.states, "c", np.full(30, total / 30))
    found, free = (FamilyScores(light, kind).scores(FAMILIES) for kind in ("bic", "log-likelihood"))
    np.testing.assert_allclose(found, free, rtol=1e-12)


def test_states_that_never_occur_cost_parameters():
    codes = [[0, 0], [0, 1], [1, 1]]
    few = bnlr.Dataset.from_codes(codes, {"c": (0, 1), "a": (0, 1)}, "c")
    more = bnlr.Dataset.from_codes(codes, {"c": (0, 1, 2), "a": (0, 1)}, "c")
    lost = FamilyScores(few).score("a", ("c",)) - FamilyScores(more).score("a", ("c",))
    assert lost == pytest.approx(0.5 * math.log(3))


def test_rows_without_a_class_are_left_out():
    data = dataset(9)
    codes = np.array(data.codes)
    codes[10:20, 0] = -1
    holed = bnlr.Dataset.from_codes(codes, data.states, "c")
    kept = data.take(np.r_[0:10, 20 : data.n_rows])
    found = FamilyScores(holed).scores(FAMILIES)
    assert found.tolist() == FamilyScores(kept).scores(FAMILIES).tolist()


def test_errors_name_the_trouble():
    data = dataset(10)
    with pytest.raises(ParameterError, match=r"score is 'mdl'.*bic"):
        FamilyScores(data, "mdl")
    with pytest.raises(ParameterError, match="encode a frame"):
        FamilyScores(data.to_frame())
    with pytest.raises(DataError, match="'x'"):
        FamilyScores(data).score("a", ("c", "x"))
    with pytest.raises(StructureError, match="its own parents"):
        FamilyScores(data).score("a", ("c", "a"))
    codes = np.array(data.codes)
    codes[0, 1] = -1
    with pytest.raises(MissingCellsError, match="'a'"):
        FamilyScores(bnlr.Dataset.from_codes(codes, data.states, "c"))
    codes[:, 0] = -1
    codes[0, 1] = 0
    with pytest.raises(DataError, match="no row"):
        FamilyScores(bnlr.Dataset.from_codes(codes, data.states, "c"))
    weights = np.r_[1.0, np.zeros(data.n_rows - 1)]
    codes[:, 0], codes[0, 0] = 0, -1
    with pytest.raises(DataError, match="weight above 0"):
        FamilyScores(bnlr.Dataset.from_codes(codes, data.states, "c", weights))


def test_a_table_too_large_is_refused_before_counting():
    nodes = [f"x{k}" for k in range(9)]
    states = {"c": (0, 1), **{node: tuple(range(300)) for node in nodes}}
    data = bnlr.Dataset.from_codes(np.zeros((3, 10), dtype=int), states, "c")
    with pytest.raises(TooLargeError, match="x8"):
        FamilyScores(data).score("x8", nodes[:8])
    scores = FamilyScores(data)
    with pytest.raises(TooLargeError, match=r"x8 over \(x0, "):
        scores.scores_at(np.array([0, 1, *range(1, 10)]), np.array([2, 9]))

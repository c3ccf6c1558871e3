"""A penalty where the coordinates are CPTs: no entry sinks to 0, and a perfect structure has one
optimum, that of logistic regression, wherever the fit starts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp

import bnlr
from tests.cases import CASES
from tests.strategies import cpts_of, generators, perfect_structures, problems, structures
from tests.width import examples, in_full

FLOOR = 1e-12
STRENGTHS = st.sampled_from([0.03, 0.3, 3.0, 30.0])
CENTRES = st.sampled_from(["zero", "frequencies", "scaled", "smooth"])
CHARTS = st.sampled_from(
    [("lr", "softmax"), ("elr", "softmax"), ("elr", "softmax"), ("elr", "theta")]
)


@st.composite
def imperfect_structures(draw):
    """The class and unmarried nodes above a common child, and any arcs more."""
    rng, n = draw(generators()), draw(st.integers(3, 5))
    names = ["c", "a", "b", "d", "e"][:n]
    arcs = {("c", "b"), ("a", "b"), *((names[i], names[i + 1]) for i in range(2, n - 1))}
    more = [(names[i], names[j]) for i in range(n) for j in range(max(i + 1, 3), n)]
    arcs |= {arc for arc in more if rng.random() < 0.4}
    structure = bnlr.Structure(sorted(arcs), "c", nodes=names)
    assert not bnlr.analyze(structure).is_perfect
    return structure


def least_held(network, data):
    """The least CPT entry of a cell that a row holds."""
    least = 1.0
    for node in network.structure.nodes:
        axes = (*network.structure.parents(node), node)
        codes = np.column_stack([data.column(axis) for axis in axes])
        whole = codes[(codes >= 0).all(axis=1)]
        least = min(least, network.cpts[node][tuple(whole.T)].min(initial=1.0))
    return least


def posteriors(network):
    """P(class | x) of every configuration of the attributes, by the product of the CPTs."""
    nodes, own = network.structure.nodes, network.structure.class_name
    joint = np.ones([len(network.states[node]) for node in nodes])
    for node, cpt in network.cpts.items():
        axes = (*network.structure.parents(node), node)
        places = [nodes.index(axis) for axis in axes]
        order = np.argsort(places)
        shape = np.ones(len(nodes), dtype=int)
        shape[np.array(places)[order]] = np.array(cpt.shape)[order]
        joint = joint * cpt.transpose(order).reshape(shape)
    return joint / joint.sum(axis=nodes.index(own), keepdims=True)


def check(result, data):
    network = result.network
    assert least_held(network, data) >= FLOOR
    assert np.isfinite(network.log_likelihood(data))
    for row in data.codes[:3]:
        seen = {
            node: data.states[node][code]
            for node, code in zip(data.nodes, row.tolist(), strict=True)
            if code >= 0 and node != data.class_name and node in network.structure.nodes
        }
        answer = network.query([data.class_name], evidence=seen)
        assert np.asarray(answer).sum() == pytest.approx(1.0)


@pytest.mark.slow
@examples(40)
@given(
    problems(perfect_structures(max_nodes=5, min_attributes=1), n_rows=(4, 40)),
    st.data(),
    CHARTS,
    STRENGTHS,
    CENTRES,
)
def test_two_starts_end_at_one_optimum_of_a_perfect_structure(
    problem, draw, chart, strength, centre
):
    structure, data = problem
    learner, space = chart
    options = {"penalty": strength, "penalty_center": centre, "learner": learner, "space": space}
    states = {node: data.states[node] for node in structure.nodes}
    other = bnlr.BayesianNetwork(structure, states, draw.draw(cpts_of(structure, states)))
    results = [bnlr.fit(structure, data, start=s, **options) for s in ("frequencies", other)]
    for result in results:
        check(result, data)
    if all(result.converged for result in results):
        one, two = (posteriors(result.network) for result in results)
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-6)


@pytest.mark.slow
@examples(100)
@given(generators(), st.floats(-1, 1.5), st.sampled_from(["zero", "frequencies", "scaled"]))
def test_two_starts_end_at_one_optimum_where_a_class_has_no_row(rng, digits, centre):
    """Its prior, which costs nothing, sinks for ever; penalties of such numbers are rounding."""
    names = list("abdef")[: int(rng.integers(3, 6))]
    above = int(rng.integers(2, len(names) + 1))
    arcs = [(x, "c") for x in names[:above]] + [("c", x) for x in names[above:]]
    cards = {"c": int(rng.integers(3, 6)), **{node: int(rng.integers(2, 5)) for node in names}}
    n = int(rng.integers(5, 12))
    rows = np.column_stack([rng.integers(0, card, n) for card in cards.values()])
    absent = int(rng.integers(0, 2)) * (cards["c"] - 1)
    rows[:, 0] = np.where(rows[:, 0] == absent, 1, rows[:, 0])
    rows[:2, 0] = 1, 2 if absent == 0 else 0
    states = {node: tuple(range(card)) for node, card in cards.items()}
    data = bnlr.Dataset.from_codes(rows, states, "c")
    structure = bnlr.Structure(arcs, "c")
    own = {node: states[node] for node in structure.nodes}
    cpts = {}
    for node in own:
        shape = tuple(cards[parent] for parent in structure.parents(node))
        cpt = np.maximum(rng.dirichlet(np.full(cards[node], 0.1), size=shape), 1e-8)
        cpts[node] = cpt / cpt.sum(axis=-1, keepdims=True)
    other = bnlr.BayesianNetwork(structure, own, cpts)
    options = {"penalty": 10**digits, "penalty_center": centre, "learner": "elr"}
    results = [bnlr.fit(structure, data, start=s, **options) for s in ("frequencies", other)]
    if all(result.converged for result in results):
        one, two = (result.network.predict_proba(data) for result in results)
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-6)


@pytest.mark.slow
@examples(40)
@given(
    problems(imperfect_structures(), n_rows=(4, 30)),
    st.sampled_from(["softmax", "theta"]),
    STRENGTHS,
    CENTRES,
    st.sampled_from([300, 300, 3]),
)
def test_no_entry_sinks_where_the_structure_is_not_perfect(problem, space, strength, centre, most):
    structure, data = problem
    options = {"penalty": strength, "penalty_center": centre, "max_iter": most}
    check(bnlr.fit(structure, data, learner="elr", space=space, **options), data)


@pytest.mark.slow
@examples(20)
@given(
    problems(structures(max_nodes=4, min_nodes=2), n_rows=(4, 25), missing=True),
    st.sampled_from(["softmax", "theta"]),
    STRENGTHS,
    st.sampled_from(["zero", "smooth"]),
)
def test_no_entry_sinks_where_cells_are_missing(problem, space, strength, centre):
    structure, data = problem
    options = {"penalty": strength, "penalty_center": centre, "max_iter": 200}
    result = bnlr.fit(structure, data, learner="elr", space=space, **options)
    check(result, data)


def logistic_optimum(frame, class_name, families, strength):
    """P(class | row) of free tables under ½ · strength · their squares, the prior's left out."""
    classes = pd.Categorical(frame[class_name])
    columns = [
        pd.get_dummies(frame[list(family)].astype(str).agg("|".join, axis=1)).to_numpy(float)
        for family in families
    ]
    z, y = np.hstack(columns), pd.get_dummies(classes).to_numpy(float)
    n, k = z.shape[1] + 1, y.shape[1]
    design = np.column_stack([np.ones(len(z)), z])

    def value(w):
        w = w.reshape(n, k)
        eta = design @ w
        logs = eta - logsumexp(eta, axis=1, keepdims=True)
        slope = design.T @ (np.exp(logs) - y)
        slope[1:] += strength * w[1:]
        return -(y * logs).sum() + 0.5 * strength * (w[1:] ** 2).sum(), slope.ravel()

    found = minimize(value, np.zeros(n * k), jac=True, method="BFGS", options={"gtol": 1e-6}).x
    for _ in range(4):
        p = np.exp(design @ found.reshape(n, k))
        p /= p.sum(axis=1, keepdims=True)
        spread = p[:, :, None] * np.eye(k) - p[:, :, None] * p[:, None, :]
        curve = np.einsum("ri,rab,rj->iajb", design, spread, design).reshape(n * k, n * k)
        curve += np.diag(np.repeat([0.0] + [strength] * (n - 1), k))
        found -= np.linalg.lstsq(curve, value(found)[1], rcond=None)[0]
    eta = design @ found.reshape(n, k)
    return np.exp(eta - logsumexp(eta, axis=1, keepdims=True))


@pytest.mark.slow
@examples(15)
@given(generators(), st.sampled_from([2, 3, 4]), st.sampled_from([0.3, 3.0]), CHARTS)
def test_the_optimum_is_logistic_regressions(rng, n_classes, strength, chart):
    """Classes more than the states of an attribute: normalised tables cannot be free ones."""
    frame = pd.DataFrame(rng.integers(0, 2, (40, 3)), columns=["a", "b", "d"]).astype(str)
    frame["c"] = rng.permutation(np.arange(40) % n_classes).astype(str)
    data = bnlr.Dataset.from_frame(frame, "c")
    arcs = [("c", "a"), ("c", "b"), ("c", "d"), ("a", "b"), ("b", "d")]
    structure = bnlr.Structure(arcs, "c")
    learner, space = chart
    result = bnlr.fit(structure, data, learner=learner, space=space, penalty=strength)
    assert result.converged
    expected = logistic_optimum(frame, "c", [("a",), ("a", "b"), ("b", "d")], strength)
    np.testing.assert_allclose(result.network.predict_proba(data), expected, atol=1e-8)


@pytest.mark.slow
@examples(20)
@given(
    generators(),
    st.sampled_from([2, 3]),
    st.sampled_from([1.0, 3.0, 10.0, 30.0]),
    st.sampled_from(["lr", "elr"]),
)
def test_the_optimum_of_one_large_table_is_exact(rng, n_classes, strength, learner):
    """All cells together move the prior: flat in each, and last to be found."""
    cards = {"a": 4, "b": 4, "d": 3, "e": 3}
    n = int(rng.integers(8, 30))
    frame = pd.DataFrame({node: rng.integers(0, card, n) for node, card in cards.items()})
    frame = frame.astype(str)
    frame["c"] = rng.permutation(np.arange(n) % n_classes).astype(str)
    cards["c"] = n_classes
    states = {node: tuple(str(k) for k in range(card)) for node, card in cards.items()}
    data = bnlr.Dataset.from_frame(frame, "c", states=states)
    structure = bnlr.Structure([(node, "c") for node in "abde"], "c")
    shape = tuple(cards[node] for node in structure.parents("c"))
    cpts = {node: np.full(card, 1.0 / card) for node, card in cards.items()}
    cpts["c"] = rng.dirichlet(np.ones(cards["c"]), size=shape)
    start = bnlr.BayesianNetwork(structure, states, cpts)
    options = {"learner": learner, "space": "softmax", "penalty": strength}
    result = bnlr.fit(structure, data, start=start, **options)
    if result.converged:
        expected = logistic_optimum(frame, "c", [tuple("abde")], strength)
        np.testing.assert_allclose(result.network.predict_proba(data), expected, atol=1e-8)


@pytest.mark.slow
@examples(40)
@given(
    generators(),
    st.sampled_from(
        [
            ["ca", "cb", "cd"],
            ["ca", "cb", "cd", "ab", "bd"],
            ["ac", "cb", "cd"],
            ["ac", "bc", "cd", "ad"],
            ["cb", "ab", "cd"],
            ["cb", "ab", "cd", "ad", "bd"],
        ]
    ),
    st.sampled_from([0.03, 3.0, 30.0]),
    st.sampled_from([False, False, True]),
)
def test_no_entry_sinks_towards_estimates_that_are_right(rng, arcs, strength, has_holes):
    """Each attribute all but tells the class: the estimates are worth ten times as much, and the
    few cells that contradict them would be e^-40."""
    n, n_classes = int(rng.integers(20, 61)), int(rng.integers(2, 4))
    classes = rng.permutation(np.arange(n) % n_classes)
    codes = np.column_stack([classes] * 4)
    for column in range(1, 4):
        other = rng.integers(0, n, int(rng.integers(0, 3)))
        codes[other, column] = rng.integers(0, n_classes, len(other))
    if has_holes:
        codes[:, 1:][rng.random((n, 3)) < 0.1] = -1
    states = {node: tuple(range(n_classes)) for node in "cabd"}
    data = bnlr.Dataset.from_codes(codes, states, "c")
    structure = bnlr.Structure([tuple(arc) for arc in arcs], "c", nodes=list("cabd"))
    options = {"penalty": strength, "penalty_center": "scaled", "learner": "elr"}
    result = bnlr.fit(structure, data, max_iter=200, **options)
    check(result, data)


@pytest.mark.parametrize("options", [{"learner": "lr", "space": "softmax"}, {"learner": "elr"}])
def test_the_reported_rows(options):
    path = CASES / "reported" / "softmax_penalty.csv"
    if not path.exists():
        pytest.skip("the reported cases are not beside the checkout")
    data = bnlr.Dataset.from_frame(pd.read_csv(path, dtype=str), "c")
    structure = bnlr.learn_structure(data, "tan")
    result = bnlr.fit(structure, data, penalty=3.0, **options)
    assert result.converged
    check(result, data)
    other = bnlr.fit(structure, data, penalty=3.0, learner="lr")
    np.testing.assert_allclose(posteriors(result.network), posteriors(other.network), atol=1e-4)


@pytest.mark.slow
def test_a_classifier_on_a_structure_that_is_not_perfect():
    """What wants an entry of 0 in both classes, of one ratio: the penalty of log-odds allows it."""
    rng = np.random.default_rng(4)
    for n_classes in (2, 3):
        frame = pd.DataFrame(rng.integers(0, 3, (60, 3)), columns=["a", "b", "e"])
        both = frame["a"] + (frame["e"] == 1) + rng.integers(0, 2, 60)
        frame["c"] = (both % n_classes).astype(str)
        arcs = [("c", "b"), ("a", "b"), ("c", "e"), ("b", "e")]
        structure = bnlr.Structure(arcs, "c", nodes=["a", "b", "e", "c"])
        assert not bnlr.analyze(structure).is_perfect
        for penalty in ("auto", 0.03, 30.0):
            classifier = bnlr.BNClassifier(structure, penalty=penalty)
            classifier.fit(frame.drop(columns="c").astype(str), frame["c"])
            cpts = classifier.network_.cpts.values()
            assert min(cpt.min() for cpt in cpts) >= FLOOR


@pytest.mark.parametrize("solver", ["auto", "scipy-bfgs", *in_full("newton", "cg")])
def test_classes_without_rows(solver):
    """The prior of a class without rows has no penalty: it falls, but a float can hold it."""
    rows = "0020 2100 1131 2111 0031 2200 2231 0030 2230 1120 1031 2201"
    codes = np.array([[int(code) for code in row] for row in rows.split()])
    states = {"c": range(5), "a": range(3), "b": range(4), "d": range(2)}
    states = {node: tuple(labels) for node, labels in states.items()}
    data = bnlr.Dataset.from_codes(codes, states, "c")
    arcs = [("b", "d"), ("b", "c"), ("b", "a"), ("d", "c"), ("c", "a")]
    structure = bnlr.Structure(arcs, "c", nodes=list(states))
    for learner in ("lr", "elr"):
        options = {"penalty": 0.5770698896886174, "penalty_center": "scaled", "space": "softmax"}
        result = bnlr.fit(structure, data, learner=learner, solver=solver, **options)
        check(result, data)
        assert all((cpt > 0).all() for cpt in result.network.cpts.values())
        assert result.network.predict_proba(data)[:, 3:].max() < 1e-6

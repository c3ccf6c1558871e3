"""ELR where cells are missing, what "auto" chooses, embedding, and what must not be slow."""

import warnings

import numpy as np
import pytest
from hypothesis import given

import bnlr
from bnlr.inference.engine import Engine
from bnlr.learn.missing import learners
from tests.oracles import joint
from tests.oracles.model import Model
from tests.strategies import perfect_structures, problems, structures
from tests.width import examples, in_full

COLLIDER = bnlr.Structure([("c", "a"), ("b", "a")], class_name="c")
NB = bnlr.Structure.naive_bayes(["a", "b"], class_name="c")
STATES = {"c": ("n", "y"), "a": (0, 1), "b": (0, 1)}


def _fit(*args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.SeparationWarning)
        return bnlr.fit(*args, **kwargs)


def random_rows(seed, n_rows=80, n_columns=3):
    return np.random.default_rng(seed).integers(0, 2, (n_rows, n_columns))


@pytest.mark.slow
@examples(30)
@given(problems(structures(max_nodes=5), n_rows=(5, 30), missing=True))
def test_elr_rises_and_tells_the_cll_of_its_network(problem):
    structure, data = problem
    result = _fit(structure, data, learner="elr", max_iter=100, random_state=0)
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})
    rows = np.column_stack([data.column(node) for node in model.nodes])
    assert result.cll >= result.start_cll - 1e-9
    literal = joint.cll(model, dict(result.network.cpts), rows, data.weights)
    assert result.cll == pytest.approx(literal, rel=1e-8, abs=1e-8)


@pytest.mark.slow
@examples(25)
@given(problems(structures(max_nodes=5), n_rows=(5, 40), missing=True))
def test_elr_from_ems_solution_never_ends_below_it(problem):
    structure, data = problem
    em = _fit(structure, data, learner="em", random_state=0)
    elr = _fit(structure, data, learner="elr", start=em.network, max_iter=200, random_state=0)
    # Zeros of EM's solution are raised to 1e-30.
    assert elr.cll >= em.cll - 1e-9 * max(1.0, abs(em.cll))


@pytest.mark.slow
@examples(20)
@given(problems(perfect_structures(max_nodes=5), n_rows=(20, 60)))
def test_without_holes_elr_reaches_the_logistic_optimum(problem):
    """By inference as well, which a hole outside the class's families must not ask for."""
    structure, data = problem
    logistic = _fit(structure, data, learner="lr")
    elr = _fit(structure, data, learner="elr", random_state=0)
    assert elr.cll == pytest.approx(logistic.cll, rel=1e-6, abs=1e-6)
    assert elr.log_likelihood is None
    in_theta = _fit(structure, data, learner="elr", space="theta", random_state=0)
    assert in_theta.log_likelihood is not None
    assert in_theta.cll <= logistic.cll + 1e-6 * max(1.0, abs(logistic.cll))


def test_a_row_without_information_changes_no_optimum():
    """With one row more, that observes nothing but its class, inference takes the long road."""
    rows = random_rows(0, 120)
    complete = bnlr.Dataset.from_codes(rows, STATES, "c")
    holed = bnlr.Dataset.from_codes(
        np.vstack([rows, [[0, -1, -1]]]), STATES, "c", weights=[*np.ones(120), 1e-9]
    )
    logistic = bnlr.fit(NB, complete)
    result = bnlr.fit(NB, holed)
    assert (logistic.learner, result.learner) == ("lr", "elr")
    assert result.cll == pytest.approx(logistic.cll, rel=1e-6)
    assert result.upper_bound is None
    assert "missing" in result.why
    assert result.log_likelihood == pytest.approx(result.network.log_likelihood(holed), rel=1e-10)


def test_cells_that_do_not_matter_do_not_force_inference():
    structure = bnlr.Structure([("c", "a"), ("a", "far"), ("top", "c")], class_name="c")
    states = {**STATES, "far": (0, 1), "top": (0, 1)}
    rows = random_rows(1, 60, 5)  # c, a, b, far, top
    rows[:30, 3] = -1  # no family of the class
    rows[:5, 2] = -1  # no node of the structure
    result = _fit(structure, bnlr.Dataset.from_codes(rows, states, "c"))
    assert result.learner == "lr"
    rows[40, 0], rows[40, 1] = -1, -1  # a row without a class
    again = _fit(structure, bnlr.Dataset.from_codes(rows, states, "c"))
    assert again.learner == "lr"
    assert "1 row without a class left out of the CLL." in again.message
    rows[41, 1] = -1
    assert _fit(structure, bnlr.Dataset.from_codes(rows, states, "c")).learner == "elr"


def test_penalty_is_that_of_complete_rows():
    """A faint row with holes adds nothing; the penalised optimum is unique."""
    rows = random_rows(2, 100)
    complete = bnlr.Dataset.from_codes(rows, STATES, "c")
    holed = bnlr.Dataset.from_codes(
        np.vstack([rows, [[0, -1, 1]]]), STATES, "c", weights=[*np.ones(100), 1e-9]
    )
    for centre in ("zero", "frequencies"):
        options = {"penalty": 2.0, "penalty_center": centre, "learner": "elr"}
        one, other = (bnlr.fit(NB, data, **options) for data in (complete, holed))
        assert other.cll == pytest.approx(one.cll, rel=1e-6)
        assert other.log_likelihood is not None
        assert "objective" in other.trace


def test_a_cll_without_maximum_is_told():
    rows = np.array([[0, 0, 0], [0, 0, -1], [1, 1, 1], [1, 1, -1], [1, -1, 1], [0, -1, 0]])
    with pytest.warns(bnlr.SeparationWarning, match="complete separation"):
        result = bnlr.fit(NB, bnlr.Dataset.from_codes(rows, STATES, "c"))
    assert result.cll > -1e-5
    assert result.separation.verdict == "complete"
    assert "No finite optimum" in result.message
    assert "penalty=1" in result.message


def test_lr_refuses_holes_and_names_the_ways_out():
    rows = random_rows(3)
    rows[:4, 1], rows[0, 2] = -1, -1
    data = bnlr.Dataset.from_codes(rows, STATES, "c")
    with pytest.raises(bnlr.MissingCellsError, match=r"'a' has 4 missing cells \(and 1 more.*elr"):
        bnlr.fit(NB, data, learner="lr")


def test_embedding_reaches_the_global_optimum_and_tells_what_it_costs():
    data = bnlr.Dataset.from_codes(random_rows(4), STATES, "c")
    local = bnlr.fit(COLLIDER, data, n_starts=3, random_state=0)
    result = _fit(COLLIDER, data, nonperfect="embed")
    assert (local.learner, result.learner) == ("elr", "lr")
    embedding = bnlr.analyze(COLLIDER).embedding
    larger = COLLIDER.with_arcs(embedding)
    assert result.network.structure == larger
    assert result.report.structure == COLLIDER
    by_hand = _fit(larger, data)
    assert result.cll == pytest.approx(by_hand.cll, rel=1e-9)
    assert local.upper_bound == pytest.approx(result.cll, rel=1e-6)
    arc = "→".join(embedding[0])
    counts = [bnlr.analyze(s, data.cards).parameter_counts["beta"] for s in (COLLIDER, larger)]
    for part in (arc, "1 unmarried pair", *map(str, counts)):
        assert part in result.message
    perfect = _fit(NB, data, nonperfect="embed")
    assert perfect.network.structure == NB
    assert "unmarried" not in perfect.message


def test_embedding_with_holes_is_elr_on_the_larger_structure():
    rows = random_rows(5)
    rows[::7, 1] = -1
    data = bnlr.Dataset.from_codes(rows, STATES, "c")
    result = bnlr.fit(COLLIDER, data, nonperfect="embed")
    assert result.learner == "elr"
    assert result.network.structure != COLLIDER


@pytest.mark.slow
def test_solvers_meet():
    """All but a faint row are complete, so that the penalised optimum is the only one."""
    rows = np.vstack([random_rows(8, 100), [[1, -1, 0]]])
    data = bnlr.Dataset.from_codes(rows, STATES, "c", weights=[*np.ones(100), 1e-9])
    options = {"learner": "elr", "penalty": 1.0}
    auto = bnlr.fit(NB, data, **options)
    assert auto.solver == "newton"
    assert auto.trace["flops"].isna().all()
    for solver in ("l-bfgs", "cg", "cg-brent", "bfgs", "scipy-bfgs", "scipy-cg"):
        result = bnlr.fit(NB, data, solver=solver, **options)
        assert result.converged, solver
        assert result.cll == pytest.approx(auto.cll, rel=1e-5), solver


def holed_sample(structure, n_classes, share, seed, *, n_rows=600, weighted=False):
    """Rows of a random network, of classes that overlap, with cells missing at random."""
    rng = np.random.default_rng(seed)
    cards = {n: n_classes if n == structure.class_name else 3 for n in structure.nodes}
    states = {n: tuple(range(card)) for n, card in cards.items()}
    shapes = {n: [cards[p] for p in (*structure.parents(n), n)] for n in structure.nodes}
    cpts = {n: rng.dirichlet(np.full(s[-1], 3.0), s[:-1]) for n, s in shapes.items()}
    sample = bnlr.BayesianNetwork(structure, states, cpts).sample(n_rows, random_state=seed)
    codes = sample[list(structure.nodes)].to_numpy(dtype=int)
    holes = rng.random(codes.shape) < share
    holes[:, structure.nodes.index(structure.class_name)] = False
    weights = rng.choice([0.5, 1.0, 7.0], n_rows) if weighted else None
    rows = np.where(holes, -1, codes)
    return bnlr.Dataset.from_codes(rows, states, structure.class_name, weights)


NAMES = [f"a{k}" for k in range(8)]
CLASS_ARCS = [("c", name) for name in NAMES]
KINDS = {
    "naive": CLASS_ARCS,
    "tan": [*CLASS_ARCS, *((NAMES[(k - 1) // 2], NAMES[k]) for k in range(1, 8))],
    "2-db": [
        *CLASS_ARCS,
        *((NAMES[j], NAMES[k]) for k in range(8) for j in range(max(0, k - 2), k)),
    ],
    "co-parents": [
        ("a0", "c"),
        *((p, a) for p, a in zip(NAMES[4:7], NAMES[1:4], strict=True)),
        *CLASS_ARCS[1:4],
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("n_classes", "share", "penalty", "weighted"),
    [
        (3, 0.3, 1.0, True),
        (2, 0.5, 0.3, True),
        *in_full((2, 0.1, 1.0, False), (8, 0.1, 3.0, False)),
    ],
)
def test_few_gradients_lead_to_where_l_bfgs_gains_nothing(
    kind, n_classes, share, penalty, weighted, monkeypatch
):
    structure = bnlr.Structure(KINDS[kind], class_name="c")
    data = holed_sample(structure, n_classes, share, 1, weighted=weighted)
    spent = []
    counted = Engine.contrast
    monkeypatch.setattr(Engine, "contrast", lambda *args: spent.append(1) or counted(*args))
    result = bnlr.fit(structure, data, learner="elr", penalty=penalty)
    assert (result.solver, result.converged) == ("newton", True)
    assert result.n_iter <= (150 if kind == "2-db" else 60)  # many optima, and long valleys
    assert len(spent) <= 7 * result.n_iter + 100
    options = {"penalty": penalty, "solver": "l-bfgs", "max_iter": 2000, "tol": 1e-7}
    further = bnlr.fit(structure, data, learner="elr", start=result.network, **options)
    value, at = further.trace["objective"].iloc[-1], result.trace["objective"].iloc[-1]
    assert abs(value - at) <= 1e-6 * abs(at)


@pytest.mark.slow
def test_threads_change_no_byte_of_the_fit():
    structure = bnlr.Structure(KINDS["tan"], class_name="c")
    data = holed_sample(structure, 3, 0.2, 2)
    one, two = (bnlr.fit(structure, data, learner="elr", n_threads=n).x for n in (1, 2))
    assert one.tobytes() == two.tobytes()


def test_large_networks_go_by_l_bfgs(monkeypatch):
    monkeypatch.setattr(learners, "LARGEST", 10)
    data = bnlr.Dataset.from_codes(np.vstack([random_rows(3), [[0, -1, 1]]]), STATES, "c")
    assert bnlr.fit(NB, data, penalty=1.0).solver == "newton"
    monkeypatch.setattr(learners, "LARGEST", 9)
    assert bnlr.fit(NB, data, penalty=1.0).solver == "l-bfgs"


def test_zero_gradients_are_shaken():
    """Everything balanced: the frequency start is stationary."""
    rows = np.array([[c, a, b] for c in (0, 1) for a in (0, 1, -1) for b in (0, 1)])
    data = bnlr.Dataset.from_codes(rows, STATES, "c")
    result = bnlr.fit(NB, data, learner="elr", random_state=0)
    assert result.n_iter > 0
    assert result.cll == pytest.approx(len(rows) * np.log(0.5), rel=1e-6)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"nonperfect": "marry"}, "nonperfect is 'marry'"),
        ({"nonperfect": "embed", "learner": "elr"}, "with_arcs"),
        ({"cross_tuning": "aic", "learner": "elr"}, "cross_tuning is 'aic'"),
        ({"cross_tuning": "error"}, "learner='elr'"),
        ({"cross_tuning": True, "learner": "elr"}, "cross_tuning is True"),
    ],
)
def test_bad_calls_are_named(options, text):
    data = bnlr.Dataset.from_codes(random_rows(6), STATES, "c")
    with pytest.raises(bnlr.ParameterError, match=text):
        bnlr.fit(NB, data, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "heavy"),
    [("naive", 1e3), ("naive", 1e12), ("tan", 1e3), ("tan", 1e6),
     *in_full(("naive", 1e6), ("tan", 1e12))],
)  # fmt: skip
def test_a_heavy_row_hides_no_light_ones(kind, heavy):
    """What the others lose must not count as nothing beside it."""
    structure = bnlr.Structure(KINDS[kind], class_name="c")
    data = holed_sample(structure, 2, 0.2, 3, n_rows=300)
    weights = np.ones(300)
    weights[0] = heavy
    data = bnlr.Dataset.from_codes(np.array(data.codes), data.states, "c", weights)
    result = bnlr.fit(structure, data, learner="elr", penalty=1.0)
    assert result.converged
    further = bnlr.fit(
        structure, data, learner="elr", penalty=1.0, start=result.network, solver="l-bfgs",
        max_iter=3000, tol=1e-13,
    )  # fmt: skip
    value, at = further.trace["objective"].iloc[-1], result.trace["objective"].iloc[-1]
    assert value - at <= 1e-5 * abs(at)

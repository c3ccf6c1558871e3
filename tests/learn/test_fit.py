"""fit: one optimum whatever the road, proven by the dual; separation named; bad input refused."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.design.families import TableLayout
from tests.oracles import joint
from tests.oracles.model import Model
from tests.strategies import cpts_of, perfect_structures, problems, structures
from tests.width import examples

NB = bnlr.Structure.naive_bayes(["a", "b"], class_name="c")
STATES = {"c": ("n", "y"), "a": (0, 1), "b": (0, 1)}


def _data(rows, states=STATES, weights=None):
    return bnlr.Dataset.from_codes(np.array(rows), states, "c", weights=weights)


def _fit(*args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.SeparationWarning)
        return bnlr.fit(*args, **kwargs)


@pytest.mark.slow
@examples(20)
@given(problems(perfect_structures(max_nodes=5), n_rows=(20, 60)))
def test_every_space_and_solver_meets_the_same_optimum_where_it_is_finite(problem):
    structure, data = problem
    reference = _fit(structure, data, learner="lr")
    if not structure.children(structure.class_name):
        assert reference.solver == "closed form"
    if reference.separation.verdict != "finite":
        return
    for space in ("loglinear", "roos", "softmax"):
        for solver in ("newton", "l-bfgs", "scipy-bfgs", "scipy-cg"):
            result = _fit(structure, data, learner="lr", space=space, solver=solver)
            precise = 1e-8 if solver in {"newton", "l-bfgs"} else 1e-5
            assert result.cll == pytest.approx(reference.cll, rel=precise, abs=precise)
            assert result.network.conditional_log_likelihood(data) == pytest.approx(result.cll)


@examples(40)
@given(problems(perfect_structures(max_nodes=5), n_rows=(5, 60)))
def test_the_bound_meets_the_optimum_on_perfect_graphs(problem):
    structure, data = problem
    result = _fit(structure, data)
    assert result.learner == "lr"
    assert result.converged, result.message
    assert result.gap is not None
    assert 0 <= result.gap <= 1e-6 * max(1.0, abs(result.cll))
    assert all(np.isfinite(result.parameters["value"]))


@pytest.mark.slow
@examples(40)
@given(problems(structures(max_nodes=5), n_rows=(5, 40)), st.data())
def test_no_cpts_exceed_the_bound_on_any_graph(problem, draw):
    structure, data = problem
    result = _fit(structure, data, tol=1e-6)
    states = {node: data.states[node] for node in structure.nodes}
    model = Model.of(structure, states)
    rows = np.column_stack([data.column(node) for node in model.nodes])
    assert result.upper_bound is not None
    assert result.cll >= result.start_cll - 1e-9
    literal = joint.cll(model, dict(result.network.cpts), rows, data.weights)
    assert result.cll == pytest.approx(literal, rel=1e-9, abs=1e-9)
    for _ in range(5):
        cpts = draw.draw(cpts_of(structure, states))
        assert joint.cll(model, cpts, rows, data.weights) <= result.upper_bound + 1e-9


@given(problems(n_rows=(5, 40)), st.sampled_from(["loglinear", "roos", "softmax"]))
def test_all_spaces_start_alike_and_never_end_below(problem, space):
    structure, data = problem
    frequencies = _fit(structure, data, learner="frequencies")
    how = {"learner": "lr", "space": space, "max_iter": 3, "pseudocount": 1.0}
    result = _fit(structure, data, **how)
    assert result.start_cll == pytest.approx(frequencies.cll, rel=1e-10, abs=1e-10)
    assert result.cll >= result.start_cll - 1e-9


@given(problems(perfect_structures(max_nodes=5), n_rows=(4, 25), weighted=False))
def test_repeated_rows_and_weights_give_the_same_fit(problem):
    structure, data = problem
    doubled = data.take(np.repeat(np.arange(data.n_rows), 3))
    weighted = bnlr.Dataset.from_codes(
        data.codes, data.states, data.class_name, weights=np.full(data.n_rows, 3.0)
    )
    a, b = _fit(structure, doubled), _fit(structure, weighted)
    assert a.cll == pytest.approx(b.cll, rel=1e-8, abs=1e-8)
    assert a.start_cll == pytest.approx(b.start_cll, rel=1e-12, abs=1e-12)


def test_a_diagnostic_network_is_solved_by_counting():
    structure = bnlr.Structure([("a", "c"), ("b", "c")], class_name="c")
    rows = [[0, 0, 0]] * 3 + [[1, 0, 0]] * 1 + [[1, 1, 1]] * 4 + [[0, 1, 1]] * 2
    data = bnlr.Dataset.from_codes(np.array(rows), STATES, "c")
    result = bnlr.fit(structure, data)
    expected = 3 * np.log(3 / 4) + np.log(1 / 4) + 4 * np.log(4 / 6) + 2 * np.log(2 / 6)
    assert result.solver == "closed form"
    assert result.cll == pytest.approx(expected, rel=1e-12)
    assert result.upper_bound == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(result.network.cpts["c"][0, 0], [0.75, 0.25])
    np.testing.assert_allclose(result.network.cpts["c"][0, 1], [0.5, 0.5])  # never seen
    assert result.separation.verdict == "finite"


def test_a_diagnostic_network_with_an_empty_cell_stays_finite_and_says_so():
    structure = bnlr.Structure([("a", "c")], class_name="c")
    data = _data([[0, 0, 0]] * 3 + [[1, 1, 0]] * 2 + [[0, 1, 1]])
    with pytest.warns(bnlr.SeparationWarning, match="a=0 never occurs with c=y"):
        result = bnlr.fit(structure, data)
    assert result.cll == pytest.approx(2 * np.log(2 / 3) + np.log(1 / 3), abs=1e-8)
    assert all(np.isfinite(result.parameters["value"]))


def test_complete_separation_is_named_and_finite():
    data = _data([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    with pytest.warns(bnlr.SeparationWarning, match=r"complete separation.*a=. never occurs"):
        result = bnlr.fit(NB, data)
    assert result.separation.verdict == "complete"
    assert "penalty" in result.message
    assert -1e-6 < result.cll <= 0
    assert all(np.isfinite(result.parameters["value"]))
    mended = bnlr.fit(NB, data, penalty=1.0)
    assert mended.separation is None
    assert mended.converged


def test_separation_without_an_empty_cell_is_found_by_the_linear_program():
    # c = (a and b): every single cell of a and of b holds both classes but one combination splits.
    rows = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, 1], [0, 0, 1], [0, 1, 0]]
    data = _data(rows)
    with pytest.warns(bnlr.SeparationWarning):
        assert bnlr.fit(NB, data).separation.verdict == "complete"
    mixed = _data([*rows, [0, 1, 1]])
    with pytest.warns(bnlr.SeparationWarning):
        assert bnlr.fit(NB, mixed).separation.verdict == "quasi"
    overlapping = _data([*rows, [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bnlr.fit(NB, overlapping).separation.verdict == "finite"


@examples(40)
@given(problems(perfect_structures(max_nodes=4), n_rows=(5, 40), weighted=False))
def test_the_separation_verdict_agrees_with_a_program_over_the_literal_design(problem):
    from scipy.optimize import linprog

    structure, data = problem
    result = _fit(structure, data)
    space = bnlr.LogLinear(structure, data.states)
    z, y, k = space.design(data).toarray(), data.class_codes, data.cards[data.class_name]
    margins = []
    for row, c in zip(z, y, strict=True):
        for other in set(range(k)) - {c}:
            b = np.zeros((z.shape[1], k))
            b[:, c] += row
            b[:, other] -= row
            margins.append(b.ravel())
    margins = np.array(margins)
    program = linprog(-margins.sum(0), A_ub=-margins, b_ub=np.zeros(len(margins)), bounds=(-1, 1))
    assert result.separation.is_separated == bool((margins @ program.x).max() > 1e-5)


def test_penalty_equals_the_symmetric_multinomial_one():
    from sklearn.linear_model import LogisticRegression

    frame = bnlr.load_dataset("iris")
    classes = frame.columns[-1]
    binned = frame.drop(columns=classes).apply(lambda x: pd.cut(x, 3, labels=["s", "m", "l"]))
    data = bnlr.Dataset.from_frame(binned.assign(**{classes: frame[classes]}), classes)
    structure = bnlr.Structure.naive_bayes(list(binned.columns), class_name=classes)
    hot = pd.get_dummies(binned).to_numpy(float)
    for strength in (0.5, 2.0):
        peer = LogisticRegression(C=1 / strength, tol=1e-10, max_iter=10_000)
        peer.fit(hot, frame[classes])
        mine = bnlr.fit(structure, data, penalty=strength, space="roos")
        np.testing.assert_allclose(
            mine.network.predict_proba(data), peer.predict_proba(hot), atol=1e-5
        )
        assert mine.upper_bound is None


def test_a_large_penalty_towards_the_frequencies_gives_them_back():
    data = _data(np.random.default_rng(0).integers(0, 2, (50, 3)))
    frequencies = bnlr.fit(NB, data, learner="frequencies")
    result = bnlr.fit(NB, data, penalty=1e9, penalty_center="frequencies")
    np.testing.assert_allclose(
        _odds(result.network)["a"], _odds(frequencies.network)["a"], atol=1e-5
    )


def _odds(network):
    return {node: np.log(cpt[1] / cpt[0]) for node, cpt in network.cpts.items() if cpt.ndim == 2}


def test_trace_callback_and_limits():
    data = _data(np.random.default_rng(1).integers(0, 2, (80, 3)))
    result = bnlr.fit(NB, data, space="loglinear", solver="scipy-bfgs")
    trace = result.trace
    assert list(trace.columns) == [
        "iteration", "cll", "n_cll", "n_grad", "n_hvp", "flops", "seconds",
    ]  # fmt: skip
    assert list(trace["iteration"]) == list(range(result.n_iter + 1))
    assert trace["cll"].iloc[0] == pytest.approx(result.start_cll, rel=1e-10)
    assert trace["cll"].iloc[-1] == pytest.approx(result.cll, rel=1e-10)
    assert (trace["flops"].diff().dropna() > 0).all()
    stopped = bnlr.fit(NB, data, solver="l-bfgs", callback=lambda state: state.iteration >= 1)
    assert not stopped.converged
    assert "callback" in stopped.message
    limited = bnlr.fit(NB, data, max_iter=0)
    assert not limited.converged
    assert "max_iter" in limited.message
    assert limited.cll == pytest.approx(limited.start_cll, rel=1e-12)


def test_auto_says_what_it_chose_and_why():
    data = _data(np.random.default_rng(2).integers(0, 2, (60, 3)))
    easy = bnlr.fit(NB, data)
    assert (easy.learner, easy.space, easy.solver) == ("lr", "roos", "newton")
    assert "logistic regression" in easy.why
    collider = bnlr.Structure([("c", "a"), ("b", "a")], class_name="c")
    hard = bnlr.fit(collider, data, n_starts=3, random_state=0)
    assert (hard.learner, hard.space) == ("elr", "softmax")
    assert "not perfect" in hard.why
    assert hard.gap >= 0
    assert "lr" in str(easy)
    assert f"{easy.cll:.6f}" in easy.summary()


def test_elr_results_depend_on_the_seed_alone():
    data = _data(np.random.default_rng(3).integers(0, 2, (40, 3)))
    collider = bnlr.Structure([("c", "a"), ("b", "a")], class_name="c")
    runs = [bnlr.fit(collider, data, n_starts=4, random_state=7, n_threads=t) for t in (1, 2)]
    assert runs[0].cll == runs[1].cll
    for node, cpt in runs[0].network.cpts.items():
        assert cpt.tobytes() == runs[1].network.cpts[node].tobytes()


def test_missing_classes_are_left_out_and_missing_attributes_refused_by_lr():
    rows = np.random.default_rng(4).integers(0, 2, (60, 3))
    full = bnlr.fit(NB, _data(rows))
    with_extra = np.vstack([rows, [[-1, 0, 1], [-1, 1, 1]]])
    assert bnlr.fit(NB, _data(with_extra)).upper_bound == pytest.approx(full.cll, rel=1e-6)
    holed = rows.copy()
    holed[3, 2] = -1
    with pytest.raises(bnlr.MissingCellsError, match=r"'b' has 1 missing cell"):
        bnlr.fit(NB, _data(holed), learner="lr")


def test_numbers_of_numpy_are_numbers():
    data = _data(np.random.default_rng(1).integers(0, 2, (80, 3)))
    own = {"penalty": 2, "pseudocount": 1, "n_starts": 1, "n_threads": 1, "random_state": 3}
    theirs = {name: np.int64(value) for name, value in own.items()}
    wanted = bnlr.fit(NB, data, max_iter=20, tol=1e-4, **own)
    for penalty in (np.int64(2), np.float32(2), np.float64(2)):
        found = bnlr.fit(
            NB, data, max_iter=np.int32(20), tol=np.float64(1e-4), **(theirs | {"penalty": penalty})
        )
        assert found.cll == wanted.cll
        assert found.penalty == 2.0
        assert type(found.penalty) is float


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda _: bnlr.fit(NB, pd.DataFrame({"c": [1]})), "ParameterError", "from_frame"),
        (
            lambda d: bnlr.fit(NB, d, learner="magic"),
            "ParameterError",
            "learner is 'magic'; choose one of auto",
        ),
        (
            lambda d: bnlr.fit(NB, d, space="eta"),
            "ParameterError",
            "space is 'eta'; .* did you mean 'theta'",
        ),
        (lambda d: bnlr.fit(NB, d, space="theta"), "ParameterError", "'lr' works in space"),
        (lambda d: bnlr.fit(NB, d, solver="nwton"), "ParameterError", "newton"),
        (lambda d: bnlr.fit(NB, d, penalty=-1), "ParameterError", "penalty is -1"),
        (lambda d: bnlr.fit(NB, d, penalty=True), "ParameterError", "penalty is True"),
        (
            lambda d: bnlr.fit(NB, d, learner="frequencies", penalty=2),
            "ParameterError",
            "'frequencies' counts and takes no penalty",
        ),
        (lambda d: bnlr.fit(NB, d, n_starts=True), "ParameterError", "n_starts is True"),
        (lambda d: bnlr.fit(NB, d, n_threads=True), "ParameterError", "n_threads is True"),
        (
            lambda d: bnlr.fit(
                NB, d, learner="elr", cross_tuning="error", random_state=np.random.default_rng()
            ),
            "ParameterError",
            "random_state is .*whole number, 0 or larger, or None",
        ),
        (lambda d: bnlr.fit(NB, d, penalty_center="mean"), "ParameterError", "penalty_center"),
        (lambda d: bnlr.fit(NB, d, n_starts=0), "ParameterError", "n_starts is 0"),
        (lambda d: bnlr.fit(NB, d, tol=float("nan")), "ParameterError", "tol"),
        (lambda d: bnlr.fit(NB, d, start="zero"), "ParameterError", "start is 'zero'"),
        (lambda d: bnlr.fit(NB, d, colour=3), "ParameterError", "colour"),
        (lambda d: bnlr.fit(NB, d, pseudocount=-1), "ParameterError", "pseudocount is -1"),
        (lambda d: bnlr.fit(NB, d, learner="elr", space="roos"), "ParameterError", "softmax"),
        (
            lambda d: bnlr.fit(bnlr.Structure([("c", "zz")], class_name="c"), d),
            "StateError",
            "'zz'.*not a column",
        ),
        (
            lambda d: bnlr.fit(bnlr.Structure([("b", "a")], class_name="b"), d),
            "ParameterError",
            "class is 'b'",
        ),
        (
            lambda d: bnlr.fit(
                bnlr.Structure([("c", "a"), ("b", "a")], class_name="c"), d, learner="lr"
            ),
            "NotPerfectError",
            "'a' has the unmarried parents 'c' and 'b'",
        ),
        (lambda _: bnlr.fit(NB, _data(np.zeros((3, 3), int))), "DataError", "'c'"),
        (lambda d: bnlr.fit(NB, d.take(np.array([], int))), "DataError", "row"),
    ],
)
def test_bad_calls_get_one_typed_error_naming_the_matter(call, error, text):
    data = _data(np.random.default_rng(5).integers(0, 2, (30, 3)))
    with pytest.raises(getattr(bnlr, error), match=text):
        call(data)


def test_an_oversized_family_is_refused_before_anything_is_allocated():
    parents = [f"p{k}" for k in range(12)]
    structure = bnlr.Structure([(p, "x") for p in parents] + [("c", "x")], class_name="c")
    states = {n: tuple(range(9)) for n in parents} | {"c": ("n", "y"), "x": (0, 1)}
    rows = np.zeros((4, len(structure.nodes)), int)
    ordered = {node: states[node] for node in structure.nodes}
    rows[:, list(ordered).index("c")] = [0, 1, 0, 1]
    data = bnlr.Dataset.from_codes(rows, ordered, "c")
    with pytest.raises(bnlr.TooLargeError, match="cells"):
        bnlr.fit(structure, data)


def test_layout_sizes_are_exact():
    layout = TableLayout.of(NB, {"c": 3, "a": 2, "b": 4})
    assert (layout.n_cells, layout.n_classes) == (1 + 2 + 4, 3)


@pytest.mark.slow
def test_large_separated_weights_are_tamed_and_the_cpts_keep_the_cll():
    frame = bnlr.load_dataset("tic-tac-toe")
    data = bnlr.Dataset.from_frame(frame, "class")
    structure = bnlr.learn_structure(data, method="tan")
    for space in ("roos", "loglinear"):
        with pytest.warns(bnlr.SeparationWarning, match="complete separation"):
            result = bnlr.fit(structure, data, space=space)
        assert -1e-7 < result.cll <= 0
        assert min(cpt.min() for cpt in result.network.cpts.values()) > 0
        again = result.network.conditional_log_likelihood(data)
        assert again == pytest.approx(result.cll, abs=1e-10)
        assert "vanishing penalties" in result.message
    # Held-out boards: parameters that had run away classify three quarters of them.
    test = np.arange(data.n_rows) % 5 == 0
    half = _fit(structure, data.take(np.flatnonzero(~test)))
    held_out = data.take(np.flatnonzero(test))
    right = half.network.predict_proba(held_out).argmax(axis=1) == held_out.class_codes
    assert right.mean() > 0.9


def test_verbose_shows_every_iteration(capsys):
    data = _data(np.random.default_rng(6).integers(0, 2, (60, 3)))
    result = bnlr.fit(NB, data, verbose=1)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == result.n_iter + 1
    assert lines[-1].startswith(f"iteration {result.n_iter:4d}")
    bnlr.fit(NB, data)
    assert capsys.readouterr().err == ""


def test_the_path_of_vanishing_penalties_ends_before_rounding_takes_over():
    # Found by search: the smallest penalties send the log-odds of this problem beyond 10,000.
    rng = np.random.default_rng(412)
    n, k, arcs = rng.integers(2, 5), int(rng.integers(2, 5)), int(rng.integers(0, 3))
    names = ["a", "b", "d", "e"][:n]
    edges = [("c", name) for name in names]
    edges += [(names[j], names[i]) for i in range(n) for j in range(max(0, i - arcs), i)]
    n_rows = int(rng.choice([3, 12, 60, 300, 2000]))
    columns = {x: rng.integers(0, int(rng.integers(1, 5)), n_rows) for x in names}
    pull = rng.normal(size=(4, k)) * 1.5
    first = columns[names[0]]
    classes = [int(np.argmax(pull[first[i]] + rng.gumbel(size=k))) for i in range(n_rows)]
    frame = pd.DataFrame({**columns, "c": classes}).astype(str)
    data = bnlr.Dataset.from_frame(frame, "c")
    result = _fit(bnlr.Structure(edges, class_name="c"), data)
    assert min(cpt.min() for cpt in result.network.cpts.values()) > 0
    again = result.network.conditional_log_likelihood(data)
    assert again == pytest.approx(result.cll, abs=1e-9)
    assert result.gap <= 1e-5 * abs(result.cll)
    assert "under a penalty of 1e-" in result.message


def collided(rng, n_rows, n_classes):
    """Rows of a structure that is not perfect, whose children heed the class and two others."""
    arcs = [("c", x) for x in "defg"] + [("a", "d"), ("b", "d"), ("b", "e"), ("a", "f"), ("d", "g")]
    structure = bnlr.Structure(arcs, class_name="c")
    states = {"c": tuple(range(n_classes)), **dict.fromkeys("abdefg", (0, 1, 2))}
    codes = rng.integers(0, 3, (n_rows, 7))
    codes[:, 0] = rng.integers(0, n_classes, n_rows)
    codes[:, 3:] = np.where(rng.random((n_rows, 4)) < 0.4, codes[:, :1] % 3, codes[:, 3:])
    return structure, bnlr.Dataset.from_codes(codes, states, "c")


@pytest.mark.parametrize("seed", range(4))
def test_elr_by_newton_finds_in_few_iterations_what_l_bfgs_finds(seed):
    rng = np.random.default_rng(seed)
    structure, data = collided(rng, int(rng.integers(200, 2000)), 2 + seed % 3)
    fits = {
        solver: bnlr.fit(structure, data, penalty=5.0, solver=solver, max_iter=5000)
        for solver in ("auto", "l-bfgs")
    }
    newton, other = fits["auto"], fits["l-bfgs"]
    assert (newton.learner, newton.solver, newton.converged) == ("elr", "newton", True)
    assert newton.n_iter <= 20
    assert newton.rows[-1].value == pytest.approx(other.rows[-1].value, rel=1e-7)
    np.testing.assert_allclose(
        newton.network.predict_proba(data), other.network.predict_proba(data), atol=1e-3
    )


def test_elr_of_many_entries_goes_by_l_bfgs(monkeypatch):
    structure, data = collided(np.random.default_rng(0), 60, 3)
    assert bnlr.fit(structure, data, penalty=1.0, max_iter=2).solver == "newton"
    assert bnlr.fit(structure, data, max_iter=2).solver == "l-bfgs"
    cells = bnlr.analyze(structure, data.cards).parameter_counts["beta"]
    monkeypatch.setattr("bnlr.learn.auto_learner.LARGEST", cells - 1)
    assert bnlr.fit(structure, data, penalty=1.0, max_iter=2).solver == "l-bfgs"
    assert bnlr.fit(structure, data, penalty=1.0, max_iter=2, solver="newton").solver == "newton"
    tuned = bnlr.fit(structure, data, max_iter=2, cross_tuning="cll", random_state=0)
    assert tuned.solver == "cg-brent"


def test_a_summary_says_why_the_cll_ends_lower_than_it_began():
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("led"), class_name="class")
    structure = bnlr.learn_structure(data, "naive-bayes")
    for penalty in (0.0, 0.001, 3000.0):
        result = bnlr.fit(structure, data, penalty=penalty)
        line = next(line for line in result.summary().splitlines() if line.startswith("CLL"))
        is_lower = result.cll < result.start_cll
        assert is_lower == (penalty == 3000.0)
        assert line.endswith("(lower: the penalty counts too)") == is_lower

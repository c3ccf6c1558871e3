"""What is foretold is counted by the paper's formulas; steps on the model, by SciPy's CG."""

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator, cg

import bnlr
from bnlr.design.packed_rows import Design
from bnlr.learn.recommendation import MOST_STEPS, RATES, steps_on_the_model
from bnlr.objectives.conditional import ConditionalObjective

STATES = {"c": ("n", "y"), "a": (0, 1), "b": ("p", "q", "r"), "d": (0, 1)}
NB = bnlr.Structure.naive_bayes(["a", "b", "d"], class_name="c")
V = bnlr.Structure([("c", "a"), ("b", "a"), ("d", "a"), ("c", "b")], class_name="c")


def rows(n=200, seed=0, states=STATES):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, len(s), n) for s in states.values()])
    codes[:, 1] = np.where(rng.random(n) < 0.7, codes[:, 0] % 2, codes[:, 1])
    return bnlr.Dataset.from_codes(codes, states, "c")


def test_all_nine_are_told_the_cheapest_first_and_none_is_run(monkeypatch):
    from bnlr.learn.runs import run

    monkeypatch.setattr(run, "find_minimum", None)
    told = bnlr.recommend(NB, rows())
    table = told.table
    assert set(zip(table["space"], table["solver"], strict=True)) == set(RATES)
    assert len(table) == 9
    assert table["flops"].is_monotonic_increasing
    assert (told.space, told.solver) == (table["space"][0], table["solver"][0])
    assert f"space={told.space!r}, solver={told.solver!r}" in str(told)


def test_flops_are_the_papers_formulas_times_what_is_expected():
    """By hand, naive Bayes: n = 3 attributes, d = 2 + 3 + 2 states, two classes, 200 rows."""
    table = bnlr.recommend(NB, rows()).table.set_index(["space", "solver"])
    beta, n, total = 2 + 2 * 7, 200, 2 + 3 + 2
    assert table.loc["softmax"]["parameters"].tolist() == [beta] * 3
    cll = 3 * beta + n * (3 * 2 + 2 * 2 + 2)
    gradient = 3 * beta + n * (2 * 3 * 2 + 3 + 5 * (3 + total))
    for solver, update in (("cg", 10 * beta), ("bfgs", 12 * beta**2 + 8 * beta)):
        row = table.loc["softmax", solver]
        expected = row["iterations"] * (update + gradient)
        expected += row["evaluations"] * (4 * beta + cll)
        assert row["flops"] == pytest.approx(expected)
        rate = RATES["softmax", solver]
        assert row["iterations"] == pytest.approx(
            max(1.0, np.exp(rate.intercept) * row["steps"] ** rate.slope)
        )
        assert row["evaluations"] == pytest.approx(rate.evaluations * row["iterations"])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["loglinear", "roos"])
def test_steps_on_the_model_are_conjugate_gradients(seed, kind):
    data = rows(seed=seed)
    chart = bnlr.LogLinear if kind == "loglinear" else bnlr.Roos
    space = chart(NB, data.states)
    objective = ConditionalObjective(Design.of(space.layout, data), space)
    x = space.from_network(bnlr.fit(NB, data, learner="frequencies").network)
    gradient, product = objective.value_and_gradient(x)[1], objective.hessian(x)
    gains = [0.0]
    operator = LinearOperator((x.size, x.size), matvec=product, dtype=float)
    cg(
        operator,
        -gradient,
        rtol=1e-9,
        maxiter=MOST_STEPS,
        callback=lambda s: gains.append(-(gradient @ s + 0.5 * s @ product(s))),
    )
    k = int(np.argmax(np.array(gains) >= 0.95 * gains[-1]))
    found = steps_on_the_model(objective, x)
    assert max(1, k - 1) - 1e-6 <= found <= max(1, k) + 1e-6


def test_an_imperfect_structure_is_told_of_cpts_alone():
    told = bnlr.recommend(V, rows())
    assert set(told.table["space"]) == {"softmax"}
    assert not told.report.is_perfect
    assert "not perfect" in str(told)


def test_a_start_at_the_optimum_takes_one_step():
    even = np.array(list(np.ndindex(2, 2, 3, 2)))
    data = bnlr.Dataset.from_codes(even, STATES, "c")
    assert set(bnlr.recommend(NB, data).table["steps"]) == {1.0}


def test_holes_are_refused():
    data = rows()
    codes = np.array(data.codes)
    codes[0, 1] = -1
    with pytest.raises(bnlr.MissingCellsError):
        bnlr.recommend(NB, bnlr.Dataset.from_codes(codes, STATES, "c"))


@pytest.mark.parametrize("argument", ["no structure", None])
def test_what_is_no_structure_is_refused(argument):
    with pytest.raises(bnlr.BnlrError, match=r"[Ss]tructure"):
        bnlr.recommend(argument, rows())

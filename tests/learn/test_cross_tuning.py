"""Cross tuning against a literal reading: five folds, the earliest best iteration, the median."""

from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.learn.cross_tuning import PATIENCE, Road, folds, tuned_iterations
from bnlr.learn.runs.run import Settings
from bnlr.optimize.base import State
from tests.learn.missing.test_em import holed_rows
from tests.strategies import problems, structures


def losses_on(network, data, by):
    if by == "cll":
        return -network.conditional_log_likelihood(data)
    wrong = network.predict_proba(data).argmax(axis=1) != data.class_codes
    return float(data.weights @ wrong)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["error", "cll"])
@pytest.mark.parametrize("rate", [0.25, 0.0])
def test_equals_running_every_number_of_iterations_on_every_fold(by, rate):
    """Iteration k of a run is where a run of k iterations ends."""
    structure, _, data = holed_rows(4, n_rows=90, rate=rate)
    limit, seed = 5, 3
    bests = []
    for part in folds(data, seed):
        rest = data.take(np.setdiff1d(np.arange(data.n_rows), part))
        losses = []
        for k in range(limit + 1):
            run = bnlr.fit(structure, rest, learner="elr", solver="cg-brent", max_iter=k)
            losses.append(round(losses_on(run.network, data.take(part), by), 9))
        bests.append(losses.index(min(losses)))
    expected = int(median(bests))
    options = {"learner": "elr", "cross_tuning": by, "random_state": seed}
    result = bnlr.fit(structure, data, max_iter=limit, **options)
    assert result.n_iter == expected
    assert ", ".join(map(str, bests)) in result.message
    assert f"their median is {expected}" in result.message
    plain = bnlr.fit(structure, data, learner="elr", solver="cg-brent", max_iter=expected)
    assert result.cll == pytest.approx(plain.cll, rel=1e-9)
    assert result.solver == "cg-brent"


@given(problems(structures(max_nodes=3), n_rows=(4, 60)), st.integers(0, 5))
def test_folds_share_out_every_class(problem, seed):
    _, data = problem
    parts = folds(data, seed)
    usable = np.flatnonzero(data.weights > 0)
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), usable)
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    for c in range(data.cards[data.class_name]):
        per_fold = [int((data.class_codes[part] == c).sum()) for part in parts]
        if len(parts) == 5:
            assert max(per_fold) - min(per_fold) <= 1
    again = folds(data, seed)
    assert all((a == b).all() for a, b in zip(parts, again, strict=True))


@pytest.mark.slow
def test_rows_without_a_class_are_in_no_fold_and_threads_change_no_byte():
    structure, _, data = holed_rows(6, n_rows=80)
    codes = np.array(data.codes)
    codes[:10, data.nodes.index("c")] = -1
    partly = bnlr.Dataset.from_codes(codes, data.states, "c")
    assert min(map(min, folds(partly, 0))) >= 10
    runs = [
        bnlr.fit(structure, partly, learner="elr", cross_tuning="error", random_state=0,
                 max_iter=6, n_threads=n)
        for n in (1, 2)
    ]  # fmt: skip
    assert runs[0].message == runs[1].message
    for node, cpt in runs[0].network.cpts.items():
        assert cpt.tobytes() == runs[1].network.cpts[node].tobytes()


def test_one_row_a_class_at_least():
    states = {"c": ("n", "y"), "a": (0, 1)}
    structure = bnlr.Structure.naive_bayes(["a"], class_name="c")
    data = bnlr.Dataset.from_codes(np.array([[0, 0], [1, 1]]), states, "c")
    result = bnlr.fit(
        structure, data, learner="elr", cross_tuning="cll", random_state=0, max_iter=3
    )
    assert "2 folds" in result.message


def test_a_fold_ends_when_twenty_iterations_brought_nothing():
    """A later, lower loss is not waited for; the earliest of equal ones counts."""
    _, data, _ = holed_rows(0, n_rows=20)
    losses = [5, 4, 3, 3, *[4] * 18, 1, 0]
    seen = []

    def run(settings):
        for k in range(settings.max_iter + 1):
            seen.append(k)
            if settings.callback(State(k, 0.0, np.array([losses[k]]), np.zeros(1))):
                return

    settings = Settings(1e-9, len(losses) - 1, 3, 0, None, 0)
    bests = tuned_iterations(lambda _, __: Road(run, lambda x: float(x[0])), data, settings)
    # Iteration 22 is the twentieth after the best, and lower: the count starts anew.
    assert (bests, seen) == ([23] * 5, [*range(24)] * 5)
    losses[22:] = [4, 0]
    seen.clear()
    bests = tuned_iterations(lambda _, __: Road(run, lambda x: float(x[0])), data, settings)
    assert (bests, seen) == ([2] * 5, [*range(2 + PATIENCE + 1)] * 5)

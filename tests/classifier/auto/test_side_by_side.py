"""Candidates side by side: the same trials, in the same order, as one after another."""

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.classifier.auto.candidates import CANDIDATES, narrowed
from bnlr.classifier.auto.selection import Choices, select
from bnlr.classifier.auto.side_by_side import runs_of
from bnlr.classifier.input.undiscretized import UncutRows
from bnlr.design.packed_rows import kernels
from tests.width import examples, in_full

# NumPy's own sums depend in the last bit on where in memory an array begins.
RTOL = 0 if kernels().IS_COMPILED else 1e-9


def drawn(rng, n_rows=90):
    """Numbers and labels, some of which tell the class, in structures that often come out alike."""
    y = rng.integers(0, int(rng.integers(2, 4)), n_rows)
    X = pd.DataFrame(
        {
            "x": rng.normal(y, 1.0),
            "z": rng.normal(0, 1.0, n_rows).cumsum(),
            "k": np.array(list("abcd"))[(y + rng.integers(0, 2, n_rows)) % 4],
        }
    )
    return UncutRows.of(X, ["x", "z"], pd.Categorical(y), "class!", None)


def same(one, two):
    assert [trial[:4] for trial in one.trials] == [trial[:4] for trial in two.trials]
    losses = [np.array([trial[4:] for trial in found.trials]) for found in (one, two)]
    np.testing.assert_allclose(*losses, rtol=RTOL, atol=0)
    assert [held.trial[:4] for held in one.held_out] == [held.trial[:4] for held in two.held_out]
    for held, other in zip(one.held_out, two.held_out, strict=True):
        np.testing.assert_allclose(
            held.log_probabilities, other.log_probabilities, rtol=RTOL, atol=0
        )
    assert one.left_out == two.left_out


@pytest.mark.slow
@examples(16)
@given(st.integers(0, 2**32 - 1), st.sampled_from([None, "mdl", "quantile-5"]))
def test_any_candidates_in_any_order_are_judged_alike(seed, cutting):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    some = [CANDIDATES[k] for k in rng.permutation(len(CANDIDATES))[:n]]
    choices = Choices(narrowed(some, cutting), strengths=(1000.0, 100.0, 10.0, 1.0, 0.1))
    table, n_kept = drawn(rng), int(rng.integers(0, 4))
    with joblib.parallel_config("threading"):
        found = [select(table, choices, n_kept=n_kept, n_jobs=n_jobs) for n_jobs in (1, 3)]
    same(*found)


@pytest.mark.slow
def test_structures_that_came_out_alike_are_tried_once():
    """Of two methods for trees; the third candidate takes another way to cut."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    x = rng.normal(y, 1.0)
    columns = {"x": x, "z": x + rng.normal(y, 0.5), "k": np.where(x + y > 1, "p", "q")}
    table = UncutRows.of(pd.DataFrame(columns), ["x", "z"], pd.Categorical(y), "class!", None)
    tan, fan, other = (
        next(one for one in CANDIDATES if one.key == key)
        for key in [("tan", "mdl", "scaled"), ("fan", "mdl", "scaled"), ("tan", "mdl-5", "scaled")]
    )
    with joblib.parallel_config("threading"):
        for pair in ([tan, fan, other], [fan, tan, other]):
            found = [select(table, Choices(pair, strengths=(3.0,)), n_jobs=n) for n in (1, 3)]
            same(*found)
            assert {trial.candidate for trial in found[0].trials} == {pair[0].key, other.key}


def test_what_matters_for_others_goes_one_after_another():
    runs = runs_of(CANDIDATES, 4)
    assert sorted(len(run) for run in runs) == [1] * (len(CANDIDATES) - 3) + [3]
    (together,) = (run for run in runs if len(run) > 1)
    assert {one.penalty_center for one in together} == {"smooth"}
    assert sorted(one.key for run in runs for one in run) == sorted(c.key for c in CANDIDATES)
    assert runs_of(narrowed(CANDIDATES, "mdl"), 4) == [list(narrowed(CANDIDATES, "mdl"))]
    assert runs_of(CANDIDATES, 1) == runs_of(CANDIDATES, None) == [CANDIDATES]
    assert runs_of(CANDIDATES[:1], 4) == [CANDIDATES[:1]]


@pytest.fixture(scope="module")
def iris():
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True, as_frame=True)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["threading", *in_full("loky")])
@pytest.mark.parametrize("structure", ["auto", "pool"])
def test_the_fit_is_the_same_and_the_file_too(iris, tmp_path, structure, backend):
    files = []
    for n_jobs in (None, 2):
        with joblib.parallel_config(backend):
            model = bnlr.BNClassifier(structure, n_jobs=n_jobs).fit(*iris)
        files.append(tmp_path / f"{n_jobs}.json")
        model.save(files[-1])
    if kernels().IS_COMPILED:
        assert files[0].read_bytes() == files[1].read_bytes()
    again = bnlr.BNClassifier.load(files[1])
    np.testing.assert_allclose(again.predict_proba(iris[0]), model.predict_proba(iris[0]))
    assert again.n_jobs is None


def test_joblib_s_configuration_speaks_where_no_number_is_given():
    assert len(runs_of(CANDIDATES, None)) == 1
    with joblib.parallel_config("threading", n_jobs=2):
        assert len(runs_of(CANDIDATES, None)) > 1
        assert len(runs_of(CANDIDATES, 1)) == 1


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True, float("nan")])
def test_what_is_no_number_of_processes_is_refused(iris, n_jobs):
    with pytest.raises(bnlr.ParameterError, match=r"n_jobs is .* -1 for one a processor, or None"):
        bnlr.BNClassifier(n_jobs=n_jobs).fit(*iris)

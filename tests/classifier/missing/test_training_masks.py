"""Training for holes to come: how rows are masked, and that it is fit on the masked copies."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr import BNClassifier
from bnlr.classifier.missing import training_masks as masking
from tests.classifier.test_estimator import mixed_frame
from tests.classifier.test_missing import holed, holed_frame
from tests.width import in_full


def small_data(n_rows=60, seed=0, weights=None, share=0.0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (n_rows, 4))
    codes[:, 1:][rng.random((n_rows, 3)) < share] = -1
    return bnlr.Dataset.from_codes(codes, dict.fromkeys("cabd", (0, 1, 2)), "c", weights)


@given(st.integers(0, 100), st.sampled_from([0.0, 0.3]))
def test_copies_are_the_rows_with_some_cells_masked(seed, share):
    data = small_data(seed=seed, weights=np.random.default_rng(seed).random(60), share=share)
    masked = masking.masked_copies(data, {"a": 0.25, "d": 0.6}, seed)
    copies = masking.n_copies(60)
    assert masked.n_rows == copies * data.n_rows
    for k in range(copies):
        part = masked.codes[k * 60 : (k + 1) * 60]
        assert ((part == data.codes) | (part == -1)).all()
        for node in "cb":
            place = data.nodes.index(node)
            np.testing.assert_array_equal(part[:, place], data.codes[:, place])
    summed = masked.weights.reshape(copies, 60).sum(axis=0)
    np.testing.assert_allclose(summed, data.weights, rtol=1e-12)


def test_each_cell_is_masked_as_often_as_its_share_says():
    data = small_data(5000)
    masked = masking.masked_copies(data, {"a": 0.25, "b": 0.5}, 1)
    copies = masking.n_copies(5000)
    masks = {n: (masked.column(n) < 0).reshape(copies, -1) for n in "abd"}
    for node, share in [("a", 0.25), ("b", 0.5), ("d", 0.0)]:
        times = masks[node].sum(axis=0)
        assert (np.abs(times - share * copies) < 1).all()
        assert masks[node].mean(axis=1) == pytest.approx([share] * copies, abs=0.03)
    # Cells of a row are masked independently of each other.
    both = (masks["a"] & masks["b"]).mean(axis=1)
    assert both == pytest.approx([0.125] * copies, abs=0.02)


def test_masks_depend_on_the_seed_alone():
    data, shares = small_data(), {"a": 0.4}
    found = [masking.masked_copies(data, shares, seed).codes.tobytes() for seed in (1, 1, 2, None)]
    assert found[0] == found[1]
    assert len(set(found)) == 3
    assert masking.masked_copies(data, shares, None).codes.tobytes() == found[3]


def test_what_is_missing_already_counts():
    data = small_data(1000, share=0.2)
    seen = {node: data.missing_counts[node] / 1000 for node in "abd"}
    more = masking.shares_to_mask(0.5, data)
    for node in "abd":
        assert seen[node] + (1 - seen[node]) * more[node] == pytest.approx(0.5)
    assert masking.shares_to_mask(0.1, data) == {}
    assert masking.shares_to_mask("as seen", data) == {}
    assert masking.shares_to_mask(None, data) == {}
    assert set(masking.shares_to_mask({"b": 0.6}, data)) == {"b"}


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        (1.0, "expect_missing is 1.0; give the share"),
        (-0.1, "expect_missing is -0.1"),
        (np.nan, "expect_missing is nan"),
        (True, "expect_missing is True"),
        ("seen", "expect_missing is 'seen'"),
        ([0.5], r"expect_missing is \[0.5\]"),
        ({"text": 2}, "expect_missing is 2 for column 'text'"),
        *in_full(
            ({"txt": 0.2}, r"names 'txt', which is no column.*did you mean 'text'\?"),
            ({"kind": 0.2}, "names 'kind'"),
        ),
    ],
)
def test_shares_that_are_none_are_refused(expected, message):
    X, y = mixed_frame()
    with pytest.raises(bnlr.ParameterError, match=message):
        BNClassifier(expect_missing=expected).fit(X, y)


@pytest.mark.slow
def test_learners_that_do_not_train_for_holes_are_refused():
    X, y = mixed_frame()
    for learner in ("frequencies", "lr", "em"):
        with pytest.raises(bnlr.ParameterError, match=f"learner 'elr' trains .*not '{learner}'"):
            BNClassifier(expect_missing=0.2, learner=learner).fit(X, y)
    with pytest.raises(bnlr.ParameterError, match=r"random_state is 1\.5"):
        BNClassifier(expect_missing=0.2, random_state=1.5).fit(X, y)


@pytest.mark.slow
def test_is_fit_on_masked_copies_behind_another_name():
    X, y = mixed_frame()
    X = X[["text", "flag", "grade", "size"]]
    classifier = BNClassifier("tan", expect_missing=0.25, random_state=5).fit(X, y)
    data = bnlr.Dataset.from_frame(X.assign(kind=y), "kind")
    rows = masking.masked_copies(data, dict.fromkeys(X.columns, 0.25), 5)
    tree = bnlr.learn_structure(data)
    whole = BNClassifier("tan").fit(X, y).result_
    options = {"penalty": whole.penalty, "penalty_center": "scaled"}
    assert whole.center_scale is not None
    result = bnlr.fit(tree, rows, max_iter=5, solver="l-bfgs", **options)
    assert classifier.result_.learner == result.learner == "elr"
    assert classifier.result_.cll == pytest.approx(result.cll, rel=1e-12)
    assert "for a share of 0.25 missing" in classifier.summary()
    assert classifier.result_.penalty == options["penalty"]
    assert classifier.result_.center_scale == result.center_scale


@pytest.mark.parametrize("expected", [*in_full("as seen"), 0.0, *in_full(0.1)])
def test_no_more_holes_than_expected_leaves_the_rows_as_they_are(expected):
    X, y = holed_frame(share=0.3)
    options = {"structure": "naive-bayes", "penalty": 1.0}
    one = BNClassifier(**options, penalty_center="zero", expect_missing=expected).fit(X, y)
    other = BNClassifier(**options, penalty_center="zero").fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_nothing_expected_of_complete_rows_is_the_global_optimum():
    X, y = mixed_frame()
    classifier = BNClassifier("naive-bayes", expect_missing="as seen").fit(X, y)
    assert classifier.result_.learner == "lr"


@pytest.mark.slow
def test_predictions_with_holes_are_better_for_it():
    """Copies of one attribute: a network trained on complete rows shares its score among them."""
    rng = np.random.default_rng(0)

    def rows(n):
        y = rng.integers(0, 2, n)
        lead = np.where(rng.random(n) < 0.8, y, 1 - y)
        copies = {f"a{k}": np.where(rng.random(n) < 0.97, lead, 1 - lead) for k in range(6)}
        return pd.DataFrame(copies), y

    X, y = rows(1500)
    test, truth = rows(3000)
    few = test.astype(float).mask(rng.random(test.shape) < 0.5)

    def loss(classifier, X):
        return -np.log(classifier.predict_proba(X)[np.arange(len(X)), truth]).mean()

    expecting = BNClassifier("naive-bayes", expect_missing=0.5, random_state=0).fit(X, y)
    frequencies = BNClassifier("naive-bayes", learner="frequencies").fit(X, y)
    complete = BNClassifier("naive-bayes").fit(X, y)
    with pytest.warns(bnlr.UnexpectedMissingWarning):
        unexpecting = loss(complete, few)
    assert loss(expecting, few) < unexpecting - 0.01
    assert loss(expecting, few) < loss(frequencies, few) - 0.01


@pytest.mark.slow
def test_stops_early_without_a_warning_and_says_so():
    X, y = holed_frame(1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier = BNClassifier("naive-bayes", expect_missing=0.5).fit(X, y)
    assert classifier.n_iter_ == classifier.result_.n_iter == 10
    assert "Stopped after 10 iterations, early on purpose" in classifier.summary()
    assert classifier.result_.cll > classifier.result_.start_cll
    shorter = BNClassifier("naive-bayes", expect_missing=0.5, max_iter=3).fit(X, y)
    assert shorter.n_iter_ == 3
    assert [masking.n_iterations(n) for n in (10, 1000, 100_000)] == [5, 10, 100]


@pytest.mark.slow
def test_the_fitted_estimator_expects_holes(recwarn):
    X, y = mixed_frame()
    classifier = BNClassifier("naive-bayes", expect_missing=0.25).fit(X, y)
    classifier.predict(holed(X, 4))
    assert not [w for w in recwarn if issubclass(w.category, bnlr.UnexpectedMissingWarning)]

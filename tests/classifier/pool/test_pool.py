"""`BNClassifier("pool")`: several networks, weighed; what they predict, and what speaks for it."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bnlr
from bnlr import BNClassifier
from bnlr.classifier import training
from bnlr.classifier.auto import pooling, resolve
from bnlr.classifier.auto.candidates import NAIVE_BAYES, TAN, Candidate
from bnlr.classifier.auto.pooling import PooledTrials
from tests.classifier.pool.makers import pool_of_four
from tests.classifier.test_estimator import mixed_frame
from tests.width import in_full


def by_hand(classifier, rows):
    """Σ weight · log P of each member, each asked as a classifier of its own; normalised."""
    scores = 0.0
    for member in classifier.pool_.members:
        alone = clone(classifier)
        alone.__dict__.update(classifier.__dict__)
        alone.pool_, alone.network_, alone.result_ = None, member.network, member.result
        alone.discretizer_ = member.discretizer
        scores = scores + member.weight * alone.predict_log_proba(rows)
    return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)


def with_holes(X, share, seed=2):
    return X.mask(np.random.default_rng(seed).random(X.shape) < share, None)


@pytest.fixture(scope="module")
def mixed():
    return mixed_frame(240)


@pytest.fixture(scope="module")
def fitted(mixed):
    return BNClassifier("pool").fit(*mixed)


@pytest.fixture(scope="module")
def of_four(mixed):
    return pool_of_four(*mixed)


def test_members_are_the_best_candidates_fitted_to_all_rows(mixed, fitted):
    X, y = mixed
    table = fitted.selection_
    losses = [member.log_loss for member in fitted.pool_.members]
    assert losses == sorted(losses)
    assert len(losses) > 1
    assert fitted.pool_.log_loss < losses[0]
    keys = {(m.structure, m.discretize, m.penalty_center) for m in fitted.pool_.members}
    assert len(keys) == len(losses)
    for member in fitted.pool_.members:
        its = table[
            (table["structure"] == member.structure)
            & (table["discretize"] == member.discretize)
            & (table["penalty_center"] == member.penalty_center)
        ]
        assert (its["penalty"].iloc[0], its["log_loss"].iloc[0]) == (
            member.penalty, member.log_loss,
        )  # fmt: skip
    first = fitted.pool_.members[0]
    method = first.structure.split(" ")[0]
    named = BNClassifier(
        method, discretize=first.discretize, penalty=first.penalty,
        penalty_center=first.penalty_center,
    ).fit(X, y)  # fmt: skip
    found = first.network.predict_proba(fitted._encode(X)[0].data)
    np.testing.assert_allclose(named.predict_proba(X), found, atol=2e-3)


@pytest.mark.slow
def test_the_same_candidates_are_tried_as_for_one_network(mixed, fitted):
    pd.testing.assert_frame_equal(fitted.selection_, BNClassifier().fit(*mixed).selection_)


def test_what_is_shown_is_the_best_member(fitted):
    first = fitted.pool_.members[0]
    assert fitted.network_ is first.network
    assert fitted.report_ is first.report
    assert fitted.result_ is first.result
    assert fitted.discretizer_ is first.discretizer


@pytest.mark.parametrize("share", [0.0, *in_full(0.3)])
def test_predictions_are_the_weighted_sum_of_logarithms(mixed, fitted, of_four, share):
    rows = with_holes(mixed[0], share)[:30]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        for classifier in (fitted, of_four):
            logs = classifier.predict_log_proba(rows)
            np.testing.assert_allclose(logs, by_hand(classifier, rows), atol=1e-12)
            np.testing.assert_allclose(classifier.predict_proba(rows), np.exp(logs), atol=1e-14)
            best = classifier.classes_[logs.argmax(axis=1)]
            np.testing.assert_array_equal(classifier.predict(rows), best)


@pytest.mark.parametrize("share", [0.0, *in_full(0.3, 0.8)])
def test_terms_sum_to_the_pools_log_odds(mixed, fitted, of_four, share):
    rows = with_holes(mixed[0], share)[:12]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        for classifier in (fitted, of_four):
            logs = classifier.predict_log_proba(rows)
            for k in range(len(rows)):
                explanation = classifier.explain(rows[k : k + 1])
                terms = explanation.contributions[list(explanation.classes)]
                total = explanation.prior + terms.sum().to_numpy()
                np.testing.assert_allclose(total, logs[k] - logs[k, 0], atol=1e-12)
                np.testing.assert_allclose(explanation.log_odds, logs[k] - logs[k, 0], atol=1e-12)
                shares = classifier.predict_proba(rows[k : k + 1])[0]
                np.testing.assert_array_equal(explanation.probabilities, shares)
                assert explanation.contributions.index.is_unique


def test_a_column_is_one_term_the_weighted_sum_of_its_families(mixed, of_four):
    X, _ = mixed
    explanation = of_four.explain(X[:1])
    columns = [label.partition(" | ")[0] for label in explanation.contributions.index]
    assert sorted(columns) == sorted(X.columns)
    expected = dict.fromkeys(columns, 0.0)
    for one in of_four._encode(X[:1]):
        terms = one.network.explain(one.data).contributions
        for label, term in zip(terms.index, terms.iloc[:, 1:].to_numpy(), strict=True):
            column = label.partition(" | ")[0]
            expected[column] = expected[column] + one.weight * term
    found = explanation.contributions.iloc[:, 1:].to_numpy()
    for column, term in zip(columns, found, strict=True):
        np.testing.assert_allclose(term, expected[column], atol=1e-12)


def test_numbers_are_shown_with_an_interval_where_all_have_the_same(mixed, of_four):
    X, _ = mixed
    values = of_four.explain(X[:1]).contributions["value"]
    (cell,) = [text for label, text in values.items() if label.startswith("length |")]
    assert cell.split(", ")[0] == f"length = {X['length'].iloc[0]:.12g}"
    same = bnlr.Pool(of_four.pool_.members[::3], 0.5)
    twins = clone(of_four)
    twins.__dict__.update({**of_four.__dict__, "pool_": same})
    values = twins.explain(X[:1]).contributions["value"]
    (cell,) = [text for label, text in values.items() if label.startswith("length |")]
    assert cell.startswith(f"length = {X['length'].iloc[0]:.12g} in (")


def test_one_row_or_many_or_another_order_are_the_same(mixed, fitted):
    X, _ = mixed
    whole = fitted.predict_log_proba(X)
    np.testing.assert_allclose(fitted.predict_log_proba(X[::-1]), whole[::-1], atol=1e-13)
    for k in range(5):
        one = fitted.predict_log_proba(X[k : k + 1])[0]
        np.testing.assert_allclose(one, whole[k], atol=1e-13)


@pytest.mark.slow
def test_the_order_of_rows_and_columns_hardly_matters(mixed, fitted):
    X, y = mixed
    rows = np.random.default_rng(3).permutation(len(X))
    again = BNClassifier("pool").fit(X.iloc[rows, ::-1], y.iloc[rows])
    np.testing.assert_allclose(
        again.predict_proba(X.iloc[:, ::-1]), fitted.predict_proba(X), atol=1e-5
    )


def test_what_two_networks_cut_alike_is_encoded_once(mixed, of_four):
    opinions = of_four._encode(mixed[0])
    assert opinions[0].data is opinions[3].data
    assert opinions[1].data is opinions[2].data
    assert opinions[0].data is not opinions[1].data


@pytest.mark.slow
def test_what_members_share_is_learnt_once(mixed, monkeypatch):
    calls = []
    learn = training.learn_with_record

    def counted(data, method, **options):
        calls.append(method)
        return learn(data, method, **options)

    monkeypatch.setattr(training, "learn_with_record", counted)
    monkeypatch.setattr(pooling, "pool_weights", lambda logs, *_: np.full(len(logs), 0.2))
    tried = [
        Candidate(method, cutting, center)
        for method in (NAIVE_BAYES, TAN) for cutting in ("mdl", "quantile-5")
        for center in ("scaled", "zero")
    ]  # fmt: skip
    monkeypatch.setattr(resolve, "CANDIDATES", tried)
    members = BNClassifier("pool").fit(*mixed).pool_.members
    assert len(calls) == len({(m.structure, m.discretize) for m in members}) < len(members)
    for one in members:
        for other in members:
            is_alike = one.discretize == other.discretize
            assert (one.discretizer is other.discretizer) == is_alike


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["sum", "state"])
def test_rows_with_holes_are_fitted(mixed, missing):
    X, y = mixed
    holed = with_holes(X, 0.1)
    classifier = BNClassifier("pool", missing=missing).fit(holed, y)
    methods = {member.structure for member in classifier.pool_.members}
    if missing == "sum":
        assert methods <= {"naive-bayes", "fan", "tan"}
    with warnings.catch_warnings():
        warnings.simplefilter("error", bnlr.UnexpectedMissingWarning)
        shares = classifier.predict_proba(holed)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert bool(classifier.missing_states_) == (missing == "state")


@pytest.mark.slow
def test_missing_cells_are_told_of_once(mixed):
    X, y = mixed
    classifier = BNClassifier("pool").fit(X, y)
    holed = with_holes(X, 0.2)
    with pytest.warns(bnlr.UnexpectedMissingWarning):
        classifier.predict(holed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier.predict(holed)


def test_labels_never_seen_are_told_of_once_for_all_networks(mixed, fitted):
    X, _ = mixed
    odd = X[:3].astype(object)
    odd.iloc[0, list(X.columns).index("text")] = "never"
    with pytest.warns(bnlr.UnseenStateWarning) as told:
        fitted.predict(odd)
    assert len([one for one in told if one.category is bnlr.UnseenStateWarning]) == 1


def test_with_too_few_rows_the_pool_has_one_member():
    X = pd.DataFrame({"a": ["p", "q"], "b": [1.5, 2.5]})
    classifier = BNClassifier("pool").fit(X, [0, 1])
    (member,) = classifier.pool_.members
    assert (member.weight, member.structure, member.penalty) == (1.0, "fan", 3.0)
    assert np.isnan(member.log_loss)
    alone = BNClassifier().fit(X, [0, 1])
    np.testing.assert_array_equal(classifier.predict_proba(X), alone.predict_proba(X))
    assert "nan" not in repr(classifier.pool_)
    assert "nan" not in classifier.summary()


@pytest.mark.parametrize(
    ("options", "structure", "penalty"),
    [
        ({"learner": "frequencies"}, "tan", 0.0), ({"penalty": 0.0}, "fan", 0.0),
        ({"learner": "frequencies", "temperature": "auto"}, "tan", 0.0),
    ],
)  # fmt: skip
def test_what_is_not_chosen_by_folds_is_that_of_auto(mixed, options, structure, penalty):
    X, y = mixed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier = BNClassifier("pool", **options).fit(X, y)
        alone = BNClassifier("auto", **options).fit(X, y)
    (member,) = classifier.pool_.members
    assert (member.structure, member.weight, member.penalty) == (structure, 1.0, penalty)
    np.testing.assert_array_equal(classifier.predict_proba(X), alone.predict_proba(X))


def test_options_of_structures_are_refused(mixed):
    with pytest.raises(bnlr.ParameterError, match="structure 'pool' tries several methods"):
        BNClassifier("pool", structure_options={"k": 1}).fit(*mixed)


@pytest.mark.parametrize("structure", [*in_full("auto"), "tan"])
def test_one_network_has_no_pool(mixed, structure):
    assert BNClassifier(structure, penalty=3.0).fit(*mixed).pool_ is None


def test_a_pool_reads_well(fitted):
    text = repr(fitted.pool_)
    n = len(fitted.pool_.members)
    assert text.startswith(f"Pool of {n} networks, log-loss 0.")
    assert text.count("\n  weight ") == n
    assert f"Pool of {n} networks" in fitted.summary()
    assert "predictions are the pool's" in fitted.summary()
    for member in fitted.pool_.members:
        assert f"weight {member.weight:.3f}: {member.label}" in fitted.summary()
        assert member.label in repr(member)
    frame = fitted.pool_.to_frame()
    assert list(frame["weight"]) == list(fitted.pool_.weights)
    assert list(frame.columns[1:]) == [
        "structure", "discretize", "penalty_center", "penalty", "log_loss",
    ]  # fmt: skip
    assert fitted.pool_.networks[0] is fitted.network_
    assert f"One of {n} networks whose predictions are pooled" in fitted.result_.message


def test_a_pool_cannot_be_changed(fitted):
    with pytest.raises(AttributeError):
        fitted.pool_.members = ()
    fitted.pool_.weights[:] = 0.0
    assert (fitted.pool_.weights > 0).all()


def test_pickle_and_clone(mixed, fitted):
    X, _ = mixed
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301  written by this line
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert again.summary() == fitted.summary()
    assert clone(fitted).structure == "pool"
    assert not hasattr(clone(fitted), "pool_")


@pytest.mark.slow
def test_a_member_that_does_not_converge_is_told_of(mixed, monkeypatch):
    found = resolve.pool_trials

    def of_two(selection):
        pooled = found(selection)
        return PooledTrials(pooled.trials[:1], pooled.weights[:1], pooled.log_loss)

    monkeypatch.setattr(resolve, "pool_trials", of_two)
    with pytest.warns(Warning, match="iterations"):
        BNClassifier("pool", max_iter=1).fit(*mixed)

"""What people do every day with a classifier, from end to end; tools are in `test_ecosystem`."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import partial_dependence
from sklearn.metrics import balanced_accuracy_score, log_loss, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer

import bnlr
from tests.width import in_full

NB = bnlr.BNClassifier("nb", penalty=1.0)
FAN = bnlr.BNClassifier("fan", penalty=3.0)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def churn():
    """Rows like a customer table: text, numbers, a flag, holes, and one class of a tenth."""
    rng = np.random.default_rng(0)
    n = 400
    y = (rng.random(n) < 0.12).astype(int)
    X = pd.DataFrame({
        "plan": rng.choice(["basic", "plus", "pro"], n),
        "calls": rng.normal(4 + 2 * y, 1.5),
        "minutes": rng.normal(200 - 40 * y, 40),
        "abroad": rng.random(n) < 0.2 + 0.4 * y,
    })  # fmt: skip
    return X, pd.Series(np.where(y == 1, "left", "stays"), name="churn")


def test_text_becomes_words_that_are_there_or_not():
    rng = np.random.default_rng(1)
    topics = [["ball", "goal", "team"], ["vote", "law", "party"]]
    y = rng.integers(0, 2, 120)
    texts = [" ".join(rng.choice([*topics[c], "the", "and"], 8)) for c in y]
    words = CountVectorizer(binary=True)
    dense = FunctionTransformer(lambda rows: rows.toarray())
    found = make_pipeline(words, dense, clone(NB)).fit(texts, y)
    assert found.score(texts, y) == 1.0
    assert found.predict(["a goal of the team", "party law"]).tolist() == [0, 1]
    shares = dict(zip(words.get_feature_names_out(), found[-1].feature_importances_, strict=True))
    assert max(shares["the"], shares["and"]) < min(shares["goal"], shares["law"])


@pytest.mark.parametrize("kind", [*in_full("numpy_nullable"), "pyarrow"])
def test_nullable_and_arrow_columns_are_columns_like_others(churn, kind):
    X, y = churn
    other = X.convert_dtypes(dtype_backend=kind)
    assert all(str(dtype) != str(X[name].dtype) for name, dtype in other.dtypes.items())
    expected = clone(FAN).fit(X, y)
    found = clone(FAN).fit(other, y)
    np.testing.assert_allclose(found.predict_proba(other), expected.predict_proba(X), atol=1e-9)
    holed = other.mask(np.random.default_rng(2).random(X.shape) < 0.2)
    plain = pd.DataFrame(
        {name: holed[name].astype(object).where(holed[name].notna(), None) for name in X}
    ).astype({"calls": float, "minutes": float})
    states = clone(FAN).set_params(missing="state")
    np.testing.assert_allclose(
        clone(states).fit(holed, y).predict_proba(holed),
        clone(states).fit(plain, y).predict_proba(plain),
        atol=1e-9,
    )


def test_a_column_transformer_cuts_some_numbers_itself(churn):
    X, y = churn
    cut = KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf")
    prepare = ColumnTransformer(
        [("bins", cut, ["minutes"])], remainder="passthrough", verbose_feature_names_out=False
    ).set_output(transform="pandas")
    found = make_pipeline(prepare, clone(FAN)).fit(X, y)
    by_hand = X.assign(minutes=np.asarray(clone(cut).fit_transform(X[["minutes"]]))[:, 0])[
        ["minutes", "plan", "calls", "abroad"]
    ]
    np.testing.assert_array_equal(
        found.predict_proba(X), clone(FAN).fit(by_hand, y).predict_proba(by_hand)
    )
    assert make_column_selector(dtype_include="number")(X) == ["calls", "minutes"]


@pytest.mark.slow  # a search of 18 fits
def test_rare_classes_by_weights_and_by_a_search_for_them(churn):
    X, y = churn
    plain = cross_val_predict(clone(FAN), X, y, cv=FOLDS)
    balanced = clone(FAN).set_params(class_weight="balanced")
    evened = cross_val_predict(balanced, X, y, cv=FOLDS)
    assert balanced_accuracy_score(y, evened) > balanced_accuracy_score(y, plain) + 0.1
    grid = {"class_weight": [None, "balanced", {"left": 3}], "penalty": [1.0, 10.0]}
    search = GridSearchCV(clone(FAN), grid, scoring="balanced_accuracy", cv=FOLDS).fit(X, y)
    assert search.best_params_["class_weight"] is not None
    assert search.best_score_ >= cross_val_score(
        clone(FAN), X, y, cv=FOLDS, scoring="balanced_accuracy"
    ).mean()  # fmt: skip


@pytest.mark.slow
def test_weights_go_to_folds_and_scores(churn):
    """The weighted log-loss of each fold is that of a loop that does it by hand."""
    X, y = churn
    weights = np.random.default_rng(3).uniform(0.5, 3.0, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        routed = clone(FAN).set_fit_request(sample_weight=True)
        scorer = make_scorer(
            log_loss,
            greater_is_better=False,
            response_method="predict_proba",
            labels=["left", "stays"],
        ).set_score_request(sample_weight=True)
        found = cross_validate(
            routed, X, y, cv=FOLDS, scoring=scorer, params={"sample_weight": weights}
        )["test_score"]
    expected = []
    for rest, held in FOLDS.split(X, y):
        model = clone(FAN).fit(X.iloc[rest], y.iloc[rest], weights[rest])
        shares = model.predict_proba(X.iloc[held])
        expected.append(-log_loss(y.iloc[held], shares, sample_weight=weights[held]))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_groups_stay_together(churn):
    X, y = churn
    groups = np.arange(len(y)) // 8
    scores = cross_val_score(clone(NB), X, y, groups=groups, cv=GroupKFold(4))
    assert len(scores) == 4
    assert np.isfinite(scores).all()


@pytest.mark.slow  # searches in every fold
def test_a_search_inside_folds_judges_the_search(churn):
    X, y = churn
    search = GridSearchCV(clone(NB), {"penalty": [0.3, 3.0]}, scoring="neg_log_loss", cv=FOLDS)
    outer = cross_val_score(search, X, y, scoring="neg_log_loss", cv=FOLDS)
    by_hand = []
    for rest, held in FOLDS.split(X, y):
        inner = clone(search).fit(X.iloc[rest], y.iloc[rest])
        by_hand.append(-log_loss(y.iloc[held], inner.predict_proba(X.iloc[held])))
    np.testing.assert_allclose(outer, by_hand, rtol=1e-12)


@pytest.mark.slow
def test_columns_are_chosen_by_importance(churn):
    X, y = churn
    noisy = X.assign(
        **{f"noise{k}": np.random.default_rng(k).integers(0, 3, len(y)) for k in range(4)}
    )
    kept = make_pipeline(SelectFromModel(clone(NB), max_features=3, threshold=-np.inf), clone(NB))
    assert "plan" not in set(
        kept.set_output(transform="pandas").fit(noisy, y)[0].get_feature_names_out()
    )
    numbers = noisy.drop(columns="plan").astype(float)
    ranked = RFE(clone(NB), n_features_to_select=3).fit(numbers, y)
    assert set(numbers.columns[ranked.support_]) == {"calls", "minutes", "abroad"}


def test_partial_dependence_of_a_label_is_the_mean_prediction(churn):
    X, y = churn
    fitted = clone(FAN).fit(X, y)
    found = partial_dependence(fitted, X, ["plan"], categorical_features=["plan"])
    for value, mean in zip(found["grid_values"][0], found["average"][0], strict=True):
        by_hand = fitted.predict_proba(X.assign(plan=value))[:, 1].mean()
        assert mean == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.slow
def test_one_against_the_rest():
    frame = bnlr.load_dataset("monks-1")
    X, y = frame.drop(columns="class"), np.random.default_rng(0).choice(list("abc"), len(frame))
    found = OneVsRestClassifier(clone(NB)).fit(X, y)
    single = np.column_stack([clone(NB).fit(X, y == c).predict_proba(X)[:, 1] for c in "abc"])
    np.testing.assert_allclose(
        found.predict_proba(X), single / single.sum(axis=1, keepdims=True), rtol=1e-12
    )


def test_a_service_answers_single_rows_from_a_file(churn, tmp_path):
    X, y = churn
    clone(FAN).fit(X, y).save(tmp_path / "model.json")
    service = bnlr.BNClassifier.load(tmp_path / "model.json")
    expected = service.predict_proba(X)
    for k in (0, 17, 399):
        asked = X.iloc[k].to_dict()
        np.testing.assert_array_equal(service.predict_proba(asked), expected[[k]])
        told = service.explain(asked).log_odds[1]
        assert told == pytest.approx(service.explain_many(asked)[0, :, 1].sum(), abs=1e-12)


@pytest.mark.slow
def test_threads_clone_fit_and_predict_side_by_side(churn):
    X, y = churn

    def once(penalty):
        model = clone(FAN).set_params(penalty=penalty).fit(X, y)
        return model.predict_proba(X)

    penalties = [0.3, 1.0, 3.0, 10.0] * 2
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(once, penalties))
    for penalty, shares in zip(penalties, found, strict=True):
        np.testing.assert_array_equal(shares, once(penalty))


@pytest.mark.parametrize("structure", ["fan", pytest.param("pool", marks=pytest.mark.slow)])
def test_tables_are_pickled_as_lists_and_come_back(churn, structure):
    X, y = churn
    fitted = bnlr.BNClassifier(structure, discretize="mdl").fit(X[:120], y[:120])
    state = fitted.__getstate__()
    assert not any(isinstance(value, pd.DataFrame) for value in state.values())
    again = bnlr.BNClassifier()
    again.__setstate__(state)
    if structure == "pool":
        pd.testing.assert_frame_equal(again.selection_, fitted.selection_)
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.slow
def test_skops_needs_to_trust_bnlr_alone(churn):
    skops = pytest.importorskip("skops.io")
    X, y = churn
    fitted = bnlr.BNClassifier(discretize="mdl").fit(X[:120], y[:120])
    written = skops.dumps(fitted)
    types = skops.get_untrusted_types(data=written)
    assert types
    assert all(name.startswith("bnlr.") for name in types)
    again = skops.loads(written, trusted=types)
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))

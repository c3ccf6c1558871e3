"""The estimators inside scikit-learn's tools, beside other libraries' tables, and in threads."""

import io
import pickle
import sys
import threading
import warnings
from html.parser import HTMLParser

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_validate,
    learning_curve,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.semi_supervised import SelfTrainingClassifier

import bnlr
from bnlr.data.frames.foreign import as_pandas
from bnlr.design.packed_rows import kernels
from tests.classifier.test_estimator import mixed_frame
from tests.width import in_full, width

# Towards zero: other centres are found on folds that names and labels decide.
NAIVE = bnlr.BNClassifier("naive-bayes", penalty=1.0, penalty_center="zero")
TAN = bnlr.BNClassifier("tan", penalty=1.0, penalty_center="zero")


@pytest.fixture(scope="module")
def mixed():
    return mixed_frame(150)


@pytest.fixture(scope="module")
def numbers(mixed):
    """The same columns as floats, for tools that take nothing else."""
    X, y = mixed
    codes = {name: X[name].astype("category").cat.codes for name in ("text", "flag", "size")}
    return X.assign(**codes).astype(float), y


# Composition


def test_intervals_inside_and_before_the_classifier_are_the_same(mixed):
    X, y = mixed
    before = ColumnTransformer(
        [("cut", bnlr.MDLDiscretizer(), ["length", "count"])],
        remainder="passthrough", verbose_feature_names_out=False,
    ).set_output(transform="pandas")  # fmt: skip
    pipeline = make_pipeline(before, clone(NAIVE)).fit(X, y)
    inside = clone(NAIVE).fit(X[pipeline[-1].feature_names_in_], y)
    np.testing.assert_allclose(
        pipeline.predict_proba(X), inside.predict_proba(X[inside.feature_names_in_]), rtol=1e-9
    )
    assert pipeline[-1].discretizer_ is None
    assert inside.discretizer_.get_feature_names_out().tolist() == ["length", "count"]


def test_a_column_transformer_without_set_output_gives_an_array(mixed):
    X, y = mixed
    text = make_column_selector(dtype_include=["str", "category"])
    parts = [("cut", bnlr.MDLDiscretizer(), ["length", "count"]), ("keep", "passthrough", text)]
    pipeline = make_pipeline(ColumnTransformer(parts), clone(NAIVE)).fit(X, y)
    assert pipeline[-1].network_.structure.attributes == ("x0", "x1", "x2", "x3")
    assert pipeline.score(X, y) > 0.8


@pytest.mark.slow
def test_a_grid_over_methods_their_options_and_structures(mixed):
    X, y = mixed
    few = bnlr.Structure.naive_bayes(["text", "size"], "kind")
    grid = [
        {"structure": ["kdb"], "structure_options": [{"k": 1}, {"k": 2}]},
        {"structure": [few, "naive-bayes"], "penalty": [0.5, 5.0]},
    ]
    folds = KFold(3)
    search = GridSearchCV(
        bnlr.BNClassifier(penalty=1.0), grid, scoring="neg_log_loss", cv=folds, error_score="raise"
    ).fit(X, y)
    assert len(search.cv_results_["params"]) == 6
    for place, parameters in enumerate(search.cv_results_["params"]):
        losses = []
        for train, test in folds.split(X):
            model = bnlr.BNClassifier(**{"penalty": 1.0, **parameters}).fit(
                X.iloc[train], y.iloc[train]
            )
            losses.append(log_loss(y.iloc[test], model.predict_proba(X.iloc[test])))
        assert -search.cv_results_["mean_test_score"][place] == pytest.approx(np.mean(losses))
    assert search.best_estimator_.network_.structure.class_name == "kind"


@pytest.mark.slow
def test_cross_validation_side_by_side_gives_the_same_numbers(mixed):
    X, y = mixed
    scoring = ["accuracy", "neg_log_loss", "roc_auc_ovr"]
    with joblib.parallel_config(backend="threading"):
        runs = [
            cross_validate(clone(TAN), X, y, cv=3, scoring=scoring, n_jobs=n, error_score="raise")
            for n in (1, 3)
        ]
    # NumPy's own sums depend in the last bit on where in memory an array begins.
    rtol = 0 if kernels().IS_COMPILED else 1e-12
    for name in scoring:
        one, three = (run[f"test_{name}"] for run in runs)
        np.testing.assert_allclose(one, three, rtol=rtol, atol=0)
    found = cross_val_predict(clone(TAN), X, y, cv=3, method="predict_proba")
    np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda c: CalibratedClassifierCV(c, cv=3),
        lambda c: CalibratedClassifierCV(c, cv=3, method="isotonic"),
        *in_full(
            lambda c: StackingClassifier([("a", c), ("b", clone(TAN))], LogisticRegression(), cv=3)
        ),
        lambda c: VotingClassifier([("a", c), ("b", clone(TAN))], voting="soft"),
        lambda c: VotingClassifier([("a", c), ("b", clone(TAN))]),
        OneVsRestClassifier,
        lambda c: BaggingClassifier(c, n_estimators=3, random_state=0),
    ],
)  # fmt: skip
def test_meta_estimators_take_frames_of_text_and_numbers(mixed, make):
    X, y = mixed
    model = make(clone(NAIVE)).fit(X, y)
    assert model.score(X, y) > 0.9
    assert list(model.classes_) == ["x", "y", "z"]


@pytest.mark.parametrize(
    "make",
    [
        OneVsOneClassifier,
        lambda c: BaggingClassifier(c, n_estimators=3, max_features=0.5, random_state=0),
    ],
)
def test_meta_estimators_that_take_numbers_only(numbers, make):
    X, y = numbers
    assert make(clone(NAIVE)).fit(X, y).score(X, y) > 0.8


@pytest.mark.parametrize(
    "options",
    [*in_full({"penalty": 1 / 150, "penalty_center": "zero"}), {"learner": "frequencies"}],
)
def test_boosting_of_rows_whose_weights_sum_to_one(numbers, options):
    X, y = numbers
    intervals = bnlr.MDLDiscretizer().fit_transform(X.to_numpy(), y).astype(int)
    base = bnlr.BNClassifier("naive-bayes", pseudocount=1 / 150, **options)
    alone = clone(base).fit(intervals, y, sample_weight=np.full(150, 1 / 150))
    boosted = AdaBoostClassifier(base, n_estimators=5, random_state=0).fit(intervals, y)
    np.testing.assert_allclose(
        boosted[0].predict_proba(intervals), alone.predict_proba(intervals), rtol=1e-9
    )
    assert boosted.score(intervals, y) > 0.9


@pytest.mark.slow
def test_soft_votes_are_the_mean_of_the_probabilities(mixed):
    X, y = mixed
    vote = VotingClassifier([("a", clone(NAIVE)), ("b", clone(TAN))], voting="soft").fit(X, y)
    mean = (clone(NAIVE).fit(X, y).predict_proba(X) + clone(TAN).fit(X, y).predict_proba(X)) / 2
    np.testing.assert_allclose(vote.predict_proba(X), mean)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* not seen in fit:bnlr.errors.UnseenStateWarning")
def test_other_tools(mixed, numbers):
    X, y = mixed
    fitted = clone(NAIVE).fit(X, y)
    frozen = CalibratedClassifierCV(FrozenEstimator(fitted)).fit(X, y)
    assert frozen.score(X, y) > 0.9
    _, train, test = learning_curve(clone(NAIVE), X, y, cv=3, error_score="raise")
    assert np.isfinite(train).all()
    assert np.isfinite(test).all()
    useful = permutation_importance(
        fitted, X.assign(text="red"), y, scoring="neg_log_loss", n_repeats=2, random_state=0
    )
    assert useful.importances_mean[0] == 0  # a constant column
    assert (useful.importances_mean[1:] > 0).all()
    averages = partial_dependence(fitted, X, ["length"], kind="average")["average"]
    assert averages.shape[0] == 3
    two = TunedThresholdClassifierCV(clone(NAIVE), cv=3).fit(X, y == "x")
    assert two.score(X, y == "x") > 0.9
    targets = np.column_stack([y == "x", y == "y"]).astype(int)
    assert ClassifierChain(clone(NAIVE)).fit(numbers[0], targets).predict(numbers[0]).shape == (
        150,
        2,
    )
    some = np.where(np.arange(150) % 3 == 0, -1, y.map({"x": 0, "y": 1, "z": 2}))
    learnt = SelfTrainingClassifier(clone(NAIVE)).fit(numbers[0].to_numpy(), some)
    assert (learnt.predict(numbers[0].to_numpy()) == y.map({"x": 0, "y": 1, "z": 2})).mean() > 0.9


@pytest.mark.parametrize(
    "options", [*in_full({}), {"structure": "fan", "penalty": 3.0}, {"structure": "kdb"}]
)
def test_joblib_and_pickle_keep_every_bit(mixed, options):
    X, y = mixed
    fitted = bnlr.BNClassifier(**options).fit(X, y)
    file = io.BytesIO()
    joblib.dump(fitted, file)
    file.seek(0)
    for again in (joblib.load(file), pickle.loads(pickle.dumps(fitted))):  # noqa: S301
        np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
        assert again.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        clone(fitted).predict(X)


# Weights and their routing


@pytest.mark.parametrize(
    "options",
    [
        {}, {"structure": "naive-bayes"}, {"structure": "fan", "penalty": 1.0},
        {"structure": "tan", "discretize": "quantile-4", "penalty": 1.0},
        {"structure": "kdb", "structure_options": {"k": 2}, "penalty": 1.0},
        {"structure": "hgc", "penalty": 1.0},
        {"structure": "tan", "learner": "elr", "penalty": 1.0},
        {"structure": "naive-bayes", "learner": "frequencies"},
        {"structure": "tan", "learner": "em"},
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("n_rows", "share"),
    [(150, 0.0), pytest.param(800, 0.1, marks=pytest.mark.slow)],  # eighteen fits of many rows
)
def test_weights_are_repeated_rows(options, n_rows, share):
    X, y = mixed_frame(n_rows)
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, n_rows)
    X = X.mask(rng.random(X.shape) < share, None)
    rows = np.repeat(np.arange(n_rows), weights)
    if share and options.get("structure") == "hgc":
        options = options | {"missing": "state"}
    weighted = bnlr.BNClassifier(**options).fit(X, y, sample_weight=weights)
    repeated = bnlr.BNClassifier(**options).fit(X.iloc[rows], y.iloc[rows])
    assert weighted.network_.structure == repeated.network_.structure
    assert dict(weighted.network_.states) == dict(repeated.network_.states)
    assert weighted.n_iter_ == repeated.n_iter_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        np.testing.assert_allclose(
            weighted.predict_log_proba(X), repeated.predict_log_proba(X), rtol=1e-5, atol=1e-5
        )


@pytest.fixture
def routed():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.slow
def test_weights_are_routed_through_pipelines_and_searches(mixed, routed):
    X, y = mixed
    X = X[["length", "count"]]
    weights = np.arange(len(y)) % 3.0
    steps = [
        ("cut", bnlr.MDLDiscretizer().set_fit_request(sample_weight=True)),
        (
            "classify",
            clone(NAIVE).set_fit_request(sample_weight=True).set_score_request(sample_weight=True),
        ),
    ]
    pipeline = Pipeline(steps).fit(X, y, sample_weight=weights)
    alone = clone(NAIVE).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(pipeline.predict_proba(X), alone.predict_proba(X))
    assert not np.array_equal(pipeline.predict_proba(X), clone(NAIVE).fit(X, y).predict_proba(X))
    grid = {"classify__penalty": [1.0]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(
        X, y, sample_weight=weights
    )
    np.testing.assert_array_equal(search.predict_proba(X), alone.predict_proba(X))
    scores = cross_validate(
        pipeline, X, y, cv=3, params={"sample_weight": weights}, error_score="raise"
    )
    assert np.isfinite(scores["test_score"]).all()
    unasked = Pipeline([("cut", bnlr.MDLDiscretizer()), ("classify", clone(NAIVE))])
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        unasked.fit(X, y, sample_weight=weights)


# What notebooks show


class Links(HTMLParser):
    """Every address a page names."""

    def __init__(self, page):
        super().__init__()
        self.found, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, _, attrs):
        self.found += [value for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("estimator", [*in_full(bnlr.BNClassifier()), bnlr.MDLDiscretizer()])
def test_html_shows_state_and_links_to_no_page_that_is_not_there(mixed, estimator):
    before = Links(estimator._repr_html_())
    after = Links(clone(estimator).fit(*mixed)._repr_html_())
    assert before.found == after.found == []
    assert type(estimator).__name__ in before.text
    assert "Not fitted" in before.text
    assert "Not fitted" not in after.text


def test_html_escapes_names():
    hostile = bnlr.Structure.naive_bayes(["a"], "<script>alert(1)</script>")
    assert "<script>alert" not in bnlr.BNClassifier(hostile)._repr_html_()


def test_repr_names_what_is_not_the_default_and_stays_short():
    assert repr(bnlr.BNClassifier()) == "BNClassifier()"
    assert repr(bnlr.MDLDiscretizer()) == "MDLDiscretizer()"
    wide = bnlr.Structure.naive_bayes([f"x{k}" for k in range(500)], "class")
    assert repr(bnlr.BNClassifier(wide, penalty=2.0)) == (
        "BNClassifier(penalty=2.0,\n"
        "             structure=<Structure: 501 nodes, 500 arcs, class 'class'>)"
    )


# Tables of other libraries


def test_arrow_tables_are_frames(mixed):
    arrow = pytest.importorskip("pyarrow")
    X, y = mixed
    table = arrow.Table.from_pandas(X)
    expected = clone(NAIVE).fit(X, y)
    found = clone(NAIVE).fit(table, arrow.array(y))
    np.testing.assert_allclose(found.predict_proba(table), expected.predict_proba(X), rtol=1e-9)
    assert list(found.feature_names_in_) == list(X.columns)
    intervals = bnlr.MDLDiscretizer().fit(table, y).transform(table)
    pd.testing.assert_frame_equal(
        intervals[["length"]], bnlr.MDLDiscretizer().fit(X, y).transform(X)[["length"]]
    )


@pytest.mark.slow
def test_polars_frames_in_and_out(mixed):
    polars = pytest.importorskip("polars")
    X, y = mixed
    table = polars.from_pandas(X)
    found = clone(NAIVE).fit(table, polars.Series("kind", list(y)))
    np.testing.assert_allclose(
        found.predict_proba(table), clone(NAIVE).fit(X, y).predict_proba(X), rtol=1e-8
    )
    discretizer = bnlr.MDLDiscretizer().set_output(transform="polars").fit(table, y)
    out = discretizer.transform(table)
    assert isinstance(out, polars.DataFrame)
    assert list(out["length"]) == list(bnlr.MDLDiscretizer().fit(X, y).transform(X)["length"])
    again = clone(NAIVE).fit(out, y)
    np.testing.assert_array_equal(again.predict(out), found.predict(table))


class Broken:
    """A table that cannot become pandas' own, as polars without pyarrow."""

    def __len__(self):
        return 12

    def to_pandas(self):
        raise ModuleNotFoundError("No module named 'pyarrow'")


class Interchange:
    """A table that only speaks the interchange protocol."""

    def __dataframe__(self, **_):
        raise NotImplementedError


@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
@pytest.mark.parametrize("table", [Broken(), Interchange()])
def test_tables_that_cannot_be_read_are_one_typed_error(mixed, table):
    fitted = clone(NAIVE).fit(*mixed)
    cut = bnlr.MDLDiscretizer().fit(*mixed)
    for call in (
        lambda: clone(NAIVE).fit(table, [0, 1] * 6), lambda: fitted.predict(table),
        lambda: fitted.explain(table), lambda: cut.transform(table),
        lambda: bnlr.MDLDiscretizer().fit(table, [0, 1] * 6),
    ):  # fmt: skip
        with pytest.raises(bnlr.DataError):
            call()


# Columns and labels


def test_columns_go_by_name_and_keep_their_order(mixed):
    X, y = mixed
    fitted = clone(NAIVE).fit(X, y)
    assert fitted.n_features_in_ == 6
    assert list(fitted.feature_names_in_) == list(X.columns)
    for other, words in (
        (X[X.columns[::-1]], "order"), (X.drop(columns="flag"), "flag"),
        (X.assign(more=1), "more"), (X.rename(columns={"flag": "flags"}), "flags"),
    ):  # fmt: skip
        with pytest.raises(bnlr.DataError, match=words):
            fitted.predict(other)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fitted.predict(X.to_numpy(dtype=object))


def test_set_output_leaves_the_classifier_alone(mixed):
    X, y = mixed
    assert not hasattr(bnlr.BNClassifier(), "set_output")
    with sklearn.config_context(transform_output="pandas"):
        fitted = clone(NAIVE).fit(X, y)
        assert isinstance(fitted.predict_proba(X), np.ndarray)
        assert isinstance(fitted.predict(X), np.ndarray)


# Threads


def in_threads(work, n):
    failures = []

    def run(k):
        try:
            work(k)
        except BaseException as error:  # told in the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@pytest.mark.slow
@pytest.mark.wide  # races are rare: many predictions are slow
def test_eight_threads_predict_at_once(mixed):
    X, y = mixed
    X = X[["text", "size", "length"]]
    holes = X.mask(np.random.default_rng(0).random(X.shape) < 0.3, None)
    fitted = clone(TAN).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        other = pickle.loads(pickle.dumps(fitted))  # noqa: S301
        tables = [X, holes]
        expected = [other.predict_proba(table) for table in tables]

        def predict(k):
            for i in range(width(200, 20)):
                which = (i + k) % 2
                np.testing.assert_array_equal(fitted.predict_proba(tables[which]), expected[which])

        in_threads(predict, 8)


@pytest.mark.slow
def test_fits_side_by_side_give_the_same_bits(mixed):
    X, y = mixed
    expected = bnlr.BNClassifier().fit(X, y).predict_proba(X)
    found = {}
    in_threads(lambda k: found.update({k: bnlr.BNClassifier().fit(X, y).predict_proba(X)}), 4)
    assert len(found) == 4
    for probabilities in found.values():
        np.testing.assert_array_equal(probabilities, expected)


@pytest.mark.parametrize("has_holes", [False, True])
def test_polars_needs_no_pyarrow(has_holes, monkeypatch):
    polars = pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = pd.DataFrame({
        "text": rng.choice(["p", "q"], 60), "count": rng.integers(0, 30, 60) + 10 * y,
        "size": rng.normal(y), "flag": rng.random(60) < 0.5,
        "grade": pd.Categorical(rng.choice(["low", "high"], 60), ["low", "mid", "high"]),
    })  # fmt: skip
    table = polars.DataFrame(
        {name: X[name].to_list() for name in ("text", "count", "size", "flag")}
    )
    grades = polars.Series("grade", X["grade"].to_list(), polars.Enum(["low", "mid", "high"]))
    table = table.with_columns(grades)
    if has_holes:
        X = X.astype({"count": "Int64", "flag": "boolean"})
        X.iloc[3] = pd.NA
        row = polars.int_range(0, 60)
        table = table.with_columns(polars.when(row != 3).then(polars.all()))
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "pyarrow", None)
        assert as_pandas(table).shape == X.shape
    fan = bnlr.BNClassifier("fan", penalty=1.0, missing="state")
    found = clone(fan).fit(table, polars.Series("y", y))
    expected = clone(fan).fit(X, pd.Series(y, name="y"))
    np.testing.assert_array_equal(found.predict_proba(table), expected.predict_proba(X))
    assert found.network_.states == expected.network_.states
    assert found.network_.states["grade"][:3] == ("low", "mid", "high")


def test_tables_of_arrow_keep_whole_numbers_and_order_with_and_without_it(monkeypatch):
    """Beside nulls pyarrow makes floats of whole numbers, of which 2**53 + 1 is none."""
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    wide = [2**53, 2**53 + 1, None, 2**53 + 1, -(2**62) - 1, 2**53]
    grades = ["low", "high", "low", None, "high", "low"]
    y = [0, 1, 0, 1, 0, 1]
    table = polars.DataFrame({
        "wide": polars.Series(wide, dtype=polars.Int64),
        "grade": polars.Series(grades, dtype=polars.Enum(["low", "mid", "high"])), "y": y,
    })  # fmt: skip
    found = [as_pandas(table), as_pandas(pyarrow.table({"wide": wide, "y": y}))]
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "pyarrow", None)
        found.append(as_pandas(table))
        huge = as_pandas(polars.DataFrame({"wide": polars.Series([2**70, 1], dtype=polars.Int128)}))
    assert huge["wide"].tolist() == [2**70, 1]
    unsigned = as_pandas(polars.DataFrame({"u": polars.Series([2**63, None], dtype=polars.UInt64)}))
    assert unsigned["u"].dtype == "UInt64"
    for frame in found:
        assert frame["wide"].dtype == "Int64"
        cuts = bnlr.MDLDiscretizer().fit(frame[["wide"]], y).cut_points_
        assert cuts[0] is not None
        data = bnlr.Dataset.from_frame(frame, "y")
        assert data.states["wide"] == (-(2**62) - 1, 2**53, 2**53 + 1)
        assert data.column("wide").tolist() == [1, 2, -1, 2, 0, 1]
        if "grade" in frame:
            assert data.states["grade"] == ("low", "mid", "high")
            assert data.ordered["grade"] == 3

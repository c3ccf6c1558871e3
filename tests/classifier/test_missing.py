"""BNClassifier where cells are missing or labels new: at fit, in prediction, in pipelines."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import bnlr
from bnlr import BNClassifier
from tests.classifier.test_estimator import BAD_TABLES, mixed_frame
from tests.oracles import Model, joint
from tests.width import in_full

quiet = pytest.mark.filterwarnings("ignore::bnlr.UnexpectedMissingWarning")
UNEXPECTED = bnlr.UnexpectedMissingWarning
HOLE = {"text": None, "flag": pd.NA, "grade": np.nan, "size": None, "length": np.nan, "count": None}


def holed_frame(n_rows=150, seed=0, share=0.25):
    """The frame of one column of each type, holes in all of them, as pandas would hold them."""
    X, y = mixed_frame(n_rows, seed)
    return holed(X, seed, share), y


def holed(X, seed, share=0.25):
    masks = np.random.default_rng(seed + 100).random(X.shape) < share
    whole = X.astype({"flag": object, "size": "category"})
    return pd.DataFrame({name: whole[name].mask(masks[:, k]) for k, name in enumerate(X)})


def enumerated(classifier, X):
    """P(class | row) by enumeration of the joint distribution of the fitted network."""
    network = classifier.network_
    data = network.encode(
        X.assign(**dict(classifier.discretizer_.transform(X[["length", "count"]]).items()))
        if classifier.discretizer_ is not None
        else X
    )
    return joint.posteriors(Model.of(network.structure, network.states), network.cpts, data.codes)


def counted(recwarn_list, kind):
    return [w for w in recwarn_list if issubclass(w.category, kind)]


# Prediction


@quiet
@pytest.mark.parametrize("method", ["naive-bayes", *in_full("tan")])
@pytest.mark.parametrize("learner", ["auto", "frequencies"])
def test_holes_in_prediction_are_summed_out(method, learner):
    classifier = BNClassifier(method, learner=learner).fit(*mixed_frame())
    rows, _ = holed_frame(40, 3, 0.5)
    expected = enumerated(classifier, rows)
    np.testing.assert_allclose(classifier.predict_proba(rows), expected, rtol=1e-9)
    np.testing.assert_allclose(np.exp(classifier.predict_log_proba(rows)), expected, rtol=1e-9)
    best = classifier.classes_[expected.argmax(axis=1)]
    np.testing.assert_array_equal(classifier.predict(rows), best)
    y = np.resize(["x", "y", "z"], 40)
    assert classifier.score(rows, y) == np.mean(best == y)


@quiet
@pytest.mark.parametrize("holed_fit", [False, *in_full(True)])
def test_all_missing_rows_predict_the_prior(holed_fit):
    X, y = holed_frame() if holed_fit else mixed_frame()
    classifier = BNClassifier("tan").fit(X, y)
    nothing = pd.DataFrame([HOLE] * 3)[list(X.columns)]
    prior = classifier.network_.query([classifier.network_.structure.class_name])
    np.testing.assert_allclose(classifier.predict_proba(nothing), [prior] * 3, rtol=1e-12)


@pytest.mark.slow
@quiet
def test_every_way_of_missing_is_the_same():
    X, y = mixed_frame()
    classifier = BNClassifier("tan").fit(X, y)
    for name in ("text", "flag", "grade", "length", "count"):
        ways = [
            X.assign(**{name: pd.Series([way] * len(X), dtype=object)})
            for way in (None, np.nan, pd.NA)
        ]
        found = [classifier.predict_proba(rows) for rows in ways]
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_array_equal(found[0], found[2])


@quiet
def test_arrays_and_lists_may_have_holes():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 80)
    X = np.column_stack([y + rng.normal(0, 0.4, 80), rng.integers(0, 3, 80) + 0.5 * y])
    classifier = BNClassifier("naive-bayes").fit(X, y)
    holes = np.where(rng.random(X.shape) < 0.3, np.nan, X)
    found = classifier.predict_proba(holes)
    np.testing.assert_array_equal(found, classifier.predict_proba(holes.tolist()))
    as_none = [[None if np.isnan(cell) else cell for cell in row] for row in holes]
    np.testing.assert_array_equal(found, classifier.predict_proba(as_none))


@pytest.mark.slow
def test_an_empty_text_is_a_label():
    X = pd.DataFrame({"a": ["", "p"] * 6})
    classifier = BNClassifier().fit(X, [0, 1] * 6)
    assert classifier.network_.states["a"] == ("", "p")
    assert list(classifier.predict(pd.DataFrame({"a": ["", "p"]}))) == [0, 1]


# What is said of it


@pytest.mark.slow
def test_complete_training_says_so_once_an_estimator():
    X, y = mixed_frame()
    rows = holed(X, 5)
    classifier = BNClassifier("naive-bayes").fit(X, y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        classifier.predict(X)
        assert not caught
        for call in (classifier.predict, classifier.predict_proba, classifier.predict_log_proba):
            call(rows)
    assert len(caught) == 1
    assert issubclass(caught[0].category, UNEXPECTED)
    assert "expect_missing" in str(caught[0].message)
    assert caught[0].filename == __file__
    with pytest.warns(UNEXPECTED):
        classifier.fit(X, y).predict(rows)


@pytest.mark.parametrize(
    "options", [{"learner": "frequencies"}, {"learner": "em"}, {"learner": "apn", "max_iter": 5}]
)
@pytest.mark.filterwarnings("ignore:Stopped at:sklearn.exceptions.ConvergenceWarning")
def test_generative_parameters_expect_holes(options):
    X, y = mixed_frame()
    classifier = BNClassifier("naive-bayes", **options).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier.predict(holed(X, 5))


@pytest.mark.slow
def test_training_with_holes_expects_them():
    X, y = holed_frame()
    classifier = BNClassifier("naive-bayes").fit(X, y)
    assert "trained on   rows with missing cells" in classifier.summary()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier.predict(X)


# Unseen labels


def unseen_rows():
    X = pd.DataFrame({"a": ["p", "q"] * 6, "b": ["u", "v", "v", "u"] * 3, "n": [1, 2] * 6})
    rows = pd.DataFrame({"a": ["new", "p", "q"], "b": ["u", "odd", "odd"], "n": [1, 7, 2]})
    return BNClassifier("naive-bayes").fit(X, [0, 1] * 6), rows


def test_unseen_labels_are_missing_with_one_warning():
    classifier, rows = unseen_rows()
    holes = pd.DataFrame({"a": [None, "p", "q"], "b": ["u", None, None], "n": [1, None, 2]})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = classifier.predict_proba(rows)
    with pytest.warns(UNEXPECTED):
        np.testing.assert_array_equal(found, classifier.predict_proba(holes))
    assert [w.category for w in caught] == [bnlr.UnseenStateWarning]
    message = str(caught[0].message)
    for clause in (
        "column 'a' has 'new' in 1 cell",
        "column 'b' has 'odd' in 2 cells",
        "'n' has 7",
    ):
        assert clause in message
    assert caught[0].filename == __file__


def test_unseen_labels_are_refused_if_asked():
    classifier, rows = unseen_rows()
    classifier.set_params(unseen="error")
    with pytest.raises(bnlr.StateError, match=r"'a' has 'new' in 1 cell; column 'b'.*not seen"):
        classifier.predict(rows)
    with pytest.raises(bnlr.ParameterError, match="unseen is 'drop'; choose one of missing"):
        classifier.set_params(unseen="drop").predict(rows)


def test_unseen_labels_in_all_cells_predict_the_prior():
    classifier, _ = unseen_rows()
    rows = pd.DataFrame({"a": ["x"], "b": ["y"], "n": ["1"]})
    with pytest.warns(bnlr.UnseenStateWarning, match="a text, but its states are such as 1"):
        found = classifier.predict_proba(rows)
    np.testing.assert_allclose(found, [classifier.network_.cpts["class"]], rtol=1e-12)


# Fit


@pytest.mark.parametrize("method", ["naive-bayes", "tan"])
@pytest.mark.parametrize(
    "options",
    [
        *in_full({"learner": "elr", "penalty": 1.0, "penalty_center": "zero"}),
        {"learner": "frequencies"},
        *in_full({"learner": "em"}),
    ],
)
def test_is_fit_on_rows_with_holes_behind_other_names(method, options):
    X, y = holed_frame()
    classifier = BNClassifier(method, **options).fit(X, y)
    labelled = X.assign(
        **dict(classifier.discretizer_.transform(X[["length", "count"]]).items()), kind=y
    )
    data = bnlr.Dataset.from_frame(labelled, "kind")
    assert data.n_missing > 100
    options = {"penalty": 0.0 if "learner" in options else 1.0} | options
    result = bnlr.fit(bnlr.learn_structure(data, method), data, **options)
    assert classifier.result_.cll == pytest.approx(result.cll, rel=1e-9)
    assert classifier.network_.structure.edges == result.network.structure.edges
    rows, _ = holed_frame(40, 7, 0.4)
    found = classifier.predict_proba(rows)
    np.testing.assert_allclose(found, enumerated(classifier, rows), rtol=1e-9)


@pytest.mark.slow
def test_auto_stops_early_on_holes_and_shrinks_to_the_scaled_frequencies():
    X, y = holed_frame()
    scaled = {"penalty_center": "scaled"}
    auto = BNClassifier("naive-bayes", **scaled).fit(X, y)
    seen = BNClassifier("naive-bayes", learner="elr", expect_missing="as seen", **scaled).fit(X, y)
    assert auto.result_.learner == "elr"
    np.testing.assert_array_equal(auto.predict_proba(X), seen.predict_proba(X))
    labelled = X.assign(**dict(auto.discretizer_.transform(X[["length", "count"]]).items()), kind=y)
    data = bnlr.Dataset.from_frame(labelled, "kind")
    few = int(np.ceil(np.sqrt(len(X) / 10)))
    options = {"penalty": auto.result_.penalty, "max_iter": max(few, 5), "solver": "l-bfgs"}
    result = bnlr.fit(bnlr.learn_structure(data, "naive-bayes"), data, **options, **scaled)
    assert auto.result_.cll == pytest.approx(result.cll, rel=1e-12)
    told = f"penalty      {result.penalty:g} towards {result.center_scale:.3g} times the"
    assert told in auto.summary()


def test_intervals_are_those_of_the_observed_cells():
    X, y = holed_frame(300, share=0.4)
    classifier = BNClassifier("naive-bayes", learner="frequencies").fit(X, y)
    cuts = classifier._fitted.cut_points
    assert set(cuts) == {"length", "count"}
    for name, found in cuts.items():
        seen = X[name].notna()
        alone = bnlr.MDLDiscretizer().fit(X.loc[seen, [name]].astype(float), y[seen])
        np.testing.assert_array_equal(found, alone.cut_points_[0])
        assert len(found) > 0


def test_types_survive_holes():
    X, y = holed_frame()
    states = BNClassifier("naive-bayes", learner="frequencies").fit(X, y).network_.states
    assert states["grade"] == (0, 2, 4)
    assert states["flag"] == (False, True)
    assert set(states["size"]) == {"small", "large", "huge", "unused"}
    objects = X.astype({"grade": "Int64"}).astype({"grade": object, "length": object})
    objects["length"] = objects["length"].where(X["length"].notna(), pd.NA)
    again = BNClassifier("naive-bayes", learner="frequencies").fit(objects, y)
    assert dict(again.network_.states) == dict(states)


@pytest.mark.parametrize("hole", [None, *in_full(np.nan)])
def test_columns_without_a_value_are_left_out_with_one_warning(hole):
    X, y = mixed_frame()
    spoilt = X.assign(void=hole, text=pd.Series([hole] * len(X), dtype=object))
    with pytest.warns(bnlr.BnlrWarning, match="columns 'text', 'void': every cell is miss") as told:
        classifier = BNClassifier("naive-bayes").fit(spoilt, y)
    assert len(told) == 1
    assert set(classifier.network_.structure.attributes) == set(X.columns) - {"text"}
    expected = BNClassifier("naive-bayes").fit(X.drop(columns="text"), y)
    np.testing.assert_array_equal(
        classifier.predict_proba(spoilt), expected.predict_proba(X.drop(columns="text"))
    )


def test_nothing_but_holes_leaves_the_prior():
    X = pd.DataFrame({"a": [None] * 9, "b": np.nan})
    with pytest.warns(bnlr.BnlrWarning, match="left out"):
        classifier = BNClassifier(learner="frequencies").fit(X, [0, 1, 1] * 3)
    np.testing.assert_allclose(classifier.predict_proba(X), [[4 / 11, 7 / 11]] * 9)


@pytest.mark.slow
@given(st.integers(0, 1000), st.sampled_from(["frequencies", "elr"]))
def test_weights_are_repeated_rows_with_holes_too(seed, learner):
    X, y = holed_frame(50, seed)
    weights = np.random.default_rng(seed).integers(0, 4, 50)
    weights[[y.eq(label).argmax() for label in "xyz"]] = 1
    options = {"learner": learner, "structure": "naive-bayes"}
    weighted = BNClassifier(**options).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(50), weights)
    repeated = BNClassifier(**options).fit(X.iloc[rows], y.iloc[rows])
    assert dict(weighted.network_.states) == dict(repeated.network_.states)
    kept = X.iloc[rows]
    np.testing.assert_allclose(
        weighted.predict_proba(kept), repeated.predict_proba(kept), rtol=1e-3, atol=1e-4
    )


# scikit-learn's tools


@pytest.mark.slow
def test_pipelines_and_searches_with_holes():
    X, y = holed_frame(120)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    pipeline = make_pipeline(FunctionTransformer(), BNClassifier("naive-bayes"))
    losses = cross_val_score(pipeline, X, y, cv=folds, scoring="neg_log_loss", error_score="raise")
    assert np.isfinite(losses).all()
    grid = {"learner": ["frequencies", "auto"], "unseen": ["missing", "error"]}
    search = GridSearchCV(BNClassifier("tan"), grid, cv=folds, error_score="raise").fit(X, y)
    assert set(search.best_params_) == {"learner", "unseen"}


@pytest.mark.slow
def test_clone_pickle_and_file_keep_what_was_trained(tmp_path):
    X, y = holed_frame()
    rows = holed(X, 9)
    options = {"expect_missing": {"text": 0.25, "length": 0.1}, "unseen": "error"}
    classifier = BNClassifier("naive-bayes", learner="elr", random_state=3, **options)
    assert clone(classifier).get_params() == classifier.get_params()
    classifier.fit(X, y)
    classifier.save(tmp_path / "m.json")
    for again in (
        pickle.loads(pickle.dumps(classifier)),  # noqa: S301  written by this line
        BNClassifier.load(tmp_path / "m.json"),
    ):
        assert again.get_params() == classifier.get_params()
        np.testing.assert_array_equal(again.predict_proba(rows), classifier.predict_proba(rows))
        assert again.summary() == classifier.summary()


@pytest.mark.slow
def test_a_file_remembers_that_rows_were_complete(tmp_path):
    X, y = mixed_frame()
    classifier = BNClassifier("naive-bayes").fit(X, y)
    with pytest.warns(UNEXPECTED):
        classifier.predict(holed(X, 1))
    classifier.save(tmp_path / "m.json")
    with pytest.warns(UNEXPECTED):
        BNClassifier.load(tmp_path / "m.json").predict(holed(X, 1))


def test_other_columns_than_in_fit_are_refused_with_holes_too():
    X, y = holed_frame()
    classifier = BNClassifier("naive-bayes", learner="frequencies").fit(X, y)
    for other, message in [
        (X[X.columns[::-1]], "same order"),
        (X.drop(columns="text"), "now missing"),
        (X.assign(more=None), "unseen at fit time"),
    ]:
        with pytest.raises(bnlr.DataError, match=message):
            classifier.predict(other)
    with pytest.raises(bnlr.DataError, match="'length' was numeric in fit"):
        classifier.predict(X.assign(length=["long", None] * 75))


# Bad input with holes


def with_hole(table):
    """The table with its first cell missing, if it has cells."""
    if isinstance(table, pd.DataFrame) and len(table):
        return pd.DataFrame(
            {name: [None, *table[name].astype(object).tolist()[1:]] for name in table}
        )
    if isinstance(table, np.ndarray) and table.ndim == 2 and table.size:
        spoilt = table.astype(complex if table.dtype.kind == "c" else float)
        spoilt[0] = np.nan
        return spoilt
    return None


BAD_HOLED = {name: with_hole(table) for name, table in BAD_TABLES.items()}
BAD_HOLED = {name: table for name, table in BAD_HOLED.items() if table is not None}
BAD_HOLED["continuous, undiscretized"] = pd.DataFrame({"a": [None, *(np.arange(41) / 7)]})


@pytest.mark.slow  # as its twin without holes
@pytest.mark.parametrize("table", BAD_HOLED.values(), ids=BAD_HOLED)
def test_bad_tables_with_holes_get_one_error_and_change_nothing(table):
    X = pd.DataFrame({"a": ["p", "q"] * 6})
    classifier = BNClassifier(discretize=None).fit(X, [0, 1] * 6)
    before = dict(vars(classifier))
    with pytest.raises(bnlr.BnlrError) as caught:
        classifier.fit(table, np.arange(len(table)) % 2)
    assert isinstance(caught.value, (ValueError, TypeError))
    assert vars(classifier) == before


def test_a_failed_fit_with_holes_leaves_the_object_as_it_was():
    X, y = holed_frame()
    classifier = BNClassifier("naive-bayes").fit(X, y)
    before = dict(vars(classifier))
    with pytest.raises(bnlr.BnlrError):
        classifier.fit(X.assign(length=np.inf), y)
    assert vars(classifier) == before


@pytest.mark.slow
def test_a_column_is_told_of_once_a_fit():
    classifier, rows = unseen_rows()
    other = rows.assign(n=[1, 8, 2], a=["p", "p", "odd"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first = rows.assign(n=1)
        classifier.predict(first)
        for ask in (classifier.predict, classifier.predict_proba, classifier.explain_many):
            ask(first)
            ask(other)
        classifier.fit(pd.DataFrame({"a": ["p", "q"] * 6, "b": "u", "n": 1}), [0, 1] * 6)
        classifier.predict(rows.assign(b="u", n=1))
    told = [str(one.message) for one in caught if one.category is bnlr.UnseenStateWarning]
    assert [text[:12] for text in told] == ["column 'a' h", "column 'n' h", "column 'a' h"]
    assert "'b' has 'odd'" in told[0]
    again = pickle.loads(pickle.dumps(classifier))  # noqa: S301  written by this line
    again.predict(rows.assign(b="u", n=1))  # has been told of
    with pytest.raises(bnlr.StateError, match="'a' has 'new'"):
        classifier.set_params(unseen="error").predict(rows)


@pytest.mark.slow
def test_folds_tell_of_a_column_once():
    X = pd.DataFrame({"a": [*map(str, range(9)), *"pq" * 20], "b": ["u", "v"] * 24 + ["w"]})
    y = [0, 1] * 24 + [0]
    classifier, grid = BNClassifier("nb", penalty=1.0), {"penalty": [1.0, 3.0]}
    for ask in (
        lambda: cross_val_score(classifier, X, y, cv=KFold(7), scoring="neg_log_loss"),
        lambda: cross_val_score(make_pipeline(classifier), X, y, cv=KFold(7)),
        lambda: GridSearchCV(classifier, grid, cv=KFold(7)).fit(X, y),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = ask()
        told = [str(one.message) for one in caught if one.category is bnlr.UnseenStateWarning]
        assert sorted(text.partition(" has")[0] for text in told) == ["column 'a'", "column 'b'"]
        assert all(one.filename == __file__ for one in caught)
    # What the search has found tells of new labels, once.
    with pytest.warns(bnlr.UnseenStateWarning, match="'a' has 'new' in 1 cell"):
        found.predict(X[:1].assign(a="new"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", bnlr.UnseenStateWarning)
        found.predict(X[:1].assign(a="newer"))

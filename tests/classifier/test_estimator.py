"""BNClassifier: what goes in, what comes out, and that it is `fit` behind scikit-learn's names."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import bnlr
from bnlr import BNClassifier
from tests.width import in_full


def mixed_frame(n_rows=120, seed=0):
    """One column of each type, all leaning on the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)

    def noisy(values):
        return np.where(rng.random(n_rows) < 0.7, values, rng.permutation(values))

    frame = pd.DataFrame(
        {
            "text": np.array(["red", "green", "blue"])[noisy(y)],
            "flag": noisy(y) == 1,
            "grade": noisy(y) * 2,
            "size": pd.Categorical.from_codes(noisy(y), ["small", "large", "huge", "unused"][:4]),
            "length": noisy(y) + rng.normal(0, 0.3, n_rows),
            "count": noisy(y) * 20 + rng.integers(0, 9, n_rows),
        }
    )
    return frame, pd.Series(np.array(["x", "y", "z"])[y], name="kind")


@pytest.fixture(scope="module")
def mixed():
    return mixed_frame()


@pytest.fixture(scope="module")
def tic_tac_toe():
    frame = bnlr.load_dataset("tic-tac-toe")
    return frame.drop(columns="class"), frame["class"]


# What goes in


def test_each_type_of_column_is_what_it_says(mixed):
    X, y = mixed
    classifier = BNClassifier("naive-bayes").fit(X, y)
    states = classifier.network_.states
    assert states["text"] == ("blue", "green", "red")
    assert states["flag"] == (False, True)
    assert states["grade"] == (0, 2, 4)
    assert states["size"] == ("small", "large", "huge", "unused")
    assert states["kind"] == ("x", "y", "z")
    assert list(classifier.discretizer_.feature_names_in_) == ["length", "count"]
    assert all(len(states[node]) > 1 and "inf" in states[node][0] for node in ("length", "count"))
    assert classifier.score(X, y) > 0.7


def test_iris_is_cut_at_the_published_points():
    X, y = load_iris(return_X_y=True)
    classifier = BNClassifier("naive-bayes").fit(X, y)
    expected = [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]
    for found, cuts in zip(classifier.discretizer_.cut_points_, expected, strict=True):
        np.testing.assert_allclose(found, cuts, atol=1e-12)
    assert list(classifier.network_.structure.attributes) == ["x0", "x1", "x2", "x3"]
    assert classifier.predict_proba([[1e300, -1e300, 0.0, 2.0]]).shape == (1, 3)


@pytest.mark.parametrize(("n_values", "is_cut"), [(10, False), (11, True)])
def test_integers_with_more_than_ten_values_are_measurements(n_values, is_cut):
    X = pd.DataFrame({"a": np.arange(110) % n_values})
    y = (X["a"] > 4).rename("large")
    classifier = BNClassifier("naive-bayes").fit(X, y)
    assert (classifier.discretizer_ is not None) == is_cut
    assert len(classifier.network_.states["a"]) == (2 if is_cut else 10)
    assert classifier.score(X, y) == 1.0


@pytest.mark.slow
def test_without_discretization_numbers_are_labels():
    X = pd.DataFrame({"a": np.arange(60) % 12, "b": np.arange(60) % 2 / 2})
    classifier = BNClassifier(discretize=None).fit(X, np.arange(60) % 3)
    assert classifier.discretizer_ is None
    assert classifier.network_.states["a"] == tuple(range(12))
    assert classifier.network_.states["b"] == (0.0, 0.5)
    with pytest.raises(bnlr.DataError, match=r"column 'a' is continuous: 60 .*MDLDiscretizer"):
        BNClassifier(discretize=None).fit(X.assign(a=np.arange(60) / 7), np.arange(60) % 3)


@pytest.mark.slow
def test_lists_keep_the_type_of_each_column():
    rows = [[1, "a", True], [2, "b", False]] * 6
    classifier = BNClassifier().fit(rows, ["no", "yes"] * 6)
    assert dict(classifier.network_.states) == {
        "class": ("no", "yes"), "x0": (1, 2), "x1": ("a", "b"), "x2": (False, True),
    }  # fmt: skip
    assert list(classifier.predict(rows[:2])) == ["no", "yes"]


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["b", "a", "b"]),
        *in_full(np.array([3, -1, 3], dtype=np.int8)),
        np.array([True, False, True]),
        *in_full(
            np.array([2.0, 1.0, 2.0], dtype=np.float32), np.array(["b", "a", "b"], dtype=object)
        ),
    ],
)
def test_labels_come_back_with_their_type(labels):
    y = np.tile(labels, 4)
    X = pd.DataFrame({"a": np.where(y == labels[0], "p", "q")})
    classifier = BNClassifier().fit(X, y)
    assert classifier.classes_.dtype == labels.dtype
    assert classifier.predict(X).dtype == labels.dtype
    np.testing.assert_array_equal(classifier.classes_, np.unique(labels))
    np.testing.assert_array_equal(classifier.predict(X), y)


@pytest.mark.slow
def test_classes_of_more_digits_than_a_label_has():
    y = np.array([2**53 + 1, 2**53, -1] * 4, dtype=np.longdouble)
    X = pd.DataFrame({"a": np.where(y < 0, "p", "q")})
    assert BNClassifier().fit(X, y).classes_.tolist() == [-1.0, 2.0**53]


@pytest.mark.parametrize("structure", ["tan", *in_full("auto")])
def test_two_rows_a_class_are_no_regression(structure):
    """Half as many classes as rows are more than half of those left in a fold."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    BNClassifier(structure).fit(X, np.arange(20).repeat(2))


@pytest.mark.parametrize(
    ("y_name", "columns", "expected"),
    [
        ("kind", ["a"], "kind"), (None, ["a"], "class"), (7, ["a"], "class"),
        *in_full(("", ["class", "class_"], "class__")),
    ],
)  # fmt: skip
def test_the_class_gets_the_name_of_y_where_it_can(y_name, columns, expected):
    y = pd.Series([0, 1] * 8, name=y_name)
    X = pd.DataFrame({name: list("pqrs") * 4 for name in columns})
    assert BNClassifier().fit(X, y).network_.structure.class_name == expected


@pytest.mark.slow
def test_the_class_gets_another_name_than_a_column():
    y = pd.Series([0, 1] * 8, name="a")
    with pytest.warns(bnlr.BnlrWarning, match="column 'a' has the name of y"):
        classifier = BNClassifier().fit(pd.DataFrame({"a": list("pqrs") * 4}), y)
    assert classifier.network_.structure.class_name == "class"


@pytest.mark.slow
def test_columns_without_text_names_are_numbered():
    X = pd.DataFrame({5: list("ab") * 6, 9: list("cd") * 6})
    classifier = BNClassifier().fit(X, [0, 1] * 6)
    assert classifier.network_.structure.attributes == ("x0", "x1")
    assert not hasattr(classifier, "feature_names_in_")
    with pytest.raises(TypeError, match=r"text and other things, 'a', 1") as caught:
        BNClassifier().fit(X.set_axis(["a", 1], axis=1), [0, 1] * 6)
    assert isinstance(caught.value, bnlr.DataError)
    with pytest.raises(bnlr.DataError, match="two columns named 'a'"):
        BNClassifier().fit(X.set_axis(["a", "a"], axis=1), [0, 1] * 6)


# What comes out


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("kdb", {"nonperfect": "embed", "penalty": 2.0, "penalty_center": "zero"}),
        ("tan", {"learner": "em", "m_step_pseudocount": 2.0, "max_iter": 5}),
    ],
)
def test_options_of_fit_reach_it(tic_tac_toe, method, options):
    X, y = tic_tac_toe
    X = X.iloc[:, :5]
    if method == "tan":
        X = X.mask(np.add.outer(np.arange(len(X)), np.arange(5)) % 7 == 0)
    data = bnlr.Dataset.from_frame(X.assign(**{"class": y}), "class")
    expected = bnlr.fit(bnlr.learn_structure(data, method), data, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = BNClassifier(method, **options).fit(X, y).result_
    assert found.cll == expected.cll
    assert found.network.structure == expected.network.structure


@pytest.mark.parametrize("method", ["naive-bayes", "tan"])
@pytest.mark.parametrize(
    "options",
    [
        *in_full({}),
        {"penalty": 0.5, "penalty_center": "zero"},
        *in_full({"penalty": 2.0, "penalty_center": "frequencies"}),
        {"learner": "frequencies"},
    ],
)
def test_is_fit_behind_other_names(tic_tac_toe, method, options):
    X, y = tic_tac_toe
    data = bnlr.Dataset.from_frame(X.assign(**{"class": y}), "class")
    classifier = BNClassifier(method, **options).fit(X, y)
    # The strength alone is the classifier's own: it learns the structure anew in each fold.
    chosen = {"penalty": classifier.result_.penalty, "penalty_center": "scaled"}
    result = bnlr.fit(bnlr.learn_structure(data, method), data, **(options or chosen))
    assert classifier.result_.cll == result.cll
    assert classifier.result_.penalty == result.penalty
    assert classifier.result_.center_scale == result.center_scale
    assert classifier.network_.structure.parents("class") == ()
    assert set(classifier.network_.structure.edges) == set(result.network.structure.edges)
    np.testing.assert_allclose(
        classifier.predict_proba(X), result.network.predict_proba(data), rtol=1e-9
    )
    assert classifier.result_.learner == options.get("learner", "lr")
    assert classifier.n_iter_ >= 1


@pytest.mark.slow
def test_without_penalty_the_likelihood_is_the_largest(tic_tac_toe):
    X, y = tic_tac_toe
    with pytest.warns(bnlr.SeparationWarning, match="No finite optimum"):
        exact = BNClassifier("naive-bayes", penalty=0.0).fit(X, y).result_
    weak, strong = (
        BNClassifier("naive-bayes", penalty=penalty).fit(X, y).result_ for penalty in (1.0, 100.0)
    )
    assert exact.cll > weak.cll > strong.cll
    assert exact.gap == pytest.approx(0.0, abs=1e-6 * abs(exact.cll))


@pytest.mark.slow
@given(st.integers(0, 1000), st.sampled_from(["naive-bayes", "tan"]))
def test_probabilities_are_the_networks(seed, method):
    X, y = mixed_frame(60, seed)
    classifier = BNClassifier(method).fit(X, y)
    rows, _ = mixed_frame(40, seed + 1)
    probabilities = classifier.predict_proba(rows)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.log(probabilities), classifier.predict_log_proba(rows))
    coded = rows.assign(
        **dict(classifier.discretizer_.transform(rows[["length", "count"]]).items())
    )
    np.testing.assert_array_equal(probabilities, classifier.network_.predict_proba(coded))
    best = classifier.classes_[probabilities.argmax(axis=1)]
    np.testing.assert_array_equal(classifier.predict(rows), best)


@pytest.mark.slow
def test_a_tie_goes_to_the_first_class():
    X = pd.DataFrame({"a": ["p"] * 8})
    classifier = BNClassifier().fit(X, ["later", "early"] * 4)
    np.testing.assert_allclose(classifier.predict_proba(X[:1]), [[0.5, 0.5]], atol=1e-9)
    tied = bnlr.BayesianNetwork(
        classifier.network_.structure, classifier.network_.states,
        {"class": [0.5, 0.5], "a": [[1.0], [1.0]]},
    )  # fmt: skip
    classifier.network_ = tied
    assert list(classifier.predict(X)) == ["early"] * 8


@pytest.mark.slow
@given(st.integers(0, 1000))
def test_weights_are_repeated_rows(seed):
    X, y = mixed_frame(50, seed)
    weights = np.random.default_rng(seed).integers(0, 4, 50)
    weights[[y.eq(label).argmax() for label in "xyz"]] = 1
    weighted = BNClassifier("tan").fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(50), weights)
    repeated = BNClassifier("tan").fit(X.iloc[rows], y.iloc[rows])
    assert weighted.network_.structure == repeated.network_.structure
    assert dict(weighted.network_.states) == dict(repeated.network_.states)
    kept = X.iloc[rows]
    np.testing.assert_allclose(
        weighted.predict_proba(kept), repeated.predict_proba(kept), rtol=1e-6, atol=1e-9
    )


@pytest.mark.slow
def test_a_zero_weight_takes_the_row_away():
    X = pd.DataFrame({"a": ["p", "q", None, "odd"] * 4})
    y = np.array([0, 1, 1, 2] * 4)
    weights = np.tile([1.0, 2.0, 0.0, 0.0], 4)
    classifier = BNClassifier().fit(X, y, sample_weight=weights)
    assert list(classifier.classes_) == [0, 1]
    assert classifier.network_.states["a"] == ("p", "q")


# Given structures


def test_a_given_structure_uses_its_columns_only(tic_tac_toe):
    X, y = tic_tac_toe
    used = list(X.columns[[4, 0]])
    s = bnlr.Structure([("class", used[0]), ("class", used[1])], "class")
    spoilt = X.assign(**{X.columns[7]: None, X.columns[8]: np.arange(len(X)) / 7})
    classifier = BNClassifier(s).fit(spoilt, y)
    assert classifier.network_.structure == s
    assert classifier.n_features_in_ == 9
    expected = BNClassifier("naive-bayes").fit(X[used], y).predict_proba(X[used])
    np.testing.assert_allclose(classifier.predict_proba(spoilt), expected, rtol=1e-9)


def test_cells_outside_the_blanket_may_be_missing_in_prediction():
    X = pd.DataFrame({"a": list("pqpq") * 5, "below": list("uvvu") * 5})
    s = bnlr.Structure([("class", "a"), ("a", "below")], "class")
    classifier = BNClassifier(s).fit(X, [0, 1, 0, 0] * 5)
    np.testing.assert_array_equal(
        classifier.predict_proba(X.assign(below=None)), classifier.predict_proba(X)
    )
    with pytest.warns(bnlr.UnexpectedMissingWarning):
        np.testing.assert_allclose(
            classifier.predict_proba(X.assign(a=None, below=None)),
            [classifier.network_.cpts["class"]] * 20,
        )


def test_in_a_list_of_arcs_the_class_is_what_y_is_called(tmp_path):
    X = pd.DataFrame({"a": list("pqpq") * 5, "b": list("uvvu") * 5})
    y = pd.Series([0, 1, 0, 0] * 5, name="ill")
    path = tmp_path / "arcs.txt"
    path.write_text("ill -> a\nill -> b\na -> b\n", encoding="utf-8")
    s = bnlr.Structure([("ill", "a"), ("ill", "b"), ("a", "b")], "ill")
    assert BNClassifier(path).fit(X, y).network_.structure == s
    for unnamed in (y.rename(None), y.rename("well"), y.to_numpy()):
        with pytest.raises(bnlr.ModelFileError, match=r"arcs\.txt: .*rename"):
            BNClassifier(path).fit(X, unnamed)
    path.write_text("ill -> a b\n", encoding="utf-8")
    with pytest.raises(bnlr.ModelFileError, match=r"arcs\.txt:1:"):
        BNClassifier(path).fit(X, y)


@pytest.mark.slow
def test_a_structure_from_a_file(tmp_path, tic_tac_toe):
    X, y = tic_tac_toe
    path = tmp_path / "graph.json"
    network = BNClassifier("tan").fit(X, y).network_
    bnlr.save(network, path)
    for source in (path, str(path)):
        assert BNClassifier(source).fit(X, y).network_.structure == network.structure


def test_a_structure_that_is_not_perfect_is_fitted_in_beta(tic_tac_toe):
    X, y = tic_tac_toe
    a, b, c = X.columns[:3]
    s = bnlr.Structure([("class", a), ("class", b), ("class", c), (a, c), (b, c)], "class")
    classifier = BNClassifier(s, tol=1e-6).fit(X, y)
    assert classifier.result_.learner == "elr"
    assert not classifier.report_.is_perfect
    with pytest.raises(bnlr.NotPerfectError, match="top"):
        BNClassifier(s, learner="lr").fit(X, y)


# What is refused


def test_unusable_structures_are_named(tmp_path, tic_tac_toe):
    X, y = tic_tac_toe
    s = bnlr.Structure([("class", "top-left-square"), ("class", "nowhere")], "class")
    cases = [
        ("tna", bnlr.ParameterError, "'tna' is neither a method .*'tan'.* nor a file"),
        (3, bnlr.ParameterError, "structure is 3; give a bnlr.Structure"),
        (s, bnlr.StateError, "node 'nowhere' of the structure is not a column of X"),
        (tmp_path / "none.json", bnlr.ModelFileError, r"none\.json"),
    ]
    for structure, error, message in cases:
        with pytest.raises(error, match=message):
            BNClassifier(structure).fit(X, y)
    naive = bnlr.Structure.naive_bayes(list(X.columns), "class")
    with pytest.raises(bnlr.DataError, match="class 'class' is among the columns of X"):
        BNClassifier(naive).fit(X.assign(**{"class": y}), y)
    with pytest.raises(bnlr.ParameterError, match="discretize is 'mld'; choose 'auto', 'mdl'"):
        BNClassifier(discretize="mld").fit(X, y)
    with pytest.raises(bnlr.ParameterError, match="unseen is 'x'; choose one of missing, error"):
        BNClassifier(unseen="x").fit(X, y)


@pytest.mark.slow
def test_unseen_labels_are_named_with_column_count_and_remedy():
    X = pd.DataFrame({"a": ["p", "q"] * 6, "n": [1, 2] * 6})
    classifier = BNClassifier().fit(X, [0, 1] * 6)
    classifier.set_params(unseen="error")
    with pytest.raises(bnlr.StateError, match=r"column 'a' has 'r' in 2 cells: not seen in fit"):
        classifier.predict(pd.DataFrame({"a": ["r", "p", "r"], "n": [1, 1, 2]}))
    with pytest.raises(bnlr.StateError, match=r"column 'n' has 3 in 1 cell"):
        classifier.predict_proba(pd.DataFrame({"a": ["p"], "n": [3]}))
    with pytest.raises(bnlr.StateError, match=r"'1' in 1 cell \(a text"):
        classifier.predict(pd.DataFrame({"a": ["p"], "n": ["1"]}))
    declared = X.assign(a=pd.Categorical(X["a"], categories=["p", "q", "r"]))
    classifier = BNClassifier().fit(declared, [0, 1] * 6)
    assert classifier.predict_proba(pd.DataFrame({"a": ["r"], "n": [1]})).shape == (1, 2)


def test_a_missing_class_is_refused_in_one_sentence(mixed):
    X, y = mixed
    with pytest.raises(bnlr.MissingCellsError, match=r"y is missing .* row 2"):
        BNClassifier().fit(X, y.mask(np.arange(len(y)) == 2))


BAD_TABLES = {
    "no rows": np.empty((0, 2)),
    "no columns": np.empty((12, 0)),
    "one-dimensional": np.arange(12.0),
    "three-dimensional": np.zeros((12, 2, 2)),
    "ragged": [[1, 2], [3]] * 6,
    "a scalar": 3.0,
    "nothing": None,
    "a set": {1, 2},
    "complex": np.ones((12, 1)) * 1j,
    "infinite": np.full((12, 1), np.inf),
    "no rows in a frame": pd.DataFrame({"a": []}),
    "dates": pd.DataFrame({"a": pd.date_range("2020", periods=12)}),
    "bytes": pd.DataFrame({"a": [b"x", b"y"] * 6}),
    "lists in cells": pd.DataFrame({"a": [[1], [2]] * 6}),
    "booleans and numbers": pd.DataFrame({"a": [True, 2] * 6}),
}
BAD_CLASSES = {
    "none": None,
    "too few": [0, 1],
    "one only": ["same"] * 12,
    "continuous": np.arange(12) / 7,
    "two-dimensional": np.eye(12),
    "missing": [0.0, np.nan] * 6,
    "infinite": [0.0, np.inf] * 6,
    "dates": pd.Series(pd.to_datetime(["2020", "2021"] * 6)),
    "mixed kinds": np.array([1, "a"] * 6, dtype=object),
}
BAD_WEIGHTS = [-1.0, np.nan, np.inf, 0.0]


@pytest.mark.slow  # that the kinds are refused is tests/test_bad_input's
@pytest.mark.parametrize("table", BAD_TABLES.values(), ids=BAD_TABLES)
@pytest.mark.filterwarnings("ignore:.*pyarrow")
def test_bad_tables_get_one_error_and_change_nothing(table):
    X = pd.DataFrame({"a": ["p", "q"] * 6})
    classifier = BNClassifier().fit(X, [0, 1] * 6)
    before = dict(vars(classifier))
    for call in (lambda: classifier.fit(table, [0, 1] * 6), lambda: classifier.predict(table)):
        with pytest.raises(bnlr.BnlrError) as caught:
            call()
        assert isinstance(caught.value, (ValueError, TypeError))
        assert vars(classifier) == before


@pytest.mark.parametrize("y", BAD_CLASSES.values(), ids=BAD_CLASSES)
def test_bad_classes_get_one_error(y):
    classifier = BNClassifier()
    with pytest.raises(bnlr.DataError):
        classifier.fit(pd.DataFrame({"a": ["p", "q"] * 6}), y)
    assert not hasattr(classifier, "classes_")
    assert not hasattr(classifier, "n_features_in_")


@pytest.mark.parametrize("weight", BAD_WEIGHTS)
def test_bad_weights_get_one_error(weight):
    X = pd.DataFrame({"a": ["p", "q"] * 6})
    weights = np.full(12, 0.0 if weight == 0.0 else 1.0)
    weights[4] = weight
    with pytest.raises(bnlr.ParameterError, match="weight"):
        BNClassifier().fit(X, [0, 1] * 6, sample_weight=weights)


@pytest.mark.slow
def test_other_columns_than_in_fit_are_refused(mixed):
    X, y = mixed
    classifier = BNClassifier().fit(X, y)
    for other, message in [
        (X[X.columns[::-1]], "same order"),
        (X.drop(columns="text"), "now missing"),
        (X.assign(more=1), "unseen at fit time"),
    ]:
        with pytest.raises(bnlr.DataError, match=message):
            classifier.predict(other)
    with pytest.raises(bnlr.DataError, match="'length' was numeric in fit"):
        classifier.predict(X.assign(length="long"))


@pytest.mark.slow
def test_names_are_not_needed_in_prediction_but_missed():
    X = pd.DataFrame({"a": ["p", "q"] * 6})
    classifier = BNClassifier().fit(X, [0, 1] * 6)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        unnamed = classifier.predict_proba(X.to_numpy())
    np.testing.assert_array_equal(unnamed, classifier.predict_proba(X))


def test_nothing_works_before_fit(tmp_path):
    classifier = BNClassifier()
    calls = [
        lambda: classifier.predict([["a"]]), lambda: classifier.predict_proba([["a"]]),
        lambda: classifier.predict_log_proba([["a"]]), classifier.summary, classifier.plot,
        lambda: classifier.save(tmp_path / "x.json"),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(NotFittedError):
            call()


WRONG = [set(), {}, pd.NA, np.array([1.0, 2.0]), pd.DataFrame({"a": ["lr"]}), np.array(["a", "b"])]
AMOUNTS = ["x", np.inf, -np.inf, np.nan, -1, True]


@pytest.mark.parametrize("structure", ["auto", "naive-bayes"])
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("pseudocount", [*WRONG, *AMOUNTS]),
        ("m_step_pseudocount", [*WRONG, *AMOUNTS]),
        *((name, WRONG) for name in ("learner", "space", "solver")),
    ],
)
def test_parameters_of_a_wrong_kind_are_named(structure, name, values, mixed):
    for value in values:
        with pytest.raises(bnlr.ParameterError, match=rf"\b{name}\b"):
            BNClassifier(structure, **{name: value}).fit(*mixed)


@pytest.mark.parametrize(
    "options", [*in_full({"structure": "tan"}), {"structure": "tan", "penalty": 1.0}]
)
def test_a_fraction_is_a_number(options, mixed):
    found = [
        BNClassifier(pseudocount=half, **options).fit(*mixed).predict_proba(mixed[0])
        for half in (0.5, Fraction(1, 2))
    ]
    np.testing.assert_array_equal(*found)


# Warnings and words


@pytest.mark.slow
def test_warns_when_it_stops_early_and_when_there_is_no_optimum(tic_tac_toe):
    X, y = tic_tac_toe
    with pytest.warns(ConvergenceWarning):
        BNClassifier("naive-bayes", max_iter=1).fit(X, y)
    separated = pd.DataFrame({"a": ["p", "q"] * 6})
    with pytest.warns(bnlr.SeparationWarning, match="a=p never occurs"):
        BNClassifier(penalty=0.0).fit(separated, [0, 1] * 6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BNClassifier("naive-bayes").fit(X, y)


@pytest.mark.slow
def test_summary_tells_verdict_intervals_and_optimum(mixed):
    X, y = mixed
    classifier = BNClassifier("tan", penalty_center="scaled").fit(X, y)
    text, scaled = classifier.summary(), classifier.result_.center_scale
    expected = [
        "class        kind: 'x', 'y', 'z'",
        "structure    tan: 6 attributes, 11 arcs",
        "is convex",
        "'length' into",
        f"penalty      {classifier.result_.penalty:g} towards {scaled:.3g} times the frequency",
        "trained on   complete rows",
        f"{classifier.result_.cll:.6f}",
    ]
    assert [part for part in expected if part not in text] == []
    plain = BNClassifier("tan", penalty=1.0, penalty_center="zero").fit(X, y)
    assert "penalty      1 towards zero" in plain.summary()
    assert "penalty      none" in BNClassifier("tan", learner="frequencies").fit(X, y).summary()


@pytest.mark.slow
def test_plot_draws_the_fitted_structure(mixed):
    ax = BNClassifier("naive-bayes").fit(*mixed).plot()
    assert {"kind", "text", "count"} <= {t.get_text() for t in ax.texts}

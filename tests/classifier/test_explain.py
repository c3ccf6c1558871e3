"""`BNClassifier.explain`: the network's explanation, in the user's columns, numbers and labels."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression

import bnlr
from tests.classifier.test_estimator import mixed_frame
from tests.width import in_full


@pytest.fixture(scope="module")
def mixed():
    return mixed_frame(120)


DIAGNOSTIC = bnlr.Structure([("text", "kind"), ("length", "kind"), ("kind", "size")], "kind")
NOT_PERFECT = bnlr.Structure(
    [
        ("kind", "text"),
        ("kind", "size"),
        ("kind", "length"),
        ("text", "length"),
        ("size", "length"),
    ],
    "kind",
)


@pytest.mark.parametrize(
    "options",
    [
        {"structure": DIAGNOSTIC, "penalty": 1.0},
        *in_full(
            {},
            {"structure": "naive-bayes", "learner": "frequencies"},
            {"structure": "fan"},
            {"structure": "kdb", "structure_options": {"k": 2}, "penalty": 1.0},
            {"structure": NOT_PERFECT, "penalty": 1.0},
        ),
    ],
)
def test_terms_sum_to_the_classifiers_log_odds(mixed, options):
    X, y = mixed
    fitted = bnlr.BNClassifier(**options).fit(X, y)
    holed = X.mask(np.random.default_rng(2).random(X.shape) < 0.3, None)
    rows = pd.concat([X[:12], holed[:12]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        logs = fitted.predict_log_proba(rows)
        for k in range(len(rows)):
            explanation = fitted.explain(rows[k : k + 1])
            terms = explanation.contributions[list(explanation.classes)]
            np.testing.assert_allclose(
                explanation.prior + terms.sum().to_numpy(), logs[k] - logs[k, 0], atol=1e-12
            )
            shares = fitted.predict_proba(rows[k : k + 1])[0]
            np.testing.assert_array_equal(explanation.probabilities, shares)
            assert explanation.classes == tuple(fitted.classes_)
            assert explanation.class_name == "kind"


def test_numbers_are_shown_with_their_interval():
    X, y = load_iris(return_X_y=True, as_frame=True)
    explanation = bnlr.BNClassifier("naive-bayes").fit(X, y).explain(X[77:78])
    assert explanation.contributions["value"].to_dict() == {
        "sepal length (cm) | target": "sepal length (cm) = 6.7 in (6.15, inf)",
        "sepal width (cm) | target": "sepal width (cm) = 3 in (2.95, 3.35]",
        "petal length (cm) | target": "petal length (cm) = 5 in (4.75, inf)",
        "petal width (cm) | target": "petal width (cm) = 1.7 in (0.8, 1.75]",
    }
    assert explanation.classes == (0, 1, 2)


@pytest.mark.slow
def test_a_row_comes_in_many_forms(mixed):
    X, y = mixed
    fitted = bnlr.BNClassifier("tan", penalty=1.0).fit(X, y)
    expected = str(fitted.explain(X[3:4]))
    row = X.iloc[3]
    for form in (row, row[::-1], row.to_dict(), dict(row[::-1])):
        assert str(fitted.explain(form)) == expected
    with pytest.warns(UserWarning, match="feature names"):
        assert str(fitted.explain(list(row))) == expected
    unnamed = bnlr.BNClassifier("tan", penalty=1.0).fit(X.to_numpy(dtype=object), y)
    cells = X.to_numpy(dtype=object)[3]
    expected = str(unnamed.explain(cells[None]))
    for form in (cells, list(cells), tuple(cells), [list(cells)], pd.Series(cells)):
        assert str(unnamed.explain(form)) == expected
    assert "x0" in expected


def test_what_was_never_seen_is_missing(mixed):
    X, y = mixed
    fitted = bnlr.BNClassifier("naive-bayes", penalty=1.0).fit(X, y)
    row = X.iloc[0].to_dict()
    with pytest.warns(bnlr.UnseenStateWarning, match="'text' has 'pink'") as caught:
        explanation = fitted.explain(row | {"text": "pink"})
    assert caught[0].filename == __file__
    assert "text | kind" not in explanation.contributions.index
    with pytest.raises(bnlr.StateError, match="pink"):
        fitted.set_params(unseen="error").explain(row | {"text": "pink"})
    with pytest.warns(bnlr.UnexpectedMissingWarning) as caught:
        fitted.explain(row | {"text": None})
    assert caught[0].filename == __file__


def test_holes_that_are_a_state_are_cells_like_others(mixed):
    X, y = mixed
    holes = X.assign(text=X["text"].mask(y == "z", None), length=X["length"].mask(y == "x"))
    fitted = bnlr.BNClassifier("naive-bayes", missing="state", penalty=1.0).fit(holes, y)
    explanation = fitted.explain(holes[y == "z"][:1])
    assert explanation.contributions.loc["text | kind", "z"] > 1
    assert explanation.probabilities.argmax() == 2
    assert len(explanation.contributions) == 6


@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
def test_what_is_no_row_is_refused(mixed):
    X, y = mixed
    with pytest.raises(NotFittedError):
        bnlr.BNClassifier().explain(X[:1])
    fitted = bnlr.BNClassifier("naive-bayes", penalty=1.0).fit(X, y)
    row = X.iloc[0]
    for rows, words in (
        (X[:2], "one row, but was given 2"), (X[:0], "0 sample"), ([], "the row is empty"),
        (X[:1].drop(columns="flag"), "flag"), ({"text": "red"}, "flag"), ({}, "the row is empty"),
        (row.drop("flag"), "flag"), (row.to_dict() | {"extra": 1}, "extra"), (None, "table"),
        (3, "table"), ("red", "table"), ([1, 2], "features"), (X[:1].assign(length=np.inf), "inf"),
        (np.array(3), "array|table"), ([[1], [2, 3]], "rows|lengths|array|shape"),
    ):  # fmt: skip
        with pytest.raises(bnlr.DataError, match=words):
            fitted.explain(rows)


@pytest.mark.parametrize("labels", [[False, True], [1.0, 2.0], ["value", "prior"], [3, 1]])
def test_classes_of_any_type_are_found_again(labels):
    y = np.array(labels * 9 + labels[::-1])
    fitted = bnlr.BNClassifier("naive-bayes", penalty=1.0).fit([["a"], ["b"]] * 10, y)
    explanation = fitted.explain(["a"])
    for place, label in enumerate(fitted.classes_):
        against = explanation.against(label)
        assert (against.iloc[:, 1 + place] == 0).all()
        assert (against.iloc[:, 2 - place] != 0).any()


@pytest.mark.parametrize(
    "options",
    [
        {}, {"structure": "naive-bayes", "learner": "frequencies"},
        pytest.param({"structure": "pool"}, marks=pytest.mark.slow),
        {"structure": DIAGNOSTIC, "penalty": 1.0}, {"structure": NOT_PERFECT, "penalty": 1.0},
        {"structure": "fan", "missing": "state"},
    ],
)  # fmt: skip
def test_all_rows_at_once(mixed, options):
    X, y = mixed
    fitted = bnlr.BNClassifier(**options).fit(X, y)
    holed = X.mask(np.random.default_rng(2).random(X.shape) < 0.3, None)
    rows = pd.concat([X[:12], holed[:12]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        logs, values = fitted.predict_log_proba(rows), fitted.explain_many(rows)
    assert values.shape == (24, X.shape[1] + 1, len(fitted.classes_))
    np.testing.assert_allclose(values.sum(axis=1), logs - logs[:, :1], atol=1e-12)
    shares = fitted.feature_importances_
    assert shares.shape == (X.shape[1],)
    assert shares.sum() == pytest.approx(1)


def test_importances_of_naive_bayes_are_those_of_a_linear_model():
    """Of two classes and columns of 0 and 1: |weight| times the mean of |x − its mean|."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = pd.DataFrame({name: (rng.random(300) < p + q * y) * 1 for name, p, q in
                      [("a", 0.2, 0.5), ("b", 0.5, 0.1), ("c", 0.1, 0.2)]})  # fmt: skip
    weights = rng.uniform(0.5, 2.0, 300)
    fitted = bnlr.BNClassifier("nb", penalty=0.0, tol=1e-12).fit(X, y, weights)
    peer = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(X, y, weights)
    centred = np.abs(X - np.average(X, axis=0, weights=weights))
    sizes = np.abs(peer.coef_[0]) * np.average(centred, axis=0, weights=weights)
    np.testing.assert_allclose(fitted.feature_importances_, sizes / sizes.sum(), atol=1e-5)
    values = fitted.explain_many(X)[:, :-1, 1]
    linear = peer.coef_[0] * (X - np.average(X, axis=0, weights=weights))
    np.testing.assert_allclose(
        values - np.average(values, axis=0, weights=weights), linear, atol=1e-5
    )


def test_importances_are_of_rows_repeated_and_kept_in_files(mixed, tmp_path):
    X, y = mixed
    counts = np.random.default_rng(1).integers(1, 4, len(y))
    kwargs = {"structure": "fan", "penalty": 3.0, "discretize": "quantile-5"}
    weighed = bnlr.BNClassifier(**kwargs).fit(X, y, counts)
    repeated = bnlr.BNClassifier(**kwargs).fit(
        X.loc[X.index.repeat(counts)].reset_index(drop=True), np.repeat(y, counts)
    )
    np.testing.assert_allclose(
        weighed.feature_importances_, repeated.feature_importances_, atol=1e-9
    )
    weighed.save(tmp_path / "model.json")
    again = bnlr.BNClassifier.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.feature_importances_, weighed.feature_importances_)


def test_columns_that_tell_nothing_have_no_importance():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = pd.DataFrame({"told": y ^ (rng.random(200) < 0.1), "noise": rng.integers(0, 2, 200)})
    s = bnlr.Structure([("y", "told")], "y")
    fitted = bnlr.BNClassifier(s, penalty=1.0).fit(X, pd.Series(y, name="y"))
    assert fitted.feature_importances_.tolist() == [1.0, 0.0]
    nothing = bnlr.BNClassifier(bnlr.Structure([], "y", ["y", "told"]), penalty=1.0)
    assert nothing.fit(X, pd.Series(y, name="y")).feature_importances_.tolist() == [0.0, 0.0]


def test_scikit_learn_selects_columns_by_them():
    frame = bnlr.load_dataset("corral")
    X, y = frame.drop(columns="class"), frame["class"]
    chosen = SelectFromModel(bnlr.BNClassifier("tan", penalty=1.0)).fit(X, y)
    assert set(chosen.get_feature_names_out()) <= {"A0", "A1", "B0", "B1", "Correlated"}


@pytest.mark.parametrize(
    "method", ["predict", *in_full("predict_proba", "predict_log_proba", "explain_many")]
)
def test_one_row_is_a_series_or_a_dictionary(mixed, method):
    X, y = mixed
    fitted = bnlr.BNClassifier("fan", penalty=3.0).fit(X, y)
    ask = getattr(fitted, method)
    for k in (0, 7):
        expected = ask(X[k : k + 1])
        row = X.iloc[k]
        turned = dict(reversed(list(row.items())))
        for one in (row, row.to_dict(), turned, row[::-1]):
            np.testing.assert_array_equal(ask(one), expected)
    with pytest.raises(bnlr.DataError, match="feature names"):
        ask({"text": "x"})
    for table in ({}, {name: [cell] for name, cell in X.iloc[0].items()}):
        with pytest.raises(bnlr.CellTypeError, match=r"X is .*pandas.DataFrame\(X\)"):
            ask(table)
    with pytest.raises(bnlr.DataError, match=r"feature names|1D array"):
        ask(X.iloc[:, 0])


@pytest.mark.parametrize("arcs", [[("h", "a"), ("h", "b")], [("h", "a"), ("y", "a"), ("h", "b")]])
def test_latent_nodes_are_summed_out_of_contributions(arcs):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    hidden = y ^ (rng.random(200) < 0.2)
    X = pd.DataFrame({name: hidden ^ (rng.random(200) < 0.1) for name in "ab"})
    X["d"] = rng.integers(0, 2, 200)
    s = bnlr.Structure([("y", "h"), *arcs, ("y", "d")], "y")
    options = {"learner": "em", "states": {"h": ["lo", "hi"]}, "random_state": 0}
    fitted = bnlr.BNClassifier(s, **options).fit(X, pd.Series(y, name="y"))
    values, logs = fitted.explain_many(X), fitted.predict_log_proba(X)
    np.testing.assert_allclose(values.sum(axis=1), logs - logs[:, :1], atol=1e-12)
    told = values[:, :-1, 1] - values[:, :-1, 1].mean(axis=0)
    sizes = np.abs(told).mean(axis=0)
    np.testing.assert_allclose(fitted.feature_importances_, sizes / sizes.sum(), atol=1e-12)
    assert (fitted.feature_importances_[:2] > 0).all()


@pytest.mark.parametrize("seed", [0, *in_full(1, 2)])
def test_cells_of_columns_without_names_go_by_their_numbers(seed):
    """A row turned round is the same row; where the names tell no place, it is refused."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 80)
    X = pd.DataFrame({k: np.where(rng.random(80) < 0.9 - 0.3 * k, y, 1 - y) for k in range(3)})
    fitted = bnlr.BNClassifier("nb", penalty=1.0).fit(X, y)
    for k in range(6):
        row, order = X.iloc[k], rng.permutation(3)
        expected = fitted.predict_proba(X.iloc[[k]])
        turned = row[order]
        for one in (row, turned, turned.to_dict(), {f"x{place}": row[place] for place in order}):
            np.testing.assert_array_equal(fitted.predict_proba(one), expected)
            told = fitted.explain(one).probabilities
            np.testing.assert_allclose(told, expected[0], atol=1e-12)
        risen = row.set_axis([2, 5, 9])  # of a frame whose columns are called so
        np.testing.assert_array_equal(fitted.predict_proba(risen), expected)
    for strange in (row.set_axis([5, 2, 9]), row.set_axis(list("abc")), row.set_axis([0, 0, 1])):
        for ask in (fitted.predict, fitted.explain):
            with pytest.raises(bnlr.DataError, match=r"called .*had no names.*X\.iloc\[\[0\]\]"):
                ask(strange)


@pytest.mark.filterwarnings("ignore:column 'all' tells the class")
@pytest.mark.parametrize("seed", range(4))
def test_a_column_that_rules_classes_out_is_no_column_that_tells_nothing(seed):
    """Counts of 0 in 1e12 have a size, by hand; with smaller and smaller pseudocounts it grows."""
    rng = np.random.default_rng(seed)
    y = np.r_[0, 1, rng.integers(0, 2, 98)]
    some = np.where((y == 1) & (rng.random(100) < 0.2), 2, rng.integers(0, 2, 100))
    X = pd.DataFrame({"all": y, "some": some, "noise": rng.integers(0, 2, 100)})
    fitted = bnlr.BNClassifier("nb", learner="frequencies", pseudocount=0).fit(X, y)
    sizes = []
    for name in X:
        table = pd.crosstab(X[name], y, normalize="columns").clip(lower=1e-12)
        odds = np.log(table[1] / table[0]).loc[X[name]].to_numpy() / 2
        sizes.append(np.abs(odds - odds.mean()).mean())
    np.testing.assert_allclose(fitted.feature_importances_, np.array(sizes) / sum(sizes), rtol=1e-9)
    assert fitted.feature_importances_.argmax() == 0
    shares = [
        bnlr.BNClassifier("nb", learner="frequencies", pseudocount=more).fit(X, y)
        for more in (1.0, 1e-3, 1e-6)
    ]
    rising = [
        one.feature_importances_[0] / one.feature_importances_[2] for one in (*shares, fitted)
    ]
    assert rising == sorted(rising)


def test_a_number_that_is_not_cut_is_shown_without_an_interval():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = pd.DataFrame({"told": y + 0.3 * rng.random(200), "noise": rng.random(200)})
    fitted = bnlr.BNClassifier("nb", discretize="mdl", penalty=1.0).fit(X, y)
    assert fitted.network_.states["noise"] == ("(-inf, inf)",)
    cells = list(fitted.explain(X.iloc[0]).against(1 - y[0]).iloc[:, 0])
    assert f"noise = {X['noise'][0]:.12g}" in cells
    assert any(" in (" in cell for cell in cells)

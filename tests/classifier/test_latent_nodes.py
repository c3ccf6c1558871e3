"""``states=``: nodes of a given structure that X has no column of."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bnlr
from tests.width import in_full

STRUCTURE = bnlr.Structure([("h", "kind"), ("h", "a"), ("h", "b"), ("h", "z")], class_name="kind")
LATENT = {"h": ("low", "high")}


def rows(n_rows=200, seed=0):
    """Signs of a cause that nothing shows, one of them a number, and a class that it decides."""
    rng = np.random.default_rng(seed)
    h = rng.integers(0, 2, n_rows)
    signs = {name: np.where(rng.random(n_rows) < 0.85, h, 1 - h) for name in ("a", "b")}
    X = pd.DataFrame({**signs, "z": rng.normal(size=n_rows) + 2 * h})
    y = np.where(rng.random(n_rows) < 0.9, h, 1 - h)
    return X, pd.Series(np.array(["no", "yes"])[y], name="kind")


def fitted(X, y, **parameters):
    return bnlr.BNClassifier(STRUCTURE, states=LATENT, random_state=0, **parameters).fit(X, y)


def test_what_is_learnt_and_predicted_is_that_of_fit():
    X, y = rows()
    X = X.drop(columns="z").astype(object)
    structure = bnlr.Structure(STRUCTURE.edges[:3], class_name="kind")
    classifier = bnlr.BNClassifier(structure, states=LATENT, random_state=0, penalty=0).fit(X, y)
    data = bnlr.Dataset.from_frame(X.assign(kind=y), "kind")
    result = bnlr.fit(structure, data, states=LATENT, random_state=0)
    assert classifier.result_.cll == pytest.approx(result.cll, rel=1e-12)
    np.testing.assert_allclose(
        classifier.predict_proba(X), result.network.predict_proba(X), atol=1e-12
    )
    row = X.iloc[[0]]
    told = classifier.explain(row).probabilities
    np.testing.assert_allclose(told, classifier.predict_proba(row)[0], atol=1e-12)


@pytest.mark.parametrize(
    "parameters",
    [
        *in_full({}, {"learner": "em"}, {"learner": "apn"}, {"missing": "state"}),
        {"expect_missing": 0.2},
    ],
)
def test_latent_nodes_beside_numbers_and_holes(parameters):
    X, y = rows()
    holed = X.mask(np.random.default_rng(1).random(X.shape) < 0.1)
    for given in (X, holed):
        classifier = fitted(given, y, **parameters)
        assert classifier.network_.latent == ("h",)
        assert classifier.score(X, y) > 0.8
        assert "h" not in classifier.missing_states_
        assert "stopped early" not in classifier.result_.message.lower()


def test_complete_rows_are_complete_all_the_same():
    """Holes to come are a surprise, the latent node's cells are none."""
    X, y = rows()
    classifier = fitted(X, y)
    classifier.predict(X)
    with pytest.warns(bnlr.errors.UnexpectedMissingWarning):
        classifier.predict(X.mask(X["a"] == 1))
    assert "latent       'h' of 2 states" in classifier.summary()
    assert "Penalty 3, as folds" in classifier.result_.message


@pytest.mark.slow
def test_files_keep_it(tmp_path):
    X, y = rows()
    classifier = fitted(X, y)
    classifier.save(tmp_path / "m.json")
    loaded = bnlr.BNClassifier.load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.predict_proba(X), classifier.predict_proba(X))
    assert loaded.network_.latent == ("h",)
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()
    again = clone(loaded).fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), classifier.predict_proba(X))


@pytest.mark.parametrize(
    "labels",
    [["x", "y"], range(2), np.array([0.5, 1.5]), pd.Index(["x", "y"]), pd.Series([True, False])],
)
def test_files_keep_labels_in_whatever_they_were_given(labels, tmp_path):
    X, y = rows(60)
    classifier = bnlr.BNClassifier(STRUCTURE, states={"h": labels}, random_state=0).fit(X, y)
    classifier.save(tmp_path / "m.json")
    loaded = bnlr.BNClassifier.load(tmp_path / "m.json")
    assert loaded.states == {"h": list(labels)}
    assert loaded.network_.states["h"] == tuple(labels)
    np.testing.assert_array_equal(loaded.predict_proba(X), classifier.predict_proba(X))


@pytest.mark.parametrize("labels", [{"x", "y"}, frozenset("xy"), {"x": 1, "y": 2}, iter("xy")])
def test_labels_without_an_order_of_their_own_are_refused(labels):
    X, y = rows(60)
    with pytest.raises(bnlr.DataError, match=r"states of 'h' must be a sequence.* give a list"):
        bnlr.BNClassifier(STRUCTURE, states={"h": labels}).fit(X, y)
    if not isinstance(labels, (set, frozenset)):
        return
    structure = bnlr.Structure([("c", "a")], "c")
    cpts = {"c": [0.4, 0.6], "a": [[0.1, 0.9], [0.7, 0.3]]}
    with pytest.raises(bnlr.StateError, match=r"'a' .*order is not that of the CPTs' axes"):
        bnlr.BayesianNetwork(structure, {"c": ("n", "y"), "a": labels}, cpts)


def test_a_file_of_arcs_may_be_the_structure(tmp_path):
    X, y = rows()
    path = tmp_path / "arcs.txt"
    path.write_text("h -> kind\nh -> a\nh -> b\nh -> z\n")
    by_file = bnlr.BNClassifier(str(path), states=LATENT, random_state=0).fit(X, y)
    assert by_file.network_.latent == ("h",)
    assert by_file.result_.cll == pytest.approx(fitted(X, y).result_.cll, rel=1e-9)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"states": None}, bnlr.StateError, r"node 'h' .*states=\{'h': \['low', 'high'\]\}"),
        ({"structure": "tan"}, bnlr.ParameterError, "no method finds, not structure 'tan'"),
        ({"structure": "auto"}, bnlr.ParameterError, "no method finds, not structure 'auto'"),
        ({"states": {"a": (0, 1)}}, bnlr.ParameterError, "'a', which has a column"),
        ({"states": {"hh": (0, 1)}}, bnlr.ParameterError, "'hh', which is no node.* mean 'h'"),
        ({"states": {"kind": (0, 1)}}, bnlr.ParameterError, "the class 'kind', which cannot"),
        ({"learner": "frequencies"}, bnlr.MissingCellsError, "'h' is latent.*'elr', 'em' or"),
        ({"learner": "dfe"}, bnlr.MissingCellsError, "'h' is latent"),
        ({"learner": "lr"}, bnlr.MissingCellsError, "'h' is latent"),
        (
            {"learner": "frequencies", "temperature": "auto"},
            bnlr.ParameterError,
            "temperature is 'auto'.* leave one of them out",
        ),
    ],
)
def test_what_cannot_be_meant(parameters, error, words):
    given = {"structure": STRUCTURE, "states": LATENT, **parameters}
    with pytest.raises(error, match=words):
        bnlr.BNClassifier(**given).fit(*rows(40))


def test_a_mistyped_column_is_no_latent_node():
    X, y = rows(40)
    with pytest.raises(bnlr.StateError, match=r"node 'a' .* did you mean 'aa'\?"):
        fitted(X.rename(columns={"a": "aa"}), y)
    classifier = fitted(X, y)
    with pytest.raises(ValueError, match="feature names"):
        classifier.predict(X.rename(columns={"a": "aa"}))


def test_contributions_of_columns_sum_to_the_odds():
    """Terms of several columns that the latent node joins are divided equally among them."""
    X, y = rows(60)
    classifier = fitted(X, y)
    values = classifier.explain_many(X)
    logs = classifier.predict_log_proba(X)
    np.testing.assert_allclose(values[..., 1].sum(axis=1), logs[:, 1] - logs[:, 0], atol=1e-9)
    np.testing.assert_allclose(values[:, 0], values[:, 1], atol=1e-12)
    np.testing.assert_allclose(classifier.feature_importances_, [1 / 3] * 3, atol=1e-9)


@pytest.mark.slow
def test_a_page_about_it(tmp_path):
    pytest.importorskip("matplotlib")
    X, y = rows(60)
    classifier = fitted(X, y)
    bnlr.write_report(classifier, X, tmp_path / "page.html", y)
    assert "latent" in (tmp_path / "page.html").read_text()
    labels = X.drop(columns="z").astype(object)
    structure = bnlr.Structure(STRUCTURE.edges[:3], class_name="kind")
    data = bnlr.Dataset.from_frame(labels.assign(kind=y), "kind")
    result = bnlr.fit(structure, data, states=LATENT, random_state=0)
    bnlr.write_report(result.network, labels.assign(kind=y), tmp_path / "other.html")
    with pytest.raises(bnlr.DataError, match="no column 'a'"):
        bnlr.write_report(result.network, labels[["b"]].assign(kind=y), tmp_path / "no.html")

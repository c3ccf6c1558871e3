"""Methods of `learn_structure` behind the estimator: names, options, and a class left alone."""

import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import bnlr
from bnlr import BNClassifier
from bnlr.io.models.envelope import read_document, write_document
from bnlr.search.methods import METHODS

OPTIONS = [
    ("fan", None),
    ("kdb", None),
    ("kdb", {"k": 1, "threshold": 0.01}),
    ("score-tan", {"root": "middle-middle-square"}),
    ("score-fan", None),
    ("score-kdb", {"k": 1}),
    ("hgc", None),
    ("hgc", {"score": "bdeu", "ess": 4.0, "max_parents": 3, "start": "empty"}),
    ("tan", {"root": "middle-middle-square"}),
    ("tan", {}),
]


@pytest.fixture(scope="module")
def rows():
    frame = bnlr.load_dataset("tic-tac-toe")
    return frame.drop(columns="class"), frame["class"]


def alone(n_rows=120, holes=False):
    """A class that two attributes, copies of each other, tell nothing about: 50 no, 70 yes."""
    a = np.tile(["p", "q"], n_rows // 2)
    y = pd.Series(np.repeat(["no", "yes"], [50, 70]), name="class")
    X = pd.DataFrame({"a": a, "b": a})
    return (X.mask((np.arange(n_rows) % 7 == 3)[:, None] & [True, False]) if holes else X), y


@pytest.mark.parametrize(("method", "options"), OPTIONS)
def test_learns_the_structure_that_learn_structure_gives(rows, method, options):
    X, y = rows
    classifier = BNClassifier(method, structure_options=options, learner="frequencies").fit(X, y)
    data = bnlr.Dataset.from_frame(X.assign(**{"class": y}), "class")
    expected = bnlr.learn_structure(data, method, **(options or {}))
    assert classifier.network_.structure == expected
    assert clone(classifier).get_params() == classifier.get_params()
    given = BNClassifier(expected, learner="frequencies").fit(X, y)
    assert given.predict_proba(X).tolist() == classifier.predict_proba(X).tolist()


@pytest.mark.slow
def test_every_method_predicts_better_than_the_prior(rows):
    X, y = rows
    for method in METHODS:
        classifier = BNClassifier(method, learner="frequencies").fit(X, y)
        assert classifier.score(X, y) > y.value_counts(normalize=True).max()


@pytest.mark.slow
def test_options_can_be_searched(rows):
    X, y = rows
    grid = {"structure_options": [{"start": "empty", "max_parents": 1}, {"max_parents": 2}]}
    mixed = np.random.default_rng(0).permutation(len(X))
    search = GridSearchCV(BNClassifier("hgc", learner="frequencies"), grid, cv=3)
    search.fit(X.iloc[mixed], y.iloc[mixed])
    found = search.cv_results_["mean_test_score"]
    assert len(set(found)) == 2
    assert search.best_params_["structure_options"] == grid["structure_options"][found.argmax()]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"structure_options": [1]}, r"structure_options is \[1\]; give a dict"),
        ({"structure_options": {1: 2}}, r"structure_options is \{1: 2\}; give a dict"),
        (
            {"structure": "tan", "structure_options": {"k": 1}},
            "'tan' has no option 'k'; it has root",
        ),
        ({"structure_options": {"method": "hgc"}}, "has 'method', which is no option"),
        ({"structure_options": {"data": 1}}, "has 'data', which is no option"),
        (
            {"structure": bnlr.Structure([("class", "a")], "class"), "structure_options": {"k": 1}},
            "has 'k', but the structure is given; name a method",
        ),
        ({"structure": "hgc", "structure_options": {"max_parents": 0}}, "max_parents is 0"),
        ({"structure": "hcg"}, "neither a method .*'fan', 'kdb', 'hgc'"),
    ],
)
def test_unusable_options_are_refused(options, message):
    X, y = alone()
    with pytest.raises(bnlr.ParameterError, match=message):
        BNClassifier(**options).fit(X, y)


@pytest.mark.slow
def test_hill_climbing_refuses_holes_and_names_what_does_not():
    X, y = alone(holes=True)
    with pytest.raises(bnlr.MissingCellsError, match="'tan', 'fan', 'kdb' or 'tpda'"):
        BNClassifier("hgc").fit(X, y)
    for method in ("fan", "kdb", "tpda", "score-tan", "score-fan", "score-kdb"):
        assert BNClassifier(method).fit(X, y).network_.structure.nodes == ("class", "a", "b")


# A class without a neighbour


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("learner", ["auto", "frequencies", "lr", "elr", "em", "apn"])
def test_a_class_without_a_neighbour_is_predicted_by_its_prior(learner, holes):
    X, y = alone(holes=holes)
    structure = bnlr.Structure([("a", "b")], "class", ("class", "a", "b"))
    pseudocount = 0.0 if learner == "frequencies" else 1.0
    classifier = BNClassifier(structure, learner=learner, pseudocount=pseudocount).fit(X, y)
    np.testing.assert_allclose(classifier.predict_proba(X), [[50 / 120, 70 / 120]] * 120, atol=1e-4)
    assert set(classifier.predict(X)) == {"yes"}
    classifier.summary()


@pytest.mark.parametrize("space", ["loglinear", "roos", "softmax"])
@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_in_every_space(space, penalty):
    X, y = alone()
    data = bnlr.Dataset.from_frame(X.assign(**{"class": y}), "class")
    for arcs in ([], [("a", "b")]):
        structure = bnlr.Structure(arcs, "class", ("class", "a", "b"))
        result = bnlr.fit(structure, data, space=space, penalty=penalty)
        found = result.network.predict_proba(data)
        np.testing.assert_allclose(found, [[50 / 120, 70 / 120]] * 120, atol=1e-4)
        assert result.cll == pytest.approx(50 * np.log(50 / 120) + 70 * np.log(70 / 120), abs=1e-6)


def test_hill_climbing_finds_it_and_it_can_be_saved(tmp_path):
    X, y = alone()
    X = X.iloc[np.random.default_rng(0).permutation(120)].reset_index(drop=True)
    classifier = BNClassifier("hgc").fit(X, y)
    assert classifier.network_.structure.edges == (("a", "b"),)
    classifier.save(tmp_path / "m.json")
    again = BNClassifier.load(tmp_path / "m.json")
    assert again.predict_proba(X).tolist() == classifier.predict_proba(X).tolist()


# Files


@pytest.mark.slow
def test_options_are_in_the_file(rows, tmp_path):
    X, y = rows
    options = {"score": "bdeu", "ess": np.float64(2.0), "max_parents": None}
    classifier = BNClassifier("hgc", structure_options=options).fit(X, y)
    classifier.save(tmp_path / "m.json")
    again = BNClassifier.load(tmp_path / "m.json")
    assert again.structure_options == {"score": "bdeu", "ess": 2.0, "max_parents": None}
    assert again.fit(X, y).network_.structure == classifier.network_.structure


@pytest.mark.parametrize("value", [bnlr.Structure([], "class", ("class", "a", "b")), len, [1]])
def test_options_that_no_file_holds_are_refused(value, tmp_path):
    X, y = alone()
    classifier = BNClassifier("hgc").fit(X, y)
    classifier.structure_options = {"start": value}
    with pytest.raises(bnlr.ModelFileError, match=r"structure_options\['start'\].*learn_structure"):
        classifier.save(tmp_path / "m.json")


def test_files_without_the_options_are_read_and_strange_ones_refused(tmp_path):
    X, y = alone()
    path = tmp_path / "m.json"
    classifier = BNClassifier("fan").fit(X, y)
    classifier.save(path)
    _, content = read_document(path)
    older = copy.deepcopy(content)
    del older["parameters"]["structure_options"]
    write_document("classifier", older, path)
    assert BNClassifier.load(path).structure_options is None
    content["parameters"]["structure_options"] = {"k": [1]}
    write_document("classifier", content, path)
    with pytest.raises(bnlr.ModelFileError, match=r"parameters\.structure_options"):
        BNClassifier.load(path)

"""Names in their usual spellings: one table, in which no spelling stands for two things."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

import bnlr
from bnlr.classifier.parameters import CUTTINGS, STRUCTURES, Parameters, choices
from bnlr.cli import main
from bnlr.learn.choices import LEARNERS, SPACES
from bnlr.optimize.base import SOLVERS
from bnlr.search.cll.greedy import SCORES as CLL_SCORES
from bnlr.search.cll.greedy import STARTS
from bnlr.search.methods import METHODS
from bnlr.search.score import SCORES
from bnlr.spellings import USUAL, canonical, guess_choice

SETS = {
    "method": tuple(METHODS), "structure": STRUCTURES, "learner": LEARNERS, "space": SPACES,
    "solver": ("auto", *SOLVERS), "discretize": CUTTINGS, "score": tuple(SCORES),
    "score of cll": CLL_SCORES, "start": STARTS, **choices(),
}  # fmt: skip


@pytest.mark.parametrize("choices", SETS.values(), ids=SETS)
def test_capitals_and_signs_make_no_difference(choices):
    for name in choices:
        for other in (name.upper(), name.title(), name.replace("-", "_"), name.replace("-", "")):
            assert canonical(other, choices) == name
        for usual in USUAL.get(name, ()):
            assert canonical(usual, choices) == canonical(usual.upper(), choices) == name


@pytest.mark.parametrize("choices", SETS.values(), ids=SETS)
def test_no_spelling_stands_for_two(choices):
    spellings = [text for name in choices for text in (name, *USUAL.get(name, ()))]
    bare = ["".join(filter(str.isalnum, text.casefold())) for text in spellings]
    assert len(set(bare)) == len(bare)


def test_every_name_in_the_table_is_one():
    assert set(USUAL) <= {name for choices in SETS.values() for name in choices}


@pytest.mark.parametrize(
    ("spelling", "choices", "meant"),
    [
        ("nb", METHODS, "naive-bayes"), ("Naive Bayes", METHODS, "naive-bayes"),
        ("TAN", METHODS, "tan"), ("k-db", METHODS, "kdb"), ("hill climbing", METHODS, "hgc"),
        ("lbfgs", SOLVERS, "l-bfgs"), ("L-BFGS-B", SOLVERS, "l-bfgs"), ("CGB", SOLVERS, "cg-brent"),
        ("Logistic Regression", LEARNERS, "lr"), ("log-linear", SPACES, "loglinear"),
    ],
)  # fmt: skip
def test_usual_spellings(spelling, choices, meant):
    assert canonical(spelling, choices) == meant


@pytest.mark.parametrize("value", ["", "-", "bayes net", None, 3, ["tan"], "lbfgs"])
def test_what_is_no_spelling_stays_as_it_is(value):
    assert canonical(value, METHODS) is value


@pytest.mark.parametrize(
    ("typed", "choices", "meant"),
    [("Naive-Byes", METHODS, "naive-bayes"), ("logistik regression", LEARNERS, "lr"),
     ("l-bgfs", SOLVERS, "l-bfgs"), ("TNA", METHODS, "tan")],
)  # fmt: skip
def test_a_message_guesses_from_all_spellings(typed, choices, meant):
    assert guess_choice(typed, choices) == f"; did you mean {meant!r}?"
    assert guess_choice("quite something else", choices) == guess_choice(None, choices) == ""


@pytest.fixture(scope="module")
def monks():
    frame = bnlr.load_dataset("monks-1")
    return frame.drop(columns="class"), frame["class"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ({"structure": "TAN", "learner": "LR", "solver": "lbfgs", "penalty": 1.0},
         {"structure": "tan", "learner": "lr", "solver": "l-bfgs", "penalty": 1.0}),
        ({"structure": "nb", "learner": "FE", "missing": "State", "temperature": "AUTO"},
         {"structure": "naive-bayes", "learner": "frequencies", "missing": "state",
          "temperature": "auto"}),
        ({"structure": "Naive_Bayes", "penalty": 3.0, "penalty_center": "Zero"},
         {"structure": "naive-bayes", "penalty": 3.0, "penalty_center": "zero"}),
    ],
)  # fmt: skip
def test_the_classifier_does_the_same_and_keeps_what_was_typed(monks, typed, meant, tmp_path):
    X, y = monks
    given, plain = bnlr.BNClassifier(**typed), bnlr.BNClassifier(**meant)
    assert {name: clone(given).get_params()[name] for name in typed} == typed
    assert Parameters.of(given) == Parameters.of(plain)
    given.fit(X, y)
    np.testing.assert_array_equal(given.predict_proba(X), plain.fit(X, y).predict_proba(X))
    assert given.summary() == plain.summary()
    given.save(tmp_path / "model.json")
    again = bnlr.BNClassifier.load(tmp_path / "model.json")
    assert {name: again.get_params()[name] for name in typed} == typed
    np.testing.assert_array_equal(again.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("MDL", "mdl"), ("Quantile 7", "quantile-7"), ("quantile_7", "quantile-7"), ("x-5", "x-5")],
)
def test_ways_to_cut(typed, meant):
    assert Parameters.of(bnlr.BNClassifier(discretize=typed)).discretize == meant


@pytest.mark.parametrize(
    ("options", "takes"),
    [({"learner": "LR"}, False), ({"learner": "DFE"}, False), ({"structure": "HGC"}, False),
     ({"structure": "hill climbing", "missing": "STATE"}, True), ({"learner": "Logistic"}, False),
     ({"learner": "LR", "missing": "STATE"}, True), ({"learner": "E.L.R."}, True)],
)  # fmt: skip
def test_the_tag_for_holes_knows_all_spellings(options, takes):
    assert get_tags(bnlr.BNClassifier(**options)).input_tags.allow_nan == takes


def test_functions_take_them_too(monks):
    X, y = monks
    data = bnlr.Dataset.from_frame(X.assign(label=y), "label")
    tan = bnlr.learn_structure(data, "Tree-Augmented Naive Bayes")
    assert tan == bnlr.learn_structure(data, "tan")
    assert bnlr.learn_structure(data, "HGC", score="BDeu", start="Naive Bayes", ess=2) == (
        bnlr.learn_structure(data, "hgc", score="bdeu", start="naive-bayes", ess=2)
    )
    found = bnlr.fit(tan, data, "LR", "log-linear", "LBFGS", penalty=1.0, penalty_center="Zero")
    assert (found.learner, found.space, found.solver) == ("lr", "loglinear", "l-bfgs")
    asked = [bnlr.Query({"c": 1}, {"a": 1}, p=0.7)]
    chain = bnlr.Structure([("a", "c")], class_name="c")
    states = dict.fromkeys(chain.nodes, (0, 1))
    assert bnlr.fit_queries(chain, asked, states, solver="lbfgs", random_state=0).error < 1e-6
    frame = X.head(3).assign(label=y.iloc[0])
    frame.iloc[0, 0] = 99
    with pytest.warns(bnlr.UnseenStateWarning):
        codes = bnlr.Dataset.from_frame(frame, "label", data.states, unseen="Missing").codes
    assert codes[0, 0] == -1
    with pytest.raises(bnlr.StateError):
        bnlr.Dataset.from_frame(frame, "label", data.states, unseen="ERROR")
    with pytest.raises(bnlr.StateError):
        bnlr.BNClassifier("nb", unseen="Error").fit(X, y).predict(frame.drop(columns="label"))


def test_the_shell_takes_them_too(monks, tmp_path, capsys):
    X, y = monks
    X.assign(label=y).to_csv(tmp_path / "rows.csv", index=False)
    out = tmp_path / "model.json"
    words = ["fit", str(tmp_path / "rows.csv"), "--class", "label", "--out", str(out)]
    assert main([*words, "--structure", "NB", "--learner", "FE", "--penalty-center", "Zero"]) == 0
    loaded = bnlr.BNClassifier.load(out)
    assert (loaded.structure, loaded.learner) == ("naive-bayes", "frequencies")
    assert main([*words, "--structure", "naive-byes"]) == 2
    assert "did you mean naive-bayes?" in capsys.readouterr().err

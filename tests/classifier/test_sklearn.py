"""scikit-learn's own checks of the classifier in many settings, none expected to fail."""

import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import bnlr

# To check another setting, add it. What refuses holes in `fit` but not in prediction, as learner
# "lr", has no tag that is true of both, and is checked with holes as a state.
CLASSIFIERS = {
    "default": {},
    "pool": {"structure": "pool"},
    "naive Bayes": {"structure": "naive-bayes"},
    "naive Bayes, generative": {"structure": "naive-bayes", "learner": "frequencies"},
    "TAN": {"structure": "tan"},
    "TAN, no penalty": {"structure": "tan", "penalty": 0.0},
    "TAN, l-bfgs": {
        "structure": "tan", "penalty": 3.0, "penalty_center": "frequencies", "solver": "l-bfgs",
    },
    "TAN, centre zero": {"structure": "tan", "penalty": 1.0, "penalty_center": "zero"},
    "TAN, ELR": {"structure": "tan", "learner": "elr", "penalty": 1.0},
    "TAN, EM": {"structure": "tan", "learner": "em"},
    "FAN": {"structure": "fan", "penalty": 3.0},
    "kdb": {"structure": "kdb", "structure_options": {"k": 2}, "penalty": 3.0},
    "tpda": {"structure": "tpda", "penalty": 3.0},
    "score-fan": {"structure": "score-fan", "penalty": 3.0},
    "hgc, holes as a state": {"structure": "hgc", "missing": "state", "penalty": 3.0},
    "TAN, holes as a state": {"structure": "tan", "missing": "state", "penalty": 3.0},
    "tempered": {
        "structure": "naive-bayes", "learner": "frequencies", "temperature": "auto",
        "missing": "state",
    },
    "quantiles": {"structure": "tan", "discretize": "quantile-5", "penalty": 3.0},
    "numbers as labels": {"structure": "naive-bayes", "discretize": None},
    "TAN, log-linear": {
        "structure": "tan", "space": "loglinear", "penalty": 1.0, "missing": "state",
    },
    "score-tan": {"structure": "score-tan", "penalty": 3.0},
    "score-kdb": {"structure": "score-kdb", "penalty": 3.0},
    "naive Bayes, APN": {"structure": "naive-bayes", "learner": "apn"},
    "naive Bayes, lr": {
        "structure": "naive-bayes", "learner": "lr", "penalty": 3.0, "missing": "state",
    },
    "classes balanced": {"structure": "tan", "class_weight": "balanced", "penalty": 1.0},
    "smooth": {
        "structure": "tan", "discretize": "quantile-10", "penalty_center": "smooth",
        "penalty": 3.0,
    },
}  # fmt: skip


# One of each learner that is quick, with and without holes as a state; "default" tunes its penalty
# in every one of some hundred fits.
USUAL = ("TAN, centre zero", "tempered")


def classifiers(names):
    return [bnlr.BNClassifier(**CLASSIFIERS[name]) for name in names]


@pytest.fixture(autouse=True)
def whole_numbers_for_labels(request, monkeypatch):
    """scikit-learn rounds what it gives to categorical estimators, but not in all checks."""
    call = getattr(request.node, "callspec", None)
    estimator = None if call is None else call.params.get("estimator")
    if getattr(estimator, "discretize", "") is None:

        def rounded_blobs(*args, **kwargs):
            X, y = make_blobs(*args, **kwargs)
            return np.round(X), y

        monkeypatch.setattr(estimator_checks, "make_blobs", rounded_blobs)


def pass_check(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


@parametrize_with_checks(classifiers(USUAL))
def test_scikit_learn(estimator, check):
    pass_check(estimator, check)


@pytest.mark.slow  # some fifty checks, many of several fits, of each setting
@parametrize_with_checks(classifiers(name for name in CLASSIFIERS if name not in USUAL))
def test_scikit_learn_in_other_settings(estimator, check):
    pass_check(estimator, check)


@pytest.mark.slow
def test_the_check_that_needs_an_environment_variable():
    """It must be set before SciPy is imported; the suite has it unset."""
    code = (
        "import bnlr\n"
        "from sklearn.utils.estimator_checks import check_array_api_input\n"
        "from tests.classifier.test_sklearn import CLASSIFIERS\n"
        "classifiers = [bnlr.BNClassifier(**options) for options in CLASSIFIERS.values()]\n"
        "for estimator in [*classifiers, bnlr.MDLDiscretizer()]:\n"
        "    check_array_api_input(type(estimator).__name__, estimator, 'numpy')\n"
        "print('done')"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=Path(__file__).parents[2],
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.stdout == "done\n", run.stderr


def test_tags_say_what_is_so():
    X, y = [["a", 1.5], ["b", 2.5], ["a", None], ["b", 2.5]] * 5, ["p", "q", "r", "s"] * 5
    tags = get_tags(bnlr.BNClassifier())
    takes = tags.input_tags
    assert [takes.categorical, takes.string, takes.allow_nan, takes.sparse] == [1, 1, 1, 0]
    assert tags.classifier_tags.multi_class
    assert not tags.classifier_tags.poor_score
    assert not tags.non_deterministic
    classifier = bnlr.BNClassifier("naive-bayes").fit(X, y)
    assert classifier.predict_proba(X).shape == (20, 4)
    tags = get_tags(bnlr.MDLDiscretizer())
    assert tags.target_tags.required
    assert tags.input_tags.allow_nan
    assert not tags.input_tags.string
    with pytest.raises(bnlr.DataError, match="could not convert"):
        bnlr.MDLDiscretizer().fit(X, y)


@pytest.mark.parametrize("missing", ["sum", "state"])
@pytest.mark.parametrize(
    ("options", "needs_all"),
    [
        ({}, False), ({"learner": "frequencies"}, False), ({"learner": "dfe"}, True),
        ({"structure": "hgc"}, True), ({"learner": "frequencies", "temperature": "auto"}, True),
        ({"learner": "lr"}, True), ({"learner": "logistic regression"}, True),
        ({"space": "loglinear"}, True), ({"space": "Roos"}, True), ({"space": "softmax"}, False),
    ],
)  # fmt: skip
def test_the_tag_for_holes_is_what_fit_does(options, needs_all, missing):
    X, y = [["a", 1.5], ["b", 2.5], ["a", None], ["b", 9.5]] * 5, [0, 1, 1, 0] * 5
    options = {"structure": "naive-bayes", **options}
    classifier = bnlr.BNClassifier(**options, missing=missing, penalty="auto")
    refuses = needs_all and missing == "sum"
    assert get_tags(classifier).input_tags.allow_nan == (not refuses)
    if refuses:
        with pytest.raises(bnlr.MissingCellsError):
            classifier.fit(X, y)
    else:
        assert classifier.fit(X, y).predict_proba(X).shape == (20, 2)


@pytest.fixture(scope="module")
def monks():
    frame = bnlr.load_dataset("monks-1")
    return frame.drop(columns="class"), frame["class"]


def test_clone_keeps_a_structure_and_every_parameter(monks):
    X, _ = monks
    s = bnlr.Structure.naive_bayes(list(X.columns), "class")
    original = bnlr.BNClassifier(s, learner="frequencies", tol=1e-6, random_state=3)
    assert clone(original).get_params() == original.get_params()
    assert bnlr.BNClassifier().set_params(penalty=2.0).penalty == 2.0


@pytest.mark.slow
def test_model_selection_and_pipelines(monks):
    X, y = monks
    keep_all = FunctionTransformer()
    pipeline = make_pipeline(keep_all, bnlr.BNClassifier("naive-bayes"))
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    losses = cross_val_score(pipeline, X, y, cv=folds, scoring="neg_log_loss", error_score="raise")
    assert np.isfinite(losses).all()
    grid = {"structure": ["naive-bayes", "tan"], "penalty": [0.1, 10.0]}
    search = GridSearchCV(bnlr.BNClassifier(), grid, cv=folds, error_score="raise").fit(X, y)
    assert set(search.best_params_) == {"structure", "penalty"}
    assert search.best_estimator_.predict(X).dtype == y.to_numpy().dtype


def test_pickle_predicts_the_same_bits(monks):
    X, y = monks
    fitted = bnlr.BNClassifier("tan").fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301  written by this line
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert again.summary() == fitted.summary()


@pytest.mark.slow
def test_pickle_holds_no_training_rows():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (4000, 12)), rng.integers(0, 2, 4000)
    sizes = [
        len(pickle.dumps(bnlr.BNClassifier("naive-bayes").fit(X[:n], y[:n]))) for n in (1000, 4000)
    ]
    assert sizes[1] < 1.05 * sizes[0]


@pytest.mark.parametrize("options", [{"learner": "lr"}, {"space": "loglinear"}, {"space": "roos"}])
def test_the_remedy_for_a_regression_of_rows_with_holes_is_one(options):
    X, y = [["a", 1.5], ["b", 2.5], ["a", None], ["b", 9.5]] * 5, [0, 1, 1, 0] * 5
    classifier = bnlr.BNClassifier("naive-bayes", penalty=1.0, **options)
    with pytest.raises(bnlr.MissingCellsError, match="Use learner='elr', space='auto'"):
        classifier.fit(X, y)
    classifier.set_params(learner="elr", space="auto").fit(X, y)
    assert classifier.result_.learner == "elr"

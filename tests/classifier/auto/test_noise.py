"""Columns that tell nothing are predicted by the shares of the classes, as NumPy counts them."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr import BNClassifier
from bnlr.classifier.auto.folds import inner_folds
from bnlr.classifier.input.undiscretized import UncutRows
from bnlr.cli import main
from bnlr.learn.shrinkage.strength import STRENGTHS
from bnlr.search.methods import METHODS
from tests.width import in_full, width

# A penalty towards zero leaves valleys in softmax space, where "elr" looks for its optimum.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

N_FRESH = 1000
SEEDS = range(width(4, 2))  # a mean over more is surer, and slow


def noise(seed, n=200, shares=(0.65, 0.35), n_columns=15, n_states=4, holes=0.0):
    """Rows to learn from and fresh ones."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_states, (n + N_FRESH, n_columns))
    X = pd.DataFrame(codes, columns=[f"x{k}" for k in range(n_columns)]).astype(str)
    X = X.mask(rng.random(X.shape) < holes)
    y = rng.choice(len(shares), len(X), p=shares)
    return (X[:n], y[:n]), (X[n:], y[n:])


def excess(classifier, learnt, fresh):
    """Log-loss on fresh rows, less that of the shares of the classes in those learnt from."""
    X, y = fresh
    own = classifier.predict_proba(X)[np.arange(len(y)), np.searchsorted(classifier.classes_, y)]
    shares = np.bincount(learnt[1], minlength=y.max() + 1) / len(learnt[1])
    return np.log(shares[y]).mean() - np.log(own).mean()


def mean_excess(structure, data=None, **options):
    found = []
    for seed in SEEDS:
        learnt, fresh = noise(seed, **(data or {}))
        found.append(excess(BNClassifier(structure, **options).fit(*learnt), learnt, fresh))
    return np.mean(found)


@pytest.mark.slow
@pytest.mark.wide
@pytest.mark.parametrize("holes", [0.0, *in_full(0.3)])
@pytest.mark.parametrize("structure", [name for name in METHODS if name not in ("hgc", "cll")])
def test_no_structure_predicts_noise_worse_than_the_shares(structure, holes):
    assert mean_excess(structure, {"holes": holes}) < 0.02


@pytest.mark.slow
@pytest.mark.wide
def test_nor_do_structures_that_need_whole_rows():
    assert mean_excess("hgc") < 0.02
    assert mean_excess("cll", {"n_columns": 6}) < 0.03


@pytest.mark.wide
@pytest.mark.parametrize(
    "data",
    [
        {"n": 60, "n_columns": 8, "n_states": 3},
        *in_full(
            {"n": 1500, "n_columns": 8, "n_states": 3, "holes": 0.3},
            {"n": 300, "shares": (0.95, 0.05), "holes": 0.3},
            {"n": 300, "shares": (0.2, 0.3, 0.5)},
            {"n": 300, "shares": (0.6, 0.1, 0.1, 0.1, 0.1), "holes": 0.3},
        ),
    ],
)
def test_whatever_the_rows_and_classes(data):
    assert mean_excess("tan", data) < 0.03


@pytest.mark.wide
@pytest.mark.parametrize(
    ("structure", "data"),
    [
        ("kdb", {"n": 400, "shares": (0.4, 0.3, 0.3), "n_columns": 3}),
        ("tan", {"n": 400, "n_columns": 2, "n_states": 6}),
        ("naive-bayes", {"n": 100, "n_columns": 1, "n_states": 10}),
    ],
)
def test_equal_rows_do_not_predict_each_other(structure, data):
    assert mean_excess(structure, data) < 0.025


@pytest.mark.wide
@pytest.mark.parametrize("structure", ["naive-bayes", "tan", *in_full("kdb")])
def test_no_row_of_any_weight_is_learnt_from_and_left_out(structure):
    found = []
    for seed in SEEDS:
        (X, y), fresh = noise(seed, n_columns=6, n_states=3)
        weights = np.random.default_rng(seed).exponential(size=len(y))
        classifier = BNClassifier(structure).fit(X, y, sample_weight=weights)
        found.append(excess(classifier, (X, y), fresh))
    assert np.mean(found) < 0.05


@pytest.mark.wide
@pytest.mark.parametrize(
    ("options", "holes"),
    [
        *in_full(
            ({"penalty": "cv"}, 0.3),
            ({"missing": "state"}, 0.3),
            ({"expect_missing": 0.3}, 0.0),
            ({"expect_missing": "as seen"}, 0.3),
            ({"learner": "elr"}, 0.0),
        ),
        ({"penalty_center": "zero"}, 0.3),
    ],
)
def test_whatever_is_asked_for(options, holes):
    assert mean_excess("tan", {"holes": holes}, **options) < 0.02


@pytest.mark.slow
@pytest.mark.wide
def test_numbers_are_cut_anew_in_each_fold():
    """Intervals by quantiles, and a tree between them that all rows have had a say in."""
    found = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        X, y = rng.random((200 + N_FRESH, 12)), rng.choice(2, 200 + N_FRESH, p=(0.65, 0.35))
        learnt, fresh = (X[:200], y[:200]), (X[200:], y[200:])
        classifier = BNClassifier("tan", discretize="quantile-4").fit(*learnt)
        found.append(excess(classifier, learnt, fresh))
    assert np.mean(found) < 0.02


@pytest.mark.slow
def test_weights_count_as_rows():
    (X, y), fresh = noise(0)
    twice = np.tile(np.arange(len(y)), 2)
    once = BNClassifier("tan").fit(X, y, sample_weight=np.full(len(y), 2.0)).result_
    other = BNClassifier("tan").fit(X.iloc[twice], y[twice]).result_
    assert (once.penalty, once.center_scale) == (other.penalty, other.center_scale)
    light = BNClassifier("tan").fit(X, y, sample_weight=np.full(len(y), 1 / len(y)))
    assert excess(light, (X, y), fresh) < 0.02


@pytest.mark.wide
@pytest.mark.parametrize("holes", [0.0, *in_full(0.3)])
def test_neither_the_order_of_rows_nor_of_columns_shows(holes):
    rng = np.random.default_rng(3)
    for seed in SEEDS:
        (X, y), _ = noise(seed, n=100, n_columns=6, holes=holes)
        y = np.where(rng.random(100) < 0.5, (X["x0"] == "1").astype(int), y)
        one = BNClassifier("fan").fit(X, y)
        rows = rng.permutation(100)
        other = BNClassifier("fan").fit(X.iloc[rows, ::-1], y[rows])
        assert one.result_.penalty == other.result_.penalty
        np.testing.assert_allclose(
            one.predict_proba(X)[rows], other.predict_proba(X.iloc[rows, ::-1]), atol=1e-6
        )


@pytest.mark.slow
def test_the_penalty_is_the_best_of_refits_that_learn_all_anew():
    """Structure and intervals too: what all rows have had a say in speaks for itself."""
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 150)
        numbers = {f"n{k}": rng.normal(size=150) + y * (k < seed) for k in range(2)}
        labels = {f"x{k}": rng.integers(0, 3, 150) for k in range(4)}
        X = pd.DataFrame(numbers | labels)
        table = UncutRows.of(X, list(numbers), pd.Categorical(y), "class", None)
        folds = inner_folds(table, 3)

        def loss(penalty, center, X=X, y=y, folds=folds):
            total = 0.0
            for fold in folds:
                options = {"penalty": penalty, "penalty_center": center}
                fitted = BNClassifier("tan", **options).fit(X.iloc[fold.rest], y[fold.rest])
                own = fitted.predict_proba(X.iloc[fold.held])
                total -= np.log(own[np.arange(len(fold.held)), y[fold.held]]).sum()
            return total

        result = BNClassifier("tan").fit(X, y).result_
        center = "zero" if result.center_scale is None else "scaled"
        strong = [s for s in STRENGTHS if s >= 30]
        shares = loss(STRENGTHS[0], "zero")
        mine = loss(result.penalty, center)
        assert mine <= min(loss(s, "scaled") for s in strong) + 2.0
        assert (shares - mine >= 1.9) or (result.penalty, center) == (STRENGTHS[0], "zero")


@pytest.mark.parametrize("holes", [0.0, *in_full(0.3)])
def test_the_shell_does_as_well(tmp_path, monkeypatch, capsys, holes):
    monkeypatch.chdir(tmp_path)
    (X, y), (fresh, truth) = noise(1, holes=holes)
    X.assign(c=y).to_csv("learn.csv", index=False)
    fresh.to_csv("fresh.csv", index=False)
    fit = ["fit", "learn.csv", "--class", "c", "--structure", "tan", "--out", "model.json"]
    assert main(fit) == 0
    told = capsys.readouterr().out
    assert "towards zero, of 3000 to 0.001, by cross-validation." in told
    assert "hardly better predicted than by the shares of the classes" in told
    assert main(["predict", "model.json", "fresh.csv", "--proba", "--out", "p.csv"]) == 0
    found = pd.read_csv("p.csv").filter(regex="[01]").to_numpy()
    own = found[np.arange(len(truth)), truth]
    shares = np.bincount(y) / len(y)
    assert np.log(shares[truth]).mean() - np.log(own).mean() < 0.02


def test_a_structure_that_is_given_keeps_its_arcs_and_is_judged_with_them():
    learnt, fresh = noise(2)
    names = list(learnt[0].columns)
    naive = bnlr.Structure.naive_bayes(names, "class")
    classifier = BNClassifier(naive).fit(*learnt)
    assert classifier.network_.structure == naive
    assert excess(classifier, learnt, fresh) < 0.02

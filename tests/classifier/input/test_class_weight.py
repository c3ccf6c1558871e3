"""``class_weight`` is ``sample_weight`` multiplied, and scikit-learn's balanced."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight

import bnlr
from bnlr.classifier.input.class_weight import with_class_weight
from tests.classifier.test_sklearn import CLASSIFIERS, USUAL

SLOW = [
    pytest.param(name, marks=pytest.mark.slow)
    for name in CLASSIFIERS
    if name not in {*USUAL, "TAN, EM", "numbers as labels", "classes balanced"}
]
LABELS = [["no", "yes"], [0, 1, 2], [False, True], [1.0, 2.0, 7.0]]


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("seed", range(5))
def test_weights_are_those_of_scikit_learn(labels, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(
        np.concatenate([labels, rng.choice(labels, 30)]).astype(np.array(labels).dtype)
    )
    named = dict(zip(labels, rng.uniform(0, 3, len(labels)), strict=True))
    for asked in ("balanced", named, {labels[0]: 2.5}):
        found = with_class_weight(asked, y, None)
        np.testing.assert_allclose(found, compute_sample_weight(asked, y), rtol=1e-15)
        weights = rng.integers(0, 3, len(y)) + np.isin(
            np.arange(len(y)), np.unique(y, return_index=True)[1]
        )
        repeated = np.repeat(y, weights)
        by_class = compute_class_weight(asked, classes=np.array(labels), y=repeated)
        expected = weights * by_class[np.searchsorted(labels, y)]
        np.testing.assert_allclose(with_class_weight(asked, y, weights * 1.0), expected, rtol=1e-14)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    y = rng.choice(["a", "b", "c"], 150, p=[0.6, 0.3, 0.1])
    shift = np.searchsorted(["a", "b", "c"], y)
    X = pd.DataFrame(
        {"u": rng.normal(shift), "v": rng.choice(list("xyz"), 150), "w": rng.normal(0, 1, 150)}
    )
    return X, y, rng.uniform(0.5, 2.0, 150)


@pytest.mark.parametrize("name", [*USUAL, "TAN, EM", *SLOW])
@pytest.mark.parametrize("asked", ["balanced", {"a": 0.25, "c": 3.0}])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::bnlr.errors.BnlrWarning")
def test_it_is_sample_weight_multiplied_to_the_bit(name, asked, rows):
    X, y, weights = rows
    plain = bnlr.BNClassifier(**CLASSIFIERS[name], random_state=0)
    weighed = clone(plain).set_params(class_weight=asked)
    by_class = with_class_weight(asked, y, weights)
    a, b = weighed.fit(X, y, weights), plain.fit(X, y, by_class)
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))
    assert a.result_.cll == b.result_.cll


def test_balanced_is_balanced_logistic_regression(rows):
    _, y, _ = rows
    X = pd.DataFrame({"v": np.where(y == "a", 0, 1) ^ (np.arange(150) % 4 == 0)})
    fitted = bnlr.BNClassifier("nb", penalty=0.0, class_weight="balanced", tol=1e-12).fit(X, y)
    peer = LogisticRegression(C=np.inf, class_weight="balanced", tol=1e-12, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(fitted.predict_proba(X), peer.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("equal", "class_weight is 'equal'; choose 'balanced' or None, or give a dictionary"),
        (3.0, "class_weight is 3.0; choose"),
        ({"a": -1}, "class_weight of class 'a' is -1; give a finite number, 0 or larger"),
        ({"a": "much"}, "class_weight of class 'a' is 'much'"),
        ({"a": np.inf}, "class_weight of class 'a' is inf"),
        ({"a": 10**400}, "class_weight of class 'a' is 1000.*; give a finite number"),
        ({"a": np.nan}, "class_weight of class 'a' is nan"),
        ({"A": 2.0, "b": 1.0}, "class_weight has 'A', which is no class of y, and none for 'a'"),
        ({"bb": 2.0}, "none for 'a'; the classes are 'a', 'b', 'c'; did you mean 'b'"),
        ({"a": 0, "b": 0, "c": 0}, "all weights are zero"),
    ],
)
def test_what_is_refused(asked, said, rows):
    X, y, _ = rows
    with pytest.raises(bnlr.ParameterError, match=said):
        bnlr.BNClassifier("nb", class_weight=asked).fit(X, y)


def test_a_class_of_weight_0_is_not_there(rows):
    X, y, _ = rows
    fitted = bnlr.BNClassifier("nb", penalty=1.0, class_weight={"b": 0}).fit(X, y)
    assert list(fitted.classes_) == ["a", "c"]
    # In a fold a rare class may be absent, so that weights of more than the classes are fine.
    few = bnlr.BNClassifier("nb", penalty=1.0, class_weight={"a": 1, "b": 2, "c": 3, "d": 4})
    assert len(few.fit(X, y).classes_) == 3


@pytest.mark.parametrize(
    ("labels", "asked"),
    [([0, 1, 2], {0: 2, 1: 0.5}), (["a", "b", "c"], {"a": np.float64(3)}), ([0, 1, 2], "Balanced"),
     ([False, True, True], {True: 4.0})],
)  # fmt: skip
def test_files_keep_it(labels, asked, rows, tmp_path):
    X, y, _ = rows
    y = np.array(labels)[np.searchsorted(["a", "b", "c"], y)]
    fitted = bnlr.BNClassifier("nb", penalty=1.0, class_weight=asked).fit(X, y)
    fitted.save(tmp_path / "model.json")
    again = bnlr.BNClassifier.load(tmp_path / "model.json")
    assert again.class_weight == asked
    np.testing.assert_array_equal(again.fit(X, y).predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize("structure", ["auto", "tan", pytest.param("pool", marks=pytest.mark.slow)])
@pytest.mark.parametrize("penalty", ["auto", 3.0])
def test_a_class_of_hardly_any_weight_is_hardly_expected(structure, penalty):
    """Whatever attributes seem to tell of it: its rows together weigh a thousandth of one."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = rng.normal(y[:, None], 0.3, (60, 2))  # one number tells the classes apart
    classifier = bnlr.BNClassifier(structure, penalty=penalty, class_weight={0: 1e3, 1: 3e-5})
    fitted = classifier.fit(X, y)
    share = 3e-5 * y.sum() / (1e3 * (y == 0).sum())
    assert (fitted.predict_proba(X)[:, 1] < 10 * share).all()
    # A weight that counts is learnt from.
    tenth = classifier.set_params(class_weight={1: 0.1}).fit(X, y)
    assert (tenth.predict(X) == y).mean() > 0.9

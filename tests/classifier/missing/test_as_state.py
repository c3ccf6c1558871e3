"""``missing="state"``: a hole as a state of its own."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr import BNClassifier


@pytest.fixture(scope="module")
def holed():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 150)
    frame = pd.DataFrame(
        {
            "text": np.array(["p", "q", "r"])[(y + (rng.random(150) < 0.4)) % 3],
            "size": y + rng.normal(0, 0.6, 150),
            "grade": rng.integers(0, 3, 150),
        }
    )
    frame = frame.mask(rng.random(frame.shape) < 0.2 + 0.3 * y[:, None])
    return frame.assign(whole=(rng.random(150) < 0.3).astype(int)), y


def test_it_is_a_text_in_the_place_of_the_hole(holed):
    X, y = holed
    # Folds are dealt by numbers here and by the names of their intervals there.
    found = BNClassifier("tan", missing="state", penalty=3.0).fit(X, y)
    intervals = found.discretizer_.transform(X[list(found.discretizer_.feature_names_in_)])
    texts = X.assign(**dict(intervals.items())).astype(object)
    texts = texts.where(texts.notna(), "missing")
    other = BNClassifier("tan", penalty=3.0).fit(texts, y)
    np.testing.assert_allclose(found.predict_proba(X), other.predict_proba(texts), atol=1e-8)
    assert found.missing_states_ == dict.fromkeys(["text", "size", "grade"], "missing")
    assert found.network_.states["grade"] == (0, 1, 2, "missing")
    assert found.result_.learner == "lr"


def test_a_hole_where_fit_saw_none_is_summed_out(holed):
    X, y = holed
    classifier = BNClassifier("naive-bayes", missing="state").fit(X, y)
    row = X.iloc[[0]].assign(whole=np.nan)
    with pytest.warns(bnlr.UnexpectedMissingWarning):
        found = classifier.predict_proba(row)
    filled = [
        classifier.predict_proba(row.assign(whole=value)) * weight
        for value, weight in zip((0, 1), _weights(classifier, row), strict=True)
    ]
    np.testing.assert_allclose(found, sum(filled), atol=1e-9)


def _weights(classifier, row):
    """P(whole | the row's other cells)."""
    network = classifier.network_
    evidence = {
        "text": row["text"].iloc[0],
        "grade": row["grade"].iloc[0],
        "size": classifier.discretizer_.transform(row[["size"]])["size"].iloc[0],
    }
    evidence = {k: "missing" if pd.isna(v) else v for k, v in evidence.items()}
    return network.query(["whole"], evidence=evidence)


@pytest.mark.parametrize("dtype", ["object", "str", "string[pyarrow]", "category"])
def test_labels_that_fit_has_not_seen_are_no_holes(holed, dtype):
    X, y = holed
    classifier = BNClassifier("tan", missing="state", penalty=1.0).fit(X.astype({"text": dtype}), y)
    rows = X[:5].assign(
        text=pd.Series(["new", None, "p", "missing", "new"]).astype(dtype),
        grade=pd.array([7, 1, None, 0, None], dtype="Int8"),
    )
    with pytest.warns(bnlr.UnseenStateWarning, match=r"'text' has 'new' in 2 .*; .*'grade' has 7"):
        found = classifier.predict_proba(rows)
    read = rows.assign(
        text=[None, "missing", "p", "missing", None],
        grade=pd.Series([None, 1, "missing", 0, "missing"], dtype=object),
        size=classifier.discretizer_.transform(rows[["size"]])["size"].astype(object),
    )
    read["size"] = read["size"].fillna("missing")
    expected = classifier.network_.predict_proba(read.astype(object))
    np.testing.assert_array_equal(found, expected)


def test_a_label_of_that_name_is_another(holed):
    X, y = holed
    taken = X.assign(text=X["text"].replace("p", "missing"))
    classifier = BNClassifier("naive-bayes", missing="state").fit(taken, y)
    assert classifier.missing_states_["text"] == "missing_"
    assert set(classifier.network_.states["text"]) == {"missing", "missing_", "q", "r"}


def test_a_file_keeps_the_states(holed, tmp_path):
    X, y = holed
    classifier = BNClassifier("tan", missing="state", discretize="mdl-5").fit(X, y)
    classifier.save(tmp_path / "model.json")
    again = BNClassifier.load(tmp_path / "model.json")
    assert again.missing_states_ == classifier.missing_states_
    assert again.get_params()["missing"] == "state"
    np.testing.assert_array_equal(again.predict_proba(X), classifier.predict_proba(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "drop"}, "missing is 'drop'; choose one of sum, state"),
        ({"missing": ["sum"]}, "missing is"),
        ({"missing": "state", "expect_missing": 0.2}, "leave one of them out"),
    ],
)
def test_others_are_refused(holed, options, message):
    with pytest.raises(bnlr.ParameterError, match=message):
        BNClassifier("tan", **options).fit(*holed)

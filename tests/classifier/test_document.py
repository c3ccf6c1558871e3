"""Classifier files: what is saved predicts the same bits; what was meddled with is refused."""

import copy
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr import BNClassifier
from bnlr.io.models.envelope import read_document, write_document
from tests.classifier.test_estimator import mixed_frame
from tests.width import in_full


@pytest.fixture(scope="module")
def fitted():
    X, y = mixed_frame()
    return BNClassifier("tan", penalty=0.5, random_state=4).fit(X, y)


def saved(classifier, path):
    classifier.save(path)
    return BNClassifier.load(path)


def test_round_trip_keeps_every_bit_and_every_attribute(fitted, tmp_path):
    again = saved(fitted, tmp_path / "model.json")
    rows, _ = mixed_frame(50, seed=9)
    np.testing.assert_array_equal(again.predict_proba(rows), fitted.predict_proba(rows))
    np.testing.assert_array_equal(again.predict(rows), fitted.predict(rows))
    assert again.get_params() == fitted.get_params()
    np.testing.assert_array_equal(again.feature_names_in_, fitted.feature_names_in_)
    assert again.n_features_in_ == 6
    assert again.n_iter_ == fitted.n_iter_
    assert again.summary() == fitted.summary()
    assert again.report_.to_dict() == fitted.report_.to_dict()
    assert again.result_.cll == fitted.result_.cll
    (tmp_path / "again.json").write_bytes(b"old")
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def test_bnlr_save_writes_the_same_file(fitted, tmp_path):
    bnlr.save(fitted, tmp_path / "a.json")
    fitted.save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    with pytest.raises(bnlr.ModelFileError, match=r"holds a classifier.*BNClassifier\.load"):
        bnlr.load(tmp_path / "a.json")


@pytest.mark.parametrize(
    "labels",
    [
        *in_full(["é", "a b"], [3, -1]),
        [True, False],
        *in_full([2.0, 1.5], np.array([7, 8], dtype=np.uint8)),
    ],
)
def test_labels_keep_their_type(labels, tmp_path):
    y = np.array(list(labels) * 6)
    y = y if y.dtype.kind != "f" else np.where(y == 1.5, 1.0, y)
    X = pd.DataFrame({"a": ["p", "q"] * 6})
    classifier = BNClassifier().fit(X, y)
    again = saved(classifier, tmp_path / "m.json")
    assert again.classes_.dtype == classifier.classes_.dtype == y.dtype
    np.testing.assert_array_equal(again.predict(X), y)


def test_given_structures_and_arrays_without_names(tmp_path):
    X = [["p", 1], ["q", 2]] * 6
    s = bnlr.Structure([("c", "x1")], "c")
    classifier = BNClassifier(s).fit(X, ["no", "yes"] * 6)
    again = saved(classifier, tmp_path / "m.json")
    assert again.structure == s
    assert not hasattr(again, "feature_names_in_")
    assert list(again.predict(X[:2])) == ["no", "yes"]
    path = tmp_path / "s.txt"
    path.write_text("c -> x1")
    with pytest.raises(bnlr.ModelFileError, match="class"):
        BNClassifier(path).fit(X, ["no", "yes"] * 6)


@pytest.mark.parametrize(
    "options",
    [{"learner": "frequencies", "temperature": "auto"}, {"nonperfect": "embed"}, {"penalty": 0}],
    ids=["tempered", "embedded", "elr"],
)
def test_a_structure_that_is_not_perfect_comes_back_as_given(options, tmp_path):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(0, 3, (90, 2)), columns=["a", "b"]).astype(str)
    y = pd.Series(rng.permutation(["p", "q", "r"] * 30), name="c")
    structure = bnlr.Structure([("a", "b"), ("c", "b")], class_name="c")
    fitted = BNClassifier(structure, **options).fit(X, y)
    again = saved(fitted, tmp_path / "model.json")
    assert again.structure == structure
    assert again.report_.structure == fitted.report_.structure
    assert again.summary() == fitted.summary()
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    saved(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def test_frequencies_with_an_impossible_row_are_saved(tmp_path):
    X = pd.DataFrame({"a": ["p", "q", "p"] * 5})
    classifier = BNClassifier(learner="frequencies", pseudocount=0.0).fit(X, [0, 1, 1] * 5)
    again = saved(classifier, tmp_path / "m.json")
    assert again.result_.cll == classifier.result_.cll
    np.testing.assert_array_equal(again.predict_proba(X), classifier.predict_proba(X))


@pytest.mark.slow
def test_another_process_reads_it(fitted, tmp_path):
    path = tmp_path / "model.json"
    fitted.save(path)
    rows, _ = mixed_frame(5, seed=2)
    rows.to_pickle(tmp_path / "rows.pkl")
    program = (
        "import bnlr, pandas, sys; c = bnlr.BNClassifier.load(sys.argv[1]);"
        "print(c.predict_proba(pandas.read_pickle(sys.argv[2])).tolist())"
    )
    out = subprocess.run(
        [sys.executable, "-c", program, path, tmp_path / "rows.pkl"],
        env={**os.environ, "PYTHONHASHSEED": "5"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert out.stdout.strip() == str(fitted.predict_proba(rows).tolist())


def put(*path_and_value):
    *path, value = path_and_value

    def change(content):
        target = content
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = value

    return change


MEDDLED = {
    "no classes": lambda c: c.pop("classes"),
    "an unknown field": put("code", "print()"),
    "other classes": put("classes", "values", ["x", "y", "q"]),
    "fewer classes": put("classes", "values", ["x", "y"]),
    "a cut-off type": put("classes", "dtype", "<U0"),
    "a type of another kind": put("classes", "dtype", "<f8"),
    "a type that is code": put("classes", "dtype", "O, __import__('os')"),
    "a huge type": put("classes", "dtype", "<U99999999999"),
    "a type that is a list": put("classes", "dtype", ["<i8"]),
    "a missing column": lambda c: c["columns"]["names"].pop(),
    "a column twice": lambda c: c["columns"]["names"].append("text"),
    "names that are numbers": put("columns", "names", [1, 2, 3, 4, 5, 6]),
    "columns unnamed": put("columns", "are_named", False),
    "columns named maybe": put("columns", "are_named", 1),
    "cut points falling": put("cut_points", "length", [2.0, 1.0]),
    "cut points of text": put("cut_points", "length", ["1"]),
    "other cut points": put("cut_points", "length", [1e9]),
    "cut points of no column": put("cut_points", "nowhere", [1.0]),
    "cut points a number": put("cut_points", 3),
    "a parameter too many": put("parameters", "extra", 1),
    "a parameter too few": lambda c: c["parameters"].pop("tol"),
    "a parameter that is a list": put("parameters", "learner", ["lr"]),
    "a fit of text": put("fit", "cll", "good"),
    "a fit of a boolean": put("fit", "n_iter", True),
    "no message": put("fit", "message", None),
    "a network of nothing": put("network", {}),
    "a hole that is no state": put("missing_states", {"text": "nowhere"}),
    "a hole in no column": put("missing_states", {"nowhere": "red"}),
    "arcs that are none": put("added_arcs", "judged", [["text", "nowhere"]]),
    "arcs of three": put("added_arcs", "given", [["a", "b", "c"]]),
    "arcs of text": put("added_arcs", "given", "text"),
    "a table of text": put("selection", "fan"),
    "candidates of nothing": put("selection", [[]]),
    "a cut point beyond a double": put("cut_points", "length", [10**400]),
    "a likelihood beyond a double": put("fit", "cll", -(10**400)),
    "a candidate of half a character": put(
        "selection", [["\ud800", "mdl", "scaled", 1.0, 0.5, 0.1]]
    ),
    "a reading that is none": put("reading", "--na x"),
    "a reading of the shell": put("reading", {"is_shell": True}),
    "a text for a list of texts": put("reading", {"missing": "n/a"}),
    "numbers for texts": put("reading", {"missing": [-9]}),
    "a delimiter of two": put("reading", {"delimiter": ";;"}),
    "an encoding that is a number": put("reading", {"encoding": 8}),
    "a header maybe": put("reading", {"header": 0}),
    "candidates without numbers": put("selection", [["fan", "mdl", "scaled", 1.0, 0.5, "0"]]),
}


@pytest.mark.parametrize("change", MEDDLED.values(), ids=MEDDLED)
def test_signed_but_meddled_content_is_refused(fitted, tmp_path, change):
    path = tmp_path / "model.json"
    fitted.save(path)
    _, content = read_document(path)
    content = copy.deepcopy(content)
    change(content)
    write_document("classifier", content, path)
    with pytest.raises(bnlr.ModelFileError, match=r"model\.json"):
        BNClassifier.load(path)


def test_a_file_from_before_holes_were_states_is_read(fitted, tmp_path):
    path = tmp_path / "model.json"
    fitted.save(path)
    content = copy.deepcopy(read_document(path)[1])
    for later in ("missing_states", "selection", "added_arcs", "reading"):
        content.pop(later)
    for later in ("missing", "temperature"):
        content["parameters"].pop(later)
    write_document("classifier", content, path)
    again = BNClassifier.load(path)
    assert again.get_params() == fitted.get_params()
    assert again.missing_states_ == {}
    assert again.selection_ is None


def test_unsigned_changes_and_other_kinds_are_refused(fitted, tmp_path):
    path = tmp_path / "model.json"
    fitted.save(path)
    text = path.read_text()
    path.write_text(text.replace("0.5", "0.6", 1))
    with pytest.raises(bnlr.ModelFileError, match="changed or damaged"):
        BNClassifier.load(path)
    bnlr.save(fitted.network_, path)
    with pytest.raises(bnlr.ModelFileError, match=r"holds a network.*bnlr\.load"):
        BNClassifier.load(path)
    with pytest.raises(bnlr.ModelFileError, match=r"\.pkl"):
        fitted.save(tmp_path / "model.pkl")

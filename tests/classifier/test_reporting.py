"""``write_report``: every model and every way to give rows come to the same page."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.exceptions import NotFittedError

import bnlr
from bnlr.classifier.reporting import evaluation_of, write_report
from tests.report.model.test_report_page import check_stands_alone, plain
from tests.width import width


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    y = rng.choice(["a", "b"], 240)
    number = np.where(y == "a", 1.0, -1.0) + rng.normal(size=240)
    return pd.DataFrame({"number": number, "text": rng.choice(["u", "v"], 240), "class": y})


@pytest.fixture(scope="module")
def classifier(frame):
    return bnlr.BNClassifier("naive-bayes", penalty=1.0).fit(
        frame[["number", "text"]], frame["class"]
    )


@pytest.mark.slow
def test_page_of_a_classifier_has_its_own_scores(classifier, frame, tmp_path):
    path = tmp_path / "page.html"
    write_report(classifier, frame[["number", "text"]], path, frame["class"], title="A & B")
    text = path.read_text(encoding="utf-8")
    check_stands_alone(text)
    loss = metrics.log_loss(frame["class"], classifier.predict_proba(frame[["number", "text"]]))
    assert f"log-loss{loss:.4f}" in plain(text).replace(" ", "")
    assert "<title>A &amp; B</title>" in text
    assert re.search(r"'number' into \d", plain(text))
    assert f"<td>{bnlr.__version__}</td>" in text


@pytest.mark.slow
@pytest.mark.wide  # all figures of each page are drawn: five pages are slow
def test_the_class_may_stand_in_the_frame_or_beside_it(classifier, frame, tmp_path):
    own = classifier.network_.structure.class_name
    whole = frame.rename(columns={"class": own})
    X = frame[["number", "text"]]
    ways = [(X, frame["class"]), (whole, None), (whole[[own, "text", "number"]], None)]
    ways += [(X, frame["class"].tolist()), (X, frame["class"].to_numpy())]
    pages = set()
    for k, (data, y) in enumerate(ways[: width(5, 2)]):
        write_report(classifier, data, tmp_path / f"{k}.html", y)
        pages.add((tmp_path / f"{k}.html").read_bytes())
    assert len(pages) == 1


@pytest.mark.slow
def test_networks_and_results_take_frames_and_data_sets(tmp_path):
    frame = bnlr.load_dataset("monks-1")
    data = bnlr.Dataset.from_frame(frame, "class")
    result = bnlr.fit(bnlr.learn_structure(data), data, penalty=1.0)
    by_frame, by_data = evaluation_of(result, frame), evaluation_of(result.network, data)
    for node in data.nodes:
        np.testing.assert_array_equal(by_frame.data.column(node), data.column(node))
    np.testing.assert_array_equal(by_frame.probabilities, result.network.predict_proba(data))
    assert (by_frame.result, by_data.result) == (result, None)
    beside = evaluation_of(result, frame.drop(columns="class"), frame["class"])
    np.testing.assert_array_equal(beside.data.codes, by_frame.data.codes)
    write_report(result, frame, tmp_path / "page.html")
    assert "These are the rows that the model was fitted to" in (tmp_path / "page.html").read_text(
        encoding="utf-8"
    )


def test_labels_never_seen_are_noted_and_warned_of(classifier, frame):
    odd = frame.head(30).assign(text=["w", *frame["text"][1:30]])
    odd["class"] = ["c", *frame["class"][1:30]]
    with pytest.warns(bnlr.UnseenStateWarning):
        evaluation = evaluation_of(classifier, odd[["number", "text"]], odd["class"])
    assert any("'text' has 'w'" in note for note in evaluation.notes)
    assert any("'c'" in note for note in evaluation.notes)
    assert (evaluation.known.size, evaluation.data.n_missing) == (29, 2)


def test_holes_that_were_not_expected_are_noted_each_time(classifier, frame):
    holed = frame.copy()
    holed.iloc[:5, 0] = None
    pages = []
    for _ in range(2):
        with pytest.warns(bnlr.UnexpectedMissingWarning, match="trained on complete rows"):
            pages.append(evaluation_of(classifier, holed))
    assert pages[0].notes == pages[1].notes
    assert len(pages[1].notes) == 1


def test_nodes_that_do_not_matter_may_be_absent():
    net = bnlr.BayesianNetwork(
        bnlr.Structure([("c", "a"), ("a", "b")], "c"),
        dict.fromkeys("cab", (0, 1)),
        {"c": np.array([0.4, 0.6]), "a": np.full((2, 2), 0.5), "b": np.full((2, 2), 0.5)},
    )
    assert evaluation_of(net, pd.DataFrame({"a": [0, 1], "c": [1, 0]})).known.size == 2
    with pytest.raises(bnlr.DataError, match="no column 'a'"):
        evaluation_of(net, pd.DataFrame({"b": [0, 1], "c": [1, 0]}))


@pytest.mark.slow
def test_bad_input_is_refused_with_nothing_written(classifier, frame, tmp_path):
    X, path = frame[["number", "text"]], tmp_path / "page.html"
    with pytest.raises(NotFittedError):
        write_report(bnlr.BNClassifier(), X, path)
    with pytest.raises(bnlr.ParameterError, match=r"takes a BNClassifier, .* got str"):
        write_report("model.json", X, path)
    with pytest.raises(bnlr.DataError, match="y has 3 classes, but there are 240 rows"):
        write_report(classifier, X, path, ["a", "b", "a"])
    with pytest.raises(bnlr.DataError, match="index of y holds the labels of X's in another order"):
        write_report(classifier, X, path, frame["class"].iloc[::-1])
    with pytest.raises(bnlr.ParameterError, match="rows are whole numbers from 1 to 240"):
        write_report(classifier, X, path, frame["class"], rows=[241])
    with pytest.raises(bnlr.DataError, match="data frame or a Dataset, got list"):
        write_report(classifier.network_, [["u", "v"]], path)
    with pytest.raises(bnlr.ModelFileError, match="cannot write"):
        write_report(classifier, X, tmp_path / "no" / "page.html", frame["class"])
    assert list(tmp_path.iterdir()) == []


def test_an_old_page_stays_whole_if_there_is_no_new_one(classifier, frame, tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(bnlr.ParameterError):
        write_report(classifier, frame[["number", "text"]], path, frame["class"], rows=[0])
    for rows in (3, "3", None):
        with pytest.raises(bnlr.ParameterError, match="give a list of numbers of rows"):
            write_report(classifier, frame[["number", "text"]], path, frame["class"], rows=rows)
    assert path.read_text() == "old"

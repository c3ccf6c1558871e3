"""Each line of the guide's table of troubles that people know from other tools."""

import re
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr import BNClassifier

GUIDE = Path(__file__).parents[1] / "docs" / "guide" / "compared.md"


@pytest.fixture(scope="module")
def boards():
    frame = bnlr.load_dataset("tic-tac-toe")
    return frame.drop(columns="class"), frame["class"]


def joint_of(network, row):
    """P(class, row) of each class, by the product of CPT entries."""
    own, joint = network.structure.class_name, []
    for label in network.class_states:
        cells, factor = {**row, own: label}, 1.0
        for node in network.structure.nodes:
            axes = (*network.structure.parents(node), node)
            factor *= network.cpts[node][tuple(network.states[x].index(cells[x]) for x in axes)]
        joint.append(factor)
    return np.array(joint)


def test_two_class_probabilities_are_the_posterior(boards):
    X, y = boards
    classifier = BNClassifier("tan").fit(X, y)
    found = classifier.predict_proba(X[::97])
    joint = np.array([joint_of(classifier.network_, row) for row in X[::97].to_dict("records")])
    np.testing.assert_allclose(found, joint / joint.sum(axis=1, keepdims=True), rtol=1e-9)


def test_columns_in_another_order_are_refused_or_matched_by_name(boards):
    X, y = boards
    classifier = BNClassifier("naive-bayes").fit(X, y)
    turned = X[X.columns[::-1]]
    with pytest.raises(bnlr.DataError, match="same order"):
        classifier.predict(turned)
    np.testing.assert_array_equal(
        classifier.network_.predict_proba(turned), classifier.network_.predict_proba(X)
    )


def test_states_keep_the_categories_order():
    a = pd.Categorical(["low", "high", "mid"] * 4, ["low", "mid", "high"])
    classifier = BNClassifier("naive-bayes").fit(pd.DataFrame({"a": a}), [0, 1] * 6)
    assert classifier.network_.states["a"] == ("low", "mid", "high")


def test_integers_with_a_hole_stay_integers():
    frame = pd.DataFrame({"a": [1, 2, np.nan] * 4, "y": [0, 1] * 6})
    assert list(frame["a"].astype(str).unique()) != ["1", "2"]
    assert bnlr.Dataset.from_frame(frame, "y").states["a"] == (1, 2)


def test_em_counts_every_row_with_a_hole():
    """With one attribute and holes in it alone, EM's class frequencies are those of all rows."""
    y = np.repeat([0, 1], [300, 700])
    a = np.where(np.arange(1000) % 7 == 0, y ^ (np.arange(1000) % 5 == 0), np.nan)
    data = bnlr.Dataset.from_frame(pd.DataFrame({"a": a, "y": y}), "y")
    s = bnlr.Structure.naive_bayes(["a"], "y")
    network = bnlr.fit(s, data, learner="em", pseudocount=0.0).network
    np.testing.assert_allclose(network.cpts["y"], [0.3, 0.7], atol=1e-9)


def test_an_unseen_value_is_summed_out_with_a_warning(boards):
    X, y = boards
    classifier = BNClassifier("naive-bayes").fit(X, y)
    row = X[:1].copy()
    row.iloc[0, 0] = "triangle"
    with pytest.warns(bnlr.UnseenStateWarning, match="'triangle' in 1 cell"):
        found = classifier.predict_proba(row)[0]
    network, first, rest = classifier.network_, X.columns[0], row.iloc[0].to_dict()
    joint = sum(joint_of(network, {**rest, first: state}) for state in network.states[first])
    np.testing.assert_allclose(found, joint / joint.sum(), rtol=1e-9)


def test_impossible_evidence_gives_the_prior_or_an_error():
    s = bnlr.Structure([("c", "a"), ("c", "b")], "c")
    states = {"c": (0, 1), "a": (0, 1), "b": (0, 1)}
    certain = [[1.0, 0.0], [0.0, 1.0]]
    network = bnlr.BayesianNetwork(s, states, {"c": [0.25, 0.75], "a": certain, "b": certain})
    with pytest.warns(bnlr.BnlrWarning, match=r"1 row \(0\) of probability 0"):
        found = network.predict_proba(pd.DataFrame({"a": [0], "b": [1]}))
    np.testing.assert_allclose(found, [[0.25, 0.75]], rtol=1e-15)
    with pytest.raises(bnlr.ImpossibleEvidenceError, match="probability 0"):
        network.query(["c"], {"a": 0, "b": 1})


def test_ties_go_to_the_first_class_in_every_call():
    X = pd.DataFrame(list(product("ab", "cd", "ef")), columns=["u", "v", "w"])
    rows = pd.concat([X, X], ignore_index=True)
    classifier = BNClassifier("naive-bayes", learner="frequencies")
    classifier.fit(rows, ["no"] * len(X) + ["yes"] * len(X))
    first, second = classifier.predict(X), classifier.predict(X)
    assert first.tolist() == second.tolist() == ["no"] * len(X)


def test_separation_is_named_and_the_result_finite():
    a, b = ["p", "q"] * 9 + ["q"] * 2, ["u", "v", "v", "u"] * 5
    X, y = pd.DataFrame({"a": a, "b": b}), [0, 1] * 10
    with pytest.warns(bnlr.SeparationWarning, match=r"a=p never occurs.*penalty=1"):
        classifier = BNClassifier("naive-bayes", penalty=0).fit(X, y)
    assert np.isfinite(classifier.predict_log_proba(X)).all()
    frame = X.assign(y=y)
    data = bnlr.Dataset.from_frame(frame, "y")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.SeparationWarning)
        result = bnlr.fit(bnlr.Structure.naive_bayes(["a", "b"], "y"), data)
    with pytest.raises(bnlr.BnlrError, match="separat"):
        result.significance(data)


def test_a_table_that_would_not_fit_is_refused_with_its_size():
    names = [*"abcdef", "child"]
    rows = pd.DataFrame({name: np.arange(120) % 30 for name in names})
    rows["y"] = np.arange(120) % 2
    s = bnlr.Structure([(name, "child") for name in [*"abcdef", "y"]], "y")
    with pytest.raises(bnlr.TooLargeError, match=r"43,740,000,000 cells, 325.9 GiB"):
        bnlr.fit(s, bnlr.Dataset.from_frame(rows, "y"))


@pytest.mark.parametrize("extension", ["json", "bif", "xmlbif", "net"])
def test_a_comma_in_a_state_survives_a_file(extension, tmp_path):
    s = bnlr.Structure([("c", "a")], "c")
    states = {"c": ("no, never", "yes"), "a": ('x"y', "z")}
    cpts = {"c": [1 / 3, 2 / 3], "a": [[0.1, 0.9], [1e-17, 1.0]]}
    network = bnlr.BayesianNetwork(s, states, cpts)
    bnlr.save(network, tmp_path / f"n.{extension}")
    found = bnlr.load(tmp_path / f"n.{extension}", class_name="c")
    assert dict(found.states) == states
    for node in s.nodes:
        assert found.cpts[node].tobytes() == network.cpts[node].tobytes()


def test_a_column_of_a_file_that_does_not_sum_to_one_is_refused(tmp_path):
    path = tmp_path / "n.bif"
    path.write_text(
        "network n {}\n"
        "variable c { type discrete [2] {x, y}; }\n"
        "probability (c) { table 0.7, 0.7; }\n"
    )
    with pytest.raises(bnlr.ModelFileError, match=r"1\.4"):
        bnlr.load(path, class_name="c")


def test_nothing_is_printed_while_it_works(boards, capfd):
    X, y = boards
    BNClassifier("tan").fit(X, y).predict(X)
    bnlr.fit(
        bnlr.Structure.naive_bayes(list(X.columns), "class"),
        bnlr.Dataset.from_frame(X.assign(**{"class": y}), "class"),
        penalty=1.0,
    )
    assert capfd.readouterr() == ("", "")


def test_three_classes_are_cut_at_the_published_points():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True, as_frame=True)
    cuts = bnlr.MDLDiscretizer().fit(X, y).cut_points_
    for found, expected in zip(
        cuts, [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]], strict=True
    ):
        np.testing.assert_allclose(found, expected)


def test_a_missing_nominal_of_an_arff_file_is_missing(tmp_path):
    path = tmp_path / "rows.arff"
    path.write_text("@relation r\n@attribute a {p,q}\n@attribute y {0,1}\n@data\np,0\n?,1\nq,1\n")
    frame = bnlr.read_frame(path)
    assert frame["a"].isna().tolist() == [False, True, False]
    assert list(frame["a"].cat.categories) == ["p", "q"]


def test_the_table_has_a_test_a_line():
    if not GUIDE.is_file():
        pytest.skip("no guide beside these tests")
    named = re.findall(r"`(test_\w+)`", GUIDE.read_text("utf-8"))
    written = Path(__file__).read_text("utf-8")
    assert len(named) >= 15
    assert [name for name in named if f"def {name}(" not in written] == []

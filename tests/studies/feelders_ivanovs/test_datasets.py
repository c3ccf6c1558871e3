"""The UCI sets against table 1, known optima and scikit-learn's trees; where they are found."""

import http.client
import urllib.error
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import Bunch

import bnlr
from studies.common import sources
from studies.common.sources import BESIDE_CHECKOUT
from studies.feelders_ivanovs import datasets, paper
from studies.feelders_ivanovs.datasets import StudyData, artificial, deviations, facts, load

needs_files = pytest.mark.skipif(
    not BESIDE_CHECKOUT.is_dir(), reason="the data sets are not beside the checkout"
)


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    monkeypatch.setattr(sources, "BESIDE_CHECKOUT", tmp_path / "absent")


def one(name, **options):
    (study,) = load([name], **options).sets.values()
    return study


# The sets themselves


@needs_files
@pytest.mark.parametrize("name", paper.UCI)
def test_table_1_is_met(name):
    study = one(name, download=False)
    assert facts(study.data) == paper.TABLE_1[name]
    assert study.data.is_complete
    assert bnlr.analyze(study.structure).is_perfect


@needs_files
@pytest.mark.parametrize(
    ("name", "n_arcs"), [("Glass", 0), ("Pima", 2), ("Satimage", 0), ("Tic-tac-toe", 6)]
)
def test_numbers_of_arcs(name, n_arcs):
    study = one(name, download=False)
    assert len(study.structure.edges) == len(study.structure.attributes) + n_arcs


@needs_files
def test_voting_has_question_marks_and_twelve_arcs():
    study = one("Voting", download=False)
    states = {study.data.states[node] for node in study.structure.attributes}
    assert states == {("?", "n", "y")}
    assert sum(study.data.cards[n] == 3 for n in study.structure.attributes) == 16
    assert len(study.structure.edges) == 16 + 12
    n_unknown = sum(int((study.data.column(n) == 0).sum()) for n in study.structure.attributes)
    assert n_unknown == 392


@needs_files
def test_pima_as_designed():
    study = one("Pima", download=False)
    assert study.structure.edges[8:] == (("pregnant", "age"), ("glucose", "insulin"))
    result = bnlr.fit(study.structure, study.data)
    assert result.cll == pytest.approx(-335.526, abs=1e-3)
    start = literal_start(study)
    assert start == pytest.approx(-338.593, abs=1e-3)
    threshold = result.cll - paper.THRESHOLD_SHARE * (result.cll - start)
    assert threshold == pytest.approx(-335.680, abs=1e-3)
    assert any("−335.680" in sentence for sentence in deviations([study]))


@needs_files
def test_pima_s_zeros_as_a_state_of_their_own_are_tried():
    study = one("Pima", download=False)
    raw = pd.read_csv(BESIDE_CHECKOUT / "pima.csv")
    assert facts(study.with_holes).n_rows == len(raw)
    for name in raw.columns.drop("class"):
        is_hole = np.array(study.with_holes.states[name])[study.with_holes.column(name)] == "?"
        wanted = (raw[name] == 0) & (name not in {"pregnant", "pedigree", "age"})
        np.testing.assert_array_equal(is_hole, wanted)
    naive = bnlr.learn_structure(study.with_holes, "naive-bayes")
    design = bnlr.LogLinear(naive, study.with_holes.states).design(study.with_holes)
    model = LogisticRegression(C=np.inf, max_iter=2000, tol=1e-10)
    model.fit(design, study.with_holes.class_codes)
    best = -log_loss(study.with_holes.class_codes, model.predict_proba(design), normalize=False)
    start = literal_start(replace(study, data=study.with_holes, structure=naive))
    expected = best - 0.05 * (best - start)
    assert datasets.threshold(naive, study.with_holes) == pytest.approx(expected, abs=1e-3)
    assert expected == pytest.approx(-334.972, abs=1e-3)
    (told,) = (sentence for sentence in deviations([study]) if "−335.680" in sentence)
    assert "a state of their own it is −325.538" in told


def literal_start(study):
    """CLL of the add-one frequencies, a row at a time."""
    data, structure = study.data, study.structure
    frame = pd.DataFrame({node: data.column(node) for node in data.nodes})
    tables = {}
    for node in structure.nodes:
        shape = [data.cards[n] for n in (*structure.parents(node), node)]
        counts = np.ones(shape)
        np.add.at(counts, tuple(frame[n] for n in (*structure.parents(node), node)), 1)
        tables[node] = counts / counts.sum(axis=-1, keepdims=True)
    total = 0.0
    for _, row in frame.iterrows():
        joint = np.ones(data.cards[data.class_name])
        for c in range(len(joint)):
            code = {**row, data.class_name: c}
            for node in structure.nodes:
                family = (*structure.parents(node), node)
                joint[c] *= tables[node][tuple(code[n] for n in family)]
        total += np.log(joint[row[data.class_name]] / joint.sum())
    return total


@needs_files
def test_satimage_is_cut_where_a_tree_of_one_level_would():
    study = one("Satimage", download=False)
    raw = pd.read_csv(BESIDE_CHECKOUT / "satimage.csv").iloc[:4435]
    for node in study.structure.attributes:
        values = raw[[node]].to_numpy(float)
        tree = DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(values, raw["class"])
        above = (values[:, 0] > tree.tree_.threshold[0]).astype(int)
        np.testing.assert_array_equal(study.data.column(node), above)
    assert study.structure == bnlr.learn_structure(study.data, "naive-bayes")


@needs_files
def test_satimage_keeps_the_class_without_rows():
    data = one("Satimage", download=False).data
    counts = np.bincount(data.class_codes, minlength=7)
    assert data.states["class"] == datasets.SATIMAGE_CLASSES
    assert counts.tolist() == [1072, 479, 961, 415, 470, 0, 1038]


# Deviations


def test_deviations_name_each_difference():
    study = StudyData("Glass", *two_rows())
    told = deviations([study])
    assert "Glass: 2 rows here, 214 in the paper's table 1." in told
    assert "Glass: 1 attributes here, 9 in the paper's table 1." in told
    assert "Glass: 2 classes here, 6 in the paper's table 1." in told
    assert any("2 states in the largest attribute" in sentence for sentence in told)
    assert deviations([]) == []


def two_rows():
    data = bnlr.Dataset.from_codes([[0, 0], [1, 1]], {"class": (0, 1), "a": (0, 1)}, "class")
    return data, bnlr.learn_structure(data, "naive-bayes")


def test_no_figure_of_table_1_differs_in_the_set_that_is_built_in(nowhere):
    study = one("Tic-tac-toe", download=False)
    assert facts(study.data) == paper.TABLE_1["Tic-tac-toe"]
    assert not any("table 1" in sentence for sentence in deviations([study]))


# Where they are found


def test_without_files_and_network_only_the_built_in_is_there(nowhere):
    loaded = load(download=False)
    assert list(loaded.sets) == ["Tic-tac-toe"]
    assert len(loaded.sets["Tic-tac-toe"].structure.edges) == 15
    assert list(loaded.left_out) == ["Glass", "Pima", "Satimage", "Voting"]
    for name, reason in loaded.left_out.items():
        assert reason.startswith("no file ")
        assert datasets.SOURCES[name].file in reason
        assert "not built in" in reason


@pytest.mark.parametrize(
    ("error", "n_asked"),
    [
        (urllib.error.URLError("no route"), 1),
        (TimeoutError("timed out"), 1),
        (http.client.IncompleteRead(b""), 1),
        (ValueError("no active dataset"), 4),
    ],
)
def test_an_absent_network_leaves_sets_out_with_the_reason(nowhere, monkeypatch, error, n_asked):
    asked = []

    def fails(name, **options):
        asked.append(name)
        raise error

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fails)
    loaded = load(["Glass", "Pima", "Satimage", "Voting"])
    assert not loaded.sets
    assert len(asked) == n_asked
    assert all(str(error) in reason for reason in loaded.left_out.values())


def test_openml_is_read(nowhere, monkeypatch):
    rng = np.random.default_rng(0)
    labels = pd.Categorical(rng.choice(["1.", "2.", "7."], 4500))
    brightness = labels.codes * 50.0 + rng.integers(0, 60, 4500)
    names = {}

    def fetched(name, version, **options):
        names[name] = version
        return Bunch(data=pd.DataFrame({"A1": brightness}), target=pd.Series(labels))

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetched)
    study = one("Satimage")
    assert names == {"satimage": 1}
    assert facts(study.data) == paper.DataFacts(4435, 1, 7, 2)
    assert set(np.unique(study.data.class_codes)) == {0, 1, 6}
    assert "OpenML" in study.notes[0]


def test_unused_classes_of_openml_are_dropped_and_missing_votes_kept(nowhere, monkeypatch):
    votes = pd.DataFrame({"v": pd.Categorical(["y", None, "n", "n"], categories=["n", "y"])})
    target = pd.Series(pd.Categorical(["a", "b", "a", "b"], categories=["a", "b", "never"]))
    monkeypatch.setattr(
        sklearn.datasets, "fetch_openml", lambda *_, **__: Bunch(data=votes, target=target)
    )
    data = one("Voting").data
    assert data.states == {"v": ("?", "n", "y"), "class": ("a", "b")}
    assert data.column("v").tolist() == [2, 0, 1, 1]


def test_a_folder_of_one_s_own_comes_first(tmp_path):
    (tmp_path / "vote.csv").write_text("v,class\ny,a\n,b\n?,b\nn,a\n")
    loaded = load(["Voting", "Glass"], tmp_path, download=False)
    assert loaded.sets["Voting"].data.states["v"] == ("?", "n", "y")
    assert loaded.sets["Voting"].data.n_rows == 4
    assert loaded.sets["Voting"].notes == ("read from vote.csv",)
    assert "glass.csv" in loaded.left_out["Glass"]


@pytest.mark.parametrize(
    ("name", "file", "text", "message"),
    [
        ("Voting", "vote.csv", "", "vote.csv cannot be read"),
        ("Voting", "vote.csv", "v,w\ny,a\n", "vote.csv has no column 'class'"),
        ("Glass", "glass.csv", "RI,class\n1.5,1\nhello,2\n", "glass.csv cannot be read.*hello"),
        ("Glass", "glass.csv", "RI,class\n1.5,1\n,2\n", "Glass, read from glass.csv.*RI"),
        ("Glass", "glass.csv", "RI,class\n1.5,1\n1.6,\n", "Glass, read from glass.csv"),
        ("Satimage", "satimage.csv", "x,class\n1,red soil\n2,9\n", "Satimage.*'9' is no class"),
    ],
)
def test_unusable_files_are_errors_that_name_them(tmp_path, name, file, text, message):
    (tmp_path / file).write_text(text)
    with pytest.raises(bnlr.DataError, match=message):
        load([name], tmp_path, download=False)


def test_unknown_names_and_folders(tmp_path):
    with pytest.raises(bnlr.ParameterError, match=r"'Iris'.*Glass"):
        load(["Iris"])
    with pytest.raises(bnlr.ParameterError, match="no folder"):
        load(data_dir=tmp_path / "absent")


def test_artificial_rows_have_the_true_structure():
    study = artificial("2.5.2-3.100", 4)
    assert (study.name, study.data.n_rows) == ("2.5.2-3.100", 100)
    assert study.structure.parents("x3") == ("class", "x2")
    assert study.notes == ("generated, seed 4",)

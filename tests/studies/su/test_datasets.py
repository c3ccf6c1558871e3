"""The sets against what the paper says of them; the two largest classes."""

import json

import numpy as np
import pandas as pd
import pytest

import bnlr
from studies.common import Task
from studies.common.sources import BESIDE_CHECKOUT, CLASS, RawSet, Source
from studies.su.datasets import load, raw, two_largest
from studies.su.paper import ABSENT, LARGEST, TABLE_1
from studies.su.run import folds
from studies.su.sets import SETS, PaperSet

needs_files = pytest.mark.skipif(
    not BESIDE_CHECKOUT.is_dir(), reason="the data sets are not beside the checkout"
)


@pytest.fixture(scope="module")
def loaded():
    return load(SETS)


def test_the_sets_are_the_papers():
    assert list(SETS) == list(TABLE_1)


def test_the_two_that_are_not_at_hand_are_read_from_a_folder(tmp_path):
    """In the forms that UCI has them in: labels and holes; four whole numbers from 1 to 5."""
    rng = np.random.default_rng(0)
    tumours = pd.DataFrame(
        {
            "age": rng.choice(["<30", "30-59", ">=60"], 40),
            "sex": rng.choice(["male", "female", "?"], 40),
            CLASS: ["lung"] * 20 + ["stomach"] * 12 + ["ovary"] * 8,
        }
    )
    tumours.to_csv(tmp_path / "primary-tumor.csv", index=False)
    scales = pd.DataFrame(rng.integers(1, 6, (30, 4)), columns=["lw", "ld", "rw", "rd"])
    scales[CLASS] = ["B"] * 6 + ["L"] * 12 + ["R"] * 12
    scales.to_csv(tmp_path / "balance-scale.csv", index=False)
    found = load(ABSENT, tmp_path).sets
    assert found["primary-tumor"].class_labels == ("lung", "stomach")
    assert found["primary-tumor"].n_rows == 32
    assert found["primary-tumor"].missing_share > 0
    assert dict(found["primary-tumor"].nominal)["sex"] == ("female", "male")
    assert found["balance"].class_labels == ("L", "R")
    assert found["balance"].numeric == ("lw", "ld", "rw", "rd")


@needs_files
def test_sizes_that_the_paper_prints(loaded):
    assert set(loaded.left_out) <= set(ABSENT)
    n_training = {
        name: {len(rows) for rows, _ in folds(found, Task(data=name))}
        for name, found in loaded.sets.items()
    }
    assert 51 in n_training["labor"]
    assert loaded.sets["vowel"].n_rows == 180
    assert 7311 in n_training["mushroom"]
    sizes = {name: found.n_rows for name, found in loaded.sets.items()}
    assert sorted(sizes, key=sizes.get)[-8:] == list(LARGEST)


@needs_files
def test_columns_and_classes_are_the_manifests(loaded):
    manifest = json.loads((BESIDE_CHECKOUT / "MANIFEST.json").read_text("utf-8"))
    rows = manifest["paper_tables"]["C_su_et_al_33_weka"]
    for name, found in loaded.sets.items():
        facts = manifest["datasets"][rows[name]["dataset"]]
        assert set(found.numeric) == set(facts["numeric"]), name
        assert set(facts["nominal"]) - set(found.nominal) == set(SETS[name].dropped), name
        largest = sorted(facts["classes"].values())[-2:]
        assert np.bincount(found.classes).tolist() == largest[::-1], name
        if facts["missing_cells"] == 0:
            assert found.missing_share == 0, name


@needs_files
def test_classes_of_one_size(loaded):
    pairs = {name: loaded.sets[name].class_labels for name in ("iris", "vowel", "segment")}
    assert pairs == {
        "iris": ("Iris-setosa", "Iris-versicolor"),
        "vowel": ("hid", "hId"),
        "segment": ("brickface", "sky"),
    }


def test_built_in_sets_have_two_classes_and_numbers():
    found = load(["iris", "waveform", "labor"], only_builtin=True)
    assert list(found.left_out) == ["labor"]
    assert found.sets["iris"].numbers.shape == (100, 4)
    assert found.sets["iris"].class_labels == ("setosa", "versicolor")
    assert found.sets["waveform"].numbers.shape[1] == 40
    assert not found.sets["waveform"].nominal


def test_the_two_largest_classes():
    column = pd.Series(list("abbcccdddd"))
    assert two_largest(column) == ("d", "c")
    assert two_largest(pd.Series(list("cbacba"))) == ("c", "b")
    assert two_largest(pd.Series(list("cbacba")), first=("a",)) == ("a", "c")
    for bad in (pd.Series(["a", "a"]), pd.Series(["a", None])):
        with pytest.raises(bnlr.DataError, match=CLASS):
            two_largest(bad)


def small(**columns):
    return RawSet(pd.DataFrame(columns), "made here")


def test_labels_of_other_classes_stay_known():
    found = raw(small(a=["x", "y", "z", None], n=["1", "2", None, "4"], **{CLASS: list("ppqr")}),
                PaperSet(Source("f.csv", "f"), ("n",)))  # fmt: skip
    assert found.nominal == {"a": ("x", "y", "z")}
    assert found.codes.tolist() == [[0], [1], [2]]
    assert found.numeric == ("n",)
    assert np.isnan(found.numbers[2, 0])
    assert found.missing_share == pytest.approx(1 / 6)


def test_question_marks_as_labels():
    frame = small(a=["x", None, "x"], **{CLASS: list("ppq")})
    assert raw(frame, PaperSet(Source("f", "f"))).codes.tolist() == [[0], [-1], [0]]
    marked = raw(frame, PaperSet(Source("f", "f"), has_marks=True))
    assert marked.nominal == {"a": ("?", "x")}
    assert marked.codes.tolist() == [[1], [0], [1]]


def test_text_where_numbers_should_stand():
    with pytest.raises(bnlr.DataError, match="numbers"):
        raw(small(n=["1", "two"], **{CLASS: list("pq")}), PaperSet(Source("f", "f"), ("n",)))

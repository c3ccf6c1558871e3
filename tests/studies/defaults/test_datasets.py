"""The data sets: types, cuts, rare classes, variants, halves; the folds and their labels."""

import numpy as np
import pandas as pd
import pytest

from studies.common.sources import BESIDE_CHECKOUT, CLASS
from studies.defaults.datasets import MOST_ROWS, N_FOLDS, Rows, load, prepared
from studies.defaults.folds import MISSING, Categories, Labels, folds
from studies.defaults.sets import LEFT_OUT, SETS, half, is_counted, is_held_out

needs_files = pytest.mark.skipif(
    not BESIDE_CHECKOUT.is_dir(), reason="the data sets are not beside the checkout"
)


@needs_files
def test_every_set_of_the_folder_is_used_or_left_out_by_name():
    files = {path.name.partition(".csv")[0] for path in BESIDE_CHECKOUT.glob("*.csv*")}
    assert files == {*SETS, *LEFT_OUT}


@needs_files
def test_facts_that_the_folder_states():
    loaded = load(["anneal", "vote", "vowel", "nursery", "audiology", "horse-colic"]).sets
    assert (loaded["anneal"].attributes.shape, loaded["anneal"].n_numeric) == ((898, 38), 6)
    assert loaded["anneal"].missing_share == 0  # its question marks are values
    assert loaded["vote"].missing_share == pytest.approx(392 / (435 * 16))
    assert loaded["horse-colic"].missing_share == pytest.approx(1927 / (368 * 22))
    assert "Train or Test" not in loaded["vowel"].attributes
    assert len(loaded["nursery"].classes) == MOST_ROWS
    assert loaded["nursery"].dropped == {"recommend": 2}
    assert loaded["audiology"].classes.nunique() == 24 - len(loaded["audiology"].dropped)
    assert loaded["audiology"].classes.value_counts().min() >= N_FOLDS


def test_built_in_sets_stand_in_and_others_are_named():
    loaded = load(["iris", "vote"], only_builtin=True)
    assert list(loaded.sets) == ["iris"]
    assert loaded.sets["iris"].n_numeric == 4
    assert "built in" in loaded.left_out["vote"]


def test_no_folder_is_no_manifest(tmp_path):
    assert list(load(["tic-tac-toe", "crx"], tmp_path).sets) == ["tic-tac-toe"]


def test_the_cut_keeps_the_shares_of_the_classes():
    labels = np.repeat(["a", "b", "c", "d"], [5000, 3000, 1997, 3])
    frame = pd.DataFrame({"x": np.arange(len(labels)), CLASS: labels})
    rows = prepared(frame, "here")
    assert rows.dropped == {"d": 3}
    assert rows.n_all == 10_000
    shares = rows.classes.value_counts(normalize=True)
    assert shares["a"] == pytest.approx(5000 / 9997, abs=1e-3)
    assert rows.attributes["x"].is_monotonic_increasing
    pd.testing.assert_frame_equal(rows.attributes, prepared(frame, "here").attributes)


def test_sources_and_halves():
    assert not is_counted("heart-statlog")
    assert SETS["heart-statlog"].source == "cleve"
    assert all(is_counted(named.source) for named in SETS.values())
    tuned = [name for name in SETS if SETS[name].is_tuned]
    assert tuned == sorted(SETS)[1::2]
    assert half("australian") == "tuned"
    assert half("crx") == "related"
    assert not is_held_out("crx")
    assert half("vote") == "held out"


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    classes = pd.Series(np.where(rng.random(60) < 0.4, "p", "n"))
    numbers = np.where(classes == "p", 3.0, 0.0) + rng.normal(size=60)
    labels = pd.Series(rng.choice(["u", "v"], 60)).astype("str")
    frame = pd.DataFrame({"x": numbers, "l": labels, "none": np.full(60, np.nan)})
    frame.loc[::7, "l"] = np.nan
    frame.loc[::9, "x"] = np.nan
    return Rows(frame, classes, 60, {}, "here")


def test_each_row_is_tested_once_and_classes_keep_their_rows(rows):
    parts = folds(rows, 1)
    assert len(parts) == N_FOLDS
    tested = np.sort(np.concatenate([part.test["x"].to_numpy() for part in parts]))
    np.testing.assert_array_equal(tested, np.sort(rows.attributes["x"].to_numpy()))
    for part in parts:
        known = part.train["x"].notna().to_numpy()
        means = [part.train["x"][known & (part.train_classes == code)].mean() for code in (0, 1)]
        assert means[1] - means[0] > 2  # codes follow the sorted labels: n, p
        assert set(part.train_classes) == {0, 1}


def test_seeds_deal_other_folds_and_empty_columns_go(rows):
    first, again, other = (folds(rows, seed)[0] for seed in (0, 0, 1))
    pd.testing.assert_frame_equal(first.test, again.test)
    assert not first.test["x"].equals(other.test["x"])
    assert list(first.train) == ["x", "l"]


def test_labels_are_text_and_missing_is_one(rows):
    part = folds(rows, 0)[0]
    found = Labels().fit(part.train, part.train_classes).transform(part.test)
    assert not found.isna().to_numpy().any()
    assert ((found["l"] == MISSING) == part.test["l"].isna()).all()
    assert ((found["x"] == MISSING) == part.test["x"].isna()).all()
    assert set(found["x"]) - {MISSING} == {
        f"(-inf, {cut}]" if is_low else f"({cut}, inf)"
        for cut in {text.strip("(]").split(", ")[1] for text in found["x"] if "(-inf" in text}
        for is_low in (True, False)
    }


def test_categories_know_training_labels_alone():
    train = pd.DataFrame({"x": [1.0, 2.0], "l": ["b", "a"]})
    test = pd.DataFrame({"x": [np.nan, 2.0], "l": ["a", "zz"]})
    found = Categories().fit(train).transform(test)
    assert found["l"].cat.categories.tolist() == ["a", "b"]
    assert found["l"].isna().tolist() == [False, True]
    assert found["x"].dtype == float

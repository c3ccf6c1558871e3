"""The 25 sets against table I; folds and holes."""

import numpy as np
import pytest

import bnlr
from studies.common.sources import BESIDE_CHECKOUT, CLASS
from studies.greiner.datasets import (
    HOLE_RATE,
    SOURCES,
    differences,
    facts,
    fold,
    is_dealt,
    is_numeric,
    load,
    n_folds,
    splits,
    with_holes,
)
from studies.greiner.paper import TABLE_1

needs_files = pytest.mark.skipif(
    not BESIDE_CHECKOUT.is_dir(), reason="the data sets are not beside the checkout"
)


@pytest.fixture(scope="module")
def iris():
    return load(["iris"], download=False).sets["iris"].frame


def same(first, second):
    return np.array_equal(first.codes, second.codes) and dict(first.states) == dict(second.states)


@needs_files
def test_facts_are_those_of_table_1_but_for_two_sets():
    loaded = load(SOURCES, download=False)
    assert not loaded.left_out
    assert list(loaded.sets) == list(TABLE_1)
    assert differences(loaded.sets) == [
        "glass: 6 classes that occur here, 7 in table I.",
        "soybean-large: 15 classes that occur here, 19 in table I.",
    ]
    for name, found in loaded.sets.items():
        if name not in {"glass", "soybean-large"}:
            assert facts(name, found.frame) == TABLE_1[name]
        assert not found.frame.isna().any(axis=None)


@needs_files
def test_numbers_are_numeric_and_names_are_not():
    frames = {name: found.frame for name, found in load(SOURCES, download=False).sets.items()}
    numeric = {name: (frame.dtypes == np.float64).sum() for name, frame in frames.items()}
    assert numeric["australian"] == 6
    assert numeric["heart"] == 7
    assert numeric["breast"] == 10
    assert numeric["letter"] == 16
    assert numeric["lymphography"] == 3
    assert numeric["crx"] == 6
    for name in ("chess", "corral", "flare", "mofn-3-7-10", "soybean-large", "vote"):
        assert numeric[name] == 0
    assert {name for name, n in numeric.items() if n} == set(filter(is_numeric, SOURCES))
    assert "?" in set(frames["vote"].iloc[:, 0])


@needs_files
def test_given_splits_have_the_printed_sizes():
    names = [name for name, printed in TABLE_1.items() if printed.n_test is not None]
    for name, found in load(names, download=False).sets.items():
        ((train, test),) = splits(name, found.frame)
        printed = TABLE_1[name]
        assert (len(train), len(test)) == (printed.n_train, printed.n_test)
        assert sorted([*train, *test]) == list(range(len(found.frame)))
        assert n_folds(name) == 1
        assert (np.diff(train) == 1).all() == (name != "segment")


def test_every_row_is_tested_once_and_each_class_is_shared_out(iris):
    folds = splits("iris", iris)
    assert len(folds) == n_folds("iris") == 5
    assert sorted(row for _, test in folds for row in test) == list(range(150))
    for train, test in folds:
        assert not set(train) & set(test)
        assert iris[CLASS].iloc[test].value_counts().tolist() == [10, 10, 10]


def test_partitions_are_the_same_each_time_and_depend_on_the_name(iris):
    first, again = splits("iris", iris), splits("iris", iris)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(first, again, strict=True))
    other = splits("glass", iris)
    assert not all(np.array_equal(a[1], b[1]) for a, b in zip(first, other, strict=True))


def test_another_partition_deals_other_rows_unless_the_split_is_given(iris):
    first, again, second = (splits("iris", iris, k)[0][1] for k in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)
    rows = np.concatenate([test for _, test in splits("iris", iris, 1)])
    assert sorted(rows) == list(range(len(iris)))
    assert is_dealt("iris")
    assert is_dealt("segment")
    assert not is_dealt("letter")


def test_cuts_see_the_training_rows_alone(iris):
    before = fold("iris", iris, 2)
    _, test = splits("iris", iris)[2]
    changed = iris.copy()
    numbers = changed.columns.drop(CLASS)
    changed.loc[test, numbers] = 100.0 - changed.loc[test, numbers]
    after = fold("iris", changed, 2)
    assert same(before.train, after.train)
    assert not same(before.test, after.test)
    expected = bnlr.MDLDiscretizer().fit(
        iris[numbers].drop(index=test), iris[CLASS].drop(index=test)
    )
    for cuts, node in zip(expected.cut_points_, numbers, strict=True):
        assert before.train.cards[node] == len(cuts) + 1


def test_holes_are_seeded_and_spare_the_class(iris):
    whole, holed = fold("iris", iris, 0), fold("iris", iris, 0, HOLE_RATE)
    assert same(whole.train, holed.train_whole)
    assert same(whole.test, holed.test_whole)
    assert same(holed.train, fold("iris", iris, 0, HOLE_RATE).train)
    assert (holed.train.class_codes >= 0).all()
    missing = holed.train.codes < 0
    assert missing[:, :-1].mean() == pytest.approx(HOLE_RATE, abs=0.06)
    known = ~missing
    assert np.array_equal(holed.train.codes[known], whole.train.codes[known])


def test_larger_rates_keep_the_holes_of_smaller_ones(iris):
    data = fold("iris", iris, 0).train
    few, many = with_holes(data, 0.2, 5), with_holes(data, 0.6, 5)
    assert ((few.codes < 0) <= (many.codes < 0)).all()
    assert with_holes(data, 0.0, 5) is data

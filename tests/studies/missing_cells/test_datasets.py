"""The folds and their holes."""

import numpy as np
import pandas as pd
import pytest

from studies.common import Task
from studies.common.sources import BESIDE_CHECKOUT, CLASS
from studies.missing_cells.datasets import (
    N_FOLDS,
    SOURCES,
    CategoricalFold,
    facts,
    filled,
    fold,
    load,
    with_holes,
)
from studies.missing_cells.learners import expected

needs_files = pytest.mark.skipif(
    not BESIDE_CHECKOUT.is_dir(), reason="the data sets are not beside the checkout"
)


@pytest.fixture(scope="module")
def frame():
    return load(["tic-tac-toe"], download=False).sets["tic-tac-toe"].frame


@needs_files
def test_facts_of_the_five_sets():
    loaded = load(SOURCES, download=False)
    assert not loaded.left_out
    found = {name: facts(data.frame)[:3] for name, data in loaded.sets.items()}
    assert found == {
        "kr-vs-kp": (3196, 36, 2),
        "vote": (435, 16, 2),
        "tic-tac-toe": (958, 9, 2),
        "splice": (3190, 60, 3),
        "soybean": (683, 35, 19),
    }
    shares = {name: facts(data.frame)[3] for name, data in loaded.sets.items()}
    assert shares["vote"] == pytest.approx(392 / (435 * 16))
    assert shares["soybean"] == pytest.approx(2337 / (683 * 35))
    assert shares["splice"] == 0


def test_every_row_is_tested_once_and_never_trained_on(frame):
    folds = [fold(frame, k) for k in range(N_FOLDS)]
    tested = pd.concat([part.test for part in folds])
    assert sorted(tested.index) == list(frame.index)
    for part in folds:
        assert not set(part.train.index) & set(part.test.index)
        share = (part.test[CLASS] == "positive").mean()
        assert share == pytest.approx((frame[CLASS] == "positive").mean(), abs=0.01)


def test_holes_are_nested_and_as_many_as_asked(frame):
    which = Task(data="a", fold=0)
    few, many = (with_holes(frame, rate, which) for rate in (0.25, 0.5))
    attributes = frame.columns.drop(CLASS)
    assert few[attributes].isna().to_numpy().mean() == pytest.approx(0.25, abs=0.02)
    assert many[attributes].isna().to_numpy().mean() == pytest.approx(0.5, abs=0.02)
    assert (many.isna() | few.notna()).to_numpy().all()
    assert many[CLASS].notna().all()
    left = many.notna() & (many.astype(object) != frame.astype(object))
    assert not left.to_numpy().any()
    pd.testing.assert_frame_equal(with_holes(frame, 0.0, which), frame)


def test_other_folds_have_other_holes(frame):
    first, second = (with_holes(frame, 0.5, Task(data="a", fold=k)) for k in (0, 1))
    assert (first.isna() != second.isna()).to_numpy().any()


def test_holes_are_filled_with_the_most_frequent_state():
    frame = pd.DataFrame({"a": ["x", None, "y", "y"], "b": ["u", "u", None, "w"]})
    frame = frame.apply(pd.Categorical).assign(**{CLASS: pd.Categorical(list("nnyy"))})
    whole = filled(frame)
    assert whole["a"].tolist() == ["x", "y", "y", "y"]
    assert whole["b"].tolist() == ["u", "u", "u", "w"]
    assert frame["a"].isna().sum() == 1


def test_elr_is_told_what_will_be_missing_in_all():
    rows = pd.DataFrame({"a": ["x", None, "y", None], "b": list("uuww"), CLASS: list("nnyy")})
    holed, whole = CategoricalFold(rows, rows), CategoricalFold(rows.drop(columns="a"), rows)
    assert expected(0.5, whole) == 0.5
    assert expected(0.0, holed) == "as seen"
    assert expected(0.5, holed) == pytest.approx({"a": 0.75, "b": 0.5})
    removed = np.random.default_rng(0).random(100_000) < 0.5
    missing = np.random.default_rng(1).random(100_000) < 0.5
    assert (removed | missing).mean() == pytest.approx(0.75, abs=0.01)

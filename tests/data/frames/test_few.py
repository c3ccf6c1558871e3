"""Which frames are read as one array; what is read is the same either way."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.data.frames import few
from bnlr.data.frames.few import are_few_floats


@pytest.mark.parametrize(
    ("frame", "are"),
    [
        (pd.DataFrame({"a": [1.5], "b": [np.nan]}), True),
        (pd.DataFrame({"a": [1.5], "b": [2]}), False),
        (pd.DataFrame({"a": [1.5], "b": ["x"]}), False),
        (pd.DataFrame({"a": pd.array([1.5, None], "Float64")}), False),
        (pd.DataFrame({"a": np.array([1.5], np.float32)}), False),
        (pd.DataFrame(np.zeros((50_001, 2))), False),
    ],
)
def test_plain_floats_of_few_cells(frame, are):
    assert are_few_floats(frame) == are


def test_numbers_are_cut_alike_either_way(monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    y = rng.integers(0, 2, 60)
    at_once = bnlr.QuantileDiscretizer(4).fit(frame, y)
    expected = at_once.transform(frame)
    monkeypatch.setattr(few, "_FEW", 0)
    one_by_one = bnlr.QuantileDiscretizer(4).fit(frame, y)
    pd.testing.assert_frame_equal(one_by_one.transform(frame), expected)


@pytest.mark.parametrize("limit", [0, 100_000])
def test_infinities_are_named_either_way(monkeypatch, limit):
    monkeypatch.setattr(few, "_FEW", limit)
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, -np.inf]})
    with pytest.raises(bnlr.DataError, match="column 'b' holds -inf in row 1"):
        bnlr.QuantileDiscretizer(2).fit(frame)
    with pytest.raises(bnlr.DataError, match="column 'b' holds -inf in row 1"):
        bnlr.BNClassifier("naive-bayes").fit(frame, [0, 1])

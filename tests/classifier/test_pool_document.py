"""Pools in files: they predict the same bytes again, and what was meddled with is refused."""

import copy

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr import BNClassifier
from bnlr.io.models.envelope import read_document, write_document
from tests.classifier.pool.makers import pool_of_four
from tests.classifier.test_document import put
from tests.classifier.test_estimator import mixed_frame
from tests.width import in_full


@pytest.fixture(scope="module")
def of_four():
    return pool_of_four(*mixed_frame(160))


@pytest.mark.parametrize("share", [0.0, *in_full(0.3)])
def test_a_pool_predicts_the_same_bytes_again(of_four, tmp_path, share):
    of_four.save(tmp_path / "model.json")
    again = BNClassifier.load(tmp_path / "model.json")
    rows, _ = mixed_frame(60, seed=9)
    rows = rows.mask(np.random.default_rng(0).random(rows.shape) < share, None)
    for one in (of_four, again):
        one._has_warned = True
    assert again.predict_proba(rows).tobytes() == of_four.predict_proba(rows).tobytes()
    assert again.predict_log_proba(rows).tobytes() == of_four.predict_log_proba(rows).tobytes()
    assert str(again.explain(rows[:1])) == str(of_four.explain(rows[:1]))
    assert again.summary() == of_four.summary()
    assert repr(again.pool_) == repr(of_four.pool_)
    pd.testing.assert_frame_equal(again.pool_.to_frame(), of_four.pool_.to_frame())
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["sum", "state"])
def test_a_pool_that_was_fitted_comes_back(tmp_path, missing):
    X, y = mixed_frame(150)
    holed = X.mask(np.random.default_rng(1).random(X.shape) < 0.1, None)
    fitted = BNClassifier("pool", missing=missing).fit(holed, y)
    fitted.save(tmp_path / "model.json")
    again = BNClassifier.load(tmp_path / "model.json")
    assert again.structure == "pool"
    np.testing.assert_array_equal(again.predict_proba(holed), fitted.predict_proba(holed))
    assert again.summary() == fitted.summary()
    assert again.network_ is again.pool_.networks[0]
    for one, other in zip(again.pool_.members, fitted.pool_.members, strict=True):
        assert one.report.to_dict() == other.report.to_dict()
        assert one.missing_states == other.missing_states
        assert (one.rows, one.result.cll) == (other.rows, other.result.cll)


def test_a_pool_of_one_that_was_not_tried_comes_back(tmp_path):
    X = pd.DataFrame({"a": ["p", "q"]})
    fitted = BNClassifier("pool").fit(X, [0, 1])
    fitted.save(tmp_path / "model.json")
    again = BNClassifier.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert np.isnan(again.pool_.log_loss)
    assert np.isnan(again.pool_.members[0].log_loss)


def test_a_file_from_before_there_were_pools_has_none(tmp_path):
    fitted = BNClassifier("naive-bayes", penalty=1.0).fit(*mixed_frame(60))
    fitted.save(tmp_path / "model.json")
    content = copy.deepcopy(read_document(tmp_path / "model.json")[1])
    assert content.pop("pool") is None
    write_document("classifier", content, tmp_path / "model.json")
    assert BNClassifier.load(tmp_path / "model.json").pool_ is None


def member(place, *path_and_value):
    return put("pool", "members", place, *path_and_value)


def renamed(content, old, new):
    """The network with a node under another name."""
    network = content["pool"]["members"][1]["network"]
    text = str(network).replace(f"'{old}'", f"'{new}'")
    network.clear()
    network.update(eval(text))  # noqa: S307  a dictionary of our own


MEDDLED = {
    "a pool of text": put("pool", "all"),
    "a pool of nothing": put("pool", {}),
    "no members": put("pool", "members", []),
    "members of text": put("pool", "members", ["fan"]),
    "a field too many": put("pool", "code", "print()"),
    "a loss of text": put("pool", "log_loss", "low"),
    "a loss beyond a double": put("pool", "log_loss", 10**400),
    "a weight of text": member(0, "weight", "1"),
    "a weight of 0": member(0, "weight", 0.0),
    "a negative weight": member(1, "weight", -0.5),
    "a weight beyond a double": member(1, "weight", 10**400),
    "a weight that is true": member(1, "weight", True),
    "a penalty of text": member(0, "penalty", "auto"),
    "a structure that is a list": member(1, "structure", ["fan"]),
    "half a character": member(1, "structure", "\ud800"),
    "a number for a way to cut": member(0, "discretize", 3),
    "no centre": lambda c: c["pool"]["members"][0].pop("penalty_center"),
    "a network beside that of the file": lambda c: c["pool"]["members"][0].update(
        network=c["network"]
    ),
    "no second network": lambda c: c["pool"]["members"][1].pop("network"),
    "a second network of nothing": member(1, "network", {}),
    "another class": lambda c: renamed(c, "kind", "other"),
    "another column": lambda c: renamed(c, "text", "other"),
    "another label": lambda c: renamed(c, "red", "other"),
    "another class label": lambda c: renamed(c, "z", "other"),
    "cut points falling": member(1, "cut_points", "length", [2.0, 1.0]),
    "cut points of one column": lambda c: c["pool"]["members"][1]["cut_points"].pop("length"),
    "other cut points": member(1, "cut_points", "length", [1e9]),
    "a hole of its own": member(1, "missing_states", {"text": "red"}),
    "other rows": member(1, "rows", "some"),
    "a fit of text": member(1, "fit", "cll", "good"),
    "arcs that are none": member(1, "added_arcs", "judged", [["text", "nowhere"]]),
}


@pytest.mark.parametrize("change", MEDDLED.values(), ids=MEDDLED)
def test_signed_but_meddled_pools_are_refused(of_four, tmp_path, change):
    path = tmp_path / "model.json"
    of_four.save(path)
    content = copy.deepcopy(read_document(path)[1])
    change(content)
    write_document("classifier", content, path)
    with pytest.raises(bnlr.ModelFileError, match=r"model\.json"):
        BNClassifier.load(path)


def test_huge_weights_are_no_harm(of_four, tmp_path):
    path = tmp_path / "model.json"
    of_four.save(path)
    content = copy.deepcopy(read_document(path)[1])
    for one in content["pool"]["members"]:
        one["weight"] = 1e308
    write_document("classifier", content, path)
    rows, _ = mixed_frame(20, seed=3)
    with np.errstate(over="ignore", invalid="raise"):
        shares = BNClassifier.load(path).predict_proba(rows)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)

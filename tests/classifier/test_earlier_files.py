"""Models saved or pickled by version 0.1.0 load, and say what they said then."""

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnlr

FOLDER = Path(__file__).parents[1] / "models_0_1_0"
SAID = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.filterwarnings("ignore:cells are missing:bnlr.errors.UnexpectedMissingWarning")
@pytest.mark.parametrize("name", sorted(SAID.keys() - {"network"}))
def test_a_classifier_predicts_as_before(name):
    said = SAID[name]
    classifier = bnlr.BNClassifier.load(FOLDER / f"{name}.json")
    rows = pd.DataFrame(said["rows"]["data"], columns=said["rows"]["columns"])
    assert list(map(str, classifier.classes_)) == said["classes"]
    np.testing.assert_allclose(classifier.predict_proba(rows), said["proba"], rtol=1e-12)
    assert classifier.result_.cll == said["cll"]
    assert classifier.result_.upper_bound == said["upper_bound"]


def test_a_network_has_the_likelihood_it_had():
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("monks-1"), "class")
    network = bnlr.load(FOLDER / "network.json")
    assert network.conditional_log_likelihood(data) == pytest.approx(
        SAID["network"]["cll"], rel=1e-12
    )


def unpickled(name):
    return pickle.loads((FOLDER / f"{name}.pickle").read_bytes())  # noqa: S301  our own


@pytest.mark.parametrize("name", ["tan", "naive_bayes_masked", "fan_holes"])
def test_a_pickle_is_as_good_as_a_file(name, tmp_path):
    pickled, loaded = unpickled(name), bnlr.BNClassifier.load(FOLDER / f"{name}.json")
    assert pickled.summary() == loaded.summary()
    pickled.save(tmp_path / "pickled.json")
    loaded.save(tmp_path / "loaded.json")
    saved, again = ((tmp_path / f"{each}.json").read_bytes() for each in ("pickled", "loaded"))
    assert saved == again
    assert pickle.loads(pickle.dumps(pickled)).summary() == loaded.summary()  # noqa: S301  our own


def test_a_pickle_warns_once_of_holes_that_were_not_expected():
    said, pickled = SAID["tan"], unpickled("tan")
    rows = pd.DataFrame(said["rows"]["data"], columns=said["rows"]["columns"])
    with pytest.warns(bnlr.UnexpectedMissingWarning):
        np.testing.assert_allclose(pickled.predict_proba(rows), said["proba"], rtol=1e-12)
    pickled.predict(rows)


def test_a_pickle_keeps_its_search():
    search = unpickled("cll_search").search_
    assert isinstance(search, bnlr.CLLSearch)
    assert search.score == -1.42144138091982e-06
    assert len(search.steps) == 1


def test_a_pickled_fit_keeps_its_verdict_on_separation():
    result = unpickled("separated")
    assert result.cll == -206.230590547753
    assert result.separation.verdict == "quasi"
    assert "quasi separation" in str(result)

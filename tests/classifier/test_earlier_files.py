"""Models saved by version 0.1.0 load, and say what they said then."""

import json
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

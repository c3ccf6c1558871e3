"""What the classifier's penalty "auto" stands for, and what is refused."""

import re

import numpy as np
import pytest

import bnlr
from bnlr import BNClassifier
from bnlr.learn.shrinkage.strength import STRENGTHS


@pytest.fixture(scope="module")
def corral():
    frame = bnlr.load_dataset("corral")
    return frame.drop(columns="class"), frame["class"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": "loo"}, "penalty is 'loo'; it must be a finite number.* 'auto' or 'cv'"),
        ({"penalty": -1.0}, "penalty is -1.0"),
        ({"penalty": None}, "penalty is None"),
        ({"penalty_center": "mean"}, "penalty_center is 'mean'; choose one of auto, scaled"),
        ({"penalty_center": ["zero"]}, "penalty_center is"),
        ({"penalty": "loo", "learner": "em"}, "penalty is 'loo'"),
        ({"penalty": True}, "penalty is True"),
        ({"penalty": np.array([1.0, 2.0])}, "penalty is array"),
        ({"random_state": "x"}, "random_state is 'x'"),
        *(
            ({"penalty": penalty, "learner": learner}, "takes none; leave penalty out, or choose")
            for penalty in (2.0, "cv")
            for learner in ("frequencies", "dfe", "em", "apn")
        ),
    ],
)
def test_others_are_refused(corral, options, message):
    with pytest.raises(bnlr.ParameterError, match=message):
        BNClassifier(**options).fit(*corral)


@pytest.mark.parametrize("penalty", [0, 0.0, "auto"])
@pytest.mark.parametrize("learner", ["frequencies", "dfe"])
def test_a_learner_without_penalty_may_be_told_so(corral, learner, penalty):
    plain = BNClassifier("naive-bayes", learner=learner).fit(*corral)
    told = BNClassifier("naive-bayes", learner=learner, penalty=penalty).fit(*corral)
    assert told.result_.cll == plain.result_.cll


@pytest.mark.parametrize("penalty", ["auto", "cv"])
@pytest.mark.parametrize("center", ["auto", "scaled", "frequencies", "zero"])
def test_rows_with_holes_choose_by_folds_too(corral, penalty, center):
    X, y = corral
    holed = X.where(np.random.default_rng(0).random(X.shape) > 0.2)
    result = BNClassifier("tan", penalty=penalty, penalty_center=center).fit(holed, y).result_
    towards = (
        rf"Penalty {result.penalty:g} towards {'(scaled|zero)' if center == 'auto' else center}"
    )
    assert re.search(f"{towards}, of 3000 to 0.001, by cross-validation", result.message)
    assert result.penalty in STRENGTHS


def test_a_number_stays_and_a_named_centre_too(corral):
    X, y = corral
    result = BNClassifier("tan", penalty=0.5).fit(X, y).result_
    assert result.penalty == 0.5
    assert result.center_scale is not None
    assert "cross-validation" not in result.message
    named = BNClassifier("tan", penalty_center="zero").fit(X, y)
    assert named.result_.center_scale is None
    assert f"{named.result_.penalty:g} towards zero" in named.summary()


def test_a_file_keeps_the_scale(corral, tmp_path):
    classifier = BNClassifier("tan").fit(*corral)
    classifier.save(tmp_path / "model.json")
    again = BNClassifier.load(tmp_path / "model.json")
    assert again.penalty == "auto"
    assert again.result_.center_scale == classifier.result_.center_scale
    assert again.summary() == classifier.summary()

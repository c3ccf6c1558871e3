"""What the classifier's penalty "auto" stands for, and what is refused."""

import numpy as np
import pytest

import bnlr
from bnlr import BNClassifier
from bnlr.classifier.shrinkage import penalty_options

CV = {"penalty": "cv", "penalty_center": "scaled"}


@pytest.mark.parametrize(
    ("penalty", "center", "is_whole", "expected"),
    [
        ("auto", "auto", True, CV),
        ("auto", "zero", True, {"penalty": "cv", "penalty_center": "zero"}),
        ("auto", "auto", False, {"penalty": 3.0, "penalty_center": "scaled"}),
        ("auto", "zero", False, {"penalty": 1.0, "penalty_center": "zero"}),
        ("auto", "frequencies", False, {"penalty": 1.0, "penalty_center": "frequencies"}),
        (0.5, "auto", True, {"penalty": 0.5, "penalty_center": "scaled"}),
        ("cv", "auto", False, CV),
    ],
)
def test_what_auto_stands_for(penalty, center, is_whole, expected):
    assert penalty_options(penalty, center, "auto", is_whole=is_whole) == expected


@pytest.mark.parametrize("learner", ["frequencies", "em", "apn"])
def test_generative_learners_take_none(learner):
    assert penalty_options("auto", "auto", learner, is_whole=True)["penalty"] == 0.0


@pytest.fixture(scope="module")
def corral():
    frame = bnlr.load_dataset("corral")
    return frame.drop(columns="class"), frame["class"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": "loo"}, "penalty is 'loo'; it must be a finite number.* 'auto' or 'cv'"),
        ({"penalty": -1.0}, "penalty is -1.0"),
        ({"penalty": None}, "penalty is None"),
        ({"penalty_center": "mean"}, "penalty_center is 'mean'; choose one of 'auto', 'scaled'"),
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


def test_cross_validation_needs_whole_rows(corral):
    X, y = corral
    holed = X.assign(A0=X["A0"].where(X.index > 2, None))
    with pytest.raises(bnlr.ParameterError, match="penalty='cv' needs rows complete"):
        BNClassifier("naive-bayes", penalty="cv").fit(holed, y)


def test_a_file_keeps_the_scale(corral, tmp_path):
    classifier = BNClassifier("tan").fit(*corral)
    classifier.save(tmp_path / "model.json")
    again = BNClassifier.load(tmp_path / "model.json")
    assert again.penalty == "auto"
    assert again.result_.center_scale == classifier.result_.center_scale
    assert again.summary() == classifier.summary()

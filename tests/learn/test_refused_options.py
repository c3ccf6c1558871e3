"""No learner takes in silence what nothing of it reads."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnlr
from bnlr.learn.choices import COUNTERS, LEARNERS

LEARNT = tuple(name for name in LEARNERS if name != "auto")
NAMES = st.from_regex(r"[a-z]{3,9}(_[a-z]{2,6})?", fullmatch=True)


@pytest.fixture(scope="module")
def complete():
    """A perfect structure, a network over it and rows."""
    structure = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b")], class_name="c")
    draw = np.random.default_rng(0)
    rows = pd.DataFrame(draw.integers(0, 2, (60, 3)), columns=["c", "a", "b"]).astype(str)
    data = bnlr.Dataset.from_frame(rows, "c")
    return structure, bnlr.fit(structure, data, "frequencies").network, data


@pytest.mark.parametrize("learner", LEARNT)
@settings(max_examples=10)
@given(name=NAMES)
def test_an_option_of_any_name(complete, learner, name):
    structure, _, data = complete
    with pytest.raises(bnlr.ParameterError, match=rf"no option '{name}'; it (has|knows) \w+"):
        bnlr.fit(structure, data, learner=learner, **{name: 0})


@pytest.mark.parametrize("learner", COUNTERS)
@pytest.mark.parametrize(
    "option",
    [
        {"n_starts": 2},
        {"space": "roos"},
        {"solver": "newton"},
        {"penalty": 1.0},
        {"penalty": "cv"},
        {"m_step_pseudocount": 1.0},
        {"cross_tuning": "cll"},
        {"nonperfect": "embed"},
        {"acceleration": None},
        {"memory": 5},
    ],
)
def test_what_only_climbers_read_is_refused_by_those_that_count(complete, learner, option):
    structure, _, data = complete
    (name,) = option
    with pytest.raises(bnlr.ParameterError, match=name):
        bnlr.fit(structure, data, learner=learner, **option)


@pytest.mark.parametrize("learner", COUNTERS)
def test_so_is_a_start(complete, learner):
    structure, network, data = complete
    with pytest.raises(bnlr.ParameterError, match=f"'{learner}' starts with counts of 0"):
        bnlr.fit(structure, data, learner=learner, start=network)

"""The page and its files, of made-up results of all kinds of learners."""

import json
from functools import partial
from pathlib import Path

import pytest

from studies.common import Outcome, Record, Study
from studies.defaults.command import QUICK, tasks
from studies.defaults.datasets import load
from studies.defaults.learners import available
from studies.defaults.report import report
from studies.defaults.standings import set_parts
from tests.studies.defaults.makers import measured

pytest.importorskip("matplotlib")


def made_up(task, losses):
    """Five folds of the same loss."""
    five = {
        name: [value] * 5 for name, value in (("log_loss", 0.5), ("brier", 0.2), ("error", 0.1))
    }
    five["log_loss"] = [losses.get(task["learner"], 0.5)] * 5
    times = {"fit": 2.0 if task["learner"] == "auto" else 0.5, "predict": 0.1}
    return Record(task, {**five, "zeros": 0, "unconverged": 0}, seconds=times)


@pytest.fixture(scope="module")
def files():
    """Files of the quick sets; auto loses half of what others do."""
    loaded = load(QUICK, only_builtin=True)
    listed = tasks(loaded.sets, 1, tuple(available()))
    done = tuple(made_up(task, {"auto": 0.25}) for task in listed)
    study = Study("defaults", 1, {}, listed, run=partial(made_up, losses={}))
    return report(Outcome(study, done, Path()), loaded, 1, quick=True)


def test_the_page_has_choices_peers_and_their_figure(files):
    text = files["index.html"]
    assert text.count("<img") == 2
    assert "What was chosen on which sets" in text
    assert "the tuned half" in text
    assert "Against peers" in text
    assert "0.500" in text.split("Against peers")[2].partition("</table>")[0]
    assert "What each remedy is worth" not in text


def test_all_that_read_the_same_stand_out():
    own = {"auto": measured(0.5, 0.10001), "pool": measured(0.5, 0.10003), "fan": measured(0.7)}
    own["tan"] = measured(0.5, 0.2)
    text = set_parts({"iris": own})[1]
    assert text.count("<strong>10.00</strong>") == 3
    assert text.count("<strong>") == 3


def test_seconds_are_compared_in_the_files_of_times_alone(files):
    assert "median ratio" in files["times.html"]
    assert "median ratio" not in files["index.html"]
    assert json.loads(files["times.json"]) == {"verdicts": []}  # of three sets

"""Learners without one remedy: asked for by an option, and compared with the whole."""

import pytest

from studies.common.options import common_parser
from studies.defaults import ablation, command, learners
from studies.defaults.learners import Learner
from tests.studies.defaults.makers import measured

SETS = ("iris", "vote", "zoo", "glass", "cleve")


@pytest.fixture
def without(monkeypatch):
    """An ablation in the registry, though it takes no time."""
    lesser = Learner("auto without arcs", "", learners.LEARNERS["nb"].make, is_ranked=False)
    for registry in (learners.ABLATIONS, learners.LEARNERS):
        monkeypatch.setitem(registry, "no-arcs", lesser)
    monkeypatch.setitem(learners.LABELS, "no-arcs", lesser.label)


def built(*words):
    parser = common_parser("defaults", "")
    command.add_options(parser)
    study = command.build(parser.parse_args(["--quick", *words]))
    return {task["learner"] for task in study.tasks}


@pytest.mark.usefixtures("without")
def test_only_the_option_asks_for_them():
    assert "no-arcs" not in built()
    assert built("--learners", "fan", "--ablation") == {"fan", *learners.ABLATIONS}


@pytest.mark.usefixtures("without")
def test_a_ratio_above_one_is_what_the_remedy_gains():
    losses = {"auto": 0.5, "no-arcs": 0.6, "pool": 0.4}
    found = {data: {name: measured(x) for name, x in losses.items()} for data in SETS}
    listed = {(part, own.first): own.ratio for part, own in ablation.ablations(found)}
    assert listed == {
        (part, name): pytest.approx(ratio)
        for part in ("all", "held out", "tuned")
        for name, ratio in (("no-arcs", 1.2), ("pool", 0.8))
    }
    (section,) = ablation.ablation_parts(found)
    assert "auto\u00a0without\u00a0arcs" in section.parts[0]


def test_there_is_no_section_without_them():
    found = {data: {"auto": measured(0.5), "pool": measured(0.4)} for data in SETS}
    assert ablation.ablation_parts(found) == []

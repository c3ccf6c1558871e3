"""Learners with one remedy alone: asked for by an option, and compared with those without any."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.classifier.auto import candidates, resolve
from studies.common.options import common_parser
from studies.defaults import ablation, command, learners
from studies.defaults.plain import FEW_STRENGTHS, STRENGTHS, Plain
from tests.studies.defaults.makers import measured

SETS = ("iris", "vote", "zoo", "glass", "cleve")


@pytest.fixture(scope="module")
def numbers():
    draw = np.random.default_rng(0)
    X = pd.DataFrame(draw.normal(size=(200, 3)), columns=["a", "b", "c"])
    return X, (X["a"] + draw.normal(size=200) > 0).to_numpy()


def built(*words):
    parser = common_parser("defaults", "")
    command.add_options(parser)
    study = command.build(parser.parse_args(["--quick", *words]))
    return {task["learner"] for task in study.tasks}


@pytest.mark.slow
def test_only_the_option_asks_for_them():
    assert not built() & set(learners.ABLATIONS)
    assert built("--learners", "fan", "--ablation") == {"fan", *learners.ABLATIONS}


def test_a_ratio_below_one_is_what_a_remedy_gains():
    losses = {"plain": 0.5, "plain-arcs": 0.4, "plain-pool": 0.55, "auto": 0.3, "pool": 0.25}
    found = {data: {name: measured(x) for name, x in losses.items()} for data in SETS}
    listed = {(part, own.first): own.ratio for part, own in ablation.ablations(found)}
    ratios = {"plain-arcs": 0.8, "plain-pool": 1.1, "auto": 0.6, "pool": 0.5}
    assert listed == {
        (part, name): pytest.approx(ratio)
        for part in ("all", "held out", "tuned")
        for name, ratio in ratios.items()
    }
    (section,) = ablation.ablation_parts(found)
    assert "plain\u00a0+\u00a0arcs" in section.parts[0]


def test_there_is_no_section_without_them():
    found = {data: {"auto": measured(0.5), "pool": measured(0.4)} for data in SETS}
    assert ablation.ablation_parts(found) == []


def remedies(made):
    return (
        any(one.penalty_center == "smooth" for one in made.candidates),
        any(one.method.name.startswith("score-") for one in made.candidates),
        len(made.strengths) > len(FEW_STRENGTHS),
        made.structure == "pool",
    )


def test_each_has_one_remedy_that_the_plain_one_lacks():
    found = {name: remedies(one.make()) for name, one in learners.ABLATIONS.items()}
    assert found.pop("plain") == (False,) * 4
    assert sorted(found.values()) == sorted(tuple(row) for row in np.eye(4, dtype=bool).tolist())


def test_all_remedies_but_pooling_are_the_default():
    everything = Plain(smooth=True, for_the_class=True, strengths=STRENGTHS)
    assert everything.candidates == candidates.CANDIDATES


@pytest.mark.slow
def test_only_what_is_kept_is_tried_and_only_by_this_one(numbers):
    X, y = numbers
    plain = Plain().fit(X, y).classifier_.selection_
    assert set(plain["penalty_center"]) == {"scaled"}
    assert not any(name.startswith("score-") for name in plain["structure"])
    assert set(plain["penalty"]) <= set(FEW_STRENGTHS)
    assert resolve.CANDIDATES is candidates.CANDIDATES
    smooth = Plain(smooth=True).fit(X, y).classifier_.selection_
    assert {"scaled", "smooth"} == set(smooth["penalty_center"])
    assert len(Plain(structure="pool").fit(X, y).classifier_.pool_.weights) >= 1


def test_a_classifier_that_fails_leaves_the_others_as_they_were(numbers):
    X, _ = numbers
    with pytest.raises(bnlr.BnlrError):
        Plain().fit(X, np.zeros(len(X)))
    assert (resolve.CANDIDATES, resolve.STRENGTHS) == (candidates.CANDIDATES, STRENGTHS)

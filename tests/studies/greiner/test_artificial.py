"""The distributions that are simpler than the model."""

import numpy as np
import pytest

from studies.greiner.artificial import CopyTruth, linked
from studies.wrong_structure.truth import CLASS, Truth


@pytest.mark.parametrize("agreement", [1.0, 0.96, 0.8])
def test_joint_is_that_of_a_noisy_copy(agreement):
    truth = CopyTruth(k=3, agreement=agreement)
    first = truth.instances["E1"].to_numpy() == "+"
    assert truth.joint.sum() == pytest.approx(1.0)
    agrees = truth.joint[first, 0].sum() + truth.joint[~first, 1].sum()
    assert agrees == pytest.approx(agreement)
    assert truth.bayes_error == pytest.approx(1 - agreement)
    second = truth.instances["E2"].to_numpy() == "+"
    assert truth.joint[first & second, 0].sum() == pytest.approx(agreement / 4)


def test_samples_follow_the_joint():
    truth = CopyTruth(k=2, agreement=0.9)
    data = truth.sample(20_000, 0.2, np.random.default_rng(3))
    cells = {node: data.column(node) for node in data.nodes}
    known = cells["E1"] >= 0
    assert known.mean() == pytest.approx(0.8, abs=0.02)
    assert (cells[CLASS] >= 0).all()
    assert (cells["E1"] == cells[CLASS])[known].mean() == pytest.approx(0.9, abs=0.02)
    assert (cells["E2"] == cells[CLASS])[cells["E2"] >= 0].mean() == pytest.approx(0.5, abs=0.02)


def test_a_perfect_copy_is_the_class():
    data = CopyTruth(k=4).sample(50, 0.0, np.random.default_rng(0))
    assert np.array_equal(data.column("E1"), data.column(CLASS))


def test_links_join_the_first_attributes_alone():
    structure = linked(Truth(0), 3)
    assert structure.parents("E2") == (CLASS, "E1")
    assert structure.parents("E3") == (CLASS, "E2")
    assert structure.parents("E4") == (CLASS,)

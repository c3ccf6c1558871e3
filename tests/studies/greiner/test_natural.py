"""Sets with holes of their own: holes stay, numbers are cut by the training rows."""

import numpy as np
import pytest

from studies.common import Task
from studies.common.sources import BESIDE_CHECKOUT
from studies.greiner import run
from studies.greiner.datasets import fold
from studies.greiner.natural import NATURAL, load

needs_files = pytest.mark.skipif(
    not BESIDE_CHECKOUT.is_dir(), reason="the data sets are not beside the checkout"
)


@pytest.fixture(scope="module")
def found():
    return load(NATURAL, download=False)


@needs_files
def test_every_set_has_holes_that_stay(found):
    assert not found.left_out
    for name, one in found.sets.items():
        assert one.frame.isna().any(axis=None), name
        assert one.frame["class"].notna().all(), name


@needs_files
def test_folds_share_out_all_rows_and_keep_holes(found):
    frame = found.sets["labor (holes)"].frame
    parts = [fold("labor (holes)", frame, k) for k in range(5)]
    assert sum(part.test.n_rows for part in parts) == len(frame)
    assert all((part.train.codes < 0).any() and (part.test.codes < 0).any() for part in parts)
    again = fold("labor (holes)", frame, 0)
    assert np.array_equal(again.test.codes, parts[0].test.codes)


@needs_files
@pytest.mark.parametrize("learner", ["ELR", "APN", "EM"])
def test_a_task(found, learner):
    task = Task(
        part="natural holes", data="labor (holes)", structure="tan", learner=learner, fold=0
    )
    result = run.run_task(task, lambda name: found.sets[name])
    assert 0 <= result["errors"] < result["n"]

"""Cut points in the names of intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.data.intervals import cut_texts, interval_labels
from tests.width import examples


@examples(100)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, unique=True))
def test_names_hold_the_very_cut_points(cuts):
    cuts = np.sort(np.array(cuts) + 0.0)
    labels = interval_labels(cuts)
    assert [float(text) for text in cut_texts(labels)] == list(cuts)
    assert cut_texts([*labels, "missing"]) == cut_texts(labels)


@pytest.mark.parametrize(
    "labels",
    [
        (), ("(-inf, inf)",), ("yes", "no"), (1, 2, 3), ("(-inf, 1]",), ("(-inf, 1]", "(2, inf)"),
        ("(1, inf)", "(-inf, 1]"), ("missing", "(-inf, 1]", "(1, inf)"),
        ("(-inf, 1]", "missing", "(1, inf)"),
    ],
)  # fmt: skip
def test_other_names_hold_none(labels):
    assert cut_texts(labels) == []

"""What the limits are told to be."""

import pytest

from studies.wrong_structure.tables import LearnerErrors, in_the_limit


@pytest.mark.parametrize(("gap", "word"), [(-0.1, "lower"), (0.0, "equal"), (0.1, "higher")])
def test_the_limit_is_told_from_the_limits(gap, word):
    points = {
        ("complete", name, m): LearnerErrors({1: 0.5}, 0.2 + extra)
        for m in range(3)
        for name, extra in (("ofe", 0.0), ("elr", gap))
    }
    (told,) = in_the_limit(points)
    assert told.endswith(f"OFE's, is {word} at m = 0, 1, 2.")


def test_without_limits_nothing_is_told():
    assert in_the_limit({("complete", "elr", 0): LearnerErrors({1: 0.5})}) == []

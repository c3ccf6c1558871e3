"""Choices: each names files that are there and sets that are known."""

from pathlib import Path

import pytest

import bnlr
from studies.defaults import choices
from studies.defaults.choices import CHOICES, choice_parts

PACKAGE = Path(bnlr.__file__).parent
KNOWN = {choices.TUNED_HALF, choices.BOTH_HALVES, choices.ELSEWHERE, choices.NO_SET}


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.what[:30])
def test_places_are_there(choice):
    first, *others = choice.place.split(", ")
    assert (PACKAGE / first).exists()
    for other in others:
        assert (PACKAGE / other).exists() or (PACKAGE / first).with_name(other).exists()
    assert choice.sets in KNOWN


def test_the_rule_counts_the_sets():
    assert "20 of the 37 that count" in choice_parts()[0]
    assert "The other 17" in choice_parts()[0]

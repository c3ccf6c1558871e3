"""Words of messages: short whatever they are about, and guesses only where something is near."""

import pytest

from bnlr.words import (
    counted,
    described,
    guess,
    in_words,
    joined,
    listed,
    nearest,
    quoted,
    quoted_path,
)


class Unprintable:
    def __repr__(self):
        raise RuntimeError


@pytest.mark.parametrize("value", ["x" * 58, "x" * 59, "x" * 10_000, 10**59, list(range(999))])
def test_quoted_values_are_cut_to_sixty_characters(value):
    text = repr(value)
    assert quoted(value) == (text if len(text) <= 60 else text[:59] + "…")
    assert len(quoted(value)) <= 60


def test_quoted_whatever_repr_does():
    assert quoted(Unprintable()) == "<Unprintable>"
    assert quoted(10**5000) == "<int>"


def test_the_end_of_a_path_is_kept():
    assert quoted_path("a/b.csv") == "'a/b.csv'"
    assert quoted_path("x" * 100 + "/b.csv") == repr("…" + "x" * 53 + "/b.csv")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"),
        ("a", "'a'"),
        (1.5, "1.5"),
        (True, "True"),
        (10**250, "huge"),
        (int, "the int"),
        ([1], "a list"),
    ],
)
def test_described(value, words):
    assert described(value) == words


def test_enumerations_say_how_many_more():
    assert listed([]) == joined([]) == ""
    assert listed(["a", 1], 2) == "'a', 1"
    assert listed(range(1500), 2) == "0, 1 and 1,498 more"
    assert joined(["a", "b", "c"], 2) == "a, b and 1 more"
    assert joined(["a", "b", "c"], 2, n_more=4) == "a, b and 5 more"
    assert joined(["a"], n_more=4) == "a and 4 more"


def test_numbers_in_words():
    assert (counted(1, "arc"), counted(2000, "arc")) == ("1 arc", "2,000 arcs")
    assert counted(0, "probability", "probabilities") == "0 probabilities"
    assert in_words(10**6) == "1,000,000"
    assert in_words(10**20) == "about 10^20.0"


def test_guesses():
    assert nearest("clas", ["class", 3, "a"]) == "class"
    assert guess("clas", ["class"]) == "; did you mean 'class'?"
    assert guess("clas", ["class"], show=str) == "; did you mean class?"
    for name in ("zzz", 3, None):
        assert nearest(name, ["class"]) is None
        assert guess(name, ["class"]) == ""

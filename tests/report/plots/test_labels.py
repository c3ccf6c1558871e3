"""Names in pictures: short enough, on few lines, never mathematics."""

import pytest

from bnlr.report.plots.labels import shortened, width_of, wrapped


def test_short_names_stay_as_they_are_on_one_line():
    assert shortened("age") == "age"
    assert shortened("two\n lines") == "two lines"
    assert shortened("$x$") == r"\$x\$"
    assert shortened(3) == "3"


@pytest.mark.parametrize("name", ["x" * 200, "W" * 26, "i" * 27, "W" * 3])
def test_long_names_are_cut_by_letters_and_by_inches(name):
    cut = shortened(name, 26, 1.2)
    assert len(cut) <= 26
    assert width_of(cut) <= 1.2
    assert cut == name or (cut.endswith("…") and name.startswith(cut[:-1]))


def test_lines_break_at_blanks_or_else_at_marks():
    assert wrapped("a rather long name", 14, 2) == "a rather long\nname"
    assert wrapped("bottom-middle-square", 15, 2) == "bottom-middle-\nsquare"
    assert wrapped("snake_case_for_ever", 12, 2) == "snake_case_\nfor_ever"
    assert wrapped("one", 12, 2) == "one"


def test_what_needs_more_lines_is_cut():
    lines = wrapped("one two three four five six", 8, 2).split("\n")
    assert lines[0] == "one two"
    assert lines[1].startswith("three")
    assert lines[1].endswith("…")


def test_equations_are_not_torn_apart():
    assert wrapped("colour = red, size = big", 14, 2) == "colour = red,\nsize = big"


def test_widths_grow_with_the_size():
    assert width_of("abc", 17.0) == pytest.approx(2 * width_of("abc", 8.5))
    assert width_of("a\nabc") == width_of("abc")

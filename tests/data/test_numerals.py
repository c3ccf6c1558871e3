"""Numbers with units, groups and decimal commas: what is written is read back, or left alone."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.data.numerals import (
    begins_a_word,
    column_numbers,
    is_code,
    is_marked,
    looks_marked,
    number,
)

BLANKS = (" ", "'", "\u00a0", "\u202f", "\u2009", "")
GROUPS = {".": (",", *BLANKS), ",": (".", *BLANKS)}


def written(value, digits, mark, group, unit, is_before):
    """A number as a book-keeper writes it."""
    text = f"{abs(value):,.{digits}f}".replace(",", "\0").replace(".", mark).replace("\0", group)
    text = f"{unit}{text}" if is_before else f"{text} {unit}".rstrip()
    return f"-{text}" if value < 0 else text


@given(st.data())
def test_what_is_written_in_one_way_is_read(data):
    mark = data.draw(st.sampled_from(".,"))
    group = data.draw(st.sampled_from(GROUPS[mark]))
    unit = data.draw(st.sampled_from(["", "$", "€", "%", "₹", "°C", "EUR"]))
    is_before = data.draw(st.booleans()) and len(unit) < 2
    digits = data.draw(st.integers(0, 4))
    values = data.draw(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=6))
    numbers = [value / 10**digits for value in values]
    texts = [written(value, digits, mark, group, unit, is_before) for value in numbers]
    expected = dict(zip(texts, numbers, strict=True))
    assert column_numbers(expected, mark) == pytest.approx(expected)
    found = column_numbers(expected)
    assert found is None or found == pytest.approx(expected) or could_be_other(texts, mark)
    assert all(looks_marked(text) for text in texts)


def could_be_other(texts, mark):
    """Whether the other mark reads them all, so that nobody can tell."""
    return column_numbers(texts, "," if mark == "." else ".") is not None


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_plain_numbers_are_those_of_python(values):
    texts = {repr(value): value for value in values}
    found = column_numbers(texts)
    assert found == {text: float(text) for text in texts}


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["$1,004.04", "$3"], [1004.04, 3]),
        (["45 %", "3%"], [45, 3]),
        (["-$5", "$-6"], [-5, -6]),
        (["−5 €", "6 €"], [-5, 6]),
        (["–5", "6.5"], [-5, 6.5]),
        (["1.004,5 EUR", "-2 EUR"], [1004.5, -2]),
        (["1,5", "2"], [1.5, 2]),
        (["1,004", "0,5"], [1.004, 0.5]),
        (["1,004", "1.5"], [1004, 1.5]),
        (["1.004,5", "1.004"], [1004.5, 1004]),
        (["1'004", "2"], [1004, 2]),
        (["1,234,567"], [1234567]),
        (["1,5e3", "2,0"], [1500, 2]),
        # one way of writing, or none
        (["1,004"], None),
        (["1,004", "2,500"], None),
        (["$5", "5"], None),
        (["$5", "€5"], None),
        (["5 EUR", "5 USD"], None),
        (["EUR 5", "EUR 6"], None),
        (["5 kg", "6 kg"], None),
        (["5-", "1–2"], None),
        (["$5%"], None),
        (["45 %", "0.45"], None),
        (["1.5", "1,5"], None),
        (["1,2,4"], None),
        (["1,23,456"], None),
        (["007", "$5"], None),
        (["$007"], None),
        (["--5"], None),
        (["$"], None),
        ([""], None),
        (["x", "1,5"], None),
        (["9" * 61 + ",5"], None),
        (["1e999", "1,5"], None),
    ],
)
def test_columns(texts, values):
    expected = None if values is None else dict(zip(texts, map(float, values), strict=True))
    assert column_numbers(texts) == expected


@pytest.mark.parametrize(
    ("texts", "decimal", "likely", "values"),
    [
        (["1,004"], ".", "", [1004]),
        (["1,004"], ",", "", [1.004]),
        (["1,004"], None, ",", [1.004]),
        (["1.004"], None, ",", [1.004]),
        (["1.004"], ",", "", [1004]),
        (["1,5"], ".", ",", None),
        (["1,234,567", "2"], None, ",", [1234567, 2]),
        (["$1,004.04"], ",", "", None),
    ],
)
def test_decimal_marks_that_are_known(texts, decimal, likely, values):
    expected = None if values is None else dict(zip(texts, map(float, values), strict=True))
    assert column_numbers(texts, decimal, likely) == expected


@given(st.text(alphabet="0123456789.,$%€ '-+e−x", max_size=12))
def test_any_text_is_a_finite_number_or_none(text):
    for decimal in (None, ".", ","):
        found = column_numbers([text], decimal)
        assert found is None or math.isfinite(found[text])
    plain = number(text)
    assert plain is None or column_numbers([text]) == {text: plain}


@given(st.text(st.sampled_from("aéße٣0127.,-+−%$€ <≥~=E∞'\u00a0"), min_size=1, max_size=8))
def test_what_begins_with_a_letter_is_no_number_however_written(text):
    """So that texts need not be tried by every pattern."""
    if begins_a_word(text):
        read = (number(text), number(text, decimal_commas=True))
        assert read == (None, None)
        assert [judge(text) for judge in (is_code, is_marked, looks_marked)] == [False] * 3


def test_one_word_among_numbers_with_units_makes_labels_of_all():
    texts = [f"${k}.50" for k in range(50)]
    assert column_numbers(texts) is not None
    for place in (0, 25, 50):
        assert column_numbers([*texts[:place], "word", *texts[place:]]) is None

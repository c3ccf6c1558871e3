"""JSON that is ambiguous, not finite, too deep or too large is refused, in linear time."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.io.models.strict_json import parse, render
from tests.width import in_full

values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**40), 10**40),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(exclude_categories=["Cs"])),
    ),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=20,
)


@given(value=values)
def test_reads_what_the_standard_library_writes(value):
    assert parse(json.dumps(value, indent=2, ensure_ascii=False), "x") == value


@given(value=values)
def test_render_round_trips_and_is_stable(value):
    text = render(value)
    assert text.isascii()
    assert render(parse(text, "x")) == text


REFUSED = {
    "duplicate key": ('{"a": 1, "b": 2, "a": 1}', "'a' stands twice"),
    "duplicate key below": ('[{"x": {"a": 1, "a": 2}}]', "'a' stands twice"),
    "escaped duplicate key": ('{"a": 1, "\\u0061": 2}', "'a' stands twice"),
    "NaN": ("[NaN]", "NaN"),
    "Infinity": ("[Infinity]", "Infinity"),
    "-Infinity": ("[-Infinity]", "-Infinity"),
    "1e999": ("[1e999]", "beyond double precision"),
    "-1e999": ("[-1e999]", "beyond double precision"),
    "5,000 digits": ("[" + "9" * 5000 + "]", "5,000 digits"),
    "5,000 decimals": ("[0." + "9" * 5000 + "]", "beyond double precision"),
    "a million digits": ("9" * 10**6, "1,000,000 digits"),
    "deep lists": ("[" * 10**5, "levels deep"),
    "deep closed lists": ("[" * 10**5 + "]" * 10**5, "levels deep"),
    "deep objects": ('{"a":' * 10**5 + "1" + "}" * 10**5, "levels deep"),
    "65 levels": ("[" * 65 + "]" * 65, "levels deep"),
    "a comma too many": ('{"a": [1,]}', "x:1:"),
    "two values": ("1 2", "x:1:3"),
    "third line": ("{\n\n x}", "x:3:2"),
    "empty": ("", "x:1:1"),
    "open string": ('["abc', "not valid JSON"),
    "control character": ('["a\nb"]', "not valid JSON"),
    "single quotes": ("{'a': 1}", "not valid JSON"),
    "comment": ("[1] // one", "not valid JSON"),
    "byte order mark": ("\ufeff[1]", "BOM"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    text, said = REFUSED[name]
    with pytest.raises(bnlr.ModelFileError, match=said):
        parse(text, "x")


def test_64_levels_and_brackets_in_text_are_fine():
    assert parse("[" * 64 + "]" * 64, "x")
    brackets = "[{" * 1000 + '\\" ['
    assert parse(json.dumps([brackets]), "x") == [brackets]


@pytest.mark.parametrize(
    "text",
    [
        '["' + '\\"' * 300_000,
        *in_full('"' * 600_001),
        "[" + "\\" * 600_000,
        '{"' + "a" * 600_000,
        "," * 600_000,
    ],
    ids=["escaped quotes", "quotes", "backslashes", "open key", "commas"],
)
def test_hostile_text_takes_linear_time(text):
    # A quadratic scan of these would take minutes.
    start = time.perf_counter()
    with pytest.raises(bnlr.ModelFileError):
        parse(text, "x")
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {1, 2}, object(), (1,), {1: 2}, b"x"]
)
def test_render_refuses_what_json_cannot_carry(value):
    with pytest.raises(bnlr.ModelFileError):
        render([value])


def test_render_refuses_a_loop():
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(bnlr.ModelFileError):
        render(loop)

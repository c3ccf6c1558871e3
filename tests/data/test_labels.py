"""Shortcuts for labels that are all text give what one label after another gives."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnlr.data import labels as lab
from bnlr.data.frames.column import Storage, encode, label_column

LABELS = st.one_of(st.text(max_size=3), st.booleans(), st.integers(-3, 3), st.just(0.5))
MANY = st.one_of(st.lists(st.text(max_size=2), max_size=8), st.lists(LABELS, max_size=8))


class Word(str):
    """Text that is no plain text, as NumPy's is."""

    __slots__ = ()


@given(MANY)
def test_keys_are_those_of_the_labels_and_tell_kinds_apart(labels):
    assert list(lab.keys_of(labels)) == [lab.key_of(label) for label in labels]
    assert lab.are_text(labels) == all(type(label) is str for label in labels)
    assert not lab.are_text([*labels, Word("a")])
    assert lab.positions(labels) == {lab.key_of(x): k for k, x in enumerate(labels)}


@given(st.lists(st.text(max_size=2), min_size=1, max_size=8, unique=True), st.randoms())
def test_a_column_of_text_is_coded_as_one_with_a_hole_is(texts, random):
    """The hole's column goes the long way."""
    numbers = np.array([random.randrange(len(texts)) for _ in range(20)])
    states = tuple(text for text in (*texts, "other") if random.random() < 0.7)
    short = label_column("x", numbers, texts, Storage.OBJECTS)
    long = label_column("x", numbers, [*map(Word, texts), None], Storage.OBJECTS)
    assert [*short.labels, None] == long.labels
    assert {type(label) for label in long.known} == {str}
    codes, others = np.empty(20, np.int16), np.empty(20, np.int16)
    assert encode(short, states, codes) == encode(long, states, others)
    np.testing.assert_array_equal(codes, others)
    known = dict(zip(states, range(len(states)), strict=True))
    assert codes.tolist() == [known.get(texts[number], -1) for number in numbers]

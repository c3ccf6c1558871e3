"""Lists of arcs as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.io import load_structure
from bnlr.io.arcs import parse_arcs
from tests import strategies
from tests.io import hostile


def read(text, class_name="c"):
    return parse_arcs(text, class_name, "file")


@pytest.mark.parametrize(
    "line",
    [
        *("c -> a", "c a", "c,a", "c , a", "c\ta", "  c->a  ", "c;a", "c → a", "c→a"),
        *('"c" "a"', '"c"->a', 'c,"a"', "c   a\r", "c -> a # a comment"),
        "c -> a\n\n# only a comment\n   \n",
    ],
)
def test_ways_to_write_an_arc(line):
    assert read(line) == bnlr.Structure([("c", "a")], class_name="c")


def test_order_of_nodes_and_parents_is_that_of_the_file():
    s = read("# nodes\nz\nb -> d\nc -> d\r\nc -> b\n\ra d\n")
    assert s.nodes == ("z", "b", "d", "c", "a")
    assert s.parents("d") == ("b", "c", "a")
    assert s.edges == (("b", "d"), ("c", "d"), ("c", "b"), ("a", "d"))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("x-ray", "x-ray"),
        ("p>q", "p>q"),
        ("class=1", "class=1"),
        ("it's", "it's"),
        ("a#b", "a#b"),
        ('"two words"', "two words"),
        ('"say ""so"""', 'say "so"'),
        ('""""', '"'),
        ('"a,b"', "a,b"),
        ('"a -> b"', "a -> b"),
        ('"<-"', "<-"),
        ('"#"', "#"),
        ('" "', " "),
        ("naïve", "naïve"),
        ("😀", "😀"),
    ],
)
def test_names(written, name):
    assert read(f"c -> {written}").children("c") == (name,)
    assert read(f"{written} -> c").parents("c") == (name,)


@given(structure=strategies.structures())
def test_round_trip_of_quoted_names(structure):
    def quote(name):
        return '"' + name.replace('"', '""') + '"'

    lines = [quote(node) for node in structure.nodes]
    lines += [f"{quote(a)} -> {quote(b)}" for a, b in structure.edges]
    assert read("\n".join(lines), structure.class_name) == structure


REFUSED = {
    "three names": ("c -> a\nc a b", "file:2:5: expected one arc"),
    "a chain": ("c -> a -> b", "file:1:8: expected one arc"),
    "no child": ("c ->", "file:1:5: expected one arc"),
    "no parent": ("-> c", "file:1:1: expected one arc"),
    "two separators": ("c -> , a", "file:1:6: expected one arc"),
    "backwards": ("c <- a", "file:1:3: '<-'"),
    "backwards, no blanks": ("c<-a", "file:1:1: 'c<-a'"),
    "undirected": ("c -- a", "file:1:3: '--'"),
    "open quote": ('c -> "a', "file:1:6: a quoted text is not closed in its line; close it"),
    "quote inside": ('c -> a"b"', "file:1:7: a quote inside a text"),
    "empty name": ('c -> ""', "file: a node has an empty name"),
    "an arc twice": ("c a\nc b\nc -> a", "file:3:1: the arc 'c' -> 'a' stands in line 1"),
    "a cycle": ("c a\na b\nb c", "file: the arcs form a cycle: 'c' → 'a' → 'b' → 'c'"),
    "a self-loop": ("c c", "file: the arcs form a cycle: 'c' → 'c'"),
    "another class": ("x y", "file: the class 'c' is not in the structure"),
    "nothing": ("", "file: no arcs and no nodes"),
    "comments only": ("# c -> a\n", "file: no arcs and no nodes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_place(name):
    text, said = REFUSED[name]
    with pytest.raises(bnlr.ModelFileError) as caught:
        read(text)
    assert str(caught.value).startswith(said)


@given(text=st.text(st.sampled_from('ab"c, ->;#→<\\\t\n\r\x00\u2028é'), max_size=40))
def test_any_text_is_read_or_refused(text):
    try:
        structure = read(text)
    except bnlr.ModelFileError as error:
        said = str(error)
    else:
        said = f"file: {structure}"
    assert said.startswith("file:")


@pytest.mark.slow
def test_a_long_hostile_line_takes_linear_time():
    for line in ('"' * 200_001, '""' * 100_000 + "x", "-" * 200_000, "a" * 200_000, ">" * 200_000):
        with pytest.raises(bnlr.ModelFileError):
            read(line + " b c")


@pytest.mark.slow
def test_more_arcs_than_are_read(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("".join(f"c a{k}\n" for k in range(250_001)))
    with pytest.raises(bnlr.ModelFileError, match="more than 250,000 arcs or nodes"):
        load_structure(path, "c")


@given(st.lists(st.text(st.sampled_from('ab.→->,; \t"#_é1'), max_size=8), max_size=4))
def test_lines_of_plain_words_are_read_as_all_others(lines):
    """A blank and a comment behind them change nothing but which way they take."""
    found = [hostile.failure(bnlr.ModelFileError, read, "\n".join(lines), "a")]
    slow = "\n".join(f"{line}\u2003# c" if '"' not in line else line for line in lines)
    found += [hostile.failure(bnlr.ModelFileError, read, slow, "a")]
    assert bool(found[0]) == bool(found[1])
    if not found[0]:
        assert read("\n".join(lines), "a") == read(slow, "a")

"""BIF whose names and states stand without quotes, as R's bnlearn, pgmpy and pandas leave them."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import bnlr
from bnlr.io.networks.bif import parse
from bnlr.io.networks.unquoted import Vocabulary, matches, readings
from tests.width import in_full

EDGES = [-np.inf, 0.0, 1.5, 3.0, np.inf]
STATES = [
    *(["very low", "high"], ["[0_1]", "_1_2]"], ["(-Inf_2]", "_2_ Inf)"], ["[0,1)", "[1,2]"]),
    *([f"({a}, {b}]" for a, b in itertools.pairwise(EDGES)], ["a|b", "|"], ["+", "-", "a+b"]),
    *(["f(x, y)", "g(x)"], ["(a", "b"], ["a)", ")b"], ["it's", 'six" pipe'], ["<20", ">= 20 €"]),
    *(
        ["a b c", "d"],
        ["[(0, 1]", "]"],
        ["[0,1[", "[1,2]"],
        ["]0, 1]", "]1, 2]"],
        ["(0;1[", "[1;2]"],
        ["a;b", "f(x);g", ";c"],
        ["%", "#", "=", "x=1"],
    ),
]


def text_of(tables, names=("h", "c")):
    """BIF of a node and its child with these states, written as pgmpy does: quotes nowhere."""
    h, c = names
    blocks = [
        f"variable {name} {{\n  type discrete [ {len(states)} ] {{ {', '.join(states)} }};\n}}"
        for name, states in zip(names, tables, strict=True)
    ]
    row = ", ".join(["0.5", "0.5", *["0.0"] * (len(tables[1]) - 2)])
    root = ", ".join([repr(1 / len(tables[0]))] * len(tables[0]))
    rows = "\n".join(f"  ({state}) {row};" for state in tables[0])
    return "\n".join(
        [
            *("network unknown {\n}", *blocks),
            f"probability ( {h} ) {{\n  table {root};\n}}",
            f"probability ( {c} | {h} ) {{\n{rows}\n}}",
        ]
    )


@pytest.mark.parametrize("states", STATES, ids=lambda states: states[0])
def test_states_without_quotes(states):
    for tables in ((states, ["a", "b"]), (["a", "b"], states)):
        net = parse(text_of(tables), "f").network("h")
        assert net.states == {"h": tuple(tables[0]), "c": tuple(tables[1])}


def test_two_parents_with_intervals():
    a, b = ["(0.0, 1.5]", "(1.5, 3.0]"], ["[0,1)", "[1,2]"]
    head = "".join(
        f"variable {n} {{ type discrete [2] {{ {', '.join(s)} }}; }}\n"
        for n, s in (("a", a), ("b", b), ("c", ["x", "y"]))
    )
    roots = "probability ( a ) { table .5 .5; } probability ( b ) { table .5 .5; }\n"
    rows = "".join(
        f"({s}{mark}{t}) 0.{k}, 0.{10 - k};"
        for k, (s, t, mark) in enumerate(
            [(a[0], b[0], ", "), (a[1], b[0], ","), (a[0], b[1], " "), (a[1], b[1], " , ")], 1
        )
    )
    net = parse(f"{head}{roots}probability ( c | a, b ) {{ {rows} }}", "f").network("c")
    assert net.cpts["c"][..., 0].tolist() == [[0.1, 0.3], [0.2, 0.4]]


@pytest.mark.parametrize("name", ["my var", "f(x)", "a|b", "x[1]", "a, b", "Größe (cm)"])
def test_names_of_nodes_without_quotes(name):
    text = text_of((["u", "v"], ["x", "y"]), ("h", name))
    assert parse(text, "f").network("h").structure.edges == (("h", name),)


AMBIGUOUS = {
    "states": ("{ (a, b) c, d }", "3", r"f:1:.*'\(a', 'b\) c', 'd' or as '\(a, b\)', 'c', 'd'"),
    "semicolons between": ("{ a; b }", "2", "f:1:.*a ';' between states; commas set them apart"),
    "a comment within": ("{ http://a, b };\n} variable", "2", "a // begins a comment: put states"),
    "another count": ("{ [0, 1], 2 }", "4", "f:1:.*4 states are announced, 2 are listed"),
    "a quote left open": ('{ "a, b }', "2", "quote that is not closed"),
}


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_lists_that_are_refused(case):
    states, count, said = AMBIGUOUS[case]
    with pytest.raises(bnlr.ModelFileError, match=said):
        parse(f"variable a {{ type discrete [{count}] {states}; }}", "f").network("a")


def test_a_row_and_a_head_of_two_readings_are_refused():
    head = (
        'variable a { type discrete [2] { a, "a b" }; } variable b { type discrete [2] '
        '{ c, "b c" }; } variable x { type discrete [2] { u, v }; }\n'
        "probability ( a ) { table 1 0; } probability ( b ) { table 1 0; }\n"
    )
    rows = '("a b", c) 1 0; (a, c) 1 0; ("a b", "b c") 1 0;'
    with pytest.raises(bnlr.ModelFileError, match=r"f:4: the row can be read as 'a', 'b c' or as"):
        parse(f"{head}probability ( x | a, b ) {{ {rows}\n(a b c) 1 0; }}", "f").network("x")
    head = "".join(f"variable {n} {{ type discrete [1] {{ u }}; }}" for n in ("a", "b", "a b", "x"))
    with pytest.raises(bnlr.ModelFileError, match=r"the names can be read as 'x', 'a b' or as 'x'"):
        parse(f"{head} probability ( x | a b ) {{ default 1; }}", "f").network("x")


def test_the_count_and_the_known_states_decide():
    text = text_of((["u", "v"], ["x", "y"])).replace("{ x, y }", "{ x y }").replace("(u)", "( u )")
    assert parse(text, "f").network("h").states["c"] == ("x", "y")
    flat = text_of((["[0", "1]", "2"], ["x", "y"]))
    assert parse(flat, "f").network("h").states["h"] == ("[0", "1]", "2")


words = st.text(st.sampled_from("ab ()[]|+-.'<>=%:,0é\""), min_size=1, max_size=7)


@given(states=st.lists(st.lists(words, min_size=2, max_size=4), min_size=2, max_size=2))
def test_what_is_read_is_what_was_written_or_refused(states):
    """Either every state as it was, or an error; with commas and quotes perhaps of another list."""
    states = [[" ".join(word.split()) for word in each] for each in states]
    assume(all(all(each) and len(set(each)) == len(each) for each in states))
    text = text_of(states)
    try:
        net = parse(text, "f").network("h")
    except bnlr.ModelFileError:
        plain = "".join(map("".join, states))
        assert set(plain) & set('()[],"') or any(" " in word for word in map("".join, states))
        return
    if not set("".join(map("".join, states))) & set(',"'):
        assert net.states == {"h": tuple(states[0]), "c": tuple(states[1])}


brackets = st.builds(
    "{}{}{}".format, st.sampled_from("([a"), st.integers(-9, 9), st.sampled_from(")]b")
)
intervals = st.builds(
    "{}{},{}{}{}".format,
    *(st.sampled_from("(["), st.floats(-9, 9), st.sampled_from(["", " "]), st.floats(-9, 9)),
    st.sampled_from(")]"),
)
plain_words = st.text(st.sampled_from("ab01_-+.|<>="), min_size=1, max_size=4).filter(
    lambda t: "//" not in t
)
sentences = st.lists(plain_words, min_size=1, max_size=3).map(" ".join)


@given(
    tables=st.lists(
        st.lists(
            st.one_of(brackets, intervals, plain_words, sentences),
            min_size=2,
            max_size=5,
            unique=True,
        ),
        min_size=2,
        max_size=2,
    )
)
def test_words_intervals_and_sentences_are_read_as_they_stand(tables):
    others = [readings(", ".join(states)) for states in tables]
    assume(
        all(
            sum(len(each) == len(states) and len(set(each)) == len(each) for each in found) == 1
            for found, states in zip(others, tables, strict=True)
        )
    )
    net = parse(text_of(tables), "f").network("h")
    assert net.states == {"h": tuple(tables[0]), "c": tuple(tables[1])}


@given(data=st.data())
def test_matches_are_those_of_enumeration(data):
    label = st.text(st.sampled_from("ab ,"), min_size=1, max_size=4).map(
        lambda t: " ".join(t.split())
    )
    lists = data.draw(
        st.lists(st.lists(label.filter(bool), min_size=1, max_size=4, unique=True), max_size=3)
    )
    lists = [[t for t in labels if t.strip(" ,") == t and t] or ["a"] for labels in lists]
    chosen = [data.draw(st.sampled_from(labels)) for labels in lists]
    text = data.draw(st.sampled_from([", ", " ", ","])).join(chosen)
    found = matches(text, [Vocabulary(labels) for labels in lists])

    def same(ways):
        return [
            way for way in itertools.product(*lists) if any(mark.join(way) == text for mark in ways)
        ]

    assert set(same([", ", " ", ","])) & set(found) or len(found) == 2
    assert all(
        " ".join(text.replace(",", " ").split())
        == " ".join(" ".join(way).replace(",", " ").split())
        for way in found
    )


@pytest.mark.parametrize(
    "piece",
    [*in_full("("), "[", ")", '"', "|", *in_full(","), " ", "a ", '"a" ', "/", "*/", "{", "//"],
)
def test_a_hostile_list_takes_no_longer_than_it_is_long(piece):
    text = "variable a { type discrete [2] { " + piece * 30_000 + " }; } probability ( a"
    ends = ["", piece * 30_000, ") { (" + piece * 30_000 + ") 1 0; }"]
    other = "variable a { type discrete [2] { a;b, c }; } probability ( b | a ) { ("
    for whole in (*(text + end for end in ends), other + (piece + ";") * 5_000 + ") 1 0; }"):
        with pytest.raises(bnlr.ModelFileError):
            parse(whole, "f").network("a")


@given(
    data=st.data(),
    n=st.integers(2, 5),
    marks=st.sampled_from([("[", "["), ("]", "]"), ("]", "["), ("(", "["), ("[", "]")]),
    between=st.sampled_from([",", ", ", ";", "; "]),
)
def test_intervals_of_all_notations(data, n, marks, between):
    """French, pyAgrum's and pandas' intervals, the first and the last closed or not."""
    ends = data.draw(st.lists(st.integers(-99, 99), min_size=n + 1, max_size=n + 1, unique=True))
    states = [f"{marks[0]}{a}{between}{b}{marks[1]}" for a, b in itertools.pairwise(sorted(ends))]
    states[0] = data.draw(st.sampled_from("([]")) + states[0][1:]
    states[-1] = states[-1][:-1] + data.draw(st.sampled_from(")[]"))
    assert parse(text_of((states, ["a", "b"])), "f").network("h").states["h"] == tuple(states)


def test_an_empty_state_in_quotes_and_an_equals_sign_of_old_files():
    text = text_of((['""', "x"], ["a", "b"])).replace(
        "type discrete [ 2 ] {", "type discrete [2] = {"
    )
    assert parse(text, "f").network("h").states["h"] == ("", "x")

"""Structures from files of every kind that ``bnlr check`` reads."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.io import load_structure
from bnlr.io.edges import parse_edges, read_structure
from tests import strategies
from tests.cases import CASES


def read(text, class_name="c"):
    return parse_edges(text, class_name, "file")


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
    "open quote": ('c -> "a', "file:1:6: a quoted name has no closing quote"),
    "quote inside": ('c -> a"b"', "file:1:7: a quote inside a name"),
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


def test_a_long_hostile_line_takes_linear_time():
    for line in ('"' * 200_001, '""' * 100_000 + "x", "-" * 200_000, "a" * 200_000, ">" * 200_000):
        with pytest.raises(bnlr.ModelFileError):
            read(line + " b c")


# JSON


def write(tmp_path, value, name="x.json"):
    path = tmp_path / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_json_structure(tmp_path):
    path = write(tmp_path, {"nodes": ["z", "c"], "edges": [["c", "a"], ["b", "a"]], "class": "c"})
    expected = bnlr.Structure([("c", "a"), ("b", "a")], class_name="c", nodes=["z", "c"])
    assert load_structure(path) == expected
    assert read_structure(path).cards is None


def test_json_is_recognised_by_its_brace(tmp_path):
    path = write(tmp_path, '\ufeff \n{"edges": [["c", "a"]], "class": "c"}', "network")
    assert load_structure(path).edges == (("c", "a"),)


def test_states_give_cards_if_all_are_there(tmp_path):
    fields = {"edges": [["c", "a"]], "class": "c", "states": {"c": ["x", "y"], "a": [1, 2, 3]}}
    assert read_structure(write(tmp_path, fields)).cards == {"c": 2, "a": 3}
    fields["states"].pop("a")
    assert read_structure(write(tmp_path, fields)).cards is None


def test_class_name_overrides_the_file(tmp_path):
    path = write(tmp_path, {"edges": [["c", "a"]], "class": "c"})
    assert load_structure(path, class_name="a").class_name == "a"
    with pytest.raises(bnlr.ModelFileError, match="'z' is not in the structure"):
        load_structure(path, class_name="z")


def test_a_file_without_class_says_what_to_give(tmp_path):
    for path in (write(tmp_path, {"edges": [["c", "a"]]}), write(tmp_path, "c a", "x.txt")):
        with pytest.raises(bnlr.ModelFileError, match=r"class_name=.*--class.*'c', 'a'"):
            load_structure(path)


def cases_with_a_graph():
    raw = {path: json.loads(path.read_text("utf-8")) for path in sorted(CASES.glob("*.json"))}
    return [pytest.param(p, r, id=p.stem) for p, r in raw.items() if {"edges", "class"} <= set(r)]


@pytest.mark.parametrize(("path", "raw"), cases_with_a_graph())
def test_reference_cases(path, raw):
    file = read_structure(path)
    assert file.structure.class_name == raw["class"]
    assert [list(arc) for arc in file.structure.edges] == raw["edges"]
    assert file.cards == {node: len(labels) for node, labels in raw["states"].items()}


@given(net=strategies.networks(strategies.structures()))
def test_saved_models(net, tmp_path_factory):
    path = tmp_path_factory.mktemp("m") / "x.json"
    bnlr.save(net, path)
    file = read_structure(path)
    assert file.structure == net.structure
    assert file.cards == net.cards


def test_a_changed_model_is_no_structure_either(tmp_path):
    structure = bnlr.Structure([("c", "a")], class_name="c")
    states = {"c": ("x", "y"), "a": ("u", "v")}
    cpts = {"c": np.array([0.5, 0.5]), "a": np.full((2, 2), 0.5)}
    path = tmp_path / "x.json"
    bnlr.save(bnlr.BayesianNetwork(structure, states, cpts), path)
    path.write_text(path.read_text().replace('["c","a"]', '["a","c"]', 1))
    with pytest.raises(bnlr.ModelFileError, match="changed or damaged"):
        load_structure(path)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([["c", "a"]], "must be an object"),
        ({"class": "c"}, 'no field "edges"'),
        ({"edges": {"c": "a"}, "class": "c"}, "edges must be a list"),
        ({"edges": [["c", "a", "b"]], "class": "c"}, r"edges\[0\] must be \[parent, child\]"),
        ({"edges": [["c", 1]], "class": "c"}, r"edges\[0\]\[1\] must be text"),
        ({"edges": [["c", "a"], "ca"], "class": "c"}, r"edges\[1\] must be a list"),
        ({"edges": [], "nodes": "ca", "class": "c"}, "nodes must be a list"),
        ({"edges": [], "class": ["c"]}, "class must be text"),
        ({"edges": [["c", "a"], ["a", "c"]], "class": "c"}, "cycle"),
        ({"edges": [["c", "a"]], "class": "c", "states": []}, "states must be an object"),
        ('{"edges": [], "edges": [], "class": "c"}', "'edges' stands twice"),
    ],
)
def test_wrong_json_is_refused_with_the_place(value, said, tmp_path):
    path = write(tmp_path, value)
    with pytest.raises(bnlr.ModelFileError, match=said) as caught:
        load_structure(path)
    assert str(caught.value).startswith(str(path))


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "x.txt").write_bytes(b"c -> \xff\xfe")
    with pytest.raises(bnlr.ModelFileError, match="not UTF-8"):
        load_structure(tmp_path / "x.txt")
    with pytest.raises(bnlr.ModelFileError, match="cannot read"):
        load_structure(tmp_path)

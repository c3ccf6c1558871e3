"""Structures from files of every kind that ``bnlr check`` reads."""

import json

import numpy as np
import pytest
from hypothesis import given

import bnlr
from bnlr.io import load_structure
from bnlr.io.structures import read_structure
from tests import strategies
from tests.cases import CASES


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

"""Graphs as Graphviz, bnlearn, networkx and spreadsheets write them, and standard input."""

import io
from types import SimpleNamespace

import networkx as nx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import bnlr
from bnlr.io import load_structure
from bnlr.io.dialects import parse_dot, parse_model_string
from bnlr.io.edges import parse_edges, read_structure
from tests import strategies
from tests.io.test_formats import small

EXPECTED = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b")], class_name="c")
SAME = {
    "model string": "[c][a|c][b|c:a]",
    "model string in lines": " [c]\n [a|c]\n [b|c:a]\n",
    "dot": "digraph { c -> a; c -> b; a -> b }",
    "dot with all its trimmings": """
        // made by hand
        /* with -> a comment */
        strict digraph "G" {
          rankdir=LR; node [shape=box, label="a -> z"];
          "c" -> {a b} [color="red;]"];
          a:s -> b:n
        }
    """,
    "dot, a chain": "digraph g {\n c -> a -> b\n c -> b }",
    "header": "from,to\nc,a\nc,b\na,b\n",
    "quoted header": '"from","to"\r\n"c","a"\r\n"c","b"\r\n"a","b"\r\n',
    "Gephi": "Source\tTarget\nc\ta\nc\tb\na\tb\n",
    "networkx": "c a {}\nc b {}\na b {}\n",
}


@pytest.mark.parametrize("name", SAME)
def test_dialects_give_the_same_structure(name, tmp_path):
    path = tmp_path / "graph.txt"
    path.write_text(SAME[name], encoding="utf-8")
    structure = load_structure(path, "c")
    assert set(structure.edges) == set(EXPECTED.edges)
    assert set(structure.nodes) == {"a", "b", "c"}


def test_words_of_a_header_may_be_nodes():
    s = parse_edges("from,to\nto,c\n", "c", "file")
    assert s.edges == (("from", "to"), ("to", "c"))
    assert parse_edges("from to", "to", "file").edges == (("from", "to"),)


@given(structure=strategies.structures())
def test_dot_with_any_names(structure):
    assume(not any("\\" in name for name in structure.nodes))

    def quote(name):
        return '"' + name.replace('"', '\\"') + '"'

    lines = [f"{quote(node)};" for node in structure.nodes]
    lines += [f"{quote(a)} -> {quote(b)}" for a, b in structure.edges]
    graph = parse_dot("digraph {\n" + "\n".join(lines) + "\n}", "file")
    assert graph.nodes == list(structure.nodes)
    assert set(graph.arcs) == set(structure.edges)


def test_what_networkx_writes(tmp_path):
    graph = nx.DiGraph([("c", "a"), ("c", "b"), ("a", "b")])
    nx.write_edgelist(graph, tmp_path / "edges.txt")
    nx.write_edgelist(graph, tmp_path / "bare.txt", data=False)
    for name in ("edges.txt", "bare.txt"):
        assert load_structure(tmp_path / name, "c") == EXPECTED


REFUSED = {
    "undirected": ("graph { a -- b }", "file:1:1: the graph is undirected"),
    "an undirected edge": ("digraph {\n a -- b }", "file:2:4: an undirected edge"),
    "never closed": ("digraph {\n a -> b", "file:2:8: expected the name"),
    "no body": ("digraph g", "file:1:10: expected '{'"),
    "a subgraph": ("digraph { subgraph x { a } }", "file:1:11: subgraphs are not read"),
    "open attributes": ("digraph { a [x", "file:1:15: '[' is never closed"),
    "HTML": ("digraph { a -> <b> }", "file:1:16: this is no DOT"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_dot_is_refused_with_the_place(name):
    text, said = REFUSED[name]
    with pytest.raises(bnlr.ModelFileError) as caught:
        parse_dot(text, "file")
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[a][b|a", "file:1:4: expected"),
        ("[a] b", "file:1:5: expected"),
        ("[a][a]", "file: the node 'a' stands twice"),
        ("[a|]", "file:1:1: expected"),
    ],
)
def test_model_strings_are_refused_with_the_place(text, said):
    with pytest.raises(bnlr.ModelFileError) as caught:
        parse_model_string(text, "file")
    assert str(caught.value).startswith(said)


@given(text=st.text(st.sampled_from('ab{}[]->;="\\/*#|: \ndigraph'), max_size=60))
def test_any_text_is_read_or_refused(text):
    for parse, start in ((parse_dot, "digraph {"), (parse_model_string, "[")):
        said = ""
        try:
            graph = parse(start + text, "file")
        except bnlr.ModelFileError as error:
            said = str(error)
        else:
            assert set(graph.nodes) >= {name for arc in graph.arcs for name in arc}
        assert not said or said.startswith("file:")


def test_long_hostile_texts_take_linear_time():
    for text in ("/*/" * 50_000, "/**/" * 50_000 + "x", "digraph {" + "a -> " * 50_000):
        with pytest.raises(bnlr.ModelFileError):
            parse_dot(text, "file")


@pytest.mark.parametrize("name", ["n.bif", "n.xmlbif", "n.net", "n.json"])
def test_standard_input_holds_any_format(name, tmp_path, monkeypatch):
    bnlr.save(small(), tmp_path / name)
    raw = io.BytesIO((tmp_path / name).read_bytes())
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=raw))
    assert read_structure("-") == read_structure(tmp_path / name)


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"", b"{", b"net {", b"<BIF>", b"network x {"])
def test_bad_standard_input_is_refused_by_its_name(raw, monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
    with pytest.raises(bnlr.ModelFileError, match=r"^<stdin>"):
        read_structure("-", "c")

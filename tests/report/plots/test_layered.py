"""Structures from left to right: where Graphviz's ``dot`` puts them, and that a circle is enough.

``dot`` itself need not be there: a stand-in answers in its words, one column a layer.
"""

import shutil
import sys
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

import bnlr
from bnlr.report.plots import canvas, graph, graphviz
from tests.report.plots.texts import overlaps, texts, words
from tests.width import in_full

NAMES = [f"{'a rather long name ' * (k % 3 == 0)}x{k}" for k in range(20)]
NAIVE = bnlr.Structure.naive_bayes(NAMES, "class")
TREE = NAIVE.with_arcs([(NAMES[(k - 1) // 2], NAMES[k]) for k in range(1, 20)])
STAND_IN = f"""#!{sys.executable}
import re, sys
text = sys.stdin.read()
sizes = re.findall(r"(\\d+)\\[width=([\\d.]+),height=([\\d.]+)\\]", text)
arcs = re.findall(r"(\\d+)->(\\d+)(\\[constraint=false\\])?", text)
layer = dict.fromkeys((node for node, *_ in sizes), 0)
for _ in sizes:
    for a, b, added in arcs:
        if not added:
            layer[b] = max(layer[b], layer[a] + 1)
at = {{}}
for node, *_ in sizes:
    at[node] = (2.5 * layer[node] + 1, 0.3 * sum(layer[k] == layer[node] for k in at) + 0.2)
wide = max(x for x, _ in at.values()) + 1
print("graph 1", wide, max(y for _, y in at.values()) + 0.2)
for node, w, h in sizes:
    print("node", node, *at[node], w, h, '"a label" solid box black lightgrey')
for a, b, _ in arcs:
    (x0, y0), (x1, y1) = at[a], at[b]
    middle = (x0 + x1) / 2, (y0 + y1) / 2
    print("edge", a, b, 4, x0, y0, *middle, *middle, x1, y1, "solid black")
print("stop")
"""


@pytest.fixture
def dot(tmp_path, monkeypatch):
    """Put a program called dot, and nothing else, on the path; return how to change it."""

    def put(program):
        (tmp_path / "dot").write_text(program, "utf-8")
        (tmp_path / "dot").chmod(0o755)

    monkeypatch.setenv("PATH", str(tmp_path))
    put(STAND_IN)
    return put


def arrows(ax):
    return [p for p in ax.patches if isinstance(p, FancyArrowPatch)]


@pytest.mark.slow
def test_names_stand_in_boxes_apart_with_arcs_between_their_middles(dot):
    ax = bnlr.plot_structure(TREE)
    assert overlaps(ax.figure) == []
    places = {t.get_text(): t.get_position() for t in ax.texts}
    assert set(places) == set(TREE.nodes)
    ends = {tuple(map(tuple, p._path_original.vertices[[0, 3]].round(6))) for p in arrows(ax)}
    between = [arc for arc in TREE.edges if "class" not in arc]
    assert ends == {tuple(tuple(np.round(places[node], 6)) for node in arc) for arc in between}
    for parent, child in between:
        assert places[parent][0] < places[child][0]
    for text in ax.texts:  # the arcs of the class are told by the edges of boxes
        edge = text.get_bbox_patch().get_edgecolor()
        assert (edge == to_rgba(canvas.ORANGE)) == (text.get_text() != "class")
    assert "arc from the class" in words(ax.figure)


def test_unmarried_parents_and_the_arcs_that_marry_them(dot):
    s = NAIVE.with_arcs([*pairwise(NAMES), (NAMES[0], NAMES[9])])
    ax = bnlr.plot_structure(s)
    red = [p for p in arrows(ax) if p.get_edgecolor() == to_rgba(canvas.VERMILLION)]
    assert len(red) == 2
    dashed = [p for p in arrows(ax) if p.get_linestyle() != "solid"]
    assert len(dashed) == len(bnlr.analyze(s).embedding) > 0
    faces = {t.get_text(): t.get_bbox_patch().get_facecolor() for t in ax.texts}
    marked = {name for name, face in faces.items() if face == to_rgba(canvas.VERMILLION)}
    assert marked == {NAMES[0], NAMES[8]}


@pytest.mark.parametrize("layout", [*in_full("circle"), "layered"])
def test_too_many_arcs_that_marry_parents_are_counted(dot, layout, monkeypatch):
    s = NAIVE.with_arcs([(NAMES[k], NAMES[19]) for k in range(19)])
    n = len(bnlr.analyze(s).embedding)
    assert n > graph._MOST_ADDED
    ax = bnlr.plot_structure(s, layout=layout)
    assert f"{n:,} arcs that make it convex, too many to draw" in words(ax.figure)
    assert all(p.get_linestyle() == "solid" for p in arrows(ax))
    monkeypatch.setattr(graph, "_MOST_ADDED", n)
    ax = bnlr.plot_structure(s, layout=layout)
    assert sum(p.get_linestyle() != "solid" for p in arrows(ax)) == n


@pytest.mark.slow
def test_a_circle_where_layers_say_nothing_or_have_no_room(dot):
    def is_circle(structure, **options):
        ax = bnlr.plot_structure(structure, **options)
        return "arc from the class" not in words(ax.figure)

    assert not is_circle(TREE)
    assert is_circle(TREE, layout="circle")
    assert is_circle(TREE, ax=Figure(figsize=(8, 8)).add_subplot())
    assert not is_circle(TREE, ax=Figure(figsize=(8, 8)).add_subplot(), layout="layered")
    assert is_circle(NAIVE)
    assert not is_circle(NAIVE, layout="Layered")
    small = bnlr.Structure.naive_bayes([*"abc"], "k").with_arcs([("a", "b"), ("b", "c")])
    assert is_circle(small)


@pytest.mark.parametrize(
    "program",
    [
        *in_full(None),
        "#!/bin/sh\nexit 3\n",
        "#!/bin/sh\necho graph 1 x y\n",
        "#!/bin/sh\necho graph 1 2 3\n",
    ],
    ids=["absent", "fails", "no numbers", "no nodes"],
)
def test_without_dot_it_is_a_circle_or_an_error_that_says_so(dot, program, tmp_path):
    (tmp_path / "dot").unlink() if program is None else dot(program)
    assert "arc from the class" not in words(bnlr.plot_structure(TREE).figure)
    with pytest.raises(bnlr.ParameterError, match=r"dot of Graphviz.*layout='circle'"):
        bnlr.plot_structure(TREE, layout="layered")
    with pytest.raises(bnlr.ParameterError, match=r"layout is 'star'; choose one of auto, circle"):
        bnlr.plot_structure(TREE, layout="star")


@pytest.mark.slow
def test_pages_are_the_same_with_and_without_dot(dot, tmp_path):
    frame = TREE_ROWS.sample(60, random_state=0)
    bnlr.write_report(TREE_ROWS, frame, tmp_path / "a.html")
    (tmp_path / "dot").unlink()
    bnlr.write_report(TREE_ROWS, frame, tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def network(structure):
    rng = np.random.default_rng(0)
    shapes = {node: (2,) * len(structure.parents(node)) for node in structure.nodes}
    states = dict.fromkeys(structure.nodes, ("no", "yes"))
    cpts = {node: rng.dirichlet([1, 1], shape) for node, shape in shapes.items()}
    return bnlr.BayesianNetwork(structure, states, cpts)


TREE_ROWS = network(TREE)


@pytest.mark.skipif(shutil.which("dot") is None, reason="no Graphviz here")
@pytest.mark.parametrize("n", [20, pytest.param(100, marks=pytest.mark.slow)])
def test_graphviz_itself_keeps_names_apart_and_parents_left(n):
    rng = np.random.default_rng(n)
    names = [f'{"W" * int(rng.integers(1, 30))}:{k}"' for k in range(n)]
    s = bnlr.Structure.naive_bayes(names, "class\\")
    s = s.with_arcs([(names[int(rng.integers(0, k))], names[k]) for k in range(1, n)])
    assert graphviz.is_there()
    ax = bnlr.plot_structure(s, layout="layered")
    assert overlaps(ax.figure) == []
    assert len(arrows(ax)) == n - 1
    assert len(texts(ax.figure)) == n + 1 + 1 + 3  # names, title and legend

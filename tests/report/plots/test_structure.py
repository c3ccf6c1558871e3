"""Pictures: what they say, that their texts keep apart, and that they need no display."""

import itertools
import math
import subprocess
import sys

import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

import bnlr
from bnlr.report.plots import canvas, graph
from bnlr.structure.layout import layout
from tests.report.plots.texts import drawn, overlaps, texts, words

SLOW = pytest.mark.slow

SQUARES = [
    f"{row}-{column}-square"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
]
NAIVE = bnlr.Structure.naive_bayes(SQUARES, "class")
CHAIN = NAIVE.with_arcs(itertools.pairwise(SQUARES))
VIOLATING = NAIVE.with_arcs([(SQUARES[0], SQUARES[4]), (SQUARES[8], SQUARES[4])])


def test_the_overlap_test_sees_an_overlap():
    ax = Figure().add_subplot()
    ax.set_axis_off()
    ax.text(0.5, 0.5, "one")
    ax.text(0.51, 0.5, "other")
    assert overlaps(ax.figure) == [("one", "other")]


def arrows(ax, dashed):
    found = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    return [p for p in found if (p.get_linestyle() != "solid") == dashed]


@pytest.mark.slow
def test_a_convex_structure_shows_its_nodes_and_arcs():
    ax = bnlr.plot_structure(CHAIN)
    shown = words(ax.figure)
    assert all(node in shown.replace("\n", "") for node in CHAIN.nodes)
    assert "Learning is convex: a logistic regression" in shown
    assert "not joined" not in shown
    assert len(arrows(ax, dashed=False)) == len(CHAIN.edges) == 17
    assert arrows(ax, dashed=True) == []
    assert overlaps(ax.figure) == []


@pytest.mark.slow
def test_unmarried_parents_are_marked_and_the_embedding_dashed():
    ax = bnlr.plot_structure(VIOLATING, bnlr.analyze(VIOLATING))
    assert "Not convex: 1 pair of parents not joined" in words(ax.figure)
    assert "arc that makes it convex" in words(ax.figure)
    places = layout(VIOLATING)
    marked = {
        (line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines if line.get_marker() == "D"
    }
    assert marked == {places[SQUARES[0]], places[SQUARES[8]]}
    red = [p for p in arrows(ax, dashed=False) if p.get_edgecolor() == to_rgba(canvas.VERMILLION)]
    ends = {tuple(p._posA_posB) for p in red}
    assert ends == {(places[parent], places[SQUARES[4]]) for parent in (SQUARES[0], SQUARES[8])}
    (dashed,) = arrows(ax, dashed=True)
    assert dashed.get_edgecolor() != arrows(ax, dashed=False)[-1].get_edgecolor()
    assert overlaps(ax.figure) == []


def test_arcs_without_effect_on_the_class_are_grey():
    ax = bnlr.plot_structure(bnlr.Structure([("c", "a"), ("a", "b"), ("c", "d"), ("a", "d")], "c"))
    colors = [p.get_edgecolor() for p in arrows(ax, dashed=False)]
    expected = [canvas.FAINT, canvas.GREY, canvas.FAINT, canvas.BLACK]
    assert colors == [to_rgba(color) for color in expected]


def test_very_many_violations_are_counted_but_not_marked(monkeypatch):
    monkeypatch.setattr(graph, "_MOST_MARKED", 0)
    ax = bnlr.plot_structure(VIOLATING)
    assert "Not convex: 1 pair" in words(ax.figure)
    assert arrows(ax, dashed=True) == []


@pytest.mark.parametrize("name", ["W" * 200, "two\nlines", "$x^2$ {", "a_b-c.d/" * 9, "שלום עולם"])
@pytest.mark.parametrize("n", [2, pytest.param(20, marks=SLOW)])  # large figures are slow
def test_names_of_any_kind_keep_apart(name, n):
    s = bnlr.Structure.naive_bayes([f"{name}{k}" for k in range(n)], name)
    figure = bnlr.plot_structure(s).figure
    assert overlaps(figure) == []
    box = figure.bbox
    renderer = drawn(figure).get_renderer()
    for text in texts(figure):
        extent = text.get_window_extent(renderer)
        assert extent.x0 > box.x0 - 1
        assert extent.x1 < box.x1 + 1


def test_nodes_without_effect_on_the_class_are_told_apart():
    outside = bnlr.Structure([("c", "a"), ("a", "b")], "c")
    shown = words(bnlr.plot_structure(outside).figure)
    assert "attribute without effect on the class" in shown
    assert "attribute without effect" not in words(bnlr.plot_structure(NAIVE).figure)


# Large figures are slow.
@pytest.mark.slow
@pytest.mark.parametrize(
    "n",
    [
        0,
        1,
        2,
        16,
        17,
        pytest.param(40, marks=SLOW),
        pytest.param(150, marks=SLOW),
    ],
)
def test_any_number_of_attributes_is_drawn(n):
    s = bnlr.Structure.naive_bayes([f"a rather long name {k}" for k in range(n)], "what $x^2 is")
    figure = bnlr.plot_structure(s).figure
    drawn(figure)
    assert sum("a rather long" in t.get_text() for t in texts(figure)) == (n if n <= 100 else 0)
    assert overlaps(figure) == []


def test_every_node_has_a_place_of_its_own():
    places = layout(CHAIN)
    assert places["class"] == (0.0, 0.0)
    assert len(set(places.values())) == 10
    assert all(math.isclose(math.hypot(*places[node]), 1) for node in SQUARES)
    # A walk along the chain puts neighbours side by side.
    gaps = {round(math.dist(places[a], places[b]), 9) for a, b in itertools.pairwise(SQUARES)}
    assert gaps == {round(2 * math.sin(math.pi / 9), 9)}


@pytest.mark.slow
def test_draws_into_given_axes_and_leaves_pyplot_alone():
    program = (
        "import sys, bnlr; from bnlr import plot_structure; import matplotlib.figure;"
        "ax = matplotlib.figure.Figure().add_subplot();"
        "s = bnlr.Structure.naive_bayes(['a', 'b'], 'c');"
        "assert plot_structure(s, ax=ax) is ax;"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.slow
def test_a_new_figure_is_one_that_notebooks_show_and_pages_leave_none_open(tmp_path):
    pyplot.close("all")
    axes = bnlr.plot_structure(NAIVE)
    assert pyplot.get_fignums() == [axes.figure.number]
    frame = bnlr.load_dataset("monks-1")
    data = bnlr.Dataset.from_frame(frame, "class")
    network = bnlr.fit(bnlr.learn_structure(data, "naive-bayes"), data, penalty=1.0).network
    bnlr.write_report(network, frame, tmp_path / "page.html")
    assert pyplot.get_fignums() == [axes.figure.number]


def test_without_matplotlib_the_error_names_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(bnlr.BnlrError, match=r"pip install 'bnlr\[plot\]'") as caught:
        bnlr.plot_structure(NAIVE)
    assert isinstance(caught.value, ImportError)

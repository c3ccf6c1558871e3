"""What notebooks show: well-formed, self-contained, and no name is taken for markup."""

import itertools
import warnings
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context

import bnlr
from bnlr.notebook import words
from bnlr.structure.layout import layout
from bnlr.structure.svg import svg
from tests.width import in_full

SVG = "{http://www.w3.org/2000/svg}"
EVIL = '<script>alert("1")</script> & \x1b[31m'


def parsed(html):
    """The piece of HTML as XML, which it is."""
    return ElementTree.fromstring(f"<all>{html.replace('<br>', '<br/>')}</all>")  # noqa: S314  our own


@pytest.fixture(scope="module")
def shown():
    rng = np.random.default_rng(0)
    y = rng.choice(["<no>", "yes & no"], 90)
    frame = pd.DataFrame(
        {EVIL: rng.choice(["<b>", "x"], 90), "b": (y == "<no>") ^ (rng.random(90) < 0.2)}
    )
    data = bnlr.Dataset.from_frame(frame.assign(**{"<i>class": y}), "<i>class")
    s = bnlr.learn_structure(data, "tan")
    result = bnlr.fit(s, data, penalty=1.0)
    return {
        "structure": s, "report": bnlr.analyze(s, data.cards), "data": data, "result": result,
        "network": result.network, "search": bnlr.cll_search(data, score="bic"),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["structure", "report", "data", "result", "network", "search"])
def test_each_is_markup_of_its_own_and_escapes_names(shown, name):
    html = shown[name]._repr_html_()
    tree = parsed(html)
    assert not tree.findall(".//script")
    assert "<script>alert" not in html
    assert "\x1b" not in html
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "")
    if name != "data":
        (picture,) = tree.iter(f"{SVG}svg")
        arcs = [one for one in picture.iter(f"{SVG}path") if one.get("marker-end")]
        drawn = shown["search"].structure if name == "search" else shown["structure"]
        assert len(arcs) == len(drawn.edges)
        assert len(list(picture.iter(f"{SVG}circle"))) == 2


def test_a_dataset_shows_columns_states_and_holes():
    frame = pd.DataFrame({"a": ["u", None, "w", "u"], "c": [0, 1, 0, 1]})
    tree = parsed(bnlr.Dataset.from_frame(frame, "c")._repr_html_())
    lines = [[cell.text for cell in line] for line in tree.iter("tr")]
    assert lines == [
        ["column", "states", "such as", "missing"], ["a", "2", "'u', 'w'", "1"],
        ["c (class)", "2", "0, 1", "0"],
    ]  # fmt: skip
    wide = pd.DataFrame(np.tile([[0], [1]], (1, 30)), columns=[f"a{k}" for k in range(30)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        html = bnlr.Dataset.from_frame(wide.assign(c=[0, 1]), "c")._repr_html_()
    assert "and 11 columns more" in html


def test_unmarried_parents_are_marked_and_arcs_that_would_join_them_are_dashed():
    s = bnlr.Structure([("c", "x"), ("a", "x"), ("b", "x"), ("c", "a")], "c")
    report = bnlr.analyze(s)
    assert report.violations
    (picture,) = parsed(report._repr_html_()).iter(f"{SVG}svg")
    colors = {one.find(f"{SVG}title").text: one.get("fill") for one in picture.iter(f"{SVG}circle")}
    unmarried = {node for _, *parents in report.violations for node in parents}
    assert {node for node, color in colors.items() if color == "#d55e00"} == unmarried - {"c"}
    dashed = [one for one in picture.iter(f"{SVG}path") if one.get("stroke-dasharray")]
    assert len(dashed) == len(report.embedding) > 0


@pytest.mark.parametrize("n", [0, 1, 2, 7, 16, 17, 60, 100, 101, *in_full(300)])
def test_nodes_are_inside_the_picture_and_apart(n):
    names = [f"attribute {k}" for k in range(n)]
    s = bnlr.Structure([("class", name) for name in names], "class", ["class", *names])
    picture = ElementTree.fromstring(svg(s))  # noqa: S314  our own
    x0, y0, width, height = map(float, picture.get("viewBox").split())
    places = [(float(c.get("cx")), float(c.get("cy"))) for c in picture.iter(f"{SVG}circle")]
    assert len(places) == n
    for k, (x, y) in enumerate(places):
        assert x0 + 6 <= x <= x0 + width - 6
        assert y0 + 6 <= y <= y0 + height - 6
        where = layout(s)[names[k]]
        assert np.sign(round(x)) == np.sign(round(where[0], 3)) or abs(where[0]) < 0.02
        assert np.sign(round(-y)) == np.sign(round(where[1], 3)) or abs(where[1]) < 0.02
    if 1 < n <= 100:  # letters are 12 high
        gaps = [np.hypot(a - c, b - d) for (a, b), (c, d) in itertools.pairwise(places)]
        assert min(gaps) > 12
    texts = [one.text for one in picture.iter(f"{SVG}text")]
    assert len(texts) == 1 + (n if n <= 100 else 0)


def test_arrows_end_at_the_border_of_the_node_that_they_point_to():
    s = bnlr.Structure([("class", "a"), ("class", "b"), ("a", "b")], "class")
    picture = ElementTree.fromstring(svg(s))  # noqa: S314  our own
    places = {c.find(f"{SVG}title").text: (float(c.get("cx")), float(c.get("cy")))
              for c in picture.iter(f"{SVG}circle")}  # fmt: skip
    arcs = [one for one in picture.iter(f"{SVG}path") if one.get("marker-end")]
    for (_, child), path in zip(s.edges, arcs, strict=True):
        x, y = map(float, path.get("d").split("Q")[1].split()[2:])
        assert np.hypot(x - places[child][0], y - places[child][1]) == pytest.approx(6, abs=0.15)


def test_too_large_graphs_have_words_alone():
    s = bnlr.Structure.naive_bayes([f"a{k}" for k in range(301)], "c")
    assert svg(s) == ""
    assert "302 nodes" in s._repr_html_()


def test_the_classifier_is_scikit_learns_with_the_network_drawn():
    X = pd.DataFrame({EVIL: ["u", "v"] * 20, "b": ["p", "p", "q", "q"] * 10})
    y = [0, 1, 1, 1] * 10
    classifier = bnlr.BNClassifier("nb", penalty=1.0)
    before = classifier._repr_mimebundle_()["text/html"]
    assert "sk-top-container" in before
    assert "bnlr-arrow" not in before
    html = classifier.fit(X, y)._repr_mimebundle_()["text/html"]
    assert "sk-top-container" in html
    assert "bnlr-arrow" in html
    assert "<script>alert" not in html
    assert "bnlr-arrow" in classifier._repr_html_()
    with config_context(display="text"):
        assert "text/html" not in classifier._repr_mimebundle_()


@pytest.mark.parametrize(
    ("line", "n"),
    [("CLL          -12.5 at the start", 13), ("             as above", 13),
     ("upper bound  none", 13), ("Learning is convex.", 0), ("  7 of 7", 2), ("", 0),
     ("many words and more  than these", 0)],
)  # fmt: skip
def test_a_line_goes_on_below_what_stands_behind_its_label(line, n):
    (block,) = parsed(words(line + "\n")).iter("div")
    assert block.get("style").endswith(f";padding-left:{n}ch;text-indent:-{n}ch")
    assert block.get("style").startswith("font-family:monospace;")
    assert block.text.strip("\xa0") == line

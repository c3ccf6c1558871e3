"""The demo's picture says what it was told, in every format."""

import pytest
from matplotlib.figure import Figure

import bnlr
from bnlr.report.plots.demo import plot_demo
from tests.report.plots.test_structure import VIOLATING
from tests.report.plots.texts import overlaps, words

SLOW = pytest.mark.slow


# The whole demo for each format is slow.
@pytest.mark.slow
@pytest.mark.parametrize(
    "extension",
    [
        pytest.param("png", marks=SLOW),
        pytest.param("pdf", marks=SLOW),
        "svg",
    ],
)
def test_demo_is_written(tmp_path, results, extension):
    path = tmp_path / f"demo.{extension}"
    structure = next(iter(results.values())).network.structure
    scores = {"TAN, generative": (0.77, 0.49), "TAN, discriminative": (0.962, 0.184)}
    plot_demo(path, structure, bnlr.analyze(structure), results, scores)
    head = path.read_bytes()[:200]
    assert head.startswith({"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[extension])
    assert path.stat().st_size > 10_000


@pytest.mark.slow
def test_demo_says_what_it_was_told_and_nothing_overlaps(tmp_path, results, monkeypatch):
    saved = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: saved.append(figure))
    scores = {"TAN, generative": (0.77, 0.49), "TAN, discriminative": (0.962, 0.184)}
    plot_demo(tmp_path / "x.png", VIOLATING, bnlr.analyze(VIOLATING), results, scores)
    shown = words(saved[0])
    expected = ["77.0%", "96.2%", "0.490", "0.184", "TAN,\ngenerative", "loglinear", "Not convex"]
    expected += [f"{next(iter(results.values())).start_cll:,.2f}"]
    assert [text for text in expected if text not in shown] == []
    assert overlaps(saved[0]) == []

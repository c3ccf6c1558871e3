"""Ours against each peer: the table's parts, and where the figure puts dots."""

import numpy as np
import pytest

from studies.defaults import strips
from studies.defaults.against_peers import peer_parts
from studies.defaults.compare import comparisons
from studies.defaults.learners import LABELS
from tests.studies.defaults.makers import measured

LOSSES = {"auto": 0.8, "pool": 0.4, "hgb": 1.0, "catboost": 8.0}


@pytest.fixture
def found():
    """Four held-out sets, one tuned on, one related to such a one, one that is not counted."""
    sets = ("iris", "vote", "zoo", "pima", "glass", "crx", "heart-statlog")
    return {data: {name: measured(loss) for name, loss in LOSSES.items()} for data in sets}


def test_both_of_ours_on_both_parts(found):
    text = peer_parts(found, comparisons(found))[0]
    assert text.count("held\u00a0out") == 4
    for name in ("hgb", "catboost", "auto", "pool"):
        assert LABELS[name] in text
    assert LABELS["ebm"] not in text


def test_nothing_is_said_of_no_peers(found):
    alone = {data: {"auto": own["auto"]} for data, own in found.items()}
    assert peer_parts(alone, comparisons(alone)) == [
        "No set has results of all its learners and seeds."
    ]


def test_dots_means_and_arrows(found, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(strips, "svg_bytes", lambda figure: figure)
    figure = strips.against_peers(found, ("auto", "pool"), ("hgb", "catboost"))
    boosting, catboost = figure.axes
    lines = [line for line in boosting.lines if len(line.get_xdata()) == 1]
    dots = [line for line in lines if line.get_marker() == "o"]
    assert sorted(line.get_xdata()[0] for line in dots) == pytest.approx([0.4] * 7 + [0.8] * 7)
    means = [line for line in lines if line.get_marker() == "D"]
    assert sorted(line.get_xdata()[0] for line in means) == pytest.approx([0.4] * 2 + [0.8] * 2)
    arrows = [line for line in catboost.lines if line.get_marker() == "<"]
    assert all(line.get_xdata()[0] == pytest.approx(1 / 4) for line in arrows)
    assert len(arrows) == 2 * (7 + 2)
    labels = [label.get_text() for label in boosting.get_yticklabels()]
    assert labels[0] == "held out, 4 sets"
    assert {"tuned, 2 sets", "not counted, 1 set"} <= set(labels)


def test_sets_on_which_ours_do_best_come_first(found, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(strips, "svg_bytes", lambda figure: figure)
    found["zoo"]["auto"] = measured(0.1)
    found["vote"]["auto"] = measured(0.2)
    figure = strips.against_peers(found, ("auto",), ("hgb",))
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    places = figure.axes[0].get_yticks()
    by_place = [labels[k] for k in np.argsort(places)]
    assert by_place[1:3] == ["zoo", "vote"]

"""What a search promised and brought: drawn, against the steps' table."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import bnlr
from bnlr.report.plots import canvas
from bnlr.report.plots.search import plot_search
from tests.report.plots.texts import drawn, overlaps, words

SLOW = pytest.mark.slow


@pytest.fixture(scope="module")
def search():
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), "class")
    return bnlr.cll_search(data, score="bic")


def made_up(
    n, largest=40.0, smallest=2.0, arc="attribute {} – attribute {}", criterion="cv", **columns
):
    """A record of n steps with gains between two sizes."""
    gains = np.geomspace(largest, smallest, n) if n else np.array([])
    table = {
        "step": range(1, n + 1),
        "move": "add arc",
        "arc": [arc.format(k, k + 1) for k in range(n)],
        "separator": ["", "x"] * (n // 2) + [""] * (n % 2),
        "gain_predicted": 0.8 * gains,
        "gain": gains,
        "df": 4,
        "p_corrected": 1e-7,
    }
    table |= columns
    codes = np.array([[0, 0], [1, 1]])
    blank = bnlr.cll_search(
        bnlr.Dataset.from_codes(codes, {"a": (0, 1), "c": (0, 1)}, "c"), score="bic", max_steps=0
    )
    return replace(
        blank, _steps=tuple(pd.DataFrame(table).to_dict("records")), criterion=criterion,
        score=-12.5, start_score=-90.25, message="No move raises the score.",
    )  # fmt: skip


def test_bars_are_gains_and_diamonds_predictions(search):
    ax = plot_search(search)
    steps = search.steps
    assert len(steps) > 1
    assert [bar.get_width() for bar in ax.patches] == list(steps["gain"])
    points = next(line for line in ax.lines if line.get_label() == "predicted")
    assert list(points.get_xdata()) == list(steps["gain_predicted"])
    centres = [bar.get_y() + bar.get_height() / 2 for bar in ax.patches]
    np.testing.assert_allclose(points.get_ydata(), centres, atol=1e-12)
    # The first step is on top, and nothing lies outside.
    low, high = ax.get_ylim()
    assert low > centres[-1] > centres[0] > high
    left, right = ax.get_xlim()
    assert all(left <= x <= right for x in [*steps["gain"], *steps["gain_predicted"]])


def test_a_row_names_its_move_and_test(search):
    ax = plot_search(search)
    labels = [" ".join(t.get_text().split()) for t in ax.get_yticklabels()]
    for label, text, step in zip(labels, ax.texts, search.steps.itertuples(), strict=True):
        given = f" given {step.separator}" if step.separator else ""
        assert label == f"{step.step}. {step.move} {step.arc}{given}"
        df, p = text.get_text().split(", p ")
        assert int(df.removeprefix("df ").replace("−", "-")) == step.df
        if p.startswith("< "):
            assert step.p_corrected < float(p[2:])
        else:
            assert float(p) == pytest.approx(step.p_corrected, rel=0.06)
    assert f"(bic): {len(labels)} steps" in words(ax.figure)


def test_a_p_value_of_nothing_and_a_deletion():
    record = made_up(2, p_corrected=[0.0, 1.0], df=[3, -4], gain=[9.0, -1.5])
    assert [t.get_text() for t in plot_search(record).texts] == ["df +3, p < 1e-99", "df −4, p 1"]


def test_colours_are_of_the_safe_palette(search):
    ax = plot_search(search)
    points = next(line for line in ax.lines if line.get_label() == "predicted")
    used = {to_hex(ax.patches[0].get_facecolor()), to_hex(points.get_color())}
    assert used == {canvas.SKY.lower(), canvas.ORANGE.lower()}


@pytest.mark.parametrize(("criterion", "rows"), [("bic", "CLL"), ("cv", "CLL of rows left out")])
def test_the_axis_tells_whose_gain_it_is(criterion, rows):
    assert plot_search(made_up(3, criterion=criterion)).get_xlabel() == f"gain of the {rows}"


def test_no_step_is_told(search):
    none = replace(search, _steps=(), message="No move raises the score.")
    ax = plot_search(none)
    assert "0 steps" in words(ax.figure)
    assert "No move raises the score." in words(ax.figure)
    assert not ax.patches
    assert overlaps(ax.figure) == []


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 11, pytest.param(40, marks=SLOW)])  # large figures are slow
def test_texts_are_apart_and_within_the_figure(n):
    figure = plot_search(made_up(n, arc="bottom-left-square-{} – $middle$-right-square-{}")).figure
    assert overlaps(figure) == []
    width, height = drawn(figure).get_width_height()
    for text in figure.axes[0].texts + figure.axes[0].get_yticklabels():
        box = text.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= width
        assert box.y0 >= 0
        assert box.y1 <= height


def test_gains_far_apart_are_spread():
    assert plot_search(made_up(8)).get_xscale() == "linear"
    assert plot_search(made_up(8, largest=5000.0)).get_xscale() == "symlog"


@pytest.mark.slow
def test_of_very_many_steps_the_first_are_shown():
    ax = plot_search(made_up(61))
    assert len(ax.patches) == 60
    assert "61 steps, the first 60 shown" in words(ax.figure)


def test_it_draws_where_it_is_told():
    ax = Figure().add_subplot()
    assert bnlr.plot_search(made_up(3), ax) is ax

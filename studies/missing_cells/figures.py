"""Log-loss against the share of missing cells, a panel a data set and structure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studies.common.drawing import canvas, svg_bytes
from studies.missing_cells.learners import FIXED_RATE
from studies.missing_cells.tables import FIXED, MATCHED, SHOWN, Cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STRUCTURES = {"naive-bayes": "naive Bayes", "tan": "TAN"}

LABELS = {
    "frequencies": "frequency estimates",
    "em": "EM",
    "lr": "logistic optimum",
    MATCHED: "ELR, the rate expected",
    FIXED: f"ELR, {FIXED_RATE:.0%} expected",
}

SHORT = {
    "frequencies": "frequencies",
    "em": "EM",
    "lr": "logistic",
    MATCHED: "ELR, told",
    FIXED: f"ELR, {FIXED_RATE:.0%}",
}
"""For the heads and cells of tables: told is told the rate."""

_LOOKS = {
    "frequencies": (canvas.BLUE, "o", "-"),
    "em": (canvas.SKY, "v", canvas.DASHES),
    "lr": (canvas.GREEN, "^", "-"),
    MATCHED: (canvas.VERMILLION, "s", "-"),
    FIXED: (canvas.ORANGE, "D", canvas.DASHES),
}


def losses(found: Sequence[Cell]) -> bytes:
    """All panels, a row a data set, as an SVG.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    sets = list(dict.fromkeys(cell.data for cell in found))
    figure = canvas.new_figure(9.0, 0.7 + 2.5 * len(sets))
    grid = figure.subplots(len(sets), 2, squeeze=False, sharex=True)
    for row, data in zip(grid, sets, strict=True):
        for axes, structure in zip(row, STRUCTURES, strict=True):
            _panel(axes, [c for c in found if (c.data, c.structure) == (data, structure)])
            canvas.style(axes, f"{data}, {STRUCTURES[structure]}")
            axes.label_outer()
            axes.tick_params(labelleft=True)
        row[0].set_ylabel("log-loss")
    for axes in grid[-1]:
        axes.set_xlabel("test cells removed")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    return svg_bytes(figure)


def _panel(axes: "Axes", own: Sequence[Cell]) -> None:
    rates = [cell.rate for cell in own]
    for k, learner in enumerate(SHOWN):
        colour, marker, dashes = _LOOKS[learner]
        axes.errorbar(
            [rate + 0.006 * (k - 2) for rate in rates],  # beside each other where they are equal
            [cell.mean(learner) for cell in own],
            [cell.standard_error(learner) for cell in own],
            label=LABELS[learner],
            color=colour,
            marker=marker,
            linestyle=dashes,
            markersize=4,
            linewidth=1.4,
            capsize=2,
        )
    axes.set_xticks(rates)
    axes.xaxis.set_major_formatter(lambda rate, _: f"{rate:.0%}")
    axes.set_ylim(0, None)

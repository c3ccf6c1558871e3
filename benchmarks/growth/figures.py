"""Seconds along an axis in log-log: reading and prediction, fits, structures side by side."""

from collections.abc import Sequence
from typing import Any

from benchmarks.growth.jobs import OURS, PANELS
from benchmarks.growth.measure import MEMORY, TIME
from benchmarks.growth.tables import Line
from studies.common.drawing import canvas, svg_bytes

_WIDTH, _HEIGHT = 13.0, 5.2
_WIDE = 100


def growth(lines: Sequence[Line], limit: float) -> bytes:
    """Seconds against the values of one axis, a panel a group of jobs, as an SVG.

    scikit-learn's lines are dashed, those of the earlier run thin; a cross at the limit is where a
    line ran into one; grey guides grow in proportion.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    figure = canvas.new_figure(_WIDTH, _HEIGHT)
    panels = figure.subplots(1, len(PANELS), sharey=True)
    for axes, (title, jobs) in zip(panels, PANELS.items(), strict=True):
        own = [line for line in lines if line.job in jobs]
        axes.set_visible(bool(own))
        for line in own:
            _draw(axes, line, jobs.index(line.job), limit)
        axes.set_yscale("log")
        if lines[0].aim is not None:
            axes.set_xscale("log")
            _name(axes, sorted({value for line in lines for value in line.found}))
        axes.set_xlabel(lines[0].axis)
        canvas.style(axes, title)
        axes.grid(color="0.92", which="major")
        axes.set_axisbelow(True)
        if own:
            axes.legend(
                frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2
            )
    panels[0].set_ylabel("seconds of CPU")
    if lines[0].aim is not None:
        _guide(panels)
    return svg_bytes(figure)


def _name(axes: Any, values: Sequence[float]) -> None:
    """Name the values themselves where powers of ten would name few of them."""
    if values[-1] < _WIDE * values[0]:
        axes.set_xticks(values, [f"{value:,}" for value in values])
    axes.tick_params(axis="x", which="minor", labelbottom=False)


def _draw(axes: Any, line: Line, place: int, limit: float) -> None:
    colour, marker = canvas.SERIES[place % 7], canvas.MARKERS[place % 7]
    costs, dashes = line.seconds(), canvas.LINES[line.contender != OURS]
    axes.plot(
        list(costs), list(costs.values()), label=line.label, color=colour, linestyle=dashes,
        marker=marker, markersize=4, linewidth=1.6,
        markerfacecolor=colour if line.contender == OURS else "white",
    )  # fmt: skip
    before = line.seconds(before=True)
    axes.plot(list(before), list(before.values()), color=colour, linestyle=dashes, linewidth=0.6)
    ends = [value for value, r in line.found.items() if r["outcome"] in {TIME, MEMORY}]
    axes.plot(ends, [limit] * len(ends), color=colour, marker="x", linestyle="none")


def _guide(panels: Any) -> None:
    """Grey lines of slope 1, one a decade."""
    low, high = panels[0].get_ylim()
    for axes in panels:
        left, right = axes.get_xlim()
        start = low / (right / left)
        while start < high:
            axes.plot([left, right], [start, start * right / left], color="0.88", lw=0.6, zorder=0)
            start *= 10
        axes.set_xlim(left, right)
    panels[0].set_ylim(low, high)

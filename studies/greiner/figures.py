"""The paper's figures: scatter plots of systems, and curves of error."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from studies.common.drawing import canvas, svg_bytes
from studies.greiner.curves import Samples, Traces
from studies.greiner.paper import STRUCTURES, Table
from studies.wrong_structure.figures import LOOKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Panel = tuple[str, str]
"""The systems along x and y; points below the line are sets on which the first is better."""

SCATTERS: Mapping[str, tuple[str, tuple[Panel, ...]]] = {
    "4": ("complete", (("NB+ELR", "NB+OFE"), ("NB+ELR", "TAN+OFE"))),
    "5": ("complete", (("TAN+ELR", "NB+ELR"), ("TAN+ELR", "TAN+OFE"))),
    "6": ("incomplete", (("NB+ELR", "NB+APN"), ("NB+ELR", "NB+EM"))),
    "7": ("incomplete", (("TAN+ELR", "TAN+APN"), ("TAN+ELR", "TAN+EM"), ("TAN+ELR", "NB+ELR"))),
    "9": ("complete", (("GBN+ELR", "GBN+OFE"), ("GBN+ELR", "NB+ELR"), ("GBN+ELR", "TAN+ELR"))),
    "10": ("complete", (("NB+ELR", "GBN+OFE"), ("TAN+ELR", "GBN+OFE"))),
}
"""Figure number → kind of rows and panels (a), (b), …"""

Lines = Mapping[float, Mapping[str, Samples]]
"""x → learner → errors."""


def scatter(panels: Sequence[Panel], ours: Table, printed: Table) -> bytes:
    """Accuracies of two systems against each other, a point a set, as an SVG.

    Ours with error bars in both directions; the paper's are the small grey ones.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    figure = canvas.new_figure(3.3 * len(panels) + 0.4, 3.5)
    for axes, (first, second), letter in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels, "abc", strict=False
    ):
        lowest = min(
            _points(axes, printed, first, second, with_bars=False),
            _points(axes, ours, first, second, with_bars=True),
        )
        limits = (max(0.0, lowest - 4.0), 101.5)
        axes.plot(limits, limits, color=canvas.GREY, linewidth=0.8, zorder=1)
        axes.set(xlim=limits, ylim=limits, xlabel=f"{first}, %", ylabel=f"{second}, %")
        axes.set_aspect("equal")
        canvas.style(axes, f"({letter}) {first} and {second}")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.axes[0].legend(handles, labels, frameon=False, fontsize=8, loc="upper left")
    return svg_bytes(figure)


def _points(axes: "Axes", table: Table, first: str, second: str, *, with_bars: bool) -> float:
    """Draw a table's points; return the lowest accuracy, 100 where there is no point."""
    pairs = [(row[first], row[second]) for row in table.values() if first in row and second in row]
    if not pairs:
        return 100.0
    x, y = [a.mean for a, _ in pairs], [b.mean for _, b in pairs]
    if with_bars:
        axes.errorbar(
            x,
            y,
            xerr=[a.error for a, _ in pairs],
            yerr=[b.error for _, b in pairs],
            fmt="o",
            color=canvas.BLUE,
            markersize=4,
            linewidth=0.8,
            label="here",
        )
    else:
        axes.plot(x, y, "x", color=canvas.GREY, markersize=4, zorder=0, label="paper")
    return min([*x, *y])


def errors(panels: Mapping[str, Lines], x_name: str, *, is_log: bool = True) -> bytes:
    """Mean errors with their standard errors against x, a panel a title, as an SVG.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    n_columns = min(3, len(panels))
    n_rows = -(-len(panels) // n_columns)
    figure = canvas.new_figure(3.3 * n_columns + 0.3, 2.9 * n_rows + 0.3)
    grid = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for axes, (title, lines) in zip(grid, panels.items(), strict=False):
        _lines(axes, lines, is_log=is_log)
        axes.set(xlabel=x_name, ylabel="classification error")
        axes.set_ylim(bottom=0)
        if lines:
            axes.legend(frameon=False, fontsize=8)
        canvas.style(axes, title)
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    return svg_bytes(figure)


def _lines(axes: "Axes", lines: Lines, *, is_log: bool) -> None:
    every_x = sorted(lines)
    learners = list(dict.fromkeys(name for point in lines.values() for name in point))
    for k, learner in enumerate(learners):
        known = [x for x in every_x if learner in lines[x]]
        colour, marker, dashes = LOOKS[learner]
        axes.errorbar(
            # beside each other where they are equal
            [x * 1.03**k if is_log else x + 0.05 * k for x in known],
            [lines[x][learner].mean for x in known],
            [lines[x][learner].standard_error for x in known],
            label=learner,
            color=colour,
            marker=marker,
            linestyle=dashes,
            markersize=4,
            linewidth=1.4,
            capsize=2,
        )
    if is_log:
        axes.set_xscale("log")
    axes.set_xticks(every_x, [f"{x:g}" for x in every_x])
    axes.minorticks_off()


def by_iteration(found: Mapping[str, Traces]) -> bytes:
    """Figure 1: training and test error of ELR by iteration, a panel a structure, as an SVG.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    figure = canvas.new_figure(3.6 * len(found) + 0.3, 3.0)
    for axes, (structure, trace) in zip(
        figure.subplots(1, len(found), squeeze=False)[0], found.items(), strict=True
    ):
        axes.plot(trace.train, color=canvas.BLUE, marker="o", markersize=3, label="training")
        axes.plot(trace.test, color=canvas.VERMILLION, marker="s", markersize=3, label="test")
        axes.set(xlabel="iteration", ylabel="classification error")
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(_whole_numbers())
        axes.legend(frameon=False, fontsize=8)
        canvas.style(axes, STRUCTURES[structure])
    return svg_bytes(figure)


def _whole_numbers() -> "object":
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  an extra

    return MaxNLocator(integer=True)

"""The demo's picture: structure, optima, convergence and held-out scores on one page."""

import os
from typing import TYPE_CHECKING

from bnlr.report.plots import canvas
from bnlr.report.plots.structure import plot_structure
from bnlr.report.plots.trace import plot_trace
from bnlr.structure.dag import Structure
from bnlr.structure.report import StructureReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bnlr.learn.result import FitResult

Scores = dict[str, tuple[float, float]]


def plot_demo(
    path: "str | os.PathLike[str]",
    structure: Structure,
    report: StructureReport,
    results: "dict[str, FitResult]",
    scores: Scores,
) -> None:
    """Draw the demo's story on one page and write it to a file.

    Parameters
    ----------
    path
        The extension decides on the format: .png, .pdf, .svg, …
    structure, report
        As in `plot_structure`.
    results : dict of FitResult
        Fits of the same structure, by the name of their space.
    scores : dict of (accuracy, log-loss)
        Cross-validated, by the name to show.

    Raises
    ------
    PlotExtraError
        matplotlib is not installed; an ImportError.
    OSError
        The file cannot be written.
    """
    figure = canvas.new_figure(12.0, 8.0)
    grid = figure.add_gridspec(3, 3, width_ratios=(2.9, 1, 1), height_ratios=(1, 1.2, 1.3))
    plot_structure(structure, report, figure.add_subplot(grid[:, 0]))
    _plot_optima(results, figure.add_subplot(grid[0, 1:]))
    plot_trace(results, figure.add_subplot(grid[1, 1:]))
    accuracy = figure.add_subplot(grid[2, 1])
    _plot_scores(scores, 0, accuracy, "Accuracy, cross-validated", "{:.1%}")
    loss = figure.add_subplot(grid[2, 2], sharey=accuracy)
    _plot_scores(scores, 1, loss, "Log-loss", "{:.3f}")
    loss.tick_params(labelleft=False)
    figure.savefig(path, dpi=150)


def _plot_optima(results: "dict[str, FitResult]", ax: "Axes") -> None:
    """One line a space: CLL of the start, an arrow, CLL of the optimum."""
    for row, result in enumerate(results.values()):
        ax.annotate(
            "",
            xy=(result.cll, row),
            xytext=(result.start_cll, row),
            arrowprops={"arrowstyle": "-|>", "color": canvas.GREY, "shrinkA": 5, "shrinkB": 5},
        )
        ends = (result.start_cll, canvas.ORANGE, "s"), (result.cll, canvas.BLUE, "o")
        for value, color, marker in ends:
            ax.plot(value, row, marker=marker, color=color, markersize=8, markeredgecolor="black")
            ax.annotate(
                f"{round(value, 2) + 0.0:,.2f}", (value, row), (0, 7), textcoords="offset points",
                ha="center", va="bottom", fontsize=8,
            )  # fmt: skip
    ax.set_yticks(range(len(results)), list(results))
    ax.set(ylim=(len(results) - 0.5, -0.75), xlabel="CLL of the start → of the optimum")
    ax.margins(x=0.15)
    canvas.style(ax, "Conditional log-likelihood (CLL) in each space")


def _plot_scores(scores: Scores, which: int, ax: "Axes", title: str, form: str) -> None:
    values = [pair[which] for pair in scores.values()]
    bars = ax.barh(range(len(values)), values, color=canvas.SKY, edgecolor="black", height=0.6)
    ax.bar_label(bars, [form.format(v) for v in values], padding=3, fontsize=8)
    ax.set_yticks(range(len(values)), [name.replace(", ", ",\n", 1) for name in scores])
    ax.set(ylim=(len(values) - 0.4, -0.6), xlim=(0.0, 1.3 * max([*values, 1e-9])), xticks=[])
    canvas.style(ax, title)
    ax.spines["bottom"].set_visible(False)

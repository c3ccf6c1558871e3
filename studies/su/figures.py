"""Figures 2 to 4, and our accuracies against the paper's."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from studies.common.drawing import canvas, svg_bytes
from studies.su import example
from studies.su.paper import LEARNERS, TABLE_1
from studies.su.run import CURVE_METHODS, SIZES
from studies.su.tables import Accuracies, Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LOOKS = {
    "FE": (canvas.BLUE, "o", "-"),
    "DFE": (canvas.VERMILLION, "s", "-"),
    "ELR": (canvas.GREEN, "^", canvas.DASHES),
}
_PER_ROW = 4


def updates(curves: Mapping[str, Sequence[float]]) -> bytes:
    """Figure 2: P(+ | 0, 0, 0) against the number of instances, an SVG.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    figure = canvas.new_figure(6.4, 3.4)
    axes = figure.add_subplot()
    steps = range(example.FIRST, example.LAST + 1)
    for method, curve in curves.items():
        colour, marker, _ = _LOOKS[method]
        axes.plot(steps, curve, label=method, color=colour, marker=marker, markersize=3)
        axes.axhline(example.LIMITS[method], color=colour, linewidth=0.8, linestyle=canvas.DASHES)
    axes.axhline(example.TRUTH, color=canvas.GREY, linewidth=1)
    axes.annotate("true", (example.LAST, example.TRUTH), xytext=(0, 3), fontsize=8,
                  textcoords="offset points", ha="right", color=canvas.GREY)  # fmt: skip
    axes.set_ylim(0.0, 1.03)
    axes.set_xlabel("instances counted")
    axes.set_ylabel("P(+ | 0, 0, 0)")
    canvas.style(axes, "Five instances, three copies of one attribute")
    axes.legend(frameon=False, fontsize=8)
    return svg_bytes(figure)


def epochs(found: Mapping[str, Mapping[str, Sequence[float]]]) -> bytes:
    """Figure 3: accuracy on training and test rows by epoch, a panel a set; errors as `updates`."""
    figure, panels = _panels(list(found))
    for data, axes in panels.items():
        for part, dashes in (("train", "-"), ("test", canvas.DASHES)):
            values = found[data][part]
            axes.plot(
                range(1, len(values) + 1),
                values,
                color=_LOOKS["DFE"][0],
                linestyle=dashes,
                label={"train": "training rows", "test": "test rows"}[part],
                marker="s",
                markersize=3,
                markerfacecolor={"train": _LOOKS["DFE"][0], "test": "white"}[part],
            )
        low, high = axes.get_ylim()
        middle, half = (low + high) / 2, max(high - low, 2.0) / 2
        axes.set_ylim(middle - half, min(middle + half, 100.2))
        axes.set_xticks([1, 4, 7, 10])
    return _finished(figure, panels, "epochs")


def learning_curves(found: Mapping[str, Mapping[str, tuple[Array, Array]]]) -> bytes:
    """Figure 4: accuracy by number of training rows, a panel a set; errors as `updates`."""
    figure, panels = _panels(list(found))
    for data, axes in panels.items():
        for k, method in enumerate(CURVE_METHODS):
            colour, marker, dashes = _LOOKS[method]
            mean, error = found[data][method]
            axes.errorbar(
                [size + 0.6 * (k - 1) for size in SIZES],  # beside each other where equal
                mean,
                error,
                label=f"NB+{method}",
                color=colour,
                marker=marker,
                linestyle=dashes,
                markersize=3,
                linewidth=1.2,
                capsize=1.5,
            )
        axes.set_xticks([10, 30, 50])
    return _finished(figure, panels, "training rows")


def against_paper(found: Accuracies) -> bytes:
    """Our mean accuracies against table 1, a panel a learner; errors as `updates`."""
    figure = canvas.new_figure(9.0, 6.2)
    grid = figure.subplots(2, 3, squeeze=False)
    for axes, learner in zip(grid.flat, LEARNERS, strict=True):
        theirs = [TABLE_1[data][learner].mean for data in found]
        ours = [float(own[learner].mean()) for own in found.values()]
        limits = (64, 101.5)
        axes.plot(limits, limits, color=canvas.FAINT, linewidth=1)
        axes.plot(theirs, ours, "o", color=canvas.BLUE, markersize=4, alpha=0.7)
        axes.set_xlim(limits)
        axes.set_ylim(limits)
        axes.set_aspect("equal")
        canvas.style(axes, learner)
        axes.set_xlabel("paper, %")
        axes.set_ylabel("ours, %")
        axes.label_outer()
    return svg_bytes(figure)


def _panels(names: Sequence[str]) -> "tuple[Figure, dict[str, Axes]]":
    n_rows = -(-len(names) // _PER_ROW)
    figure = canvas.new_figure(10.0, 0.5 + 2.3 * n_rows)
    grid = figure.subplots(n_rows, min(_PER_ROW, len(names)), squeeze=False)
    for axes in grid.flat[len(names) :]:
        axes.set_axis_off()
    return figure, dict(zip(names, grid.flat, strict=False))


def _finished(figure: "Figure", panels: "Mapping[str, Axes]", below: str) -> bytes:
    for k, (data, axes) in enumerate(panels.items()):
        canvas.style(axes, data)
        if k % _PER_ROW == 0:
            axes.set_ylabel("accuracy, %")
        if k + _PER_ROW >= len(panels):
            axes.set_xlabel(below)
    handles, labels = next(iter(panels.values())).get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    return svg_bytes(figure)

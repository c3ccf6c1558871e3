"""Mean ranks with their critical difference, and log-loss against time."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from studies.common.drawing import canvas, svg_bytes
from studies.defaults.learners import LABELS, LEARNERS, LR, OURS
from studies.defaults.tables import Ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def mean_ranks(found: Ranks) -> bytes:
    """Dots with bars of half the critical difference to each side, the best on top, an SVG.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    ordered = sorted(found.means, key=found.means.__getitem__)
    figure = canvas.new_figure(7.2, 0.9 + 0.27 * len(ordered))
    axes = figure.add_subplot()
    best = found.means[ordered[0]] + found.difference / 2
    axes.axvline(best, color=canvas.FAINT, linewidth=1, linestyle=canvas.DASHES)
    for place, name in enumerate(ordered):
        axes.errorbar(
            found.means[name],
            place,
            xerr=found.difference / 2,
            fmt="o",
            color=_colour(name),
            markersize=5,
            linewidth=1.4,
            capsize=2,
        )
    _names(axes, [LABELS[name] for name in ordered])
    axes.set_xlabel(f"mean rank of the log-loss over {found.n_sets} sets, 1 the best")
    canvas.style(axes, f"Mean ranks; critical difference {found.difference:.2f}")
    return svg_bytes(figure)


def against_time(points: Mapping[str, tuple[float, float]]) -> bytes:
    """Fit seconds against the ratio of log-losses, a dot a learner; errors as `mean_ranks`."""
    figure = canvas.new_figure(7.6, 4.8)
    axes = figure.add_subplot()
    axes.axhline(1.0, color=canvas.FAINT, linewidth=1)
    for name, (seconds, ratio) in points.items():
        axes.plot(1000 * seconds, ratio, "o", color=_colour(name), markersize=6)
        is_close = any(
            1 < other / seconds < 1.4 and abs(np.log(level / ratio)) < 0.05
            for other, level in points.values()
        )
        axes.annotate(LABELS[name], (1000 * seconds, ratio), fontsize=8, color=_colour(name),
                      xytext=(-6, -9) if is_close else (6, 3), textcoords="offset points",
                      ha="right" if is_close else "left")  # fmt: skip
    axes.margins(x=0.15, y=0.1)
    axes.set(xscale="log", yscale="log")
    _ticks(axes, "x", [step * 10**power for power in range(5) for step in (1, 2, 5)])
    _ticks(axes, "y", (0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4))
    axes.set_xlabel("milliseconds of a fit, geometric mean over the sets")
    axes.set_ylabel(f"log-loss per that of {LABELS[LR]}, geometric mean")
    canvas.style(axes, "How well, and how fast")
    return svg_bytes(figure)


def _ticks(axes: "Axes", name: str, wanted: Sequence[float]) -> None:
    """Put plain numbers at an axis with a logarithmic scale, those inside its limits."""
    axis = getattr(axes, f"{name}axis")
    low, high = axis.get_view_interval()
    inside = [value for value in wanted if low <= value <= high]
    axis.set_ticks(inside, [f"{value:g}" for value in inside])
    axis.minorticks_off()


def _names(axes: "Axes", names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)


def _colour(name: str) -> str:
    if name in OURS:
        return canvas.VERMILLION
    return canvas.BLUE if LEARNERS[name].is_ours else canvas.GREY

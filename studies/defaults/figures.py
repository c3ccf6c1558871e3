"""Mean ranks with their critical difference, ratios set by set, log-loss against time."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from studies.common.drawing import canvas, svg_bytes
from studies.defaults.compare import log_ratio, log_ratios
from studies.defaults.learners import AUTO, HGB, LABELS, LEARNERS, LR
from studies.defaults.sets import is_held_out
from studies.defaults.tables import Ranks, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OTHERS = (LR, HGB)
_WIDEST = 16.0
"""Ratios beyond this, or below its inverse, are drawn as arrows at the edge."""

_TICKS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16)


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


def ratios(found: Results, sets: Sequence[str]) -> bytes:
    """The log-loss of auto per that of the others on each set, an SVG; errors as `mean_ranks`."""
    ordered = sorted(sets, key=lambda data: log_ratio(found[data][AUTO], found[data][LR]))
    figure = canvas.new_figure(9.0, 1.3 + 0.2 * len(ordered))
    panels = figure.subplots(1, len(OTHERS), sharey=True, squeeze=False)[0]
    for axes, other in zip(panels, OTHERS, strict=True):
        _panel(axes, found, ordered, other)
    _names(panels[0], ordered)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False, fontsize=8)
    return svg_bytes(figure)


def _panel(axes: "Axes", found: Results, ordered: Sequence[str], other: str) -> None:
    axes.axvline(1.0, color=canvas.GREY, linewidth=1)
    looks = {
        True: (canvas.BLUE, "held out"),
        False: (canvas.ORANGE, "tuned on, or a variant of it"),
    }
    for is_out, (colour, label) in looks.items():
        axes.plot([], [], "o", color=colour, markersize=5, label=label)
        for place, data in enumerate(ordered):
            if is_held_out(data) == is_out:
                own = found[data]
                by_seed = np.exp(log_ratios(own[AUTO], own[other])).tolist()
                _dot(axes, place, np.exp(log_ratio(own[AUTO], own[other])), by_seed, colour)
    axes.set_xscale("log")
    axes.set_xlim(0.8 / _WIDEST, 1.25 * _WIDEST)
    axes.set_xticks(_TICKS, [f"1/{1 / tick:g}" if tick < 1 else f"{tick:g}" for tick in _TICKS])
    axes.xaxis.minorticks_off()
    axes.grid(axis="y", color=canvas.FAINT, linewidth=0.4)
    axes.set_xlabel(f"log-loss of {LABELS[AUTO]} per that of {LABELS[other]}")
    canvas.style(axes, f"{LABELS[AUTO]} against {LABELS[other]}")


def _dot(axes: "Axes", place: int, ratio: float, by_seed: Sequence[float], colour: str) -> None:
    """A dot at the ratio, on a line that spans those of the seeds."""
    low, high = (min(max(value, 1 / _WIDEST), _WIDEST) for value in (min(by_seed), max(by_seed)))
    axes.plot([low, high], [place, place], color=colour, linewidth=1.2)
    inside = min(max(ratio, 1 / _WIDEST), _WIDEST)
    marker = "o" if inside == ratio else "<" if ratio < 1 else ">"
    axes.plot(inside, place, marker, color=colour, markersize=5)


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
    if name == AUTO:
        return canvas.VERMILLION
    return canvas.BLUE if LEARNERS[name].is_ours else canvas.GREY

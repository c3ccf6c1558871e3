"""The figure of ratios against each peer, set by set."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from studies.common.drawing import canvas, svg_bytes
from studies.defaults.compare import HELD_OUT, TUNED, log_ratio
from studies.defaults.learners import AUTO, LABELS, POOL
from studies.defaults.sets import is_counted, is_held_out
from studies.defaults.tables import Measurements, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDEST = 4.0
"""Ratios beyond this, or below its inverse, are drawn as arrows at the edge."""

_TICKS = (1 / 4, 1 / 2, 1, 2, 4)
_GAP = 0.8
_LOOKS = {AUTO: (canvas.VERMILLION, "white"), POOL: (canvas.BLUE, canvas.BLUE)}
_ELSEWHERE = "not counted"


@dataclass(frozen=True)
class _Group:
    """Sets under one heading, which stands at ``top``, and the places of its sets."""

    title: str
    top: float
    places: Mapping[str, float]


def against_peers(found: Results, ours: Sequence[str], peers: Sequence[str]) -> bytes:
    """A panel a peer, a line a set, a dot each of ``ours``, an SVG.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    groups = list(_groups(found, ours, peers))
    n_lines = sum(1 + len(group.places) + _GAP for group in groups)
    figure = canvas.new_figure(1.6 + 1.75 * len(peers), 1.2 + 0.19 * n_lines)
    panels = figure.subplots(1, len(peers), sharey=True, squeeze=False)[0]
    for axes, peer in zip(panels, peers, strict=True):
        _panel(axes, found, groups, ours, peer)
    _name_lines(panels[0], groups)
    figure.supxlabel("log-loss per that of the peer", fontsize=9)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=len(labels), frameon=False, fontsize=8
    )
    return svg_bytes(figure)


def _groups(found: Results, ours: Sequence[str], peers: Sequence[str]) -> Iterator[_Group]:
    """The sets by half, those on which ours do best on top."""
    top = 0.0
    for title in (HELD_OUT, TUNED, _ELSEWHERE):
        sets = [
            data for data in found if _heading(data) == title and _ratios(found[data], ours, peers)
        ]
        if sets:
            ordered = sorted(sets, key=lambda data: np.median(_ratios(found[data], ours, peers)))
            yield _Group(title, top, {data: top + 1 + k for k, data in enumerate(ordered)})
            top += 1 + len(sets) + _GAP


def _heading(data: str) -> str:
    if not is_counted(data):
        return _ELSEWHERE
    return HELD_OUT if is_held_out(data) else TUNED


def _ratios(
    own: Mapping[str, Measurements], ours: Sequence[str], peers: Sequence[str]
) -> list[float]:
    return [
        log_ratio(own[first], own[peer])
        for first in ours
        for peer in peers
        if first in own and peer in own
    ]


def _panel(
    axes: "Axes", found: Results, groups: Sequence[_Group], ours: Sequence[str], peer: str
) -> None:
    axes.axvline(1.0, color=canvas.GREY, linewidth=1)
    for name in ours:
        edge, face = _LOOKS[name]
        look: Mapping[str, Any] = {"color": edge, "markerfacecolor": face, "linestyle": ""}
        axes.plot([], [], marker="o", markersize=4.5, label=LABELS[name], **look)
        for group in groups:
            logs = {
                data: log_ratio(found[data][name], found[data][peer])
                for data in group.places
                if name in found[data] and peer in found[data]
            }
            for data, log in logs.items():
                _mark(axes, group.places[data], log, "o", 4.5, look)
            if logs and group.title != _ELSEWHERE:
                _mark(axes, group.top, float(np.mean(list(logs.values()))), "D", 6, look)
    _scale(axes)
    canvas.style(axes, f"{LABELS[peer]}")


def _mark(
    axes: "Axes", place: float, log: float, marker: str, size: float, look: Mapping[str, Any]
) -> None:
    """A dot, or an arrow where the ratio goes on."""
    ratio = float(np.exp(log))
    inside = min(max(ratio, 1 / _WIDEST), _WIDEST)
    shape = marker if inside == ratio else "<" if ratio < 1 else ">"
    axes.plot([inside], [place], marker=shape, markersize=size, clip_on=False, **look)


def _scale(axes: "Axes") -> None:
    axes.set_xscale("log")
    axes.set_xlim(0.9 / _WIDEST, 1.1 * _WIDEST)
    axes.set_xticks(_TICKS, [f"1/{1 / tick:g}" if tick < 1 else f"{tick:g}" for tick in _TICKS])
    axes.xaxis.minorticks_off()
    axes.grid(axis="y", color=canvas.FAINT, linewidth=0.4)


def _sets(n: int) -> str:
    return "1 set" if n == 1 else f"{n} sets"


def _name_lines(axes: "Axes", groups: Sequence[_Group]) -> None:
    """Names of sets, and headings in bold, at the left."""
    headings = {group.top: f"{group.title}, {_sets(len(group.places))}" for group in groups}
    names = {place: data for group in groups for data, place in group.places.items()}
    lines = {**headings, **names}
    axes.set_yticks(list(lines), list(lines.values()))
    for label, place in zip(axes.get_yticklabels(), lines, strict=True):
        label.set_fontweight("bold" if place in headings else "normal")
    axes.set_ylim(max(lines) + 0.6, -0.7)

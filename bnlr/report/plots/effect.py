"""What an attribute's states speak for: a curve of steps where they are in order, else bars."""

from collections.abc import Sequence
from math import ceil, inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bnlr._typing import FloatArray, State
from bnlr.arguments import check_kind
from bnlr.data.intervals import cut_texts
from bnlr.data.labels import are_steps
from bnlr.network import BayesianNetwork
from bnlr.network.main_effects import main_effect
from bnlr.report.plots import canvas
from bnlr.report.plots.labels import shortened, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_CLASSES = 5
_MOST_TICKS = 6
_MOST_BARS = 12
_BAR = 0.8
_TICK_SIZE, _APART = 8.0, 0.08
# About how many inches the horizontal axis has, without a legend beside it and with one.
_WIDTHS = 3.4, 2.4
_THOUSAND, _MILLION = 1e3, 1e6


class _Curve(NamedTuple):
    """A class's name, log-odds of it in each state, and the number of its colour; None: grey."""

    name: str
    values: FloatArray
    color: int | None


class _Axis(NamedTuple):
    """The first ``n_ordered`` states are in order; ``cuts`` are written between them, if any."""

    labels: Sequence[State]
    n_ordered: int
    cuts: Sequence[str]


def plot_effect(
    network: BayesianNetwork,
    attribute: str,
    ax: "Axes | None" = None,
    *,
    is_ordered: bool | None = None,
) -> "Axes":
    """Draw what each state of an attribute adds to the log-odds, the other attributes averaged.

    Intervals and numbers are steps of a curve, in their order; other states are bars, the twelve
    that say most. Of two classes the log-odds of the second are shown, of more those of each
    against the classes' average, of very many the five that the attribute says most of in colour.
    0 is the mean over the states by their probability; beside naive Bayes's, interactions with
    other attributes come on top.

    Parameters
    ----------
    network : BayesianNetwork
        As ``network_`` of a classifier.
    attribute : str
        One that the class's families look at.
    ax : matplotlib Axes, optional
        Where to draw; if not given, the axes of a new figure.
    is_ordered : bool, optional
        Whether the states are in order; if not given, intervals and numbers are.

    Raises
    ------
    ParameterError
        Not a network, or no attribute of its class's families.
    TooLargeError
        Exact inference, of the nodes' probabilities, would not fit in memory.
    PlotExtraError
        matplotlib is not installed; an ImportError.
    """
    check_kind("network", network, BayesianNetwork, "a bnlr.BayesianNetwork, such as network_")
    check_kind("attribute", attribute, str, "the name of an attribute")
    if is_ordered is not None:
        check_kind("is_ordered", is_ordered, (bool, np.bool_), "True, False or None")
    curves = _curves(network, main_effect(network, attribute))
    axis = _axis_of(network.states[attribute], is_ordered)
    axes = canvas.axes_or_new(ax, 4.4, 3.0)
    axes.axhline(0.0, color=canvas.GREY, linewidth=0.8, zorder=0)
    if axis.n_ordered:
        _draw_steps(axes, axis, curves)
    else:
        _draw_bars(axes, axis, curves)
    axes.set_ylabel("log-odds")
    canvas.style(axes, shortened(attribute, 30, 3.0))
    if len(curves) > 1:
        axes.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    else:
        axes.set_ylabel(f"log-odds of {curves[0].name}")
    return axes


def _curves(network: BayesianNetwork, effect: FloatArray) -> list[_Curve]:
    names = [shortened(label, 14, 1.2) for label in network.class_states]
    if len(names) == 2:
        return [_Curve(names[1], effect[:, 1] - effect[:, 0], 0)]
    spread = np.ptp(effect, axis=0)
    telling = np.argsort(-spread, kind="stable")[:_MOST_CLASSES]
    colors = {int(place): color for color, place in enumerate(sorted(telling))}
    return [_Curve(name, effect[:, k], colors.get(k)) for k, name in enumerate(names)]


def _axis_of(labels: Sequence[State], is_ordered: bool | None) -> _Axis:
    cuts = cut_texts(labels)
    if is_ordered is not None:
        return _Axis(labels, len(labels) if is_ordered else 0, ())
    if cuts:
        return _Axis(labels, len(cuts) + 1, cuts)
    numbers = [label for label in labels if not isinstance(label, str)]
    are_first = list(labels[: len(numbers)]) == numbers and are_steps(numbers)
    return _Axis(labels, len(numbers) if are_first else 0, ())


def _draw_steps(ax: "Axes", axis: _Axis, curves: Sequence[_Curve]) -> None:
    n, n_beside = axis.n_ordered, len(axis.labels) - axis.n_ordered
    beside = n + 1.0 + np.arange(n_beside)
    for curve in sorted(curves, key=lambda curve: curve.color is not None):
        look = _look(curve)
        ax.stairs(curve.values[:n], np.arange(n + 1), baseline=None, linewidth=1.6, **look)
        ax.plot(beside, curve.values[n:], "o", markersize=4, color=look["color"], zorder=3)
    if axis.cuts:
        room = _WIDTHS[len(curves) > 1] / (n + n_beside)
        ticks = _thinned(list(zip(range(1, n), map(_rounded, axis.cuts), strict=True)), room)
    else:
        middles = [k + 0.5 for k in range(n)]
        ticks = _thinned(
            [(m, shortened(label, 10, 0.6)) for m, label in zip(middles, axis.labels, strict=False)]
        )
    ticks += [(x, shortened(axis.labels[n + k], 9, 0.6)) for k, x in enumerate(beside)]
    ax.set_xticks([x for x, _ in ticks], [text for _, text in ticks])
    ax.set_xlim(0, n + (n_beside + 0.6 if n_beside else 0.0))


def _draw_bars(ax: "Axes", axis: _Axis, curves: Sequence[_Curve]) -> None:
    values = np.array([curve.values for curve in curves])
    most = np.argsort(
        -np.ptp(np.vstack([values, np.zeros(values.shape[1])]), axis=0), kind="stable"
    )
    shown = sorted(int(k) for k in most[:_MOST_BARS])
    colored = [curve for curve in curves if curve.color is not None]
    width = _BAR / len(colored)
    for k, curve in enumerate(colored):
        places = np.arange(len(shown)) + (k - (len(colored) - 1) / 2) * width
        ax.bar(places, curve.values[shown], width, zorder=2, **_look(curve))
    labels = [shortened(axis.labels[k], 16, 1.2) for k in shown]
    is_wide = sum(len(label) + 2 for label in labels) > 40
    ax.set_xticks(range(len(shown)), labels, rotation=90.0 if is_wide else 0.0)


def _look(curve: _Curve) -> dict[str, Any]:
    if curve.color is None:
        return {"color": canvas.FAINT}
    return {"color": canvas.SERIES[curve.color], "label": curve.name}


def _thinned(ticks: list[tuple[float, str]], room: float = inf) -> list[tuple[float, str]]:
    """Some of them, evenly spaced; ``room`` is how many inches each has if all are shown."""
    widest = max((width_of(text, _TICK_SIZE) for _, text in ticks), default=0.0)
    every = max(-(-len(ticks) // _MOST_TICKS), ceil((widest + _APART) / room))
    return ticks[(len(ticks) - 1) % every // 2 :: every] if ticks else []


def _rounded(cut: str) -> str:
    number = float(f"{float(cut):.3g}")
    text = f"{number:,.0f}" if _THOUSAND <= abs(number) < _MILLION else f"{number:.3g}"
    return text.replace("-", "−")

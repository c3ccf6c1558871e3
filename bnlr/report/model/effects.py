"""What the states of the attributes that matter most speak for, a picture each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bnlr.network.main_effects import main_effect, telling_attributes
from bnlr.report.html import Html, figure, inline, named, side_by_side, words
from bnlr.report.plots import canvas
from bnlr.report.plots.drawing import svg_bytes
from bnlr.report.plots.effect import plot_effect
from bnlr.words import joined

if TYPE_CHECKING:
    from bnlr.network import BayesianNetwork

_MOST = 6
_MOST_FLAT = 20
_WIDTH, _HEIGHT = 3.8, 2.4


def effect_figures(
    network: "BayesianNetwork", attributes: Sequence[str], *, of_pool: bool = False
) -> list[Html]:
    """Curves and bars of the first six of ``attributes`` that the class's families look at.

    ``of_pool``: the network is the best of a pool.

    Raises
    ------
    TooLargeError
        Exact inference, of the nodes' probabilities, would not fit in memory.
    """
    telling = set(telling_attributes(network))
    told = [name for name in attributes if name in telling]
    shown = [name for name in told if len(network.states[name]) > 1][:_MOST]
    flat = _flat([name for name in told if len(network.states[name]) == 1])
    if not shown:
        return flat
    about = (
        "What each value adds to the log-odds, the other attributes averaged; 0 is the mean by "
        "probability. Of two classes the log-odds of the second, of more those against their mean."
    )
    if of_pool:
        about += " They are of the pool's first network alone."
    return [inline(about), side_by_side([_effect(network, name) for name in shown]), *flat]


def _flat(names: Sequence[str]) -> list[Html]:
    """Say of attributes of one state, as numbers that were not cut are, that they add nothing."""
    if not names:
        return []
    shown = joined(list(map(named, names)), _MOST_FLAT)
    whatever = "whatever its value" if len(names) == 1 else "whatever their values"
    return [words("{}: nothing is added, {}.", Html(shown), whatever)]


def _effect(network: "BayesianNetwork", name: str) -> Html:
    drawing = canvas.new_figure(_WIDTH, _HEIGHT)
    plot_effect(network, name, drawing.add_subplot())
    alt = f"Effect of {name} on the log-odds of {network.structure.class_name}"
    return figure(svg_bytes(drawing, as_text=True), _range(network, name), alt)


def _range(network: "BayesianNetwork", name: str) -> Html:
    """The values that speak most against the second of two classes and most for it."""
    effect, states = main_effect(network, name), network.states[name]
    if effect.shape[1] != 2:
        return words("{}", named(name))
    odds = effect[:, 1] - effect[:, 0]
    ends = [(_signed(odds[k]), named(states[k])) for k in (odds.argmin(), odds.argmax())]
    return words("{}: {} if {}, {} if {}.", named(name), *ends[0], *ends[1])


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")

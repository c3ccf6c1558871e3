"""What the states of the attributes that matter most speak for, a picture each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bnlr.network.main_effects import telling_attributes
from bnlr.report.html import Html, figure
from bnlr.report.plots import canvas
from bnlr.report.plots.drawing import svg_bytes
from bnlr.report.plots.effect import plot_effect

if TYPE_CHECKING:
    from bnlr.network import BayesianNetwork

_MOST, _IN_A_ROW = 6, 2
_WIDTH, _HEIGHT = 4.0, 2.4


def effects_figure(
    network: "BayesianNetwork", attributes: Sequence[str], *, of_pool: bool = False
) -> Html | None:
    """Curves and bars of the first six of ``attributes`` that the class's families look at.

    ``of_pool``: the network is the best of a pool.

    Raises
    ------
    TooLargeError
        Exact inference, of the nodes' probabilities, would not fit in memory.
    """
    telling = set(telling_attributes(network))
    shown = [name for name in attributes if name in telling][:_MOST]
    if not shown:
        return None
    n_rows = -(-len(shown) // _IN_A_ROW)
    drawing = canvas.new_figure(_IN_A_ROW * _WIDTH, n_rows * _HEIGHT)
    for place, name in enumerate(shown, start=1):
        plot_effect(network, name, drawing.add_subplot(n_rows, _IN_A_ROW, place))
    caption = (
        "What each value adds to the log-odds, the other attributes averaged; 0 is the mean by "
        "probability. Of two classes the log-odds of the second, of more those against their mean."
    )
    if of_pool:
        caption += " They are of the pool's first network alone."
    return figure(svg_bytes(drawing, as_text=True), caption, f"Effects of {', '.join(shown)}")

"""Learning curves of both learners, a panel an example."""

from collections.abc import Sequence

from studies.common.drawing import canvas, svg_bytes
from studies.queries.examples import EXAMPLES
from studies.queries.tables import ExampleErrors

_LOOKS = {"ofe": ("OFE", canvas.BLUE, "o", "-"), "qd": ("QD", canvas.VERMILLION, "s", "--")}
_LEAST = 1e-16


def learning_curves(every: Sequence[ExampleErrors]) -> bytes:
    """Mean squared error of the answers against the number of event rows, as an SVG.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    names = list(dict.fromkeys(point.example for point in every))
    figure = canvas.new_figure(10.0, 3.6)
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for axes, name in zip(panels, names, strict=True):
        own = [point for point in every if point.example == name]
        for learner, (label, colour, marker, dashes) in _LOOKS.items():
            means = [max(point.mean(learner), _LEAST) for point in own]
            spread = [point.standard_error(learner) for point in own]
            below = [min(s, 0.99 * m) for m, s in zip(means, spread, strict=True)]
            axes.errorbar(
                [point.rows for point in own],
                means,
                [below, spread],
                label=label,
                color=colour,
                marker=marker,
                linestyle=dashes,
                markersize=4,
                linewidth=1.4,
                capsize=2,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("event rows")
        axes.legend(frameon=False, fontsize=8, loc="best")
        canvas.style(axes, f"{name}: {EXAMPLES[name].short}")
    panels[0].set_ylabel("mean squared error")
    return svg_bytes(figure)

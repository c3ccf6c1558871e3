"""How loose the promises are: failures against the share of the promised number."""

from collections.abc import Sequence

from studies.common.drawing import canvas, svg_bytes
from studies.sample_sizes.run import PROMISES
from studies.sample_sizes.tables import Point

_LOOKS = (
    (canvas.BLUE, "o"),
    (canvas.GREEN, "v"),
    (canvas.VERMILLION, "s"),
    (canvas.ORANGE, "^"),
    (canvas.GREY, "D"),
)


def failures(every: Sequence[Point]) -> bytes:
    """Share of failed tries, and error at the quantile 1 − δ in units of ε, as an SVG.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    figure = canvas.new_figure(9.6, 4.0)
    left, right = figure.subplots(1, 2)
    for (name, promise), (colour, marker) in zip(PROMISES.items(), _LOOKS, strict=True):
        own = [point for point in every if point.promise == name]
        if own:
            shares = [point.share for point in own]
            looks = {"color": colour, "marker": marker, "markersize": 4, "linewidth": 1.2}
            left.plot(shares, [p.failed for p in own], label=name, **looks)
            right.plot(shares, [p.quantile / promise.eps for p in own], **looks)
    delta = next(iter(PROMISES.values())).delta
    left.axhline(delta, color=canvas.GREY, linewidth=0.8, linestyle="--")
    right.axhline(1.0, color=canvas.GREY, linewidth=0.8, linestyle="--")
    for axes, what in ((left, "share of tries that fail"), (right, "quantile of the error, in ε")):
        axes.set_xscale("log")
        axes.set_xlabel("share of the promised number")
        canvas.style(axes, what)
    right.set_yscale("log")
    left.legend(frameon=False, fontsize=8)
    return svg_bytes(figure)

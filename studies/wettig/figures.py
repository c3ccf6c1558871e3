"""Figure 3: the surface that makes the suprema; and where starts lead."""

from collections.abc import Sequence

import numpy as np

from studies.common.drawing import canvas, png_bytes, svg_bytes
from studies.wettig.tables import Ends, levels
from studies.wettig.truth import g

_FLOOR = -6.0


def figure_3() -> bytes:
    """g(x, y, z) at x = 0.5 over y and z, as a PNG: a surface and its contours.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    figure = canvas.new_figure(9.0, 4.0)
    edge = np.linspace(0.005, 0.995, 120)
    y, z = np.meshgrid(edge, edge, indexing="ij")
    heights = np.maximum(g(0.5, y, z), _FLOOR)
    surface = figure.add_subplot(1, 2, 1, projection="3d")
    surface.plot_surface(
        y, z, heights, cmap="cividis", linewidth=0.1, rcount=60, ccount=60, antialiased=True
    )
    surface.view_init(elev=28, azim=-128)
    surface.set_zlim(_FLOOR, 0.0)
    # A label beside the axis would be cut off: the layout does not see it.
    surface.set_title("g(0.5, y, z)", loc="left", fontsize=10, fontweight="bold")
    flat = figure.add_subplot(1, 2, 2)
    lines = flat.contourf(y, z, heights, levels=np.linspace(_FLOOR, -0.69, 16), cmap="cividis")
    bar = figure.colorbar(lines, ax=flat, ticks=range(-6, 0))
    bar.set_label("g, cut off at −6", fontsize=8)
    bar.ax.tick_params(labelsize=7)
    flat.plot([0, 1], [0, 1], "o", color=canvas.VERMILLION, clip_on=False, zorder=5)
    canvas.style(flat, "suprema ln x at the two dots")
    for axes in (surface, flat):
        axes.set_xlabel("y", fontsize=8)
        axes.set_ylabel("z", fontsize=8)
        axes.tick_params(labelsize=7)
    return png_bytes(figure)


def where_starts_lead(every: Sequence[Ends]) -> bytes:
    """Shares of the starts of each kind that end at each supremum, as an SVG.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    names = list(dict.fromkeys(one.sample.name for one in every))
    figure = canvas.new_figure(9.0, 3.2)
    for axes, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        own = [one for one in every if one.sample.name == name]
        left = np.zeros(len(own))
        for colour, level in zip(_COLOURS, levels(own[0].sample), strict=False):
            shares = np.array([one.n_at[level] / one.n for one in own])
            axes.barh(
                range(len(own)),
                shares,
                left=left,
                color=colour,
                label=f"{level:.3f}".replace("-", "−"),
            )
            left += shares
        axes.set_yticks(range(len(own)), [one.kind for one in own])
        axes.invert_yaxis()
        axes.set_xlim(0, 1)
        axes.set_xlabel("share of the starts")
        axes.legend(
            title="CLL",
            frameon=False,
            fontsize=7,
            title_fontsize=7,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.28),
            ncols=2,
        )
        canvas.style(axes, f"sample {name}")
        axes.label_outer()
    return svg_bytes(figure)


_COLOURS = (canvas.BLUE, canvas.ORANGE, canvas.GREEN, canvas.VERMILLION)

"""Figures and colours that all pictures share; matplotlib is imported here, and only when needed.

Pictures drawn into given axes, and those for files, touch no global state of pyplot. Without axes a
figure of pyplot's is made, which notebooks show.
"""

from typing import TYPE_CHECKING

from bnlr.arguments import check_kind
from bnlr.errors import PlotExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe & Ito's palette, which colour-blind readers can tell apart.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"
GREY, FAINT = "#777777", "#C8C8C8"

SERIES = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK)
DASHES = (0, (4, 2))
LINES = ("solid", DASHES)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of a size in inches.

    Raises
    ------
    PlotExtraError
        matplotlib is not installed.
    """
    require_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415  an extra

    return Figure(figsize=(width, height), layout="constrained")


def axes_or_new(ax: "Axes | None", width: float, height: float) -> "Axes":
    """Return ``ax``, or the axes of a new figure of pyplot's.

    Raises
    ------
    PlotExtraError
        matplotlib is not installed.
    ParameterError
        ``ax`` is something else.
    """
    require_matplotlib()
    if ax is not None:
        from matplotlib.axes import Axes as AnyAxes  # noqa: PLC0415  an extra

        check_kind("ax", ax, AnyAxes, "axes of matplotlib's, or None")
        return ax
    from matplotlib import pyplot  # noqa: PLC0415  an extra

    return pyplot.figure(figsize=(width, height), layout="constrained").add_subplot()


def require_matplotlib() -> None:
    """Raise PlotExtraError without matplotlib."""
    try:
        import matplotlib  # noqa: F401, PLC0415  an extra
    except ImportError as error:
        raise PlotExtraError(
            "pictures need matplotlib, which is not installed: pip install 'bnlr[plot]'"
        ) from error


def style(ax: "Axes", title: str) -> None:
    """Give axes the plain look of all pictures."""
    ax.set_title(title, loc="left", fontsize=10, fontweight="bold")
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)
    ax.xaxis.label.set_fontsize(9)
    ax.yaxis.label.set_fontsize(9)

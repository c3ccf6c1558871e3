"""matplotlib figures as bytes that do not differ from run to run."""

import io
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# No date, and no name and version of the program that drew it.
_BARE_SVG = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_BARE_PNG = {"Software": None}


def svg_bytes(figure: "Figure", *, as_text: bool = False) -> bytes:
    """Return a figure as an SVG.

    Parameters
    ----------
    figure
    as_text
        Whether letters stay text, which a browser draws in any script; otherwise they are drawn
        as shapes and need no font.
    """
    with warnings.catch_warnings():
        if as_text:
            # matplotlib's own font may lack letters that the reader's fonts have.
            warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        kind = "none" if as_text else "path"
        return _saved(figure, kind, format="svg", metadata=_BARE_SVG)


def svg_of(axes: "Axes") -> bytes:
    """Return the figure of axes as an SVG for a page, where letters stay text, and close it."""
    from matplotlib import pyplot  # noqa: PLC0415  an extra

    figure: Figure = axes.get_figure(root=True)  # type: ignore[assignment]  # these have one
    drawing = svg_bytes(figure, as_text=True)
    pyplot.close(figure)
    return drawing


def png_bytes(figure: "Figure", dpi: int = 150) -> bytes:
    """Return a figure as a PNG: for pictures of very many points, which are long as an SVG."""
    return _saved(figure, "path", format="png", metadata=_BARE_PNG, dpi=dpi)


def _saved(figure: "Figure", letters: str, **options: Any) -> bytes:
    from matplotlib import rc_context  # noqa: PLC0415  an extra

    file = io.BytesIO()
    with rc_context({"svg.hashsalt": "bnlr", "svg.fonttype": letters}):
        figure.savefig(file, facecolor="white", **options)
    return file.getvalue()

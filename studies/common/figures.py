"""matplotlib figures as bytes that do not differ from run to run."""

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# No date, and no name and version of the program that drew it.
_BARE_SVG = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_BARE_PNG = {"Software": None}


def svg_bytes(figure: "Figure") -> bytes:
    """Return a figure as an SVG whose letters are drawn, so that it needs no font."""
    return _saved(figure, format="svg", metadata=_BARE_SVG)


def png_bytes(figure: "Figure", dpi: int = 150) -> bytes:
    """Return a figure as a PNG: for pictures of very many points, which are long as an SVG."""
    return _saved(figure, format="png", metadata=_BARE_PNG, dpi=dpi)


def _saved(figure: "Figure", **options: Any) -> bytes:
    from matplotlib import rc_context  # noqa: PLC0415  an extra

    file = io.BytesIO()
    with rc_context({"svg.hashsalt": "bnlr", "svg.fonttype": "path"}):
        figure.savefig(file, facecolor="white", **options)
    return file.getvalue()

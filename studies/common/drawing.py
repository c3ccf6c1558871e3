"""The look of pictures: bnlr's own palette and figures, for which there is no public call."""

from bnlr.report.plots import canvas
from bnlr.report.plots.drawing import png_bytes, svg_bytes

__all__ = ["canvas", "png_bytes", "svg_bytes"]

"""Figures of a study's page as bytes, as the package's own reports have them."""

from bnlr.report.drawing import png_bytes, svg_bytes

__all__ = ["png_bytes", "svg_bytes"]

"""Models and structures on disk. Files hold text only: nothing in them is ever executed."""

from bnlr.io.edges import load_structure
from bnlr.io.model import load, save

__all__ = ["load", "load_structure", "save"]

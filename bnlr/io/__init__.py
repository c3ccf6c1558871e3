"""Models, structures and data tables on disk.

Here are the doors and what all files share; networks, models and tables have a room each. Files
hold text only, Parquet's apart: nothing in them is ever executed.
"""

from bnlr.io.saving import load, save
from bnlr.io.structures import load_structure

__all__ = ["load", "load_structure", "save"]

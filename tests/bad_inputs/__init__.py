"""The rows of the guide's table of bad input, in its order."""

from .cells import CELLS
from .classes import CODES, TARGETS, UNFITTED, WEIGHTS
from .columns import COLUMNS
from .containers import ARRAYS, CONTAINERS
from .dtypes import TYPES
from .rows import GOOD, PAIRS, Y

SECTIONS = {
    "What X is handed over in": CONTAINERS,
    "What cells hold": CELLS,
    "How columns are held": TYPES,
    "Arrays": ARRAYS,
    "Column names, and tables unlike those of fit": COLUMNS,
    "Classes": TARGETS,
    "Weights": WEIGHTS,
    "Codes, and before fit": [*CODES, *UNFITTED],
}
ROWS = [row for rows in SECTIONS.values() for row in rows]

__all__ = ["GOOD", "PAIRS", "ROWS", "SECTIONS", "Y"]

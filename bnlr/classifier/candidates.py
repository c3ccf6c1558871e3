"""What ``structure="auto"`` chooses among."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CUTTINGS = ("mdl", "mdl-5", "quantile-5")
"""Ways to cut numbers; see `cutting`."""

CENTRES = ("scaled",)
"""Shrinking towards zero won too seldom to pay for its trials."""

STRENGTHS = (100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03)


@dataclass(frozen=True)
class Method:
    """A structure learner with its options, under the name that a user reads."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Name and options as text."""
        told = ", ".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.name} ({told})" if told else self.name


STRUCTURES = (
    Method("naive-bayes"),
    Method("fan"),
    Method("tan"),
    Method("kdb", {"k": 2}),
    Method("hgc", {"score": "bdeu"}),
)
"""The simplest first, which ties go to."""

SEARCHED = (Method("cll"),)
"""Tried beside them where no column is cut and it is cheap, by the two bounds below.

On concepts, such as that of nursery, it finds what no other does; elsewhere it costs more than it
gains.
"""

MOST_SEARCHED = 80
"""Columns times classes up to which a search costs little beside the other candidates."""

MOST_CELLS_SEARCHED = 600
"""States times classes up to which it does: a column of names has as many states as rows."""

FORESTS = STRUCTURES[:3]
"""Those that can be learnt from rows with holes, and in which summing out is cheap."""

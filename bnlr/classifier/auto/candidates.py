"""What ``structure="auto"`` chooses among."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bnlr.data.dataset import Dataset
from bnlr.search.learn import learn_structure
from bnlr.structure.dag import Structure

TRIED_CENTRES = ("scaled",)
"""Among many structures shrinking towards zero won too seldom to pay for its trials."""

TRIED_CENTRES_OF_ONE = ("scaled", "zero")
"""Of a structure that is named; see `strength.wants_centre`."""


@dataclass(frozen=True)
class Method:
    """A structure learner with its options, under the name that a user reads.

    A ``structure`` that is given is the same whatever the rows.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    structure: Structure | None = None

    @property
    def label(self) -> str:
        """Name and options as text."""
        options = ", ".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.name} ({options})" if options else self.name

    def learn(self, data: Dataset) -> Structure:
        """Learn a structure from these rows, unless it is given."""
        if self.structure is not None:
            return self.structure
        return learn_structure(data, self.name, **self.options)


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

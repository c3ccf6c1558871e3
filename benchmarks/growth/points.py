"""The axes, their middle, and the rows that are drawn at a point."""

from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bnlr
from benchmarks import counting
from benchmarks.generated import CLASS, structure_of, wide
from benchmarks.growth import clock

AXES: dict[str, tuple[float, ...]] = {
    "rows": (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000),
    "attributes": (10, 20, 50, 100, 200, 500, 1000, 2000),
    "states": (2, 4, 10, 30, 100, 300, 1000),
    "classes": (2, 5, 10, 30, 100, 200, 500),
    "parents": (1, 2, 3, 4, 5, 6),
    "holes": (0.0, 0.05, 0.1, 0.2, 0.35, 0.5),
}


@dataclass(frozen=True)
class Point:
    """A size of data; the defaults are the middle, at which an axis' other values stay.

    ``parents`` are those among the attributes, ``holes`` the share of their cells that is missing.
    """

    rows: int = 10_000
    attributes: int = 20
    states: int = 4
    classes: int = 2
    parents: int = 1
    holes: float = 0.0

    def at(self, axis: str, value: float) -> "Point":
        """Return the point with one value replaced."""
        return replace(self, **{axis: type(getattr(self, axis))(value)})

    @property
    def values(self) -> dict[str, Any]:
        """By axis."""
        return asdict(self)

    def is_within(self, other: "Point") -> bool:
        """Whether no value is larger than the other point's."""
        theirs = other.values
        return all(value <= theirs[axis] for axis, value in self.values.items())


MIDDLE = Point()
QUICK = Point(rows=200, attributes=4, states=2)
QUICK_AXES: dict[str, tuple[float, ...]] = {"rows": (200, 400), "attributes": (4, 8)}


@dataclass(frozen=True)
class Units:
    """What figures are told in: seconds of B and C, bytes of the Dataset, cells seen.

    ``cells`` are the distinct configurations of families in the rows, holes apart: of naive Bayes
    (class × attribute) and of the given structure (class × parents × attribute).
    """

    b: float
    c: float
    n_bytes: int
    cells: dict[str, int]


class Problem:
    """The data of a point: drawn, and counted, once."""

    def __init__(self, point: Point, least: float = clock.LEAST) -> None:
        self.point, self._least = point, least
        size = point.rows, point.attributes, point.states, point.classes, point.parents
        self._codes, self._cards, self._parents = wide(*size, seed=1)
        self.complete = _dataset(self._codes, self._cards)
        self.data = self.holed(point.holes) if point.holes else self.complete
        families = [[0, *above] for above in self._parents]
        self.given = structure_of(self.complete, [[], *families[1:]])
        self.naive = bnlr.Structure.naive_bayes(self.complete.nodes[1:], class_name=CLASS)

    def holed(self, share: float) -> bnlr.Dataset:
        """Return the rows with cells of the attributes missing at random."""
        rng = np.random.default_rng(2)
        columns = [np.where(rng.random(self.point.rows) < share, -1, c) for c in self._codes[1:]]
        return _dataset(np.stack([self._codes[0], *columns]), self._cards)

    @cached_property
    def units(self) -> Units:
        """B, C, bytes and cells of the complete rows."""
        arguments = counting.arguments(self.complete)
        counting.count_columns(*arguments)  # compiles
        b, c = (
            clock.seconds(partial(count, *arguments), self._least)
            for count in (_bincounts, counting.count_columns)
        )
        return Units(
            b,
            c,
            self.complete.codes.nbytes,
            {"naive": self._n_seen([[]] * len(self._cards)), "given": self._n_seen(self._parents)},
        )

    def _n_seen(self, parents: list[list[int]]) -> int:
        total = 0
        for node, above in enumerate(parents[1:], start=1):
            cell = self._codes[0].astype(np.int64)
            for other in (*above, node):
                cell = cell * self._cards[other] + self._codes[other]
            total += int(
                len(np.unique(cell))
                if cell.max() > 4 * cell.size
                else np.count_nonzero(np.bincount(cell))
            )
        return total


def _dataset(codes: NDArray[np.int16], cards: list[int]) -> bnlr.Dataset:
    nodes = [CLASS, *(f"x{k:04d}" for k in range(1, len(cards)))]
    states = {
        node: tuple(f"v{s}" for s in range(card)) for node, card in zip(nodes, cards, strict=True)
    }
    return bnlr.Dataset.from_codes(codes.T, states, CLASS)


def _bincounts(columns: Any, classes: Any, cards: Any, n_classes: int) -> None:
    own = classes.astype(np.intp)
    for column, card in zip(columns, cards, strict=True):
        np.bincount(own * card + column, minlength=n_classes * card)

"""Rows with holes that are elsewhere, in parts: each block is `EvidenceRows`, asked for sums."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from bnlr._typing import FloatArray
from bnlr.data.dataset import Dataset
from bnlr.data.parted import PartedDataset, rows_elsewhere
from bnlr.data.parts import Combine, Parts
from bnlr.objectives.evidence import EvidenceRows
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    from bnlr.inference.engine import Counter, Engine


def evidence_rows(structure: Structure, data: Dataset) -> EvidenceRows:
    """`EvidenceRows.of` data, wherever they are."""
    if isinstance(data, PartedDataset):
        parts = data.parts.map(_rows, structure)
        # They answer the same questions, and are no `EvidenceRows` only in what needs them at hand.
        return PartedEvidenceRows(parts)  # type: ignore[return-value]
    return EvidenceRows.of(structure, data)


@dataclass(frozen=True, eq=False)
class PartedEvidenceRows:
    """Blocks of rows in ``parts``. Attributes and methods are those of `EvidenceRows`."""

    parts: Parts

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_") or name not in {"codes", "weights", "classes", "target"}:
            raise AttributeError(name)
        raise rows_elsewhere("looked at one by one")

    @property
    def labelled(self) -> "PartedEvidenceRows":
        """As `EvidenceRows.labelled`."""
        return self._labelled

    @cached_property
    def _labelled(self) -> "PartedEvidenceRows":
        return PartedEvidenceRows(self.parts.map(_labelled))

    @cached_property
    def _size(self) -> tuple[int, float]:
        n_rows, weight = self.parts.fold(_size)
        return n_rows, float(weight)

    @property
    def n_rows(self) -> int:
        """Number of rows, those merged in a block once."""
        return self._size[0]

    @property
    def total_weight(self) -> float:
        """Sum of the rows' weights."""
        return self._size[1]

    def total(
        self, function: Callable[..., Any], *arguments: Any, combine: Combine | None = None
    ) -> Any:
        """As `EvidenceRows.total`: one trip."""
        return self.parts.fold(function, *arguments, combine=combine)

    def counter(self, engine: "Engine") -> "Counter":
        """As `EvidenceRows.counter`: each block keeps its own."""
        counters = self.parts.map(_counter, engine)

        def count(theta: FloatArray) -> tuple[FloatArray, float]:
            counts, value = counters.fold(_count, theta)
            return counts, float(value)

        return count


# What travels to the blocks


def _rows(data: Dataset, structure: Structure) -> EvidenceRows:
    return EvidenceRows.of(structure, data)


def _labelled(rows: EvidenceRows) -> EvidenceRows:
    return rows.labelled


def _size(rows: EvidenceRows) -> tuple[int, float]:
    return rows.n_rows, rows.total_weight


def _counter(rows: EvidenceRows, engine: "Engine") -> "Counter":
    return rows.counter(engine)


def _count(counter: "Counter", theta: FloatArray) -> tuple[FloatArray, float]:
    return counter(theta)

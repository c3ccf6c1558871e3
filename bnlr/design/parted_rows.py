"""A design whose rows are elsewhere, in parts: each block is a `Design`, and this one their sum.

It answers what `Design` and `Linearisation` are asked that is a sum over rows, one trip a question;
rows, posteriors and scores stay where they are. A single block gives the bits of the same `Design`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf
from typing import Any, ClassVar, NoReturn

import numpy as np

from bnlr._typing import CodeArray, FloatArray
from bnlr.data.compress import distinct_rows
from bnlr.data.dataset import Dataset
from bnlr.data.parted import PartedDataset, rows_elsewhere
from bnlr.data.parts import Parts, added_and_least
from bnlr.design.families import TableLayout
from bnlr.design.pack import Packing, pack
from bnlr.design.packed_rows import (
    ClassLinks,
    Design,
    Linearisation,
    refuse_missing,
    usable_rows,
)
from bnlr.errors import DataError

# A trip takes as long as so many sums, and matrices so large travel.
_SUMS_A_TRIP, _LARGEST_WHOLE = 2**25, 1024
# Products that a better preconditioner spares are trips: it may have more rows than on one machine.
_MORE = 16

Line = Callable[[float], tuple[float, float]]


def design_of(
    layout: TableLayout, data: Dataset, n_threads: int | None = None, merge: bool = True
) -> "Design":
    """Pack ``data`` where they are; see `Design.of`."""
    if isinstance(data, PartedDataset):
        # It answers the same questions, and is no `Design` only in what needs rows at hand.
        return PartedDesign.packed(layout, data, merge)  # type: ignore[return-value]
    return Design.of(layout, data, n_threads, merge)


@dataclass(frozen=True, eq=False)
class PartedDesign:
    """Blocks of packed rows in ``parts``. Attributes and methods are those of `Design`."""

    layout: TableLayout
    packing: Packing
    parts: Parts
    n_threads: int = 1

    at_hand: ClassVar[bool] = False

    @classmethod
    def packed(cls, layout: TableLayout, data: PartedDataset, merge: bool) -> "PartedDesign":
        """Pack each block by the packing that suits all rows."""
        rows = data._mapped(usable_rows)
        if not rows.n_rows:
            raise DataError(
                f"no row has a value of the class {data.class_name!r} and a weight above 0"
            )
        refuse_missing(rows, layout.attributes)
        packing = pack(layout, rows.n_rows)
        design = cls(layout, packing, rows.parts.map(_packed, packing, merge))
        if design.n_rows:  # which waits until they are packed
            data.parts.drop()
        return design

    def __getattr__(self, name: str) -> NoReturn:
        raise _refusal(name, Design)

    @cached_property
    def _facts(self) -> tuple[int, int, float, float, float]:
        facts: tuple[int, int, float, float, float] = self.parts.fold(_facts, combine=_together)
        return facts

    @property
    def n_rows(self) -> int:
        """Packed rows."""
        return self._facts[0]

    @property
    def n_codes(self) -> int:
        """As `Design.n_codes`."""
        return self._facts[1]

    @property
    def n_lookups(self) -> int:
        """As `Design.n_lookups`."""
        return self.n_codes * (self.layout.n_classes - 1)

    @property
    def total_weight(self) -> float:
        """Sum of the rows' weights."""
        return self._facts[2]

    @property
    def weight_range(self) -> tuple[float, float]:
        """The least and the largest weight of a row."""
        return self._facts[3:]

    def cll(self, tables: FloatArray) -> float:
        """Conditional log-likelihood of ``tables``."""
        return float(self.parts.fold(_asked, "cll", tables))

    def counts(self) -> FloatArray:
        """As `Design.counts`."""
        return self._counts.copy()

    @cached_property
    def _counts(self) -> FloatArray:
        counts: FloatArray = self.parts.fold(_asked, "counts")
        return counts

    def class_weights(self) -> FloatArray:
        """As `Design.class_weights`."""
        return np.asarray(self.parts.fold(_asked, "class_weights"))

    def co_occurrences(self) -> FloatArray:
        """As `Design.co_occurrences`."""
        return np.asarray(self.parts.fold(_asked, "co_occurrences"))

    def linearise(self, tables: FloatArray) -> "Linearisation":
        """As `Design.linearise`."""
        return _linearised(self, self.parts.map(_asked, "linearise", tables))

    def along(self, tables: FloatArray, direction: FloatArray) -> Line:
        """As `Design.along`: each step length not asked before is a trip."""
        lines = self.parts.map(_asked, "along", tables, direction)

        def line(s: float) -> tuple[float, float]:
            value, slope = lines.fold(_line_at, float(s))
            return float(value), float(slope)

        return line

    def distinct(self, most: int) -> Design | None:
        """The distinct rows, brought here with their summed weights; None of more than ``most``."""
        found, _ = self.parts.fold(_distinct, most, combine=_either)
        if found is None:
            return None
        rows, weights = found
        codes, classes = np.ascontiguousarray(rows[:-1]), np.ascontiguousarray(rows[-1])
        return Design(self.layout, self.packing, codes, classes, weights)


def _linearised(design: PartedDesign, parts: Parts) -> "Linearisation":
    cll, gradient = parts.fold(_told)
    return PartedLinearisation(design, parts, float(cll), gradient)  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class PartedLinearisation:
    """Attributes and methods are those of `Linearisation`; ``parts`` hold the blocks' own."""

    design: PartedDesign
    parts: Parts
    cll: float
    gradient: FloatArray

    def __getattr__(self, name: str) -> NoReturn:
        raise _refusal(name, Linearisation)

    def hessian_product(self, direction: FloatArray) -> FloatArray:
        """As `Linearisation.hessian_product`; all of the Hessian comes here once that pays."""
        self._products.append(None)
        if "_hessian" not in vars(self) and not self._is_worth_all():
            return np.asarray(self.parts.fold(_asked, "hessian_product", direction))
        product: FloatArray = (self._hessian @ direction.ravel()).reshape(direction.shape)
        return product

    @cached_property
    def _products(self) -> list[None]:
        """One for each that was asked for."""
        return []

    @cached_property
    def _hessian(self) -> FloatArray:
        return self.joint_curvature()

    def _is_worth_all(self) -> bool:
        """Whether products have taken as long as the sums of the whole Hessian would."""
        layout, width = self.design.layout, self.design.layout.n_classes - 1
        n_sums = self.design.n_rows * (len(layout.families) * width) ** 2
        is_small = layout.n_cells * width <= _LARGEST_WHOLE
        return is_small and n_sums <= len(self._products) * _SUMS_A_TRIP

    def hessian_diagonal(self) -> FloatArray:
        """As `Linearisation.hessian_diagonal`."""
        return np.asarray(self.parts.fold(_asked, "hessian_diagonal"))

    @cached_property
    def class_links(self) -> ClassLinks:
        """As `Linearisation.class_links`."""
        hub = int(np.argmax(self.parts.fold(_asked, "class_shares")))
        return ClassLinks(hub, self.parts.fold(_asked, "links_of", hub))

    def cross_curvature(self, most_rows: int) -> FloatArray:
        """As `Linearisation.cross_curvature`, more rows drawn, from each block by its share."""
        share = min(_MORE * most_rows / self.design.n_rows, 1.0)
        return np.asarray(self.parts.fold(_drawn, "cross_curvature", share))

    def class_curvatures(self, most_rows: int, classes: slice = slice(None)) -> FloatArray:
        """As `Linearisation.class_curvatures`, rows drawn likewise."""
        share = min(_MORE * most_rows / self.design.n_rows, 1.0)
        return np.asarray(self.parts.fold(_drawn, "class_curvatures", share, classes))

    def joint_curvature(self, most_rows: int | None = None) -> FloatArray:
        """As `Linearisation.joint_curvature`, rows drawn likewise."""
        share = 1.0 if most_rows is None else most_rows / self.design.n_rows
        return np.asarray(self.parts.fold(_drawn, "joint_curvature", share))

    def shared_curvature(self, one: int, other: int) -> FloatArray:
        """As `Linearisation.shared_curvature`."""
        return np.asarray(self.parts.fold(_asked, "shared_curvature", one, other))

    def corrected(self, step: FloatArray) -> "Linearisation":
        """As `Linearisation.corrected`."""
        return _linearised(self.design, self.parts.map(_asked, "corrected", step))

    def entropy(self) -> tuple[float, float]:
        """As `Linearisation.entropy`."""
        total, least = self.parts.fold(_entropy, combine=added_and_least)
        return float(total), float(least)

    def least_own(self) -> float:
        """As `Linearisation.least_own`."""
        return float(self.parts.fold(_least_own, combine=min))


def _refusal(name: str, of: type) -> Exception:
    """Why there is no such attribute: the rows that it would tell of are elsewhere."""
    if name.startswith("_") or not (hasattr(of, name) or name in of.__annotations__):
        return AttributeError(name)
    return rows_elsewhere("looked at one by one")


# What travels to the blocks


def _packed(data: Dataset, packing: Packing, merge: bool) -> Design:
    return Design.packed(packing, data, 1, merge and data.n_rows > 0)


def _asked(block: Any, what: str, *arguments: Any) -> Any:
    return getattr(block, what)(*arguments)


def _facts(block: Design) -> tuple[int, int, float, float, float]:
    span = block.weight_range if block.n_rows else (inf, 0.0)
    return block.n_rows, block.n_codes, block.total_weight, *span


def _together(one: Sequence[float], other: Sequence[float]) -> tuple[float, ...]:
    sums = (a + b for a, b in zip(one[:3], other[:3], strict=True))
    return *sums, min(one[3], other[3]), max(one[4], other[4])


def _told(local: Linearisation) -> tuple[float, FloatArray]:
    return local.cll, local.gradient


def _line_at(line: Line, s: float) -> tuple[float, float]:
    return line(s)


def _drawn(local: Linearisation, what: str, share: float, *arguments: Any) -> FloatArray:
    n_rows = local.design.n_rows
    return np.asarray(_asked(local, what, max(ceil(share * n_rows), 1), *arguments))


def _entropy(local: Linearisation) -> tuple[float, float]:
    return local.entropy() if local.design.n_rows else (0.0, inf)


def _least_own(local: Linearisation) -> float:
    return local.least_own() if local.design.n_rows else inf


def _distinct(block: Design, most: int) -> Any:
    classes = block.classes.astype(block.codes.dtype)
    return _few(np.vstack([block.codes, classes]), block.weights, most), most


def _either(one: Any, other: Any) -> Any:
    (mine, most), (theirs, _) = one, other
    if mine is None or theirs is None:
        return None, most
    rows, weights = (np.concatenate(pair, axis=-1) for pair in zip(mine, theirs, strict=True))
    return _few(rows, weights, most), most


def _few(rows: CodeArray, weights: FloatArray, most: int) -> tuple[CodeArray, FloatArray] | None:
    merged = distinct_rows([*rows], weights)
    return None if len(merged.first) > most else (rows[:, merged.first], merged.weights)

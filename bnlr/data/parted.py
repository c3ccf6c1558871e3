"""A data set whose rows are elsewhere, in parts: it is asked for sums over rows, never for rows."""

from collections.abc import Callable
from functools import cached_property
from math import inf
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np

from bnlr._typing import CodeArray, FloatArray, IntArray
from bnlr.arguments import seed, whole
from bnlr.data.compress import distinct_rows
from bnlr.data.dataset import Dataset
from bnlr.data.parts import Parts
from bnlr.data.weight_unit import Measured, common_divisor_of, multiples_of
from bnlr.errors import DataError

# So many different weights are looked at to find their unit.
_MOST_WEIGHTS = 2**16
_MOST_DISTINCT = 2**16


class _Census(NamedTuple):
    """What a first look at the rows tells: a sum over blocks but for ``lightest``, ``heaviest``."""

    n_rows: int
    missing: IntArray
    weights: FloatArray
    total: float
    lightest: float
    heaviest: float


class PartedDataset(Dataset):
    """Rows in ``parts``, whose blocks are `Dataset`s of the same states; see `Dataset.from_dask`.

    Takes part in whatever needs sums over rows. What needs rows at hand raises DataError; `sample`
    brings some.

    Parameters
    ----------
    parts : Parts
        At least one block, which may have no rows.
    empty : Dataset
        The states, the class and the order of the blocks, no rows; with weights if they have some.
    """

    def __init__(self, parts: Parts, empty: Dataset) -> None:
        for name, value in {
            "parts": parts,
            "empty": empty,
            "states": empty.states,
            "class_name": empty.class_name,
            "order": empty.order,
        }.items():
            object.__setattr__(self, name, value)

    parts: Parts
    empty: Dataset

    def __reduce__(self) -> NoReturn:
        raise rows_elsewhere("written to a file, or sent")

    @property
    def codes(self) -> CodeArray:
        """Not at hand.

        Raises
        ------
        DataError
            Always, with the remedy.
        """
        raise rows_elsewhere("looked at one by one")

    @property
    def row_weights(self) -> FloatArray | None:
        """None without weights; raises DataError with them."""
        if self.empty.row_weights is None:
            return None
        raise rows_elsewhere("looked at one by one")

    @property
    def weights(self) -> FloatArray:
        """Not at hand: raises DataError."""
        raise rows_elsewhere("looked at one by one")

    def column(self, node: str) -> CodeArray:
        """Not at hand: raises DataError."""
        self.empty.column(node)
        raise rows_elsewhere("looked at one by one")

    @property
    def _at_hand(self) -> bool:
        """False."""
        return False

    @property
    def trips(self) -> int:
        """How many results have been waited for, from the first look at the rows on."""
        return self.parts.trips.n

    @property
    def has_weights(self) -> bool:
        """Whether row weights were given."""
        return self.empty.row_weights is not None

    def _total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """As `CodeTable._total`: one trip."""
        return self.parts.fold(function, *arguments)

    def _mapped(self, function: Callable[..., Any], *arguments: Any) -> Self:
        """As `CodeTable._mapped`: no trip, the rows stay where they are."""
        return type(self)(self.parts.map(function, *arguments), function(self.empty, *arguments))

    def take(self, rows: object) -> NoReturn:  # noqa: ARG002  as in CodeTable
        """Not at hand: raises DataError."""
        raise rows_elsewhere("chosen one by one")

    @cached_property
    def _census(self) -> _Census:
        return _Census(*self.parts.fold(_counted, combine=_counted_together))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._census.n_rows

    @cached_property
    def missing_counts(self) -> dict[str, int]:
        """Number of missing cells of each node that has any."""
        found = zip(self.nodes, self._census.missing.tolist(), strict=True)
        return {node: n for node, n in found if n}

    @cached_property
    def _total_weight(self) -> float:
        """Sum of the row weights."""
        return self._census.total

    @cached_property
    def _weight_range(self) -> tuple[float, float]:
        """The least row weight above 0, and the largest."""
        return self._census.lightest, self._census.heaviest

    def _state_weights(self, node: str) -> FloatArray:
        ends = np.cumsum(list(self.cards.values()))
        stop = int(ends[self._places[node]])
        return self._census.weights[stop - self.cards[node] : stop]

    def sample(self, n: int, random_state: int | None = None) -> Dataset:
        """Bring ``n`` rows here, drawn at random without replacement, in their order.

        Weights come with their rows. Fewer if there are no more.
        """
        n = min(whole("n", n, 1), self.n_rows)
        rng = np.random.default_rng(seed(random_state))
        sizes = np.array(self.parts.fold(_size))
        starts = np.cumsum(sizes) - sizes
        rows = np.sort(rng.choice(self.n_rows, n, replace=False, shuffle=False))
        codes, weights = self.parts.fold_numbered(_chosen, rows, starts, combine=_stacked)
        table = np.asfortranarray(codes)
        return Dataset(table, self.states, self.class_name, weights, self.order)

    def measured(self, nodes: tuple[str, ...]) -> Measured:
        """As `bnlr.data.weight_unit.measured`, the weights left where they are.

        Where no column tells that the unit is 1, the distinct rows are brought here; if there are
        too many of them, rows count as distinct that are not.
        """
        part: float | None = 1.0
        if self.has_weights:
            values = self.parts.fold(_weights, combine=_distinct)
            part = None if values is None else multiples_of(values)
        if part is None:
            found = self.parts.fold(_distinct_rows, 1.0, nodes, combine=_rows_together)
            n_rows = self.n_rows if found is None else np.count_nonzero(found[1])
            return Measured(self._total_weight / max(n_rows, 1), None)
        shared = common_divisor_of(self.parts.fold(_multiples, part, nodes))
        if shared > 1:
            found = self.parts.fold(_distinct_rows, part, nodes, combine=_rows_together)
            shared = 1.0 if found is None else common_divisor_of([found[1]])
        return Measured(part * shared, None)

    def __repr__(self) -> str:
        return f"PartedDataset({len(self.nodes)} columns, class {self.class_name!r})"


def rows_elsewhere(done: str) -> DataError:
    """Why something cannot be ``done`` with rows, and what can."""
    return DataError(
        f"these rows are on other machines and cannot be {done} here, as this asks; take some "
        "of them: data.sample(100_000, random_state=0) is a Dataset like any other"
    )


def _counted(data: Dataset) -> tuple[Any, ...]:
    missing = np.array([data.missing_counts.get(node, 0) for node in data.nodes], dtype=np.intp)
    weights = np.concatenate([data._state_weights(node) for node in data.nodes])
    if not data.has_weights:
        return data.n_rows, missing, weights, float(data.n_rows), 1.0, 1.0
    if not (data.weights > 0).any():
        return data.n_rows, missing, weights, 0.0, inf, 0.0
    return data.n_rows, missing, weights, data._total_weight, *data._weight_range


def _counted_together(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    sums = tuple(a + b for a, b in zip(one[:4], other[:4], strict=True))
    return *sums, min(one[4], other[4]), max(one[5], other[5])


def _size(data: Dataset) -> list[int]:
    return [data.n_rows]


def _chosen(
    data: Dataset, number: int, rows: IntArray, starts: IntArray
) -> tuple[CodeArray, FloatArray | None]:
    own = rows - starts[number]
    part = data.take(own[(own >= 0) & (own < data.n_rows)])
    return part.codes, part.row_weights


def _stacked(one: Any, other: Any) -> tuple[CodeArray, FloatArray | None]:
    weights = None if one[1] is None else np.concatenate([one[1], other[1]])
    return np.concatenate([one[0], other[0]]), weights


def _weights(data: Dataset) -> FloatArray | None:
    return _few(np.unique(data.weights[data.weights > 0]))


def _distinct(one: FloatArray | None, other: FloatArray | None) -> FloatArray | None:
    return None if one is None or other is None else _few(np.union1d(one, other))


def _few(values: FloatArray) -> FloatArray | None:
    return values if len(values) <= _MOST_WEIGHTS else None


def _multiples(data: Dataset, part: float, nodes: tuple[str, ...]) -> tuple[FloatArray, ...]:
    """How many times ``part`` the rows of each state of each node weigh, −1 included."""
    counts = np.rint(data.weights / part) if data.has_weights else None
    return tuple(
        np.bincount(
            data.column(node).astype(np.intp) + 1, counts, minlength=data.cards[node] + 1
        ).astype(np.float64)
        for node in nodes
    )


def _distinct_rows(data: Dataset, part: float, nodes: tuple[str, ...]) -> Any:
    codes = np.column_stack([data.column(node) for node in nodes])
    return _rows_of(codes, data.weights if part == 1.0 else np.rint(data.weights / part))


def _rows_together(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return None
    return _rows_of(*(np.concatenate(pair) for pair in zip(one, other, strict=True)))


def _rows_of(codes: CodeArray, weights: FloatArray) -> tuple[CodeArray, FloatArray] | None:
    merged = distinct_rows([*codes.T], weights)
    return None if len(merged.first) > _MOST_DISTINCT else (codes[merged.first], merged.weights)

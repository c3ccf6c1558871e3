"""One column over many chunks: its labels are gathered, and its states known at the end.

What comes out is what `pandas.concat` of the chunks would give, with three exceptions: a column
that has values of one kind in each chunk must have them of the same kind in all; ordered categories
must agree; and a chunk where a column is missing throughout says nothing about its type.
"""

from collections.abc import Sequence

import numpy as np

from bnlr._typing import CodeArray, State
from bnlr.data import labels as lab
from bnlr.data.frames.column import (
    RawColumn,
    Storage,
    choose_states,
    describe_unseen,
    encode,
    keeps_order,
    refuse_continuous,
    tidied,
)
from bnlr.data.narrow import smallest_dtype
from bnlr.data.scan import occurring, relabel
from bnlr.errors import DataError
from bnlr.words import quoted

_ONE_KIND = {Storage.VALUES, Storage.FLOATS}

Order = tuple[Storage, "frozenset[lab.Key] | tuple[lab.Key, ...]"]


class KnownColumn:
    """A column of given states."""

    def __init__(self, node: str, states: tuple[State, ...]) -> None:
        self._node, self._states = node, states
        self._unseen: dict[State, int] = {}
        self._keep_order: list[bool] = []

    def add(self, raw: RawColumn, where: str) -> CodeArray:  # noqa: ARG002  as in LearntColumn
        """Return a chunk's codes; unseen values are missing, and counted."""
        codes = np.empty(len(raw.numbers), smallest_dtype([len(self._states)]))
        tidy = tidied(raw)
        for label, n in encode(tidy, self._states, codes).items():
            self._unseen[label] = self._unseen.get(label, 0) + n
        self._keep_order.append(keeps_order(tidy, self._states))
        return codes

    @property
    def is_ordered(self) -> bool:
        """Whether all chunks have ordered categories, and the states are in that order."""
        return bool(self._keep_order) and all(self._keep_order)

    @property
    def unseen(self) -> str | None:
        """A clause on the values outside the states, None without any."""
        if not self._unseen:
            return None
        return describe_unseen(self._node, self._unseen, self._states)

    def finish(self, n_rows: int) -> tuple[tuple[State, ...], None]:  # noqa: ARG002
        """Return the states, and that the codes are final."""
        return self._states, None


class LearntColumn:
    """A column whose states are the labels that occur, or its categories.

    Each label gets a provisional code when it first comes; `finish` says which is its final one.
    """

    unseen = None

    def __init__(self, node: str) -> None:
        self._node = node
        self._code_of: dict[lab.Key, int] = {}
        self._labels: list[State] = []
        self._occurs = np.zeros(0, dtype=np.bool_)
        self._storages: set[Storage] = set()
        self._first_of: dict[str, tuple[State, str]] = {}
        self._order: Order | None = None
        self._order_agrees = True
        self._n_rows = 0

    def add(self, raw: RawColumn, where: str) -> CodeArray:
        """Return a chunk's provisional codes.

        Raises
        ------
        DataError
            Another kind of values or other ordered categories than before, or numbers with
            decimals that are too many for states.
        """
        self._n_rows += len(raw.numbers)
        if not raw.known:
            return np.full(len(raw.numbers), -1, dtype=np.int8)
        self._compare_order(raw)
        self._compare_kinds(raw, where)
        lookup = self._number(raw.labels)
        if not any(storage.is_categorical for storage in self._storages):
            refuse_continuous(self._node, lab.tidy(self._labels), self._n_rows)
        codes = np.empty(len(raw.numbers), lookup.dtype)
        relabel(raw.numbers, lookup, codes)
        self._note_occurrence(codes, lookup, raw.storage)
        return codes

    def merge(self, other: "LearntColumn") -> None:
        """Take in what ``other`` has seen of the same column, after this; raises as `add`."""
        self._n_rows += other._n_rows
        if other._order is None:
            return
        for kind, first in other._first_of.items():
            self._first_of.setdefault(kind, first)
        self._compare_kept(other._order, other._storages)
        self._order_agrees &= other._order_agrees
        self._refuse_kinds()
        codes = [self._code(label) for label in other._labels]
        occurs = np.zeros(len(self._labels), dtype=np.bool_)
        occurs[: len(self._occurs)] = self._occurs
        occurs[codes] |= other._occurs
        self._occurs = occurs
        if not any(storage.is_categorical for storage in self._storages):
            refuse_continuous(self._node, lab.tidy(self._labels), self._n_rows)

    @property
    def is_ordered(self) -> bool:
        """Whether the states are ordered categories."""
        return Storage.ORDERED in self._storages

    def _number(self, labels: Sequence[State | None]) -> CodeArray:
        codes = [-1 if label is None else self._code(label) for label in labels]
        return np.array([*codes, -1], dtype=smallest_dtype([len(self._labels)]))

    def _code(self, label: State) -> int:
        code = self._code_of.setdefault(lab.key_of(label), len(self._labels))
        if code == len(self._labels):
            self._labels.append(label)
        return code

    def _note_occurrence(self, codes: CodeArray, lookup: CodeArray, storage: Storage) -> None:
        occurs = np.zeros(len(self._labels), dtype=np.bool_)
        occurs[: len(self._occurs)] = self._occurs
        if not storage.is_categorical:
            occurs[lookup[lookup >= 0]] = True
        elif not occurs.all():
            occurs |= occurring(codes, len(occurs))
        self._occurs = occurs

    def _compare_order(self, raw: RawColumn) -> None:
        keys = tuple(map(lab.key_of, raw.known)) if raw.storage.is_categorical else ()
        is_ordered = raw.storage is Storage.ORDERED
        self._compare_kept((raw.storage, keys if is_ordered else frozenset(keys)), {raw.storage})

    def _compare_kept(self, order: Order, storages: set[Storage]) -> None:
        is_ordered = order[0] is Storage.ORDERED
        if self._order is None:
            self._order = order
        elif order[0].is_categorical or self._order[0].is_categorical:
            same = order == self._order
            if not same and (is_ordered or self._order[0] is Storage.ORDERED):
                raise DataError(
                    f"column {quoted(self._node)} has other ordered categories than before, or "
                    "none; give all chunks the same ones with cat.set_categories, or name the "
                    "states with states="
                )
            self._order_agrees &= same
        self._storages |= storages

    def _compare_kinds(self, raw: RawColumn, where: str) -> None:
        """Refuse two kinds, unless all chunks hold objects or categories: a mixture on purpose."""
        for label in raw.known:
            self._first_of.setdefault(lab.kind_of(label), (label, where))
        self._refuse_kinds()

    def _refuse_kinds(self) -> None:
        if len(self._first_of) > 1 and self._storages & _ONE_KIND:
            found = [f"the {kind} {quoted(x)} in {w}" for kind, (x, w) in self._first_of.items()]
            raise DataError(
                f"column {quoted(self._node)} holds {', but '.join(found)}; read all of it as one "
                f"type, for instance with dtype={{{quoted(self._node)}: str}} or astype(str)"
            )

    def finish(self, n_rows: int) -> tuple[tuple[State, ...], CodeArray]:
        """Return the states, and the final code of each provisional one, then -1.

        Raises
        ------
        DataError
            No values, continuous values, or booleans beside numbers.
        """
        labels = self._as_one_type()
        is_categorical = self._order_agrees and any(s.is_categorical for s in self._storages)
        occurring_labels = {
            lab.key_of(label): label
            for label, occurs in zip(labels, self._occurs, strict=True)
            if occurs or is_categorical
        }
        known = lab.tidy(list(occurring_labels.values()))
        lab.check_kinds(self._node, known)
        states = choose_states(self._node, known, is_categorical, n_rows)
        place = lab.positions(states)
        final = [place.get(lab.key_of(label), -1) for label in labels]
        return states, np.array([*final, -1], dtype=smallest_dtype([len(states)]))

    def _as_one_type(self) -> list[State]:
        """Return the labels as one column would hold them: floats make floats of integers."""
        if Storage.FLOATS not in self._storages or not self._storages <= _ONE_KIND:
            return self._labels
        return [float(x) if isinstance(x, int) else x for x in self._labels]

"""Columns that hardly mean what they are taken for.

Numbers read as labels: one text in a column of numbers, or all numbers as text, makes each number a
label of its own. Identifiers and copies of the class have files of their own beside this one.

Looked at are the labels, once they have codes; the rows only of columns that give reason to. What a
user hears of it is in `bnlr.data.suspects.messages`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from bnlr._typing import BoolArray, CodeArray, FloatArray, IntArray, State
from bnlr.data.code_table import CodeTable
from bnlr.data.dates import are_dates
from bnlr.data.numerals import begins_a_word, is_blemish, is_code, is_marked, number
from bnlr.data.scan import code_weights
from bnlr.data.suspects.class_copies import find_class_copies
from bnlr.data.suspects.identifiers import find_identifiers

# Fewer different numbers may be labels; so may more whole ones that recur, but beside slips.
_MANY, _MANY_WHOLE = 10, 20
# Texts among numbers that do not look like slips are labels if they are more and not rare.
_FEW_TEXTS, _RARE = 3, 0.1
# Whole numbers as text that all have one length, from this on, are codes: years, postal codes.
_LENGTH_OF_CODES = 4
_SHOWN_TEXTS = 4
_LONGEST_NUMBER = 400
# Of more labels so many are looked at first: where few of these are numbers, the column is text.
_SAMPLE, _FEW_NUMBERS = 256, 64
# What a label is; those up to marked are numbers.
_WHOLE, _DECIMAL, _MARKED, _BLEMISH, _CODE, _OTHER = range(6)


class Texts(NamedTuple):
    """Some texts of a column, {text: first row, from 0}, and how many others there are."""

    node: str
    first: dict[str, int]
    n_more: int


class Identifier(NamedTuple):
    """How many labels a column has, in how many rows; whether all are numbers as text, or dates."""

    node: str
    n_labels: int
    n_rows: int
    are_numbers: bool
    are_dates: bool


@dataclass(frozen=True)
class Suspects:
    """``beside``: numbers but for these texts; ``as_text``: numbers, as these texts are.

    ``copies`` are {column: whether it has a value in all rows}.
    """

    beside: Sequence[Texts] = ()
    as_text: Sequence[Texts] = ()
    identifiers: Sequence[Identifier] = ()
    copies: Mapping[str, bool] = field(default_factory=dict)


def find_suspects(
    data: CodeTable,
    nodes: Collection[str] | None = None,
    *,
    decimal_commas: bool = False,
    meant: Collection[str] = (),
) -> Suspects:
    """Look for columns that hardly mean what they are taken for.

    Parameters
    ----------
    data : CodeTable
        With the states that its columns define.
    nodes
        The columns that were taken for labels; all but the class if not given.
    decimal_commas
        Whether 1,5 is a number where the labels come from.
    meant
        Columns whose labels are declared, so that no number among them is one by mistake.
    """
    asked = [n for n in data.nodes if n != data.class_name and (nodes is None or n in nodes)]
    beside: list[Texts] = []
    as_text: list[Texts] = []
    for node in asked:
        column = None if node in meant else _LabelColumn.of(data, node, decimal_commas)
        if column is None or not column.holds_measurements():
            continue
        if (strange := column.beside()) is not None:
            beside.append(strange)
        elif (numbers := column.as_text()) is not None:
            as_text.append(numbers)
    named = {texts.node for texts in (*beside, *as_text)}
    found = {
        n: counts for n, counts in find_identifiers(data).items() if n in asked and n not in named
    }
    return Suspects(
        beside,
        as_text,
        [
            Identifier(node, *counts, _are_numbers(data, node), are_dates(data.states[node]))
            for node, counts in found.items()
        ],
        find_class_copies({node: data.column(node) for node in asked}, data.class_codes),
    )


@dataclass(frozen=True)
class _LabelColumn:
    """The labels that occur in a column: what each is, how many cells hold it, and its code."""

    node: str
    labels: Sequence[State]
    kinds: IntArray
    counts: FloatArray
    occurring: IntArray
    codes: CodeArray

    @classmethod
    def of(cls, data: CodeTable, node: str, decimal_commas: bool) -> "_LabelColumn | None":
        """Judge a column's labels; None where no text or too few numbers are among them."""
        labels = data.states[node]
        if len(labels) <= _MANY or not any(isinstance(label, str) for label in labels):
            return None
        sample = labels[:: max(1, len(labels) // _SAMPLE)]
        n_numbers = sum(_kind(label, decimal_commas) <= _MARKED for label in sample)
        if len(sample) >= _SAMPLE and n_numbers < _FEW_NUMBERS:
            return None
        kinds = np.array([_kind(label, decimal_commas) for label in labels], dtype=np.intp)
        if np.count_nonzero(kinds <= _MARKED) <= _MANY:
            return None
        codes = data.column(node)
        if data.has_weights:
            codes = np.where(data.weights > 0, codes, codes.dtype.type(-1))
        counts = code_weights(codes, len(labels), None)
        occurring = np.flatnonzero(counts)
        texts = [labels[code] for code in occurring.tolist()]
        return cls(node, texts, kinds[occurring], counts[occurring], occurring, codes)

    def holds_measurements(self) -> bool:
        """Whether the numbers are none that would pass for a few labels, nor codes."""
        numbers = self.kinds <= _MARKED
        n_numbers = int(np.count_nonzero(numbers))
        is_whole = not (self._are(_DECIMAL) | self._are(_MARKED)).any()
        if not is_whole:
            return n_numbers > _MANY
        if self._are_filled() or (self._are_codes() and not self._has_slips_only()):
            return False
        may_be_labels = self.counts[numbers].sum() >= 2 * n_numbers and not self._has_slips_only()
        return n_numbers > (_MANY_WHOLE if may_be_labels else _MANY)

    def beside(self) -> Texts | None:
        """Return the texts beside the numbers, if they are few or look like slips."""
        if self._is_marked():
            return None
        strange = self.kinds > _DECIMAL
        return self._texts(strange) if strange.any() and self._are_slips(strange) else None

    def as_text(self) -> Texts | None:
        """Return the numbers that are text, if nothing else is in the column, or hardly."""
        if self._is_marked():
            strange = self.kinds > _MARKED
            return self._texts(self._are(_MARKED)) if self._are_slips(strange) else None
        if (self.kinds > _DECIMAL).any():
            return None
        return self._texts(np.array([isinstance(label, str) for label in self.labels]))

    def _are(self, kind: int) -> BoolArray:
        is_kind: BoolArray = self.kinds == kind
        return is_kind

    def _is_marked(self) -> bool:
        """Whether most of the numbers have units or marks."""
        plain = self.counts[self.kinds <= _DECIMAL].sum()
        return bool(self.counts[self._are(_MARKED)].sum() > plain)

    def _are_codes(self) -> bool:
        """Whether whole numbers are all text of one length."""
        lengths = self._n_digits(_WHOLE)
        return len(lengths) == 1 and min(lengths) >= _LENGTH_OF_CODES

    def _are_filled(self) -> bool:
        """Whether zeros before numbers are meant: to fill them up to a length, or being many."""
        if not self._are(_CODE).any():
            return False
        are_of_a_length = min(self._n_digits(_WHOLE)) >= max(self._n_digits(_CODE))
        return are_of_a_length or not self._are_slips(self._are(_CODE))

    def _n_digits(self, kind: int) -> set[int]:
        """How many digits labels of a kind have, 0 for what is more than digits, or no text."""
        chosen = [x for x, k in zip(self.labels, self.kinds, strict=True) if k == kind]
        texts = [x.strip() if isinstance(x, str) else "" for x in chosen]
        return {len(x) if x.isdecimal() else 0 for x in texts}

    def _has_slips_only(self) -> bool:
        return bool(self._are(_BLEMISH).any() and not self._are(_OTHER).any())

    def _are_slips(self, strange: BoolArray) -> bool:
        n_cells = self.counts.sum()
        others = self._are(_OTHER) | self._are(_CODE)
        n_others = np.count_nonzero(others)
        if n_others == 0:
            return True
        are_rare = self.counts[others].sum() <= _RARE * n_cells
        are_less = 2 * self.counts[strange].sum() <= n_cells
        return bool((n_others <= _FEW_TEXTS or are_rare) and are_less)

    def _texts(self, chosen: BoolArray) -> Texts:
        """Return the first of the chosen labels, in the order of their first rows."""
        is_chosen = np.zeros(int(self.occurring[-1]) + 2, dtype=np.bool_)  # the last is that of -1
        is_chosen[self.occurring[chosen]] = True
        rows = np.flatnonzero(is_chosen[self.codes])
        codes, places = np.unique(self.codes[rows], return_index=True)
        order = np.argsort(places)
        label_of = dict(zip(self.occurring.tolist(), self.labels, strict=True))
        first = {
            str(label_of[code]): int(rows[place])
            for code, place in zip(
                codes[order][:_SHOWN_TEXTS].tolist(), places[order].tolist(), strict=False
            )
        }
        return Texts(self.node, first, len(codes) - len(first))


def _are_numbers(data: CodeTable, node: str) -> bool:
    labels = data.states[node]
    return all(isinstance(x, str) and number(x.strip()) is not None for x in labels)


def _kind(label: State, decimal_commas: bool) -> int:
    if isinstance(label, bool):
        return _OTHER
    if isinstance(label, int | float):
        return _WHOLE if label % 1 == 0 else _DECIMAL
    return _kind_of_text(str(label).strip(), decimal_commas)


def _kind_of_text(text: str, decimal_commas: bool) -> int:
    if len(text) > _LONGEST_NUMBER:
        return _OTHER
    if begins_a_word(text):
        return _BLEMISH if is_blemish(text) else _OTHER
    value = number(text, decimal_commas)
    if value is not None:
        return _WHOLE if value.is_integer() else _DECIMAL
    if is_code(text):
        return _CODE
    if is_marked(text):
        return _MARKED
    return _BLEMISH if is_blemish(text) else _OTHER

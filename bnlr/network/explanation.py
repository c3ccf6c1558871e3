"""What speaks for and against each class of one row, family by family, and how it prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import FloatArray, State
from bnlr.data.labels import as_label, key_of, positions
from bnlr.errors import ParameterError
from bnlr.printable import printable
from bnlr.words import guess, listed, quoted

if TYPE_CHECKING:
    import pandas as pd

_SHOWN_TERMS = 20
_SHOWN_CLASSES = 8
_LONGEST = 60
_LARGE = 30.0
_Line = tuple[str, str, str, str]
_HEAD: _Line = ("log-odds", "odds ×", "family", "cells")


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """The log posterior odds of a row's classes as a sum of terms, one a family.

    Made by `BayesianNetwork.explain` and `BNClassifier.explain`. All logarithms are natural.
    Entries are differences to the first class, so that its own are 0:
    ``prior + contributions.iloc[:, 1:].sum()`` is ``log_odds``. A class that a family makes
    impossible has −inf there, and +inf stands where that is so of the first class; where it is so
    of both the entry is 0, which is no part of a sum. `against` takes another class for the
    reference.

    Attributes
    ----------
    class_name : str
        The class node.
    classes : tuple
        Its labels.
    contributions : DataFrame of shape (n_terms, 1 + n_classes)
        A row a family ``"b | class, a"``: in column "value" the cells it looks at, then for each
        class c log P(b | a, c) − log P(b | a, first class). Families that missing cells touch are
        one row together for each connected group of missing cells: ``"b | class (a missing)"``.
        The largest entries come first.
    prior : array of shape (n_classes,)
        The term of the class's own family; where its parents are missing these are summed out.
    log_odds : array of shape (n_classes,)
        log P(c | row) − log P(first class | row), the sum of all terms; 0 where both are
        impossible.
    probabilities : array of shape (n_classes,)
        P(c | row), as ``predict_proba`` gives it.
    """

    class_name: str
    classes: tuple[State, ...]
    contributions: "pd.DataFrame"
    prior: FloatArray
    log_odds: FloatArray
    probabilities: FloatArray
    _logs: "FloatArray | None" = None
    _own: tuple[str, str] = ("prior", "")

    @classmethod
    def of(
        cls,
        class_name: str,
        classes: tuple[State, ...],
        terms: Sequence[tuple[str, str]],
        logs: FloatArray,
        probabilities: FloatArray,
    ) -> "Explanation":
        """Make one of log-terms, up to a constant each.

        Parameters
        ----------
        class_name, classes, probabilities
            As the attributes.
        terms : sequence of (label, cells)
            The class's own family first.
        logs : array of shape (n_terms, n_classes)
            Finite or −inf.
        """
        total = logs.sum(axis=0)
        if not _agree(total, probabilities):
            with np.errstate(divide="ignore"):
                total = np.log(probabilities)
        log_odds = differences(total[None], 0)[0]
        prior, *rest = differences(logs, 0)
        prior_term, *others = terms
        frame = _frame(others, classes, np.array(rest).reshape(len(others), len(classes)))
        return cls(class_name, classes, frame, prior, log_odds, probabilities, logs, prior_term)

    def __post_init__(self) -> None:
        for values in (self.prior, self.log_odds, self.probabilities):
            values.setflags(write=False)

    def against(self, label: State) -> "pd.DataFrame":
        """Return `contributions` with another class as the reference, the class's own family first.

        Parameters
        ----------
        label
            One of ``classes``.

        Raises
        ------
        ParameterError
            No such class.
        """
        return _frame(
            self._labelled(), self.classes, differences(self._terms(), self._place(label))
        )

    def _place(self, label: State) -> int:
        known, plain = positions(self.classes), as_label(label)
        if plain is not None and key_of(plain) in known:
            return known[key_of(plain)]
        raise ParameterError(
            f"{quoted(label)} is no class, only {listed(self.classes)}{guess(label, self.classes)}"
        )

    def _terms(self) -> FloatArray:
        """Log-terms up to a constant a row, prior first, (1 + n_terms, n_classes)."""
        if self._logs is not None:
            return self._logs
        rows = self.contributions.iloc[:, 1:].to_numpy(np.float64)
        terms: FloatArray = np.vstack([self.prior, rows])
        # Where +inf stands the first class is impossible, and with it those at 0.
        without_first = np.isposinf(terms).any(axis=1)
        terms[without_first] = np.where(np.isposinf(terms[without_first]), 0.0, -np.inf)
        return terms

    def _labelled(self) -> list[tuple[str, str]]:
        """(label, cells) of each term, that of the class's own family first."""
        frame = self.contributions
        return [self._own, *zip(map(str, frame.index), map(str, frame.iloc[:, 0]), strict=True)]

    def __str__(self) -> str:
        lines = self._lines()
        widths = [max(len(line[k]) for line in (_HEAD, *lines)) for k in range(4)]
        table = [_aligned(line, widths) for line in (_HEAD, *lines)]
        return printable("\n".join([*self._words(), "", *table, *self._remarks()]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the same as a table for notebooks."""
        from bnlr.notebook import rows  # noqa: PLC0415  for notebooks alone

        lines = map(printable, (*self._words(), *self._remarks()))
        words = "".join(f"<p>{escape(line)}</p>" for line in lines)
        return words + rows(_HEAD, self._lines())

    def _leaders(self) -> tuple[int, int]:
        """The most probable class and the next; the first of several."""
        order = np.argsort(-self.probabilities, kind="stable")
        return int(order[0]), int(order[min(1, len(order) - 1)])

    def _words(self) -> list[str]:
        order = np.argsort(-self.probabilities, kind="stable")
        shares = [
            f"{quoted(self.classes[c])} {self.probabilities[c]:.4g}" for c in order[:_SHOWN_CLASSES]
        ]
        rest = f", {len(order) - len(shares)} more" if len(order) > len(shares) else ""
        best, next_best = (quoted(self.classes[c]) for c in self._leaders())
        return [
            f"P({readable(self.class_name)} | row): {', '.join(shares)}{rest}",
            f"What speaks for {best} (+) and for {next_best} (-), in natural logarithms:",
        ]

    def _lines(self) -> list[_Line]:
        best, next_best = self._leaders()
        logs = self._terms()
        values = differences(logs, next_best)[:, best]
        terms = self._labelled()
        order = sorted(range(len(terms)), key=lambda k: (-abs(values[k]), k > 0, terms[k]))
        lines = [
            _line(values[k], *(printable(text, keep="") for text in terms[k]))
            for k in order[:_SHOWN_TERMS]
        ]
        rest = order[_SHOWN_TERMS:]
        if rest:
            lines.append(_line(float(values[rest].sum()), f"{len(rest)} more", ""))
        total = differences(logs.sum(axis=0, keepdims=True), next_best)[0, best]
        return [*lines, _line(total, "sum", "")]

    def _remarks(self) -> list[str]:
        logs = self._terms()
        remarks: list[str] = []
        for c, label in enumerate(self.classes):
            rows = np.flatnonzero(np.isneginf(logs[:, c]))
            if rows.size:
                names = ", ".join(printable(self._labelled()[k][0], keep="") for k in rows)
                remarks.append(f"{quoted(label)} is impossible: {names} has probability 0.")
        if not _agree(logs.sum(axis=0), self.probabilities):
            remarks.append(
                "The row has probability 0 under the network; the probabilities are those of "
                f"{readable(self.class_name)} given its parents alone."
            )
        return remarks


def differences(logs: FloatArray, reference: int) -> FloatArray:
    """Log-terms less those of the reference class, 0 where both are −inf."""
    base = np.broadcast_to(logs[:, [reference]], logs.shape)
    both = np.isneginf(logs) & np.isneginf(base)
    return np.subtract(logs, base, out=np.zeros_like(logs), where=~both)


def _agree(total: FloatArray, probabilities: FloatArray) -> bool:
    """Whether log-scores are those of the probabilities, which they are not of impossible rows."""
    if np.isneginf(total).all():
        return False
    shares = np.exp(total - total.max())
    return bool(np.allclose(shares / shares.sum(), probabilities, rtol=0.0, atol=1e-6))


def _frame(
    terms: Sequence[tuple[str, str]], classes: Sequence[State], values: FloatArray
) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415  heavy, and needed only here

    index = pd.Index([label for label, _ in terms], dtype=object)
    frame = pd.DataFrame(values, index, pd.Index(list(classes), dtype=object))
    frame.insert(0, "value", [cells for _, cells in terms], allow_duplicates=True)
    return frame


def readable(label: object) -> str:
    """Return a label as text that shows where it begins and ends, and cuts a long one."""
    text = str(label)
    is_plain = text.isprintable() and text == text.strip() and text
    return quoted(label) if not is_plain or len(text) > _LONGEST else text


def _line(value: float, label: str, cells: str) -> _Line:
    factor = f"{np.exp(value):.4g}" if abs(value) < _LARGE or np.isinf(value) else f"e^{value:.0f}"
    return f"{value + 0.0:+.3f}", factor, label, cells


def _aligned(line: _Line, widths: Sequence[int]) -> str:
    value, factor, label, cells = line
    text = (
        f"{value:>{widths[0]}}  {factor:>{widths[1]}}  {label:<{widths[2]}}  {cells:<{widths[3]}}"
    )
    return text.rstrip()

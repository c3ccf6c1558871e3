"""What becomes of a comparison of systems when the rows are dealt into folds anew."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from studies.common import Record
from studies.common.statistics import LEVEL, TTest
from studies.greiner import tables
from studies.greiner.datasets import FIRST
from studies.greiner.paper import TABLE_2, TABLE_3, TABLE_4, TABLE_5, Table

Dealings = Mapping[int, Mapping[str, Table]]
"""Partition → kind of rows → accuracies."""

_LARGEST = "letter"
"""One of 25 sets, on which the systems lie furthest apart: p hangs on it."""


def dealings(found: Mapping[str, Table], records: Sequence[Record]) -> dict[int, Any]:
    """Accuracies of every partition, the first one's being ``found``."""
    numbers = {int(str(record.task.get("partition", FIRST))) for record in records}
    return {FIRST: found} | {
        number: tables.accuracies(records, number) for number in sorted(numbers - {FIRST})
    }


@dataclass(frozen=True)
class Comparison:
    """One system claimed to be better than another, over all partitions.

    ``tests`` holds a one-sided paired t-test across the sets for each partition that has all sets
    of the first, of ``n_dealt``; ``n_paper`` is on how many sets the paper compares the two.
    """

    rows: str
    better: str
    worse: str
    tests: Mapping[int, TTest]
    without_largest: TTest | None
    n_paper: int
    n_dealt: int

    @property
    def share(self) -> float:
        """Share of the partitions in which p is below the level."""
        return fmean(test.is_significant(LEVEL) for test in self.tests.values())

    @property
    def verdict(self) -> tuple[bool | None, str]:
        """Whether the claim holds, and in a word; None on fewer sets than the paper's.

        None too where a partition lacks a set. A claim that holds for some partitions and fails
        for others is neither.
        """
        n = self.tests[FIRST].n
        if n < self.n_paper:
            return None, f"no verdict on {n} of {self.n_paper} sets"
        if len(self.tests) < self.n_dealt:
            return None, f"no verdict, {len(self.tests)} of {self.n_dealt} partitions are whole"
        if len(self.tests) == 1:
            holds = self.share == 1.0
            return holds, f"{'yes' if holds else 'no'}, in one partition"
        word = {1.0: "robust", 0.0: "fails"}.get(self.share, "fragile")
        return {"robust": True, "fails": False, "fragile": None}[word], word

    @property
    def figures(self) -> dict[str, Any]:
        """What the verdict rests on, and the paper's own figures."""
        first = self.tests[FIRST]
        printed, verdicts = _printed(self.rows)
        own = tables.test(printed, self.better, self.worse)
        entry = verdicts.get((self.better, self.worse)) or verdicts.get((self.worse, self.better))
        found = {
            "mean gain": first.mean,
            "p": first.p,
            "pairs": first.n,
            "p by partition": [test.p for test in self.tests.values()],
            f"share below {LEVEL}": self.share,
            f"p without {_LARGEST}": self.without_largest and self.without_largest.p,
            "p of the paper's accuracies": own and own.p,
            "p printed": entry.p if entry and entry.better == self.better else None,
        }
        return {name: value for name, value in found.items() if value is not None}


def compare(dealt: Dealings, rows: str, better: str, worse: str) -> Comparison | None:
    """Compare two systems in every partition; None with fewer than two sets."""
    whole = tables.gaps(dealt[FIRST].get(rows, {}), better, worse)
    if len(whole) < 2:
        return None
    tests = {}
    for number, found in dealt.items():
        table = found.get(rows, {})
        test = tables.test(table, better, worse)
        if test is not None and set(whole) <= set(tables.gaps(table, better, worse)):
            tests[number] = test
    rest = {data: row for data, row in dealt[FIRST][rows].items() if data != _LARGEST}
    smaller = tables.test(rest, better, worse) if _LARGEST in whole else None
    n_paper = len(tables.gaps(_printed(rows)[0], better, worse))
    return Comparison(rows, better, worse, tests, smaller, n_paper, len(dealt))


def flat(compared: Iterable[Comparison]) -> Iterator[dict[str, Any]]:
    """Rows for a CSV file: one a comparison and partition."""
    for one in compared:
        for number, test in one.tests.items():
            yield {
                "rows": one.rows,
                "better": one.better,
                "worse": one.worse,
                "partition": number,
                "mean_gain": test.mean,
                "p": test.p,
                "sets": test.n,
            }


def _printed(rows: str) -> tuple[Table, Mapping[tuple[str, str], Any]]:
    return (TABLE_2, TABLE_4) if rows == "complete" else (TABLE_3, TABLE_5)

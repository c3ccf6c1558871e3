"""From errors to tables II to V: accuracies with error bars, and one-sided t-tests across sets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from studies.common import Record, Task
from studies.common.statistics import TTest, one_sided_paired_t
from studies.greiner.datasets import FIRST, is_dealt, n_folds
from studies.greiner.paper import STRUCTURES, TABLE_1, Accuracy, Table, Verdict

CLOSE, CLOSE_ERRORS = 2.0, 2.0
"""Accuracy points, and error bars of the paper, within which ours counts as the paper's."""

WHOLE = "incomplete, whole test rows"


def accuracies(
    records: Iterable[Record], partition: int = FIRST
) -> dict[str, dict[str, dict[str, Accuracy]]]:
    """Put folds together: {rows: {data set: {system: accuracy}}}, data sets as in table I.

    What lacks a fold is left out. The rows are "complete", "incomplete" and `WHOLE`: trained with
    holes, tested without. Sets whose rows are not dealt are those of the first partition.
    """
    own = (r for r in records if r.task["part"] == "tables" and _is_of(partition, r.task))
    found: dict[str, dict[str, dict[str, Accuracy]]] = {}
    every = _folds(own, "tables", "rows", "structure", "learner")
    order = list(TABLE_1)
    for data, rows, structure, learner in sorted(every, key=lambda key: order.index(key[0])):
        folds = every[data, rows, structure, learner]
        kinds = {rows: "errors"}
        if rows == "incomplete":
            kinds[WHOLE] = "errors_whole"
        for kind, errors in kinds.items():
            row = found.setdefault(kind, {}).setdefault(data, {})
            row[_system(structure, learner)] = accuracy(folds, errors)
    return found


def natural_holes(records: Iterable[Record]) -> dict[str, dict[str, Accuracy]]:
    """Data set → system → accuracy on the sets with holes of their own."""
    found: dict[str, dict[str, Accuracy]] = {}
    every = _folds(records, "natural holes", "structure", "learner")
    for (data, structure, learner), folds in every.items():
        found.setdefault(data, {})[_system(structure, learner)] = accuracy(folds, "errors")
    return found


def tpda_variants(records: Iterable[Record]) -> dict[str, dict[str, tuple[Accuracy, float]]]:
    """Data set → variant of TPDA → accuracy of GBN+OFE and mean number of arcs."""
    found: dict[str, dict[str, tuple[Accuracy, float]]] = {}
    for (data, variant), folds in _folds(records, "tpda", "variant").items():
        own = accuracy(folds, "errors"), fmean(fold["arcs"] for fold in folds)
        found.setdefault(data, {})[variant] = own
    return found


def with_fewer_cuts(records: Iterable[Record]) -> dict[str, dict[str, dict[float, Accuracy]]]:
    """Data set → OFE's system → accuracy by what a cut costs; what lacks a fold is left out."""
    found: dict[str, dict[str, dict[float, Accuracy]]] = {}
    for (data, cost), folds in _folds(records, "cuts", "cost").items():
        for structure in folds[0]["errors"]:
            shares = [{"n": fold["n"], "errors": fold["errors"][structure]} for fold in folds]
            by_cost = found.setdefault(data, {}).setdefault(_system(structure, "OFE"), {})
            by_cost[float(cost)] = accuracy(shares, "errors")
    return found


def _folds(
    records: Iterable[Record], part: str, *fields: str
) -> dict[tuple[str, ...], list[Mapping[str, Any]]]:
    """Results of a part by data set and ``fields`` of the tasks, where all folds are there."""
    grouped: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for record in records:
        if record.task["part"] == part:
            key = tuple(str(record.task[name]) for name in ("data", *fields))
            grouped.setdefault(key, []).append(record.result)
    return {key: folds for key, folds in grouped.items() if len(folds) == n_folds(key[0])}


def _system(structure: str, learner: str) -> str:
    return f"{STRUCTURES[structure]}+{learner}"


def _is_of(partition: int, task: Task) -> bool:
    wanted = partition if is_dealt(str(task["data"])) else FIRST
    return task.get("partition", FIRST) == wanted


def accuracy(folds: Sequence[Mapping[str, Any]], errors: str) -> Accuracy:
    """Mean accuracy with its error bar, in per cent, as the paper's footnote 11 has them.

    The standard error over the folds; with one test set that of a binomial share.
    """
    shares = [1.0 - fold[errors] / fold["n"] for fold in folds]
    mean = fmean(shares)
    if len(shares) > 1:
        return Accuracy(100.0 * mean, 100.0 * stdev(shares) / sqrt(len(shares)))
    return Accuracy(100.0 * mean, 100.0 * sqrt(mean * (1.0 - mean) / folds[0]["n"]))


def gaps(table: Table, better: str, worse: str) -> dict[str, float]:
    """By how many points one system is ahead of another, on each set that has both."""
    return {
        data: row[better].mean - row[worse].mean
        for data, row in table.items()
        if better in row and worse in row
    }


def test(table: Table, better: str, worse: str) -> TTest | None:
    """One-sided paired t-test across the sets that ``better`` is; None with fewer than two."""
    differences = list(gaps(table, better, worse).values())
    return one_sided_paired_t(differences) if len(differences) > 1 else None


@dataclass(frozen=True)
class PublishedComparison:
    """An entry of table IV or V: the paper's, what its printed accuracies give, and ours.

    The p-values are those of ``verdict.better`` being better; ``wins`` counts the sets on which it
    is ahead of, equal to and behind the other.
    """

    verdict: Verdict
    from_printed: TTest | None
    ours: TTest | None
    wins: tuple[int, int, int]


def comparisons(
    verdicts: Mapping[tuple[str, str], Verdict], printed: Table, ours: Table
) -> list[PublishedComparison]:
    """Compare every pair of a table."""
    found = []
    for verdict in verdicts.values():
        pair = verdict.better, verdict.worse
        own = gaps(ours, *pair).values()
        ahead, behind = sum(gap > 0 for gap in own), sum(gap < 0 for gap in own)
        wins = ahead, len(own) - ahead - behind, behind
        found.append(PublishedComparison(verdict, test(printed, *pair), test(ours, *pair), wins))
    return found


def is_close(ours: Accuracy, printed: Accuracy) -> bool:
    """Within 2 points, or within twice the paper's error bar."""
    return abs(ours.mean - printed.mean) <= max(CLOSE, CLOSE_ERRORS * printed.error) + 1e-9


def apart(ours: Table, printed: Table, system: str) -> list[str]:
    """The sets on which a system's accuracy is not close to the printed one."""
    return [
        data
        for data, row in ours.items()
        if system in row
        and system in printed.get(data, {})
        and not is_close(row[system], printed[data][system])
    ]


def flat(found: Mapping[str, Table]) -> list[dict[str, Any]]:
    """Rows for a CSV file: one a set, kind of rows and system."""
    return [
        {"data": data, "rows": rows, "system": system, "accuracy": cell.mean, "error": cell.error}
        for rows, table in found.items()
        for data, row in table.items()
        for system, cell in row.items()
    ]

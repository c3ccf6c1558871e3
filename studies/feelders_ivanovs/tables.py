"""From iterations to table 2: how much each solver spent until it came near the largest CLL."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from studies.common import Record
from studies.feelders_ivanovs.paper import COLUMNS, THRESHOLD_SHARE, Column

Rows = Sequence[Sequence[float]]
"""(iteration, CLL, CLL evaluations, gradients, flops), the start first."""

_CLL, _FLOPS = 1, 4


@dataclass(frozen=True)
class Race:
    """All solvers on one data set, with one seed."""

    data: str
    seed: int
    runs: Mapping[Column, Mapping[str, Any]]

    @property
    def start(self) -> float:
        """CLL of the frequency estimates: the mean over the spaces, which differ by rounding."""
        return fmean(float(run["start_cll"]) for run in self.runs.values())

    @property
    def best(self) -> float:
        """Largest CLL of the paper's nine, or of all if some of them are not there."""
        nine = [self.runs[column] for column in COLUMNS if column in self.runs]
        values = [float(run["cll"]) for run in nine or self.runs.values()]
        return max(values)

    @property
    def threshold(self) -> float:
        """Best less 5 % of the way from the start."""
        return self.best - THRESHOLD_SHARE * (self.best - self.start)

    @property
    def start_spread(self) -> float:
        """Largest relative difference between the CLLs at the start."""
        starts = [float(run["start_cll"]) for run in self.runs.values()]
        return (max(starts) - min(starts)) / max(1.0, abs(self.start))

    def shortfall(self, column: Column) -> float:
        """What a run lacks at its end, as a share of the way from the start to the best."""
        way = self.best - self.start
        return (self.best - float(self.runs[column]["cll"])) / way if way > 0 else 0.0

    def iterations(self) -> dict[Column, float | None]:
        """Iterations to the threshold; None for a run that never reached it."""
        crossings = self._crossings()
        return {c: None if row is None else float(row[0]) for c, row in crossings.items()}

    def flops(self) -> dict[Column, float | None]:
        """Flops to the end of the iteration that crosses the threshold, without the start's.

        An iteration has the gradient at its end, so the start's own gradient is one too many.
        """
        spent: dict[Column, float | None] = {}
        for column, row in self._crossings().items():
            start = self.runs[column]["rows"][0][_FLOPS]
            spent[column] = None if row is None else row[_FLOPS] - start
        return spent

    def _crossings(self) -> dict[Column, Sequence[float] | None]:
        threshold = self.threshold
        return {
            column: next((row for row in run["rows"] if row[_CLL] >= threshold), None)
            for column, run in self.runs.items()
        }


def races(records: Iterable[Record]) -> list[Race]:
    """Group the records of finished tasks by data set and seed, in their order."""
    grouped: dict[tuple[str, int], dict[Column, Mapping[str, Any]]] = {}
    for record in records:
        task = record.task
        key = str(task["data"]), int(str(task["seed"]))
        grouped.setdefault(key, {})[str(task["space"]), str(task["solver"])] = record.result
    return [Race(data, seed, runs) for (data, seed), runs in grouped.items()]


def scaled(figures: Mapping[Column, float | None]) -> dict[Column, float] | None:
    """Divide by the smallest of the paper's nine; None unless all nine are there.

    A smallest of 0 counts as 1: the start was as good already.
    """
    nine = [figures.get(column) for column in COLUMNS]
    if any(figure is None for figure in nine):
        return None
    least = min(figure for figure in nine if figure is not None) or 1.0
    return {column: figure / least for column, figure in figures.items() if figure is not None}


def table(
    figures: Iterable[tuple[str, Mapping[Column, float | None]]],
) -> dict[str, dict[Column, float]]:
    """Mean over the seeds of each data set's scaled figures, one row a data set."""
    rows: dict[str, list[dict[Column, float]]] = {}
    for data, own in figures:
        row = scaled(own)
        if row is not None:
            rows.setdefault(data, []).append(row)
    return {data: _mean(several) for data, several in rows.items()}


def _mean(rows: Sequence[Mapping[Column, float]]) -> dict[Column, float]:
    shared = [column for column in rows[0] if all(column in row for row in rows)]
    return {column: fmean(row[column] for row in rows) for column in shared}


def iterations_table(found: Iterable[Race]) -> dict[str, dict[Column, float]]:
    """Table 2, top."""
    return table((race.data, race.iterations()) for race in found)


def flops_table(found: Iterable[Race]) -> dict[str, dict[Column, float]]:
    """Table 2, bottom."""
    return table((race.data, race.flops()) for race in found)

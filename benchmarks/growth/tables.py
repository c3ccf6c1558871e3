"""Records as lines, a job and contender along an axis, and which of them break an aim."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.growth.jobs import JOBS, OURS, PEER
from benchmarks.growth.measure import DONE
from benchmarks.growth.points import AXES
from benchmarks.growth.run import point_of
from benchmarks.growth.slopes import Steepest, least_squares, steepest
from studies.common import Record, StudyError, Task

AIM, AIM_OF_SEARCH = 1.1, 2.0
PATIENCE = 2.5
"""Seconds after which a call should have shown how far it is: progress comes after two."""
_BY_CELLS = ("states", "parents")
_HOLES = "holes"

Results = Mapping[Task, Mapping[str, Any]]


@dataclass(frozen=True)
class Line:
    """What a job cost along an axis; ``before`` are the results of an earlier run, if any."""

    axis: str
    job: str
    contender: str
    found: Mapping[float, Mapping[str, Any]]
    before: Mapping[float, Mapping[str, Any]]

    @property
    def label(self) -> str:
        """The job, and whose it is where it is a peer's."""
        return self.job if self.contender == OURS else f"{self.job}: {self.contender}"

    def seconds(self, *, before: bool = False) -> dict[float, float]:
        """Of the points that were done, by value; or of the earlier run."""
        results = self.before if before else self.found
        return {value: r["seconds"] for value, r in results.items() if r["outcome"] == DONE}

    @property
    def size(self) -> str:
        """What slopes are in."""
        return "cells seen" if self.axis in _BY_CELLS else self.axis

    @property
    def aim(self) -> float | None:
        """The largest slope wanted; None along an axis that has none."""
        if self.axis == _HOLES:
            return None
        learns = JOBS[self.job, self.contender].learns_structure
        return AIM_OF_SEARCH if learns and self.axis == "attributes" else AIM

    @cached_property
    def slope(self) -> float | None:
        """By least squares; along holes none."""
        return None if self.aim is None else least_squares(*self._sized)

    @cached_property
    def steepest(self) -> Steepest | None:
        """The largest local one."""
        return None if self.aim is None else steepest(*self._sized)

    @property
    def _sized(self) -> tuple[list[float], list[float]]:
        done = [(value, r) for value, r in self.found.items() if r["outcome"] == DONE]
        by_cells = self.axis in _BY_CELLS
        sizes = [float(r["cells"]) if by_cells else float(value) for value, r in done]
        return sizes, [r["seconds"] for _, r in done]


def lines(results: Results, before: Results, middle: Mapping[str, Any]) -> list[Line]:
    """Return all lines of two points or more, axis by axis in the order of the jobs."""
    found = (
        Line(axis, name, who, *(_along(axis, name, who, r, middle) for r in (results, before)))
        for axis in AXES
        for (name, who), job in JOBS.items()
        if axis not in job.skips
    )
    return [line for line in found if len(line.found) > 1]


def results_of(records: Iterable[Record]) -> dict[Task, Mapping[str, Any]]:
    """Results by task."""
    return {record.task: record.result for record in records}


def earlier(path: Path) -> dict[Task, Mapping[str, Any]]:
    """Read the results.json of an earlier run.

    Raises
    ------
    StudyError
        It cannot be read, or is something else.
    """
    try:
        tasks = json.loads(path.read_text("utf-8"))["tasks"]
        return {Task(**line["task"]): line["result"] for line in tasks if "result" in line}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StudyError(
            f"--against {path} is no results.json of this benchmark ({error}); give one of an "
            "earlier --out folder"
        ) from error


def slow(every: Iterable[Line]) -> list[Line]:
    """Lines of ours with a slope above their aim."""
    return [
        line
        for line in every
        if line.aim is not None
        and line.contender == OURS
        and max(line.slope or 0.0, line.steepest.slope if line.steepest else 0.0) > line.aim
    ]


def silent(every: Iterable[Line]) -> dict[str, float]:
    """Jobs of ours that took long and said nothing meanwhile, and their longest seconds."""
    found: dict[str, float] = {}
    for line in every:
        for r in line.found.values() if line.contender == OURS else ():
            if r["outcome"] == DONE and r["seconds"] > PATIENCE and not r["shown"]:
                found[line.job] = max(found.get(line.job, 0.0), r["seconds"])
    return found


def behind(every: Iterable[Line]) -> list[tuple[Line, dict[float, float]]]:
    """Lines of ours, and how many times scikit-learn's seconds they take where that is more."""
    by_key = {(line.axis, line.job, line.contender): line for line in every}
    found = []
    for (axis, job, who), line in by_key.items():
        peer = by_key.get((axis, job, PEER))
        if who == OURS and peer is not None:
            theirs = peer.seconds()
            ratios = {v: s / theirs[v] for v, s in line.seconds().items() if v in theirs}
            if max(ratios.values(), default=0.0) > 1.0:
                found.append((line, {v: ratio for v, ratio in ratios.items() if ratio > 1.0}))
    return found


def _along(
    axis: str, name: str, who: str, results: Results, middle: Mapping[str, Any]
) -> dict[float, Mapping[str, Any]]:
    """Of the points that differ from the middle along the axis alone."""
    found = {}
    for task, result in results.items():
        if (task["job"], task["contender"]) == (name, who):
            values = point_of(task).values
            if all(values[other] == middle[other] for other in middle if other != axis):
                found[values[axis]] = result
    return dict(sorted(found.items()))

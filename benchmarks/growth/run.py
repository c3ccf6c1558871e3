"""One task of the study: a job at a point."""

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from functools import cache, lru_cache, partial
from typing import Any

from benchmarks.growth import jobs, measure
from benchmarks.growth.measure import Limits
from benchmarks.growth.points import Point, Problem
from benchmarks.threads import limited
from studies.common import Task

_TINY = Point(rows=60, attributes=3, states=2)
LARGER = "larger"
"""Not tried: a point no larger ran into a limit."""


def task_of(point: Point, name: str, contender: str) -> Task:
    """The study's task for a job at a point."""
    return Task(job=name, contender=contender, **point.values)


def point_of(task: Task) -> Point:
    """The point of a task."""
    return Point(**{axis: task[axis] for axis in Point().values})


def run_task(limits: Limits, task: Task) -> dict[str, Any]:
    """Measure a job at a point: what `measure.measured` says, and the point's units."""
    point, key = point_of(task), (str(task["job"]), str(task["contender"]))
    ends = _ends(key)
    if any(end.is_within(point) for end in ends):
        return {"outcome": LARGER}
    with limited(1):
        _warm(key)
        problem = _problem(point, limits.least)
        units, job = problem.units, jobs.JOBS[key]
        with _folder():
            found = measure.measured(partial(job.prepare, problem), jobs.told, limits)
    if found["outcome"] in {measure.TIME, measure.MEMORY}:
        ends.append(point)
    return {
        **found,
        "b": units.b,
        "c": units.c,
        "bytes": units.n_bytes,
        "cells": units.cells[job.families],
    }


@cache
def _ends(key: tuple[str, str]) -> list[Point]:  # noqa: ARG001  a list a job
    """Where a job ran into a limit, in this process; larger points would only wait for it again."""
    return []


@lru_cache(maxsize=1)
def _problem(point: Point, least: float) -> Problem:
    """Of all jobs at a point, which follow each other."""
    return Problem(point, least)


@cache
def _warm(key: tuple[str, str]) -> None:
    """Import what a job imports, so that no point pays for it."""
    with _folder(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jobs.JOBS[key].prepare(Problem(_TINY, 0.0))()


@contextmanager
def _folder() -> Iterator[None]:
    """Work in a folder that goes, whatever becomes of the process that files are written in."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        yield

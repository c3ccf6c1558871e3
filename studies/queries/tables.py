"""Learning curves, and who wins where: table 1 of the paper."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from studies.common import Record
from studies.common.statistics import LEAST_SAMPLES, judged
from studies.queries.examples import EXAMPLES, N_ATTRIBUTES
from studies.queries.run import LEARNERS, SIZES

DRAW = 1e-9
"""Errors nearer than this are equal."""
NEAR = 0.05
"""What is near 0.25."""


@dataclass(frozen=True)
class ExampleErrors:
    """All seeds of an example and a number of rows: {learner: errors in order of the seeds}."""

    example: str
    rows: int
    errors: Mapping[str, Sequence[float]]
    labelled: float

    def mean(self, learner: str) -> float:
        """Mean over the seeds of the mean squared error."""
        return float(np.mean(self.errors[learner]))

    def standard_error(self, learner: str) -> float:
        """Of `mean`."""
        own = self.errors[learner]
        return float(np.std(own, ddof=1)) / sqrt(len(own)) if len(own) > 1 else float("nan")

    @property
    def wins(self) -> tuple[int, int, int]:
        """In how many seeds QD's error is lower, equal, higher than OFE's."""
        away = [q - o for q, o in zip(self.errors["qd"], self.errors["ofe"], strict=True)]
        lower, higher = sum(d < -DRAW for d in away), sum(d > DRAW for d in away)
        return lower, len(away) - lower - higher, higher


def points(records: Iterable[Record]) -> list[ExampleErrors]:
    """In order of the examples and the rows; those without a finished seed are left out."""
    own: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        key = str(record.task["example"]), int(str(record.task["rows"]))
        own.setdefault(key, []).append(record)
    return [
        _point(example, rows, own[example, rows])
        for example in EXAMPLES
        for rows in SIZES
        if (example, rows) in own
    ]


def _point(example: str, rows: int, records: Sequence[Record]) -> ExampleErrors:
    ordered = sorted(records, key=lambda record: int(str(record.task["seed"])))
    errors = {name: [record.result[name] for record in ordered] for name in LEARNERS}
    asked = len(EXAMPLES[example].queries)
    share = float(np.mean([record.result["labelled"] / asked for record in ordered]))
    return ExampleErrors(example, rows, errors, share)


def statements(every: Sequence[ExampleErrors]) -> list[dict[str, Any]]:
    """What the paper says of each example, and whether the means bear it out.

    There is no verdict on fewer samples than say something.
    """
    by_example = {name: [p for p in every if p.example == name] for name in EXAMPLES}
    if not all(len(own) == len(SIZES) for own in by_example.values()):
        return []
    wrong, rare, unasked = by_example.values()
    most, a_few = max(SIZES), 50
    is_enough = all(len(p.errors["qd"]) >= LEAST_SAMPLES for p in every)
    few = [p for p in unasked if p.rows < 2 ** (N_ATTRIBUTES - 1)]
    said: list[dict[str, Any]] = [
        {
            "statement": f"4.1: OFE stays within {NEAR:g} of 0.25 however many rows; QD comes "
            "below 1e-6",
            "holds": all(abs(p.mean("ofe") - 0.25) <= NEAR for p in wrong)
            and wrong[-1].mean("qd") < 1e-6,
            "figures": {
                "OFE": [p.mean("ofe") for p in wrong],
                f"QD, {most} rows": wrong[-1].mean("qd"),
            },
        },
        {
            "statement": f"4.2: OFE needs far fewer rows than QD: with {a_few} it is nearer than "
            f"QD with any number up to {most}",
            "holds": _at(rare, a_few).mean("ofe") < min(p.mean("qd") for p in rare),
            "figures": {
                f"OFE, {a_few} rows": _at(rare, a_few).mean("ofe"),
                f"QD, {most} rows": rare[-1].mean("qd"),
                "queries with a matching event": rare[-1].labelled,
            },
        },
        {
            "statement": f"4.3: QD wins for up to {few[-1].rows} rows, fewer than half of the "
            f"{2**N_ATTRIBUTES:,} configurations",
            "holds": all(p.mean("qd") < p.mean("ofe") for p in few),
            "figures": {
                f"{name.upper()}, 100 rows": _at(unasked, 100).mean(name) for name in LEARNERS
            },
        },
    ]
    return judged(said, is_enough)


def _at(every: Sequence[ExampleErrors], rows: int) -> ExampleErrors:
    return next(point for point in every if point.rows == rows)


def flat(every: Iterable[ExampleErrors]) -> list[dict[str, Any]]:
    """A row an example, number of rows and learner."""
    return [
        {
            "example": point.example,
            "rows": point.rows,
            "learner": learner,
            "error": point.mean(learner),
            "standard_error": point.standard_error(learner),
        }
        for point in every
        for learner in LEARNERS
    ]

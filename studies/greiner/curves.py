"""Means over samples: learning curves, errors by iteration, and the models that are too complex."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from studies.common import Record
from studies.common.statistics import TTest, one_sided_paired_t

Key = tuple[Any, ...]

COMPLEX_PARTS = ("irrelevant attributes", "superfluous links")
"""Of figures 11 and 12: models that are too complex."""


@dataclass(frozen=True)
class Samples:
    """A learner's errors, as shares, by sample."""

    errors: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean error."""
        return fmean(self.errors)

    @property
    def standard_error(self) -> float:
        """Of the mean; 0 with a single sample."""
        n = len(self.errors)
        return stdev(self.errors) / sqrt(n) if n > 1 else 0.0


Curves = Mapping[Key, Mapping[str, Samples]]
"""What the samples have in common → learner → errors; samples are in the same order for all."""


def curves(records: Iterable[Record], part: str, fields: Sequence[str]) -> Curves:
    """Group the tasks of a part by some of their fields.

    Parameters
    ----------
    records
    part
        Tasks whose result has ``errors``, {learner: error}: shares, or numbers out of ``n``.
    fields
        Names of task fields; tasks that agree in them are samples of one point.
    """
    grouped: dict[Key, list[Mapping[str, Any]]] = {}
    for record in records:
        if record.task["part"] == part:
            key = tuple(record.task[name] for name in fields)
            grouped.setdefault(key, []).append(record.result)
    return {key: _samples(results) for key, results in grouped.items()}


def _samples(results: Sequence[Mapping[str, Any]]) -> dict[str, Samples]:
    return {
        learner: Samples(tuple(r["errors"][learner] / r.get("n", 1) for r in results))
        for learner in results[0]["errors"]
    }


def test(points: Iterable[Mapping[str, Samples]], better: str, worse: str) -> TTest | None:
    """One-sided paired t-test, over all samples, that ``better`` has the smaller error."""
    differences = [
        theirs - own
        for point in points
        if better in point and worse in point
        for own, theirs in zip(point[better].errors, point[worse].errors, strict=True)
    ]
    return one_sided_paired_t(differences) if len(differences) > 1 else None


@dataclass(frozen=True)
class Traces:
    """Mean training and test error, as shares, by iteration of ELR."""

    train: tuple[float, ...]
    test: tuple[float, ...]


def traces(records: Iterable[Record]) -> dict[str, Traces]:
    """Figure 1's curves, {structure: means over the folds}."""
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        if record.task["part"] == "iterations":
            grouped.setdefault(str(record.task["structure"]), []).append(record.result)
    return {
        structure: Traces(_means(folds, "train"), _means(folds, "test"))
        for structure, folds in grouped.items()
    }


def _means(folds: Sequence[Mapping[str, Any]], which: str) -> tuple[float, ...]:
    shares = [[count / fold[f"n_{which}"] for count in fold[which]] for fold in folds]
    return tuple(fmean(column) for column in zip(*shares, strict=True))

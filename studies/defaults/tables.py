"""The measures of all folds put together, by data set and learner."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studies.common import Record
from studies.common.ranks import Friedman, critical_difference, friedman
from studies.defaults.learners import LEARNERS
from studies.defaults.sets import half, is_counted

Array = NDArray[np.float64]

LOG_LOSS, BRIER, ERROR = MEASURES = ("log_loss", "brier", "error")

LEAST_LOSS = 0.005
"""Nats under which a log-loss counts as this much in ratios: below, a ratio says little."""

NEAR_ZERO = 0.01
"""Nats: a set on which some ranked learner loses less is near zero."""


@dataclass(frozen=True, eq=False)
class Measurements:
    """One learner on one set: each measure by seed and fold, (n_seeds, n_folds)."""

    measures: Mapping[str, Array]
    zeros: int
    unconverged: int

    def by_seed(self, measure: str = LOG_LOSS) -> Array:
        """Mean over the folds, (n_seeds,)."""
        means: Array = self.measures[measure].mean(axis=1)
        return means

    def mean(self, measure: str = LOG_LOSS) -> float:
        """Mean over folds and seeds."""
        return float(self.measures[measure].mean())


Results = Mapping[str, Mapping[str, Measurements]]
"""Data set, then learner."""


def results(records: Iterable[Record], n_seeds: int) -> dict[str, dict[str, Measurements]]:
    """Put the seeds together; what lacks one, or was refused, is missing."""
    grouped: dict[tuple[str, str], list[Any]] = {}
    for record in records:
        if not is_refusal(record):
            key = str(record.task["data"]), str(record.task["learner"])
            grouped.setdefault(key, []).append(record.result)
    found: dict[str, dict[str, Measurements]] = {}
    for (data, learner), own in grouped.items():
        if len(own) == n_seeds:
            found.setdefault(data, {})[learner] = _measured(own)
    return found


def is_refusal(record: Record) -> bool:
    """Whether a peer raised an error."""
    return "failed" in record.result


def _measured(own: list[Any]) -> Measurements:
    return Measurements(
        {measure: np.array([result[measure] for result in own]) for measure in MEASURES},
        sum(result["zeros"] for result in own),
        sum(result["unconverged"] for result in own),
    )


def counted(found: Results, learners: Collection[str]) -> list[str]:
    """Sets that stand for their source and have results of all ``learners``."""
    return [data for data, own in found.items() if is_counted(data) and set(learners) <= set(own)]


def ranked(found: Results) -> list[str]:
    """Learners that take part in ranks and have results on every counted set."""
    sets = counted(found, ())
    return [
        name
        for name, learner in LEARNERS.items()
        if learner.is_ranked and all(name in found[data] for data in sets)
    ]


def near_zero(found: Results) -> list[str]:
    """Counted sets with next to no log-loss for some ranked learner, where ratios say little."""
    names = ranked(found)
    return [
        data
        for data in counted(found, names)
        if min(found[data][name].mean() for name in names) < NEAR_ZERO
    ]


def matrix(
    found: Results, sets: Collection[str], learners: Collection[str], measure: str = LOG_LOSS
) -> Array:
    """Means over folds and seeds, (n_sets, n_learners)."""
    return np.array([[found[data][name].mean(measure) for name in learners] for data in sets])


@dataclass(frozen=True)
class Ranks:
    """Mean ranks by learner, the critical difference of two, and the test that all are equal."""

    means: Mapping[str, float]
    difference: float
    n_sets: int
    test: Friedman


def ranks(found: Results, measure: str = LOG_LOSS) -> Ranks | None:
    """Rank the learners on each counted set; None of fewer than 2 sets or 3 learners."""
    names = ranked(found)
    sets = counted(found, names)
    if len(sets) < 2 or len(names) < 3:
        return None
    test = friedman(matrix(found, sets, names, measure))
    means = dict(zip(names, test.mean_ranks, strict=True))
    return Ranks(means, critical_difference(len(names), len(sets)), len(sets), test)


def flat(found: Results) -> list[dict[str, Any]]:
    """Rows for a CSV file: one a data set, learner and seed, means over the folds."""
    return [
        {
            "data": data,
            "half": half(data),
            "counted": is_counted(data),
            "learner": learner,
            "seed": seed,
            **{measure: float(measured.by_seed(measure)[seed]) for measure in MEASURES},
        }
        for data, own in found.items()
        for learner, measured in own.items()
        for seed in range(len(measured.by_seed()))
    ]

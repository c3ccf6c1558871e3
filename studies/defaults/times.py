"""Processor seconds of fits and predictions; they differ from run to run, so they stand apart."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from studies.common import Record
from studies.common.ranks import geometric_mean
from studies.defaults.sets import is_counted

_LEAST = 1e-6


class Seconds(NamedTuple):
    """Of one fold, mean over folds and seeds."""

    fit: float
    predict: float


Times = Mapping[str, Mapping[str, Seconds]]
"""Data set, then learner."""


def seconds(records: Iterable[Record]) -> dict[str, dict[str, Seconds]]:
    """Means of what was measured; of scores that an earlier run found there are no seconds."""
    grouped: dict[str, dict[str, list[Record]]] = {}
    for record in records:
        if record.seconds.keys() >= set(Seconds._fields):
            data, learner = str(record.task["data"]), str(record.task["learner"])
            grouped.setdefault(data, {}).setdefault(learner, []).append(record)
    return {
        data: {
            learner: Seconds(*(_mean(records_of, what) for what in Seconds._fields))
            for learner, records_of in own.items()
        }
        for data, own in grouped.items()
    }


def _mean(records: Iterable[Record], what: str) -> float:
    return float(np.mean([record.seconds[what] for record in records]))


def over_sets(found: Times, learner: str) -> Seconds | None:
    """Geometric means over the counted sets; None without any."""
    own = [times[learner] for data, times in found.items() if is_counted(data) and learner in times]
    if not own:
        return None
    return Seconds(*(geometric_mean(np.maximum(column, _LEAST)) for column in np.array(own).T))


def median_ratio(
    found: Times, sets: Collection[str], first: str, second: str
) -> tuple[int, Seconds] | None:
    """Number of ``sets`` with both, and medians of the first's seconds per the second's."""
    pairs = [found[data] for data in sets if {first, second} <= set(found.get(data, ()))]
    if not pairs:
        return None
    logs = [
        np.log(np.maximum(own[first], _LEAST) / np.maximum(own[second], _LEAST)) for own in pairs
    ]
    return len(pairs), Seconds(*np.exp(np.median(logs, axis=0)).tolist())


def flat(found: Times) -> list[dict[str, Any]]:
    """Rows for a CSV file: one a data set and learner."""
    return [
        {"data": data, "learner": learner, "fit_seconds": one.fit, "predict_seconds": one.predict}
        for data, own in found.items()
        for learner, one in own.items()
    ]

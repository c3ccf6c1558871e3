"""One line a learner: means over the counted sets, and how it does against logistic regression."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from studies.defaults.compare import Comparison, compare
from studies.defaults.learners import LEARNERS, LR
from studies.defaults.tables import MEASURES, Results, counted, matrix, ranks


@dataclass(frozen=True)
class Overall:
    """A learner over all counted sets.

    ``means`` holds the mean of each measure, ``rank`` the mean rank of its log-loss (None if it is
    not ranked), ``against`` the comparison with logistic regression (None for itself, and if that
    is not everywhere).
    """

    learner: str
    means: Mapping[str, float]
    rank: float | None
    against: Comparison | None


def overall(found: Results) -> list[Overall]:
    """Learners with results on every counted set, the least mean log-loss first."""
    sets = counted(found, ())
    everywhere = [name for name in LEARNERS if sets and counted(found, [name]) == sets]
    placed = ranks(found)
    lines = [
        Overall(
            name,
            _means(found, sets, name),
            placed.means.get(name) if placed else None,
            compare(found, sets, name, LR) if LR in everywhere and name != LR else None,
        )
        for name in everywhere
    ]
    return sorted(lines, key=lambda line: line.means[MEASURES[0]])


def _means(found: Results, sets: Collection[str], name: str) -> dict[str, float]:
    return {measure: float(np.mean(matrix(found, sets, [name], measure))) for measure in MEASURES}

"""Mean log-losses, and whether ELR trained for the holes is as good as the best."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studies.common import Record
from studies.missing_cells.datasets import N_FOLDS
from studies.missing_cells.learners import FIXED_RATE, LEARNERS, RATES

Array = NDArray[np.float64]

MATCHED, FIXED = "elr, test rate", f"elr, {FIXED_RATE:g}"
SHOWN = ("frequencies", "em", "lr", MATCHED, FIXED)
"""What the tables compare: ELR as trained for the very share that is missing, and for 25 %."""

CLOSE = 0.01
"""Nats within which two mean log-losses count as equal."""


@dataclass(frozen=True)
class Cell:
    """All test rows of a data set, a structure and a share of missing cells.

    ``losses`` holds for each of `SHOWN` the losses of the rows, (n_rows,), folds one after another,
    and ``errors`` the number of wrong classes.
    """

    data: str
    structure: str
    rate: float
    losses: Mapping[str, Array]
    errors: Mapping[str, int]

    @property
    def best(self) -> str:
        """The learner of the least mean loss; the first of several."""
        return min(self.losses, key=self.mean)

    def mean(self, learner: str) -> float:
        """Mean log-loss, natural log."""
        return float(self.losses[learner].mean())

    def standard_error(self, learner: str) -> float:
        """Of the mean log-loss, over the rows."""
        return _standard_error(self.losses[learner])

    def behind(self, learner: str) -> float:
        """How much more than the best a learner loses, 0 for the best."""
        return self.mean(learner) - self.mean(self.best)

    def behind_error(self, learner: str) -> float:
        """Standard error of `behind`, over the paired rows."""
        return _standard_error(self.losses[learner] - self.losses[self.best])

    def is_as_good(self, learner: str) -> bool:
        """Within 0.01 nats of the best, or within one standard error of the best's mean."""
        return self.behind(learner) <= max(CLOSE, self.standard_error(self.best))

    def is_as_good_paired(self, learner: str) -> bool:
        """The same by the standard error of the paired difference, which is smaller."""
        return self.behind(learner) <= max(CLOSE, self.behind_error(learner))


def cells(records: Iterable[Record]) -> list[Cell]:
    """Put the folds together; what has not all folds of all learners is left out."""
    grouped: dict[tuple[str, str], dict[tuple[str, int], Mapping[str, Any]]] = {}
    for record in records:
        task = record.task
        of = grouped.setdefault((str(task["data"]), str(task["structure"])), {})
        of[str(task["learner"]), int(str(task["fold"]))] = record.result
    wanted = {(learner, k) for learner in LEARNERS for k in range(N_FOLDS)}
    return [
        _cell(data, structure, place, found)
        for (data, structure), found in grouped.items()
        if wanted <= set(found)
        for place in range(len(RATES))
    ]


def _cell(
    data: str, structure: str, place: int, found: Mapping[tuple[str, int], Mapping[str, Any]]
) -> Cell:
    rate = RATES[place]
    names = {**{name: name for name in SHOWN}, MATCHED: f"elr-{rate:g}", FIXED: f"elr-{FIXED_RATE}"}
    losses = {
        shown: np.concatenate([found[name, k]["losses"][place] for k in range(N_FOLDS)])
        for shown, name in names.items()
    }
    errors = {
        shown: sum(int(found[name, k]["errors"][place]) for k in range(N_FOLDS))
        for shown, name in names.items()
    }
    return Cell(data, structure, rate, losses, errors)


def flat(found: Iterable[Cell]) -> list[dict[str, Any]]:
    """Rows for a CSV file: one a cell and learner."""
    return [
        {
            "data": cell.data,
            "structure": cell.structure,
            "missing": cell.rate,
            "learner": learner,
            "log_loss": cell.mean(learner),
            "standard_error": cell.standard_error(learner),
            "error": cell.errors[learner] / len(losses),
            "behind": cell.behind(learner),
            "behind_standard_error": cell.behind_error(learner),
        }
        for cell in found
        for learner, losses in cell.losses.items()
    ]


def verdicts(found: Iterable[Cell]) -> list[dict[str, Any]]:
    """Whether ELR trained for the share that is missing is as good as the best of all."""
    return [
        {
            "data": cell.data,
            "structure": cell.structure,
            "missing": cell.rate,
            "best": cell.best,
            "best_log_loss": cell.mean(cell.best),
            "best_standard_error": cell.standard_error(cell.best),
            **{
                key: {
                    "log_loss": cell.mean(learner),
                    "behind": cell.behind(learner),
                    "paired_standard_error": cell.behind_error(learner),
                    "as_good": cell.is_as_good(learner),
                    "as_good_paired": cell.is_as_good_paired(learner),
                }
                for key, learner in (("elr_test_rate", MATCHED), ("elr_fixed", FIXED))
            },
        }
        for cell in found
    ]


def _standard_error(values: Array) -> float:
    return float(values.std(ddof=1) / sqrt(len(values))) if len(values) > 1 else 0.0

"""Tables 1 and 2 from the folds, and whether they show what the study must show."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studies.common import Outcome
from studies.common.statistics import (
    LEVEL,
    TTest,
    WinsTiesLosses,
    corrected_resampled_t,
    one_sided_paired_t,
    paired_t,
    win_tie_loss,
)
from studies.su.paper import (
    COLUMNS,
    LARGEST,
    LAST_EPOCH,
    LEARNERS,
    OPTIMUM,
    TABLE_1,
    TABLE_2,
    is_whole,
)
from studies.su.run import (
    ACCURACY,
    CURVE,
    CURVE_METHODS,
    EPOCHS,
    INGREDIENTS,
    LONG,
    N_FOLDS,
)

Array = NDArray[np.float64]
Accuracies = Mapping[str, Mapping[str, Array]]
"""Data set, then learner → accuracy of each fold in percent, all repetitions one after another."""

PAIRS = tuple(TABLE_2)
OWN_PAIRS = ((OPTIMUM, "NB+FE"), (OPTIMUM, "NB+ELR"), ("NB+DFE", OPTIMUM))
TEST_RATIO = 1 / (N_FOLDS - 1)

CLOSE, LEAST_CLOSE = 2.0, 25
LEAST_WINS, MOST_LOSSES, MOST_DIFFERENT = 8, 2, 4
"""What must be shown."""


def accuracies(outcome: Outcome) -> dict[str, dict[str, Array]]:
    """Put the repetitions together; a set that lacks one is left out."""
    wanted: dict[str, int] = {}
    for task in outcome.study.tasks:
        if task["kind"] == ACCURACY:
            wanted[str(task["data"])] = wanted.get(str(task["data"]), 0) + 1
    ordered = [data for data in TABLE_1 if data in wanted]
    found = {data: outcome.results(kind=ACCURACY, data=data) for data in ordered}
    return {
        data: {learner: _percent(results, learner) for learner in COLUMNS}
        for data, results in found.items()
        if len(results) == wanted[data]
    }


def _percent(results: tuple[Any, ...], learner: str) -> Array:
    correct = np.concatenate([result["correct"][learner] for result in results])
    tested = np.concatenate([result["tested"] for result in results])
    percent: Array = 100.0 * correct / tested
    return percent


def compared(own: Mapping[str, Array], pair: tuple[str, str]) -> Array:
    """By how many points the first learner is ahead of the second in each fold of one set."""
    ahead: Array = own[pair[0]] - own[pair[1]]
    return ahead


def compare(own: Mapping[str, Array], pair: tuple[str, str], *, corrected: bool) -> TTest:
    """t-test of the first learner's accuracies less the second's on one data set."""
    differences = compared(own, pair)
    return corrected_resampled_t(differences, TEST_RATIO) if corrected else paired_t(differences)


def counts(found: Accuracies, pair: tuple[str, str], *, corrected: bool) -> WinsTiesLosses:
    """On how many sets the first learner of a pair wins, ties and loses."""
    return win_tie_loss(compare(own, pair, corrected=corrected) for own in found.values())


def flat(found: Accuracies) -> list[dict[str, Any]]:
    """Rows for a CSV file: one a data set and learner, tests against NB+DFE."""
    return [
        {
            "data": data,
            "learner": learner,
            "accuracy": float(values.mean()),
            "deviation": float(values.std(ddof=1)),
            "paper": TABLE_1[data][learner].mean if learner in LEARNERS else None,
            "p_paired": compare(own, ("NB+DFE", learner), corrected=False).p,
            "p_corrected": compare(own, ("NB+DFE", learner), corrected=True).p,
        }
        for data, own in found.items()
        for learner, values in own.items()
    ]


def distances(found: Accuracies, learner: str) -> dict[str, float]:
    """By how many points a learner's mean accuracy is above the paper's."""
    return {
        data: float(own[learner].mean()) - TABLE_1[data][learner].mean
        for data, own in found.items()
    }


def verdicts(found: Accuracies) -> list[dict[str, Any]]:
    """What the study must show, each with what was found under both tests; of all sets only."""
    if not is_whole(found):
        return []
    close = sum(abs(points) <= CLOSE for points in distances(found, "NB+FE").values())
    lines: list[dict[str, Any]] = [
        {
            "statement": f"NB+FE within {CLOSE:g} points of table 1 on at least {LEAST_CLOSE} sets",
            "test": None,
            "found": f"{close} of {len(found)}",
            "holds": close >= LEAST_CLOSE,
        }
    ]
    for corrected in (True, False):
        for first, second in (("NB+DFE", "NB+FE"), ("NB+ELR", "NB+FE"), ("NB+DFE", "NB+ELR")):
            result = counts(found, (first, second), corrected=corrected)
            lines.append(_verdict(first, second, result, corrected=corrected))
    return lines


def _verdict(first: str, second: str, result: WinsTiesLosses, *, corrected: bool) -> dict[str, Any]:
    if second == "NB+FE":
        holds = result.wins >= LEAST_WINS and result.losses <= MOST_LOSSES
        text = f"{first} beats {second} on at least {LEAST_WINS} sets and loses on at most "
        text += str(MOST_LOSSES)
    else:
        holds = result.wins + result.losses <= MOST_DIFFERENT
        text = f"{first} and {second} differ on at most {MOST_DIFFERENT} sets"
    test = "corrected resampled t" if corrected else "paired t"
    return {"statement": text, "test": test, "found": str(result), "holds": holds}


SLOW, RISE = 2.0, 1.0
"""A set needs more than one epoch if the fourth gains so many points beyond the first; and by so
many the accuracy may change up to the last epoch."""


def epoch_verdicts(
    found: Mapping[str, Mapping[str, list[float]]], long: Mapping[Any, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """What section 6.3 says of epochs; the first where all sets have their ten.

    The last ones have no verdict unless all of the largest sets have been run.
    """
    lines = []
    if is_whole(found):
        gains = {data: own["test"][3] - own["test"][0] for data, own in found.items()}
        slow = [data for data, gain in gains.items() if gain > SLOW]
        text = (
            "vowel is the one set on which NB+DFE needs more than one epoch (the fourth ends more"
        )
        told = f"{', '.join(slow) or 'none'}; of {len(found)} sets"
        lines.append(
            _line(f"{text} than {SLOW:g} points above the first)", told, slow == ["vowel"])
        )
    for kind in dict.fromkeys(kind for _, kind in long):
        own = {data: one for (data, which), one in long.items() if which == kind}
        moves = {data: one["test"][-1] - one["test"][3] for data, one in own.items()}
        told = ", ".join(f"{data} {move:+.2f}" for data, move in moves.items())
        text = (
            f"{kind}+DFE does not change by more than {RISE:g} point from epoch 4 to {LAST_EPOCH:,}"
        )
        is_steady = all(abs(move) <= RISE for move in moves.values())
        lines.append(_line(text, told, is_steady if set(LARGEST) <= set(moves) else None))
    return lines


def ingredient_verdicts(found: Accuracies) -> list[dict[str, Any]]:
    """What section 4 says of DFE without one of its equations; of all sets only."""
    if not is_whole(found):
        return []
    lines = []
    for reading in ("product", "sum"):
        pair = "FE", f"no equation 2, {reading}"
        test = one_sided_paired_t([float(np.mean(compared(own, pair))) for own in found.values()])
        text = f"DFE without equation 2 ({reading}) is worse than FE across the sets at p < {LEVEL}"
        told = f"FE {test.mean:+.2f} points, p = {test.p:.2g}".replace("-", "−")
        told += f"; FE wins/ties/loses on {counts(found, pair, corrected=True)} sets"
        lines.append(_line(text, told, test.is_significant(LEVEL)))
    result = counts(found, ("FE", "no equation 3"), corrected=True)
    same = result.wins == result.losses == 0
    return [
        *lines,
        _line(
            "DFE without equation 3 is FE: no set tells them apart",
            f"FE wins/ties/loses on {result} sets",
            same,
        ),
    ]


def _line(statement: str, found: str, holds: bool | None) -> dict[str, Any]:
    return {"statement": statement, "test": None, "found": found, "holds": holds}


def ingredients(outcome: Outcome) -> dict[str, dict[str, Array]]:
    """Data set → DFE, FE, and DFE without an equation → accuracy of each fold in percent."""
    return {
        str(record.task["data"]): {
            name: 100.0 * np.array(right) / np.array(record.result["tested"])
            for name, right in record.result["correct"].items()
        }
        for record in outcome.done
        if record.task["kind"] == INGREDIENTS
    }


def long_epochs(outcome: Outcome) -> dict[tuple[str, str], dict[str, list[float]]]:
    """(data set, structure) → "epochs" and percent right in "train" and "test" after each."""
    return {
        (str(record.task["data"]), str(record.task["structure"])): {
            "epochs": record.result["epochs"],
            **{
                part: [100.0 * share for share in record.result[part]] for part in ("train", "test")
            },
        }
        for record in outcome.done
        if record.task["kind"] == LONG
    }


def by_epoch(outcome: Outcome) -> dict[str, dict[str, list[float]]]:
    """Data set → "train" and "test" accuracy in percent after 1, 2, … epochs."""
    return {
        str(record.task["data"]): {
            part: [100.0 * share for share in shares] for part, shares in record.result.items()
        }
        for record in outcome.done
        if record.task["kind"] == EPOCHS
    }


def learning_curves(outcome: Outcome) -> dict[str, dict[str, tuple[Array, Array]]]:
    """Data set → method → mean accuracy in percent and its standard error, by training size."""
    runs: dict[str, list[Any]] = {}
    for record in outcome.done:
        if record.task["kind"] == CURVE:
            runs.setdefault(str(record.task["data"]), []).append(record.result)
    return {
        data: {
            method: _mean_and_error(np.array([run[method] for run in own]))
            for method in CURVE_METHODS
        }
        for data, own in runs.items()
    }


def _mean_and_error(shares: Array) -> tuple[Array, Array]:
    n = len(shares)
    spread = shares.std(axis=0, ddof=1) if n > 1 else np.zeros(shares.shape[1])
    return 100.0 * shares.mean(axis=0), 100.0 * spread / np.sqrt(n)

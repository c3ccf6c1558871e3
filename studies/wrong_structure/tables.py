"""Errors averaged over the seeds, and the paper's statements as comparisons of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from studies.common import Record
from studies.common.statistics import LEAST_SAMPLES, judged
from studies.wrong_structure.run import LABELS, LIMIT
from studies.wrong_structure.truth import Truth

GENERATIVE = ("ofe", "em", "apn")
DISCRIMINATIVE = ("elr-tuned", "elr")
"""The paper's ELR, and the one that goes to its optimum."""
FIRST_WRONG, WORST = 2, 5
"""Naive Bayes is right for m below 2."""

_ROUNDING = 1e-9


@dataclass(frozen=True)
class LearnerErrors:
    """One learner on one P_m: its errors by seed, and that with infinitely many rows, if known."""

    by_seed: Mapping[int, float]
    limit: float | None = None

    @property
    def mean(self) -> float:
        """Mean error over the seeds."""
        return fmean(self.by_seed.values())

    @property
    def standard_error(self) -> float:
        """Of the mean; 0 with a single seed."""
        n = len(self.by_seed)
        return stdev(self.by_seed.values()) / sqrt(n) if n > 1 else 0.0


Curves = Mapping[tuple[str, str, int], LearnerErrors]
"""(rows, learner, m) → what became of it."""


def curves(records: Iterable[Record]) -> dict[tuple[str, str, int], LearnerErrors]:
    """Group the finished tasks; a learner without any finished sample is left out."""
    errors: dict[tuple[str, str, int], dict[int, float]] = {}
    for record in records:
        task = record.task
        key = str(task["rows"]), str(task["learner"]), int(str(task["m"]))
        errors.setdefault(key, {})[int(str(task["seed"]))] = float(record.result["error"])
    points = {}
    for key, by_seed in errors.items():
        limit = by_seed.pop(LIMIT, None)
        if by_seed:
            points[key] = LearnerErrors(by_seed, limit)
    return points


def versus(first: LearnerErrors, second: LearnerErrors) -> dict[str, int]:
    """How many seeds have the first learner's error below, equal to, above the second's."""
    shared = [seed for seed in first.by_seed if seed in second.by_seed]
    gaps = [first.by_seed[seed] - second.by_seed[seed] for seed in shared]
    better = sum(gap < -_ROUNDING for gap in gaps)
    worse = sum(gap > _ROUNDING for gap in gaps)
    return {"better": better, "equal": len(gaps) - better - worse, "worse": worse}


def in_the_limit(points: Curves) -> list[str]:
    """How ELR does against each generative learner with infinitely many rows, a sentence each."""
    found = []
    for rows in dict.fromkeys(rows for rows, _, _ in points):
        for rival in GENERATIVE:
            gaps = {}
            for m in range(WORST + 1):
                pair = [points.get((rows, name, m)) for name in ("elr", rival)]
                limits = [one.limit for one in pair if one is not None and one.limit is not None]
                if len(limits) == 2:
                    gaps[m] = limits[0] - limits[1]
            if gaps:
                kinds = {
                    "lower": [m for m, gap in gaps.items() if gap < -_ROUNDING],
                    "equal": [m for m, gap in gaps.items() if abs(gap) <= _ROUNDING],
                    "higher": [m for m, gap in gaps.items() if gap > _ROUNDING],
                }
                told = "; ".join(
                    f"{kind} at m = {', '.join(map(str, every))}"
                    for kind, every in kinds.items()
                    if every
                )
                found.append(
                    f"With infinitely many {rows} rows the error of {LABELS['elr']}, against "
                    f"{LABELS[rival]}'s, is {told}."
                )
    return found


def flat(points: Curves) -> list[dict[str, Any]]:
    """Rows for a CSV file."""
    return [
        {
            "rows": rows,
            "learner": learner,
            "m": m,
            "bayes_error": Truth(m).bayes_error,
            "mean_error": point.mean,
            "standard_error": point.standard_error,
            "seeds": len(point.by_seed),
            "limit": point.limit,
        }
        for (rows, learner, m), point in points.items()
    ]


def statements(points: Curves) -> list[dict[str, Any]]:
    """What section 5.1.4 says, with the figures that bear it out or do not.

    There is no verdict on rows of which a learner has fewer samples than say something.
    """
    found: list[dict[str, Any]] = []
    for rows in dict.fromkeys(rows for rows, _, _ in points):
        excess = _excesses(points, rows)
        rivals = [name for name in GENERATIVE if name in excess]
        ours = [name for name in DISCRIMINATIVE if name in excess]
        if ours and rivals:
            said = [_grows(rows, name, excess[name]) for name in rivals]
            worst = max(excess[name][1] for name in rivals)
            said += [_stays(rows, name, excess[name], worst) for name in ours]
            said += [_more_accurate(points, rows, *pair) for pair in product(ours, rivals)]
            sizes = [len(p.by_seed) for (of, _, _), p in points.items() if of == rows]
            found += judged(said, min(sizes) >= LEAST_SAMPLES)
    return found


def _excesses(points: Curves, rows: str) -> dict[str, tuple[float, float]]:
    """{learner: mean error less the Bayes error, at m = 0 and the largest where m ≥ 2}."""
    found = {}
    for learner in dict.fromkeys(learner for of, learner, _ in points if of == rows):
        own = {m: points.get((rows, learner, m)) for m in range(WORST + 1)}
        known = {m: _excess(p.mean, m) for m, p in own.items() if p is not None}
        if len(known) == WORST + 1:
            found[learner] = known[0], max(known[m] for m in range(FIRST_WRONG, WORST + 1))
    return found


def _excess(error: float, m: int) -> float:
    """Error above the Bayes error, 0 where rounding alone tells them apart."""
    excess = error - Truth(m).bayes_error
    return excess if abs(excess) > _ROUNDING else 0.0


def _grows(rows: str, learner: str, excess: tuple[float, float]) -> dict[str, Any]:
    right, wrong = excess
    return {
        "statement": f"{rows}: {LABELS[learner]} does worse as the structure gets wronger (its "
        "largest excess over the Bayes error at m ≥ 2 is above 5 times that at m = 0)",
        "holds": wrong > 5 * right,
        "figures": {"excess at m = 0": right, "largest at m ≥ 2": wrong},
    }


def _stays(rows: str, ours: str, excess: tuple[float, float], rivals: float) -> dict[str, Any]:
    right, wrong = excess
    return {
        "statement": f"{rows}: {LABELS[ours]} stays reasonably accurate (its largest excess at "
        "m ≥ 2 is below a third of the generative learners')",
        "holds": wrong < rivals / 3,
        "figures": {"excess at m = 0": right, "largest at m ≥ 2": wrong, "theirs": rivals},
    }


def _more_accurate(points: Curves, rows: str, ours: str, rival: str) -> dict[str, Any]:
    """ELR against a generative learner, at every m where the structure is wrong."""
    every_m = range(FIRST_WRONG, WORST + 1)
    pairs = {m: (points[rows, ours, m], points[rows, rival, m]) for m in every_m}
    return {
        "statement": f"{rows}: {LABELS[ours]} is more accurate than {LABELS[rival]} at every m ≥ 2",
        "holds": all(own.mean < theirs.mean - _ROUNDING for own, theirs in pairs.values()),
        "figures": {f"m = {m}": versus(*pair) for m, pair in pairs.items()},
    }

"""Two learners over many sets: the mean ratio of their log-losses, wins and losses, p-values."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.common.ranks import geometric_mean, sign_test, signs, wilcoxon
from studies.common.statistics import (
    WinsTiesLosses,
    corrected_resampled_t,
    paired_t,
    win_tie_loss,
)
from studies.defaults.datasets import N_FOLDS
from studies.defaults.learners import AUTO, CLL, FIXED, HGB, LEARNERS, LR, LR_CV, OURS, PEERS, POOL
from studies.defaults.sets import is_held_out
from studies.defaults.tables import (
    ERROR,
    LEAST_LOSS,
    LOG_LOSS,
    Array,
    Measurements,
    Results,
    counted,
    near_zero,
)

TEST_RATIO = 1 / (N_FOLDS - 1)

ALL, HELD_OUT, TUNED, NOT_ZERO = "all", "held out", "tuned", "not near zero"

PAIRS = (
    *(
        (AUTO, other)
        for other in LEARNERS
        if other not in (*OURS, FIXED) and LEARNERS[other].is_ranked
    ),
    (AUTO, FIXED),
    *((POOL, other) for other in (AUTO, LR, *PEERS)),
    *((FIXED, other) for other in (LR, LR_CV, HGB)),
    *((CLL, other) for other in (FIXED, "tan", "hgc", "hgc-counts", LR, HGB)),
)
"""First and second learner of the comparisons that are shown."""

MAIN_PAIRS = (
    *((AUTO, LR), (AUTO, FIXED), (POOL, AUTO), (POOL, LR)),
    *((FIXED, LR), (FIXED, LR_CV), (FIXED, HGB)),
    *((CLL, FIXED), (CLL, HGB)),
)
"""Those that are shown for parts of the sets too, beside those against `PEERS`."""


@dataclass(frozen=True)
class Comparison:
    """The first learner against the second, over ``n`` sets.

    Attributes
    ----------
    ratio : float
        Geometric mean over the sets of the first one's log-loss per the second one's.
    signs : WinsTiesLosses
        Sets on which the first has the smaller, the same, the larger log-loss; the same if both
        have less than `LEAST_LOSS`.
    tests : WinsTiesLosses
        The same where a difference must be significant in the folds of all seeds.
    p_sign : float
        Of the sign test.
    p_wilcoxon, p_t : tuple of float
        For each seed: p-values, over the sets, of the logarithms of the ratio.
    error_points : float
        By how many percentage points the first one's mean error is larger.
    loss : float
        By how much the first one's mean log-loss is larger.
    """

    first: str
    second: str
    n: int
    ratio: float
    signs: WinsTiesLosses
    tests: WinsTiesLosses
    p_sign: float
    p_wilcoxon: tuple[float, ...]
    p_t: tuple[float, ...]
    error_points: float
    loss: float


def compare(found: Results, sets: Collection[str], first: str, second: str) -> Comparison | None:
    """Compare on some sets, all with results of both; None of fewer than two."""
    if len(sets) < 2:
        return None
    pairs = [(found[data][first], found[data][second]) for data in sets]
    logs = np.array([log_ratios(*pair) for pair in pairs])
    ratios = np.array([log_ratio(*pair) for pair in pairs])
    by_sign = signs(-ratios)
    return Comparison(
        first,
        second,
        len(pairs),
        ratio=geometric_mean(np.exp(ratios)),
        signs=by_sign,
        tests=win_tie_loss(within(a, b) for a, b in pairs),
        p_sign=sign_test(by_sign),
        p_wilcoxon=tuple(wilcoxon(column) for column in logs.T),
        p_t=tuple(paired_t(column).p for column in logs.T),
        error_points=100.0 * _mean_difference(pairs, ERROR),
        loss=_mean_difference(pairs, LOG_LOSS),
    )


def within(first: Measurements, second: Measurements) -> Any:
    """Test on one set, over the folds of all seeds, of the second's log-losses less the first's."""
    differences = second.measures[LOG_LOSS] - first.measures[LOG_LOSS]
    return corrected_resampled_t(differences.ravel(), TEST_RATIO)


def log_ratios(first: Measurements, second: Measurements) -> Array:
    """Logarithm of the first one's log-loss per the second one's, for each seed."""
    ratios: Array = np.log(_floored(first.by_seed()) / _floored(second.by_seed()))
    return ratios


def log_ratio(first: Measurements, second: Measurements) -> float:
    """The same of the means over the seeds."""
    return float(np.log(_floored(first.mean()) / _floored(second.mean())))


def _floored(loss: Any) -> Any:
    return np.maximum(loss, LEAST_LOSS)


def _mean_difference(pairs: Iterable[tuple[Measurements, Measurements]], measure: str) -> float:
    return float(np.mean([a.mean(measure) - b.mean(measure) for a, b in pairs]))


def subsets(found: Results, learners: Collection[str]) -> dict[str, list[str]]:
    """The counted sets with results of all ``learners``, and parts of them."""
    sets, solved = counted(found, learners), near_zero(found)
    return {
        ALL: sets,
        HELD_OUT: [data for data in sets if is_held_out(data)],
        TUNED: [data for data in sets if not is_held_out(data)],
        NOT_ZERO: [data for data in sets if data not in solved],
    }


def comparisons(found: Results) -> dict[str, list[Comparison]]:
    """Part of the sets, then its comparisons of `PAIRS`, as far as there are enough sets."""
    listed: dict[str, list[Comparison]] = {}
    for first, second in PAIRS:
        for part, sets in subsets(found, (first, second)).items():
            comparison = compare(found, sets, first, second)
            if comparison is not None:
                listed.setdefault(part, []).append(comparison)
    return listed


def flat(listed: Mapping[str, Iterable[Comparison]]) -> list[dict[str, Any]]:
    """Rows for a CSV file: one a part of the sets and a pair."""
    return [
        {
            "sets": part,
            "first": own.first,
            "second": own.second,
            "n": own.n,
            "ratio": own.ratio,
            **_counts("signs", own.signs),
            **_counts("tests", own.tests),
            "p_sign": own.p_sign,
            **{f"p_wilcoxon_{seed}": p for seed, p in enumerate(own.p_wilcoxon)},
            **{f"p_t_{seed}": p for seed, p in enumerate(own.p_t)},
            "error_points": own.error_points,
            "log_loss": own.loss,
        }
        for part, comparisons_of in listed.items()
        for own in comparisons_of
    ]


def _counts(name: str, counts: WinsTiesLosses) -> dict[str, int]:
    return {f"{name}_{what}": getattr(counts, what) for what in ("wins", "ties", "losses")}

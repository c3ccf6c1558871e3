"""Sentences on what was found, made from the figures."""

from collections.abc import Iterable, Mapping, Sequence

from studies.common.statistics import outcome
from studies.defaults.compare import (
    ALL,
    HELD_OUT,
    NOT_ZERO,
    TUNED,
    Comparison,
    log_ratio,
    within,
)
from studies.defaults.learners import AUTO, FIXED, HGB, LABELS, LR, LR_CV, PEERS, POOL
from studies.defaults.overview import Overall
from studies.defaults.tables import BRIER, ERROR, LOG_LOSS, NEAR_ZERO, Results, counted, near_zero

Listed = Mapping[str, Sequence[Comparison]]

_MOST_NAMED = 8
_PARTS = {
    ALL: "all {} sets",
    HELD_OUT: "the {} held out",
    TUNED: "the {} tuned on",
    NOT_ZERO: "the {} not near zero",
}


def findings(found: Results, lines: Sequence[Overall], listed: Listed) -> list[str]:
    """As many as the figures allow."""
    return [
        *_best(lines),
        *_pair(listed, AUTO, LR),
        *_pair(listed, AUTO, LR_CV),
        *_pair(listed, AUTO, HGB),
        *(sentence for other in (AUTO, *PEERS) for sentence in _pair(listed, POOL, other)),
        *_pair(listed, FIXED, LR),
        *_lost(found, HGB),
        *_lost(found, LR),
        *_near_zero(found),
    ]


def _best(lines: Sequence[Overall]) -> list[str]:
    if not lines:
        return []
    names = [
        LABELS[min(lines, key=lambda line, of=measure: line.means[of]).learner]  # type: ignore[misc]
        for measure in (LOG_LOSS, BRIER, ERROR)
    ]
    return [
        f"The least mean log-loss is that of {names[0]}, the least Brier score that of {names[1]}, "
        f"the least error that of {names[2]}."
    ]


def _pair(listed: Listed, first: str, second: str) -> list[str]:
    parts = {
        part: own
        for part, of_part in listed.items()
        for own in of_part
        if (own.first, own.second) == (first, second)
    }
    if ALL not in parts:
        return []
    whole, others = parts[ALL], [part for part in _PARTS if part in parts]
    ratios = _listed(f"{parts[p].ratio:.3f} over {_PARTS[p].format(parts[p].n)}" for p in others)
    return [
        f"{LABELS[first]} against {LABELS[second]}: the geometric mean of the ratios of log-losses "
        f"is {ratios}. Wins, ties and losses are {whole.signs}, of those significant "
        f"{whole.tests}; the mean error is {abs(whole.error_points):.2f} points "
        f"{'higher' if whole.error_points > 0 else 'lower'}. The largest p-value of any seed is "
        f"{max(whole.p_wilcoxon):.2g} by Wilcoxon's test and {max(whole.p_t):.2g} by the t-test."
    ]


def _lost(found: Results, other: str) -> list[str]:
    """Say where auto loses most."""
    sets = counted(found, (AUTO, other))
    pairs = {data: (found[data][AUTO], found[data][other]) for data in sets}
    lost = [data for data, pair in pairs.items() if outcome(within(*pair)) < 0]
    worst = sorted(lost, key=lambda data: -log_ratio(*pairs[data]))
    if not worst:
        return []
    named = _listed(
        (f"{data} ({pairs[data][0].mean():.3f} against {pairs[data][1].mean():.3f})")
        for data in worst[:_MOST_NAMED]
    )
    n_more = len(worst) - _MOST_NAMED
    more = f" and {n_more} more" if n_more > 0 else ""
    return [f"{LABELS[AUTO]} loses significantly to {LABELS[other]} on {named}{more}."]


def _near_zero(found: Results) -> list[str]:
    names = near_zero(found)
    if not names:
        return []
    return [
        f"Near zero, with a log-loss below {NEAR_ZERO:g} for some learner: {_listed(names)}. "
        "A ratio there says little and weighs as much as any other in a geometric mean."
    ]


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)

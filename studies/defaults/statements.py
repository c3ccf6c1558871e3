"""What the defaults must show, and whether they do."""

from typing import Any

from studies.common.statistics import LEVEL
from studies.defaults.compare import ALL, HELD_OUT, Comparison, compare, subsets
from studies.defaults.learners import (
    AUTO,
    CATBOOST,
    CLL,
    EBM,
    FIXED,
    GENERATIVE_NB,
    GENERATIVE_TAN,
    HGB,
    LABELS,
    LR,
    POOL,
)
from studies.defaults.tables import Results

MOST_RATIO = 0.72
LEAST_WINS = 25
MOST_POINTS = 0.3
CONCEPTS = ("tic-tac-toe", "kr-vs-kp", "nursery", "corral", "letter")
LEAST_SHARE = 0.5
MOST_RATIO_OF_POOL = 0.85
WINS_TO_A_LOSS = 3

Line = dict[str, Any]


def statements(found: Results) -> list[Line]:
    """Each with whether it holds and what it rests on; none of fewer sets than must be won."""
    lines: list[Line] = []
    for first, second, say in (
        (AUTO, LR, _against_logistic),
        (AUTO, GENERATIVE_NB, _against_generative),
        (AUTO, GENERATIVE_TAN, _against_generative),
        (AUTO, HGB, _against_boosting),
        (FIXED, LR, _fixed),
        (CLL, FIXED, _search),
        (POOL, CATBOOST, _pool_against_catboost),
        (POOL, EBM, _pool_against_explainable),
        (POOL, HGB, _pool_against_boosting),
    ):
        comparison = compare(found, subsets(found, (first, second))[ALL], first, second)
        if comparison is not None and comparison.n >= LEAST_WINS:
            lines += say(comparison)
    return [*lines, *_pool_held_out(found), *_towards_boosting(found)]


def _line(own: Comparison, text: str, holds: bool, figures: dict[str, Any]) -> Line:
    statement = text.format(a=LABELS[own.first], b=LABELS[own.second])
    return {"statement": statement, "holds": bool(holds), "figures": {"sets": own.n, **figures}}


def _against_logistic(own: Comparison) -> list[Line]:
    tests = {
        "Wilcoxon's test": own.p_wilcoxon,
        "the paired t-test of log ratios": own.p_t,
    }
    counts = {"wins/ties/losses": str(own.signs)}
    return [
        *(
            _line(own, f"{{a}} beats {{b}}, p < {LEVEL:g} by {name} under every seed",
                  own.ratio < 1 and max(p) < LEVEL, {"p by seed": _listed(p), **counts})
            for name, p in tests.items()
        ),
        _line(own, f"geometric mean of {{a}} per {{b}} at most {MOST_RATIO:g}",
              own.ratio <= MOST_RATIO, {"ratio": own.ratio}),
    ]  # fmt: skip


def _against_generative(own: Comparison) -> list[Line]:
    text = f"{{a}} beats {{b}} on at least {LEAST_WINS} sets"
    figures = {"wins/ties/losses": str(own.signs), "ratio": own.ratio}
    return [_line(own, text, own.signs.wins >= LEAST_WINS, figures)]


def _against_boosting(own: Comparison) -> list[Line]:
    return [
        _line(own, "{a} wins against {b} at least as often as it loses",
              own.signs.wins >= own.signs.losses,
              {"wins/ties/losses": str(own.signs), "significant": str(own.tests),
               "ratio": own.ratio}),
        _line(own, f"{{a}}'s mean error at most {MOST_POINTS:g} points above {{b}}'s",
              own.error_points <= MOST_POINTS, {"points": own.error_points}),
    ]  # fmt: skip


def _fixed(own: Comparison) -> list[Line]:
    text = "{a} beats {b} on average, by the mean log-loss and by the geometric mean of ratios"
    figures = {
        "mean log-loss less": own.loss,
        "ratio": own.ratio,
        "wins/ties/losses": str(own.signs),
    }
    return [_line(own, text, own.loss < 0 and own.ratio < 1, figures)]


def _search(own: Comparison) -> list[Line]:
    text = f"{{a}} beats {{b}} in log-loss, p < {LEVEL:g} by Wilcoxon's test under every seed"
    holds = own.ratio < 1 and max(own.p_wilcoxon) < LEVEL
    figures = {"p by seed": _listed(own.p_wilcoxon), "wins/ties/losses": str(own.signs)}
    return [_line(own, text, holds, {**figures, "ratio": own.ratio})]


def _pool_against_catboost(own: Comparison) -> list[Line]:
    counts = {"wins/ties/losses": str(own.signs)}
    return [
        _line(own, f"geometric mean of {{a}} per {{b}} at most {MOST_RATIO_OF_POOL:g}",
              own.ratio <= MOST_RATIO_OF_POOL, {"ratio": own.ratio}),
        _line(own, f"{{a}} beats {{b}}, p < {LEVEL:g} by Wilcoxon's test under every seed",
              own.ratio < 1 and max(own.p_wilcoxon) < LEVEL,
              {"p by seed": _listed(own.p_wilcoxon), **counts}),
        _line(own, "{a}'s mean error not above {b}'s",
              own.error_points <= 0, {"points": own.error_points}),
    ]  # fmt: skip


def _pool_against_explainable(own: Comparison) -> list[Line]:
    figures = {"ratio": own.ratio, "wins/ties/losses": str(own.signs)}
    return [_line(own, "{a} is not worse than {b} on average", own.ratio <= 1, figures)]


def _pool_against_boosting(own: Comparison) -> list[Line]:
    text = f"{{a}} wins against {{b}} at least {WINS_TO_A_LOSS} times as often as it loses"
    holds = own.signs.wins >= WINS_TO_A_LOSS * own.signs.losses
    figures = {"wins/ties/losses": str(own.signs), "ratio": own.ratio}
    return [_line(own, text, holds, figures)]


def _pool_held_out(found: Results) -> list[Line]:
    """What is shown over all sets points the same way where nothing was tuned."""
    sets = subsets(found, (POOL, CATBOOST))
    own = compare(found, sets[HELD_OUT], POOL, CATBOOST)
    if own is None or len(sets[ALL]) < LEAST_WINS:
        return []
    text = "on the held-out half {a} is better than {b} on average too"
    figures = {"ratio": own.ratio, "wins/ties/losses": str(own.signs)}
    return [_line(own, text, own.ratio < 1, figures)]


def _towards_boosting(found: Results) -> list[Line]:
    """How much of what FAN is behind boosting on concepts the search makes up for.

    There is no verdict where FAN is not behind.
    """
    lines: list[Line] = []
    for data in CONCEPTS:
        own = found.get(data, {})
        if not {CLL, FIXED, HGB} <= set(own):
            continue
        search, fixed, boosting = (own[name].mean() for name in (CLL, FIXED, HGB))
        share = (fixed - search) / (fixed - boosting) if fixed > boosting else None
        text = (
            f"{data}: {LABELS[CLL]} makes up for at least {LEAST_SHARE:.0%} of what "
            f"{LABELS[FIXED]} is behind {LABELS[HGB]}"
        )
        figures: dict[str, float | str] = {
            LABELS[CLL]: search,
            LABELS[FIXED]: fixed,
            LABELS[HGB]: boosting,
        }
        figures["share"] = "none is behind" if share is None else share
        holds = None if share is None else share >= LEAST_SHARE
        lines.append({"statement": text, "holds": holds, "figures": figures})
    return lines


def _listed(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:.2g}" for value in values)

"""What the defaults must show, and whether they do."""

from typing import Any

from studies.common.statistics import LEVEL
from studies.defaults.compare import ALL, Comparison, compare, subsets
from studies.defaults.learners import (
    AUTO,
    CLL,
    FIXED,
    GENERATIVE_NB,
    GENERATIVE_TAN,
    HGB,
    LABELS,
    LR,
)
from studies.defaults.tables import Results

MOST_RATIO = 0.72
LEAST_WINS = 25
MOST_POINTS = 0.3
CONCEPTS = ("tic-tac-toe", "kr-vs-kp", "nursery", "corral", "letter")
LEAST_SHARE = 0.5

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
    ):
        comparison = compare(found, subsets(found, (first, second))[ALL], first, second)
        if comparison is not None and comparison.n >= LEAST_WINS:
            lines += say(comparison)
    return lines + _towards_boosting(found)


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


def _towards_boosting(found: Results) -> list[Line]:
    """How much of what FAN is behind boosting on concepts the search makes up for."""
    lines: list[Line] = []
    for data in CONCEPTS:
        own = found.get(data, {})
        if not {CLL, FIXED, HGB} <= set(own):
            continue
        search, fixed, boosting = (own[name].mean() for name in (CLL, FIXED, HGB))
        share = (fixed - search) / (fixed - boosting) if fixed > boosting else 1.0
        text = (
            f"{data}: {LABELS[CLL]} makes up for at least {LEAST_SHARE:.0%} of what "
            f"{LABELS[FIXED]} is behind {LABELS[HGB]}"
        )
        figures = {LABELS[CLL]: search, LABELS[FIXED]: fixed, LABELS[HGB]: boosting, "share": share}
        lines.append({"statement": text, "holds": share >= LEAST_SHARE, "figures": figures})
    return lines


def _listed(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:.2g}" for value in values)

"""The parts of the page that compare: all learners, pair by pair, set by set."""

from collections.abc import Mapping, Sequence
from functools import partial

from studies.common.pages import Column, Html, drawn, strong, table, whole
from studies.defaults import figures
from studies.defaults.compare import ALL, MAIN_PAIRS, Comparison
from studies.defaults.learners import AUTO, LABELS, LEARNERS
from studies.defaults.overview import Overall
from studies.defaults.sets import is_counted
from studies.defaults.tables import ERROR, LOG_LOSS, Measurements, Ranks, Results

NOTHING = "No set has results of all its learners and seeds."


def overall_parts(lines: Sequence[Overall], placed: Ranks | None) -> list[str]:
    """The table of all learners and the ranks."""
    if not lines:
        return [NOTHING]
    heads: list[Column | str] = ["learner", Column("log-loss", ".4f"), Column("Brier", ".4f")]
    heads += [
        Column("error, %", ".2f"),
        Column("mean rank", ".2f"),
        Column("ratio", ".3f", group="against LR"),
    ]
    heads += [
        Column(name, group="against LR")
        for name in ("wins/ties/losses", "significant", "Wilcoxon p")
    ]
    rows = [[*_means(line), line.rank, *_against(line.against)] for line in lines]
    caption = (
        "Means over the counted sets, folds and seeds, and each learner against logistic "
        "regression: geometric mean of the ratios of log-losses; sets with the smaller, the same "
        "and the larger log-loss; the same where it is significant by the corrected resampled "
        "t-test over the folds; p-value over the sets, by seed."
    )
    parts: list[str] = [table(heads, rows, caption)]
    if placed is not None:
        parts += _rank_parts(placed)
    return parts


def _means(line: Overall) -> list[str | float]:
    means = line.means
    name = whole(LABELS[line.learner])
    shown = strong(name) if line.learner == AUTO else name
    return [shown, means["log_loss"], means["brier"], 100 * means["error"]]


def _against(own: Comparison | None) -> list[str | float | None]:
    if own is None:
        return [None, None, None, None]
    return [own.ratio, str(own.signs), str(own.tests), p_values(own.p_wilcoxon)]


def p_values(values: Sequence[float]) -> str:
    """p-values by seed, in one cell."""
    return ", ".join("<0.0001" if p < 1e-4 else f"{p:.2g}" for p in values).replace(" ", "\u00a0")


def _rank_parts(placed: Ranks) -> list[str]:
    first = min(placed.means, key=placed.means.__getitem__)
    limit = placed.means[first] + placed.difference
    near = [LABELS[n] for n, rank in placed.means.items() if rank <= limit and n != first]
    words = (
        f"Friedman's test that all learners are equal: χ² = {placed.test.chi2:.1f}, "
        f"p = {placed.test.p:.2g}; Iman and Davenport's form: p = {placed.test.p_f:.2g}. "
        f"The best mean rank is that of {LABELS[first]}, {placed.means[first]:.2f}; "
        f"the critical difference is {placed.difference:.2f}, so that it cannot be told apart from "
        f"{', '.join(near) if near else 'no other one'}."
    )
    caption = (
        "Mean ranks ± half the critical difference: two bars that do not meet differ at 5 %. The "
        "defaults stand out, bnlr's other learners are blue and peers grey."
    )
    alt = "Dots with bars, a line a learner, the best mean rank on top"
    return [words, drawn(partial(figures.mean_ranks, placed), caption, alt)]


def pair_parts(listed: Mapping[str, Sequence[Comparison]]) -> list[str]:
    """The comparisons, part by part of the sets."""
    if not listed:
        return [NOTHING]
    return [comparison_table(listed[ALL], "All counted sets."), _by_part(listed)]


def _by_part(listed: Mapping[str, Sequence[Comparison]]) -> Html:
    """The main pairs on parts of the sets."""
    caption = (
        "Parts of the counted sets. Held out: nothing was tuned on them or on a variant of them; "
        "tuned: the others; not near zero: without those on which some learner's log-loss is "
        "next to nothing."
    )
    rows = [
        (part, own)
        for pair in MAIN_PAIRS
        for part, comparisons_of in listed.items()
        for own in comparisons_of
        if part != ALL and (own.first, own.second) == pair
    ]
    return part_table(rows, caption)


def part_table(listed: Sequence[tuple[str, Comparison]], caption: str) -> Html:
    """One line a part of the sets and a pair."""
    rows = [[whole(part), *_cells(own)] for part, own in listed]
    return table(["part", *_HEADS], rows, caption)


_HEADS: tuple[Column | str, ...] = (
    *("first", "second", "sets", Column("ratio", ".3f"), "wins/ties/losses", "significant"),
    *("sign p", "Wilcoxon p", "t-test p", Column("error, points", "+.2f")),
)


def _cells(own: Comparison) -> list[str | int | float]:
    return [
        whole(LABELS[own.first]),
        whole(LABELS[own.second]),
        own.n,
        own.ratio,
        str(own.signs),
        str(own.tests),
        p_values([own.p_sign]),
        p_values(own.p_wilcoxon),
        p_values(own.p_t),
        own.error_points,
    ]


def comparison_table(listed: Sequence[Comparison], caption: str) -> Html:
    """One line a pair."""
    return table(_HEADS, [_cells(own) for own in listed], caption)


def set_parts(found: Results) -> list[str]:
    """Log-losses and errors set by set."""
    if not found:
        return [NOTHING]
    names = [
        name
        for name, own in LEARNERS.items()
        if own.is_ranked and any(name in r for r in found.values())
    ]
    heads = ["data", *(whole(LABELS[name]) for name in names)]
    kinds = ((LOG_LOSS, 1.0, "Mean log-loss"), (ERROR, 100.0, "Error in percent"))
    return [
        table(
            heads,
            [[name_of(data), *_best(own, names, measure, scale)] for data, own in found.items()],
            f"{title}; the least of each row stands out, * is not counted. All figures, by seed, "
            "and Brier scores: `scores.csv`.",
        )
        for measure, scale, title in kinds
    ]


def name_of(data: str) -> str:
    """A set's name, with a star if it is not counted."""
    return whole(data) if is_counted(data) else f"{whole(data)}*"


def _best(
    own: Mapping[str, Measurements], names: Sequence[str], measure: str, scale: float
) -> list[str]:
    values = {n: scale * own[n].mean(measure) for n in names if n in own}
    texts = {n: f"{v:.4f}" if scale == 1 else f"{v:.2f}" for n, v in values.items()}
    least = min(map(float, texts.values()))  # so that all that read the same stand out
    marked = {n: strong(text) if float(text) == least else text for n, text in texts.items()}
    return [marked.get(n, "–") for n in names]

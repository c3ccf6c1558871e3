"""What stands under each heading of the study's page."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from studies.common import Outcome
from studies.common.pages import (
    Column,
    Html,
    bullets,
    course,
    drawn,
    failures,
    mark,
    note,
    table,
    whole,
)
from studies.common.sets import Loaded
from studies.common.statistics import TTest
from studies.common.statistics import outcome as sign_of
from studies.su import example, figures, times
from studies.su.datasets import Raw
from studies.su.paper import (
    BETTER,
    COLUMNS,
    LARGEST,
    LAST_EPOCH,
    LEARNERS,
    N_JUDGED,
    OPTIMUM,
    RATIOS,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    VOWEL,
    WORSE,
)
from studies.su.tables import (
    CLOSE,
    OWN_PAIRS,
    PAIRS,
    Accuracies,
    compare,
    counts,
    distances,
    epoch_verdicts,
    ingredient_verdicts,
    verdicts,
)

TIME_NOTE = (
    "Table 3 is in `times.html` beside this page, as seconds differ from run to run and all else "
    "here does not.",
)


def data_parts(outcome: Outcome, loaded: Loaded[Raw]) -> list[str]:
    """What the sets are, and what is missing."""
    heads: list[Column | str] = ["data", "rows", "numbers", "labels", "classes"]
    heads += [Column("larger", ".1%"), Column("missing", ".1%"), "from"]
    rows = [
        [
            whole(name),
            raw.n_rows,
            len(raw.numeric),
            len(raw.nominal),
            ", ".join(raw.class_labels),
            float((raw.classes == 0).mean()),
            raw.missing_share,
            whole(raw.origin.removeprefix("read from ").removeprefix("made by ")),
        ]
        for name, raw in loaded.sets.items()
    ]
    parts: list[str] = [
        table(
            heads,
            rows,
            "The data sets: two largest classes, the larger one's share, that of missing cells.",
        )
    ]
    if loaded.left_out:
        parts.append(note(f"Left out: {loaded.reasons}"))
    parts += failures(outcome)
    return parts


def accuracy_parts(found: Accuracies) -> list[str]:
    """Table 1."""
    if not found:
        return ["No data set has all its folds."]
    heads: list[Column | str] = ["data", "whose", *COLUMNS]
    rows = [row for data, own in found.items() for row in _pair_of_rows(data, own)]
    text = (
        "Table 1. Accuracy in percent, mean ± standard deviation over the folds; “•” worse and “∘” "
        "better than NB+DFE, ours by the corrected resampled t-test at 0.05, the paper's as "
        f"printed. NB+ELR is the paper's, gradient ascent that cross tuning stops; {OPTIMUM} is "
        "ours, the penalised optimum, and the paper has no such column."
    )
    n = len(found)
    told = ", ".join(
        f"{name} {sum(abs(d) <= CLOSE for d in distances(found, name).values())} of {n}"
        for name in LEARNERS
    )
    alt = f"Points about the diagonal, a panel a learner; within {CLOSE:g} points: {told}"
    caption = "Our mean accuracies against the paper's, a point a data set."
    return [
        table(heads, rows, text, _means(found)),
        drawn(partial(figures.against_paper, found), caption, alt),
        _far(found),
    ]


def _pair_of_rows(data: str, own: Mapping[str, Any]) -> list[list[Any]]:
    marks = {1: WORSE, 0: "", -1: BETTER}  # where NB+DFE wins, the other is worse
    ours = [
        _with_deviation(values.mean(), values.std(ddof=1), marks[sign_of(test)])
        for values, test in zip(own.values(), _against_dfe(own), strict=True)
    ]
    theirs = [_with_deviation(c.mean, c.deviation, c.mark) for c in TABLE_1[data].values()]
    none = ["–"] * (len(ours) - len(theirs))
    return [[whole(data), "ours", *ours], ["", "paper", *theirs, *none]]


def _against_dfe(own: Mapping[str, Any]) -> list[TTest]:
    return [compare(own, ("NB+DFE", learner), corrected=True) for learner in own]


def _means(found: Accuracies) -> list[list[Any]]:
    ours = [np.mean([own[learner].mean() for own in found.values()]) for learner in COLUMNS]
    theirs = [np.mean([TABLE_1[data][learner].mean for data in found]) for learner in LEARNERS]
    return [
        ["mean", "ours", *(f"{mean:.2f}" for mean in ours)],
        ["", "paper", *(f"{mean:.2f}" for mean in theirs), *["–"] * (len(ours) - len(theirs))],
    ]


def _far(found: Accuracies) -> str:
    far = {
        learner: [
            f"{whole(data)} {points:+.1f}".replace("-", "−")
            for data, points in distances(found, learner).items()
            if abs(points) > CLOSE
        ]
        for learner in LEARNERS
    }
    items = [f"{learner}: {', '.join(sets) or 'none'}" for learner, sets in far.items()]
    return Html(
        f"<p>More than {CLOSE:g} points from the paper (ours less its):</p>\n{bullets(items)}"
    )


def count_parts(found: Accuracies) -> list[str]:
    """Table 2."""
    if not found:
        return ["No data set has all its folds."]
    heads: list[Column | str] = [
        "learner",
        "against",
        "paper",
        "ours, corrected t",
        "ours, paired t",
    ]
    rows = [
        [
            *pair,
            TABLE_2.get(pair, "–"),
            str(counts(found, pair, corrected=True)),
            str(counts(found, pair, corrected=False)),
        ]
        for pair in (*PAIRS, *OWN_PAIRS)
    ]
    caption = (
        "Table 2. Wins/ties/losses of the learner at 0.05, by the corrected resampled t-test "
        "(Nadeau & Bengio 2003) and by the plain paired t-test over all folds; the paper's are of "
        "33 sets."
    )
    return [
        "The folds of one data set share most of their training rows, so the plain paired t-test "
        "over them finds differences where there are none; the corrected test allows for it.",
        table(heads, rows, caption),
    ]


def verdict_parts(found: Accuracies) -> list[str]:
    """The study's own checks."""
    lines = verdicts(found)
    if not lines:
        return [f"{len(found)} data sets have all their folds; judged are {N_JUDGED} or more."]
    return [
        _judged(lines),
        "The paper's marks are those of the corrected test (see the last of the readings), so the "
        "rows of this test are those to compare.",
    ]


def _judged(lines: Sequence[Mapping[str, Any]]) -> Html:
    rows = [
        [line["statement"], line["test"] or "–", line["found"], mark(line["holds"])]
        for line in lines
    ]
    return table(["statement", "test", "found", "holds"], rows, "Does it come out?")


def ingredient_parts(found: Accuracies) -> list[str]:
    """DFE without equation 2 or 3 (section 4)."""
    if not found:
        return ["No task of this part has ended."]
    names = list(next(iter(found.values())))
    rows = [[whole(data), *(float(own[n].mean()) for n in names)] for data, own in found.items()]
    foot = ["mean", *(float(np.mean([own[n].mean() for own in found.values()])) for n in names)]
    caption = (
        "Accuracy in percent of naive Bayes by FE, DFE, and DFE without probabilities made of the "
        "entries (equation 2) or without the loss (equation 3), ten folds."
    )
    heads: list[Column | str] = ["data", *(Column(name, ".2f") for name in names)]
    lines = ingredient_verdicts(found)
    parts: list[str] = [table(heads, rows, caption, [foot])]
    return [*parts, _judged(lines)] if lines else parts


def example_parts() -> list[str]:
    """Figure 2."""
    curves = {method: example.curve(method) for method in example.LIMITS}
    caption = (
        "Figure 2. P(+ | 0, 0, 0) of naive Bayes as the five instances are counted over and over, "
        "from the third on; the dashed lines are the limits, 2/3 for FE and √2 − 1 for DFE, and "
        f"the true value is 1/3. After {example.LAST} instances FE has {curves['FE'][-1]:.3f} and "
        f"DFE {curves['DFE'][-1]:.3f}; the paper says 0.66 and approximately 0.4."
    )
    alt = f"P(+ | 0, 0, 0) by instances counted: {course(curves)}"
    return [drawn(partial(figures.updates, curves), caption, alt)]


def epoch_parts(
    every: Mapping[str, Mapping[str, list[float]]], long: Mapping[Any, Mapping[str, Any]]
) -> list[str]:
    """Figure 3, vowel beside the eight largest sets, and the runs to the last epoch."""
    found = {data: every[data] for data in (*LARGEST, "vowel") if data in every}
    if not found:
        return ["No set of the eight largest has been run."]
    caption = (
        "Figure 3. Accuracy of NB+DFE by the number of times that it went through the rows, ten "
        "folds; solid on training rows, dashed and hollow on test rows."
    )
    lines = {
        f"{data}, {part} rows,": own[part]
        for data, own in found.items()
        for part in ("train", "test")
    }
    alt = f"Accuracy by epoch: {course(lines)}"
    gain = {data: own["test"][-1] - own["test"][0] for data, own in found.items()}
    told = ", ".join(f"{whole(data)} {points:+.2f}" for data, points in gain.items())
    return [
        drawn(partial(figures.epochs, found), caption, alt),
        "Points of test accuracy that ten epochs give beyond the first: "
        f"{told}. The paper: around 0.5, and on vowel {VOWEL[1]:.2f} after one epoch, "
        f"{VOWEL[4]:.2f} after four.".replace("-", "−"),
        *_long_parts(long),
        *([_judged(said)] if (said := epoch_verdicts(every, long)) else []),
    ]


def _long_parts(long: Mapping[Any, Mapping[str, Any]]) -> list[str]:
    if not long:
        return []
    epochs = next(iter(long.values()))["epochs"]
    rows = [[whole(data), whole(f"{kind}+DFE"), *own["test"]] for (data, kind), own in long.items()]
    heads: list[Column | str] = ["data", "learner", *(Column(f"{k:,}", ".2f") for k in epochs)]
    caption = f"Test accuracy in percent after 1 to {LAST_EPOCH:,} epochs, ten folds."
    return [table(heads, rows, caption)]


def curve_parts(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Figure 4."""
    if not found:
        return ["No set of the eight largest has been run."]
    caption = (
        "Figure 4. Accuracy on all other rows by the number of training rows, mean over the runs "
        "with its standard error."
    )
    lines = {f"{data}, {method}": own[method][0] for data, own in found.items() for method in own}
    alt = f"Accuracy by training rows: {course(lines)}"
    return [drawn(partial(figures.learning_curves, found), caption, alt)]


def time_parts(found: times.Seconds) -> list[str]:
    """Table 3 and the ratios."""
    heads: list[Column | str] = ["data"]
    for name in LEARNERS:
        digits = ",.1f" if name in {"NB+DFE", "NB+FE"} else ",.0f"
        heads += [Column("ours", ",.1f", group=name), Column("paper", digits, group=name)]
    heads += [Column("ours", ",.1f", group=OPTIMUM)]
    rows = [
        [
            whole(data),
            *(
                1000 * seconds
                for name in LEARNERS
                for seconds in (sum(own[name]), TABLE_3[data][name])
            ),
            1000 * sum(own[OPTIMUM]),
        ]
        for data, own in found.items()
    ]
    ours, theirs = _ratio(times.ratios(found)), _ratio(times.paper_ratios())
    beside = _ratio(times.ratios(found, OPTIMUM))
    return [
        "Parameter learning FE : DFE : ELR, from encoded rows, summed over the sets: "
        f"{ours}. The paper says {RATIOS}; the sums of its table give {theirs}.",
        f"With {OPTIMUM}, the penalised optimum, in place of ELR: {beside} (our aim: "
        f"{_ratio(times.AIM)}).",
        table(heads, rows, "Table 3. Milliseconds of a training, structure included, mean of all."),
    ]


def _ratio(figures_of: Sequence[float]) -> str:
    texts = [f"{value:,.3g}" if value < 1000 else f"{value:,.0f}" for value in figures_of]
    return "\N{NO-BREAK SPACE}:\N{NO-BREAK SPACE}".join(texts)


def _with_deviation(mean: float, deviation: float, mark: str) -> str:
    return f"{mean:.2f}±{deviation:.2f} {mark}".rstrip().replace(" ", "\N{NARROW NO-BREAK SPACE}")

"""The study's result files: scores, comparisons, statements, the page, and, apart, the times."""

from functools import partial

import bnlr
from studies.common import Outcome, csv_text, json_text
from studies.common.pages import Column, Section, bullets, drawn, note, page, table, whole
from studies.common.sets import Loaded
from studies.common.study import Files
from studies.defaults import compare, figures, sections, standings, times
from studies.defaults.datasets import MOST_ROWS, N_FOLDS, Rows
from studies.defaults.findings import findings
from studies.defaults.learners import LABELS, LEARNERS, LR
from studies.defaults.overview import Overall, overall
from studies.defaults.readings import READINGS
from studies.defaults.statements import statements
from studies.defaults.tables import flat, ranks, results

TITLE = "Which classifier predicts best by default"


def report(outcome: Outcome, loaded: Loaded[Rows], n_seeds: int, quick: bool) -> Files:
    """Tables, checks and page; the files named times hold seconds and differ from run to run.

    Parameters
    ----------
    outcome
    loaded
        The data sets, and which were left out and why.
    n_seeds
        How many times five folds each set has.
    quick
        Whether this was the small version.
    """
    found = results(outcome.done, n_seeds)
    lines, listed = overall(found), compare.comparisons(found)
    said = statements(found)
    parts = [
        Section("Data", sections.data_parts(outcome, loaded)),
        Section("Learners", sections.learner_parts(outcome)),
        Section("Findings", [bullets(findings(found, lines, listed))]),
        Section("What must be shown", sections.statement_parts(said)),
        Section("All learners", standings.overall_parts(lines, ranks(found))),
        Section("Pairs", standings.pair_parts(found, listed)),
        Section("Missing cells", sections.hole_parts(found, loaded)),
        Section("Set by set", standings.set_parts(found)),
        Section("Zeros and unfinished fits", sections.zero_parts(found)),
        Section("Times", ["Seconds differ from run to run and stand apart, in `times.html`."]),
        Section("Readings", [bullets(READINGS)]),
    ]
    return {
        "scores.csv": csv_text(flat(found)),
        "comparisons.csv": csv_text(compare.flat(listed)),
        "checks.json": json_text({"verdicts": said}),
        "index.html": page(TITLE, _intro(n_seeds, quick), parts, foot=_foot(outcome)),
        **_times(outcome, lines),
    }


def _intro(n_seeds: int, quick: bool) -> list[str]:
    repeated = "once" if n_seeds == 1 else f"under {n_seeds} seeds"
    intro = [
        "Which classifier predicts class probabilities best if nothing is set? bnlr's defaults "
        "meet generative Bayesian networks, logistic regression, boosting, forests and pyAgrum: "
        f"stratified {N_FOLDS}-fold cross-validation, {repeated}, at most {MOST_ROWS:,} rows of a "
        "set. The measure is the log-loss (natural logarithm); Brier score and error stand beside."
    ]
    if quick:
        text = (
            "This is the quick version, on a few of bnlr's own sets. Leave `--quick` out for all."
        )
        intro.append(note(text))
    return intro


def _times(outcome: Outcome, lines: list[Overall]) -> Files:
    found = times.seconds(outcome.done)
    if not found:
        return {}
    own = {name: times.over_sets(found, name) for name in LEARNERS}
    heads: list[Column | str] = ["learner", Column("fit", ",.1f"), Column("predict", ",.1f")]
    rows = [
        [whole(LABELS[name]), 1000 * one.fit, 1000 * one.predict]
        for name, one in own.items()
        if one is not None
    ]
    ratios = {line.learner: line.against.ratio for line in lines if line.against}
    ratios |= {LR: 1.0} if ratios else {}
    points = {name: (one.fit, ratios[name]) for name, one in own.items() if one and name in ratios}
    caption = "Milliseconds of a processor for a fold, geometric mean over the counted sets."
    parts = [table(heads, rows, caption)]
    if points:
        words = "Low is good, left is fast."
        alt = "A dot a learner: milliseconds of a fit across, ratio of log-losses upwards"
        parts.insert(0, drawn(partial(figures.against_time, points), words, alt))
    about = (
        "Processor seconds of fits and predictions in one process, linear algebra on one thread. "
        "They differ from run to run, so they stand apart from `index.html`, which does not. Of "
        "each set and learner: `times.csv`."
    )
    text = page("Times of the learners", about, [Section("Fits", parts)], foot=_foot(outcome))
    return {"times.csv": csv_text(times.flat(found)), "times.html": text}


def _foot(outcome: Outcome) -> str:
    return f"bnlr {bnlr.__version__}, python -m studies {outcome.study.name}"

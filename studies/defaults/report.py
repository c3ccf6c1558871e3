"""The study's result files: scores, comparisons, statements, the page, and, apart, the times."""

from studies.common import Outcome, csv_text, json_text
from studies.common.pages import Section, bullets, foot, note, page
from studies.common.sets import Loaded
from studies.common.study import Files
from studies.defaults import compare, kept, sections, standings
from studies.defaults.ablation import ablation_parts
from studies.defaults.against_peers import peer_parts
from studies.defaults.choices import choice_parts
from studies.defaults.datasets import MOST_ROWS, N_FOLDS, Rows
from studies.defaults.findings import findings
from studies.defaults.overview import overall
from studies.defaults.readings import READINGS
from studies.defaults.statements import statements
from studies.defaults.tables import flat, ranks, results
from studies.defaults.times_page import time_files

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
        Section("What was chosen on which sets", choice_parts()),
        Section("What must be shown", sections.statement_parts(said)),
        Section("Against peers", peer_parts(found, listed)),
        Section("All learners", standings.overall_parts(lines, ranks(found))),
        Section("Pairs", standings.pair_parts(listed)),
        *ablation_parts(found),
        Section("Missing cells", sections.hole_parts(found, loaded)),
        Section("Set by set", standings.set_parts(found)),
        Section("Zeros and unfinished fits", sections.zero_parts(found)),
        Section("Times", ["Seconds differ from run to run and stand apart, in `times.html`."]),
        Section("Readings", [bullets(READINGS)]),
    ]
    return {
        "scores.csv": csv_text(flat(found)),
        kept.NAME: kept.text(outcome.done),
        "comparisons.csv": csv_text(compare.flat(listed)),
        "checks.json": json_text({"verdicts": said}),
        "index.html": page(TITLE, _intro(n_seeds, quick), parts, foot=foot(outcome)),
        **time_files(outcome, lines, foot(outcome)),
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

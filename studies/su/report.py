"""The study's result files: tables and verdicts, the page, and, apart, the times."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studies.common import Outcome, csv_text, json_text
from studies.common.pages import Section, bullets, foot, note, page
from studies.common.sets import Loaded
from studies.common.study import Files
from studies.su import sections, times
from studies.su.datasets import Raw
from studies.su.paper import N_SETS
from studies.su.readings import READINGS
from studies.su.tables import (
    Accuracies,
    accuracies,
    by_epoch,
    epoch_verdicts,
    flat,
    ingredient_verdicts,
    ingredients,
    learning_curves,
    long_epochs,
    verdicts,
)

TITLE = "Discriminative frequency estimates"


@dataclass(frozen=True)
class Results:
    """Everything that the page shows."""

    accuracies: Accuracies
    by_epoch: Mapping[str, Mapping[str, list[float]]]
    long: Mapping[tuple[str, str], Mapping[str, Any]]
    ingredients: Accuracies
    curves: Mapping[str, Mapping[str, Any]]


def report(outcome: Outcome, loaded: Loaded[Raw], repetitions: int, quick: bool) -> Files:
    """Tables, checks and page; the files named times hold seconds and differ from run to run.

    Parameters
    ----------
    outcome
    loaded
        The data sets, and which were left out and why.
    repetitions
        How many times ten folds each set has.
    quick
        Whether this was the small version.
    """
    found = Results(
        accuracies(outcome),
        by_epoch(outcome),
        long_epochs(outcome),
        ingredients(outcome),
        learning_curves(outcome),
    )
    said = [
        *verdicts(found.accuracies),
        *epoch_verdicts(found.by_epoch, found.long),
        *ingredient_verdicts(found.ingredients),
    ]
    files: dict[str, str | bytes] = {
        "accuracies.csv": csv_text(flat(found.accuracies)),
        "checks.json": json_text({"verdicts": said}),
        "index.html": _page(outcome, loaded, found, repetitions, quick),
    }
    seconds = times.seconds(outcome.done)
    if seconds:
        files["times.json"] = json_text({"verdicts": [times.verdict(seconds)]})
        files["times.html"] = page(
            "Training times",
            "Processor seconds of a training, the paper's and ours. They differ from run to run, "
            "so they stand apart from `index.html`, which does not.",
            [Section("Table 3", sections.time_parts(seconds))],
            foot=foot(outcome),
        )
    return files


def _page(
    outcome: Outcome, loaded: Loaded[Raw], found: Results, repetitions: int, quick: bool
) -> str:
    n_times = "once" if repetitions == 1 else f"{repetitions} times"
    intro = [
        "J. Su, H. Zhang, C. X. Ling and S. Matwin (2008) count rows in proportion to how badly "
        "they are predicted: discriminative frequency estimates (DFE). They compare them with "
        "plain frequencies (FE), gradient ascent of the conditional likelihood (ELR) and AdaBoost "
        "on naive Bayes (NB), and on structures from hill climbing (HGC). This page holds their "
        f"numbers and ours, side by side, on {len(found.accuracies)} of their {N_SETS} data sets: "
        f"stratified 10-fold cross-validation, {n_times}.",
    ]
    if quick:
        text = (
            "This is the quick version, on two of bnlr's own sets, whose rows are not the paper's. "
        )
        intro.append(note(f"{text}Leave `--quick` out for all."))
    parts = [
        Section("Data", sections.data_parts(outcome, loaded)),
        Section("Accuracy", sections.accuracy_parts(found.accuracies)),
        Section("Wins and losses", sections.count_parts(found.accuracies)),
        Section("What must be shown", sections.verdict_parts(found.accuracies)),
        Section("Training time", sections.TIME_NOTE),
        Section("Five instances", sections.example_parts()),
        Section("Convergence", sections.epoch_parts(found.by_epoch, found.long)),
        Section("DFE without an ingredient", sections.ingredient_parts(found.ingredients)),
        Section("Learning curves", sections.curve_parts(found.curves)),
        Section("Readings and deviations", [bullets(READINGS)]),
    ]
    return page(TITLE, intro, parts, foot=foot(outcome))

"""How well the model predicts the rows, as a section of a page."""

from collections.abc import Iterator
from math import exp, isfinite
from typing import Any

import numpy as np

from bnlr._typing import IntArray
from bnlr.report.html import (
    Column,
    Html,
    Section,
    block,
    figure,
    inline,
    key_figures,
    listing,
    named,
    note,
    side_by_side,
    table,
    words,
)
from bnlr.report.model.evaluation import Evaluation
from bnlr.report.plots.drawing import svg_of
from bnlr.report.plots.reliability import plot_reliability
from bnlr.report.scores import (
    Scores,
    base_rate_scores,
    confusion,
    ranking,
    scores,
    wilson_interval,
)

_MOST_CLASSES = 12
_MOST_CONFUSED = 15


def summary_section(evaluation: Evaluation) -> Section:
    """Whose rows these are, and scores beside those of the base rates."""
    if not evaluation.known.size:
        text = words(
            "No row has a class that the model knows in {}, so that there is nothing to compare "
            "the predictions with.",
            named(evaluation.class_name),
        )
        return Section("In short", [text])
    counts = _counts(evaluation)
    return Section("In short", [*_figures(evaluation, counts), *_whose_rows(evaluation)])


def quality_section(evaluation: Evaluation) -> Section | None:
    """Calibration beside confusions and figures of each class; None where no row has a class."""
    if not evaluation.known.size:
        return None
    counts = _counts(evaluation)
    tables = block([*_confusions(evaluation, counts), _by_class(evaluation, counts)])
    parts = [side_by_side([_calibration(evaluation), tables])]
    return Section("How well it predicts these rows", parts)


def _counts(evaluation: Evaluation) -> IntArray:
    predicted = evaluation.known_probabilities.argmax(axis=1)
    return confusion(evaluation.codes, predicted, len(evaluation.classes))


def _whose_rows(evaluation: Evaluation) -> Iterator[Html]:
    if evaluation.is_training:
        yield note(
            "These are the rows that the model was fitted to, as their conditional log-likelihood "
            "tells: the figures flatter it. Try it on rows that it has not seen."
        )
    else:
        yield inline(
            "The figures are of rows that the model has not seen, unless some of them were among "
            "those it was fitted to."
        )


def _figures(evaluation: Evaluation, counts: IntArray) -> Iterator[Html]:
    found = scores(evaluation.codes, evaluation.known_probabilities)
    base = base_rate_scores(evaluation.codes, len(evaluation.classes))
    n, hits = int(counts.sum()), int(np.trace(counts))
    low, high = wilson_interval(hits, n)
    yield key_figures(
        [
            ("log-loss", _shown(found.log_loss), f"base rates {_shown(base.log_loss)}"),
            ("Brier score", _shown(found.brier), f"base rates {_shown(base.brier)}"),
            ("accuracy", f"{found.accuracy:.1%}", f"95% interval {low:.1%} to {high:.1%}"),
            ("rows with a class", f"{n:,}", f"of {evaluation.data.n_rows:,}"),
        ]
    )
    yield words("{} {}", _in_words(found, base), _most_frequent(base))


def _in_words(found: Scores, base: Scores) -> str:
    """Say what the log-loss means."""
    if not isfinite(found.log_loss):
        return (
            "The log-loss is infinite: the class of some row had the probability 0. A network "
            "whose tables hold no zero cannot do that."
        )
    better = base.log_loss - found.log_loss
    versus = "better than" if better >= 0 else "worse than"
    return (
        f"The log-loss is in natural logarithms a row: on the geometric mean the class that came "
        f"had the probability {exp(-found.log_loss):.3g}. That is {abs(better):.3f} {versus} "
        "giving every row the shares of the classes in these rows."
    )


def _most_frequent(base: Scores) -> str:
    return f"Always naming the most frequent class would be right in {base.accuracy:.1%} of them."


def _shown(value: float) -> str:
    return f"{value:.4f}" if isfinite(value) else "∞"


def _calibration(evaluation: Evaluation) -> Html:
    labels = list(evaluation.classes)
    truth = [labels[code] for code in evaluation.codes]
    axes = plot_reliability(truth, evaluation.known_probabilities, labels)
    caption = (
        "Calibration: how often the class came about where its probability was about so much, with "
        "95% intervals (Wilson); on the dashed line probabilities mean what they say. Below: how "
        "often each probability was given. The calibration error is the mean distance from the "
        "line over bins of equal numbers of rows."
    )
    alt = f"Reliability diagram. {' '.join(axes.get_title(loc='left').split())}"
    return figure(svg_of(axes), caption, alt)


def _confusions(evaluation: Evaluation, counts: IntArray) -> Iterator[Html]:
    labels = [named(label) for label in evaluation.classes]
    if len(labels) <= _MOST_CLASSES:
        columns: list[Column | str] = ["true class"]
        columns += [Column(label, group="predicted as") for label in labels]
        rows: list[list[Any]] = [
            [label, *row.tolist()] for label, row in zip(labels, counts, strict=True)
        ]
        yield table(columns, rows, "Confusion matrix: rows of each class by what was predicted.")
        return
    wrong = counts * (1 - np.eye(len(labels), dtype=counts.dtype))
    order = np.argsort(-wrong, axis=None, kind="stable")[:_MOST_CONFUSED]
    pairs = [divmod(int(place), len(labels)) for place in order if wrong.flat[place]]
    rows = [[labels[true], labels[taken], int(counts[true, taken])] for true, taken in pairs]
    if rows:
        yield table(["true class", "predicted as", "rows"], rows, "The most frequent mistakes.")


def _by_class(evaluation: Evaluation, counts: IntArray) -> Html:
    columns: list[Column | str] = [
        "class",
        "rows",
        Column("share", ".1%"),
        Column("mean probability", ".1%"),
        Column("recall", ".1%"),
        Column("precision", ".1%"),
        Column("AUC", ".4f"),
    ]
    rows = [_of_class(evaluation, counts, c) for c in range(len(evaluation.classes))]
    absent = [row[0] for row in rows if row[1] == 0]
    caption = words(
        "The classes. Where the mean probability is not the share, the model expects a class more "
        "or less often than it came. Recall: the share of its rows that were predicted so; "
        "precision: the share of the predictions that were right; AUC: the probability that a row "
        "of the class is ranked above one of the others.{}",
        words(" Absent from these rows: {}.", listing(absent)) if absent else "",
    )
    return table(columns, rows, caption)


def _of_class(evaluation: Evaluation, counts: IntArray, c: int) -> list[Any]:
    own, predicted, hits = int(counts[c].sum()), int(counts[:, c].sum()), int(counts[c, c])
    return [
        named(evaluation.classes[c]),
        own,
        own / counts.sum(),
        float(evaluation.known_probabilities[:, c].mean()),
        hits / own if own else None,
        hits / predicted if predicted else None,
        ranking(evaluation.codes, evaluation.known_probabilities, c),
    ]

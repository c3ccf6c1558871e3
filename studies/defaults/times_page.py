"""Files of seconds: how long each learner takes, and how many times as long as each peer."""

from collections.abc import Mapping, Sequence
from functools import partial

from studies.common import Outcome, csv_text, json_text
from studies.common.pages import Column, Html, Section, drawn, page, statements, table, whole
from studies.common.study import Files
from studies.defaults import figures, times
from studies.defaults.compare import ALL, HELD_OUT
from studies.defaults.learners import AUTO, HGB, LABELS, LEARNERS, LR, OURS, PEERS
from studies.defaults.overview import Overall
from studies.defaults.sets import is_counted, is_held_out
from studies.defaults.statements import LEAST_WINS, Line
from studies.defaults.times import Times

MOST_TIMES = 8.0
"""Fits of the default, median over the sets, in fits of histogram gradient boosting."""


def time_files(outcome: Outcome, lines: Sequence[Overall], foot: str) -> Files:
    """Their names begin with times, for they differ from run to run; nothing of no results."""
    found = times.seconds(outcome.done)
    if not found:
        return {}
    said = verdicts(found)
    parts = [*_figure(found, lines), _by_learner(found), *_against_peers(found)]
    if said:
        parts.append(statements(said, "What must be shown of seconds."))
    about = (
        "Processor seconds of fits and predictions in one process, linear algebra on one thread. "
        "They differ from run to run, so they stand apart from `index.html`, which does not. Of "
        "each set and learner: `times.csv`."
    )
    return {
        "times.csv": csv_text(times.flat(found)),
        "times.json": json_text({"verdicts": said}),
        "times.html": page("Times of the learners", about, [Section("Fits", parts)], foot=foot),
    }


def verdicts(found: Times) -> list[Line]:
    """Whether a fit of the default costs few enough of boosting's; none of too few sets."""
    ratio = times.median_ratio(found, _parts(found)[ALL], AUTO, HGB)
    if ratio is None or ratio[0] < LEAST_WINS:
        return []
    n_sets, seconds = ratio
    text = (
        f"a fit of {LABELS[AUTO]} takes at most {MOST_TIMES:g} times one of {LABELS[HGB]}, median"
    )
    figures_of = {"sets": n_sets, "ratio": seconds.fit}
    return [{"statement": text, "holds": seconds.fit <= MOST_TIMES, "figures": figures_of}]


def _parts(found: Times) -> Mapping[str, list[str]]:
    counted = [data for data in found if is_counted(data)]
    return {HELD_OUT: [data for data in counted if is_held_out(data)], ALL: counted}


def _by_learner(found: Times) -> Html:
    heads: list[Column | str] = ["learner", Column("fit", ",.1f"), Column("predict", ",.1f")]
    own = {name: times.over_sets(found, name) for name in LEARNERS}
    rows = [
        [whole(LABELS[name]), 1000 * one.fit, 1000 * one.predict]
        for name, one in own.items()
        if one is not None
    ]
    caption = "Milliseconds of a processor for a fold, geometric mean over the counted sets."
    return table(heads, rows, caption)


def _against_peers(found: Times) -> list[Html]:
    """How many times a peer's seconds ours take."""
    ratios = [
        (part, first, peer, times.median_ratio(found, sets, first, peer))
        for first in OURS
        for peer in PEERS
        for part, sets in _parts(found).items()
    ]
    rows = [
        [whole(part), whole(LABELS[first]), whole(LABELS[peer]), own[0], own[1].fit, own[1].predict]
        for part, first, peer, own in ratios
        if own is not None
    ]
    heads: list[Column | str] = ["part", "first", "second", "sets"]
    heads += [Column(name, ".3g", group="median ratio") for name in ("fit", "predict")]
    caption = "Seconds of the first per those of the second on the same set, median over the sets."
    return [table(heads, rows, caption)] if rows else []


def _figure(found: Times, lines: Sequence[Overall]) -> list[Html]:
    ratios = {line.learner: line.against.ratio for line in lines if line.against}
    ratios |= {LR: 1.0} if ratios else {}
    own = {name: times.over_sets(found, name) for name in ratios}
    points = {name: (one.fit, ratios[name]) for name, one in own.items() if one}
    if not points:
        return []
    alt = "A dot a learner: milliseconds of a fit across, ratio of log-losses upwards"
    return [drawn(partial(figures.against_time, points), "Low is good, left is fast.", alt)]

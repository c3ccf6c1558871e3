"""The study's result files: promises kept, and how loose they are."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from studies.common import Outcome, csv_text, json_text
from studies.common.pages import (
    Column,
    Section,
    bullets,
    course,
    drawn,
    failures,
    foot,
    page,
    statements,
    table,
    whole,
)
from studies.common.study import Files
from studies.sample_sizes import figures, tables
from studies.sample_sizes.run import N_NODES, N_QUERIES, C
from studies.sample_sizes.tables import Point

TITLE = "Sample sizes: promised and needed"
_READINGS = (
    f"One world: a random network of {N_NODES} binary nodes, entries between 0.1 and 0.9, and "
    f"{N_QUERIES} queries of one node given one or two, sq(·) drawn from Dirichlet(1); B is "
    "another random network. All that is true is exact. “Worst” has no world: squared errors of 0 "
    "and 1, evenly, whose mean varies most.",
    "Theorem 4 counts the events that match each condition; such events have x with probability "
    "p(x | y), and they are drawn so, for each query on its own. Corollary 5 draws events from "
    "p(·).",
    f"Theorem 7: the structure is one arc, too poor for the queries; c = {C:g}. The best is what "
    "`bnlr.fit_queries` finds from the same starts, on the drawn queries and on all of sq(·).",
    "A share below 1 breaks what the theorem asks for: where it still keeps the promise, the "
    "number is loose by that much, in this world.",
)


def report(outcome: Outcome) -> Files:
    """Tables, checks and page."""
    found = tables.points(outcome.done)
    said = [*([tables.observation()] if found else []), *tables.statements(found)]
    return {
        "shares.csv": csv_text(tables.flat(found)),
        "checks.json": json_text({"statements": said}),
        "index.html": _page(outcome, found, said),
    }


def _page(outcome: Outcome, found: Sequence[Point], said: Sequence[dict[str, Any]]) -> str:
    intro = [
        "R. Greiner, A. Grove and D. Schuurmans (1997) promise how many queries and events suffice "
        "to know, or to nearly minimise, a network's error on the queries that will be asked. Here "
        "each promise is tried many times with its number, and with a share of it.",
    ]
    heads: list[Column | str] = ["promise", Column("share", "g"), "used", "tries"]
    heads += [Column("failed", ".1%"), Column("off at 1 − δ", ".2g")]
    rows = [
        [
            whole(p.promise),
            p.share,
            ", ".join(f"{n:,} {what}" for what, n in p.used.items()),
            len(p.off),
            p.failed,
            p.quantile,
        ]
        for p in found
    ]
    lines = {
        f"{name}, failed,": [p.failed for p in found if p.promise == name]
        for name in dict.fromkeys(p.promise for p in found)
    }
    caption = (
        "Left: tries that fail, by the share of the promised number that is used; the dashed line "
        "is δ. Right: the error that a share of 1 − δ of the tries stays below, in units of ε."
    )
    body = (
        [
            statements(said, "With the number that is promised, where one is."),
            drawn(partial(figures.failures, found), caption, f"By share: {course(lines)}"),
            table(heads, rows, "All shares."),
        ]
        if found
        else ["No task has ended."]
    )
    sections = [
        Section("Are the promises kept?", [*failures(outcome), *body]),
        Section("Readings", [bullets(_READINGS)]),
    ]
    return page(TITLE, intro, sections, foot=foot(outcome))

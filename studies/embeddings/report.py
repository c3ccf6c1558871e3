"""The study's result files: wrinkles counted, and what embeddings add."""

from collections.abc import Sequence
from typing import Any

from studies.common import Outcome, csv_text, json_text
from studies.common.pages import (
    Column,
    Html,
    Section,
    bullets,
    failures,
    foot,
    page,
    statements,
    table,
)
from studies.common.study import Files
from studies.embeddings import tables
from studies.embeddings.run import N_POINTS, N_ROWS

TITLE = "Wrinkles, and what an embedding takes"
_READINGS = (
    f"A segment joins two random networks and is followed in {N_POINTS} points, once in the CPTs' "
    f"entries and once in the L-model's tables, on {N_ROWS} random rows of binary nodes. It is a "
    "convex set, so a local maximum on it that is not its best is a wrinkle in the paper's sense.",
    "Random structures: each arc along an order of the nodes is equally likely, the class is any "
    "node, all nodes are binary. Growth is that of the CPT cells of the class and its children, "
    "over the structures that do not satisfy Condition 1 as they are. The arcs are those of "
    "`bnlr.analyze(...).embedding`: none of them can be left out, fewer may exist.",
)


def report(outcome: Outcome) -> Files:
    """Tables, checks and page."""
    bent, grown = tables.wrinkles(outcome.done), tables.embeddings(outcome.done)
    said = tables.statements(bent, grown)
    return {
        "wrinkles.csv": csv_text(bent),
        "embeddings.csv": csv_text(grown),
        "checks.json": json_text({"statements": said}),
        "index.html": _page(outcome, grown, said),
    }


def _page(outcome: Outcome, grown: Sequence[dict[str, Any]], said: Sequence[dict[str, Any]]) -> str:
    intro = [
        "H. Wettig, P. Grünwald, T. Roos, P. Myllymäki and H. Tirri (2003) remark that the CLL of "
        "a structure that satisfies Condition 1 has global maxima alone, and yet wrinkles over its "
        "CPTs; and that every other structure can be embedded in one that satisfies it.",
    ]
    sections = [
        Section(
            "What is claimed",
            [
                *failures(outcome),
                statements(said, "What was found.") if said else "Nothing has ended.",
            ],
        ),
        Section("Embeddings", [_grown(grown)] if grown else ["Nothing has ended."]),
        Section("Readings", [bullets(_READINGS)]),
    ]
    return page(TITLE, intro, sections, foot=foot(outcome))


def _grown(grown: Sequence[dict[str, Any]]) -> Html:
    heads: list[Column | str] = ["nodes", Column("parents", "g"), "structures", "fail", "embedded"]
    marks = ("median", "nine in ten", "most")
    heads += [Column(mark, ".0f", group="arcs added") for mark in marks]
    heads += [Column(mark, ".2f", group="cells, times") for mark in marks]
    rows = [list(row.values()) for row in grown]
    return table(heads, rows, "Arcs and parameters that make Condition 1 hold, where it does not.")

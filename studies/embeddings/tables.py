"""Shares of segments with wrinkles; arcs and parameters that embeddings add."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from studies.common import Record
from studies.common.statistics import of_all, of_some


def wrinkles(records: Iterable[Record]) -> list[dict[str, Any]]:
    """A row a structure: segments, and how many have a further maximum in either space."""
    return [
        {"structure": str(r.task["structure"]), **r.result}
        for r in records
        if r.task["part"] == "wrinkles"
    ]


def embeddings(records: Iterable[Record]) -> list[dict[str, Any]]:
    """A row a number of nodes and of parents: what it takes, over the structures that fail."""
    found = []
    for r in records:
        if r.task["part"] != "embeddings":
            continue
        fails = ~np.array(r.result["holds"])
        arcs = np.array(r.result["arcs"])[fails]
        growth = (np.array(r.result["after"]) / np.array(r.result["before"]))[fails]
        found.append(
            {
                "nodes": int(str(r.task["nodes"])),
                "degree": float(str(r.task["degree"])),
                "structures": len(fails),
                "fail": int(fails.sum()),
                "embedded": int(np.sum(r.result["embedded"])),
                **_spread("arcs", arcs),
                **_spread("growth", growth),
            }
        )
    return found


def _spread(name: str, values: Any) -> dict[str, float | None]:
    marks = {"median": 0.5, "nine in ten": 0.9, "most": 1.0}
    return {
        f"{name}, {mark}": float(np.quantile(values, q)) if len(values) else None
        for mark, q in marks.items()
    }


def statements(
    bent: Sequence[dict[str, Any]], grown: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """What the paper says, and whether the figures bear it out.

    Structures that satisfy Condition 1 as they are bear nothing out.
    """
    said = []
    for row in bent:
        figures = {"segments": row["segments"], "in CPTs": row["cpts"], "in tables": row["tables"]}
        said += [
            {
                "statement": f"{row['structure']}: along some segments of CPTs the CLL has local, "
                "non-global maxima (wrinkles)",
                "holds": of_some(row["cpts"] > 0, row["segments"]),
                "figures": figures,
            },
            {
                "statement": f"{row['structure']}: along none of the L-model's it has",
                "holds": of_all(row["tables"] == 0, row["segments"]),
                "figures": figures,
            },
        ]
    if grown:
        every, done, n_fail = (
            sum(row[k] for row in grown) for k in ("structures", "embedded", "fail")
        )
        said.append(
            {
                "statement": "an arbitrary structure can be made to satisfy Condition 1 by arcs",
                "holds": of_all(done == every, n_fail),
                "figures": {
                    "structures": every,
                    "fail as they are": n_fail,
                    "satisfy it with the arcs": done,
                },
            }
        )
    return said

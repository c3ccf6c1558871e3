"""A picture of all races: seconds by task and contender, on a log axis."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

# Okabe & Ito's colours, told apart by all readers; shapes tell them apart without colour.
_MARKS = {
    "bnlr": ("#D55E00", "o"),
    "bnlr, packed data reused": ("#D55E00", "*"),
    "scikit-learn lbfgs": ("#0072B2", "s"),
    "scikit-learn newton-cg": ("#56B4E9", "D"),
    "scikit-learn newton-cholesky": ("#009E73", "^"),
    "glum": ("#CC79A7", "v"),
    "statsmodels": ("#E69F00", "P"),
    "scikit-learn CategoricalNB": ("#000000", "X"),
    "pyAgrum": ("#0072B2", "p"),
    "pgmpy": ("#009E73", "h"),
}
_OTHER = ("#000000", "d")


def save(found: dict[str, Any], path: Path) -> None:
    """Draw one row a race and task, on the first number of threads."""
    rows = _rows(found)
    figure = Figure(figsize=(9, 1.4 + 0.36 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    for place, (_, times) in enumerate(rows):
        seconds = [t for _, t in times]
        axes.plot([min(seconds), max(seconds)], [place, place], color="0.8", lw=1, zorder=1)
        for contender, t in times:
            color, marker = _MARKS.get(contender, _OTHER)
            axes.scatter(
                t, place, color=color, marker=marker, s=52, label=contender, **_order(contender)
            )
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xscale("log")
    axes.set_xlabel(f"seconds {_what(found)}, {_threads(found)}")
    axes.grid(axis="x", which="major", color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    order = [c for c in _MARKS if c in handles] + [c for c in handles if c not in _MARKS]
    figure.legend(
        [handles[c] for c in order], order, loc="outside lower center", ncols=3, frameon=False
    )
    with mpl.rc_context({"svg.hashsalt": "bnlr"}):
        figure.savefig(path, dpi=150)


def _order(contender: str) -> dict[str, Any]:
    """Keep bnlr's marks on top, with a white rim, where marks overlap."""
    own = contender.startswith("bnlr")
    return {"zorder": 3 if own else 2, "edgecolors": "white", "linewidths": 0.6}


def _rows(found: dict[str, Any]) -> list[tuple[str, list[tuple[str, float]]]]:
    """(label, [(contender, seconds)]) of every race in order."""
    rows: dict[str, list[tuple[str, float]]] = {}
    threads = found["options"]["threads"][0]
    for sheet in found["tasks"]:
        for record in sheet["records"]:
            if record["threads"] == threads and record["reached"] and record["race"] != "reused":
                label = f"{sheet['task']}, {_race(record['race'])}"
                rows.setdefault(label, []).append((record["contender"], record["seconds"]))
            elif record["race"] == "reused" and record["threads"] == threads:
                label = f"{sheet['task']}, codes"
                rows.setdefault(label, []).append((record["contender"], record["seconds"]))
    return list(rows.items())


def _race(name: str) -> str:
    return {"fit": "codes", "encoded": "categories", "strings": "texts"}.get(name, name)


def _what(found: dict[str, Any]) -> str:
    """What is timed: where cells are missing, no gap, and peers scaled from some of the rows."""
    records = [record for sheet in found["tasks"] for record in sheet["records"]]
    parts = []
    if any(record["gap"] is not None for record in records):
        parts.append(f"to a relative gap of {found['gap']:.0e}")
    if any(record["rows_measured"] is not None for record in records):
        parts.append("W5, W8: for all rows, peers' scaled from some")
    return "; ".join(parts)


def _threads(found: dict[str, Any]) -> str:
    n = found["options"]["threads"][0]
    return "one thread" if n == 1 else f"{n} threads"

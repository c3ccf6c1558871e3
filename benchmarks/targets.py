"""The figures that were promised, beside the figures measured."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Figures = dict[str, Any]


@dataclass(frozen=True)
class Target:
    """A bound on one record's figure: at most or at least, as its kind says."""

    task: str
    race: str
    kind: str
    bound: float
    threads: int = 1


_WORDS: dict[str, tuple[str, str, Callable[[float, float], bool]]] = {
    "passes": ("≤ {:g} C", "{:.1f} C", lambda x, bound: x <= bound),
    "evaluations": ("≤ {:g} passes over the rows", "{:.0f} passes", lambda x, bound: x <= bound),
    "rows_per_second": ("≥ {:,.0f} rows/s", "{:,.0f} rows/s", lambda x, bound: x >= bound),
    "seconds": ("≤ {:g} s", "{:.4g} s", lambda x, bound: x <= bound),
    "times_best_peer": ("≥ {:g} × the best peer", "{:.2f} ×", lambda x, bound: x >= bound),
}

TARGETS = (
    Target("W1 TAN", "fit", "passes", 19),
    Target("W1 TAN", "fit", "times_best_peer", 15),
    Target("W1 TAN", "encoded", "times_best_peer", 8),
    Target("W1nb NB", "fit", "passes", 25),
    Target("W1nb NB", "fit", "times_best_peer", 2.5),
    Target("W2 NB, penalty 1", "fit", "times_best_peer", 2.5),
    Target("W2 TAN, penalty 1", "fit", "times_best_peer", 2.5),
    Target("W2 NB", "fit", "evaluations", 400),
    Target("W2 NB", "fit", "times_best_peer", 10),
    Target("W3 TAN, penalty 1", "fit", "seconds", 1.5e-3),
    Target("W3 TAN, penalty 1", "fit", "times_best_peer", 3),
    Target("W3 TAN, penalty 1", "reused", "seconds", 0.5e-3),
    Target("W3 TAN, penalty 1", "reused", "times_best_peer", 9),
    Target("W4 TAN", "fit", "passes", 24),
    Target("W4 TAN", "fit", "times_best_peer", 15),
    Target("W5 TAN", "CLL + gradient", "seconds", 12e-3),
    Target("W5 TAN", "EM", "seconds", 60e-3),
    Target("W6 on W1", "frequencies, naive Bayes", "passes", 2),
    Target("W6 on W1", "TAN structure", "passes", 6),
    Target("W6 on W4", "frequencies, naive Bayes", "passes", 2),
    Target("W8 TAN", "class, given the rest", "rows_per_second", 1e6),
    Target("W8 DAG", "class, given the rest", "times_best_peer", 20),
    Target("W9 queries", "queries, error + gradient", "times_best_peer", 50),
)


def judged(found: Figures) -> list[dict[str, Any]]:
    """Targets whose task was run, with what was measured."""
    rows = [_row(target, found) for target in TARGETS]
    return [row for row in (*rows, _threads(found), _memory(found)) if row is not None]


def _row(target: Target, found: Figures) -> dict[str, Any] | None:
    record = _record(found, target.task, target.race, target.threads)
    value = None if record is None else _value(record, target.kind)
    if value is None:
        return None
    wanted, measured, meets = _WORDS[target.kind]
    return _line(
        f"{target.task}, {target.race}",
        wanted.format(target.bound),
        measured.format(value),
        meets(value, target.bound),
    )


def _record(found: Figures, task: str, race: str, threads: int) -> dict[str, Any] | None:
    for sheet in found["tasks"]:
        for record in sheet["records"]:
            same = (sheet["task"], record["race"], record["threads"]) == (task, race, threads)
            if same and record["contender"].startswith("bnlr"):
                return record  # type: ignore[no-any-return]
    return None


def _value(record: dict[str, Any], kind: str) -> float | None:
    if kind != "evaluations":
        return record[kind]  # type: ignore[no-any-return]
    counted = record["evaluations"]
    return None if counted is None else counted["n_grad"] + counted["n_hvp"]


def _threads(found: Figures) -> dict[str, Any] | None:
    one, two = (_record(found, "W4 TAN", "fit", n) for n in (1, 2))
    if one is None or two is None:
        return None
    gain = one["seconds"] / two["seconds"]
    return _line("W4 TAN, 2 threads", "≥ 1.5 × one thread", f"{gain:.2f} ×", gain >= 1.5)


def _memory(found: Figures) -> dict[str, Any] | None:
    for sheet in found["tasks"]:
        if sheet["task"] == "W4 TAN" and sheet["memory_added"] is not None:
            share = sheet["memory_added"] / sheet["dataset_bytes"]
            return _line("W4 TAN, memory", "≤ 1 × the Dataset", f"{share:.2f} ×", share <= 1)
    return None


def _line(what: str, wanted: str, measured: str, reached: bool) -> dict[str, Any]:
    return {"what": what, "wanted": wanted, "measured": measured, "reached": reached}

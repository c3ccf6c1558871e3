"""Figures as a table, as JSON and as a plot."""

import json
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import targets
from benchmarks.missing_cells import NAMES
from benchmarks.race import WANTED
from benchmarks.rooms import kernels

_PACKAGES = (
    "bnlr", "numpy", "scipy", "numba", "pandas", "scikit-learn", "glum", "statsmodels", "pyagrum",
    "pgmpy", "pyarrow",
)  # fmt: skip
_OURS = "bnlr"
_HEAD = ("race", "contender", "threads", "seconds", "C", "× best peer", "tolerance", "gap", "form")
_HOLED_HEAD = (*_HEAD[:6], "rows/s", "differs", "form")


def progress(text: str) -> None:
    """Show at once what is being done."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def figures(sheets: list[dict[str, Any]], options: dict[str, Any]) -> dict[str, Any]:
    """Everything that was measured and what it was measured with; ratios to the best peer added."""
    for sheet in sheets:
        for record in sheet["records"]:
            record["times_best_peer"] = _ratio(record, sheet["records"])
    found = {
        "gap": WANTED,
        "options": {k: v for k, v in options.items() if k != "data_dir"},
        "machine": {"cpus": os.cpu_count(), "processor": _processor(), "system": platform.system()},
        "python": platform.python_version(),
        "kernels": kernels(),
        "versions": {name: _version(name) for name in _PACKAGES},
        "tasks": sheets,
    }
    return {**found, "targets": targets.judged(found)}


def failures(found: dict[str, Any]) -> list[str]:
    """Why the command must fail: bnlr did not get there, or contradicts itself or a peer."""
    texts = []
    for sheet in found["tasks"]:
        texts += [f"{sheet['task']}: {note}" for note in sheet["notes"] if note.startswith("WRONG")]
        if sheet["same_bytes_on_all_threads"] is False:
            texts.append(
                f"{sheet['task']}: fits differ in their bytes, by threads or from run to run"
            )
        for record in sheet["records"]:
            if record["contender"].startswith(_OURS) and not record["reached"]:
                texts.append(f"{sheet['task']}: {record['contender']} misses the gap")
    return texts


def show_tasks(sheets: list[dict[str, Any]]) -> None:
    """Print a table a task."""
    console = _console()
    for sheet in sheets:
        console.print(_table(sheet))
        for note in sheet["notes"]:
            console.print(f"  {note}", style="bold red" if note.startswith("WRONG") else "dim")


def show_end(found: dict[str, Any], broken: list[str]) -> None:
    """Print the targets, what was measured with, and what failed."""
    console = _console()
    if found["targets"] and not found["options"]["smoke"]:
        console.print(_target_table(found["targets"]))
    machine = ", ".join(f"{name} {v}" for name, v in found["versions"].items() if v)
    kernels = f"{found['kernels']} kernels"
    console.print(
        f"{found['machine']['cpus']} CPUs, Python {found['python']}; {machine}; {kernels}"
    )
    for text in (*broken, *failures(found)):
        console.print(f"FAILED: {text}", style="bold red")


def write(found: dict[str, Any], folder: Path) -> None:
    """Write benchmarks.json and, with matplotlib, benchmarks.png."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "benchmarks.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    try:
        from benchmarks import plot  # noqa: PLC0415  an extra
    except ImportError:
        progress("no plot: matplotlib is not installed (extra 'plot')")
        return
    plot.save(found, folder / "benchmarks.png")


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else 132)


def _table(sheet: dict[str, Any]) -> Table:
    unit = f"{sheet['counting_seconds'] * 1e3:.3g} ms ({sheet['nanoseconds_per_cell']:.2f} ns/cell)"
    size = f"{sheet['rows']:,} × {sheet['attributes']}, {sheet['classes']} classes"
    title = f"{sheet['task']}: {size}; C = {unit}"
    table = Table(title=title, title_justify="left", caption=_memory(sheet), caption_justify="left")
    for head in _HOLED_HEAD if _is_holed(sheet) else _HEAD:
        table.add_column(head, justify="left" if head in {"race", "contender", "form"} else "right")
    order = sorted(
        sheet["records"], key=lambda r: (_races(sheet).index(r["race"]), r["threads"], r["seconds"])
    )
    for record in order:
        style = "bold" if record["contender"].startswith(_OURS) else None
        table.add_row(*_cells(record, is_holed=_is_holed(sheet)), style=style)
    return table


def _races(sheet: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(record["race"] for record in sheet["records"]))


def _is_holed(sheet: dict[str, Any]) -> bool:
    """Tell whether the races are those with missing cells, which have no tolerance to find."""
    return any(race in NAMES.values() for race in _races(sheet))


def _cells(record: dict[str, Any], *, is_holed: bool) -> list[str]:
    ratio, tolerance, gap = record["times_best_peer"], record["tolerance"], record["gap"]
    rate, difference = record["rows_per_second"], record["difference"]
    if is_holed:
        last = ["" if rate is None else f"{rate:,.0f}"]
        last.append("" if difference is None else f"{difference:.0e}")
    else:
        last = ["" if tolerance is None else f"{tolerance:.0e}"]
        last.append("" if gap is None else f"{gap:.1e}")
    return [
        record["race"],
        record["contender"],
        str(record["threads"]),
        f"{record['seconds']:.4g}" + ("" if record["reached"] else " (gap missed)"),
        f"{record['passes']:.3g}",
        "" if ratio is None else f"{ratio:.2f}",
        *last,
        record["form"],
    ]


def _memory(sheet: dict[str, Any]) -> str:
    parts = []
    if sheet["memory_added"] is not None:
        added, own = sheet["memory_added"] / 2**20, sheet["dataset_bytes"] / 2**20
        parts.append(f"a fit adds {added:.1f} MiB at its height, the Dataset has {own:.1f} MiB")
    if sheet["same_bytes_on_all_threads"] is not None:
        same = sheet["same_bytes_on_all_threads"]
        parts.append("same bytes on all threads" if same else "bytes DEPEND on threads")
    return "; ".join(parts)


def _target_table(rows: list[dict[str, Any]]) -> Table:
    table = Table(title="Targets", title_justify="left")
    for head in ("target", "wanted", "measured", ""):
        table.add_column(head)
    for row in rows:
        mark = "reached" if row["reached"] else "MISSED"
        style = None if row["reached"] else "bold"
        table.add_row(row["what"], row["wanted"], row["measured"], mark, style=style)
    return table


def _ratio(record: dict[str, Any], records: list[dict[str, Any]]) -> float | None:
    """How many times faster than the best peer of the same race and threads."""
    race = "fit" if record["race"] == "reused" else record["race"]
    times = [
        other["seconds"]
        for other in records
        if other["race"] == race
        and other["threads"] == record["threads"]
        and other["reached"]
        and not other["contender"].startswith(_OURS)
    ]
    return min(times) / record["seconds"] if times else None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return _own_version() if name == _OURS else None


def _own_version() -> str:
    import bnlr  # noqa: PLC0415  run from a checkout

    return bnlr.__version__


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()

"""Where a fit's time goes: Python's profiler hook, every moment charged to one layer.

The hook keeps the stack of layers: a function of one of the places below opens its layer, all that
it calls belongs to it, other functions stay in their caller's. Compiled kernels count for the
function that called them. The hook costs a little per Python call, so layers of many small calls
look larger than they are; the unprofiled time is shown beside it.
"""

import sys
import time
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import counting, ours, race
from benchmarks.workloads import FULL, SMOKE, WORKLOADS, Task

_RUNS = 3
_OTHER = "other"
# Path ends with, function name or "" for all of the file; the first that fits opens the layer.
_PLACES = (
    ("learn/bound.py", "", "proof"),
    ("learn/separation.py", "", "proof"),
    ("learn/recession.py", "", "proof"),
    ("learn/path.py", "", "proof"),
    ("learn/logistic.py", "_known", "proof"),
    ("spaces/backmap.py", "", "back-map"),
    ("bnlr/network/", "", "back-map"),
    ("", "to_network", "back-map"),
    ("design/tables.py", "of", "packing"),
    ("design/pack.py", "encode", "packing"),
    ("design/pack.py", "pack", "packing"),
    ("data/compress.py", "", "packing"),
    ("learn/frequencies.py", "", "counting"),
    ("design/tables.py", "counts", "counting"),
    ("structure/report.py", "analyze", "checks"),
    ("data/dataset.py", "", "checks"),
    ("bnlr/spaces/", "", "spaces"),
    ("learn/run.py", "", "solver, steps"),
    ("learn/solve.py", "", "solver, steps"),
    ("bnlr/optimize/", "", "solver, steps"),
    ("bnlr/objectives/", "", "solver, steps"),
    ("design/tables.py", "", "solver, kernels"),
    ("design/twins.py", "", "solver, kernels"),
)
_STICKY = {"proof", "back-map", "packing", "counting"}

Layers = dict[str, float]


class Clock:
    """Seconds by layer while its hook is set."""

    def __init__(self) -> None:
        self.seconds: Layers = defaultdict(float)
        self._stack = [_OTHER]
        self._known: dict[Any, str | None] = {}
        self._last = time.perf_counter()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Charge the time since the last event; enter or leave a function's layer."""
        now = time.perf_counter()
        self.seconds[self._stack[-1]] += now - self._last
        if event == "call":
            self._stack.append(self._layer(frame))
        elif event == "return" and len(self._stack) > 1:
            self._stack.pop()
        self._last = time.perf_counter()

    def _layer(self, frame: FrameType) -> str:
        current = self._stack[-1]
        if current in _STICKY:
            return current
        code = frame.f_code
        if code not in self._known:
            self._known[code] = _place(code.co_filename, code.co_name)
        return self._known[code] or current


def _place(path: str, name: str) -> str | None:
    file = Path(path).as_posix()
    for part, function, layer in _PLACES:
        if part in file and "/bnlr/" in file and function in {"", name}:
            return layer
    return None


def layers(task: Task, tol: float = race.WANTED) -> Layers:
    """Seconds of one fit by layer, the least total of several runs."""
    found = []
    for _ in range(_RUNS):
        clock = Clock()
        sys.setprofile(clock)
        try:
            ours.fit(task, ours.fresh(task.data), tol, 1)
        finally:
            sys.setprofile(None)
        found.append(dict(clock.seconds))
    return min(found, key=lambda seconds: sum(seconds.values()))


def show(workload: str, folder: Path, *, smoke: bool = False) -> None:
    """Print a table a task of ``workload``: layers, seconds, passes, share."""
    console = Console()
    for task in WORKLOADS[workload](SMOKE if smoke else FULL, folder):
        arguments = counting.arguments(task.data)
        counting.count_columns(*arguments)
        unit = race.best_time(lambda a=arguments: counting.count_columns(*a), 5)
        ours.fit(task, task.data, race.WANTED, 1)
        plain = race.best_time(
            lambda t=task: ours.fit(t, ours.fresh(t.data), race.WANTED, 1), _RUNS
        )
        console.print(_table(task, layers(task), unit, plain))


def _table(task: Task, seconds: Layers, unit: float, plain: float) -> Table:
    total = sum(seconds.values())
    title = (
        f"{task.name}: {plain * 1e3:.2f} ms, {plain / unit:.1f} C; profiled {total * 1e3:.2f} ms"
    )
    table = Table(title=title, title_justify="left")
    for head in ("layer", "milliseconds", "C", "share"):
        table.add_column(head, justify="left" if head == "layer" else "right")
    for layer, own in sorted(seconds.items(), key=lambda pair: -pair[1]):
        cells = f"{own * 1e3:.2f}", f"{own / unit:.2f}", f"{own / total:.0%}"
        table.add_row(layer, *cells)
    return table

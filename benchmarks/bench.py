"""One task on the bench: its unit C, its sheet, and how its calls are timed."""

from collections.abc import Callable
from typing import Any

from benchmarks import counting, race
from benchmarks.records import RaceOptions, RaceRecord, Sheet
from benchmarks.workloads import FitTask

Tell = Callable[[str], None]


class Bench:
    """Measures C for a task on its own data and takes down records.

    Attributes
    ----------
    unit : seconds of one counting pass
    sheet : the figures so far
    """

    def __init__(self, task: FitTask, options: RaceOptions, tell: Tell) -> None:
        self.task, self.options = task, options
        self._tell = tell
        arguments = counting.arguments(task.counted)
        counting.count_columns(*arguments)
        counting.count_plainly(*arguments)
        self.unit = self.best(lambda: counting.count_columns(*arguments))
        plain = self.best(lambda: counting.count_plainly(*arguments))
        n_rows, n_attributes = task.data.n_rows, len(task.data.nodes) - 1
        per_cell = self.unit / n_rows / n_attributes * 1e9
        size = (n_rows, n_attributes, task.n_classes)
        n_bytes = task.data.codes.nbytes
        self.sheet = Sheet(task.name, *size, task.penalty, self.unit, per_cell, plain, n_bytes)
        self.tell(f"C = {self.unit * 1e3:.3f} ms, {per_cell:.2f} ns a cell")

    def best(self, call: Callable[[], Any]) -> float:
        """Least seconds of several calls; of one in the smoke run, whose times say nothing."""
        repeats = self.options.repeats
        return race.best_time(call, repeats, least=0.0 if self.options.smoke else 0.2)

    def record(
        self, name: str, contender: str, threads: int, seconds: float, **more: Any
    ) -> RaceRecord:
        """Return a record of this task, not kept yet."""
        passes = seconds / self.unit
        return RaceRecord(self.task.name, name, contender, threads, seconds, passes, **more)

    def keep(self, record: RaceRecord) -> RaceRecord:
        """Take a record down."""
        self.sheet.records.append(record)
        return record

    def tell(self, text: str) -> None:
        """Show a line of progress."""
        self._tell(f"{self.task.name}: {text}")

    def note(self, text: str) -> None:
        """Keep a remark for the report, once."""
        if text not in self.sheet.notes:
            self.sheet.notes.append(text)
            self.tell(text)

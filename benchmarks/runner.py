"""All races of one workload, in one process: what `__main__` starts for each of them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import bnlr
from benchmarks import counted, literal, memory, missing_cells, ours, peers, race
from benchmarks.bench import Bench, Tell
from benchmarks.designs import codes_of_frame
from benchmarks.problem import PeerProblem
from benchmarks.records import RaceOptions, RaceRecord, Sheet
from benchmarks.threads import limited
from benchmarks.workloads import FULL, SMOKE, WORKLOADS, MissingDataError

_REFERENCE_TOL = 1e-13
_BETTER = 1e-9
_SLOW = 2.0
_HOPELESS = 1.5


def run(workload: str, options: RaceOptions, tell: Tell) -> Iterator[Sheet]:
    """Run every task of a workload; a file that is not there ends it with one line."""
    sizes = SMOKE if options.smoke else FULL
    try:
        for task in WORKLOADS[workload](sizes, Path(options.data_dir)):
            if options.only not in task.name:
                continue
            with limited(1):
                bench = Bench(task, options, tell)
            _counted(bench)
            if "fit" in task.races:
                Races(bench).run()
            yield bench.sheet
    except MissingDataError as error:
        tell(f"{workload} is left out: {error}")


def _counted(bench: Bench) -> None:
    if "frequencies" in bench.task.races:
        counted.frequencies(bench)
    if "structure" in bench.task.races:
        counted.structure(bench)
    missing_cells.run(bench)


class Races:
    """The races of one task to a common gap from its optimum."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.task = bench, bench.task
        self._known: dict[tuple[str, str], float] = {}

    def run(self) -> None:
        """Find the optimum, then race on each number of threads."""
        with limited(1):
            self._measure_memory()
            self._find_optimum()
        self._compare_threads()
        for n_threads in self.bench.options.threads:
            with limited(n_threads):
                self._race_all(n_threads)
        excess = -literal.gap(self._highest, self._optimum)
        if excess > _BETTER:
            by = f"{self._highest_by} is better than the reference by {excess:.1e}, relative"
            self.bench.note(f"WRONG: {by}")

    # the optimum, memory

    def _measure_memory(self) -> None:
        task = self.task
        ours.fit(task, task.data.take(slice(0, 1000)), 1e-3, 1)  # compiles
        added = memory.peak_added(lambda: ours.fit(task, task.data, race.WANTED, 1))
        self.bench.sheet.memory_added = added

    def _find_optimum(self) -> None:
        self.bench.tell("reference optimum")
        contender = ours.cold(self.task, 1)
        result, seconds = race.timed(lambda: contender.run(_REFERENCE_TOL))
        tables = contender.tables(result)
        self._optimum = self.bench.sheet.optimum = literal.objective(self.task, tables)
        self._highest, self._highest_by = self._optimum, contender.name
        self.bench.tell(f"optimum {self._optimum:.6f} in {seconds:.2f} s; {result.message}")
        given = result.network.conditional_log_likelihood(self.task.data)
        judged = literal.cll(self.task, tables)
        if abs(given - judged) > race.WANTED * max(1.0, abs(judged)):
            self.bench.note(f"WRONG: the network's CLL is {given!r}, that of its tables {judged!r}")

    def _compare_threads(self) -> None:
        threads = self.bench.options.threads
        if len(threads) > 1:
            fits = [ours.fit(self.task, self.task.data, race.WANTED, n) for n in threads]
            distinct = {ours.stacked_tables(fit).tobytes() for fit in fits}
            self.bench.sheet.same_bytes_on_all_threads = len(distinct) == 1

    # from codes

    def _race_all(self, n_threads: int) -> None:
        task = self.task
        own = self._own("fit", ours.cold(task, n_threads), n_threads)
        if "reused" in task.races:
            self._own("reused", ours.reused(task, n_threads), n_threads)
        found = [self._peer(forms, n_threads) for forms in self._entries()]
        finished = [(e, record) for e, record in found if record is not None and record.reached]
        for name, make in (("encoded", _categorical), ("strings", _text)):
            if name in task.races and own is not None:
                frame = make(task.data)
                self._own_from_frame(name, ours.from_frame(task, frame, n_threads), own)
                for entry, record in finished:
                    self._peer_from_frame(name, entry, record, frame)

    def _entries(self) -> Iterator[list[peers.Entry]]:
        names = [n for n in self.bench.options.peers if n in self.task.peers]
        timed = partial(race.best_time, repeats=1, least=0.0 if self.bench.options.smoke else 0.2)
        for forms in peers.entries(PeerProblem(self.task), names, timed):
            if isinstance(forms, str):
                self.bench.note(forms)
            else:
                yield forms

    def _own(self, name: str, contender: ours.Ours, n_threads: int) -> RaceRecord | None:
        record = self._race(name, contender, n_threads)
        return None if record is None else self.bench.keep(record)

    def _peer(
        self, forms: list[peers.Entry], n_threads: int
    ) -> tuple[peers.Entry, RaceRecord | None]:
        """Race a peer with one form of the design, then see whether another form is faster."""
        entry = forms[0]
        best = self._race("fit", entry, n_threads)
        for other in forms[1:] if best is not None and best.reached else ():
            record = self._at(other, best)
            if record.gap <= race.WANTED and record.seconds < best.seconds:
                entry, best = other, record
        return entry, None if best is None else self.bench.keep(best)

    def _at(self, entry: peers.Entry, like: RaceRecord) -> RaceRecord:
        """Return the figures of another form at the tolerance of ``like``."""
        self.bench.tell(f"{entry.name}, {entry.form}, tolerance {like.tolerance:.0e}")
        again = partial(entry.run, like.tolerance)
        fitted, seconds = race.timed(again)
        gap = literal.gap(self._judged(entry.name, entry.tables(fitted)), self._optimum)
        if seconds < _HOPELESS * like.seconds:
            seconds = min(seconds, self.bench.best(again))
        passes = seconds / self.bench.unit
        return replace(like, form=entry.form, gap=gap, seconds=seconds, passes=passes)

    def _race(
        self, name: str, contender: ours.Ours | peers.Entry, n_threads: int
    ) -> RaceRecord | None:
        judge = race.Judge(
            lambda fitted: self._judged(contender.name, contender.tables(fitted)),
            lambda value: literal.gap(value, self._optimum),
        )
        self.bench.tell(f"{contender.name}, {contender.form}, {n_threads} threads")
        try:
            finish = race.loosest(
                self._told(contender),
                judge,
                self._tolerances(name, contender.name),
                limit=self.bench.options.limit,
            )
        except peers.FAILURES as error:
            self.bench.note(f"{contender.name} fails: {str(error).splitlines()[0]}")
            return None
        if finish.reached:
            again = partial(contender.run, finish.tolerance)
            finish.seconds = min(finish.seconds, self.bench.best(again))
        else:
            self.bench.note(f"{contender.name} stays {finish.gap:.1e} below the optimum")
        self._known.setdefault((name, contender.name), finish.tolerance)
        return self.bench.record(
            name,
            contender.name,
            n_threads,
            finish.seconds,
            form=contender.form,
            tolerance=finish.tolerance,
            gap=finish.gap,
            reached=finish.reached,
            evaluations=ours.evaluations(finish.fitted),
            trail=finish.trail,
        )

    def _tolerances(self, name: str, contender: str) -> tuple[float, ...]:
        """All of them; on further numbers of threads only from the one found before."""
        known = self._known.get((name, contender))
        tighter = [tol for tol in race.DECADES if known is None or tol < 0.9 * known]
        return tuple(tighter) if known is None else (known, *tighter)

    def _judged(self, name: str, tables: literal.Tables) -> float:
        value = literal.objective(self.task, tables)
        if value > self._highest:
            self._highest, self._highest_by = value, name
        return value

    def _told(self, contender: ours.Ours | peers.Entry) -> Callable[[float], Any]:
        """Return ``contender.run`` that shows its slow calls."""

        def told(tol: float) -> Any:
            result, seconds = race.timed(lambda: contender.run(tol))
            if seconds > _SLOW:
                self.bench.tell(f"{contender.name}, tolerance {tol:.0e}: {seconds:.1f} s")
            return result

        return told

    # from data frames

    def _own_from_frame(self, name: str, contender: ours.Ours, cold: RaceRecord) -> None:
        """All in one call, at the tolerance found from codes."""
        seconds = self.bench.best(partial(contender.run, cold.tolerance))
        self._keep_from_frame(name, cold, contender.form, seconds)

    def _peer_from_frame(self, name: str, entry: peers.Entry, cold: RaceRecord, frame: Any) -> None:
        """A peer's best way from the frame to its matrix, on top of its fit."""

        def encode(build: Callable[[Any], Any]) -> Any:
            ready = frame if name == "encoded" else frame.astype("category")
            return build(codes_of_frame(ready))

        least = min(self.bench.best(partial(encode, way)) for way in peers.encoded(entry))
        self._keep_from_frame(name, cold, cold.form, cold.seconds + least)

    def _keep_from_frame(self, name: str, cold: RaceRecord, form: str, seconds: float) -> None:
        self.bench.keep(
            replace(
                cold,
                race=name,
                form=form,
                seconds=seconds,
                passes=seconds / self.bench.unit,
                encoding_seconds=seconds - cold.seconds,
                trail=[],
            )
        )


def _categorical(data: bnlr.Dataset) -> Any:
    return data.to_frame()


def _text(data: bnlr.Dataset) -> Any:
    return data.to_frame().astype(str)

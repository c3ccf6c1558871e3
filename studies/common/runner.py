"""Run a study: what an earlier run has done is read, the rest is done, then results are written."""

import os
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from studies.common.crew import Crew, Here, do_tasks
from studies.common.disk import Disk, replace_file
from studies.common.errors import StudyError
from studies.common.folder import held
from studies.common.journal import JOURNAL_NAME, Journal, check_header, read_journal
from studies.common.progress import duration, note, progress
from studies.common.signals import Stop, Stopped, listening
from studies.common.study import Outcome, Record, Study
from studies.common.tables import results_csv, results_json, timings_csv
from studies.common.task import Task
from studies.common.workers import Processes

RESERVED = frozenset({JOURNAL_NAME, "results.json", "results.csv", "timings.csv"})
_MOST_SHOWN = 10


@dataclass(frozen=True)
class Options:
    """How to run a study; nothing here changes what its result files hold.

    Parameters
    ----------
    out
        The output folder; None is one of the study's name in the current directory.
    resume
        Go on with the journal there, if there is one.
    jobs
        Worker processes; 0 runs the tasks in this process, for debugging.
    time_limit
        Seconds after which a task is given up; None for any.
    quiet
        No progress, no notes.
    scheduler
        The address of a Dask cluster whose workers do the tasks instead, whatever ``jobs`` is.

    Raises
    ------
    StudyError
        ``jobs`` or ``time_limit`` out of range.
    """

    out: str | os.PathLike[str] | None = None
    resume: bool = False
    jobs: int = 1
    time_limit: float | None = None
    quiet: bool = False
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.jobs < 0:
            raise StudyError(f"jobs is {self.jobs}; it must be 1 or larger, or 0 for this process")
        if self.time_limit is not None and not self.time_limit > 0:
            raise StudyError(
                f"time_limit is {self.time_limit}; it must be a positive number of seconds"
            )


def run_study(study: Study, options: Options | None = None, disk: Disk | None = None) -> Outcome:
    """Do all tasks of a study that are not done yet, and write its result files.

    ``journal.jsonl`` grows with every task; ``results.json``, ``results.csv``, what the study's
    report adds and, apart, ``timings.csv`` are written at the end, each by replace. Failed tasks
    are done again by a resume. On Ctrl-C or SIGTERM the tasks that run are dropped and nothing more
    is written.

    Parameters
    ----------
    study
    options
    disk
        For tests: how to write.

    Returns
    -------
    Outcome
        Its ``exit_code`` is 0 only if every task has a result.

    Raises
    ------
    StudyError
        Nothing could be done, or not be written; says what to do.
    """
    options, disk = options or Options(), disk or Disk()
    folder = Path(study.name if options.out is None else options.out)
    start = monotonic()
    with held(folder, options.resume, disk) as path, listening() as stop:
        run = _Run(study, folder, options, disk, stop)
        records = run.all_tasks(path)
        outcome = _outcome(study, records, folder, stop)
        if stop.signal is None:
            try:
                with stop.at_once():
                    _write_results(outcome, disk)
            except Stopped:
                outcome = _outcome(study, records, folder, stop)
    if not options.quiet:
        _tell(outcome, monotonic() - start)
    return outcome


class _Run:
    """One run of a study in a folder that is held."""

    def __init__(
        self, study: Study, folder: Path, options: Options, disk: Disk, stop: Stop
    ) -> None:
        self._study, self._folder, self._options = study, folder, options
        self._disk, self._stop = disk, stop

    def all_tasks(self, path: Path) -> dict[Task, Record]:
        """Records of all tasks, or of those that were done before a signal."""
        records = self._past(path)
        known = self._study.known
        for task in self._study.tasks:
            if task in known and (task not in records or records[task].failure):
                records[task] = known[task]
        left = [t for t in self._study.tasks if t not in records or records[t].failure]
        with (
            closing(self._crew(left)) as crew,  # first: if it cannot be had nothing has begun
            closing(self._journal(path, records)) as journal,
            closing(self._fresh(crew, len(left))) as fresh,
        ):
            for record in fresh:
                journal.append(record)
                records[record.task] = record
        return records

    def _past(self, path: Path) -> dict[Task, Record]:
        if not path.exists():
            return {}
        past = read_journal(path)
        check_header(past.header, self._study.header, path)
        if past.dropped and not self._options.quiet:
            numbers = ", ".join(map(str, past.dropped[:_MOST_SHOWN]))
            note(f"{path}: damaged or double lines dropped: {numbers}; their tasks are done again")
        if self._study.may_grow:
            return dict(past.records)
        known = set(self._study.tasks)
        return {task: record for task, record in past.records.items() if task in known}

    def _journal(self, path: Path, records: dict[Task, Record]) -> Journal:
        return Journal(path, self._study.header, list(records.values()), self._disk)

    def _fresh(self, crew: Crew, n_left: int) -> Generator[Record, None, None]:
        total = len(self._study.tasks)
        with progress(self._study.name, total, total - n_left, self._options.quiet) as shown:
            for record in do_tasks(crew, self._stop, shown.tick):
                yield record
                shown.done(record.failure is not None)

    def _crew(self, left: list[Task]) -> Crew:
        study, options = self._study, self._options
        if options.scheduler is not None and left:
            return _cluster(study, left, options)
        if options.jobs == 0:
            return Here(study.run, left, self._stop)
        return Processes(study.run, left, options.jobs, options.time_limit)


def _cluster(study: Study, left: list[Task], options: Options) -> Crew:
    try:
        from studies.common.cluster import Cluster  # noqa: PLC0415  an extra
    except ImportError as error:
        raise StudyError(f"--scheduler needs Dask ({error}): pip install 'bnlr[dask]'") from error
    cluster = Cluster(study, left, str(options.scheduler), options.time_limit)
    if not options.quiet:
        note(f"{study.name}: {cluster}")
    return cluster


def _outcome(study: Study, records: dict[Task, Record], folder: Path, stop: Stop) -> Outcome:
    ordered = tuple(records[task] for task in study.tasks if task in records)
    return Outcome(study, ordered, folder, stop.signal)


def _write_results(outcome: Outcome, disk: Disk) -> None:
    files: dict[str, str | bytes] = {
        "results.json": results_json(outcome),
        "results.csv": results_csv(outcome),
        "timings.csv": timings_csv(outcome),
    }
    for name, content in files.items():
        _write(outcome.folder, name, content, disk)
    report = outcome.study.report
    for name, content in (report(outcome) if report else {}).items():
        if not name or name in RESERVED or Path(name).name != name or name.startswith("."):
            raise StudyError(f"the report of {outcome.study.name} may not write a file {name!r}")
        _write(outcome.folder, name, content, disk)


def _write(folder: Path, name: str, content: str | bytes, disk: Disk) -> None:
    raw = content.encode("utf-8") if isinstance(content, str) else content
    replace_file(disk, folder / name, raw)


def _tell(outcome: Outcome, seconds: float) -> None:
    """Say how the run ended, and how to go on if it did not do all."""
    total, done, failed = len(outcome.study.tasks), len(outcome.done), outcome.failed
    for record in failed[:_MOST_SHOWN]:
        note(f"failed: {record.task}: {record.failure}")
    if len(failed) > _MOST_SHOWN:
        note(f"… and {len(failed) - _MOST_SHOWN} more, see {outcome.folder / 'results.json'}")
    name, folder = outcome.study.name, outcome.folder
    if outcome.signal is not None:
        note(
            f"{name}: stopped after {done} of {total} tasks, all kept in {folder}; "
            "to go on, repeat the command with --resume"
        )
    elif failed:
        note(f"{name}: {len(failed)} of {total} tasks failed; --resume tries them again")
    else:
        note(f"{name}: {total} tasks done in {duration(seconds)}, results in {folder}")

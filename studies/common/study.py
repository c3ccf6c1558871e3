"""What a study is, and what comes out of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from studies.common.errors import StudyError
from studies.common.task import Task
from studies.common.values import Scalar, Value, fingerprint, to_text

Files = Mapping[str, str | bytes]


@dataclass(frozen=True)
class Timed:
    """A result with seconds of its own, such as ``{"fit": 0.31}``, kept out of the result files."""

    result: Value
    seconds: Mapping[str, float]


@dataclass(frozen=True)
class Failure:
    """Why a task has no result: the exception's type and message, or what became of its worker."""

    kind: str
    message: str
    traceback: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


@dataclass(frozen=True)
class Record:
    """One finished task: its result, or the failure; ``seconds`` always holds ``total``."""

    task: Task
    result: Value = None
    failure: Failure | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """A list of tasks and the function that does one of them.

    Parameters
    ----------
    name
        Small letters, digits and hyphens; also the default output folder.
    version
        Raised when the study's code changes what a task yields: older journals are then refused.
    settings
        All that results depend on beside the task, as JSON values; a journal of other settings is
        refused, naming what differs. Put versions of libraries here if resuming under others
        should be refused; bnlr's own is added.
    tasks
        Distinct; result files keep their order.
    run : task → result
        Must be picklable: a function of a module, or `functools.partial` of one. What it yields
        may depend on nothing but the task and the settings. It may return a `Timed`.
    report : outcome → {file name: text or bytes}, optional
        Further result files, such as tables and pages, made after the last task, also if some
        failed; must not depend on seconds.
    may_grow
        Whether a journal of other tasks is continued, which keeps what this list leaves out. For
        studies whose tasks tell all that results depend on, such as a version of the learner.
    known : {task: record}
        What need not be done, for it was found elsewhere; a result in the journal goes before it.
    anew : () → Study, optional
        Builds the study again, picklable as ``run``: workers of a cluster see by it whether they
        have the same data and versions.

    Raises
    ------
    StudyError
        A bad name, no tasks, or the same task twice.
    """

    name: str
    version: int
    settings: Mapping[str, Value]
    tasks: Sequence[Task]
    run: Callable[[Task], Value]
    report: "Callable[[Outcome], Files] | None" = None
    may_grow: bool = False
    known: "Mapping[Task, Record]" = field(default_factory=dict)
    anew: "Callable[[], Study] | None" = None

    def __post_init__(self) -> None:
        if not self.name or not set(self.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-"):
            raise StudyError(
                f"a study's name must be small letters, digits and hyphens, got {self.name!r:.60}"
            )
        if not self.tasks:
            raise StudyError(f"the study {self.name} has no tasks; loosen what was left out")
        seen: set[Task] = set()
        for task in self.tasks:
            if task in seen:
                raise StudyError(f"the study {self.name} lists the task {task} twice")
            seen.add(task)

    @property
    def header(self) -> dict[str, Value]:
        """What must be equal for a journal to be continued."""
        import bnlr  # noqa: PLC0415  tests set its version

        fixed = () if self.may_grow else self.tasks
        texts = "\n".join(task.text for task in fixed)
        settings = to_text(dict(self.settings), "the settings")
        return {
            "study": self.name,
            "version": self.version,
            "bnlr": bnlr.__version__,
            "settings": dict(self.settings),
            "settings_sha256": fingerprint(settings),
            "tasks": None if self.may_grow else len(self.tasks),
            "tasks_sha256": fingerprint(texts),
        }


@dataclass(frozen=True)
class Outcome:
    """What a run of a study left.

    ``records`` are in the order of the study's tasks; those of an interrupted run are incomplete.
    """

    study: Study
    records: tuple[Record, ...]
    folder: Path
    signal: int | None = None

    @property
    def done(self) -> tuple[Record, ...]:
        """The records that hold a result."""
        return tuple(record for record in self.records if record.failure is None)

    @property
    def failed(self) -> tuple[Record, ...]:
        """The records that hold a failure."""
        return tuple(record for record in self.records if record.failure is not None)

    @property
    def exit_code(self) -> int:
        """0; 1 a task failed; 128 + the signal's number if interrupted."""
        if self.signal is not None:
            return 128 + self.signal
        return 1 if self.failed or len(self.records) < len(self.study.tasks) else 0

    def results(self, **fields: Scalar) -> tuple[Value, ...]:
        """Results of the tasks whose fields have these values, e.g. ``results(data="pima")``."""
        return tuple(
            record.result
            for record in self.done
            if all(name in record.task and record.task[name] == v for name, v in fields.items())
        )

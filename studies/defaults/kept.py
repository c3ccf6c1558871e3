"""Scores of peers as an earlier run found them, for those whose library is not installed.

Boosting takes hours on all sets and depends on nothing of bnlr's, so its scores are kept in
``peers.csv`` beside this file, a line a task. Every run writes a file of the same form with the
peers it had, to be put in its place. Seconds are not kept: they belong to a machine.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from studies.common import Record, Task, csv_text
from studies.common.values import Value
from studies.defaults.learners import LEARNERS
from studies.defaults.tables import MEASURES

PATH = Path(__file__).with_name("peers.csv")
NAME = PATH.name
_COUNTS = ("zeros", "unconverged")
_KEY = ("data", "rows", "seed", "learner", "version", "library")
_COLUMNS = (*_KEY, *MEASURES, *_COUNTS, "failed")


def optional(name: str) -> bool:
    """Whether a learner's library may be absent, so that its scores are worth keeping."""
    return LEARNERS[name].library is not None


def text(records: Iterable[Record]) -> str:
    """A line for each record of a learner whose library may be absent, its folds as lists.

    Parameters
    ----------
    records
        Those that hold a result.
    """
    return csv_text(
        [_line(one) for one in records if optional(str(one.task["learner"]))], columns=_COLUMNS
    )


def read(path: Path = PATH) -> dict[Task, Record]:
    """Read what `text` wrote: records without seconds, in the order of the file.

    Those of another version of the learner are left out; nothing if there is no such file.
    """
    if not path.exists():
        return {}
    lines = csv.DictReader(io.StringIO(path.read_text("utf-8")))
    found = [_record(line) for line in lines]
    return {one.task: one for one in found if _is_current(one.task)}


def _is_current(task: Task) -> bool:
    learner = LEARNERS.get(str(task["learner"]))
    return learner is not None and learner.version == task["version"]


def _line(record: Record) -> dict[str, Value]:
    return {**{name: record.task[name] for name in _KEY}, **record.result}


def _record(line: Mapping[str, str]) -> Record:
    task = Task(
        **{name: line[name] for name in ("data", "rows", "learner", "library")},
        **{name: int(line[name]) for name in ("seed", "version")},
    )
    if line["failed"]:
        result: Value = {"failed": line["failed"]}
    else:
        result = {name: json.loads(line[name]) for name in (*MEASURES, *_COUNTS)}
    return Record(task, result, seconds={"total": 0.0})

"""The journal: what a study has done, one line a task, so that a killed run can go on.

    {"sha256":"…","content":{"study":…,"version":…,"settings":…}}
    {"sha256":"…","content":{"task":{…},"result":{…},"seconds":{"total":0.31}}}
    {"sha256":"…","content":{"task":{…},"failure":{…},"seconds":{"total":0.02}}}

The hash is that of the content as written. Lines are appended in the order in which tasks end, each
with one write and a sync. A line that is torn or was altered, wherever it stands, is dropped and
its task is done again; lines that are whole are kept. The first line is written by replace and so
never torn: a bad one means another file. Every resume writes the journal anew, again by replace, so
that a failed sync of the last run is not trusted. Of several lines of one task the first result
holds, else the last failure.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from studies.common.disk import Disk, explained, replace_file
from studies.common.errors import JournalError, SettingsError
from studies.common.study import Failure, Record
from studies.common.task import Task
from studies.common.values import Value, fingerprint, to_text

JOURNAL_NAME = "journal.jsonl"
_LINE = re.compile(rb'\{"sha256":"([0-9a-f]{64})","content":(.+)\}', re.DOTALL)
_FLAGS = os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Past:
    """What a journal holds: records by task, and the numbers of the lines that were dropped."""

    header: Mapping[str, Value]
    records: Mapping[Task, Record]
    dropped: tuple[int, ...]


class Journal:
    """An open journal; records are appended to it.

    Raises
    ------
    WriteError
        It cannot be written.
    """

    def __init__(
        self, path: Path, header: Mapping[str, Value], records: Sequence[Record], disk: Disk
    ) -> None:
        self._path, self._disk = path, disk
        lines = [_line(dict(header)), *(_line(_content(record)) for record in records)]
        replace_file(disk, path, b"".join(lines))
        with explained(path):
            self._handle = os.open(path, _FLAGS)

    def append(self, record: Record) -> None:
        """Add a record; it is on the disk when this returns.

        Raises
        ------
        WriteError
            The operating system refused; the line may be torn, which the next resume mends.
        """
        line = _line(_content(record))
        with explained(self._path):
            self._disk.write(self._handle, line, "journal")
            self._disk.sync(self._handle, "journal")

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)


def read_journal(path: Path) -> Past:
    """Read what `Journal` wrote, dropping lines that are not as they were written.

    Raises
    ------
    JournalError
        The file cannot be read, or its first line is no header.
    """
    try:
        first, *lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise JournalError(f"cannot read {path}: {error.strerror or error}") from error
    header = _read(first)
    if header is None or not {"study", "version", "settings"} <= header.keys():
        raise JournalError(
            f"{path} is no journal of a study, or its first line was changed; give another --out"
        )
    records, dropped = _sorted_out(lines)
    return Past(header, records, dropped)


def check_header(found: Mapping[str, Value], wanted: Mapping[str, Value], path: Path) -> None:
    """Refuse a journal of another study, version, settings or tasks.

    Raises
    ------
    SettingsError
        Names what differs, with both values.
    """
    others = differences(found, wanted)
    if others:
        raise SettingsError(
            f"{path} is a run of other settings: {'; '.join(others)}. To go on, repeat the "
            "command as it was then; to start anew, give another --out"
        )


def differences(found: Mapping[str, Value], wanted: Mapping[str, Value]) -> list[str]:
    """Say what differs between the study "there" and the one "here": nothing, or of one kind."""
    settings = sorted({*found["settings"], *wanted["settings"]})
    return (
        _differences(found, wanted, ("study", "version", "bnlr"))
        or _differences(found["settings"], wanted["settings"], settings)
        or _task_differences(found, wanted)
    )


def _differences(
    found: Mapping[str, Value], wanted: Mapping[str, Value], keys: Sequence[str]
) -> list[str]:
    texts = [(key, _shown(found, key), _shown(wanted, key)) for key in keys]
    return [
        f"{key} is {there:.200} there and {here:.200} here"
        for key, there, here in texts
        if there != here
    ]


def _task_differences(found: Mapping[str, Value], wanted: Mapping[str, Value]) -> list[str]:
    if found.get("tasks_sha256") == wanted["tasks_sha256"]:
        return []
    return [f"the list of tasks differs ({found.get('tasks')} there, {wanted['tasks']} here)"]


def _shown(mapping: Mapping[str, Value], key: str) -> str:
    return to_text(mapping[key]) if key in mapping else "not set"


def _sorted_out(lines: Sequence[bytes]) -> tuple[dict[Task, Record], tuple[int, ...]]:
    """Return records by task and the numbers (from 1) of lines that are damaged or double."""
    records: dict[Task, Record] = {}
    dropped = []
    torn = lines[-1:] != [b""]  # the last line has no end
    whole = lines[:-1]
    for number, line in enumerate(whole, start=2):
        record = _record(_read(line))
        known = None if record is None else records.get(record.task)
        if record is None or (known is not None and known.failure is None):
            dropped.append(number)
        else:
            records[record.task] = record
    if torn:
        dropped.append(len(whole) + 2)
    return records, tuple(dropped)


def _line(content: dict[str, Value]) -> bytes:
    text = to_text(content, "the journal line")
    return f'{{"sha256":"{fingerprint(text)}","content":{text}}}\n'.encode("ascii")


def _read(line: bytes) -> dict[str, Value] | None:
    """Return the content of a line, None if it is not as it was written."""
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    text = match[2].decode("ascii", "replace")
    if fingerprint(text) != match[1].decode("ascii"):
        return None
    content = json.loads(text)
    return content if isinstance(content, dict) else None


def _content(record: Record) -> dict[str, Value]:
    content: dict[str, Value] = {"task": dict(record.task)}
    if record.failure is None:
        content["result"] = record.result
    else:
        content["failure"] = asdict(record.failure)
    content["seconds"] = dict(record.seconds)
    return content


def _record(content: Mapping[str, Value] | None) -> Record | None:
    if content is None or "task" not in content:
        return None
    failure = Failure(**content["failure"]) if "failure" in content else None
    return Record(Task(**content["task"]), content.get("result"), failure, content["seconds"])

"""Tables and results as CSV and JSON: the same values give the same bytes."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence

from studies.common.study import Outcome, Record
from studies.common.values import Value, to_text

Row = Mapping[str, Value]


def csv_text(rows: Sequence[Row], columns: Sequence[str] | None = None) -> str:
    """Return rows as CSV with a header line.

    Floats are written with all their digits, None and what a row lacks as an empty cell, truth as
    ``true`` and ``false``, lists and dictionaries as JSON.

    Parameters
    ----------
    rows
    columns
        Their names, in order; if not given, all that occur, in order of appearance.
    """
    names = (
        list(dict.fromkeys(name for row in rows for name in row)) if columns is None else columns
    )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(row.get(name)) for name in names] for row in rows)
    return text.getvalue()


def json_text(value: Value) -> str:
    """Return a value as JSON for people: indented by one, letters as they are.

    Raises
    ------
    ResultError
        It holds a NaN or something that JSON cannot carry.
    """
    clean = json.loads(to_text(value, "the table"))
    return json.dumps(clean, indent=1, ensure_ascii=False) + "\n"


def results_json(outcome: Outcome) -> str:
    """Return all records but their seconds, one task a line, after what the study was run with."""
    head = {key: outcome.study.header[key] for key in ("study", "version", "bnlr", "settings")}
    lines = ",\n".join(to_text(_content(record)) for record in outcome.records)
    return f'{to_text(head)[:-1]},"tasks":[\n{lines}\n]}}\n'


def results_csv(outcome: Outcome) -> str:
    """Return one row a task: its fields, the plain values of its result, and failures if any."""
    return csv_text([_flat(record) for record in outcome.records])


def timings_csv(outcome: Outcome) -> str:
    """Return the seconds of each task, the one file that differs from run to run."""
    return csv_text([{**record.task, **_suffixed(record)} for record in outcome.records])


def _content(record: Record) -> dict[str, Value]:
    content: dict[str, Value] = {"task": dict(record.task)}
    if record.failure is None:
        return {**content, "result": record.result}
    # Tracebacks hold paths of this machine, so they stay in the journal.
    failure = {"kind": record.failure.kind, "message": record.failure.message}
    return {**content, "failure": failure}


def _flat(record: Record) -> dict[str, Value]:
    row: dict[str, Value] = dict(record.task)
    if record.failure is not None:
        return {**row, "failure": str(record.failure)}
    result = record.result if isinstance(record.result, dict) else {"result": record.result}
    plain = {name: value for name, value in result.items() if not isinstance(value, (list, dict))}
    return {**row, **{(f"result.{k}" if k in row else k): v for k, v in plain.items()}}


def _suffixed(record: Record) -> dict[str, Value]:
    names: Iterable[str] = sorted(record.seconds, key=lambda name: (name != "total", name))
    return {f"{name}_seconds": record.seconds[name] for name in names}


def _cell(value: Value) -> Value:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return to_text(value) if isinstance(value, (list, tuple, dict)) else value

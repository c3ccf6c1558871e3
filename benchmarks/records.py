"""What is asked of a run and what it gives: plain values that go through JSON."""

import time
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.inference_peers import INFERENCE_PEERS
from benchmarks.peers import PEERS


@dataclass(frozen=True)
class RaceOptions:
    """What the command line asks of every workload.

    ``limit`` is in seconds, ``only`` a part of the names of the tasks to be run.
    """

    threads: tuple[int, ...] = (1,)
    peers: tuple[str, ...] = (*PEERS, *INFERENCE_PEERS)
    repeats: int = 5
    data_dir: str = ""
    smoke: bool = False
    limit: float = 300.0
    only: str = ""


@dataclass
class RaceRecord:
    """One contender's figure in one race; ``passes`` is ``seconds`` in units of C.

    ``trail`` holds (tolerance, gap, seconds) of each tolerance tried. A peer that was measured on
    ``rows_measured`` rows only has its seconds scaled to all of them; ``difference`` is the
    greatest between its answers and bnlr's.
    """

    task: str
    race: str
    contender: str
    threads: int
    seconds: float
    passes: float
    form: str = ""
    tolerance: float = float("nan")
    gap: float = float("nan")
    reached: bool = True
    encoding_seconds: float = 0.0
    evaluations: dict[str, int] | None = None
    trail: list[tuple[float, float, float]] = field(default_factory=list)
    rows_per_second: float | None = None
    rows_measured: int | None = None
    difference: float | None = None


@dataclass
class Sheet:
    """All figures of one task; ``memory_added`` and ``dataset_bytes`` in bytes."""

    task: str
    rows: int
    attributes: int
    classes: int
    penalty: float
    counting_seconds: float
    nanoseconds_per_cell: float
    plain_counting_seconds: float
    dataset_bytes: int
    memory_added: int | None = None
    optimum: float | None = None
    same_bytes_on_all_threads: bool | None = None
    records: list[RaceRecord] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def as_json(sheet: Sheet) -> dict[str, Any]:
    """Return the sheet as plain values, NaN as None, with the time it was finished."""
    plain = asdict(sheet)
    for record in plain["records"]:
        for key in ("tolerance", "gap", "difference"):
            record[key] = None if record[key] != record[key] else record[key]
    return {**plain, "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z")}

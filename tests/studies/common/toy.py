"""A study of 12 quick tasks, some of which can be told to go wrong; also a program of its own.

python -m tests.studies.common.toy OUT [--jobs K] [--resume] [--slow SECONDS] [--started DIR]
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import time
from functools import partial
from pathlib import Path

from studies.common import Options, Outcome, Study, Task, Timed, csv_text, run_study

TASKS = [
    Task(data=data, solver=solver, seed=seed)
    for data in ("pima", "glass")
    for solver in ("cg", "bfgs", "newton")
    for seed in (1, 2)
]
BAD = TASKS[4]
RESULT_FILES = ("results.json", "results.csv", "means.csv")


def work(task: Task, slow: float = 0.0, started: str = "") -> Timed:
    """As good as any task; ``started`` is a folder in which it leaves a file of its process."""
    if started:
        (Path(started) / str(os.getpid())).touch()
    rng = random.Random(task.seed)  # noqa: S311  a sample
    time.sleep(slow * rng.random())
    trace = [rng.gauss(0, 1e3) for _ in range(5)]
    return Timed({"cll": trace[-1], "n": rng.randrange(9), "trace": trace}, {"fit": slow})


def bad_work(task: Task, harm: str, flag: str = "", slow: float = 0.0) -> Timed:
    """As `work`, but one task comes to harm, unless the file ``flag`` exists."""
    if task == BAD and not (flag and Path(flag).exists()):
        HARMS[harm]()
    return work(task, slow)


def _raise() -> None:
    raise ValueError("no such\nluck")


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _hang() -> None:
    time.sleep(600)


def _exit() -> None:
    raise SystemExit(3)


HARMS = {
    "raise": _raise,
    "kill": _kill,
    "hang": _hang,
    "exit": _exit,
    "leave": partial(os._exit, 7),
}


def report(outcome: Outcome) -> dict[str, str]:
    means = [
        {"data": data, "mean": sum(r["cll"] for r in outcome.results(data=data)) / 6}
        for data in ("pima", "glass")
    ]
    return {"means.csv": csv_text(means)}


def toy(run=work, tasks=TASKS, **changed) -> Study:
    fields = {"name": "toy", "version": 1, "settings": {"seeds": 2}, "report": report, **changed}
    return Study(tasks=tasks, run=run, **fields)


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in RESULT_FILES}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--slow", type=float, default=0.0)
    parser.add_argument("--started", default="")
    args = parser.parse_args()
    options = Options(args.out, args.resume, args.jobs)
    return run_study(toy(partial(work, slow=args.slow, started=args.started)), options).exit_code


if __name__ == "__main__":
    raise SystemExit(main())

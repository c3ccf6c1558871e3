"""The crash sweep, as a program: forks are safe in it, since it has no threads.

    python -m tests.studies.common.sweep FOLDER

For every place of the disk operations of an undisturbed run, a child runs the study and dies there;
then the study is resumed. Pairs of crashes, the second one during the resume, are a sample.
Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

from studies.common import Options, run_study
from studies.common.journal import JOURNAL_NAME, read_journal
from tests.studies.common import faulty, toy

N_PAIRS = 40
_calls: list[str] = []


def counted(task):
    _calls.append(task.text)
    return toy.work(task)


def run(folder: Path, disk: faulty.Crashing, resume: bool) -> int:
    options = Options(folder, resume=resume, jobs=0, quiet=True)
    return run_study(toy.toy(counted), options, disk).exit_code


def crash(folder: Path, place: int, resume: bool = False) -> int:
    """Run in a child that dies at a place; return its exit code."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = run(folder, faulty.Crashing(place), resume)
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kept(folder: Path) -> set[str]:
    path = folder / JOURNAL_NAME
    return {task.text for task in read_journal(path).records} if path.exists() else set()


def resumed(folder: Path, wanted: dict[str, bytes]) -> list[str]:
    """Resume; return what is wrong afterwards."""
    before = kept(folder)
    _calls.clear()
    code = run(folder, faulty.Crashing(), resume=True)
    past = read_journal(folder / JOURNAL_NAME)
    lines = (folder / JOURNAL_NAME).read_bytes().count(b"\n")
    allowed = {*toy.RESULT_FILES, JOURNAL_NAME, "timings.csv"}
    checks = {
        f"exit code {code}": code == 0,
        "result files differ": toy.contents(folder) == wanted,
        "a task that was kept was done again": not before & set(_calls),
        "a task was done twice": len(_calls) == len(set(_calls)),
        "a task is neither kept nor done": before | set(_calls) == {t.text for t in toy.TASKS},
        f"{lines} lines": lines == len(toy.TASKS) + 1 and not past.dropped,
        "files were left": {path.name for path in folder.iterdir()} == allowed,
    }
    return [name for name, is_right in checks.items() if not is_right]


def recorded(places: list[str]) -> int:
    """How many tasks must be in the journal after a crash at the last of these places."""
    return places.count("after sync journal")


def main(base: Path) -> None:
    disk = faulty.Crashing()
    assert run(base / "whole", disk, resume=False) == 0
    wanted, places = toy.contents(base / "whole"), disk.places
    wrong = []
    for k, place in enumerate(places):
        folder = base / f"at{k}"
        code = crash(folder, k)
        lost = recorded(places[: k + 1]) > len(kept(folder))
        faults = ["a synced record was lost"] * lost + resumed(folder, wanted)
        faults += [f"did not crash: {code}"] * (code != faulty.CRASHED)
        wrong += [f"{place} ({k}): {fault}" for fault in faults]
    rng = random.Random(4)  # noqa: S311  a sample
    for pair in range(N_PAIRS):
        first, second = rng.randrange(len(places)), rng.randrange(len(places) // 2)
        folder = base / f"pair{pair}"
        crash(folder, first)
        crash(folder, second, resume=True)
        wrong += [f"{places[first]}, then {second}: {f}" for f in resumed(folder, wanted)]
    sys.stdout.write(json.dumps({"places": places, "wrong": wrong}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

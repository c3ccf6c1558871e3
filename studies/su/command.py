"""``python -m studies su``: which sets and repetitions, and what comes of them."""

import argparse
from collections.abc import Mapping
from functools import partial
from hashlib import sha256

from studies.common import Study, Task
from studies.common.sets import add_sets, find
from studies.su.datasets import Raw, load
from studies.su.learners import SETTINGS
from studies.su.paper import LARGEST, RUNS_OF_CURVES
from studies.su.report import report
from studies.su.run import (
    ACCURACY,
    CURVE,
    EPOCHS,
    INGREDIENTS,
    LONG,
    MOST_EPOCHS,
    SIZES,
    SNAPSHOTS,
    run_task,
)
from studies.su.sets import SETS

NAME, VERSION = "su", 2
REPETITIONS, QUICK_REPETITIONS = 10, 1
QUICK_RUNS = 5
QUICK = ("iris", "waveform")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what only this study has."""
    parser.set_defaults(seeds=REPETITIONS)
    add_sets(parser, SETS)


def build(args: argparse.Namespace) -> Study:
    """The study that the options ask for.

    Raises
    ------
    StudyError
        None of the data sets is there.
    bnlr.BnlrError
        Data that cannot be used.
    """
    names = args.sets or (QUICK if args.quick else tuple(SETS))
    read = partial(load, data_dir=args.data_dir, only_builtin=args.quick)
    loaded = read(names)
    loaded.require_some()
    repetitions = min(args.seeds, QUICK_REPETITIONS) if args.quick else args.seeds
    return Study(
        name=NAME,
        version=VERSION,
        settings={
            "learners": dict(SETTINGS),
            "sizes": list(SIZES),
            "epochs": [MOST_EPOCHS, *SNAPSHOTS],
            "data": {name: fingerprint(raw) for name, raw in loaded.sets.items()},
        },
        tasks=tasks(
            loaded.sets,
            repetitions,
            QUICK_RUNS if args.quick else RUNS_OF_CURVES,
            is_long=not args.quick,
        ),
        run=partial(run_task, find=partial(find, load=read)),
        report=partial(report, loaded=loaded, repetitions=repetitions, quick=args.quick),
    )


def tasks(
    names: Mapping[str, Raw], repetitions: int, runs: int, *, is_long: bool = True
) -> list[Task]:
    """All tasks, the long ones first so that the workers end together.

    ``is_long`` tells whether DFE is also run to the paper's last epoch.
    """
    ordered = sorted(names, key=lambda name: -names[name].n_rows)
    figures = [name for name in LARGEST if name in names]
    return [
        *(
            Task(kind=ACCURACY, data=data, repetition=k)
            for data in ordered
            for k in range(repetitions)
        ),
        *(
            Task(kind=LONG, data=data, structure=structure)
            for data in (figures if is_long else ())
            for structure in ("NB", "HGC")
        ),
        *(Task(kind=INGREDIENTS, data=data) for data in ordered),
        *(Task(kind=EPOCHS, data=data) for data in ordered),
        *(Task(kind=CURVE, data=data, run=k) for data in figures for k in range(runs)),
    ]


def fingerprint(raw: Raw) -> str:
    """SHA-256 of the cells, labels and names of a set."""
    names = repr((raw.numeric, dict(raw.nominal), raw.class_labels)).encode()
    cells = (raw.numbers, raw.codes, raw.classes)
    return sha256(names + b"".join(part.tobytes() for part in cells)).hexdigest()

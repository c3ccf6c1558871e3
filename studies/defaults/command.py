"""``python -m studies defaults``: which sets, learners and seeds, and what comes of them."""

import argparse
from collections.abc import Iterable, Mapping
from functools import partial
from importlib.metadata import version

import pandas as pd

from studies.common import Study, Task
from studies.common.sets import add_sets, find, fingerprint
from studies.common.sources import CLASS
from studies.defaults import kept
from studies.defaults.datasets import MOST_ROWS, N_FOLDS, Rows, load
from studies.defaults.learners import ABLATIONS, LEARNERS, available
from studies.defaults.report import report
from studies.defaults.run import run_task
from studies.defaults.sets import SETS

NAME, VERSION = "defaults", 1
SEEDS = 2
QUICK = ("corral", "iris", "tic-tac-toe")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what only this study has."""
    parser.set_defaults(seeds=SEEDS)
    add_sets(parser, SETS)
    parser.add_argument(
        "--learners",
        type=_learners,
        metavar="NAMES",
        help=f"some of the learners, with commas between them: {', '.join(LEARNERS)}",
    )
    parser.add_argument(
        "--ablation",
        action="store_true",
        help="try the default without its remedies, and with each of them alone, too",
    )


def _learners(text: str) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(name for name in text.split(",") if name))
    for name in wanted:
        if name not in LEARNERS:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(LEARNERS)}")
        _require(name)
    return wanted


def _require(name: str) -> None:
    library = LEARNERS[name].library
    if library is None or LEARNERS[name].is_available:
        return
    if not any(task["learner"] == name for task in kept.read()):
        raise argparse.ArgumentTypeError(
            f"{name!r} needs {library[1]}, which is not installed: pip install {library[1]}"
        )


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
    n_seeds = 1 if args.quick else args.seeds
    learners = args.learners or tuple(available(only_fast=args.quick))
    if args.ablation:
        learners = tuple(dict.fromkeys((*learners, *ABLATIONS)))
    wanted = args.learners or (() if args.quick else LEARNERS)
    absent = [name for name in wanted if not LEARNERS[name].is_available]
    known = {task: own for task, own in kept.read().items() if task["learner"] in absent}
    return Study(
        name=NAME,
        version=VERSION,
        settings={
            "rows": MOST_ROWS,
            "folds": N_FOLDS,
            "scikit-learn": version("scikit-learn"),
        },
        tasks=tasks(loaded.sets, n_seeds, learners, known),
        run=partial(run_task, find=partial(find, load=read)),
        report=partial(report, loaded=loaded, n_seeds=n_seeds, quick=args.quick),
        may_grow=True,
        known=known,
    )


def tasks(
    sets: Mapping[str, Rows], n_seeds: int, learners: Iterable[str], known: Iterable[Task] = ()
) -> list[Task]:
    """All tasks; each names all that its result depends on, the rows by their fingerprint.

    Parameters
    ----------
    sets
    n_seeds
    learners
        Those whose libraries are installed are listed for every set and seed.
    known
        Tasks of an earlier run, listed where set, rows and seed are the same.
    """
    marks = {name: fingerprint(_frame(rows))[:12] for name, rows in sets.items()}
    listed = [
        Task(data=data, rows=marks[data], seed=seed, learner=name, **LEARNERS[name].task_fields)
        for data, rows in sets.items()
        for seed in range(n_seeds)
        for name in learners
        if LEARNERS[name].is_available and (rows.missing_share or not LEARNERS[name].for_holes)
    ]
    wanted = {(data, mark, seed) for data, mark in marks.items() for seed in range(n_seeds)}
    return [*listed, *(t for t in known if (t["data"], t["rows"], t["seed"]) in wanted)]


def _frame(rows: Rows) -> pd.DataFrame:
    return rows.attributes.assign(**{CLASS: rows.classes})

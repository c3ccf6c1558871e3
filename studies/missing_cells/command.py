"""``python -m studies missing-cells``: which data, which learners, and what comes of them."""

import argparse
from functools import partial

from studies.common import Study, Task
from studies.common.options import SEEDS
from studies.common.sets import add_no_download, add_sets, find, fingerprint
from studies.missing_cells.datasets import N_FOLDS, SOURCES, load
from studies.missing_cells.learners import LEARNERS, RATES
from studies.missing_cells.report import report
from studies.missing_cells.run import run_task

NAME, VERSION = "missing-cells", 2
UNHEEDED = (SEEDS,)
QUICK = ("tic-tac-toe",)
STRUCTURES = ("naive-bayes", "tan")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what only this study has."""
    add_no_download(parser)
    add_sets(parser, SOURCES)


def build(args: argparse.Namespace) -> Study:
    """The study that the options ask for.

    Raises
    ------
    StudyError
        None of the data sets is there.
    bnlr.BnlrError
        Data that cannot be used.
    """
    names = args.sets or (QUICK if args.quick else tuple(SOURCES))
    download = not (args.quick or args.no_download)
    read = partial(load, data_dir=args.data_dir, download=download)
    loaded = read(names)
    loaded.require_some()
    return Study(
        name=NAME,
        version=VERSION,
        settings={
            "rates": list(RATES),
            "data": {name: fingerprint(found.frame) for name, found in loaded.sets.items()},
        },
        tasks=[
            Task(data=data, structure=structure, fold=fold, learner=learner)
            for data in loaded.sets
            for structure in STRUCTURES
            for learner in LEARNERS
            for fold in range(N_FOLDS)
        ],
        run=partial(run_task, find=partial(find, load=read)),
        report=partial(report, loaded=loaded, quick=args.quick),
    )

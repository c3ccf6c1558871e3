"""``python -m studies queries``: the paper's three examples, rows and samples."""

import argparse

from studies.common import Study, Task
from studies.common.options import DATA_DIR
from studies.queries.examples import EXAMPLES, N_ATTRIBUTES
from studies.queries.report import report
from studies.queries.run import SIZES, run_task

NAME, VERSION = "queries", 1
UNHEEDED = (DATA_DIR,)
_SEEDS, _QUICK_SEEDS = 20, 3


def add_options(parser: argparse.ArgumentParser) -> None:
    """More repetitions than other studies have: a task takes a moment."""
    parser.set_defaults(seeds=_SEEDS)


def build(args: argparse.Namespace) -> Study:
    """The study that the options ask for."""
    seeds = min(args.seeds, _QUICK_SEEDS) if args.quick else args.seeds
    return Study(
        name=NAME,
        version=VERSION,
        settings={"sizes": list(SIZES), "n_attributes": N_ATTRIBUTES},
        tasks=[
            Task(example=example, rows=rows, seed=seed)
            for example in EXAMPLES
            for rows in SIZES
            for seed in range(1, seeds + 1)
        ],
        run=run_task,
        report=report,
    )

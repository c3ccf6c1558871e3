"""``python -m studies wrong-structure``: the tasks, and what comes of them."""

import argparse

from studies.common import Study, Task
from studies.common.options import DATA_DIR
from studies.wrong_structure.report import report
from studies.wrong_structure.run import CURVES, HOLE_RATE, LIMIT, N_ROWS, TUNED, run_task

NAME, VERSION = "wrong-structure", 1
UNHEEDED = (DATA_DIR,)
LARGEST_M = 5
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
        settings={"n_rows": N_ROWS, "hole_rate": HOLE_RATE},
        tasks=_tasks(seeds),
        run=run_task,
        report=report,
    )


def _tasks(seeds: int) -> list[Task]:
    return [
        Task(rows=rows, m=m, seed=seed, learner=learner)
        for rows, learners in CURVES.items()
        for learner in learners
        for m in range(LARGEST_M + 1)
        for seed in range(seeds + 1)
        # Cross tuning has no limit: its folds would be the population over and over.
        if not (learner == TUNED and seed == LIMIT)
    ]

"""``python -m studies recommender``: how many problems, and what comes of them."""

import argparse

from studies.common import Study, Task
from studies.common.options import DATA_DIR, SEEDS, positive
from studies.recommender.report import report
from studies.recommender.run import FIT, JUDGE, MOST_ATTRIBUTES, N_ROWS, run_task

NAME, VERSION = "recommender", 1
UNHEEDED = (SEEDS, DATA_DIR)
_PROBLEMS, _QUICK_PROBLEMS = 60, 4


def add_options(parser: argparse.ArgumentParser) -> None:
    """Problems take the place of seeds."""
    parser.add_argument(
        "--problems",
        type=positive,
        default=_PROBLEMS,
        metavar="K",
        help="random networks to judge by, and as many to fit the rates to (default: %(default)s)",
    )


def build(args: argparse.Namespace) -> Study:
    """The study that the options ask for."""
    n = min(args.problems, _QUICK_PROBLEMS) if args.quick else args.problems
    return Study(
        name=NAME,
        version=VERSION,
        settings={"rows": list(N_ROWS), "attributes": MOST_ATTRIBUTES},
        tasks=[Task(use=use, problem=k) for use in (FIT, JUDGE) for k in range(1, n + 1)],
        run=run_task,
        report=report,
    )

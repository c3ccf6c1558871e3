"""``python -m studies embeddings``: how many segments, how many random structures."""

import argparse

from studies.common import Study, Task
from studies.common.options import DATA_DIR
from studies.embeddings.report import report
from studies.embeddings.run import DEGREES, SIZES, STRUCTURES, run_task

NAME, VERSION = "embeddings", 1
UNHEEDED = (DATA_DIR,)
_REPETITIONS, _QUICK_REPETITIONS = 200, 20


def add_options(parser: argparse.ArgumentParser) -> None:
    """More repetitions than other studies have: a structure takes a moment."""
    parser.set_defaults(seeds=_REPETITIONS)


def build(args: argparse.Namespace) -> Study:
    """The study that the options ask for."""
    n = min(args.seeds, _QUICK_REPETITIONS) if args.quick else args.seeds
    return Study(
        name=NAME,
        version=VERSION,
        settings={},
        tasks=[
            *(Task(part="wrinkles", structure=name, segments=n) for name in STRUCTURES),
            *(
                Task(part="embeddings", nodes=size, degree=degree, structures=n)
                for size in SIZES
                for degree in DEGREES
            ),
        ],
        run=run_task,
        report=report,
    )

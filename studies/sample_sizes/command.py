"""``python -m studies sample-sizes``: the promises, the shares of each number, the repetitions."""

import argparse

from studies.common import Study, Task
from studies.common.options import DATA_DIR
from studies.sample_sizes.report import report
from studies.sample_sizes.run import PROMISES, SHARES, run_task

NAME, VERSION = "sample-sizes", 1
UNHEEDED = (DATA_DIR,)
_REPETITIONS, _QUICK_REPETITIONS = 500, 60


def add_options(parser: argparse.ArgumentParser) -> None:
    """More repetitions than other studies have: what fails, fails rarely."""
    parser.set_defaults(seeds=_REPETITIONS)


def build(args: argparse.Namespace) -> Study:
    """The study that the options ask for."""
    n = min(args.seeds, _QUICK_REPETITIONS) if args.quick else args.seeds
    return Study(
        name=NAME,
        version=VERSION,
        settings={name: [one.eps, one.delta] for name, one in PROMISES.items()},
        tasks=[
            Task(promise=name, share=share, repetitions=n if one.is_cheap else max(n // 10, 20))
            for name, one in PROMISES.items()
            for share in SHARES
        ],
        run=run_task,
        report=report,
    )

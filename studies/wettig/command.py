"""``python -m studies wettig``: the samples, the kinds of starts, and how many of each."""

import argparse

from studies.common import Study, Task
from studies.common.options import DATA_DIR, positive
from studies.wettig.report import report
from studies.wettig.run import EMBEDDED, KINDS, run_task
from studies.wettig.truth import SAMPLES, drawn_sample

NAME, VERSION = "wettig", 2
UNHEEDED = (DATA_DIR,)
_STARTS, _QUICK_STARTS = 100, 12
_DRAWN, _QUICK_DRAWN = 500, 40


def add_options(parser: argparse.ArgumentParser) -> None:
    """Starts take the place of seeds."""
    parser.set_defaults(seeds=_STARTS)
    parser.add_argument(
        "--samples",
        type=positive,
        default=_DRAWN,
        metavar="K",
        help="samples drawn for the frequency estimates as a start (default: %(default)s)",
    )


def build(args: argparse.Namespace) -> Study:
    """The study that the options ask for."""
    starts = min(args.seeds, _QUICK_STARTS) if args.quick else args.seeds
    drawn = min(args.samples, _QUICK_DRAWN) if args.quick else args.samples
    return Study(
        name=NAME,
        version=VERSION,
        settings={name: [*sample.n, sample.e] for name, sample in SAMPLES.items()},
        tasks=_tasks(starts, drawn),
        run=run_task,
        report=report,
    )


def _tasks(starts: int, drawn: int) -> list[Task]:
    tasks = []
    for name in SAMPLES:
        tasks.append(Task(sample=name, kind=EMBEDDED, start=0))
        for kind in KINDS:
            # The frequency estimates are one start.
            many = 1 if kind == "frequencies" else starts
            tasks += [Task(sample=name, kind=kind, start=k) for k in range(many)]
    names = [drawn_sample(number).name for number in range(1, drawn + 1)]
    return [*tasks, *(Task(sample=name, kind="frequencies", start=0) for name in names)]

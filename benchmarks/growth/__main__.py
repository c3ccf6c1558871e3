"""``python -m benchmarks.growth``: how bnlr's costs grow along one axis of the data at a time.

Rows, attributes, states, classes, parents and the share of missing cells, the others at a middle;
CPU seconds of one thread, also in passes of NumPy's bincount over class × attribute (B) and in
compiled counting passes (C), peak memory, slopes in log-log, scikit-learn beside them. Each call
has a process of its own; one that runs into a limit ends its line. What an --out folder holds
already is kept with --resume. Needs a system that can fork.
"""

import argparse
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path

import bnlr
from benchmarks import rooms
from benchmarks.growth import clock
from benchmarks.growth.jobs import JOBS, NAMES
from benchmarks.growth.measure import Limits
from benchmarks.growth.points import AXES, MIDDLE, QUICK, QUICK_AXES
from benchmarks.growth.report import report
from benchmarks.growth.run import run_task, task_of
from benchmarks.growth.tables import earlier
from studies.common import Options, Study, Task, run_study
from studies.common.progress import note

VERSION = 1
_GIB = 2**30
_QUICK_LEAST = 0.01
_TASKS = ", ".join(f"'{name}'" for name in NAMES)


def main(argv: list[str] | None = None) -> int:
    """Run the command; 1 if a call failed otherwise than by a limit."""
    args = _parser().parse_args(argv)
    try:
        options = Options(args.out, args.resume, 1, None, args.quiet)
        return run_study(build(args), options).exit_code
    except bnlr.BnlrError as error:
        note(f"growth: error: {' '.join(str(error).split())}")
        return 2


def build(args: argparse.Namespace) -> Study:
    """The study that the options ask for."""
    n_bytes = int(args.memory_limit * _GIB)
    limits = Limits(args.time_limit, n_bytes, _QUICK_LEAST if args.quick else clock.LEAST)
    settings = {
        "kernels": rooms.kernels(),
        "middle": (QUICK if args.quick else MIDDLE).values,
        "limits": asdict(limits),
    }
    before = earlier(args.against) if args.against else {}
    return Study(
        name="growth",
        version=VERSION,
        settings=settings,
        tasks=tasks(args),
        run=partial(run_task, limits),
        report=partial(report, before=before),
        may_grow=True,
    )


def tasks(args: argparse.Namespace) -> list[Task]:
    """Jobs at points, axis by axis and small ones first; none twice, though axes cross."""
    middle, axes = (QUICK, QUICK_AXES) if args.quick else (MIDDLE, AXES)
    found: dict[Task, None] = {}
    for axis in args.axes:
        for point in (middle.at(axis, value) for value in axes.get(axis, ())):
            for (name, contender), job in JOBS.items():
                if name in args.tasks and axis not in job.skips and point.rows <= args.most_rows:
                    found[task_of(point, name, contender)] = None
    return list(found)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.growth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="two tiny points, in seconds")
    add("--out", metavar="DIR", help="output folder (default: growth)")
    add("--resume", action="store_true", help="go on with the run in the output folder")
    add("--axes", nargs="+", choices=AXES, default=list(AXES), metavar="AXIS", help=", ".join(AXES))
    add("--tasks", nargs="+", choices=NAMES, default=NAMES, metavar="TASK", help=_TASKS)
    add("--most-rows", type=int, default=max(AXES["rows"]), help="leave out larger points")
    add("--time-limit", type=_positive, default=60.0, metavar="SECONDS", help="CPU of one call")
    add("--memory-limit", type=_positive, default=8.0, metavar="GIB", help="beyond the data")
    add("--against", type=Path, metavar="FILE", help="results.json of an earlier run, to compare")
    add("--quiet", action="store_true", help="no progress and no notes")
    return parser


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} must be a positive number")
    return number


if __name__ == "__main__":
    sys.exit(main())

"""``python -m studies greiner``: which data, which parts, and what comes of them."""

import argparse
from collections.abc import Callable
from functools import partial

from studies.common import Study
from studies.common.options import positive
from studies.common.sets import Loaded, add_no_download, add_sets, find, fingerprint
from studies.common.sources import RawSet
from studies.greiner.datasets import SOURCES, load
from studies.greiner.learners import (
    EM_TOL,
    LARGEST_CPT,
    LEAST_THRESHOLD,
    MOST_EM_STEPS,
    MOST_ITERATIONS,
    TPDA_VARIANTS,
)
from studies.greiner.natural import NATURAL
from studies.greiner.natural import load as load_natural
from studies.greiner.report import report
from studies.greiner.run import run_task
from studies.greiner.tasks import all_tasks

NAME, VERSION = "greiner", 2
QUICK, QUICK_SEEDS = ("corral", "iris"), 2
_SEEDS, _PARTITIONS = 10, 5


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what only this study has."""
    parser.set_defaults(seeds=_SEEDS)
    parser.add_argument(
        "--partitions",
        type=positive,
        default=_PARTITIONS,
        metavar="P",
        help="deal the rows of a set into folds so many times (default: %(default)s)",
    )
    add_no_download(parser)
    add_sets(parser, SOURCES)


def find_any(
    name: str,
    load: Callable[[list[str]], Loaded[RawSet]],
    load_natural: Callable[[list[str]], Loaded[RawSet]],
) -> RawSet:
    """Find the set of a task; errors as `find`."""
    found: RawSet = find(name, load_natural if name in NATURAL else load)
    return found


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
    seeds = min(args.seeds, QUICK_SEEDS) if args.quick else args.seeds
    partitions = 1 if args.quick else args.partitions
    download = not (args.quick or args.no_download)
    read = partial(load, data_dir=args.data_dir, download=download)
    loaded = read(names)
    loaded.require_some()
    wanted = () if args.quick or args.sets else NATURAL
    read_natural = partial(load_natural, data_dir=args.data_dir, download=download)
    natural = read_natural(wanted)
    return Study(
        name=NAME,
        version=VERSION,
        settings={
            "most_iterations": MOST_ITERATIONS,
            "em": [MOST_EM_STEPS, EM_TOL],
            "tpda": [LEAST_THRESHOLD, LARGEST_CPT],
            "tpda variants": {name: list(own) for name, own in TPDA_VARIANTS.items()},
            "data": {
                name: fingerprint(found.frame)
                for name, found in (*loaded.sets.items(), *natural.sets.items())
            },
        },
        tasks=all_tasks(
            tuple(loaded.sets),
            seeds,
            quick=args.quick,
            partitions=partitions,
            natural=tuple(natural.sets),
        ),
        run=partial(run_task, find=partial(find_any, load=read, load_natural=read_natural)),
        report=partial(report, loaded=loaded, quick=args.quick),
    )

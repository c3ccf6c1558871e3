"""``python -m studies feelders-ivanovs``: which data, which columns, and what comes of them."""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256

from studies.common import Study, StudyError, Task, sets
from studies.common.sets import Loaded
from studies.feelders_ivanovs import paper, report, user_data
from studies.feelders_ivanovs.datasets import StudyData, artificial, load
from studies.feelders_ivanovs.run import MOST_ITERATIONS, SOLVERS, run_task

NAME, VERSION = "feelders-ivanovs", 2
QUICK = ("Tic-tac-toe", "1.5.2-3.100", "2.5.2-3.100", "3.5.2-3.100")
_FURTHER = tuple(name for name in SOLVERS if name not in paper.SOLVERS)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what only this study has."""
    add = parser.add_argument
    add(
        "--also",
        type=_solvers,
        default=(),
        metavar="SOLVERS",
        help=f"further columns beside the paper's nine: {', '.join(_FURTHER)}",
    )
    add("--no-download", action="store_true", help="ask no server for data that are not here")
    group = parser.add_argument_group("your own data instead of the paper's")
    group.add_argument("--data", metavar="FILE", help="a table that 'bnlr fit' reads")
    group.add_argument("--class", dest="class_name", metavar="NAME", help="its class column")
    group.add_argument(
        "--structure",
        metavar="FILE",
        help="a file that 'bnlr check' reads; otherwise naive Bayes and arcs that BIC pays for",
    )


def build(args: argparse.Namespace) -> Study:
    """The study that the options ask for.

    Raises
    ------
    StudyError
        Options that do not go together.
    bnlr.BnlrError
        Data or structure that cannot be used; says which and why.
    """
    if args.data is not None:
        if args.class_name is None:
            raise StudyError("--data needs --class NAME, the column to predict")
        return _own_study(args)
    if args.class_name is not None or args.structure is not None:
        raise StudyError("--class and --structure go with --data FILE")
    return _paper_study(args)


def _paper_study(args: argparse.Namespace) -> Study:
    names = QUICK if args.quick else paper.ROWS
    seeds = 1 if args.quick else args.seeds
    download = not (args.quick or args.no_download)
    read = partial(load, data_dir=args.data_dir, download=download)
    loaded = read([name for name in names if name in paper.TABLE_1])
    generated = [n for n in names if n not in paper.TABLE_1]
    solvers = (*paper.SOLVERS, *args.also)
    keys = [(study.name, 0) for study in loaded.sets.values()]
    keys += [(name, seed) for name in generated for seed in range(1, seeds + 1)]
    return Study(
        name=NAME,
        version=VERSION,
        settings={
            "solvers": list(solvers),
            "most_iterations": MOST_ITERATIONS,
            "data": {study.name: fingerprint(study) for study in loaded.sets.values()},
        },
        tasks=_tasks(keys, paper.SPACES, solvers),
        run=partial(run_task, find=partial(find, load=read)),
        report=partial(report.of_paper, loaded=loaded, seeds=seeds, quick=args.quick),
    )


def _own_study(args: argparse.Namespace) -> Study:
    study = user_data.read(args.data, args.class_name, args.structure)
    solvers = (*paper.SOLVERS, *dict.fromkeys((*args.also, "newton")))
    return Study(
        name=f"{NAME}-own",
        version=VERSION,
        settings={
            "solvers": list(solvers),
            "most_iterations": MOST_ITERATIONS,
            "data": {study.name: fingerprint(study)},
        },
        tasks=_tasks([(study.name, 0)], user_data.spaces(study), solvers),
        run=partial(run_task, find=partial(user_data.find, study=study)),
        report=partial(user_data.report, study=study),
    )


def find(task: Task, load: Callable[[list[str]], Loaded[StudyData]]) -> StudyData:
    """Find the data of a task of the paper's study; errors as `sets.find`."""
    name = str(task["data"])
    if name not in paper.TABLE_1:
        return artificial(name, int(str(task["seed"])))
    found: StudyData = sets.find(name, load)
    return found


def fingerprint(study: StudyData) -> str:
    """What a data set and its structure come to: a journal of others is not continued."""
    data, structure = study.data, study.structure
    text = repr((data.class_name, dict(data.states), structure.nodes, structure.edges))
    return sha256(text.encode() + data.codes.tobytes()).hexdigest()


def _tasks(
    keys: Sequence[tuple[str, int]], spaces: Sequence[str], solvers: Sequence[str]
) -> list[Task]:
    return [
        Task(data=data, seed=seed, space=space, solver=solver)
        for data, seed in keys
        for space in spaces
        for solver in solvers
    ]


def _solvers(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name for name in text.split(",") if name))
    for name in names:
        if name not in _FURTHER:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(_FURTHER)}")
    return names

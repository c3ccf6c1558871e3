"""``python -m studies sat``: which formulas, how many starts."""

import argparse
from functools import partial
from pathlib import Path

from studies.common import Study, StudyError, Task
from studies.common.options import DATA_DIR
from studies.sat.formula import Formula, random_formula, read_dimacs
from studies.sat.report import report
from studies.sat.run import run_task

NAME, VERSION = "sat", 1
UNHEEDED = (DATA_DIR,)
_STARTS, _QUICK_STARTS = 48, 16

# Variables and clauses: 4.3 clauses a variable are as often satisfiable as not.
_SIZES = ((3, 5), (3, 7), (4, 12), (4, 18), (5, 18), (5, 24), (6, 22), (6, 28))
_DRAWS = 3
_QUICK_SIZES = ((3, 6), (4, 14))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the files; starts take the place of seeds."""
    parser.set_defaults(seeds=_STARTS)
    parser.add_argument(
        "--formula",
        type=Path,
        action="append",
        metavar="FILE",
        help="a formula in DIMACS form (p cnf …) instead of the built-in ones; may be repeated",
    )


def build(args: argparse.Namespace) -> Study:
    """The study that the options ask for.

    Raises
    ------
    StudyError
        A file that holds no formula of this kind, or two of one name.
    """
    formulas = _formulas(args)
    starts = min(args.seeds, _QUICK_STARTS) if args.quick else args.seeds
    return Study(
        name=NAME,
        version=VERSION,
        settings={"formulas": {name: str(formula) for name, formula in formulas.items()}},
        tasks=[Task(formula=name, start=start) for name in formulas for start in range(starts)],
        run=partial(run_task, formulas=formulas),
        report=partial(report, formulas=formulas),
    )


def _formulas(args: argparse.Namespace) -> dict[str, Formula]:
    every = [read_dimacs(path) for path in args.formula or ()] or built_in(quick=args.quick)
    named = {formula.name: formula for formula in every}
    if len(named) < len(every):
        raise StudyError("two of the files have the same name; rename one of them")
    return named


def built_in(*, quick: bool = False) -> list[Formula]:
    """Return the paper's example, all eight clauses of three variables, and random formulas."""
    example = Formula("paper", 4, ((1, -2, 3), (-1, -3, 4)))
    signs = [(a, b, c) for a in (1, -1) for b in (2, -2) for c in (3, -3)]
    drawn = [
        random_formula(f"{n}-{m}{'abc'[k]}", n, m, k)
        for n, m in (_QUICK_SIZES if quick else _SIZES)
        for k in range(1 if quick else _DRAWS)
    ]
    return [example, Formula("all-eight", 3, tuple(signs)), *drawn]

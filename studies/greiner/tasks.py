"""The tasks of the study: tables first, then the figures."""

from collections.abc import Collection, Iterator
from itertools import product
from typing import Any

from studies.common import Task
from studies.greiner.datasets import FIRST, N_FOLDS, VARIED, is_dealt, is_numeric, n_folds
from studies.greiner.learners import COMPLETE, IN_THETA, INCOMPLETE, STRUCTURES, TPDA_VARIANTS
from studies.wrong_structure.run import CURVES

TRACED, CURVED = "cleve", "chess"
"""The sets of figures 1 and 3."""

MOST_CURVES = 5
"""Samples of figure 3 at most; its largest are long."""

SIZES = (25, 50, 100, 200, 400, 800, 2130)
CURVES_OF_CHESS = (("complete", "naive-bayes"), ("incomplete", "naive-bayes"), ("complete", "tpda"))
SMALL_SIZES, QUICK_SIZES = (20, 40, 80, 160, 320), (20, 80)
N_ATTRIBUTES, AGREEMENTS = (6, 7), (1.0, 0.96, 0.8)
LINKED = (2, 3, 4, 5)
LARGEST_M = 5
NATURAL_STRUCTURES = ("naive-bayes", "tan")
COSTS = (2.0, 4.0)
"""Of a cut, as multiples of what the MDL rule has."""

_LONGEST = ("letter", "satimage")
_ROWS = ("complete", "incomplete")


def all_tasks(
    sets: Collection[str],
    seeds: int,
    *,
    quick: bool,
    partitions: int = 1,
    natural: Collection[str] = (),
) -> list[Task]:
    """Return the tasks for some data sets, the longest first.

    So no worker is left alone with one at the end. Sets whose rows are not dealt at random have
    the first of the ``partitions`` alone. ``natural`` are sets with holes of their own.
    """
    order = sorted(sets, key=lambda name: name not in _LONGEST)
    tables = [
        task
        for data in order
        for partition in range(partitions if is_dealt(data) else FIRST + 1)
        for task in _table_tasks(data, partition)
    ]
    return [
        *tables,
        *_cut_tasks(sets),
        *_tpda_tasks(sets),
        *_natural_tasks(natural),
        *_figure_tasks(sets, seeds),
        *_artificial_tasks(seeds, quick=quick),
    ]


def _table_tasks(data: str, partition: int) -> Iterator[Task]:
    for rows, learners in zip(_ROWS, (COMPLETE, INCOMPLETE), strict=True):
        yield from _grid(
            part="tables",
            data=(data,),
            partition=(partition,),
            rows=(rows,),
            structure=STRUCTURES,
            learner=learners,
            fold=range(n_folds(data)),
        )
    yield from _grid(
        part="tables",
        data=(data,),
        partition=(partition,),
        rows=("incomplete",),
        structure=("naive-bayes",),
        learner=IN_THETA,
        fold=range(n_folds(data)),
    )


def _cut_tasks(sets: Collection[str]) -> Iterator[Task]:
    """OFE with cuts that are made dearer, where there is something to cut."""
    for data in filter(is_numeric, sets):
        yield from _grid(part="cuts", data=(data,), cost=COSTS, fold=range(n_folds(data)))


def _tpda_tasks(sets: Collection[str]) -> Iterator[Task]:
    """GBN+OFE by each variant of TPDA, on sets that end: without a penalty graphs are dense."""
    for data in filter(VARIED.__contains__, sets):
        yield from _grid(
            part="tpda",
            data=(data,),
            rows=("complete",),
            variant=TPDA_VARIANTS,
            fold=range(n_folds(data)),
        )


def _natural_tasks(sets: Collection[str]) -> Iterator[Task]:
    yield from _grid(
        part="natural holes",
        data=sets,
        structure=NATURAL_STRUCTURES,
        learner=INCOMPLETE,
        fold=range(N_FOLDS),
    )


def _figure_tasks(sets: Collection[str], seeds: int) -> Iterator[Task]:
    """Figures 1 and 3, where their sets are there."""
    if TRACED in sets:
        yield from _grid(
            part="iterations",
            data=(TRACED,),
            rows=("complete",),
            structure=("naive-bayes", "tan"),
            fold=range(n_folds(TRACED)),
        )
    if CURVED in sets:
        for rows, structure in CURVES_OF_CHESS:
            yield from _grid(
                part="curve",
                data=(CURVED,),
                rows=(rows,),
                structure=(structure,),
                size=SIZES,
                seed=range(min(seeds, MOST_CURVES)),
            )


def _artificial_tasks(seeds: int, *, quick: bool) -> Iterator[Task]:
    """Figures 8, 11 and 12."""
    every_seed = range(1, seeds + 1)
    for rows, learners in CURVES.items():
        yield from _grid(
            part="wrong structure",
            rows=(rows,),
            m=range(LARGEST_M + 1),
            seed=every_seed,
            learner=learners,
        )
    yield from _grid(
        part="irrelevant attributes",
        rows=_ROWS,
        k=N_ATTRIBUTES[:1] if quick else N_ATTRIBUTES,
        agreement=AGREEMENTS,
        size=QUICK_SIZES if quick else SMALL_SIZES,
        seed=every_seed,
    )
    yield from _grid(part="superfluous links", rows=_ROWS, m=LINKED, seed=every_seed)


def _grid(part: str, **fields: Any) -> Iterator[Task]:
    """Yield a task for every combination of the fields' values, the last field running fastest."""
    for values in product(*fields.values()):
        yield Task(part=part, **dict(zip(fields, values, strict=True)))

"""Fits of wide families in the cells that rows show; the others are where they must be.

What no row shows moves the penalty alone. In tables it is then at the penalty's centre: that is
where the optimum has it. CPTs of a perfect structure have the optimum of the tables (Theorem 3 of
Wettig et al. 2003). On other structures a column of a configuration that no row shows starts
uniform, the same in all classes; where the centre says so too the gradient of the penalty vanishes
there whatever the rest does, and it stays.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from bnlr._typing import FloatArray, IntArray
from bnlr.design.pack import relative
from bnlr.design.packed_rows import Design
from bnlr.design.seen import SeenCells, seen_cells
from bnlr.learn.runs.run import Problem, Run, Settings, best_run
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import CPTPenalty, Penalty
from bnlr.objectives.seen_penalty import SeenPenalty, seen_least
from bnlr.spaces.base import Space
from bnlr.spaces.l_model import Free, LinearSpace
from bnlr.spaces.loglinear import LogLinear
from bnlr.spaces.softmax import Softmax

_SOLVERS = "newton", "l-bfgs"
_ROUNDING = 1e-12

Polish = Callable[[Problem, Run], FloatArray]
"""Tables at the optimum, from where a run in tables under a penalty on CPTs has ended."""


def seen_run(problem: Problem, space: Space, settings: Settings, polish: Polish) -> Run | None:
    """Do as `best_run`, in the cells that rows show; None where that saves little or cannot be."""
    penalty = problem.penalty
    on_tables = penalty.on_tables if isinstance(penalty, CPTPenalty) else penalty
    is_plain = settings.callback is None and settings.n_starts == 1
    # Other penalties couple neighbouring cells.
    if not is_plain or problem.choice.solver not in _SOLVERS or type(on_tables) is not Penalty:
        return None
    if not isinstance(space, LinearSpace) and not problem.report.satisfies_condition_1:
        return _in_cpts(problem, space, settings) if isinstance(space, Softmax) else None
    if isinstance(space, LogLinear) and not _is_free(space):
        return None
    seen = seen_cells(problem.design.layout, problem.data, whole_columns=False)
    if seen is None:
        return None
    start = problem.start._stacked(seen.whole)
    if not start.min() > 0:  # no parameters are finite
        return None
    return _in_tables(problem, space, settings, seen, start, on_tables, polish)


def _in_tables(
    problem: Problem,
    space: Space,
    settings: Settings,
    seen: SeenCells,
    start: FloatArray,
    on_tables: Penalty,
    polish: Polish,
) -> Run:
    """Fit tables that vary freely, but where ``space`` keeps them at 0, from CPTs ``start``."""
    centre, cells = on_tables.centre, seen.cells
    free: LinearSpace = Free(seen.structure, seen.data.states)
    if isinstance(space, LogLinear):
        free = _Chosen(free, np.flatnonzero(space.predictors_per_cell[cells]))
    penalty = replace(on_tables, layout=seen.layout, centre=centre[cells])
    small = _cut_down(problem, seen, penalty)
    if not isinstance(space, LinearSpace):
        small = replace(small, choice=small.choice._replace(solver="newton"))
    if isinstance(space, LogLinear):
        first = space.differences(space._from_stacked(np.log(start)))[cells]
    else:
        first = relative(np.log(start[cells]))
    run = best_run(small, free, settings, free.pull_differences(first, first))
    tables = centre.copy()
    if isinstance(space, LinearSpace):
        tables[cells] = free.differences(run.result.x)
        x = space._from_stacked(np.pad(tables, ((0, 0), (1, 0))))
    else:
        tables[cells] = polish(small, run)
        whole = Free(space.structure, space.states)
        x = space.from_network(whole.to_network(tables.ravel(), like=problem.frequencies))
    gradient = np.zeros_like(tables)
    gradient[cells] = free.differences(run.result.gradient)
    return _whole(problem, space, run, x, space.pull_differences(x, gradient))


def _is_free(space: LogLinear) -> bool:
    """Whether the tables are free wherever they are not kept at 0."""
    return int(np.count_nonzero(space.predictors_per_cell)) == space.basis.shape[1]


class _Chosen(LinearSpace):
    """Tables free in the cells ``chosen``, 0 in others."""

    name = "chosen cells"
    predictor_names = ()

    def __init__(self, like: Space, chosen: IntArray) -> None:
        super().__init__(like.structure, like.states)
        self._chosen = chosen
        entries = np.ones(len(chosen)), (chosen, np.arange(len(chosen)))
        self.basis = csr_array(entries, shape=(self.layout.n_cells, len(chosen)))
        self._inverse = csr_array(self.basis.T)

    def _from_stacked(self, tables: FloatArray) -> FloatArray:
        return relative(tables)[self._chosen].ravel()


def _in_cpts(problem: Problem, space: Softmax, settings: Settings) -> Run | None:
    """Fit CPTs of a structure that is not perfect."""
    penalty, layout = problem.penalty, problem.design.layout
    seen = seen_cells(layout, problem.data, whole_columns=True)
    least = None if seen is None else seen_least(seen)
    if seen is None or least is None or not isinstance(penalty, CPTPenalty):
        return None
    cpts = problem.start._stacked(layout)
    unseen = np.ones(len(cpts), dtype=bool)
    unseen[seen.cells] = False
    own = np.concatenate([np.full(f.n_cells, f.shape[-1:] or 1) for f in seen.whole.families])
    is_uniform = np.abs(cpts[unseen] * own[unseen, None] - 1.0).max(initial=0.0) < _ROUNDING
    if not is_uniform or np.abs(penalty.centre[unseen]).max(initial=0.0) > _ROUNDING:
        return None
    on_tables = penalty.on_tables
    small = _cut_down(
        problem,
        seen,
        SeenPenalty(
            layout=seen.layout,
            strength=penalty.strength,
            centre=penalty.centre[seen.cells],
            scale=penalty.scale,
            counts=None if penalty.counts is None else penalty.counts[seen.cells],
            on_tables=replace(on_tables, layout=seen.layout, centre=on_tables.centre[seen.cells]),
            seen=least,
        ),
    )
    inner = Softmax(seen.structure, seen.data.states)
    run = best_run(small, inner, settings, inner._from_stacked(np.log(cpts[seen.cells])))
    logs, gradient = np.log(cpts), np.zeros_like(cpts)
    logs[seen.cells] = inner.to_tables(run.result.x)
    gradient[seen.cells] = inner._stacked(run.result.gradient)
    x = space._from_stacked(logs)
    return _whole(problem, space, run, x, space._from_stacked(gradient))


def _cut_down(problem: Problem, seen: SeenCells, penalty: Penalty) -> Problem:
    design = Design.of(seen.layout, seen.data, problem.design.n_threads)
    return replace(problem, design=design, data=seen.data, penalty=penalty)


def _whole(problem: Problem, space: Space, run: Run, x: FloatArray, gradient: FloatArray) -> Run:
    """``run`` with the parameters of all cells."""
    objective = ConditionalObjective(problem.design, space, problem.penalty)
    return replace(run, result=replace(run.result, x=x, gradient=gradient), objective=objective)

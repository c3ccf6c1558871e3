"""One literal objective for all contenders, from their family tables; NumPy only."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.designs import Floats, codes_of
from benchmarks.rooms import TableLayout
from benchmarks.workloads import FitTask

_BLOCK = 2**16

Tables = Mapping[tuple[str, ...], Floats]
"""Family tables by scope, attribute axes first, classes last; () is the class's own, (1, K)."""


def objective(task: FitTask, tables: Tables) -> float:
    """CLL less ½ · penalty · ‖T‖², the tables centred over the classes, the prior left out."""
    penalty = 0.0
    for scope, table in tables.items():
        if scope:
            penalty += float(np.square(table - table.mean(axis=-1, keepdims=True)).sum())
    return cll(task, tables) - 0.5 * task.penalty * penalty


def cll(task: FitTask, tables: Tables) -> float:
    """Conditional log-likelihood: natural log, summed over rows."""
    codes, classes = codes_of(task.data), task.data.class_codes
    total = 0.0
    for start in range(0, task.data.n_rows, _BLOCK):
        rows = slice(start, start + _BLOCK)
        own = classes[rows]
        scores = np.repeat(tables[()], len(own), axis=0)
        for scope, table in tables.items():
            if scope:
                scores += table[tuple(codes[node][rows] for node in scope)]
        top = scores.max(axis=1)
        logs = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
        total += float((scores[np.arange(len(own)), own] - logs).sum())
    return total


@dataclass(frozen=True)
class Stack:
    """How bnlr's stacked tables (n_cells, n_classes) stand to tables by scope."""

    layout: TableLayout

    @classmethod
    def of(cls, task: FitTask) -> "Stack":
        """Return the stacking of a task's structure."""
        return cls(TableLayout.of(task.structure, task.data.cards))

    def by_scope(self, stacked: Floats) -> dict[tuple[str, ...], Floats]:
        """Tables by scope, with the attribute axes in the order of `families_of`."""
        return {
            tuple(f.scope): stacked[f.rows].reshape(*f.shape, -1) if f.scope else stacked[f.rows]
            for f in self.layout.families
        }


def gap(value: float, optimum: float) -> float:
    """How far below the optimum, relative to max(1, |optimum|); negative if above."""
    return (optimum - value) / max(1.0, abs(optimum))

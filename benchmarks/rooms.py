"""What races time by itself, inside bnlr: the one door from benchmarks to what is not public.

A race of packed rows that are there already, of a single objective with its gradient, or of engines
for missing cells has no public call; everything else enters by ``import bnlr``.
"""

import sys
from functools import cache
from typing import Any

from bnlr import native
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design
from bnlr.inference.engine import Engine
from bnlr.learn.runs.solver import find_minimum
from bnlr.machine import one_blas_thread
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.evidence import EvidenceRows
from bnlr.objectives.incomplete import EvidenceObjective
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.queries import LabelledQueries, QueryErrors
from bnlr.spaces.joint import JointSoftmax

__all__ = [
    "ConditionalObjective",
    "Design",
    "Engine",
    "EvidenceObjective",
    "EvidenceRows",
    "JointSoftmax",
    "LabelledQueries",
    "Penalty",
    "QueryErrors",
    "TableLayout",
    "find_minimum",
    "forget",
    "kernels",
    "one_blas_thread",
]


def kernels() -> str:
    """Name the kernels that are timed."""
    return native.chosen()


def forget() -> None:
    """Empty bnlr's caches of data, which are bounded; the others are of the machine."""
    for cached in _bounded(len(sys.modules)):
        cached.cache_clear()


@cache
def _bounded(n_modules: int) -> list[Any]:  # noqa: ARG001  looked for anew where modules have come
    """Those caches: looking for them takes as long as a small fit, which is timed with it."""
    loaded = [vars(module) for name, module in sys.modules.items() if name.startswith("bnlr.")]
    members = [member for names in loaded for member in names.values()]
    return [each for each in members if _is_bounded(each)]


def _is_bounded(member: object) -> bool:
    return hasattr(member, "cache_info") and member.cache_info().maxsize is not None

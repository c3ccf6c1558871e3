"""A task as the peers see it: which design, in which form, with which penalty.

bnlr's penalty ½ · λ · ‖T‖², the tables T centred over the classes, is for three or more classes
scikit-learn's multinomial one with C = 1/λ. For two classes T = (−w/2, w/2), so half of it is left
for the one weight vector w. The intercept stands for the class prior, which neither penalises.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from benchmarks.designs import Columns, DesignPlan, one_hot
from benchmarks.workloads import FitTask

_DENSE_BYTES = 1e9


@dataclass(frozen=True)
class PeerProblem:
    """A task as the peers see it: matrix plan, class codes, penalty on their own weights."""

    task: FitTask
    plan: DesignPlan = field(init=False)

    def __post_init__(self) -> None:
        loglinear = self.task.penalty == 0
        plan = DesignPlan.of(self.task.structure, self.task.data, loglinear=loglinear)
        object.__setattr__(self, "plan", plan)

    @property
    def strength(self) -> float:
        """Factor λ of ½ · λ · ‖w‖² in the peers' parameters."""
        return self.task.penalty / 2 if self.task.n_classes == 2 else self.task.penalty

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the design."""
        return self.task.data.n_rows, self.plan.n_columns

    @property
    def dense_fits(self) -> bool:
        """Whether the dense design takes no more than a gigabyte."""
        return 8 * self.shape[0] * self.shape[1] <= _DENSE_BYTES

    @cached_property
    def classes(self) -> np.ndarray:
        """Class codes, (n_rows,), in the machine's integers."""
        return self.task.data.class_codes.astype(np.intp)

    def builders(self, form: str) -> list[Callable[[Columns], Any]]:
        """Ways to build the design in ``form`` from columns of codes."""
        ways: dict[str, Callable[[Columns], Any]] = {
            "csr": self.plan.sparse,
            "dense": self.plan.dense,
            "categorical": lambda codes: _split_matrix(self.plan, codes),
        }
        with_encoder = form == "csr" and self.plan.is_full
        encoder = [lambda codes: one_hot(self.plan, codes)] if with_encoder else []
        return [ways[form], *encoder]


def _split_matrix(plan: DesignPlan, codes: Columns) -> Any:
    """tabmat's matrix of categoricals, the first category dropped where it has no column."""
    import pandas as pd  # noqa: PLC0415  heavy
    import tabmat as tm  # noqa: PLC0415  comes with glum

    parts = []
    for places, n_columns in plan.categoricals(codes):
        has_all = plan.is_full
        vector = pd.Categorical.from_codes(
            places - 1 if has_all else places, categories=range(n_columns + (not has_all))
        )
        parts.append(tm.CategoricalMatrix(vector, drop_first=not has_all))
    return tm.SplitMatrix(parts)

"""Which space and solver will reach the optimum for the fewest flops, told before any is run.

Feelders & Ivanovs (2006) count what an iteration costs (`bnlr.flops`); how many there will be hangs
on how badly the problem is conditioned in the coordinates of each space. What the data show of that
is found at the frequency estimates, where all runs begin: how many steps conjugate gradients take
on the CLL's quadratic model there. Iterations and evaluations are then those of a regression on
that number, one a space and solver, over random networks; `python -m studies recommender` makes it
anew and holds it against races that it has not seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bnlr._typing import FloatArray
from bnlr.data.dataset import Dataset, check_dataset
from bnlr.design.packed_rows import Design
from bnlr.learn.fit import fit
from bnlr.learn.runs.run import evaluation_costs
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.spaces.base import Space
from bnlr.spaces.loglinear import LogLinear
from bnlr.spaces.roos import Roos
from bnlr.spaces.softmax import Softmax
from bnlr.structure.dag import Structure, check_structure
from bnlr.structure.report import StructureReport, analyze

if TYPE_CHECKING:
    import pandas as pd

MOST_STEPS = 40
SHARE = 0.95
"""The steps are counted to so much of the model's gain, as in the paper's table 2."""


class Rate(NamedTuple):
    """ln iterations = intercept + slope · ln steps, and CLL evaluations an iteration."""

    intercept: float
    slope: float
    evaluations: float


RATES: Mapping[tuple[str, str], Rate] = {
    ("loglinear", "cg"): Rate(1.14, 1.04, 2.37),
    ("loglinear", "cg-brent"): Rate(0.75, 1.13, 8.32),
    ("loglinear", "bfgs"): Rate(1.16, 0.67, 1.7),
    ("roos", "cg"): Rate(0.7, 1.2, 2.39),
    ("roos", "cg-brent"): Rate(0.35, 1.3, 8.47),
    ("roos", "bfgs"): Rate(1.15, 0.7, 2.0),
    ("softmax", "cg"): Rate(0.62, 0.93, 2.4),
    ("softmax", "cg-brent"): Rate(0.35, 1.0, 8.48),
    ("softmax", "bfgs"): Rate(0.94, 0.67, 2.04),
}
"""As `python -m studies recommender` fits them, to the paper's nine on sixty random networks."""


@dataclass(frozen=True)
class Recommendation:
    """What each space and solver is expected to cost, the cheapest first.

    Attributes
    ----------
    table : DataFrame
        space, solver, parameters, steps (what the data show of the conditioning), and the expected
        iterations, CLL evaluations and flops to within 5 % of the way to the optimum.
    space, solver : str
        The cheapest, as `bnlr.fit` takes them.
    report : StructureReport
        The verdict on the structure; where it is not perfect, CPTs are the only space.
    """

    table: "pd.DataFrame"
    space: str
    solver: str
    report: StructureReport

    def __str__(self) -> str:
        only = "" if self.report.is_perfect else "; the structure is not perfect, so in β alone"
        head = f"space={self.space!r}, solver={self.solver!r} is expected to cost least{only}"
        shown = self.table.round({"steps": 1, "iterations": 1, "evaluations": 1, "flops": 0})
        return f"{head}\n{shown.to_string(index=False)}"


def recommend(structure: Structure, data: Dataset) -> Recommendation:
    """Say what the paper's solvers will cost in each parameter space, without running one.

    Parameters
    ----------
    structure : Structure
    data : Dataset
        Complete in the attributes that the class's families look at.

    Returns
    -------
    Recommendation
        Expected, not proven: the flops of Feelders & Ivanovs's model times iterations that a
        regression over random networks expects of problems as well conditioned as this one.

    Raises
    ------
    MissingCellsError
        A cell is missing; the paper's solvers need complete rows.
    StateError, DataError
        As `bnlr.fit`.
    """
    import pandas as pd  # noqa: PLC0415  heavy, and needed only for display

    check_structure(structure)
    check_dataset(data)
    report = analyze(structure)
    start = fit(structure, data, learner="frequencies", n_threads=1).network
    rows = []
    for space in _spaces(structure, data, report):
        design = Design.of(space.layout, data)
        steps = steps_on_the_model(ConditionalObjective(design, space), space.from_network(start))
        for (name, solver), rate in RATES.items():
            if name != space.name:
                continue
            iterations = max(1.0, float(np.exp(rate.intercept) * steps**rate.slope))
            evaluations = rate.evaluations * iterations
            costs = evaluation_costs(design, space, solver)
            updates = iterations * costs.iteration(0, 1, 0)
            flops = updates + evaluations * (4 * costs.n_parameters + costs.cll)
            rows.append((name, solver, space.size, steps, iterations, evaluations, flops))
    columns = ["space", "solver", "parameters", "steps", "iterations", "evaluations", "flops"]
    table = pd.DataFrame(rows, columns=columns).sort_values("flops", kind="stable")
    table = table.reset_index(drop=True)
    return Recommendation(table, table["space"].iloc[0], table["solver"].iloc[0], report)


def steps_on_the_model(objective: ConditionalObjective, x: FloatArray) -> float:
    """Steps of conjugate gradients on the quadratic model at ``x`` to `SHARE` of its gain.

    With the fraction of the last step that the share is in; 1 at least. The model is followed for
    `MOST_STEPS`, or to where it bends down, which in β it may.
    """
    _, gradient = objective.value_and_gradient(x)
    hessian = objective.hessian(x)
    residual = -gradient
    direction, square = residual.copy(), float(residual @ residual)
    least, gains = 1e-20 * square, [0.0]
    while square > least and len(gains) <= MOST_STEPS:
        product = hessian(direction)
        curvature = float(direction @ product)
        if curvature <= 1e-12 * float(direction @ direction):
            break
        step = square / curvature
        residual -= step * product
        gains.append(gains[-1] + 0.5 * step * square)
        before, square = square, float(residual @ residual)
        direction = residual + (square / before) * direction
    aim = SHARE * gains[-1]
    k = next(k for k, gain in enumerate(gains) if gain >= aim)
    return 1.0 if k < 1 else max(1.0, k - 1 + (aim - gains[k - 1]) / (gains[k] - gains[k - 1]))


def _spaces(structure: Structure, data: Dataset, report: StructureReport) -> list[Space]:
    if not report.is_perfect:
        return [Softmax(structure, data.states)]
    return [
        LogLinear(structure, data.states, data.most_frequent),
        Roos(structure, data.states),
        Softmax(structure, data.states),
    ]

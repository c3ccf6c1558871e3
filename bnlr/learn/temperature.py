"""Frequency estimates at the temperature that predicts best.

What several attributes tell together, frequency estimates count as often as they tell it: their
log-odds order the classes well and are too large. One number mends that. It multiplies the evidence
of all attributes and leaves P(class) as it is, and it is fitted to scores of rows that the
estimates have not counted, as in temperature scaling (Guo et al. 2017).
"""

from bnlr.data.dataset import Dataset
from bnlr.design.families import TableLayout
from bnlr.design.parted_rows import design_of
from bnlr.errors import MissingCellsError
from bnlr.learn.request import holes
from bnlr.learn.result import FitResult
from bnlr.learn.shrinkage.centre import scaled_centre
from bnlr.learn.supergraph import carried
from bnlr.machine import one_blas_thread
from bnlr.structure.dag import Structure
from bnlr.structure.report import analyze


def fit_tempered(
    structure: Structure, data: Dataset, pseudocount: float = 1.0, n_threads: int | None = None
) -> FitResult:
    """Smoothed frequency estimates with the evidence log-odds multiplied by one number.

    The estimates are those of the penalty's centre "scaled" (`bnlr.fit`), the number is
    ``result.center_scale``. The network's P(class | attributes) is that of the scaled tables,
    exactly; where the structure is not perfect, arcs are added that carry them.

    Raises
    ------
    MissingCellsError
        A row lacks a cell of the class's families.
    """
    _refuse_holes(structure, data)
    design = design_of(TableLayout.of(structure, data.cards), data, n_threads)
    with one_blas_thread():
        centre = scaled_centre(design, data.states, pseudocount)
        cll = design.cll(centre.tables)
    network, note = carried(structure, centre.tables, data, pseudocount, n_threads)
    told = f"Frequency estimates: the evidence's log-odds times {centre.scale:.4g}."
    return FitResult(
        network=network,
        cll=cll,
        start_cll=cll,
        converged=True,
        n_iter=0,
        message=" ".join(part for part in (told, note) if part),
        learner="frequencies",
        space="none",
        solver="closed form",
        why="as asked for, at the temperature that folds left out say",
        report=analyze(structure, data.cards),
        center_scale=centre.scale,
    )


def _refuse_holes(structure: Structure, data: Dataset) -> None:
    found = holes(structure, data)
    if found:
        node = max(found, key=found.__getitem__)
        raise MissingCellsError(
            f"temperature='auto' needs rows complete in the class's families, and column {node!r} "
            f"has {found[node]:,} missing; make the hole a state of its own with missing='state'"
        )

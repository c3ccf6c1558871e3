"""The networks of a pool, as a section of a page."""

from bnlr.network.opinion_pool import Opinion
from bnlr.report.html import Column, Html, Section, figure, folded, inline, table
from bnlr.report.model.evaluation import Evaluation
from bnlr.report.plots.drawing import svg_of
from bnlr.report.plots.graph import figure_size
from bnlr.report.plots.structure import plot_structure
from bnlr.words import counted

_MOST_NODES = 60


def pool_section(evaluation: Evaluation) -> Section | None:
    """Members and weights, and the structures of all but the first; None without a pool."""
    if not evaluation.pool:
        return None
    about = (
        "What the networks predict is weighed together: the logarithm of P(class | row) is, up to "
        "a constant, the sum of theirs, each times its weight. The weights are those that predict "
        "best the rows of folds that the networks had not seen. Scores, calibration, what matters "
        "and what speaks in single rows are the pool's; the sections on the model, its fit and its "
        "tables are about the first network."
    )
    rows = [_row(one) for one in evaluation.pool]
    columns: list[Column | str] = [Column("weight", ".3f"), "network", "arcs", "table cells"]
    return Section(
        "The pool",
        [
            inline(about),
            table(columns, rows, "The networks, the best by itself first."),
            *(_picture(one) for one in evaluation.pool[1:] if _is_small(one)),
        ],
    )


def _row(one: Opinion) -> list[object]:
    n_cells = sum(cpt.size for cpt in one.network.cpts.values())
    return [one.weight, one.label, len(one.network.structure.edges), n_cells]


def _is_small(one: Opinion) -> bool:
    return len(one.network.structure.nodes) <= _MOST_NODES


def _picture(one: Opinion) -> Html:
    structure = one.network.structure
    is_wide = figure_size(structure)[0] > 6
    caption = f"The structure of the network with the weight {one.weight:.3f}."
    alt = f"Graph of {counted(len(structure.edges), 'arc')}"
    picture = svg_of(plot_structure(structure, layout="circle"))
    drawing = figure(picture, caption, alt, kind="graph wide" if is_wide else "graph")
    return folded(f"Structure: {one.label}", drawing)

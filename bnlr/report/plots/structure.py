"""A structure as a picture, by itself or in given axes."""

from typing import TYPE_CHECKING

from bnlr.arguments import check_kind
from bnlr.report.plots import canvas
from bnlr.report.plots.graph import draw_structure, figure_size
from bnlr.structure.dag import Structure
from bnlr.structure.report import StructureReport, analyze

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_structure(
    structure: Structure, report: StructureReport | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw a structure: the class in the middle, the attributes around it.

    Parents that keep the structure from being a logistic regression are marked, and arcs that would
    make it one are dashed. Of more than 100 attributes the names are left out.

    Parameters
    ----------
    structure : Structure
    report : StructureReport, optional
        That of the structure; made if not given.
    ax : matplotlib Axes, optional
        Where to draw; if not given, the axes of a new figure, ``plot_structure(s).figure``.

    Raises
    ------
    ParameterError
        Something else than a structure and its report.
    PlotExtraError
        matplotlib is not installed; an ImportError.
    """
    remedy = "a bnlr.Structure, such as classifier.network_.structure"
    check_kind("structure", structure, Structure, remedy)
    check_kind("report", report, (StructureReport, type(None)), "what bnlr.analyze returns")
    report = analyze(structure) if report is None else report
    axes = canvas.axes_or_new(ax, *figure_size(structure))
    draw_structure(axes, structure, report)
    canvas.style(axes, _verdict(report))
    return axes


def _verdict(report: StructureReport) -> str:
    if report.is_perfect:
        return "Learning is convex: a logistic regression"
    n = report.n_violations
    return f"Not convex: {n:,} {'pair' if n == 1 else 'pairs'} of parents not joined"
